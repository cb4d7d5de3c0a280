//! Are files still what they were when they were laid out: bytes and permission bits?

use super::files::{FileError, Root};
use super::hash;
use crate::model::ids::Sha256;
use crate::model::path::RepoPath;

/// Files that must not change, as they were found.
#[derive(Debug)]
pub struct Seal {
    root: Root,
    paths: Vec<RepoPath>,
    files: Vec<(Sha256, u32)>,
}

impl Seal {
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
                None => return Err(FileError::Changed { path: path.to_string() }),
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
            let digested = digested.ok_or_else(|| FileError::Changed { path: path.to_string() })?;
            files.push((digested.sha256, digested.mode));
        }
        Ok(Self { root, paths, files })
    }

    /// The paths that are no longer what they were; one that cannot be read is among them.
    pub fn broken(&self) -> Vec<String> {
        let one = |path: &RepoPath| hash::files(&self.root, std::slice::from_ref(path)).ok()?.pop()?;
        let now = match hash::files(&self.root, &self.paths) {
            Ok(all) => all,
            Err(_) => self.paths.iter().map(one).collect(),
        };
        let same = |now: &Option<hash::Digested>, was: &(Sha256, u32)| {
            now.as_ref().is_some_and(|now| (now.sha256, now.mode) == *was)
        };
        let broken = now.iter().zip(&self.files).zip(&self.paths).filter(|((now, was), _)| !same(now, was));
        broken.map(|(_, path)| path.to_string()).collect()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests look at the disk themselves")]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn every_kind_of_change_breaks_a_seal() {
        let dir = tempfile::tempdir().unwrap();
        let names = ["d/bytes", "d/mode", "d/gone", "d/link", "d/same"];
        let root = Root::open(dir.path()).unwrap();
        let paths: Vec<RepoPath> = names.map(|name| name.parse().unwrap()).to_vec();
        paths.iter().for_each(|path| root.replace(path, b"x").unwrap());
        let expected: Vec<_> = paths.into_iter().map(|path| (path, hash::bytes(b"x"))).collect();
        let seal = Seal::new(root, &expected).unwrap();
        assert!(seal.broken().is_empty());
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("d/bytes"), "y").unwrap();
        std::fs::set_permissions(at("d/mode"), std::fs::Permissions::from_mode(0o666)).unwrap();
        std::fs::remove_file(at("d/gone")).unwrap();
        std::fs::rename(at("d/link"), at("d/moved")).unwrap();
        symlink("moved", at("d/link")).unwrap();
        assert_eq!(seal.broken(), names[..4]);
        assert!(Seal::new(Root::open(dir.path()).unwrap(), &expected).is_err());
    }
}
