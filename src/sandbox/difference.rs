//! Lists the paths of a run's tree that differ from the pristine tree.
//!
//! A path differs when it is new or gone, of another kind, or has other bytes or another mode. Of a
//! directory that came or went, everything in it is named too.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::replica::seen;
use crate::sys::files::FileError;
use crate::sys::listing::{Kind, Links, Listing, list};

/// What stands at the second path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    /// A whole tree.
    Whole,
    /// The upper layer of an overlay over the first tree: what is not in it is as it was.
    Upper,
}

/// The root of the tree, when it differs itself.
pub const ROOT: &str = ".";

/// Lists what differs, relative to the root.
///
/// # Errors
/// When something cannot be read. Then it is not known what differs.
pub fn between(first: &Path, second: &Path, is: Second) -> Result<BTreeSet<PathBuf>, FileError> {
    let mut walk = Walk {
        first,
        second,
        is,
        found: BTreeSet::new(),
    };
    if walk.is_other_mode(Path::new(""))? {
        walk.found.insert(ROOT.into());
    }
    let mut left = vec![(PathBuf::new(), is == Second::Whole)];
    while let Some((directory, is_hidden)) = left.pop() {
        walk.directory(&directory, is_hidden, &mut left)?;
    }
    Ok(walk.found)
}

/// Whether this is how the upper layer says that a name is gone.
pub(super) fn is_whiteout(meta: &Metadata) -> bool {
    rustix::fs::FileType::from_raw_mode(meta.mode()).is_char_device() && meta.rdev() == 0
}

/// Whether a directory of the upper layer hides the one below it.
#[cfg(target_os = "linux")]
pub(super) fn is_opaque(directory: &Path) -> io::Result<bool> {
    let mut value = [0; 8];
    match rustix::fs::lgetxattr(directory, "user.overlay.opaque", &mut value) {
        Ok(length) => Ok(&value[..length] == b"y"),
        Err(Errno::NODATA | Errno::NOTSUP) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

/// There are no overlays here.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_opaque(_: &Path) -> io::Result<bool> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A directory of both trees, and whether the first is hidden by the second.
type Pair = (PathBuf, bool);

struct Walk<'a> {
    first: &'a Path,
    second: &'a Path,
    is: Second,
    found: BTreeSet<PathBuf>,
}

impl Walk<'_> {
    /// Compares what is in a directory of both trees; those to be compared next go to `left`. What
    /// the second directory does not name is gone when the first one `is_hidden` by it, or by one
    /// above it.
    fn directory(
        &mut self,
        path: &Path,
        is_hidden: bool,
        left: &mut Vec<Pair>,
    ) -> Result<(), FileError> {
        let old = entries(&self.first.join(path))?;
        let here = self.second.join(path);
        let new = match entries(&here) {
            Err(FileError::Io { source, .. })
                if source.kind() == io::ErrorKind::PermissionDenied =>
            {
                // whoever may not look into it any longer takes all of it as changed
                return old
                    .keys()
                    .try_for_each(|name| self.add(self.first, path.join(name)));
            }
            entries => entries?,
        };
        let is_hidden = is_hidden || is_opaque(&here).map_err(|source| fault(&here, source))?;
        for (name, kind) in &old {
            match new.get(name) {
                None if is_hidden => self.add(self.first, path.join(name))?,
                None => {}
                Some(other) => {
                    let path = path.join(name);
                    if (*kind, *other) == (Kind::Directory, Kind::Directory) {
                        left.push((path.clone(), is_hidden));
                    }
                    self.both(path, *kind, *other)?;
                }
            }
        }
        let is_new = |(name, _): &(&OsString, &Kind)| !old.contains_key(*name);
        new.iter()
            .filter(is_new)
            .try_for_each(|(name, _)| self.add(self.second, path.join(name)))
    }

    /// Compares a name that stands in both.
    fn both(&mut self, path: PathBuf, old: Kind, new: Kind) -> Result<(), FileError> {
        if old != new {
            self.add(self.first, path.clone())?;
            return self.add(self.second, path);
        }
        let differs = match old {
            Kind::Directory => self.is_other_mode(&path)?,
            Kind::File => self.is_other_mode(&path)? || self.are_other_bytes(&path)?,
            Kind::Link => self.is_other_link(&path)?,
            Kind::Other => true,
        };
        if differs {
            self.found.insert(path);
        }
        Ok(())
    }

    /// Names a path and everything below it.
    fn add(&mut self, root: &Path, path: PathBuf) -> Result<(), FileError> {
        let mut left = vec![path];
        while let Some(path) = left.pop() {
            let place = root.join(&path);
            let meta = seen(&place).map_err(|source| fault(&place, source))?;
            if self.is == Second::Upper && is_whiteout(&meta) {
                continue; // it says that something is gone, and is nothing itself
            }
            if meta.is_dir() {
                match entries(&place) {
                    Err(FileError::Io { source, .. })
                        if source.kind() == io::ErrorKind::PermissionDenied => {}
                    entries => left.extend(entries?.into_keys().map(|name| path.join(name))),
                }
            }
            self.found.insert(path);
        }
        Ok(())
    }

    fn is_other_mode(&self, path: &Path) -> Result<bool, FileError> {
        let mode = |root: &Path| {
            let place = root.join(path);
            seen(&place)
                .map(|meta| meta.mode())
                .map_err(|source| fault(&place, source))
        };
        Ok(mode(self.first)? != mode(self.second)?)
    }

    fn is_other_link(&self, path: &Path) -> Result<bool, FileError> {
        let target = |root: &Path| {
            let place = root.join(path);
            std::fs::read_link(&place).map_err(|source| fault(&place, source))
        };
        Ok(target(self.first)? != target(self.second)?)
    }

    fn are_other_bytes(&self, path: &Path) -> Result<bool, FileError> {
        let (first, second) = (self.first.join(path), self.second.join(path));
        let same = is_same(&open(&first)?, &open(&second)?);
        Ok(!same.map_err(|source| fault(&second, source))?)
    }
}

fn is_same(mut first: &File, mut second: &File) -> io::Result<bool> {
    let length = first.metadata()?.len();
    if length != second.metadata()?.len() {
        return Ok(false);
    }
    let size = usize::try_from(length.min(64 << 10)).unwrap_or_default();
    let (mut ours, mut theirs, mut left) = (vec![0; size], vec![0; size], length);
    while left > 0 {
        let size = usize::try_from(left.min(64 << 10)).unwrap_or_default();
        first.read_exact(&mut ours[..size])?;
        second.read_exact(&mut theirs[..size])?;
        if ours[..size] != theirs[..size] {
            return Ok(false);
        }
        left -= size as u64;
    }
    Ok(true)
}

fn open(path: &Path) -> Result<File, FileError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let opened = rustix::fs::open(path, flags, Mode::empty());
    opened
        .map(File::from)
        .map_err(|errno| fault(path, errno.into()))
}

fn entries(directory: &Path) -> Result<BTreeMap<OsString, Kind>, FileError> {
    match list(directory, Links::Stay)? {
        Listing::Directory(entries) => Ok(entries
            .into_iter()
            .map(|entry| (entry.name, entry.kind))
            .collect()),
        Listing::NoDirectory => Err(fault(directory, Errno::NOTDIR.into())),
        Listing::Missing => Err(fault(directory, Errno::NOENT.into())),
    }
}

fn fault(path: &Path, source: io::Error) -> FileError {
    FileError::Io {
        action: "compare",
        path: path.display().to_string(),
        source,
    }
}
