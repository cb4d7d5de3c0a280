//! Takes the lock of folds and git's index lock, and bounds the wait for both.
#![expect(
    clippy::disallowed_methods,
    reason = "git::fold looks at locks and makes its own"
)]

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;

use super::error::FoldError;
use crate::git::plumbing::{GitPlace, PlumbingError};

/// So long a lock of git is waited for: git holds one for milliseconds, or somebody died holding it.
pub(super) const GIT_LOCK_WAIT: Duration = Duration::from_secs(2);

/// So long another fold is waited for: one of 100,000 verdicts takes its time.
const FOLD_LOCK_WAIT: Duration = Duration::from_secs(60);

/// Keeps other folds of the repository, from any of its worktrees, waiting until it is dropped.
#[derive(Debug)]
pub struct FoldLock {
    _file: File,
}

/// Takes our own lock; waits for other folds of this repository, but not for ever. A fold that was
/// killed holds nothing: the lock is the kernel's, the file only its name.
///
/// # Errors
/// [`FoldError::Folding`] after the wait; [`FoldError::Lock`] when the lock cannot be made.
pub fn lock(place: &GitPlace) -> Result<FoldLock, FoldError> {
    let path = common_dir(place)?.join("reins.lock");
    let file = lock_file(&path).map_err(|source| FoldError::Lock {
        path: path.clone(),
        source,
    })?;
    let taken = retry(FOLD_LOCK_WAIT, || {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Some(Ok(())),
            Err(rustix::io::Errno::WOULDBLOCK) => None,
            Err(errno) => Some(Err(FoldError::Lock {
                path: path.clone(),
                source: errno.into(),
            })),
        }
    });
    taken.unwrap_or(Err(FoldError::Folding { path }))?;
    Ok(FoldLock { _file: file })
}

/// The directory that all worktrees share.
fn common_dir(place: &GitPlace) -> Result<PathBuf, FoldError> {
    let path = place.git_dir.join("commondir");
    match fs::read_to_string(&path) {
        Ok(relative) => Ok(place.git_dir.join(relative.trim_end_matches('\n'))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(place.git_dir.clone()),
        Err(source) => Err(FoldError::Lock { path, source }),
    }
}

/// Opens the file; a new one is for everybody who may write in the directory, whatever the umask:
/// that is what `core.sharedRepository` is for.
fn lock_file(path: &Path) -> io::Result<File> {
    let open = || {
        OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(nofollow())
            .open(path)
    };
    match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    let mut new = OpenOptions::new();
    match new
        .read(true)
        .write(true)
        .create_new(true)
        .custom_flags(nofollow())
        .open(path)
    {
        Ok(file) => {
            let directory = path.parent().map_or(Ok(0), |parent| {
                Ok::<_, io::Error>(fs::metadata(parent)?.mode())
            })?;
            file.set_permissions(fs::Permissions::from_mode(directory & 0o666))?;
            Ok(file)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => open(),
        Err(error) => Err(error),
    }
}

fn nofollow() -> i32 {
    rustix::fs::OFlags::NOFOLLOW.bits().cast_signed()
}

/// Asks again and again, each time a bit later, until there is an answer or `limit` has passed.
pub(super) fn retry<T>(limit: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let (start, mut pause) = (Instant::now(), Duration::from_millis(5));
    loop {
        let answer = ask();
        if answer.is_some() || start.elapsed() >= limit {
            return answer;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(200));
    }
}

/// Git's own lock of the index, held by us until it is dropped.
pub(super) struct IndexLock(PathBuf);

impl IndexLock {
    /// Takes it as git does; `None` when somebody holds it.
    pub(super) fn take(path: PathBuf) -> Result<Option<Self>, FoldError> {
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => Ok(Some(Self(path))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
            Err(source) => Err(FoldError::Lock { path, source }),
        }
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        let _gone = fs::remove_file(&self.0);
    }
}

/// The lock that git says it met, if that is what it says.
pub(super) fn lock_in_message(error: &PlumbingError) -> Option<FoldError> {
    let PlumbingError::Failed { stderr, .. } = error else {
        return None;
    };
    let (_, rest) = stderr.split_once("Unable to create '")?;
    let (path, _) = rest.split_once("': File exists")?;
    Some(locked(path.into()))
}

/// Another process holds the lock at `path`.
pub(super) fn locked(path: PathBuf) -> FoldError {
    let age = age(&path);
    FoldError::Locked { path, age }
}

/// How old a file is.
fn age(path: &Path) -> Option<Duration> {
    let made = fs::symlink_metadata(path).and_then(|lock| lock.modified());
    made.ok()?.elapsed().ok()
}

/// Whether something is there.
pub(super) fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}
