//! Checks that the hook that git runs leads to this program, and that the files around it are in
//! order.

use std::time::Duration;

use super::super::managers::Manager;
use super::super::manifest::Original;
use super::super::probe;
use super::super::site::{HookFile, HooksDirKind, InstallError, Owner, POINTER, Site};
use super::{Finding, Weight, file};
use crate::git::hooks;
use crate::git::plumbing::PlumbingError;
use crate::model::ids::Sha256;
use crate::model::path::shown;
use crate::model::run::End;
use crate::model::shell::word;
use crate::sys::folder::{Folder, Standing, executable, real};
use crate::sys::process::Answer;

/// How long a hook may take when nothing is pushed.
const LIMIT: Duration = Duration::from_secs(5);

/// Since then, `git hook run` hands input to a hook.
const HOOK_RUN: (u32, u32) = (2, 40);

pub(super) const INSTALL: &str = "git reins hooks install";

const PRINT: &str = "git reins hooks install --print";

/// Everything about the hooks themselves.
pub(super) fn findings(site: &Site) -> Result<Vec<Finding>, InstallError> {
    let mut findings: Vec<_> = pointer(site).into_iter().collect();
    findings.extend(disabled(site)?);
    for hook_file in &site.hook_files {
        findings.extend(file::findings(hook_file));
        let kept: Vec<_> = file::kept(hook_file)
            .into_iter()
            .chain(kept(site, hook_file))
            .collect();
        let stuck = kept.iter().find(|finding| finding.weight == Weight::Fault);
        let remedy = stuck.map_or_else(|| edit(hook_file), |finding| finding.fix.clone());
        findings.extend(kept);
        let fired = fire(site, hook_file)?;
        findings.extend(shadowed(site, hook_file, &fired)?);
        findings.extend(ownership(site, hook_file, &fired, remedy));
        findings.extend(worktrees(site, hook_file)?);
    }
    Ok(findings)
}

/// What came of running the hook.
enum Fired {
    /// We answered.
    Ours {
        /// How the hook ended.
        end: End,
        /// What it said.
        said: String,
    },
    /// We did not.
    Silent(Answer),
    /// There is nothing to run.
    Nothing,
}

/// Runs the hook as git would, with empty input.
fn fire(site: &Site, hook_file: &HookFile) -> Result<Fired, InstallError> {
    if hook_file.hook == Standing::Nothing {
        return Ok(Fired::Nothing);
    }
    let question =
        Sha256::of(hook_file.path().as_os_str().as_encoded_bytes()).to_string()[..16].to_owned();
    let args = ["doctor", "https://doctor.invalid/"];
    let asked = (probe::VARIABLE, question.as_str());
    let ended = match hooks::version(&site.place)? {
        version if version >= HOOK_RUN => {
            hooks::fire(&site.place, (hook_file.event.name(), &args), asked, LIMIT)
        }
        _ => hooks::fire_file(&site.place, (&hook_file.path(), &args), asked, LIMIT),
    };
    let ended = match ended {
        Ok(ended) => ended,
        // what git itself reports as a hook that cannot be run
        Err(PlumbingError::Start(error)) => Answer {
            end: End::NotStarted(error.to_string()),
            said: error.to_string(),
        },
        Err(error) => return Err(error.into()),
    };
    let mark = format!(" answers {question} for {}", hook_file.event.name());
    let Answer { end, said } = ended;
    Ok(
        match said
            .lines()
            .any(|line| line.starts_with("git-reins ") && line.ends_with(&mark))
        {
            true => Fired::Ours {
                end,
                said: without(&said, &mark),
            },
            false => Fired::Silent(Answer { end, said }),
        },
    )
}

fn without(said: &str, mark: &str) -> String {
    said.lines()
        .filter(|line| !line.ends_with(mark))
        .map(|line| format!("{line}\n"))
        .collect()
}

