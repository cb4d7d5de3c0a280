//! Describes the steps that an install or uninstall took.

use std::path::Path;

use super::Event;
use super::plan::Step;
use super::site::{HookFile, Site};
use crate::evidence::range_context::read_policy;
use crate::git::Repo;
use crate::model::path::shown;
use crate::policy::POLICY_PATH;
use crate::sys::folder::{executable, real};

/// What an install did, what it did not, and what comes next.
pub fn of_install(site: &Site, steps: &[Step]) -> Vec<String> {
    let mut lines: Vec<_> = site
        .hook_files
        .iter()
        .map(|hook_file| format!("installed: {}", name(&hook_file.path())))
        .collect();
    for hook_file in &site.hook_files {
        if steps.contains(&Step::Keep(hook_file.directory.clone(), hook_file.event)) {
            lines.push(kept(hook_file));
        }
    }
    if site.place.worktree.is_none() {
        lines.push(format!(
            "note: {} judges what is pushed from here, not what this repository receives",
            Event::PrePush.name()
        ));
    }
    lines.extend(site.each_worktree().map(|value| {
        let value = shown(value);
        format!(
            "note: core.hooksPath {value} is another directory in each worktree: install in each"
        )
    }));
    if !has_policy(site) {
        lines.push(format!(
            "note: no {POLICY_PATH} has landed on the protected line: no push is judged yet"
        ));
    }
    lines.push("next: git reins doctor".to_owned());
    lines
}

/// What an uninstall took away, path by path.
pub fn of_uninstall(site: &Site, steps: &[Step]) -> Vec<String> {
    let mut lines: Vec<_> = steps.iter().filter_map(|step| taken(site, step)).collect();
    if lines.is_empty() {
        lines.push("uninstalled: no hook of ours was left; the record of it is gone".to_owned());
    }
    lines
}

fn taken(site: &Site, step: &Step) -> Option<String> {
    let (directory, event, is_back) = match step {
        Step::Restore(directory, event) => (directory, *event, true),
        Step::Remove(directory, event) => (directory, *event, false),
        Step::MakeDirectory(_)
        | Step::Point(_)
        | Step::Record(_)
        | Step::Keep(..)
        | Step::SetAside(..)
        | Step::Replace(..)
        | Step::Put(..)
        | Step::MakeExecutable(..)
        | Step::Sweep(..)
        | Step::RemoveMirror(_)
        | Step::RemoveDirectory(_)
        | Step::RemovePointer
        | Step::RemoveRecord => return None,
    };
    let here = site
        .hook_files
        .iter()
        .any(|hook_file| real(&hook_file.directory) == real(directory));
    let away = if here {
        ""
    } else {
        ", where git does not look from here"
    };
    let path = name(&directory.join(event.name()));
    let original = site.manifest.as_ref().and_then(|all| {
        all.record(&site.common, directory, event)?
            .original
            .as_ref()
    });
    Some(match (is_back, original) {
        (true, _) => format!("uninstalled: {path}{away}; what was there before is back"),
        (false, Some(_)) => {
            let kept = name(&directory.join(event.kept()));
            format!("uninstalled: {path}{away}\nwarning: {kept} is gone: nothing is put back")
        }
        (false, None) => format!("uninstalled: {path}{away}"),
    })
}

fn kept(hook_file: &HookFile) -> String {
    let kept = hook_file.event.kept();
    match executable(&hook_file.kept_path()) {
        true => format!("kept: the hook that was there is {kept} now, and runs first"),
        false => format!(
            "kept: the hook that was there is {kept} now; it is not executable, and never ran"
        ),
    }
}

/// Whether there is something to judge by; where that cannot be read, the doctor says why.
fn has_policy(site: &Site) -> bool {
    let read = || {
        let repo = Repo::open(site.place.here(), Some(&site.place.git_dir)).ok()?;
        let line = repo.default_branch().ok()??;
        Some(!matches!(read_policy(&repo, line.tip), Ok(None)))
    };
    read().unwrap_or(false)
}

fn name(path: &Path) -> String {
    shown(&path.display().to_string())
}
