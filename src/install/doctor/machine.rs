//! Checks the machine: the version of git, one version of this program, and the manual that git
//! looks for.

use std::path::Path;
use std::time::Duration;

use super::super::probe::VERSION;
use super::super::site::{InstallError, POINTER, Site};
use super::Finding;
use crate::git::OLDEST_GIT;
use crate::git::hooks;
use crate::model::path::shown;
use crate::model::run::End;
use crate::sys::folder::executable;
use crate::sys::process::{ask, on_path};

const LIMIT: Duration = Duration::from_secs(5);

/// Everything about the machine.
pub(super) fn findings(site: &Site) -> Result<Vec<Finding>, InstallError> {
    let (major, minor) = hooks::version(&site.place)?;
    let (oldest_major, oldest_minor) = OLDEST_GIT;
    let old = ((major, minor) < OLDEST_GIT).then(|| {
        Finding::fault(
            "git-old",
            format!("git {major}.{minor}"),
            format!("git {oldest_major}.{oldest_minor} or later"),
            "install a later git",
        )
    });
    Ok(old
        .into_iter()
        .chain(versions(site))
        .chain(manual())
        .collect())
}

/// Every git-reins that a hook or a person could reach, of another version than this one.
fn versions(site: &Site) -> Vec<Finding> {
    let pointer = site.ours().join(POINTER);
    let recorded = Some(pointer).filter(|pointer| executable(pointer));
    let first = on_path("git-reins").into_iter().next();
    let skew = recorded.into_iter().chain(first).filter_map(|program| {
        let version = version(&program);
        (version.as_deref() != Some(VERSION)).then(|| {
            let version = version.map_or("no version".to_owned(), |version| shown(&version));
            let seen = format!(
                "{} is {version}, this is {VERSION}",
                shown(&program.display().to_string())
            );
            let fix = "git reins hooks install, with the version that is to stay";
            Finding::fault("version-skew", seen, "one version", fix)
        })
    });
    skew.collect()
}

fn version(program: &Path) -> Option<String> {
    let said = ask(program, &["--version"], LIMIT)
        .ok()
        .filter(|ended| ended.end == End::Exit(0))?
        .said;
    said.trim().strip_prefix("git-reins ").map(str::to_owned)
}

/// `git reins --help` is git's own, and shows a manual.
fn manual() -> Option<Finding> {
    let found = |man: &std::path::PathBuf| {
        ask(man, &["-w", "git-reins"], LIMIT).is_ok_and(|ended| ended.end == End::Exit(0))
    };
    let is_there = on_path("man").first().is_some_and(found);
    let finding = || {
        let seen = "man does not find git-reins(1), which git reins --help shows";
        Finding::fault("manual-missing", seen, "a manual page", "git reins help").note()
    };
    (!is_there).then(finding)
}
