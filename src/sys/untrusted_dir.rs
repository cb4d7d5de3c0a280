//! Lists and reads a directory that another program writes.
//!
//! Everything is opened from the directory above it, no link followed, and judged by what was
//! opened: whoever swaps a name meanwhile gains nothing.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::thread;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::files::{FileError, Plain, READ_CAP, Root, fault, not_regular, plain, slurp};
use super::listing::entries;
use crate::model::path::{RepoPath, file_name};

/// An open directory.
#[derive(Debug)]
pub struct UntrustedDir {
    fd: OwnedFd,
    path: String,
}

/// What a name in a directory stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A directory.
    Folder,
    /// A regular file.
    File,
    /// Anything else, in words: `a symbolic link`.
    Other(&'static str),
}

/// One name in a directory. Names are bytes: another program may write what is no text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name.
    pub name: Vec<u8>,
    /// What it stands for.
    pub kind: EntryKind,
}

/// When a file or directory last changed, and which one it is. Two equal stamps of one name mean
/// that nothing was written between, unless it was in the moment of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Device, inode, size, then modification and change time in seconds and nanoseconds.
    pub parts: [i64; 7],
}

impl Stamp {
    /// The last change, in seconds of the file system's clock.
    pub fn changed(&self) -> i64 {
        self.parts[3].max(self.parts[5])
    }

    fn of(stat: &Stat) -> Self {
        let whole = |number: u64| i64::from_ne_bytes(number.to_ne_bytes());
        Self {
            parts: [
                whole(stat.st_dev),
                whole(stat.st_ino),
                stat.st_size,
                stat.st_mtime,
                stat.st_mtime_nsec,
                stat.st_ctime,
                stat.st_ctime_nsec,
            ],
        }
    }
}

impl Root {
    /// Opens a directory below the root; `None` when nothing is there.
    ///
    /// # Errors
    /// When a component is a link or a file.
    pub fn folder(&self, path: &RepoPath) -> Result<Option<UntrustedDir>, FileError> {
        let Some(above) = self.dir(path, false)? else {
            return Ok(None);
        };
        open(&above, file_name(path.as_str()), path.as_str())
    }
}

impl UntrustedDir {
    /// What lies in it, in the order of names.
    ///
    /// # Errors
    /// When it cannot be listed.
    pub fn list(&self) -> Result<Vec<Entry>, FileError> {
        let entries = entries(&self.fd).map_err(|errno| fault("list", &self.path, errno))?;
        let entry = |(name, kind): (OsString, _)| Entry {
            name: name.into_vec(),
            kind: kind_of(kind),
        };
        Ok(entries.into_iter().map(entry).collect())
    }

    /// Opens a directory in it; `None` when it is gone.
    ///
    /// # Errors
    /// When it is a link or a file.
    pub fn folder(&self, name: &str) -> Result<Option<Self>, FileError> {
        open(&self.fd, name, &format!("{}/{name}", self.path))
    }

    /// Reads a file in it that no other name leads to; `None` when it is gone.
    ///
    /// # Errors
    /// When it is no regular file, has another hard link, or more than [`READ_CAP`] bytes.
    pub fn read_alone(&self, name: &str) -> Result<Option<Vec<u8>>, FileError> {
        let path = format!("{}/{name}", self.path);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let opened = rustix::fs::openat(&self.fd, name, flags, Mode::empty());
        match plain(opened, &path)? {
            None => Ok(None),
            Some(Plain {
                is_shared: true, ..
            }) => Err(FileError::Shared { path }),
            Some(Plain { size, .. }) if size > READ_CAP => Err(FileError::TooLarge { path }),
            Some(plain) => slurp(plain, &path).map(Some),
        }
    }

