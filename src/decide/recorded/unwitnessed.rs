//! Finds the passing properties that opened nothing that the patch touches.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::path::RepoPath;
use crate::model::trial::{CheckRun, Outcome, Revision};

/// The properties that passed on the candidate in every run, and opened none of the touched paths
/// in any, sorted. One of which a single run is not known to have opened what is none of them.
pub fn unwitnessed(checks: &[CheckRun], touched: &[RepoPath]) -> Vec<String> {
    let touched: BTreeSet<_> = touched.iter().collect();
    let mut blind: BTreeMap<&str, bool> = BTreeMap::new();
    for run in checks
        .iter()
        .filter(|run| run.revision == Revision::Candidate)
    {
        let Some(property) = &run.property else {
            continue;
        };
        let opened = run.opened.as_ref().filter(|_| run.outcome == Outcome::Pass);
        let saw_none =
            opened.is_some_and(|all| all.iter().all(|file| !touched.contains(&file.path)));
        *blind.entry(property.as_str()).or_insert(true) &= saw_none;
    }
    blind
        .into_iter()
        .filter(|(_, is_blind)| *is_blind)
        .map(|(id, _)| id.to_owned())
        .collect()
}
