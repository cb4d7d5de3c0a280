//! Verdict directories: finds them on disk, reads them without trust, folds them into a commit.
//!
//! The directories belong to GitReins: nothing here alters or removes one. What HEAD holds and the
//! disk lacks is left alone, since GitReins prunes old directories.

pub mod complete;
pub mod durations;
pub mod find;
pub mod grading;
pub mod named;
pub mod read;
mod recheck;
pub mod reconcile;
pub mod reverify;
pub mod rules;
pub mod stat_cache;

use crate::decide::fold::VerdictDir;
use crate::exit::{Explained, Explanation};
use crate::git::GitError;
use crate::git::Repo;
use crate::git::fold::FoldError;
use crate::git::plumbing::GitPlace;
use crate::model::path::RepoPath;
use crate::sys::files::{FileError, Root};

/// Where verdict directories are looked for.
pub struct VerdictStore<'a> {
    /// The repository.
    pub repo: &'a Repo,
    /// Where git runs for it.
    pub place: &'a GitPlace,
    /// The top level of the worktree.
    pub root: &'a Root,
    /// The history directory.
    pub history: &'a RepoPath,
}

impl VerdictStore<'_> {
    /// The path of a verdict directory.
    pub fn path(&self, dir: &VerdictDir) -> String {
        format!("{}/{dir}", self.history)
    }
}

/// Why nothing could be found out or folded.
#[derive(Debug, thiserror::Error)]
pub enum VerdictsError {
    /// A file or directory cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The repository cannot answer.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The commit cannot be made.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// HEAD moved, or a verdict changed, each time that a fold was planned.
    #[error("{0}, {1} times in a row")]
    Busy(String, usize),
    /// A name that means nothing, or several things.
    #[error("{name} {why}")]
    Name {
        /// The name, safe to print.
        name: String,
        /// What was found.
        why: String,
        /// What helps.
        fix: String,
    },
}

impl Explained for VerdictsError {
    fn explain(&self) -> Explanation {
        match self {
            Self::File(error) => error.explain(),
            Self::Git(error) => error.explain(),
            Self::Fold(error) => error.explain(),
            Self::Busy(..) => Explanation::refused().fix("run the command again"),
            Self::Name { fix, .. } => Explanation::refused().fix(fix),
        }
    }
}
