//! Finds the commits that take back a commit of the protected line, path for path.

use std::collections::BTreeMap;

use super::GateError;
use super::range_context::RangeContext;
use crate::decide::facts::CommitFacts;
use crate::git::Repo;
use crate::git::object::RawCommit;
use crate::git::owned::Go;
use crate::model::ids::{CommitId, EntryState, ObjectId};

/// How many first-parent commits of the protected line a revert may reach back to.
const REACH: usize = 1_000;

/// The leaves that a commit owns, by raw path.
type Leaves = BTreeMap<Vec<u8>, Option<EntryState>>;

/// With more commits with code than this, none is taken for a revert: each is judged as a patch,
/// which is stricter, and an answer stays a matter of seconds.
const MANY: usize = 64;

/// Marks the commits with code that are reverts.
///
/// # Errors
/// When an object is absent or unreadable.
pub fn mark(
    repo: &Repo,
    context: &RangeContext,
    commits: &mut [CommitFacts],
) -> Result<(), GateError> {
    let with_code = commits
        .iter()
        .filter(|commit| commit.own.code.is_some())
        .count();
    if !(1..=MANY).contains(&with_code) {
        return Ok(());
    }
    let mut all = Vec::new();
    for (commit, (_, raw)) in commits.iter_mut().zip(&context.range.commits) {
        if commit.own.code.is_some() {
            all.push((commit, owned_leaves(repo, raw)?));
        }
    }
    // one path tells most of them: a commit that gives it no state of the past takes nothing back
    let first = |leaves: &Leaves| {
        let (path, _) = leaves.first_key_value()?;
        String::from_utf8(path.clone()).ok()
    };
    let paths: Vec<_> = all
        .iter()
        .map(|(_, leaves)| first(leaves).unwrap_or_default())
        .collect();
    let paths: Vec<_> = paths.iter().map(String::as_str).collect();
    let line = repo.first_parents(context.landing, REACH + 1)?;
    let states = repo.entries_at(line.iter().map(|(_, raw)| raw.tree), &paths)?;
    for ((commit, leaves), states) in all.iter_mut().zip(&states) {
        commit.reverts = taken_back(repo, &line, leaves, states)?;
    }
    Ok(())
}

/// The leaves that a commit of the range owns; a root takes nothing back, and has none.
fn owned_leaves(repo: &Repo, raw: &RawCommit) -> Result<Leaves, GateError> {
    if raw.parents.is_empty() {
        return Ok(Leaves::new());
    }
    let mut olds = Vec::new();
    for parent in &raw.parents {
        olds.push(Some(repo.commit(*parent)?.tree));
    }
    leaves(repo, raw.tree, &olds)
}

fn leaves(repo: &Repo, new: ObjectId, olds: &[Option<ObjectId>]) -> Result<Leaves, GateError> {
    let mut found = Leaves::new();
    repo.owned(Some(new), olds, &mut |step| {
        if !step.is_directory {
            found.insert(step.path.to_vec(), step.leaf);
        }
        Go::Enter
    })?;
    Ok(found)
}

/// The newest commit of the line whose change these leaves undo, exactly. `states` is what the line
/// holds at the first of them, newest first.
fn taken_back(
    repo: &Repo,
    line: &[(CommitId, RawCommit)],
    own: &Leaves,
    states: &[Option<EntryState>],
) -> Result<Option<CommitId>, GateError> {
    let Some((_, state)) = own.first_key_value() else {
        return Ok(None);
    };
    let leaf = |entry: Option<EntryState>| entry.filter(|entry| entry.mode != EntryState::TREE);
    for (commits, states) in line.windows(2).zip(states.windows(2)) {
        let (after, before) = (leaf(states[0]), leaf(states[1]));
        if after == before || before != *state {
            continue;
        }
        let ((id, commit), (_, parent)) = (&commits[0], &commits[1]);
        if leaves(repo, parent.tree, &[Some(commit.tree)])? == *own {
            return Ok(Some(*id));
        }
    }
    Ok(None)
}
