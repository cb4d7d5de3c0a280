//! Reads HEAD and moves it from a known value to a new commit.

use super::error::FoldError;
use super::lock::lock_in_message;
use crate::git::plumbing::{Git, GitPlace, PlumbingError, Started};
use crate::git::{GitError, Repo, chain, ours};
use crate::model::ids::CommitId;

/// What a plan is made against: what HEAD was when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadState {
    /// The commit of HEAD; none on an unborn branch.
    pub head: Option<CommitId>,
    /// The ref that HEAD stands for, `refs/heads/main`; none when HEAD is detached.
    pub branch: Option<String>,
}

impl HeadState {
    pub(super) fn read(repo: &Repo) -> Result<Self, FoldError> {
        let fault = |error: gix::Error| GitError::Other {
            what: "HEAD".to_owned(),
            why: chain(&error),
        };
        let head = repo.inner.head().map_err(fault)?;
        let branch = head.referent_name().map(|name| name.as_bstr().to_string());
        let commit = match head.is_unborn() {
            true => None,
            false => Some(repo.inner.head_commit().map_err(fault)?),
        };
        Ok(Self {
            head: commit.map(|commit| CommitId(ours(commit.id))),
            branch,
        })
    }

    /// Whether HEAD is what it was.
    pub(super) fn check_unchanged(&self, repo: &Repo) -> Result<(), FoldError> {
        if Self::read(repo)? == *self {
            Ok(())
        } else {
            Err(FoldError::Moved)
        }
    }
}

/// The git that is going to move HEAD, started before it has to.
pub(super) struct HeadUpdate(Started);

impl HeadUpdate {
    /// It writes `reason` into the reflogs.
    pub(super) fn start(place: &GitPlace, reason: &str) -> Result<Self, PlumbingError> {
        Git::durable(place)
            .args(["update-ref", "--stdin", "-m", reason])
            .start()
            .map(Self)
    }

    /// Moves HEAD, through its branch when it is on one, if it is still `from`.
    pub(super) fn finish(self, to: CommitId, from: Option<CommitId>) -> Result<(), FoldError> {
        let none = "0".repeat(to.0.hex_len());
        let from = from.map_or(none, |from| from.to_string());
        let moved = self
            .0
            .finish(format!("update HEAD {to} {from}\n").into_bytes());
        moved
            .map(drop)
            .map_err(|error| lock_in_message(&error).unwrap_or(error.into()))
    }
}
