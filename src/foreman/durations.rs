//! Lists how long tier 1 took when it passed before.

use std::path::Path;

use crate::decide::budget::HISTORY;
use crate::decide::fold::VERDICT;
use crate::decide::result::{Reading, read};
use crate::model::path::RepoPath;
use crate::model::reverification::REVERIFY_FILE;
use crate::model::trial::Outcome;
use crate::sys::files::{FileError, Root};
use crate::sys::listing::{Entry, Kind, Links, Listing, list};

/// Durations in milliseconds of the runs of `command` that passed, from the records below the
/// history directory, newest day first; enough of them for a budget.
///
/// A record counts only beside the verdict that it is about.
///
/// # Errors
/// When a directory cannot be listed.
pub fn durations(history: &Path, command: &[String]) -> Result<Vec<u64>, FileError> {
    let mut found = Vec::new();
    for day in directories(history)?.iter().rev() {
        for entry in directories(&history.join(&day.name))? {
            let dir = history.join(&day.name).join(&entry.name);
            found.extend(passes(&dir, command).unwrap_or_default());
            if found.len() >= HISTORY {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

fn directories(path: &Path) -> Result<Vec<Entry>, FileError> {
    let Listing::Directory(mut entries) = list(path, Links::Stay)? else {
        return Ok(Vec::new());
    };
    entries.retain(|entry| entry.kind == Kind::Directory);
    Ok(entries)
}

/// The durations that one directory holds; what cannot be read teaches nothing.
fn passes(dir: &Path, command: &[String]) -> Option<Vec<u64>> {
    let root = Root::open(dir).ok()?;
    let bytes = |name: &str| root.read(&name.parse::<RepoPath>().ok()?).ok()?;
    let reverify = bytes(REVERIFY_FILE)?;
    let Reading::Result(result) = read(&bytes(VERDICT)?, Some(&reverify)).ok()? else {
        return None;
    };
    let record = result.rerun.filter(|record| record.command == command)?;
    let passed = record
        .runs
        .iter()
        .filter(|run| run.outcome == Outcome::Pass);
    Some(passed.map(|run| run.duration_ms).collect())
}