fn ownership(site: &Site, hook_file: &HookFile, fired: &Fired, remedy: String) -> Vec<Finding> {
    let path = path(hook_file);
    let owner = site.owner(hook_file);
    let answers = "an answer of git-reins, exit 0";
    let mut findings = Vec::new();
    match fired {
        Fired::Nothing => {
            let fix = repair(site, hook_file);
            findings.push(Finding::fault(
                "hook-missing",
                format!("nothing at {path}"),
                "a hook",
                fix,
            ));
        }
        Fired::Ours {
            end: End::Exit(0), ..
        } => {}
        Fired::Ours {
            end: End::Timeout, ..
        } => findings.push(Finding::fault(
            "hook-slow",
            format!("{path} takes more than 5 s when nothing is pushed; git-reins answers at once"),
            answers,
            edit(hook_file),
        )),
        Fired::Ours { end, said } => findings.push(Finding::fault(
            "hook-refuses",
            format!(
                "{path} leaves with {} when nothing is pushed{}",
                number(end.code()),
                last_words(said)
            ),
            answers,
            remedy,
        )),
        Fired::Silent(ended) => findings.extend(silent(site, hook_file, owner, ended)),
    }
    let answered = matches!(fired, Fired::Ours { .. });
    match owner {
        Owner::Older => findings.push(Finding::fault(
            "hook-older",
            format!("{path} is of an older git-reins"),
            "the hook of this version",
            INSTALL,
        )),
        Owner::Later => findings.push(Finding::fault(
            "version-skew",
            format!(
                "{path} is of a later git-reins than this {}",
                probe::VERSION
            ),
            "one version",
            "install the later git-reins",
        )),
        Owner::Edited => findings.push(Finding::fault(
            "hook-edited",
            format!("{path} is a hook of ours that somebody edited"),
            "the hook as it was installed",
            "git reins hooks install --force",
        )),
        Owner::Foreign | Owner::Managed(_) if site.record(hook_file).is_some() && !answered => {
            findings.push(Finding::fault(
                "hook-taken-over",
                format!(
                    "{path} was ours, and another installer put its own there ({})",
                    super::super::status::word(owner)
                ),
                "a hook that leads to git-reins",
                repair(site, hook_file),
            ));
        }
        Owner::Nobody | Owner::Ours | Owner::Managed(_) | Owner::Foreign | Owner::NoFile(_) => {}
    }
    findings
}

/// A hook that we did not answer from.
fn silent(site: &Site, hook_file: &HookFile, owner: Owner, answer: &Answer) -> Option<Finding> {
    let path = path(hook_file);
    if let Owner::Managed(manager) = owner
        && manager.swallows_input()
        && site.tells(manager, hook_file.event)
    {
        let seen = format!(
            "{} runs the hooks and is told to run git-reins, which empty input cannot show",
            manager.name()
        );
        let fix = format!(
            "{} run --hook-stage pre-push git-reins-pre-push",
            manager.name()
        );
        return Some(
            Finding::fault("manager-unproven", seen, "an answer of git-reins", fix).note(),
        );
    }
    let fix = repair(site, hook_file);
    let seen = match &answer.end {
        End::Timeout => format!("{path} says nothing within 5 s"),
        end => {
            format!(
                "{path} leaves with {}, and git-reins did not answer{}",
                number(end.code()),
                last_words(&answer.said)
            )
        }
    };
    Some(Finding::fault(
        "hook-silent",
        seen,
        "an answer of git-reins, exit 0",
        fix,
    ))
}

/// The one command that lets the hook which git runs lead to us. A manager in charge stays in charge.
fn repair(site: &Site, hook_file: &HookFile) -> String {
    let is_there = site.hooks_dir_kind != HooksDirKind::Missing;
    match site.manager(hook_file) {
        Some(Manager::Husky) if !is_there => "npx husky".to_owned(),
        Some(_) => PRINT.to_owned(),
        None if !is_there => site.unset().unwrap_or_default(),
        None if site.is_writable() => INSTALL.to_owned(),
        None => PRINT.to_owned(),
    }
}

fn edit(hook_file: &HookFile) -> String {
    let path = if hook_file.kept == Standing::Nothing {
        hook_file.path()
    } else {
        hook_file.kept_path()
    };
    format!(
        "${{EDITOR:-vi}} {}",
        word(&shown(&path.display().to_string()))
    )
}

/// The worktrees in which git looks for hooks of their own, and finds none of ours.
fn worktrees(site: &Site, hook_file: &HookFile) -> Result<Vec<Finding>, InstallError> {
    let Some(value) = site.each_worktree() else {
        return Ok(Vec::new());
    };
    let mut findings = Vec::new();
    for place in hooks::worktrees(&site.place)? {
        if Folder::open(&place)?.is_none() {
            continue; // it is gone, and git has not noticed
        }
        let there = HookFile::look(&place.join(value), hook_file.event)?;
        let is_ours = matches!(
            site.owner(&there),
            Owner::Ours | Owner::Older | Owner::Later
        );
        if is_ours || real(&there.directory) == real(&hook_file.directory) {
            continue;
        }
        let (at, directory) = (
            place.display().to_string(),
            there.directory.display().to_string(),
        );
        let seen = format!(
            "nothing of ours at {}: the worktree {at} is not judged",
            path(&there)
        );
        let fix = format!(
            "mkdir -p {} && git -C {} reins hooks install",
            word(&directory),
            word(&at)
        );
        findings.push(
            Finding::fault(
                "worktree-without-hook",
                seen,
                "our hook in each worktree",
                fix,
            )
            .note(),
        );
    }
    Ok(findings)
}

