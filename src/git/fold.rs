//! Commits files on HEAD and leaves everything else of the worktree and the index as it is.

mod commit;
mod commit_in_progress;
mod head;
mod lock;
mod pack;
mod staging;
mod temp_index;
mod tree_builder;

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use gix::objs::Kind;

use self::commit::{Commit, Signature};
pub use self::head::Ground;
use self::head::Mover;
pub use self::lock::{FoldLock, lock};
use self::pack::Pack;
use self::staging::Staging;
use self::tree_builder::{Blobs, plant};
use super::plumbing::{GitPlace, PlumbingError};
use super::worktree::open_operation;
use super::{GitError, Repo};
use crate::exit::{Explained, Explanation};
use crate::model::ids::CommitId;
use crate::model::path::RepoPath;
use crate::model::refusal::Code;
use crate::sys::files::FileError;

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
    /// Another fold of this repository takes longer than we wait.
    #[error("another fold is under way and holds {}", .path.display())]
    Folding {
        /// Our own lock.
        path: PathBuf,
    },
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
            Self::Held { .. } => Explanation::refused()
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

impl FoldError {
    /// Somebody holds the lock at `path`.
    fn held(path: PathBuf) -> Self {
        let age = lock::age(&path);
        Self::Held { path, age }
    }
}

/// Reads HEAD.
///
/// # Errors
/// In a bare repository, while an operation is open, and when HEAD cannot be read.
pub fn ground(place: &GitPlace) -> Result<Ground, FoldError> {
    Ground::read(&open(place)?)
}

/// The repository, when files may be committed in it.
fn open(place: &GitPlace) -> Result<Repo, FoldError> {
    place.worktree.as_ref().ok_or(FoldError::Bare)?;
    nothing_open(place)?;
    Ok(Repo::open(&place.git_dir, Some(&place.git_dir))?)
}

fn nothing_open(place: &GitPlace) -> Result<(), FoldError> {
    open_operation(place).map_or(Ok(()), |operation| Err(FoldError::Open(operation)))
}

/// Commits the additions on top of `ground`: objects, index entries, then HEAD, each durable before
/// the next begins. Killed in between it leaves at most staged additions, which the next fold of
/// the same files takes up. No hook runs; `commit.gpgsign` is honoured.
///
/// # Errors
/// [`FoldError::Moved`] when HEAD is another by now; whatever the error, HEAD is as it was.
pub fn land(
    place: &GitPlace,
    ground: &Ground,
    additions: &[Addition],
    bytes: &mut Bytes<'_>,
    message: &str,
) -> Result<CommitId, FoldError> {
    let repo = open(place)?;
    ground.still(&repo)?;
    thread::scope(|scope| {
        // Git starts and looks for the identity while the files are read.
        let signature = scope.spawn(|| Signature::of(place));
        let mover = Mover::start(place, &reason(message))?;
        let mut pack = Pack::new(place, repo.inner.object_hash())?;
        let blobs = blobs(&mut pack, additions, bytes)?;
        let base = ground
            .head
            .map(|head| repo.commit(head))
            .transpose()?
            .map(|head| head.tree);
        let tree = plant(&repo, &mut pack, base, &blobs)?;
        if base == Some(tree) {
            return Err(FoldError::Nothing);
        }
        let staging = Staging::new(place, repo.inner.object_hash(), &blobs);
        staging.check()?;
        let signature = signature
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        let commit = Commit {
            tree,
            parent: ground.head,
            message,
        }
        .store(place, pack, &signature)?;
        staging.add(&|| {
            commit_in_progress::wait(place, || ground.still(&repo))?;
            nothing_open(place)
        })?;
        let written = staging.moment();
        let moved = mover.move_head(commit, ground.head);
        moved.map_err(|error| ground.still(&repo).err().unwrap_or(error))?;
        staging.mend(&written);
        Ok(commit)
    })
}

/// Stages the additions for the person's next commit, and nothing else.
///
/// # Errors
/// As [`land`]; the index is as it was.
pub fn stage(
    place: &GitPlace,
    ground: &Ground,
    additions: &[Addition],
    bytes: &mut Bytes<'_>,
) -> Result<(), FoldError> {
    let repo = open(place)?;
    ground.still(&repo)?;
    let mut pack = Pack::new(place, repo.inner.object_hash())?;
    let blobs = blobs(&mut pack, additions, bytes)?;
    let staging = Staging::new(place, repo.inner.object_hash(), &blobs);
    staging.check()?;
    pack.send()?;
    staging.add(&|| nothing_open(place))
}

fn blobs(
    pack: &mut Pack<'_>,
    additions: &[Addition],
    bytes: &mut Bytes<'_>,
) -> Result<Blobs, FoldError> {
    let mut blobs = Blobs::new();
    for addition in additions {
        let id = pack.add(Kind::Blob, &bytes(&addition.path)?)?;
        blobs.insert(addition.path.clone(), id);
    }
    Ok(blobs)
}

/// What the reflog says.
fn reason(message: &str) -> String {
    format!("reconcile: {}", message.lines().next().unwrap_or_default())
}
