//! Commits files on HEAD and leaves everything else of the worktree and the index as it is.

mod commit;
mod commit_in_progress;
mod error;
mod head;
mod lock;
mod pack;
mod staging;
mod temp_index;
mod tree_builder;

use std::thread;

use gix::objs::Kind;

use self::commit::{Commit, Signature};
pub use self::error::FoldError;
pub use self::head::HeadState;
use self::head::HeadUpdate;
pub use self::lock::{FoldLock, lock};
use self::pack::Pack;
use self::staging::Staging;
use self::tree_builder::{Blobs, build_tree};
use super::Repo;
use super::plumbing::GitPlace;
use super::worktree::open_operation;
use crate::model::ids::CommitId;
use crate::model::path::RepoPath;
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

/// Reads HEAD.
///
/// # Errors
/// In a bare repository, while an operation is open, and when HEAD cannot be read.
pub fn head_state(place: &GitPlace) -> Result<HeadState, FoldError> {
    HeadState::read(&open(place)?)
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

/// Commits the additions on top of `start`: objects, index entries, then HEAD, each durable before
/// the next begins. Killed in between it leaves at most staged additions, which the next fold of
/// the same files takes up. No hook runs; `commit.gpgsign` is honoured.
///
/// # Errors
/// [`FoldError::Moved`] when HEAD is another by now; whatever the error, HEAD is as it was.
pub fn land(
    place: &GitPlace,
    start: &HeadState,
    additions: &[Addition],
    bytes: &mut Bytes<'_>,
    message: &str,
) -> Result<CommitId, FoldError> {
    let repo = open(place)?;
    start.check_unchanged(&repo)?;
    thread::scope(|scope| {
        // Git starts and looks for the identity while the files are read.
        let signature = scope.spawn(|| Signature::of(place));
        let update = HeadUpdate::start(place, &reason(message))?;
        let mut pack = Pack::new(place, repo.inner.object_hash())?;
        let blobs = blobs(&mut pack, additions, bytes)?;
        let base = start
            .head
            .map(|head| repo.commit(head))
            .transpose()?
            .map(|head| head.tree);
        let tree = build_tree(&repo, &mut pack, base, &blobs)?;
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
            parent: start.head,
            message,
        }
        .store(place, pack, &signature)?;
        staging.add(&|| {
            commit_in_progress::wait(place, || start.check_unchanged(&repo))?;
            nothing_open(place)
        })?;
        let written = staging.moment();
        let moved = update.finish(commit, start.head);
        moved.map_err(|error| start.check_unchanged(&repo).err().unwrap_or(error))?;
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
    start: &HeadState,
    additions: &[Addition],
    bytes: &mut Bytes<'_>,
) -> Result<(), FoldError> {
    let repo = open(place)?;
    start.check_unchanged(&repo)?;
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
