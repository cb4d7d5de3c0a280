//! Looks at, writes, moves and removes single names in an open directory.
//!
//! For the files of a git directory. Names are single components; the last one is never followed.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, FileType, FlockOperation, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use super::files::FileError;
use super::hash;
use super::listing::entries;
use crate::model::ids::Sha256;

/// As much of a file as anybody looks at to see whose it is.
const HEAD: usize = 64 << 10;

/// What [`assert_writable`] says that it tried.
pub const WRITE_INTO: &str = "write into";

/// What stands at a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing.
    Nothing,
    /// A regular file.
    File {
        /// The digest of its bytes.
        sha256: Sha256,
        /// The permission bits, with those of set-id and sticky.
        mode: u32,
        /// Its first 64 KiB.
        head: Vec<u8>,
    },
    /// A symbolic link, which may lead nowhere.
    Link {
        /// What it says.
        target: PathBuf,
    },
    /// A directory, pipe, socket or device.
    Other {
        /// Which one.
        kind: &'static str,
    },
}

/// An open directory.
#[derive(Debug)]
pub struct Folder {
    fd: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens a directory; `None` when nothing is there.
    ///
    /// # Errors
    /// When something else is there, or it cannot be opened.
    pub fn open(path: &Path) -> Result<Option<Self>, FileError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(fd) => Ok(Some(Self {
                fd,
                path: path.to_owned(),
            })),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(fault("open", path, errno)),
        }
    }

    /// Makes a directory, with `shared` bits added to what the umask leaves, and opens it. One that
    /// is there is left as it is.
    ///
    /// # Errors
    /// When it cannot be made or opened.
    pub fn make(path: &Path, shared: u32) -> Result<Self, FileError> {
        let made = match rustix::fs::mkdir(path, Mode::from_raw_mode(0o777)) {
            Ok(()) => true,
            Err(Errno::EXIST) => false,
            Err(errno) => return Err(fault("make", path, errno)),
        };
        let folder = Self::open(path)?.ok_or_else(|| fault("open", path, Errno::NOENT))?;
        if made && shared != 0 {
            let old = rustix::fs::fstat(&folder.fd).map_err(|errno| fault("stat", path, errno))?;
            let mode = Mode::from_raw_mode(with_runners(old.st_mode & 0o7777 | shared) | 0o2000);
            rustix::fs::fchmod(&folder.fd, mode).map_err(|errno| fault("chmod", path, errno))?;
        }
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps other commands of ours out until this value is dropped, where the file system can.
    pub fn hold(&self) {
        let _unknown = rustix::fs::flock(&self.fd, FlockOperation::LockExclusive);
    }

    /// The names in it, but for its own and that of its parent.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn names(&self) -> Result<BTreeSet<OsString>, FileError> {
        let entries = entries(&self.fd).map_err(|errno| fault("read", &self.path, errno))?;
        Ok(entries.into_iter().map(|(name, _)| name).collect())
    }

    /// What stands at `name`.
    ///
    /// # Errors
    /// When it cannot be looked at or read.
    pub fn look(&self, name: &str) -> Result<Standing, FileError> {
        let Some(stat) = self.stat(name)? else {
            return Ok(Standing::Nothing);
        };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => match self.look_into(name) {
                // it went away meanwhile
                Err(FileError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                    Ok(Standing::Nothing)
                }
                looked => looked,
            },
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(&self.fd, name, Vec::new());
                let target = target.map_err(|errno| self.fault("read", name, errno))?;
                Ok(Standing::Link {
                    target: OsStr::from_bytes(target.as_bytes()).into(),
                })
            }
            FileType::Directory => Ok(Standing::Other {
                kind: "a directory",
            }),
            _ => Ok(Standing::Other {
                kind: "a pipe, a socket or a device",
            }),
        }
    }

    fn look_into(&self, name: &str) -> Result<Standing, FileError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let fd = rustix::fs::openat(&self.fd, name, flags, Mode::empty());
        let fd = fd.map_err(|errno| self.fault("open", name, errno))?;
        let stat = rustix::fs::fstat(&fd).map_err(|errno| self.fault("stat", name, errno))?;
        let (mut file, mut head) = (File::from(fd), Vec::new());
        let unread = |source| self.unread(name, source);
        Read::by_ref(&mut file)
            .take(HEAD as u64)
            .read_to_end(&mut head)
            .map_err(unread)?;
        let all = head.as_slice().chain(file);
        let (sha256, _) = hash::stream(all, &mut vec![0; HEAD]).map_err(unread)?;
        Ok(Standing::File {
            sha256,
            mode: stat.st_mode & 0o7777,
            head,
        })
    }

    /// Whether two names are one file.
    ///
    /// # Errors
    /// When one cannot be looked at.
    pub fn same(&self, one: &str, other: &str) -> Result<bool, FileError> {
        let id = |stat: Stat| (stat.st_dev, stat.st_ino);
        let (one, other) = (self.stat(one)?.map(id), self.stat(other)?.map(id));
        Ok(one.is_some() && one == other)
    }

    /// Writes a new file; a leftover of that name is replaced. What the umask leaves of `mode` and
    /// the `shared` bits are its permissions.
    ///
    /// # Errors
    /// When the disk says no.
    pub fn write(
        &self,
        name: &str,
        bytes: &[u8],
        (mode, shared): (u32, u32),
    ) -> Result<(), FileError> {
        self.remove(name)?;
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.fd, name, flags, Mode::from_raw_mode(mode));
        let mut file = File::from(fd.map_err(|errno| self.fault("write", name, errno))?);
        let written = file
            .write_all(bytes)
            .and_then(|()| share(&file, shared))
            .and_then(|()| file.sync_all());
        written.map_err(|source| self.unread(name, source))
    }

    /// Makes a link at `temporary` and renames it to `name`.
    ///
    /// # Errors
    /// When the disk says no; `name` is as it was then.
    pub fn point(&self, name: &str, temporary: &str, target: &Path) -> Result<(), FileError> {
        self.remove(temporary)?;
        let made = rustix::fs::symlinkat(target, &self.fd, temporary);
        made.map_err(|errno| self.fault("link", temporary, errno))?;
        self.rename(temporary, name)
    }

    /// Makes a link; one that is there already stays.
    ///
    /// # Errors
    /// When the disk says no.
    pub fn link(&self, name: &str, target: &Path) -> Result<(), FileError> {
        match rustix::fs::symlinkat(target, &self.fd, name) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(errno) => Err(self.fault("link", name, errno)),
        }
    }

    /// Renames; what stood at `to` is replaced.
    ///
    /// # Errors
    /// When the disk says no.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
        let done = rustix::fs::renameat(&self.fd, from, &self.fd, to);
        self.settled(done, "rename", from)
    }

    /// Renames; fails when something stands at `to`.
    ///
    /// # Errors
    /// When the disk says no, or something stands there.
    pub fn rename_new(&self, from: &str, to: &str) -> Result<(), FileError> {
        match rustix::fs::renameat_with(&self.fd, from, &self.fd, to, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                let linked = rustix::fs::linkat(&self.fd, from, &self.fd, to, AtFlags::empty());
                linked.map_err(|errno| self.fault("rename", from, errno))?;
                self.remove(from)
            }
            done => self.settled(done, "rename", from),
        }
    }

    /// Gives a file a second name, so that it has one at every moment; where the file system knows
    /// no such names, it is renamed.
    ///
    /// # Errors
    /// When the disk says no, or something stands at `to`.
    pub fn keep(&self, from: &str, to: &str) -> Result<(), FileError> {
        match rustix::fs::linkat(&self.fd, from, &self.fd, to, AtFlags::empty()) {
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS | Errno::MLINK | Errno::ACCESS) => {
                self.rename_new(from, to)
            }
            done => self.settled(done, "link", from),
        }
    }

    /// Takes a file or link away; nothing happens when there is none.
    ///
    /// # Errors
    /// When the disk says no.
    pub fn remove(&self, name: &str) -> Result<(), FileError> {
        match rustix::fs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Err(Errno::NOENT) => Ok(()),
            done => self.settled(done, "remove", name),
        }
    }

    /// Lets whoever may read a regular file run it too, and its owner in any case; adds `shared` bits.
    ///
    /// # Errors
    /// When the disk says no.
    pub fn make_executable(&self, name: &str, shared: u32) -> Result<(), FileError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let fd = rustix::fs::openat(&self.fd, name, flags, Mode::empty());
        let file = File::from(fd.map_err(|errno| self.fault("open", name, errno))?);
        share(&file, shared | 0o100).map_err(|source| self.unread(name, source))
    }

    fn settled(
        &self,
        done: Result<(), Errno>,
        action: &'static str,
        name: &str,
    ) -> Result<(), FileError> {
        done.and_then(|()| rustix::fs::fsync(&self.fd))
            .map_err(|errno| self.fault(action, name, errno))
    }

    fn stat(&self, name: &str) -> Result<Option<Stat>, FileError> {
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.fault("stat", name, errno)),
        }
    }

    fn fault(&self, action: &'static str, name: &str, errno: Errno) -> FileError {
        fault(action, &self.path.join(name), errno)
    }

    fn unread(&self, name: &str, source: io::Error) -> FileError {
        FileError::Io {
            action: "read or write",
            path: self.path.join(name).display().to_string(),
            source,
        }
    }
}

