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
    let mut look = Look::new(repo, context)?;
    for commit in commits
        .iter_mut()
        .filter(|commit| commit.own.code.is_some())
    {
        commit.reverts = look.taken_back(commit.id)?;
    }
    Ok(())
}

/// The commits of a range, looked at one by one.
struct Look<'r> {
    past: Past<'r>,
    commits: BTreeMap<CommitId, &'r RawCommit>,
}

impl<'r> Look<'r> {
    fn new(repo: &'r Repo, context: &'r RangeContext) -> Result<Self, GateError> {
        let chain = repo.first_parents(context.landing, REACH + 1)?;
        let commits = context
            .range
            .commits
            .iter()
            .map(|(id, raw)| (*id, raw))
            .collect();
        Ok(Self {
            past: Past {
                repo,
                chain,
                states: BTreeMap::new(),
            },
            commits,
        })
    }

    /// The commit of the line that a commit of the range takes back.
    fn taken_back(&mut self, id: CommitId) -> Result<Option<CommitId>, GateError> {
        let (raw, repo) = (self.commits[&id], self.past.repo);
        let mut olds = Vec::new();
        for parent in &raw.parents {
            olds.push(Some(repo.commit(*parent)?.tree));
        }
        if olds.is_empty() {
            return Ok(None); // a root takes nothing back
        }
        let own = leaves(repo, raw.tree, &olds)?;
        self.past.taken_back(&own)
    }
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

/// The first-parent history of the protected line.
struct Past<'r> {
    repo: &'r Repo,
    chain: Vec<(CommitId, RawCommit)>,
    /// For a path: its state at each commit of the chain.
    states: BTreeMap<Vec<u8>, Vec<Option<EntryState>>>,
}

impl Past<'_> {
    /// The newest commit of the line whose change these leaves undo, exactly.
    fn taken_back(&mut self, own: &Leaves) -> Result<Option<CommitId>, GateError> {
        let Some((path, state)) = own.first_key_value() else {
            return Ok(None);
        };
        let states = self.states_of(path)?;
        let pairs = states.windows(2).enumerate();
        let candidates: Vec<_> = pairs
            .filter(|(_, pair)| pair[0] != pair[1] && pair[1] == *state)
            .map(|(at, _)| at)
            .collect();
        for at in candidates {
            let (id, commit) = &self.chain[at];
            let before = self.chain[at + 1].1.tree;
            // what d changed, seen from before d: paths and the states to restore
            if leaves(self.repo, before, &[Some(commit.tree)])? == *own {
                return Ok(Some(*id));
            }
        }
        Ok(None)
    }

    fn states_of(&mut self, path: &[u8]) -> Result<Vec<Option<EntryState>>, GateError> {
        if let Some(states) = self.states.get(path) {
            return Ok(states.clone());
        }
        let Ok(text) = std::str::from_utf8(path) else {
            return Ok(Vec::new());
        };
        let states = self
            .repo
            .entries_at(self.chain.iter().map(|(_, commit)| commit.tree), text)?;
        let leaf = |entry: Option<EntryState>| entry.filter(|entry| entry.mode != EntryState::TREE);
        let states: Vec<_> = states.into_iter().map(leaf).collect();
        self.states.insert(path.to_vec(), states.clone());
        Ok(states)
    }
}
