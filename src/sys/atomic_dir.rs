//! Writes a directory with its files, whole or not at all.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::Mode;
use rustix::io::Errno;

use super::dir_lease;
use super::files::{FileError, Root};
use super::removal::remove;
use crate::model::path::{RepoPath, file_name};

/// What became of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirWrite {
    /// It is there now.
    New,
    /// Something was there already, and stays as it is.
    Kept,
}

/// What the name of a directory that is not whole yet begins with; numbers follow.
const TEMPORARY: &str = ".reins-";

/// Puts files, by their paths in it, into the new directory `dir`. They are written temporary `home`,
/// a directory above it, and moved as one: a crash leaves nothing at `dir`, and what it leaves
/// temporary is removed the next time.
///
/// # Errors
/// When a link stands on the way, or the disk says no.
pub fn write_dir(
    root: &Root,
    home: &RepoPath,
    dir: &RepoPath,
    files: &BTreeMap<RepoPath, Vec<u8>>,
) -> Result<DirWrite, FileError> {
    sweep(root, home)?;
    let (temporary, _alive) = make(root, home)?;
    let written = write(root, &temporary, dir, files);
    if !matches!(written, Ok(DirWrite::New)) {
        let _next_time = remove(&root.path().join(temporary.as_str()));
    }
    written
}

/// Removes what those who died over a deposit left in `home`.
///
/// # Errors
/// When a link stands on the way there.
pub fn sweep(root: &Root, home: &RepoPath) -> Result<(), FileError> {
    if root.dir(&below(home, TEMPORARY), false)?.is_some() {
        dir_lease::sweep(&root.path().join(home.as_str()), is_temporary_dir);
    }
    Ok(())
}

/// Whether a name is that of a directory that is not whole yet.
pub fn is_temporary_dir(name: &str) -> bool {
    let numbers = name
        .strip_prefix(TEMPORARY)
        .and_then(|rest| rest.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(pid, count)| is_number(pid) && is_number(count))
}

/// Makes a directory temporary, with a sign of life.
fn make(root: &Root, home: &RepoPath) -> Result<(RepoPath, OwnedFd), FileError> {
    let pid = std::process::id();
    for count in 0.. {
        let temporary = below(home, &format!("{TEMPORARY}{pid}-{count}"));
        let io = |source: io::Error| FileError::Io {
            action: "make",
            path: temporary.to_string(),
            source,
        };
        let at = root
            .dir(&temporary, true)?
            .ok_or_else(|| io(Errno::NOENT.into()))?;
        match rustix::fs::mkdirat(
            &at,
            file_name(temporary.as_str()),
            Mode::from_raw_mode(0o777),
        ) {
            Ok(()) => {}
            Err(Errno::EXIST) => continue, // somebody who lives, and has our number elsewhere
            Err(errno) => return Err(io(errno.into())),
        }
        if let Some(alive) = dir_lease::claim(&root.path().join(temporary.as_str())).map_err(io)? {
            return Ok((temporary, alive));
        }
    }
    unreachable!("numbers do not end")
}

fn write(
    root: &Root,
    temporary: &RepoPath,
    dir: &RepoPath,
    files: &BTreeMap<RepoPath, Vec<u8>>,
) -> Result<DirWrite, FileError> {
    let io = |errno: Errno| FileError::Io {
        action: "write",
        path: dir.to_string(),
        source: errno.into(),
    };
    for (path, bytes) in files {
        root.replace(&below(temporary, path.as_str()), bytes)?;
    }
    let from = root.dir(temporary, true)?.ok_or_else(|| io(Errno::NOENT))?;
    let to = root.dir(dir, true)?.ok_or_else(|| io(Errno::NOENT))?;
    // a directory never replaces one that holds something
    match rustix::fs::renameat(
        &from,
        file_name(temporary.as_str()),
        &to,
        file_name(dir.as_str()),
    ) {
        Ok(()) => rustix::fs::fsync(&to).map(|()| DirWrite::New).map_err(io),
        Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => Ok(DirWrite::Kept),
        Err(errno) => Err(io(errno)),
    }
}

fn below(dir: &RepoPath, path: &str) -> RepoPath {
    format!("{dir}/{path}")
        .parse()
        .expect("safe paths and our own names make safe paths")
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk themselves"
)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        text.parse().unwrap()
    }

    #[test]
    fn a_directory_comes_whole_and_is_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let files =
            |text: &str| BTreeMap::from([(path("a"), text.into()), (path("logs/b"), text.into())]);
        let put =
            |text: &str| write_dir(&root, &path("h"), &path("h/day/x"), &files(text)).unwrap();
        assert_eq!(put("one"), DirWrite::New);
        assert_eq!(put("two"), DirWrite::Kept);
        let read = |inner: &str| std::fs::read_to_string(dir.path().join(inner)).unwrap();
        assert_eq!(
            (read("h/day/x/a"), read("h/day/x/logs/b")),
            ("one".to_owned(), "one".to_owned())
        );
        assert_eq!(std::fs::read_dir(dir.path().join("h")).unwrap().count(), 1);
    }

    #[test]
    fn what_the_dead_left_beside_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let at = |name: &str| dir.path().join("h").join(name);
        for name in [
            ".reins-1-0/logs",
            ".reins-2-0",
            ".reins-other",
            "2026-01-01/x",
        ] {
            std::fs::create_dir_all(at(name)).unwrap();
            std::fs::write(at(name).join("verdict.json"), "half").unwrap();
        }
        let alive = dir_lease::claim(&at(".reins-2-0")).unwrap();
        sweep(&root, &path("h")).unwrap();
        sweep(&root, &path("no/such")).unwrap();
        assert!(!at(".reins-1-0").exists() && alive.is_some());
        for kept in [".reins-2-0", ".reins-other", "2026-01-01/x"] {
            assert!(at(kept).join("verdict.json").exists(), "{kept}");
        }
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(outside.path(), dir.path().join("h")).unwrap();
        let root = Root::open(dir.path()).unwrap();
        let files = BTreeMap::from([(path("a"), b"x".to_vec())]);
        assert!(write_dir(&root, &path("h"), &path("h/day/x"), &files).is_err());
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
