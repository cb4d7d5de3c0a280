//! Copies a tree with equal bytes, modes and times; no file is shared.
//!
//! Never by hard links: what is written through one name would change the other.

use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Timespec, Timestamps};
use rustix::io::Errno;

use crate::sys::files::FileError;
use crate::sys::listing::{Kind, Links, Listing, list};

/// Threads that write. More of them wait for the same directory locks.
const THREADS: usize = 2;

/// Files that one thread takes at a time.
const BATCH: usize = 64;

/// How the bytes of a file get into another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The file system shares them until one of both is written to.
    Reflink,
    /// They are copied.
    Bytes,
}

/// Why there is no second tree. What has been written is left to be thrown away.
#[derive(Debug, thiserror::Error)]
pub enum ReplicaError {
    /// The file system does not share bytes.
    #[error("the file system has no reflinks: {0}")]
    NoReflink(Errno),
    /// A directory cannot be listed.
    #[error(transparent)]
    File(#[from] FileError),
    /// A pipe, a socket or a device: no checkout makes one.
    #[error("{} is neither a file, a link nor a directory", .0.display())]
    Odd(PathBuf),
    /// The operating system said no.
    #[error("{} cannot be copied: {source}", .path.display())]
    Io {
        /// The path in the first tree.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// Fills the empty directory `to` with everything that is in `from`.
///
/// # Errors
/// When something cannot be read or written.
pub fn replicate(from: &Path, to: &Path, way: Way) -> Result<(), ReplicaError> {
    let (directories, leaves) = lay_directories(from, to)?;
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = || -> Result<(), ReplicaError> {
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed).min(leaves.len());
            let batch = &leaves[start..(start + BATCH).min(leaves.len())];
            if batch.is_empty() || failed.load(Ordering::Relaxed) {
                return Ok(());
            }
            for (path, kind) in batch {
                let copied = leaf(&from.join(path), &to.join(path), *kind, way);
                copied.inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
            }
        }
    };
    let parts: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    });
    for part in parts {
        part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    }
    // the deepest first: a directory that nobody may write to is filled by then, and so is its time
    for path in directories.iter().rev() {
        let (from, to) = (from.join(path), to.join(path));
        like(&from, &to).map_err(|source| ReplicaError::Io { path: from, source })?;
    }
    Ok(())
}

type Leaf = (PathBuf, Kind);

/// Makes every directory, and lists them and what belongs in them, parents first.
#[expect(clippy::disallowed_methods, reason = "sandbox::replica makes trees")]
fn lay_directories(from: &Path, to: &Path) -> Result<(Vec<PathBuf>, Vec<Leaf>), ReplicaError> {
    let (mut directories, mut leaves, mut next) = (vec![PathBuf::new()], Vec::new(), 0);
    while let Some(path) = directories.get(next).cloned() {
        next += 1;
        let Listing::Directory(entries) = list(&from.join(&path), Links::Stay)? else {
            return Err(ReplicaError::Odd(from.join(path)));
        };
        for entry in entries {
            let path = path.join(entry.name);
            if entry.kind == Kind::Directory {
                let made = std::fs::create_dir(to.join(&path));
                made.map_err(|source| ReplicaError::Io {
                    path: from.join(&path),
                    source,
                })?;
                directories.push(path);
            } else {
                leaves.push((path, entry.kind));
            }
        }
    }
    Ok((directories, leaves))
}

fn leaf(from: &Path, to: &Path, kind: Kind, way: Way) -> Result<(), ReplicaError> {
    let fault = |source| ReplicaError::Io {
        path: from.to_owned(),
        source,
    };
    match kind {
        Kind::File => file(from, to, way),
        Kind::Link => link(from, to).map_err(fault),
        Kind::Other | Kind::Directory => Err(ReplicaError::Odd(from.to_owned())),
    }
}

fn file(from: &Path, to: &Path, way: Way) -> Result<(), ReplicaError> {
    let fault = |source: io::Error| ReplicaError::Io {
        path: from.to_owned(),
        source,
    };
    let always = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let first = rustix::fs::open(from, OFlags::RDONLY | always, Mode::empty());
    let mut first = File::from(first.map_err(|errno| fault(errno.into()))?);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | always;
    let second = rustix::fs::open(to, flags, Mode::RUSR | Mode::WUSR);
    let mut second = File::from(second.map_err(|errno| fault(errno.into()))?);
    match way {
        Way::Reflink => share(&first, &second).map_err(ReplicaError::NoReflink)?,
        Way::Bytes => io::copy(&mut first, &mut second).map(drop).map_err(fault)?,
    }
    let meta = first.metadata().map_err(fault)?;
    second.set_permissions(permissions(&meta)).map_err(fault)?;
    rustix::fs::futimens(&second, &times(&meta)).map_err(|errno| fault(errno.into()))
}

#[cfg(target_os = "linux")]
fn share(from: &File, to: &File) -> Result<(), Errno> {
    rustix::fs::ioctl_ficlone(to, from)
}

#[cfg(not(target_os = "linux"))]
fn share(_: &File, _: &File) -> Result<(), Errno> {
    Err(Errno::NOTSUP)
}

fn link(from: &Path, to: &Path) -> io::Result<()> {
    symlink(std::fs::read_link(from)?, to)?;
    let meta = seen(from)?;
    Ok(rustix::fs::utimensat(
        CWD,
        to,
        &times(&meta),
        AtFlags::SYMLINK_NOFOLLOW,
    )?)
}

/// Gives a directory the mode and the times of another one.
pub(super) fn like(from: &Path, to: &Path) -> io::Result<()> {
    let meta = seen(from)?;
    std::fs::set_permissions(to, permissions(&meta))?;
    Ok(rustix::fs::utimensat(
        CWD,
        to,
        &times(&meta),
        AtFlags::SYMLINK_NOFOLLOW,
    )?)
}

/// What stands at a path, no link followed.
#[expect(clippy::disallowed_methods, reason = "sandbox::replica looks at trees")]
pub(super) fn seen(path: &Path) -> io::Result<Metadata> {
    std::fs::symlink_metadata(path)
}

fn permissions(meta: &Metadata) -> Permissions {
    Permissions::from_mode(meta.mode() & 0o7777)
}

fn times(meta: &Metadata) -> Timestamps {
    let at = |tv_sec, tv_nsec| Timespec { tv_sec, tv_nsec };
    Timestamps {
        last_access: at(meta.atime(), meta.atime_nsec()),
        last_modification: at(meta.mtime(), meta.mtime_nsec()),
    }
}
