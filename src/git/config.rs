//! Reads git's configuration with the origin of each value, and sets or removes one value.

use std::borrow::Cow;

use super::plumbing::{Git, GitPlace, PlumbingError, split_nul};

/// One value that is in force, or that another one overrules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// `system`, `global`, `local`, `worktree` or `command`.
    pub scope: String,
    /// Where it is written, as git says it: `file:...`, `command line:`.
    pub origin: String,
    /// The key, as git folds it.
    pub key: String,
    /// The value; empty when none is written.
    pub value: String,
}

/// Every setting whose key matches a pattern, includes followed, the one in force last.
///
/// # Errors
/// When git does not say.
pub fn matching(place: &GitPlace, pattern: &str) -> Result<Vec<Setting>, PlumbingError> {
    listed(place, &[], pattern)
}

/// Those that the configuration file of the repository itself holds.
///
/// # Errors
/// When git does not say.
pub fn own(place: &GitPlace, pattern: &str) -> Result<Vec<Setting>, PlumbingError> {
    listed(place, &["--local", "--no-includes"], pattern)
}

fn listed(place: &GitPlace, which: &[&str], pattern: &str) -> Result<Vec<Setting>, PlumbingError> {
    let asked = [
        "--show-scope",
        "--show-origin",
        "-z",
        "--get-regexp",
        pattern,
    ];
    let said = match Git::for_person(place)
        .args(["config"])
        .args(which)
        .args(asked)
        .run()
    {
        Err(PlumbingError::Failed { code: Some(1), .. }) => return Ok(Vec::new()),
        said => said?,
    };
    // scope, origin, key and value for each
    let parts: Vec<_> = said
        .split(|byte| *byte == 0)
        .map(String::from_utf8_lossy)
        .collect();
    let setting = |parts: &[Cow<'_, str>]| {
        let (key, value) = parts[2].split_once('\n').unwrap_or((&parts[2], ""));
        let [scope, origin, key, value] = [&parts[0], &parts[1], key, value].map(str::to_owned);
        Setting {
            scope,
            origin,
            key,
            value,
        }
    };
    Ok(parts.chunks_exact(3).map(setting).collect())
}

/// Writes a value into the configuration of the repository.
///
/// # Errors
/// With git's own words.
pub fn set(place: &GitPlace, key: &str, value: &str) -> Result<(), PlumbingError> {
    Git::for_person(place)
        .args(["config", "--local", key, value])
        .run()
        .map(drop)
}

/// Takes exactly this value out of the configuration of the repository.
///
/// # Errors
/// With git's own words.
pub fn unset(place: &GitPlace, key: &str, value: &str) -> Result<(), PlumbingError> {
    let asked = [
        "config",
        "--local",
        "--fixed-value",
        "--unset-all",
        key,
        value,
    ];
    Git::for_person(place).args(asked).run().map(drop)
}

/// What the attributes of the worktree and of the repository say about a path; `unspecified` when
/// nothing does.
///
/// # Errors
/// When git does not say.
pub fn attribute(place: &GitPlace, name: &str, path: &str) -> Result<String, PlumbingError> {
    let said = Git::for_person(place)
        .args(["check-attr", "-z", name, "--", path])
        .run()?;
    Ok(split_nul(&said)
        .nth(2)
        .map(|value| String::from_utf8_lossy(value).into_owned())
        .unwrap_or_default())
}
