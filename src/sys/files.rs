//! Reads and replaces files without following links and without leaving half of one.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::exit::{Explained, Explanation};
use crate::model::path::{RepoPath, file_name};
use crate::model::refusal::Code;

/// Ledgers, sources and policies are small: nothing above 64 MiB is read as a whole.
pub const READ_CAP: u64 = 64 << 20;

/// Why a file could not be read or replaced.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A link, directory, device or pipe stands where a regular file was expected.
    #[error("{path} is {kind}, not a regular file")]
    NotRegular {
        /// The path.
        path: String,
        /// What stands there.
        kind: &'static str,
    },
    /// More bytes than anything of this kind may have.
    #[error("{path} is larger than {} MiB", READ_CAP >> 20)]
    TooLarge {
        /// The path.
        path: String,
    },
    /// Another name leads to the same bytes, perhaps from outside the repository.
    #[error("{path} has more than one hard link")]
    Shared {
        /// The path.
        path: String,
    },
    /// Two readings of one file gave different bytes.
    #[error("{path} changed while it was read")]
    Changed {
        /// The path.
        path: String,
    },
    /// The operating system said no.
    #[error("{action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The path.
        path: String,
        /// The reason.
        source: io::Error,
    },
}

impl Explained for FileError {
    fn explain(&self) -> Explanation {
        match self {
            Self::NotRegular { .. } | Self::Shared { .. } | Self::TooLarge { .. } => {
                Explanation::refused()
                    .code(Code::PathUnsafe)
                    .fix("take the named path away")
            }
            Self::Changed { .. } => Explanation::refused().fix("run the command again"),
            Self::Io { .. } => Explanation::undecided(),
        }
    }
}

/// An open regular file, its size and its permission bits.
#[derive(Debug)]
pub struct Plain {
    /// The file, opened for reading.
    pub file: File,
    /// The number of bytes when it was opened.
    pub size: u64,
    /// The permission bits.
    pub mode: Mode,
    /// Whether another name leads to it too.
    pub is_shared: bool,
}

impl Plain {
    /// Whether anybody may execute it.
    pub fn executable(&self) -> bool {
        self.mode.intersects(Mode::XUSR | Mode::XGRP | Mode::XOTH)
    }
}

/// Reads a file that a person named; `None` when nothing is there.
///
/// # Errors
/// When something is there that cannot be read as a regular file of at most [`READ_CAP`] bytes.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    read_with(path, OFlags::empty())
}

/// Reads a file that somebody else may have put there: no link at its name; `None` when nothing is
/// there.
///
/// # Errors
/// As [`read`], and for a link.
pub fn read_unlinked(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    read_with(path, OFlags::NOFOLLOW)
}

fn read_with(path: &Path, flags: OFlags) -> Result<Option<Vec<u8>>, FileError> {
    let name = path.display().to_string();
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | flags;
    let opened = rustix::fs::open(path, flags, Mode::empty());
    plain(opened, &name)?
        .map(|plain| slurp(plain, &name))
        .transpose()
}

/// Reads standard input to its end.
///
/// # Errors
/// When it cannot be read, or has more than [`READ_CAP`] bytes.
pub fn read_stdin() -> Result<Vec<u8>, FileError> {
    let (name, mut bytes) = ("standard input", Vec::new());
    let read = io::stdin()
        .lock()
        .take(READ_CAP + 1)
        .read_to_end(&mut bytes);
    read.map_err(|source| io_fault("read", name, source))?;
    match bytes.len() as u64 > READ_CAP {
        true => Err(FileError::TooLarge {
            path: name.to_owned(),
        }),
        false => Ok(bytes),
    }
}

/// A file that nobody else holds.
#[derive(Debug)]
pub struct HeldFile(File);

impl HeldFile {
    /// The file once more, open in every program that is started while this value lives: the hold
    /// lasts until they have ended, too.
    pub fn inherited(&self) -> Option<OwnedFd> {
        rustix::io::dup(&self.0).ok()
    }

    /// What it says, when that is short and text.
    pub fn text(&self) -> Option<String> {
        let mut text = String::new();
        (&self.0)
            .take(1 << 20)
            .read_to_string(&mut text)
            .ok()
            .map(|_| text)
    }
}

/// A directory below which paths are opened one component at a time, no link followed.
#[derive(Debug)]
pub struct Root {
    fd: OwnedFd,
    path: PathBuf,
}