fn number(code: Option<i32>) -> String {
    code.map_or("a signal".to_owned(), |code| code.to_string())
}

fn last_words(said: &str) -> String {
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    last.map_or(String::new(), |line| format!(": {}", line.trim()))
}

/// The hook that ours runs first.
fn kept(site: &Site, hook_file: &HookFile) -> Option<Finding> {
    let recorded = site.record(hook_file)?.original.as_ref();
    let kept = shown(&hook_file.kept_path().display().to_string());
    let expected = "the hook that stood there before";
    match (recorded, Original::of(&hook_file.kept)) {
        (None, None) => None,
        (Some(_), None) => {
            let fix = format!("git reins hooks uninstall && {INSTALL}");
            Some(Finding::fault(
                "chained-missing",
                format!("{kept} is gone: every push is refused"),
                expected,
                fix,
            ))
        }
        (recorded, Some(now)) if recorded != Some(&now) => Some(Finding::fault(
            "chained-changed",
            format!("{kept} is not what it was"),
            expected,
            INSTALL,
        )),
        (_, Some(_)) if !executable(&hook_file.kept_path()) => {
            let seen = format!("{kept} is not executable, so it is kept and not run");
            Some(
                Finding::fault(
                    "chained-not-executable",
                    seen,
                    expected,
                    format!("chmod +x {}", word(&kept)),
                )
                .note(),
            )
        }
        (_, Some(_)) => None,
    }
}

/// A hook of ours in the default directory, where git does not look: harmless where what git runs
/// leads to us anyway.
fn shadowed(
    site: &Site,
    hook_file: &HookFile,
    fired: &Fired,
) -> Result<Option<Finding>, InstallError> {
    let Some(setting) = &site.setting else {
        return Ok(None);
    };
    let default = HookFile::look(&site.common.join("hooks"), hook_file.event)?;
    if !matches!(site.owner(&default), Owner::Ours | Owner::Older) {
        return Ok(None);
    }
    let seen = format!(
        "{} is ours, and core.hooksPath ({}, {}) lets git look in {}",
        path(&default),
        setting.scope,
        setting.origin,
        hook_file.directory.display()
    );
    let is_told = site
        .manager(hook_file)
        .is_some_and(|manager| site.tells(manager, hook_file.event));
    Ok(match matches!(fired, Fired::Ours { .. }) || is_told {
        true if site.record(hook_file).is_some() => None, // ours is in both places
        true => {
            let fix = "git reins hooks uninstall";
            Some(Finding::fault("hook-shadowed", seen, "one hook that leads to us", fix).note())
        }
        false => Some(Finding::fault(
            "hook-shadowed",
            seen,
            "our hook where git looks",
            repair(site, hook_file),
        )),
    })
}

/// The link to the program.
fn pointer(site: &Site) -> Option<Finding> {
    let link = site.ours().join(POINTER);
    let at = shown(&link.display().to_string());
    let expected = "a link to a git-reins that can be run";
    match &site.pointer {
        Standing::Link { .. } if executable(&link) => None,
        Standing::Link { target } => {
            let seen = format!("{at} leads to {}, which cannot be run", target.display());
            Some(Finding::fault("program-gone", seen, expected, INSTALL))
        }
        Standing::Nothing if site.manifest.is_none() => None,
        Standing::Nothing => Some(Finding::fault(
            "program-gone",
            format!("nothing at {at}"),
            expected,
            INSTALL,
        )),
        Standing::File { .. } | Standing::Other { .. } => {
            let fix = format!("rm -r {} && {INSTALL}", word(&at));
            Some(Finding::fault(
                "program-gone",
                format!("{at} is no link"),
                expected,
                fix,
            ))
        }
    }
}

/// Hooks that newer gits run from configuration can be switched off there, the file's too.
fn disabled(site: &Site) -> Result<Vec<Finding>, InstallError> {
    let names = hooks::disabled(&site.place)?;
    let ours = |name: &&String| {
        site.hook_files
            .iter()
            .any(|hook_file| hook_file.event.name() == *name)
            || *name == "reins"
    };
    let found = names.iter().filter(ours).map(|name| {
        let seen = format!("hook.{name}.enabled is false");
        let fix = format!("git config --unset-all hook.{name}.enabled");
        Finding::fault(
            "hook-disabled",
            seen,
            "hooks that are not switched off",
            fix,
        )
    });
    Ok(found.collect())
}

pub(super) fn path(hook_file: &HookFile) -> String {
    shown(&hook_file.path().display().to_string())
}
