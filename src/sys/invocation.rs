//! Finds the directory that the command was called from and what a hook manager passed on.
#![expect(
    clippy::disallowed_methods,
    reason = "sys::invocation reads what callers hand to commands"
)]

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::{env, fs};

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
    let start = env::var_os("GIT_PREFIX")
        .filter(|_| is_alias(&here))
        .map(|prefix| here.join(prefix));
    let start = start.filter(|start| start.is_dir()).unwrap_or(here);
    let dir = changes.iter().fold(start, |dir, change| dir.join(change));
    fs::read_dir(&dir).map(|_| dir)
}

/// What `doctor` asks a hook that it runs, if it does: a short word to say again.
pub fn probe(variable: &str) -> Option<String> {
    let plain = |word: &String| word.len() <= 64 && word.chars().all(|c| c.is_ascii_alphanumeric());
    env::var_os(variable)?.into_string().ok().filter(plain)
}

/// The directory that the process runs in: for a hook, the one that git runs it in.
///
/// # Errors
/// When there is no such directory.
pub fn here() -> io::Result<PathBuf> {
    env::current_dir()
}

fn is_alias(here: &Path) -> bool {
    let hook = ["GIT_INDEX_FILE", "GIT_DIR"]
        .iter()
        .any(|name| env::var_os(name).is_some());
    !hook && fs::symlink_metadata(here.join(".git")).is_ok()
}

/// Whether a person sits at standard input, so that nothing will arrive there.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// What pre-commit and prek say about a push instead of git's lines: one ref of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedPush {
    /// What the remote has, or the commit before the first one that it has not.
    pub from: String,
    /// The pushed commit.
    pub to: String,
    /// The name of the remote.
    pub remote: String,
    /// Its URL.
    pub url: String,
    /// The ref that is pushed.
    pub local: String,
    /// The ref that is pushed to.
    pub branch: String,
}

/// Reads it; the name of the first variable that is missing otherwise. A push without a base has
/// no `PRE_COMMIT_FROM_REF`.
///
/// # Errors
/// With that name.
pub fn managed_push() -> Result<ManagedPush, &'static str> {
    let read = |name: &'static str| env::var(name).map_err(|_| name);
    Ok(ManagedPush {
        from: read("PRE_COMMIT_FROM_REF").unwrap_or_default(),
        to: read("PRE_COMMIT_TO_REF")?,
        remote: read("PRE_COMMIT_REMOTE_NAME")?,
        url: read("PRE_COMMIT_REMOTE_URL")?,
        local: read("PRE_COMMIT_LOCAL_BRANCH")?,
        branch: read("PRE_COMMIT_REMOTE_BRANCH")?,
    })
}