impl Root {
    /// Opens the directory itself; links on the way to it are the caller's own.
    ///
    /// # Errors
    /// When it is no directory that can be opened.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty());
        let fd = fd.map_err(|errno| fault("open", &path.display().to_string(), errno))?;
        Ok(Self {
            fd,
            path: path.to_owned(),
        })
    }

    /// Where the directory is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The present moment by the clock of this file system, in seconds: when a file made just now
    /// was changed. `None` when none can be made.
    pub fn touched(&self) -> Option<i64> {
        let made = rustix::fs::openat(&self.fd, ".", OFlags::TMPFILE | OFlags::WRONLY, Mode::RUSR);
        let made = made.or_else(|_| {
            let name = format!(".reins-{}", std::process::id());
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let made = rustix::fs::openat(&self.fd, &name, flags, Mode::RUSR)?;
            rustix::fs::unlinkat(&self.fd, &name, AtFlags::empty()).map(|()| made)
        });
        made.and_then(rustix::fs::fstat)
            .ok()
            .map(|stat| stat.st_ctime)
    }

    /// Keeps other commands of ours from writing below the root until this value is dropped.
    /// Where the file system knows no such lock, the window is as short as a rename.
    pub fn hold(&self) {
        let _unknown = rustix::fs::flock(&self.fd, rustix::fs::FlockOperation::LockExclusive);
    }

    /// Opens a regular file below the root; `None` when nothing is there.
    ///
    /// # Errors
    /// When a component is a link, or the file is anything but regular and readable.
    pub fn open_file(&self, path: &RepoPath) -> Result<Option<Plain>, FileError> {
        self.dir(path, false)?
            .map_or(Ok(None), |dir| open_in(&dir, path))
    }

    /// Reads a regular file below the root; `None` when nothing is there.
    ///
    /// # Errors
    /// As [`Root::open_file`], and when it has more than [`READ_CAP`] bytes.
    pub fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, FileError> {
        self.open_file(path)?
            .map(|plain| slurp(plain, path.as_str()))
            .transpose()
    }

    /// Opens a file and keeps others from holding it until the value is dropped; `None` when it is
    /// gone or held.
    ///
    /// # Errors
    /// As [`Root::open_file`].
    pub fn hold_file(&self, path: &RepoPath) -> Result<Option<HeldFile>, FileError> {
        let Some(plain) = self.open_file(path)? else {
            return Ok(None);
        };
        match rustix::fs::flock(
            &plain.file,
            rustix::fs::FlockOperation::NonBlockingLockExclusive,
        ) {
            Err(Errno::WOULDBLOCK) => Ok(None),
            Ok(()) | Err(_) => Ok(Some(HeldFile(plain.file))), // some file systems know no such lock
        }
    }

    /// Removes a file of our own; one that is gone already is no trouble.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, path: &RepoPath) -> Result<(), FileError> {
        let Some(dir) = self.dir(path, false)? else {
            return Ok(());
        };
        match rustix::fs::unlinkat(&dir, file_name(path.as_str()), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(fault("remove", path.as_str(), errno)),
        }
    }

    /// Puts `bytes` at `path`, whole or not at all: temporary file beside it, fsync, rename, fsync
    /// of the directory. A new file gets mode 0644, an old one keeps its mode.
    ///
    /// # Errors
    /// When something other than a regular file stands there, or the disk says no.
    pub fn replace(&self, path: &RepoPath, bytes: &[u8]) -> Result<(), FileError> {
        let mode = self
            .open_file(path)?
            .map_or(Mode::from_raw_mode(0o644), |plain| plain.mode);
        let name = file_name(path.as_str());
        let Some(dir) = self.dir(path, true)? else {
            return Err(fault("open", path.as_str(), Errno::NOENT));
        };
        let temporary = format!(".{name}.reins-{}", std::process::id());
        let written = write_new(&dir, &temporary, mode, bytes)
            .and_then(|()| Ok(rustix::fs::renameat(&dir, &temporary, &dir, name)?))
            .and_then(|()| Ok(rustix::fs::fsync(&dir)?));
        written.map_err(|source| {
            let _gone = rustix::fs::unlinkat(&dir, &temporary, AtFlags::empty());
            io_fault("write", path.as_str(), source)
        })
    }

    /// Walks down to the directory that holds `path`; `None` when it is missing and not to be made.
    pub(super) fn dir(&self, path: &RepoPath, make: bool) -> Result<Option<OwnedFd>, FileError> {
        let trouble = |errno| fault("open", path.as_str(), errno);
        let mut dir = self
            .fd
            .try_clone()
            .map_err(|source| io_fault("open", path.as_str(), source))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for name in parents(path) {
            if make {
                let made = rustix::fs::mkdirat(&dir, name, Mode::from_raw_mode(0o777));
                made.or_else(|errno| {
                    if errno == Errno::EXIST {
                        Ok(())
                    } else {
                        Err(errno)
                    }
                })
                .map_err(trouble)?;
            }
            dir = match rustix::fs::openat(&dir, name, flags, Mode::empty()) {
                Ok(fd) => fd,
                Err(Errno::NOENT) => return Ok(None),
                Err(Errno::LOOP | Errno::NOTDIR) => {
                    return Err(not_regular(path.as_str(), "below a link or a file"));
                }
                Err(errno) => return Err(trouble(errno)),
            };
        }
        Ok(Some(dir))
    }
}

