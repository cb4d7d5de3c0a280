//! `git reins fixture pin|verify|commit`

use std::str::FromStr;

use clap::{Args, Subcommand};

use super::commit_ledgers::{CommitFlags, nothing_open};
use super::evaluate::{Form, Range, answer, evaluation};
use super::{Answer, Context, Failure, carry_out};
use crate::decide::admit;
use crate::editing::fixture::{self, Said};
use crate::editing::ledger_worktree::LedgerWorktree;
use crate::editing::plan::Plan;
use crate::editing::{Refused, judged, landing};
use crate::git::worktree;
use crate::ledger::fixture::FixtureLedger;
use crate::model::ids::CommitId;
use crate::model::image::{RunnerImage, RunnerImageError};
use crate::model::path::shown;
use crate::report::phrases::counted;
use crate::sys::image;

/// Which bytes, base and image an epoch pins.
#[derive(Debug, Subcommand)]
pub enum Fixture {
    /// Pin every file under paths.fixtures, the base and the runner image under a name
    Pin(Pin),
    /// Digest the fixture files of a commit again and compare them with its ledger
    Verify(Verify),
    /// Commit the fixture ledger, and nothing else
    ///
    /// Refuses when HEAD does not hold the bytes that are pinned: they are committed first.
    Commit(CommitFlags),
}

/// The arguments of `fixture pin`.
#[derive(Debug, Args)]
pub struct Pin {
    /// The name of the epoch
    #[arg(long, value_name = "ID")]
    epoch: String,
    /// The image that loads the bytes: oci-digest:sha256:.., nix:.., gha:.., host:.., or auto
    #[arg(long, value_name = "ID")]
    runner_image: Choice,
    /// The base; by default where the branch left the protected line
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Print what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// The arguments of `fixture verify`.
#[derive(Debug, Args)]
pub struct Verify {
    /// The commit
    #[arg(value_name = "REV", default_value = "HEAD")]
    revision: String,
    /// Print the findings as a decision in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Debug)]
enum Choice {
    Auto,
    Given(RunnerImage),
}

impl FromStr for Choice {
    type Err = RunnerImageError;

    fn from_str(text: &str) -> Result<Self, RunnerImageError> {
        if text == "auto" {
            Ok(Self::Auto)
        } else {
            text.parse().map(Self::Given)
        }
    }
}

impl Fixture {
    /// Does it.
    ///
    /// # Errors
    /// When the worktree cannot be read, or a rule stands against it.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        match self {
            Self::Pin(command) => command.run(&context.ledger_worktree()?),
            Self::Verify(command) => command.run(context),
            Self::Commit(flags) => commit(flags, &context.ledger_worktree()?),
        }
    }

    /// To complete "cannot ...".
    pub fn action(&self) -> &'static str {
        match self {
            Self::Pin(_) => "pin the fixtures",
            Self::Verify(_) => "verify the fixtures",
            Self::Commit(_) => "commit the fixture ledger",
        }
    }

    /// Whether it answers in JSON.
    pub fn json(&self) -> bool {
        matches!(self, Self::Verify(command) if command.json)
    }
}

impl Verify {
    fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let range = Range::parse(Some(&self.revision))?;
        let form = Form {
            admitted: "match",
            as_json: self.json,
        };
        let evaluation = evaluation(context, &range, context.today)?;
        Ok(answer(&admit::verify(&evaluation)?, form))
    }
}

impl Pin {
    fn run(&self, worktree: &LedgerWorktree) -> Result<Answer, Failure> {
        if self.epoch.trim().is_empty() {
            return Err(Refused::new("the epoch is blank").into());
        }
        let opened = worktree.ledger::<FixtureLedger>()?;
        let (image, note) = self.image();
        let residual_risk = opened
            .ledger
            .as_ref()
            .map(|old| old.residual_risk.clone())
            .unwrap_or_default();
        let said = Said {
            epoch: self.epoch.clone(),
            base: self.base(worktree)?,
            image,
            residual_risk,
        };
        let after = fixture::pinned(said, fixture::worktree_files(worktree)?);
        if let Some(used) = landing::at_head::<FixtureLedger>(worktree)? {
            fixture::epoch_is_free(&used, &after)?;
        }
        let plan = Plan::new([opened.becomes(&after)?]);
        let next = "git reins fixture commit";
        let files = counted(after.files.len(), "fixture file");
        let said = match plan.is_empty() {
            true => format!("epoch {} is pinned already; next: {next}", self.epoch),
            false => {
                format!("pinned {files} as epoch {}; next: {next}", self.epoch)
            }
        };
        let mut answer = carry_out(&worktree.root, &plan, self.dry_run, said)?;
        if after.files.is_empty() {
            answer = answer
                .note("no file lies under paths.fixtures: the epoch pins base and image alone");
        }
        Ok(note.map_or(answer.clone(), |note| answer.note(&note)))
    }

    fn image(&self) -> (RunnerImage, Option<String>) {
        match &self.runner_image {
            Choice::Given(image) => (image.clone(), None),
            Choice::Auto => {
                let measured = image::measure();
                let note = format!("{} is {}", measured.image, measured.meaning);
                (measured.image, Some(note))
            }
        }
    }

    fn base(&self, worktree: &LedgerWorktree) -> Result<CommitId, Failure> {
        let refused =
            |message: String| Failure::from(Refused::new(message).fix("name a commit: --base REV"));
        match &self.base {
            Some(named) => worktree::commit_id(&worktree.place, named)?
                .ok_or_else(|| refused(format!("'{}' names no commit", shown(named)))),
            None => judged::branch(worktree)?.base.ok_or_else(|| {
                refused("the branch shares no commit with a protected line".to_owned())
            }),
        }
    }
}

fn commit(flags: &CommitFlags, worktree: &LedgerWorktree) -> Result<Answer, Failure> {
    nothing_open(worktree)?;
    let opened = worktree.ledger::<FixtureLedger>()?;
    let ledger = opened.required()?;
    let entries = landing::ledger_entry(&opened.path, worktree::status(&worktree.place)?)?;
    fixture::head_holds(worktree, ledger)?;
    flags.commit(
        worktree,
        &entries,
        &landing::fixture_message(ledger),
        "git reins check",
    )
}
