//! From where was the command called?
#![expect(clippy::disallowed_methods, reason = "sys::caller reads what git hands to its commands")]

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The directory in which the caller stands, after every `-C`.
///
/// Git runs `git reins` where the caller stands, but an alias `!git reins` in the top level, with
/// the caller's place in `GIT_PREFIX`. Hooks run there too and inherit a `GIT_PREFIX` that means
/// nothing to them; they are known by `GIT_INDEX_FILE` or `GIT_DIR`.
///
/// # Errors
/// When there is no such directory.
pub fn directory(changes: &[PathBuf]) -> io::Result<PathBuf> {
    let here = env::current_dir()?;
    let start = env::var_os("GIT_PREFIX").filter(|_| is_alias(&here)).map(|prefix| here.join(prefix));
    let start = start.filter(|start| start.is_dir()).unwrap_or(here);
    let dir = changes.iter().fold(start, |dir, change| dir.join(change));
    fs::read_dir(&dir).map(|_| dir)
}

fn is_alias(here: &Path) -> bool {
    let hook = ["GIT_INDEX_FILE", "GIT_DIR"].iter().any(|name| env::var_os(name).is_some());
    !hook && fs::symlink_metadata(here.join(".git")).is_ok()
}
