//! Reads generation numbers from the commit-graph to end a walk early.
//!
//! The file is local data that anybody can forge, and it never decides: it ends a walk that has its
//! answer before the dates of more commits are looked at. A wrong one keeps commits in a range.

use super::{Repo, theirs};
use crate::model::ids::CommitId;

/// The levels of commits: every commit is on a higher one than all that it reaches.
pub(super) struct Levels(Option<gix::commitgraph::Graph>);

impl Levels {
    /// What the commit-graph of a repository knows; nothing where there is none or it is damaged.
    pub(super) fn of(repo: &Repo) -> Self {
        Self(repo.inner.commit_graph_if_enabled().ok().flatten())
    }

    /// The level of a commit; none when the graph does not hold it. What the graph holds reaches
    /// nothing that it does not hold.
    pub(super) fn level(&self, id: CommitId) -> Option<u32> {
        let commit = self.0.as_ref()?.commit_by_id(theirs(id.0))?;
        Some(commit.generation()).filter(|level| *level > 0) // 0: written before there were levels
    }

    /// The lowest level of some commits: nothing on that level or below reaches any of them.
    pub(super) fn floor(&self, commits: impl Iterator<Item = CommitId>) -> u32 {
        commits
            .map(|id| self.level(id).unwrap_or(u32::MAX))
            .min()
            .unwrap_or(u32::MAX)
    }
}