/// Opens the file that `path` names in the directory that [`Root::dir`] opened for it.
pub(super) fn open_in(dir: &OwnedFd, path: &RepoPath) -> Result<Option<Plain>, FileError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    plain(
        rustix::fs::openat(dir, file_name(path.as_str()), flags, Mode::empty()),
        path.as_str(),
    )
}

fn parents(path: &RepoPath) -> impl Iterator<Item = &str> {
    let count = path.components().count();
    path.components().take(count - 1)
}

pub(super) fn plain(
    opened: Result<OwnedFd, Errno>,
    path: &str,
) -> Result<Option<Plain>, FileError> {
    let fd = match opened {
        Ok(fd) => fd,
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::NOTDIR) => return Err(not_regular(path, "below a file")),
        Err(Errno::LOOP) => return Err(not_regular(path, "a symbolic link")),
        Err(Errno::NXIO) => return Err(not_regular(path, "a socket")),
        Err(errno) => return Err(fault("open", path, errno)),
    };
    let stat = rustix::fs::fstat(&fd).map_err(|errno| fault("stat", path, errno))?;
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => None,
        FileType::Directory => Some("a directory"),
        _ => Some("a pipe or a device"),
    };
    if let Some(kind) = kind {
        return Err(not_regular(path, kind));
    }
    let size = u64::try_from(stat.st_size).unwrap_or_default();
    Ok(Some(Plain {
        file: File::from(fd),
        size,
        mode: Mode::from_raw_mode(stat.st_mode),
        is_shared: stat.st_nlink != 1,
    }))
}

pub(super) fn slurp(plain: Plain, path: &str) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    let read = plain.file.take(READ_CAP + 1).read_to_end(&mut bytes);
    match read.map_err(|source| io_fault("read", path, source))? as u64 > READ_CAP {
        true => Err(FileError::TooLarge {
            path: path.to_owned(),
        }),
        false => Ok(bytes),
    }
}

fn write_new(dir: &OwnedFd, name: &str, mode: Mode, bytes: &[u8]) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(dir, name, flags, Mode::from_raw_mode(0o600))?;
    let mut file = File::from(fd);
    file.write_all(bytes)?;
    rustix::fs::fchmod(&file, mode)?;
    file.sync_all()
}

pub(super) fn not_regular(path: &str, kind: &'static str) -> FileError {
    FileError::NotRegular {
        path: path.to_owned(),
        kind,
    }
}

fn io_fault(action: &'static str, path: &str, source: io::Error) -> FileError {
    FileError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}

pub(super) fn fault(action: &'static str, path: &str, errno: Errno) -> FileError {
    io_fault(action, path, errno.into())
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk themselves"
)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn path(text: &str) -> RepoPath {
        text.parse().unwrap()
    }

    #[test]
    fn missing_and_unreadable_are_different_answers() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        assert!(root.read(&path("a")).unwrap().is_none());
        assert!(root.read(&path("no/such/a")).unwrap().is_none());
        std::fs::create_dir(dir.path().join("d")).unwrap();
        assert!(root.read(&path("d")).is_err());
        assert!(read(&dir.path().join("x")).unwrap().is_none());
        assert!(read(dir.path()).is_err());
    }

    #[test]
    fn no_link_is_followed_out_of_the_root() {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(outside.path().join("key"), "secret").unwrap();
        symlink(outside.path(), dir.path().join("linked")).unwrap();
        symlink(outside.path().join("key"), dir.path().join("key")).unwrap();
        let root = Root::open(dir.path()).unwrap();
        for inner in ["linked/key", "key"] {
            assert!(root.read(&path(inner)).is_err(), "{inner}");
            assert!(root.replace(&path(inner), b"x").is_err(), "{inner}");
        }
        assert_eq!(
            std::fs::read(outside.path().join("key")).unwrap(),
            b"secret"
        );
    }

    #[test]
    fn replacing_keeps_the_mode_and_leaves_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        root.replace(&path("deep/er/f"), b"one").unwrap();
        let file = dir.path().join("deep/er/f");
        assert_eq!(
            std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o644
        );
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        root.replace(&path("deep/er/f"), b"two").unwrap();
        assert_eq!(root.read(&path("deep/er/f")).unwrap().unwrap(), b"two");
        assert_eq!(
            std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o640
        );
        assert_eq!(
            std::fs::read_dir(dir.path().join("deep/er"))
                .unwrap()
                .count(),
            1
        );
    }
}