/// Adds the bits that git adds in a shared repository: who may read an executable may run it.
fn share(file: &File, shared: u32) -> io::Result<()> {
    if shared == 0 {
        return Ok(());
    }
    let mode = rustix::fs::fstat(file)?.st_mode & 0o7777 | shared & 0o766;
    Ok(rustix::fs::fchmod(
        file,
        Mode::from_raw_mode(with_runners(mode)),
    )?)
}

/// The permissions with the right to run for everybody who may read, when the owner may run.
pub fn with_runners(mode: u32) -> u32 {
    mode | if mode & 0o100 == 0 {
        0
    } else {
        (mode & 0o444) >> 2
    }
}

/// Takes an empty directory away; whether it is gone.
///
/// # Errors
/// When the disk says no for another reason than that it is not empty.
pub fn remove_empty(path: &Path) -> Result<bool, FileError> {
    match rustix::fs::rmdir(path) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
        Err(errno) => Err(fault("remove", path, errno)),
    }
}

/// Whether this process may execute what is at `path`, links followed: the question that git asks
/// of a hook.
pub fn executable(path: &Path) -> bool {
    rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

/// That names may be made and taken away in a directory, when there is one.
///
/// # Errors
/// When they may not.
pub fn assert_writable(path: &Path) -> Result<(), FileError> {
    match rustix::fs::access(path, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(fault(WRITE_INTO, path, errno)),
    }
}

/// Where a path really is; the part of it that does not exist stays as it is written.
pub fn real(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(parent), Some(name)) => real(parent).join(name),
        (Err(_), ..) => path.to_owned(),
    }
}

