//! `git reins setup`

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, Context, Failure};
use crate::git::plumbing::GitPlace;
use crate::install::setup::{CloneSettings, Integration, State, Step};
use crate::install::site::InstallError;
use crate::model::path::{RepoPath, shown};
use crate::report::json;

/// Let git show and merge the ledgers of this clone row by row
///
/// Writes into the configuration of this repository and into its info/attributes, which no other
/// clone sees; without an option it says what is set up. Where the program is gone later, git
/// shows and merges the ledgers as text, as if nothing were set up.
#[derive(Debug, Args)]
pub struct Setup {
    /// git diff, log -p and show name the row of every change
    #[arg(long)]
    textconv: bool,
    /// git merge, rebase and cherry-pick conflict only over the same row
    #[arg(long)]
    merge_driver: bool,
    /// Take it back: both, or the one that is named
    #[arg(long)]
    undo: bool,
    /// Print the steps, and take none
    #[arg(long)]
    dry_run: bool,
    /// Answer in JSON
    #[arg(long)]
    pub json: bool,
}

/// What was done, or would be, and how far the clone was told before.
#[derive(Serialize, JsonSchema)]
pub(super) struct Done {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Whether the steps were taken.
    done: bool,
    /// What was done, or would be.
    steps: Vec<String>,
    /// How far the clone is told of readable diffs; null when something was to be done.
    textconv: Option<State>,
    /// How far it is told of merges by row; null when something was to be done.
    merge_driver: Option<State>,
}

impl Setup {
    /// Does it.
    ///
    /// # Errors
    /// When there is no repository, no policy that says where the ledgers are, or when somebody
    /// else's settings stand in the way.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        if self.undo {
            let place = GitPlace::find(&context.dir, context.git_dir.as_deref())?;
            let clone = CloneSettings::look(&place)?;
            return self.finish(
                &clone,
                &clone.undo(&self.integrations(&Integration::ALL)),
                "taken back",
            );
        }
        let worktree = context.ledger_worktree()?;
        let (clone, ledgers) = (
            CloneSettings::look(&worktree.place)?,
            &worktree.policy.paths.ledger,
        );
        match self.integrations(&[]) {
            none if none.is_empty() => self.say(&clone, ledgers),
            some => self.finish(&clone, &clone.setup(&some, ledgers)?, "set up"),
        }
    }

    fn integrations(&self, otherwise: &[Integration]) -> Vec<Integration> {
        let is_named = |integration: &Integration| match integration {
            Integration::Textconv => self.textconv,
            Integration::MergeDriver => self.merge_driver,
        };
        let named: Vec<_> = Integration::ALL.into_iter().filter(is_named).collect();
        if named.is_empty() {
            otherwise.to_vec()
        } else {
            named
        }
    }

    fn finish(&self, clone: &CloneSettings, steps: &[Step], said: &str) -> Result<Answer, Failure> {
        if !self.dry_run {
            clone.carry_out(steps)?;
        }
        let lines: Vec<_> = steps.iter().map(ToString::to_string).collect();
        if self.json {
            let (textconv, merge_driver) = (None, None);
            let done = Done {
                schema: SCHEMA,
                done: !self.dry_run,
                steps: lines,
                textconv,
                merge_driver,
            };
            return Ok(Answer::done(json::print(&done), ""));
        }
        Ok(match (steps.is_empty(), self.dry_run) {
            (true, _) => Answer::done("", "unchanged"),
            (false, true) => Answer::done(
                lines.join("\n") + "\n",
                "nothing is written: this is the plan",
            ),
            (false, false) => Answer::done("", format!("{said}:\n  {}", lines.join("\n  "))),
        })
    }

    fn say(&self, clone: &CloneSettings, ledgers: &RepoPath) -> Result<Answer, Failure> {
        let state = |integration| {
            clone
                .state(integration, ledgers)
                .map_err(InstallError::from)
        };
        let (textconv, merge_driver) = (
            state(Integration::Textconv)?,
            state(Integration::MergeDriver)?,
        );
        if self.json {
            let (textconv, merge_driver) = (Some(textconv), Some(merge_driver));
            let done = Done {
                schema: SCHEMA,
                done: false,
                steps: Vec::new(),
                textconv,
                merge_driver,
            };
            return Ok(Answer::done(json::print(&done), ""));
        }
        let states = [
            (Integration::Textconv, textconv),
            (Integration::MergeDriver, merge_driver),
        ];
        Ok(Answer::done(
            states
                .map(|(integration, state)| line(clone, integration, state))
                .concat(),
            "",
        ))
    }
}

const SCHEMA: &str = "git-reins/setup/1";

fn line(clone: &CloneSettings, integration: Integration, state: State) -> String {
    let (name, purpose) = (integration.name(), integration.purpose());
    let said = match state {
        State::SetUp => format!("set up: {purpose}"),
        State::Absent => format!("not set up: git reins setup --{name}, and {purpose}"),
        State::Partial => {
            format!("set up in part, or overruled: git reins setup --{name} completes it")
        }
        State::Foreign => {
            let setting = clone.foreign(integration);
            let (key, origin) = setting.map_or(("", ""), |setting| (&setting.key, &setting.origin));
            format!("somebody else's: {} ({})", shown(key), shown(origin))
        }
    };
    format!("{name:12}  {said}\n")
}
