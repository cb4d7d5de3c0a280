//! Names the reasons why nothing was folded.

use std::path::PathBuf;
use std::time::Duration;

use crate::exit::{Explained, Explanation};
use crate::git::GitError;
use crate::git::plumbing::PlumbingError;
use crate::model::refusal::Code;
use crate::sys::files::FileError;

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
    /// Another fold of this repository takes longer than we wait.
    #[error("another fold is under way and holds {}", .path.display())]
    Folding {
        /// Our own lock.
        path: PathBuf,
    },
    /// Another process holds a lock, or died holding it.
    #[error("another process holds {}{}", .path.display(), made(.age))]
    Locked {
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
    /// Our own lock cannot be made or taken.
    #[error("{}: {source}", .path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

impl Explained for FoldError {
    fn explain(&self) -> Explanation {
        match self {
            Self::File(error) => error.explain(),
            Self::Repo(error) => error.explain(),
            Self::Open(open) => {
                Explanation::refused().fix(format!("finish or abort the {open} first"))
            }
            Self::Folding { .. } => {
                Explanation::refused().fix("run the command again when it is done")
            }
            Self::Locked { .. } => Explanation::refused()
                .fix("wait for the other process; remove the lock only when it is dead"),
            Self::InTheWay { .. } => Explanation::refused().code(Code::PathUnsafe),
            Self::Git(PlumbingError::Failed { .. }) | Self::Moved | Self::Nothing => {
                Explanation::refused()
            }
            Self::Bare | Self::Git(_) | Self::Lock { .. } => Explanation::undecided(),
        }
    }
}

fn made(age: &Option<Duration>) -> String {
    age.map_or(String::new(), |age| {
        format!(" (made {} s ago)", age.as_secs())
    })
}
