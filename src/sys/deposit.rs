//! How does a directory with its files come to be, whole or not at all?

use std::collections::BTreeMap;

use rustix::io::Errno;

use super::files::{FileError, Root};
use crate::model::path::RepoPath;

/// What became of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deposited {
    /// It is there now.
    New,
    /// Something was there already, and stays as it is.
    Kept,
}

/// Puts files, by their paths in it, into the new directory `dir`. They are written beside `home`,
/// a directory above it, and moved as one: a crash leaves nothing at `dir`.
///
/// # Errors
/// When a link stands on the way, or the disk says no.
pub fn deposit(
    root: &Root,
    home: &RepoPath,
    dir: &RepoPath,
    files: &BTreeMap<RepoPath, Vec<u8>>,
) -> Result<Deposited, FileError> {
    let beside = below(home, &format!(".reins-{}", std::process::id()));
    let written = write(root, &beside, dir, files);
    if !matches!(written, Ok(Deposited::New)) {
        discard(root, &beside);
    }
    written
}

fn write(
    root: &Root,
    beside: &RepoPath,
    dir: &RepoPath,
    files: &BTreeMap<RepoPath, Vec<u8>>,
) -> Result<Deposited, FileError> {
    let io = |errno: Errno| FileError::Io { action: "write", path: dir.to_string(), source: errno.into() };
    let name = |path: &RepoPath| path.components().last().unwrap_or_default().to_owned();
    discard(root, beside);
    for (path, bytes) in files {
        root.replace(&below(beside, path.as_str()), bytes)?;
    }
    let from = root.dir(beside, true)?.ok_or_else(|| io(Errno::NOENT))?;
    let to = root.dir(dir, true)?.ok_or_else(|| io(Errno::NOENT))?;
    // a directory never replaces one that holds something
    match rustix::fs::renameat(&from, name(beside), &to, name(dir)) {
        Ok(()) => rustix::fs::fsync(&to).map(|()| Deposited::New).map_err(io),
        Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => Ok(Deposited::Kept),
        Err(errno) => Err(io(errno)),
    }
}

/// Takes away what an earlier try of ours left.
#[expect(clippy::disallowed_methods, reason = "sys::deposit takes its own directory away")]
fn discard(root: &Root, beside: &RepoPath) {
    let _nothing_there = std::fs::remove_dir_all(root.path().join(beside.as_str()));
}

fn below(dir: &RepoPath, path: &str) -> RepoPath {
    format!("{dir}/{path}").parse().expect("safe paths and our own names make safe paths")
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests look at the disk themselves")]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        text.parse().unwrap()
    }

    #[test]
    fn a_directory_comes_whole_and_is_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let files = |text: &str| BTreeMap::from([(path("a"), text.into()), (path("logs/b"), text.into())]);
        let put = |text: &str| deposit(&root, &path("h"), &path("h/day/x"), &files(text)).unwrap();
        assert_eq!(put("one"), Deposited::New);
        assert_eq!(put("two"), Deposited::Kept);
        let read = |inner: &str| std::fs::read_to_string(dir.path().join(inner)).unwrap();
        assert_eq!((read("h/day/x/a"), read("h/day/x/logs/b")), ("one".to_owned(), "one".to_owned()));
        assert_eq!(std::fs::read_dir(dir.path().join("h")).unwrap().count(), 1);
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(outside.path(), dir.path().join("h")).unwrap();
        let root = Root::open(dir.path()).unwrap();
        let files = BTreeMap::from([(path("a"), b"x".to_vec())]);
        assert!(deposit(&root, &path("h"), &path("h/day/x"), &files).is_err());
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
