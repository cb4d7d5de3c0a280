//! Describes the hook that git runs: its owner, and the hook that it runs first.

use schemars::JsonSchema;
use serde::Serialize;

use super::manifest::{Kind, Original};
use super::site::{HookFile, Owner, POINTER, Site};
use crate::model::path::shown;
use crate::sys::folder::{Standing, executable};

const SCHEMA: &str = "git-reins/hooks-status/1";

/// The answer of `hooks status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Status {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Whether each leads to us, as far as looking tells.
    pub healthy: bool,
    /// One for each event.
    pub hooks: Vec<Effective>,
    /// `core.hooksPath`, when it leads elsewhere than to the default.
    setting: Option<Setting>,
    /// The program that `reins/bin` leads to.
    program: Option<String>,
    /// Whether it can be run.
    program_runs: bool,
}

/// The hook that git runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Effective {
    /// The event, `pre-push` for one.
    event: &'static str,
    /// Where git looks for it.
    path: String,
    /// `nobody`, `ours`, `ours-older`, `ours-later`, `ours-edited`, the name of a manager,
    /// `foreign` or `no-file`.
    pub owner: &'static str,
    /// Whether git can run it.
    executable: bool,
    /// Whether it is ours, or a manager's that is told to run us.
    leads_to_us: bool,
    /// Whether ours was put there, and something else is there now.
    taken_over: bool,
    /// Whether we may write there.
    writable: bool,
    /// What it runs first.
    chained: Option<Kept>,
}

/// What ours runs first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Kept {
    /// Where it lies.
    path: String,
    /// What it is; null when it is gone.
    kind: Option<Kind>,
    /// Whether it can be run.
    executable: bool,
    /// Whether it is what stood there when ours was installed.
    intact: bool,
}

/// `core.hooksPath`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Setting {
    /// The scope, as git calls it.
    scope: String,
    /// The file that says so.
    origin: String,
    /// What it says.
    value: String,
}

/// The status of a site.
pub fn of(site: &Site) -> Status {
    let pointer = site.ours().join(POINTER);
    let program = match &site.pointer {
        Standing::Link { target } => Some(shown(&target.display().to_string())),
        Standing::Nothing | Standing::File { .. } | Standing::Other { .. } => None,
    };
    let hooks: Vec<_> = site
        .hook_files
        .iter()
        .map(|hook_file| effective(site, hook_file))
        .collect();
    Status {
        schema: SCHEMA,
        healthy: hooks.iter().all(|hook| hook.leads_to_us),
        hooks,
        setting: site.setting.as_ref().map(|setting| Setting {
            scope: setting.scope.clone(),
            origin: setting.origin.clone(),
            value: setting.value.clone(),
        }),
        program,
        program_runs: executable(&pointer),
    }
}

/// The word for an owner.
pub fn word(owner: Owner) -> &'static str {
    match owner {
        Owner::Nobody => "nobody",
        Owner::Ours => "ours",
        Owner::Older => "ours-older",
        Owner::Later => "ours-later",
        Owner::Edited => "ours-edited",
        Owner::Managed(manager) => manager.name(),
        Owner::Foreign => "foreign",
        Owner::NoFile(_) => "no-file",
    }
}

fn effective(site: &Site, hook_file: &HookFile) -> Effective {
    let kept = Original::of(&hook_file.kept);
    let recorded = site
        .record(hook_file)
        .and_then(|record| record.original.as_ref());
    let chained = (kept.is_some() || recorded.is_some()).then(|| Kept {
        path: shown(&hook_file.kept_path().display().to_string()),
        executable: executable(&hook_file.kept_path()),
        intact: kept.as_ref() == recorded,
        kind: kept.map(|kept| kept.kind),
    });
    let owner = site.owner(hook_file);
    let runs = hook_file.hook != Standing::Nothing && executable(&hook_file.path());
    let (leads_to_us, is_ours) = match owner {
        Owner::Ours | Owner::Older | Owner::Later => (runs, true),
        Owner::Edited => (false, true),
        Owner::Managed(manager) => (runs && site.tells(manager, hook_file.event), false),
        Owner::Nobody | Owner::Foreign | Owner::NoFile(_) => (false, false),
    };
    Effective {
        leads_to_us,
        taken_over: !is_ours && site.record(hook_file).is_some(),
        event: hook_file.event.name(),
        path: shown(&hook_file.path().display().to_string()),
        owner: word(owner),
        executable: runs,
        writable: site.is_writable(),
        chained,
    }
}

impl Status {
    /// The answer for people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for hook in &self.hooks {
            let runs = if hook.executable {
                "executable"
            } else {
                "not executable"
            };
            let state = match hook.owner == word(Owner::Nobody) {
                true => "not there; to put it there: git reins hooks install".to_owned(),
                false => format!("{}, {runs}", hook.owner),
            };
            text.push_str(&format!("{}: {} ({state})\n", hook.event, hook.path));
            if hook.taken_over {
                text.push_str("  ours was there, and is not any more\n");
            }
            if !hook.leads_to_us {
                text.push_str(
                    "  not ours, or not run: git reins doctor says what a push comes to\n",
                );
            }
            if let Some(kept) = &hook.chained {
                let state = if kept.intact {
                    "as it was"
                } else {
                    "not as it was"
                };
                let runs = if kept.executable {
                    "runs first"
                } else {
                    "does not run, not executable"
                };
                text.push_str(&format!("  before it: {} ({runs}, {state})\n", kept.path));
            }
        }
        if let Some(setting) = &self.setting {
            let value = shown(&setting.value);
            text.push_str(&format!(
                "core.hooksPath: {value} ({}, {})\n",
                setting.scope,
                shown(&setting.origin)
            ));
        }
        let program = self.program.as_deref().unwrap_or("none recorded");
        let runs = if self.program_runs {
            ""
        } else {
            " (cannot be run)"
        };
        text + &format!("program: {program}{runs}\n")
    }
}
