//! Finds the paths that a merge keeps in an old state although the protected line has changed them.
//!
//! A three-way merge takes what only the other side has changed. A merge that keeps the old state
//! instead (`-s ours`, or a tree put together by hand) owns nothing by comparison with its
//! parents, and yet takes back what the line or the branch holds: it owns those paths.

use std::collections::{BTreeMap, BTreeSet};

use super::GateError;
use super::gather::spot;
use crate::decide::facts::Own;
use crate::git::Repo;
use crate::git::object::RawCommit;
use crate::git::owned::{Go, Step};
use crate::model::ids::{CommitId, EntryState, ObjectId};
use crate::policy::path_class::Territory;

/// Adds to what a merge with a protected parent owns the paths that it takes back.
///
/// # Errors
/// When an object is absent or unreadable.
pub(super) fn note(
    repo: &Repo,
    territory: &Territory,
    merge: &RawCommit,
    (trees, in_range): (&BTreeMap<CommitId, ObjectId>, &BTreeSet<CommitId>),
    own: &mut Own,
) -> Result<(), GateError> {
    let is_protected = |parent: &CommitId| !in_range.contains(parent);
    for line in &merge.parents {
        let others = merge.parents.iter().filter(|other| *other != line);
        // a branch carries what it has from the line, so one of the two is enough
        for other in others.filter(|other| is_protected(line) || is_protected(other)) {
            let mut bases = Vec::new();
            for base in repo.range(*other, &[*line])?.bases {
                bases.push(repo.commit(base)?.tree);
            }
            for (path, state) in differing(repo, territory, merge.tree, trees[line], own)? {
                if !bases.is_empty() && holds_all(repo, &bases, &path, state)? {
                    let step = Step {
                        path: &path,
                        leaf: state,
                        is_directory: false,
                        is_certain: true,
                    };
                    own.note(spot(territory, &path).marks(), &step);
                }
            }
        }
    }
    Ok(())
}

type Leaf = (Vec<u8>, Option<EntryState>);

/// The leaves at which a merge differs from a line, as far as they would say something new.
fn differing(
    repo: &Repo,
    territory: &Territory,
    merge: ObjectId,
    line: ObjectId,
    own: &Own,
) -> Result<Vec<Leaf>, GateError> {
    let mut leaves = Vec::new();
    repo.owned(Some(merge), &[Some(line)], &mut |step| {
        let spot = spot(territory, step.path);
        let is_wanted = own.wants(spot.marks());
        if !step.is_directory && is_wanted {
            leaves.push((step.path.to_vec(), step.leaf));
        }
        if is_wanted || !spot.is_uniform() {
            Go::Enter
        } else {
            Go::Skip
        }
    })?;
    Ok(leaves)
}

fn holds_all(
    repo: &Repo,
    bases: &[ObjectId],
    path: &[u8],
    state: Option<EntryState>,
) -> Result<bool, GateError> {
    let Ok(path) = std::str::from_utf8(path) else {
        return Ok(true);
    }; // unknown: taken back
    for base in bases {
        let there = repo
            .entry(*base, path)?
            .filter(|entry| entry.mode != EntryState::TREE);
        if there != state {
            return Ok(false);
        }
    }
    Ok(true)
}
