//! Counts how often the expiry of a freeze was extended in the history of its ledger.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::GateError;
use crate::git::history::Range;
use crate::git::{GitError, Repo};
use crate::ledger::file::{HARD_CAP, parse};
use crate::ledger::freeze::FreezeLedger;
use crate::model::day::Day;
use crate::model::ids::{CommitId, EntryState};

/// A freeze: its property and its seed.
pub(super) type Key = (String, String);

/// The last days that freezes had, in the order of the keys: none where there was no row yet, or
/// none with a day.
type Days = Arc<Vec<Option<Day>>>;

/// How often each freeze was extended, up to tip; none when the history is cut off.
///
/// A commit extends a freeze when it holds a later day than each of its parents held last. So a
/// merge that takes the later day of two sides extends nothing, while what both sides did counts,
/// and a row that was taken away and came back goes on with the day that it had.
///
/// # Errors
/// When an object is unreadable.
pub(super) fn count(
    repo: &Repo,
    tip: CommitId,
    path: &str,
    keys: &BTreeSet<Key>,
) -> Result<Option<BTreeMap<Key, usize>>, GateError> {
    let counted = repo.range(tip, &[]).map_err(GateError::from);
    let counted = counted.and_then(|history| count_over(repo, &history, path, keys));
    match counted {
        Err(GateError::Git(
            GitError::Shallow { .. }
            | GitError::Absent {
                is_partial: true, ..
            },
        )) => Ok(None),
        counted => counted.map(Some),
    }
}

fn count_over(
    repo: &Repo,
    history: &Range,
    path: &str,
    keys: &BTreeSet<Key>,
) -> Result<BTreeMap<Key, usize>, GateError> {
    let trees = history.commits.iter().rev().map(|(_, commit)| commit.tree);
    // newest first: packs keep older trees as differences
    let entries = repo.entries_at(trees, &[path])?.into_iter().flatten().rev();
    let mut counts = vec![0; keys.len()];
    let mut known: BTreeMap<Option<EntryState>, Arc<Vec<Option<Day>>>> = BTreeMap::new();
    let mut last: BTreeMap<CommitId, Days> = BTreeMap::new();
    let nothing: Days = Arc::new(vec![None; keys.len()]);
    for ((id, commit), entry) in history.commits.iter().zip(entries) {
        let now = match known.entry(entry) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(days(repo, entry, keys)?),
        };
        let parents: Vec<&Days> = commit
            .parents
            .iter()
            .filter_map(|parent| last.get(parent))
            .collect();
        let days = match parents.as_slice() {
            [] => Arc::clone(now),
            [only] if **only == *now => Arc::clone(only),
            parents => Arc::new(step(now, parents, &mut counts)),
        };
        last.insert(
            *id,
            if days == nothing {
                Arc::clone(&nothing)
            } else {
                days
            },
        );
    }
    Ok(keys.iter().cloned().zip(counts).collect())
}

/// The days after a commit; what it extends is counted.
fn step(now: &[Option<Day>], parents: &[&Days], counts: &mut [usize]) -> Vec<Option<Day>> {
    let one = |(at, day): (usize, &Option<Day>)| {
        let before = parents.iter().filter_map(|days| days[at]).max();
        if let (Some(day), Some(before)) = (day, before) {
            counts[at] += usize::from(*day > before);
        }
        day.or(before)
    };
    now.iter().enumerate().map(one).collect()
}

/// The days in one state of the ledger; one that cannot be read says nothing.
fn days(repo: &Repo, entry: Option<EntryState>, keys: &BTreeSet<Key>) -> Result<Days, GateError> {
    let bytes = match entry {
        Some(entry) if entry.is_file() => repo.blob(entry.id, HARD_CAP)?,
        Some(_) | None => None,
    };
    let ledger = bytes.and_then(|bytes| parse::<FreezeLedger>(&bytes).ok());
    let rows = ledger.map(|ledger| ledger.freezes).unwrap_or_default();
    let day = |(property, seed): &Key| {
        let row = rows.iter().find(|row| row.key() == (property, seed))?;
        row.expires_at.as_ref()?.value()?.parse().ok()
    };
    Ok(Arc::new(keys.iter().map(day).collect()))
}
