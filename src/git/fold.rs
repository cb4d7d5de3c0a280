//! How do files become one commit on HEAD while everything else of the person stays untouched?

use std::path::PathBuf;
use std::time::Duration;

use super::GitError;
use super::plumbing::{GitPlace, PlumbingError};
use crate::model::ids::CommitId;
use crate::model::path::RepoPath;
use crate::sys::files::FileError;

/// Keeps other folds of the repository, from any of its worktrees, waiting until it is dropped.
#[derive(Debug)]
pub struct FoldLock {
    _file: std::fs::File,
}

/// What a plan is made against: what HEAD was when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ground {
    /// The commit of HEAD; none on an unborn branch.
    pub head: Option<CommitId>,
    /// The ref that HEAD stands for, `refs/heads/main`; none when HEAD is detached.
    pub branch: Option<String>,
}

/// A regular file that the commit holds with mode 100644.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// Where.
    pub path: RepoPath,
    /// The number of bytes when the plan was made.
    pub size: u64,
}

/// Hands out the bytes of one addition; they are committed as they are.
pub type Bytes<'a> = dyn FnMut(&RepoPath) -> Result<Vec<u8>, FileError> + 'a;

/// Why nothing was folded.
#[derive(Debug, thiserror::Error)]
pub enum FoldError {
    /// The repository is bare.
    #[error("this repository has no worktree")]
    Bare,
    /// A merge, rebase, cherry-pick, revert or bisect is open.
    #[error("a {0} is open")]
    Open(&'static str),
    /// HEAD is no longer what the plan was made against: plan again.
    #[error("HEAD moved while verdicts were folded")]
    Moved,
    /// Another process holds a lock, or died holding it.
    #[error("another process holds {}{}", .path.display(), made(.age))]
    Held {
        /// The lock.
        path: PathBuf,
        /// How old it is.
        age: Option<Duration>,
    },
    /// Something that is no directory stands where one is needed, or the other way round.
    #[error("{path} of {holder} stands in the way")]
    InTheWay {
        /// What is in the way.
        path: String,
        /// HEAD or the index.
        holder: &'static str,
    },
    /// HEAD holds all of it already.
    #[error("HEAD holds all of it already")]
    Nothing,
    /// A file that is to be folded.
    #[error(transparent)]
    File(#[from] FileError),
    /// The repository cannot be read.
    #[error(transparent)]
    Repo(#[from] GitError),
    /// Git said no: identity, signing, disk.
    #[error(transparent)]
    Git(#[from] PlumbingError),
    /// A file of the repository.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

fn made(age: &Option<Duration>) -> String {
    age.map_or(String::new(), |age| format!(" (made {} s ago)", age.as_secs()))
}

/// Takes our own lock; waits for other folds of this repository, but not for ever.
///
/// # Errors
/// [`FoldError::Held`] after the wait.
pub fn lock(_place: &GitPlace) -> Result<FoldLock, FoldError> {
    Err(FoldError::Nothing)
}

/// Reads HEAD.
///
/// # Errors
/// In a bare repository, while an operation is open, and when HEAD cannot be read.
pub fn ground(_place: &GitPlace) -> Result<Ground, FoldError> {
    Err(FoldError::Nothing)
}

/// Commits the additions on top of `ground`.
///
/// # Errors
/// [`FoldError::Moved`] when HEAD is another by now; whatever the error, HEAD is as it was.
pub fn land(
    _place: &GitPlace,
    _ground: &Ground,
    _additions: &[Addition],
    _bytes: &mut Bytes<'_>,
    _message: &str,
) -> Result<CommitId, FoldError> {
    Err(FoldError::Nothing)
}

/// Stages the additions for the person's next commit.
///
/// # Errors
/// As [`land`].
pub fn stage(
    _place: &GitPlace,
    _ground: &Ground,
    _additions: &[Addition],
    _bytes: &mut Bytes<'_>,
) -> Result<(), FoldError> {
    Err(FoldError::Nothing)
}