    /// Whether a name in it is a regular file that somebody may execute.
    pub fn is_executable(&self, name: &str) -> bool {
        let stat = rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| {
            FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
                && stat.st_mode & 0o111 != 0
        })
    }

    /// The stamps of each directory in it and of the file `inner` in there; `None` where one is
    /// missing or no such thing. Nothing is opened, so that many are looked at quickly.
    pub fn stamps(&self, names: &[&str], inner: &str) -> Vec<Option<[Stamp; 2]>> {
        let (left, right) = names.split_at(names.len() / 2);
        thread::scope(|scope| {
            let other = scope.spawn(|| self.stamps_of(right, inner));
            let mut all = self.stamps_of(left, inner);
            all.extend(other.join().expect("looking at stamps does not panic"));
            all
        })
    }

    fn stamps_of(&self, names: &[&str], inner: &str) -> Vec<Option<[Stamp; 2]>> {
        let stamp = |path: &str, kind: FileType| {
            let stat = rustix::fs::statat(&self.fd, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            (FileType::from_raw_mode(stat.st_mode) == kind).then(|| Stamp::of(&stat))
        };
        let both = |name: &&str| {
            let folder = stamp(name, FileType::Directory)?;
            Some([
                folder,
                stamp(&format!("{name}/{inner}"), FileType::RegularFile)?,
            ])
        };
        names.iter().map(both).collect()
    }
}

fn open(above: &OwnedFd, name: &str, path: &str) -> Result<Option<UntrustedDir>, FileError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(
        above,
        std::ffi::OsStr::from_bytes(name.as_bytes()),
        flags,
        Mode::empty(),
    ) {
        Ok(fd) => Ok(Some(UntrustedDir {
            fd,
            path: path.to_owned(),
        })),
        Err(Errno::NOENT) => Ok(None),
        Err(Errno::LOOP | Errno::NOTDIR) => Err(not_regular(
            path,
            "a link or a file in place of a directory",
        )),
        Err(errno) => Err(fault("open", path, errno)),
    }
}

fn kind_of(kind: FileType) -> EntryKind {
    match kind {
        FileType::Directory => EntryKind::Folder,
        FileType::RegularFile => EntryKind::File,
        FileType::Symlink => EntryKind::Other("a symbolic link"),
        FileType::Fifo => EntryKind::Other("a pipe"),
        FileType::Socket => EntryKind::Other("a socket"),
        _ => EntryKind::Other("a device"),
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk themselves"
)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn folder(dir: &std::path::Path) -> UntrustedDir {
        Root::open(dir)
            .unwrap()
            .folder(&"h".parse().unwrap())
            .unwrap()
            .unwrap()
    }

    #[test]
    fn names_are_listed_with_what_they_stand_for() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("h/d")).unwrap();
        fs::write(dir.path().join("h/f"), "x").unwrap();
        symlink("f", dir.path().join("h/l")).unwrap();
        let kinds: Vec<_> = folder(dir.path())
            .list()
            .unwrap()
            .into_iter()
            .map(|entry| entry.kind)
            .collect();
        assert_eq!(
            kinds,
            [
                EntryKind::Folder,
                EntryKind::File,
                EntryKind::Other("a symbolic link")
            ]
        );
        let root = Root::open(dir.path()).unwrap();
        assert!(root.folder(&"no/such".parse().unwrap()).unwrap().is_none());
        assert!(root.folder(&"h/l".parse().unwrap()).is_err());
        assert!(root.folder(&"h/f".parse().unwrap()).is_err());
    }

    #[test]
    fn only_a_file_with_one_name_is_read() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("h")).unwrap();
        fs::write(dir.path().join("h/f"), "x").unwrap();
        let read = |name: &str| folder(dir.path()).read_alone(name);
        assert_eq!(read("f").unwrap().unwrap(), b"x");
        assert_eq!(read("gone").unwrap(), None);
        fs::hard_link(dir.path().join("h/f"), dir.path().join("private")).unwrap();
        assert!(matches!(read("f"), Err(FileError::Shared { .. })));
        symlink("f", dir.path().join("h/l")).unwrap();
        assert!(matches!(read("l"), Err(FileError::NotRegular { .. })));
        fs::File::create(dir.path().join("h/huge"))
            .unwrap()
            .set_len(READ_CAP + 1)
            .unwrap();
        assert!(matches!(read("huge"), Err(FileError::TooLarge { .. })));
    }

    #[test]
    fn a_stamp_changes_when_a_file_does() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("h/a")).unwrap();
        fs::write(dir.path().join("h/a/v"), "x").unwrap();
        let stamps = || folder(dir.path()).stamps(&["a", "b"], "v");
        let before = stamps();
        assert!(before[0].is_some() && before[1].is_none());
        assert_eq!(stamps(), before);
        fs::write(dir.path().join("h/a/v"), "xy").unwrap();
        assert_ne!(stamps(), before);
    }
}
