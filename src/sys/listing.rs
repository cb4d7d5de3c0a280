//! Lists a directory: names and kinds, no link followed below the given name.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::files::FileError;

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name.
    pub name: OsString,
    /// What it is.
    pub kind: Kind,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A symbolic link, wherever it leads.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

/// What a name leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listing {
    /// A directory with these entries, by name.
    Directory(Vec<Entry>),
    /// Something, but no directory.
    NoDirectory,
    /// Nothing.
    Missing,
}

/// Whether a link at the very end of a name is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Yes: a person named it.
    Follow,
    /// No: it was found.
    Stay,
}

/// Lists a directory.
///
/// # Errors
/// When it cannot be read.
pub fn list(path: &Path, links: Links) -> Result<Listing, FileError> {
    let nofollow = if links == Links::Stay {
        OFlags::NOFOLLOW
    } else {
        OFlags::empty()
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | nofollow;
    let fault = |errno: Errno| FileError::Io {
        action: "list",
        path: path.display().to_string(),
        source: errno.into(),
    };
    let dir = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(dir) => dir,
        Err(Errno::NOENT) => return Ok(Listing::Missing),
        Err(Errno::NOTDIR | Errno::LOOP) => return Ok(Listing::NoDirectory),
        Err(errno) => return Err(fault(errno)),
    };
    let entries = entries(&dir)
        .map_err(fault)?
        .into_iter()
        .map(|(name, kind)| {
            let kind = match kind {
                FileType::Directory => Kind::Directory,
                FileType::RegularFile => Kind::File,
                FileType::Symlink => Kind::Link,
                _ => Kind::Other,
            };
            Entry { name, kind }
        });
    Ok(Listing::Directory(entries.collect()))
}

/// The names in an open directory, in order, and what each is; not its own and not that of its parent.
pub(super) fn entries(dir: &OwnedFd) -> Result<Vec<(OsString, FileType)>, Errno> {
    let mut entries = Vec::new();
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(Errno::NOENT) => continue, // gone meanwhile
                Err(errno) => return Err(errno),
            },
            known => known,
        };
        entries.push((OsString::from_vec(name.to_bytes().to_vec()), kind));
    }
    entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    Ok(entries)
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk themselves"
)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_named_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("b")).unwrap();
        std::fs::write(dir.path().join("a"), "").unwrap();
        symlink("b", dir.path().join("c")).unwrap();
        let entry = |name: &str, kind| Entry {
            name: name.into(),
            kind,
        };
        assert_eq!(
            list(dir.path(), Links::Stay).unwrap(),
            Listing::Directory(vec![
                entry("a", Kind::File),
                entry("b", Kind::Directory),
                entry("c", Kind::Link),
            ])
        );
        assert_eq!(
            list(&dir.path().join("c"), Links::Follow).unwrap(),
            Listing::Directory(vec![])
        );
        assert_eq!(
            list(&dir.path().join("c"), Links::Stay).unwrap(),
            Listing::NoDirectory
        );
        assert_eq!(
            list(&dir.path().join("a"), Links::Follow).unwrap(),
            Listing::NoDirectory
        );
        assert_eq!(
            list(&dir.path().join("x"), Links::Follow).unwrap(),
            Listing::Missing
        );
    }
}