fn fault(action: &'static str, path: &Path, errno: Errno) -> FileError {
    FileError::Io {
        action,
        path: path.display().to_string(),
        source: errno.into(),
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk themselves"
)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn folder() -> (tempfile::TempDir, Folder) {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap().unwrap();
        (dir, folder)
    }

    #[test]
    fn a_name_is_looked_at_and_never_followed() {
        let (dir, folder) = folder();
        std::fs::write(dir.path().join("f"), "x").unwrap();
        symlink("f", dir.path().join("l")).unwrap();
        std::fs::create_dir(dir.path().join("d")).unwrap();
        assert_eq!(folder.look("none").unwrap(), Standing::Nothing);
        assert_eq!(
            folder.look("l").unwrap(),
            Standing::Link { target: "f".into() }
        );
        assert_eq!(
            folder.look("d").unwrap(),
            Standing::Other {
                kind: "a directory"
            }
        );
        let Standing::File { sha256, head, .. } = folder.look("f").unwrap() else {
            panic!()
        };
        assert_eq!(
            (sha256, head.as_slice()),
            (Sha256::of(b"x"), b"x".as_slice())
        );
    }

    #[test]
    fn a_kept_file_is_the_same_file_and_a_kept_link_the_same_link() {
        let (dir, folder) = folder();
        symlink("nowhere", dir.path().join("hook")).unwrap();
        folder.keep("hook", "kept").unwrap();
        assert!(folder.same("hook", "kept").unwrap());
        folder.write("new", b"#!/bin/sh\n", (0o777, 0)).unwrap();
        assert!(
            folder.rename_new("new", "hook").is_err(),
            "nothing is replaced"
        );
        folder.rename("new", "hook").unwrap();
        assert_eq!(
            folder.look("kept").unwrap(),
            Standing::Link {
                target: "nowhere".into()
            }
        );
        assert!(folder.keep("hook", "kept").is_err(), "nothing is replaced");
        assert!(!folder.same("hook", "kept").unwrap() && !folder.same("x", "y").unwrap());
    }

    #[test]
    fn shared_bits_are_added_as_git_adds_them() {
        let (dir, folder) = folder();
        folder.write("f", b"", (0o700, 0o660)).unwrap();
        assert_eq!(
            std::fs::metadata(dir.path().join("f"))
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o770
        );
        let made = Folder::make(&dir.path().join("d"), 0o660).unwrap();
        assert_eq!(
            std::fs::metadata(made.path()).unwrap().mode() & 0o2070,
            0o2070
        );
    }
}
