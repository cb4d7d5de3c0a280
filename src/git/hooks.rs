//! Finds the directory where git looks for hooks and the setting that names it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::plumbing::{Git, GitPlace, PlumbingError, split_nul};
use crate::sys::process::Answer;

/// A value of `core.hooksPath` that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HooksPath {
    /// `system`, `global`, `local`, `worktree` or `command`.
    pub scope: String,
    /// Where it is written, as git says it: `file:...`, `command line:`.
    pub origin: String,
    /// What is written there.
    pub value: String,
}

impl HooksPath {
    /// Whether it is written in this repository, for this repository.
    pub fn is_of_repository(&self) -> bool {
        self.scope == "local" || self.scope == "worktree"
    }
}

/// The git directory that all worktrees share, absolute.
///
/// # Errors
/// When git does not say.
pub fn common_dir(place: &GitPlace) -> Result<PathBuf, PlumbingError> {
    path(place, &["rev-parse", "--git-common-dir"])
}

/// The file that git runs for an event. It need not exist.
///
/// # Errors
/// When git does not say.
pub fn file(place: &GitPlace, event: &str) -> Result<PathBuf, PlumbingError> {
    path(
        place,
        &["rev-parse", "--git-path", &format!("hooks/{event}")],
    )
}

fn path(place: &GitPlace, args: &[&str]) -> Result<PathBuf, PlumbingError> {
    let mut said = Git::for_person(place).args(args).run()?;
    said.pop_if(|last| *last == b'\n');
    Ok(place.here().join(OsStr::from_bytes(&said)))
}

/// What `core.hooksPath` is set to, and by whom; `None` when it is not set.
///
/// # Errors
/// When git does not say.
pub fn hooks_path(place: &GitPlace) -> Result<Option<HooksPath>, PlumbingError> {
    let asked = [
        "config",
        "--show-scope",
        "--show-origin",
        "-z",
        "--get-all",
        "core.hooksPath",
    ];
    let said = match Git::for_person(place).args(asked).run() {
        Err(PlumbingError::Failed { code: Some(1), .. }) => return Ok(None),
        said => said?,
    };
    // scope, origin, value for each, the one in force last; an empty value is a part too
    let parts: Vec<_> = said
        .split(|byte| *byte == 0)
        .map(String::from_utf8_lossy)
        .collect();
    let last = parts.chunks_exact(3).last();
    let text = |part: &std::borrow::Cow<'_, str>| part.clone().into_owned();
    Ok(last.map(|last| HooksPath {
        scope: text(&last[0]),
        origin: text(&last[1]),
        value: text(&last[2]),
    }))
}

/// Whether git knows a file in a directory of the worktree.
///
/// # Errors
/// When git does not say.
pub fn is_tracked(place: &GitPlace, directory: &str) -> Result<bool, PlumbingError> {
    let prefix = if directory.is_empty() { "." } else { directory };
    Ok(!Git::at(place)
        .args(["ls-files", "-z"])
        .prefixes([prefix])
        .run()?
        .is_empty())
}

/// The top levels of all worktrees, this one too; some may be gone.
///
/// # Errors
/// When git does not say.
pub fn worktrees(place: &GitPlace) -> Result<Vec<PathBuf>, PlumbingError> {
    let said = Git::at(place)
        .args(["worktree", "list", "--porcelain"])
        .run()?;
    let text = String::from_utf8_lossy(&said).into_owned();
    let entries = text
        .split("\n\n")
        .filter(|entry| !entry.lines().any(|line| line == "bare"));
    let places = entries.filter_map(|entry| entry.strip_prefix("worktree ")?.lines().next());
    Ok(places.map(PathBuf::from).collect())
}

/// The bits that `core.sharedRepository` adds to files.
///
/// # Errors
/// When git does not say.
pub fn shared_bits(place: &GitPlace) -> Result<u32, PlumbingError> {
    let value = Git::at(place)
        .args(["config", "--get", "core.sharedRepository"])
        .maybe_line()?;
    let value = value
        .map(|value| value.to_ascii_lowercase())
        .unwrap_or_default();
    Ok(match value.as_str() {
        "group" | "true" | "yes" | "on" | "1" => 0o660,
        "all" | "world" | "everybody" | "2" => 0o664,
        octal => u32::from_str_radix(octal, 8).map_or(0, |bits| bits & 0o666),
    })
}

/// The names of hooks that configuration switches off (`hook.NAME.enabled`); newer gits run hooks
/// from there.
///
/// # Errors
/// When git does not say.
pub fn disabled(place: &GitPlace) -> Result<Vec<String>, PlumbingError> {
    let asked = [
        "config",
        "-z",
        "--type=bool",
        "--get-regexp",
        r"^hook\..*\.enabled$",
    ];
    let said = match Git::for_person(place).args(asked).run() {
        Err(PlumbingError::Failed { code: Some(1), .. }) => return Ok(Vec::new()),
        said => said?,
    };
    let mut names = Vec::new(); // the last word for a name counts
    for (key, value) in split_nul(&said).filter_map(|entry| {
        let entry = std::str::from_utf8(entry).ok()?;
        entry.split_once('\n')
    }) {
        let name = key
            .trim_start_matches("hook.")
            .trim_end_matches(".enabled")
            .to_owned();
        names.retain(|known| *known != name);
        names.extend((value == "false").then_some(name));
    }
    Ok(names)
}

/// The version of the git on PATH: major and minor.
///
/// # Errors
/// When it does not say.
pub fn version(place: &GitPlace) -> Result<(u32, u32), PlumbingError> {
    let said = Git::at(place).args(["version"]).line()?;
    let number = said.split(' ').nth(2).unwrap_or_default();
    let mut parts = number.split('.').map(|part| part.parse().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => Ok((major, minor)),
        _ => Err(PlumbingError::Answer {
            command: "git version".to_owned(),
        }),
    }
}

/// Runs the hooks of an event as git does before it acts, with empty input.
///
/// # Errors
/// When git cannot be started.
pub fn fire(
    place: &GitPlace,
    (event, args): (&str, &[&str]),
    (variable, word): (&str, &str),
    limit: Duration,
) -> Result<Answer, PlumbingError> {
    let git = Git::for_person(place).args([
        "hook",
        "run",
        "--ignore-missing",
        "--to-stdin=/dev/null",
        event,
        "--",
    ]);
    git.args(args).env(variable, word).within(limit)
}

/// Runs one hook file where git would, without input: for gits that cannot run hooks by name.
///
/// # Errors
/// When it cannot be started.
pub fn fire_file(
    place: &GitPlace,
    (file, args): (&Path, &[&str]),
    (variable, word): (&str, &str),
    limit: Duration,
) -> Result<Answer, PlumbingError> {
    Git::program(place, file)
        .args(args)
        .env(variable, word)
        .within(limit)
}

impl GitPlace {
    /// Where git runs hooks, and what relative paths in its answers start from.
    pub fn here(&self) -> &Path {
        self.worktree.as_deref().unwrap_or(&self.git_dir)
    }
}
