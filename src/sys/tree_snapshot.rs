//! Tells whether files have changed since a snapshot: bytes, mode and names.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::files::{FileError, Root};
use super::hash;
use super::listing::{Links, Listing, list};
use crate::model::ids::Sha256;
use crate::model::path::RepoPath;

/// Files that must not change, as they were found.
#[derive(Debug)]
pub struct TreeSnapshot {
    root: Root,
    paths: Vec<RepoPath>,
    files: Vec<(Sha256, u32)>,
}

impl TreeSnapshot {
    /// Seals regular files below `root` that have to hold these bytes.
    ///
    /// # Errors
    /// When one of them is missing, is no regular file, cannot be read, or holds other bytes.
    pub fn new(root: Root, expected: &[(RepoPath, Sha256)]) -> Result<Self, FileError> {
        let paths: Vec<_> = expected.iter().map(|(path, _)| path.clone()).collect();
        let mut files = Vec::with_capacity(paths.len());
        for (digested, (path, sha256)) in hash::files(&root, &paths)?.into_iter().zip(expected) {
            match digested.filter(|digested| digested.sha256 == *sha256) {
                Some(digested) => files.push((digested.sha256, digested.mode)),
                None => {
                    return Err(FileError::Changed {
                        path: path.to_string(),
                    });
                }
            }
        }
        Ok(Self { root, paths, files })
    }

    /// Seals regular files below `root` as they are now.
    ///
    /// # Errors
    /// When one of them is missing, is no regular file or cannot be read.
    pub fn as_found(root: Root, paths: Vec<RepoPath>) -> Result<Self, FileError> {
        let mut files = Vec::with_capacity(paths.len());
        for (digested, path) in hash::files(&root, &paths)?.into_iter().zip(&paths) {
            let digested = digested.ok_or_else(|| FileError::Changed {
                path: path.to_string(),
            })?;
            files.push((digested.sha256, digested.mode));
        }
        Ok(Self { root, paths, files })
    }

    /// Each path, and what it held.
    pub fn digests(&self) -> impl Iterator<Item = (RepoPath, Sha256)> + '_ {
        self.paths
            .iter()
            .cloned()
            .zip(self.files.iter().map(|(sha256, _)| *sha256))
    }

    /// The paths that are no longer what they were; one that cannot be read is among them.
    pub fn broken(&self) -> Vec<String> {
        let one = |path: &RepoPath| {
            hash::files(&self.root, std::slice::from_ref(path))
                .ok()?
                .pop()?
        };
        let now = match hash::files(&self.root, &self.paths) {
            Ok(all) => all,
            Err(_) => self.paths.iter().map(one).collect(),
        };
        let same = |now: &Option<hash::Digested>, was: &(Sha256, u32)| {
            now.as_ref()
                .is_some_and(|now| (now.sha256, now.mode) == *was)
        };
        let broken = now
            .iter()
            .zip(&self.files)
            .zip(&self.paths)
            .filter(|((now, was), _)| !same(now, was));
        broken.map(|(_, path)| path.to_string()).collect()
    }
}

/// Every name below a directory, with its kind, its mode, and where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(BTreeMap<PathBuf, (u32, Option<PathBuf>)>);

impl Shape {
    /// The shape of what is below `dir` now; no link is followed.
    ///
    /// # Errors
    /// When something cannot be looked at.
    #[expect(
        clippy::disallowed_methods,
        reason = "sys::tree_snapshot looks at trees"
    )]
    pub fn of(dir: &Path) -> Result<Self, FileError> {
        let (mut shape, mut left) = (BTreeMap::new(), vec![dir.to_owned()]);
        while let Some(path) = left.pop() {
            let fault = |source| FileError::Io {
                action: "look at",
                path: path.display().to_string(),
                source,
            };
            let meta = std::fs::symlink_metadata(&path).map_err(fault)?;
            let target = if meta.is_symlink() {
                Some(std::fs::read_link(&path).map_err(fault)?)
            } else {
                None
            };
            if meta.is_dir()
                && let Listing::Directory(entries) = list(&path, Links::Stay)?
            {
                left.extend(entries.into_iter().map(|entry| path.join(entry.name)));
            }
            shape.insert(path, (meta.mode(), target));
        }
        Ok(Self(shape))
    }

    /// Whether a path was there.
    pub fn has(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }

    /// Whether what is below `dir` has another shape, or none that can be looked at.
    pub fn differs(&self, dir: &Path) -> bool {
        Self::of(dir).ok().as_ref() != Some(self)
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk themselves"
)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn every_kind_of_change_breaks_a_snapshot() {
        let dir = tempfile::tempdir().unwrap();
        let names = ["d/bytes", "d/mode", "d/gone", "d/link", "d/same"];
        let root = Root::open(dir.path()).unwrap();
        let paths: Vec<RepoPath> = names.map(|name| name.parse().unwrap()).to_vec();
        paths
            .iter()
            .for_each(|path| root.replace(path, b"x").unwrap());
        let expected: Vec<_> = paths
            .into_iter()
            .map(|path| (path, Sha256::of(b"x")))
            .collect();
        let snapshot = TreeSnapshot::new(root, &expected).unwrap();
        assert!(snapshot.broken().is_empty());
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("d/bytes"), "y").unwrap();
        std::fs::set_permissions(at("d/mode"), std::fs::Permissions::from_mode(0o666)).unwrap();
        std::fs::remove_file(at("d/gone")).unwrap();
        std::fs::rename(at("d/link"), at("d/moved")).unwrap();
        symlink("moved", at("d/link")).unwrap();
        assert_eq!(snapshot.broken(), names[..4]);
        assert!(TreeSnapshot::new(Root::open(dir.path()).unwrap(), &expected).is_err());
    }

    #[test]
    fn every_new_name_is_another_shape() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("d")).unwrap();
        std::fs::write(at("d/f"), "x").unwrap();
        symlink("d/f", at("link")).unwrap();
        let shape = Shape::of(dir.path()).unwrap();
        std::fs::write(at("d/f"), "other bytes are not its business").unwrap();
        assert!(!shape.differs(dir.path()));
        std::fs::write(at("d/new"), "x").unwrap();
        assert!(shape.differs(dir.path()));
        std::fs::remove_file(at("d/new")).unwrap();
        assert!(!shape.differs(dir.path()));
        std::fs::remove_file(at("link")).unwrap();
        symlink("d", at("link")).unwrap();
        assert!(shape.differs(dir.path()));
    }
}
