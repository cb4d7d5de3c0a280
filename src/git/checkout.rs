//! Writes a tree to disk byte for byte: no `.git`, no filter, no hook, no link followed.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{Mode, OFlags};

use super::plumbing::shown_path;
use super::tree::{joined, too_deep};
use super::{GitError, Repo, theirs};
use crate::model::ids::{EntryState, ObjectId};
use crate::model::path::component_fault;

/// More entries than any tree that people work in: a tree can name itself a billion times.
const MAX_ENTRIES: usize = 2_000_000;

/// Threads that write. More of them wait for the same directory locks.
const THREADS: usize = 2;

/// Files that one thread takes at a time: neighbours in a pack are differences from each other.
const BATCH: usize = 256;

/// The longest target of a symbolic link.
const MAX_TARGET: u64 = 4095;

/// Why a tree is not on disk. What has been written is left to be thrown away.
#[derive(Debug, thiserror::Error)]
pub enum CheckoutError {
    /// An object is absent or unreadable.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A name that some file system reads as another target.
    #[error("{path} has {fault}")]
    Unsafe {
        /// The path, made safe to print.
        path: String,
        /// What is wrong with it, as a noun phrase.
        fault: String,
    },
    /// The tree has too many entries.
    #[error("the tree has more than {MAX_ENTRIES} entries")]
    TooMany,
    /// The operating system said no.
    #[error("{path} cannot be written: {source}")]
    Io {
        /// The path, made safe to print.
        path: String,
        /// The reason.
        source: io::Error,
    },
    /// The caller does not want it any longer.
    #[error("the checkout was called off")]
    CalledOff,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files and symbolic links.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// A leaf of the tree and its whole path.
type Leaf = (Vec<u8>, EntryState);

impl Repo {
    /// Writes a tree into the empty directory `dir`: raw bytes of blobs, executable bits, symbolic
    /// links as such, submodules as empty directories.
    ///
    /// Directories are made first, and everything is made new: what a file system takes for the
    /// same name as another one is an error, never a second write. So no link can be written
    /// through. `goes_on` is asked between files.
    ///
    /// # Errors
    /// When an object, a name or the disk says no. A `dir` that is not empty is refused.
    pub fn checkout(
        &self,
        tree: ObjectId,
        dir: &Path,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Written, CheckoutError> {
        let target = TargetDir::open(dir)?;
        let leaves = self.in_pack_order(self.lay_directories(tree, &target, goes_on)?);
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (shared, shallow) = (self.inner.clone().into_sync(), &self.shallow);
        let work = || -> Result<Written, CheckoutError> {
            let repo = Repo::over(shared.to_thread_local(), shallow.clone());
            let (mut total, mut buffer) = (Written::default(), Vec::new());
            loop {
                let from = next.fetch_add(BATCH, Ordering::Relaxed).min(leaves.len());
                let batch = &leaves[from..(from + BATCH).min(leaves.len())];
                if batch.is_empty() || failed.load(Ordering::Relaxed) {
                    return Ok(total);
                }
                for leaf in batch {
                    let going = if goes_on() {
                        Ok(())
                    } else {
                        Err(CheckoutError::CalledOff)
                    };
                    let written = going.and_then(|()| repo.write_leaf(leaf, &target, &mut buffer));
                    total.bytes +=
                        written.inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
                    total.files += 1;
                }
            }
        };
        let parts = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| thread.join();
            threads.into_iter().map(join).collect::<Vec<_>>()
        });
        let mut all = Written::default();
        for part in parts {
            let part = part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            all = Written {
                files: all.files + part.files,
                bytes: all.bytes + part.bytes,
            };
        }
        Ok(all)
    }

