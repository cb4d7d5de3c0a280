//! `git reins setup`

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, Context, Failure};
use crate::git::plumbing::GitPlace;
use crate::install::setup::{Comfort, Scene, State, Step};
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
            let scene = Scene::look(&place)?;
            return self.finish(
                &scene,
                &scene.undo(&self.comforts(&Comfort::ALL)),
                "taken back",
            );
        }
        let desk = context.desk()?;
        let (scene, ledgers) = (Scene::look(&desk.place)?, &desk.policy.paths.ledger);
        match self.comforts(&[]) {
            none if none.is_empty() => self.say(&scene, ledgers),
            some => self.finish(&scene, &scene.setup(&some, ledgers)?, "set up"),
        }
    }

    fn comforts(&self, otherwise: &[Comfort]) -> Vec<Comfort> {
        let is_named = |comfort: &Comfort| match comfort {
            Comfort::Textconv => self.textconv,
            Comfort::MergeDriver => self.merge_driver,
        };
        let named: Vec<_> = Comfort::ALL.into_iter().filter(is_named).collect();
        if named.is_empty() {
            otherwise.to_vec()
        } else {
            named
        }
    }

    fn finish(&self, scene: &Scene, steps: &[Step], said: &str) -> Result<Answer, Failure> {
        if !self.dry_run {
            scene.carry_out(steps)?;
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

    fn say(&self, scene: &Scene, ledgers: &RepoPath) -> Result<Answer, Failure> {
        let state = |comfort| scene.state(comfort, ledgers).map_err(InstallError::from);
        let (textconv, merge_driver) = (state(Comfort::Textconv)?, state(Comfort::MergeDriver)?);
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
            (Comfort::Textconv, textconv),
            (Comfort::MergeDriver, merge_driver),
        ];
        Ok(Answer::done(
            states
                .map(|(comfort, state)| line(scene, comfort, state))
                .concat(),
            "",
        ))
    }
}

const SCHEMA: &str = "git-reins/setup/1";

fn line(scene: &Scene, comfort: Comfort, state: State) -> String {
    let (name, purpose) = (comfort.name(), comfort.purpose());
    let said = match state {
        State::SetUp => format!("set up: {purpose}"),
        State::Absent => format!("not set up: git reins setup --{name}, and {purpose}"),
        State::Partial => {
            format!("set up in part, or overruled: git reins setup --{name} completes it")
        }
        State::Foreign => {
            let setting = scene.foreign(comfort);
            let (key, origin) = setting.map_or(("", ""), |setting| (&setting.key, &setting.origin));
            format!("somebody else's: {} ({})", shown(key), shown(origin))
        }
    };
    format!("{name:12}  {said}\n")
}
