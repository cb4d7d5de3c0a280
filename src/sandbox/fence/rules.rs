//! Restricts writes with Landlock.
//!
//! A right is given for a directory and everything below it, and cannot be taken away again further
//! down. So what lies beside something that is fenced off gets its rights one by one, and the
//! directories above that get none: nothing new can be made in them. Landlock knows no right to
//! change modes, times and attributes: only looking afterwards helps there.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope,
};

use super::FenceError;
use super::paths::FencePaths;
use crate::sandbox::replica::seen;

/// The first one that knows truncation. Older ones are no fence.
const NEEDED: ABI = ABI::V3;

/// What every program writes to.
const DEVICES: [&str; 7] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];

/// Gives up every right to write but those of the paths.
pub fn restrict(paths: &FencePaths) -> Result<(), FenceError> {
    let fault = |error: &dyn std::fmt::Display| FenceError::Refused {
        action: "no Landlock".to_owned(),
        source: std::io::Error::other(error.to_string()),
    };
    let known = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(NEEDED))
        .map_err(|_| FenceError::Means("no Landlock, or one older than its third version"))?;
    let rules = known.create().map_err(|error| fault(&error))?;
    let mut granted: Vec<PathBuf> = DEVICES
        .iter()
        .map(PathBuf::from)
        .filter(|path| seen(path).is_ok())
        .collect();
    paths
        .writable
        .iter()
        .try_for_each(|path| grant(paths, path, &mut granted))?;
    let rules = granted.iter().try_fold(rules, |rules, path| {
        let is_dir = seen(path).is_ok_and(|meta| meta.is_dir());
        // a right over directories on a file makes the answer of the kernel a partial one
        let rights = AccessFs::from_write(NEEDED);
        let rights = if is_dir {
            rights
        } else {
            rights & AccessFs::from_file(NEEDED)
        };
        let opened = PathFd::new(path).map_err(|error| fault(&error))?;
        rules
            .add_rule(PathBeneath::new(opened, rights))
            .map_err(|error| fault(&error))
    })?;
    match rules
        .restrict_self()
        .map_err(|error| fault(&error))?
        .ruleset
    {
        RulesetStatus::FullyEnforced => {}
        RulesetStatus::PartiallyEnforced | RulesetStatus::NotEnforced => {
            return Err(FenceError::Means("Landlock does not enforce all of it"));
        }
    }
    // more, where it is known; nothing is claimed by it
    let scopes = Ruleset::default()
        .scope(Scope::from_all(ABI::V6))
        .and_then(Ruleset::create);
    let _scoped = scopes.and_then(landlock::RulesetCreated::restrict_self);
    Ok(())
}

/// Collects what is writable at and below a path.
#[expect(
    clippy::disallowed_methods,
    reason = "sandbox::fence looks at what it fences in"
)]
fn grant(paths: &FencePaths, path: &Path, granted: &mut Vec<PathBuf>) -> Result<(), FenceError> {
    if paths.read_only.contains(path) || seen(path).is_ok_and(|meta| meta.is_symlink()) {
        return Ok(());
    }
    // what is below a path stands right behind it
    let next = paths.read_only.range(path.to_owned()..).next();
    if !next.is_some_and(|kept| kept.starts_with(path)) {
        granted.push(path.to_owned());
        return Ok(());
    }
    let fault = || path.display().to_string();
    for entry in std::fs::read_dir(path).map_err(FenceError::when(fault()))? {
        grant(
            paths,
            &entry.map_err(FenceError::when(fault()))?.path(),
            granted,
        )?;
    }
    Ok(())
}
