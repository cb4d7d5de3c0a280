//! Finds the files of its tree that a run opened, and what they held when it began.

use std::collections::BTreeSet;

use super::workdir::Workdir;
use crate::model::path::RepoPath;
use crate::model::run::Ran;
use crate::model::trial::Opened;

/// The files of the pristine trees that a run opened, sorted, or why they are not known. What it wrote
/// itself is none of them.
pub(super) fn opened(
    ran: &Ran,
    trees: &[&Workdir],
    blindness: &str,
) -> Result<Vec<Opened>, String> {
    let untraced = || ran.untraced.clone().unwrap_or_else(|| blindness.to_owned());
    let touched = ran.opened.as_ref().ok_or_else(untraced)?;
    let mut found = BTreeSet::new();
    for touch in touched.iter().filter(|touch| touch.read || touch.wrote) {
        for tree in trees {
            let Ok(inner) = touch.path.strip_prefix(tree.path()) else {
                continue;
            };
            match inner
                .to_str()
                .and_then(|inner| inner.parse::<RepoPath>().ok())
            {
                Some(path) => {
                    found.extend(tree.digest(&path).map(|sha256| Opened { path, sha256 }))
                }
                None if tree.held(inner) => {
                    return Err("a file was opened whose path no record can hold".to_owned());
                }
                None => {}
            }
        }
    }
    Ok(found.into_iter().collect())
}