    /// Makes every directory and lists what belongs in them.
    fn lay_directories(
        &self,
        tree: ObjectId,
        target: &TargetDir,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Leaf>, CheckoutError> {
        let (mut leaves, mut left, mut entries) = (Vec::new(), vec![(Vec::new(), tree, 0)], 0);
        while let Some((path, tree, depth)) = left.pop() {
            too_deep(tree, depth)?;
            if !goes_on() {
                return Err(CheckoutError::CalledOff);
            }
            for (name, entry) in self.directory(tree)? {
                let path = joined(&path, &name);
                entries += 1;
                if entries > MAX_ENTRIES {
                    return Err(CheckoutError::TooMany);
                }
                check_name(&path, &name)?;
                match entry.mode {
                    EntryState::TREE => {
                        target.directory(&path)?;
                        left.push((path, entry.id, depth + 1));
                    }
                    EntryState::SUBMODULE => target.directory(&path)?,
                    _ => leaves.push((path, entry)),
                }
            }
        }
        Ok(leaves)
    }

    /// Sorts leaves by where their blobs stand, loose ones first: read in any other order, most of
    /// a chain of differences would be unpacked again for every one of them.
    fn in_pack_order(&self, mut leaves: Vec<Leaf>) -> Vec<Leaf> {
        use gix::odb::pack::Find as _;
        let mut objects = self.inner.objects.clone();
        objects.prevent_pack_unload();
        let mut buffer = Vec::new();
        leaves.sort_by_cached_key(|(_, entry)| {
            let target = objects
                .location_by_oid(&theirs(entry.id), &mut buffer)
                .ok()
                .flatten();
            target.map(|target| (target.pack_id, target.pack_offset))
        });
        leaves
    }

    /// Writes one leaf; how many bytes it has.
    fn write_leaf(
        &self,
        leaf: &Leaf,
        target: &TargetDir,
        buffer: &mut Vec<u8>,
    ) -> Result<u64, CheckoutError> {
        let (path, entry) = leaf;
        let is_link = entry.mode == EntryState::LINK;
        if is_link && self.blob_size(entry.id)? > MAX_TARGET {
            return Err(not_safe(path, "a link target that is too long"));
        }
        if !is_link && !entry.is_file() {
            return Err(not_safe(
                path,
                &format!("mode {:o}, which means nothing", entry.mode),
            ));
        }
        buffer.clear();
        let kind = self.find(entry.id, buffer)?.kind;
        if kind != gix::objs::Kind::Blob {
            return Err(GitError::Unreadable {
                id: entry.id,
                why: format!("it is a {kind}, no blob"),
            }
            .into());
        }
        let written = match is_link {
            true => target.link(path, buffer),
            false => target.file(path, buffer, entry.mode & 0o100 != 0),
        };
        written.map(|()| buffer.len() as u64)
    }
}

fn check_name(path: &[u8], name: &[u8]) -> Result<(), CheckoutError> {
    component_fault(&String::from_utf8_lossy(name))
        .map_or(Ok(()), |fault| Err(not_safe(path, fault)))
}

fn not_safe(path: &[u8], fault: &str) -> CheckoutError {
    CheckoutError::Unsafe {
        path: shown_path(path),
        fault: fault.to_owned(),
    }
}

/// The directory that is filled.
struct TargetDir {
    root: OwnedFd,
}

impl TargetDir {
    fn open(dir: &Path) -> Result<Self, CheckoutError> {
        let trouble = |source: io::Error| CheckoutError::Io {
            path: dir.display().to_string(),
            source,
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let root =
            rustix::fs::open(dir, flags, Mode::empty()).map_err(|errno| trouble(errno.into()))?;
        let mut entries =
            rustix::fs::Dir::read_from(&root).map_err(|errno| trouble(errno.into()))?;
        let is_own = |name: &[u8]| name == b"." || name == b"..";
        match entries.find(|entry| {
            !entry
                .as_ref()
                .is_ok_and(|entry| is_own(entry.file_name().to_bytes()))
        }) {
            None => Ok(Self { root }),
            Some(_) => Err(trouble(io::ErrorKind::DirectoryNotEmpty.into())),
        }
    }

    fn directory(&self, path: &[u8]) -> Result<(), CheckoutError> {
        let made = rustix::fs::mkdirat(
            &self.root,
            OsStr::from_bytes(path),
            Mode::from_raw_mode(0o777),
        );
        made.map_err(|errno| trouble(path, errno.into()))
    }

    fn link(&self, path: &[u8], target: &[u8]) -> Result<(), CheckoutError> {
        let made = rustix::fs::symlinkat(
            OsStr::from_bytes(target),
            &self.root,
            OsStr::from_bytes(path),
        );
        made.map_err(|errno| trouble(path, errno.into()))
    }

    fn file(&self, path: &[u8], bytes: &[u8], is_executable: bool) -> Result<(), CheckoutError> {
        let mode = Mode::from_raw_mode(if is_executable { 0o755 } else { 0o644 });
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made = rustix::fs::openat(&self.root, OsStr::from_bytes(path), flags, mode);
        let written = made
            .map_err(io::Error::from)
            .and_then(|fd| File::from(fd).write_all(bytes));
        written.map_err(|source| trouble(path, source))
    }
}

fn trouble(path: &[u8], source: io::Error) -> CheckoutError {
    CheckoutError::Io {
        path: shown_path(path),
        source,
    }
}
