//! `git reins freeze add|rm|prune|list|commit`

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use schemars::JsonSchema;
use serde::Serialize;

use super::commit_ledgers::{CommitFlags, nothing_open};
use super::{Answer, Context, Failure, carry_out, evaluate};
use crate::editing::evidence::{self, Now};
use crate::editing::freeze::{self, Expiry, Facts, Said};
use crate::editing::ledger_worktree::{LedgerWorktree, Opened};
use crate::editing::plan::Plan;
use crate::editing::{Refused, landing};
use crate::git::{Repo, worktree};
use crate::judge::replay::kept;
use crate::ledger::field::text;
use crate::ledger::file::{LedgerName, print};
use crate::ledger::fixture::FixtureLedger;
use crate::ledger::freeze::{FreezeLedger, FreezeRow};
use crate::ledger::oracle::OracleLedger;
use crate::model::day::Day;
use crate::model::path::{shown, visible};
use crate::model::record;
use crate::model::replay::Replay;
use crate::model::shell::word;
use crate::report::json;
use crate::sys::files::{self, FileError};

/// Which seeds are excluded until when.
#[derive(Debug, Subcommand)]
pub enum Freeze {
    /// Exclude one seed of one property, observed unstable on base, until a day
    Add(Add),
    /// Take freezes away
    Rm(Rm),
    /// Take expired freezes away
    Prune(Prune),
    /// List the freezes
    List(List),
    /// Commit the freeze ledger, and nothing else
    Commit(CommitFlags),
}

/// The arguments of `freeze add`.
#[derive(Debug, Args)]
pub struct Add {
    /// The oracle row
    #[arg(long, value_name = "ID")]
    property: String,
    /// The seed that disagreed across runs on base
    #[arg(long, value_name = "SEED", allow_hyphen_values = true)]
    seed: String,
    /// The last day of the freeze: YYYY-MM-DD or +DAYS
    #[arg(long, value_name = "DAY", allow_hyphen_values = true)]
    expires: Expiry,
    /// The person or ticket that removes it
    #[arg(long, value_name = "OWNER")]
    owner: String,
    /// The code paths that may meet the instability: a miss of a patch that touches them is held
    #[arg(long, value_name = "PATH", num_args = 1..)]
    paths: Vec<String>,
    /// Write the evidence of a replay into the row: FILE is what `git reins replay --json` printed
    /// [default: the latest replay of this seed here]
    ///
    /// Refused unless the replay shows instability, on the base, epoch and image that the fixture
    /// ledger pins, under the policy and the property that stand now.
    #[arg(long, value_name = "FILE")]
    from_replay: Option<Option<PathBuf>>,
    /// Print what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the row as JSON
    #[arg(long)]
    json: bool,
}

const SCHEMA: &str = "git-reins/freeze-add/1";

/// The row as JSON.
#[derive(Serialize, JsonSchema)]
pub(super) struct Added<'a> {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The ledger.
    path: String,
    /// Whether it was written.
    written: bool,
    /// The row as it stands there.
    row: Option<&'a FreezeRow>,
}

/// The arguments of `freeze rm`.
#[derive(Debug, Args)]
pub struct Rm {
    /// The oracle row
    #[arg(long, value_name = "ID")]
    property: String,
    /// The seed; every seed when none is named
    #[arg(long, value_name = "SEED", allow_hyphen_values = true)]
    seed: Option<String>,
    /// Print what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// The arguments of `freeze prune`.
#[derive(Debug, Args)]
pub struct Prune {
    /// Print what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// The arguments of `freeze list`.
#[derive(Debug, Args)]
pub struct List {
    /// Print the ledger itself, in canonical form
    #[arg(long)]
    json: bool,
}

const NEXT: &str = "git reins freeze commit";

impl Freeze {
    /// Does it.
    ///
    /// # Errors
    /// When the worktree cannot be read, or a rule stands against the edit.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        if let Self::List(command) = self {
            return command.run(context);
        }
        let worktree = context.ledger_worktree()?;
        let opened = worktree.ledger::<FreezeLedger>()?;
        match self {
            Self::Add(command) => command.run(context, &worktree, &opened),
            Self::Rm(command) => command.run(&worktree, &opened),
            Self::Prune(command) => command.run(&worktree, &opened, context.today),
            Self::List(command) => command.run(context),
            Self::Commit(flags) => commit(flags, &worktree, &opened),
        }
    }

    /// To complete "cannot ...".
    pub fn action(&self) -> &'static str {
        match self {
            Self::Add(_) => "add the freeze",
            Self::Rm(_) => "remove the freeze",
            Self::Prune(_) => "prune the freezes",
            Self::List(_) => "list the freezes",
            Self::Commit(_) => "commit the freeze ledger",
        }
    }

    /// Whether it answers in JSON.
    pub fn json(&self) -> bool {
        matches!(
            self,
            Self::List(List { json: true }) | Self::Add(Add { json: true, .. })
        )
    }
}

impl Add {
    fn run(
        &self,
        context: &Context,
        worktree: &LedgerWorktree,
        opened: &Opened<FreezeLedger>,
    ) -> Result<Answer, Failure> {
        let (oracles, fixture) = (
            worktree.ledger::<OracleLedger>()?,
            worktree.ledger::<FixtureLedger>()?,
        );
        let today = context.today;
        let facts = Facts {
            oracles: oracles.required()?,
            fixture: fixture.required()?,
            policy: &worktree.policy,
            today,
        };
        let mut said = Said {
            property: self.property.clone(),
            seed: self.seed.clone(),
            expires: self.expires,
            owner: self.owner.clone(),
            paths: self
                .paths
                .iter()
                .map(|path| worktree.path(path))
                .collect::<Result<_, _>>()?,
            evidence: None,
        };
        freeze::bound(&said, facts)?;
        let note = self.take_evidence(context, facts, &mut said)?;
        let before = opened.ledger.clone().unwrap_or_else(freeze::empty);
        let after = freeze::add(before, said, facts)?;
        let plan = Plan::new([opened.becomes(&after)?]);
        let said = format!(
            "froze seed {} of {}; next: {NEXT}",
            shown(&self.seed),
            self.property
        );
        let mut answer = carry_out(&worktree.root, &plan, self.dry_run, said)?;
        if self.json {
            let row = after
                .freezes
                .iter()
                .find(|row| row.key() == (&self.property, &self.seed));
            let (path, written) = (opened.path.to_string(), !self.dry_run);
            answer.stdout = json::print(&Added {
                schema: SCHEMA,
                path,
                written,
                row,
            });
        }
        Ok(note.into_iter().fold(answer, Answer::note))
    }

    /// Lets a replay speak for the row; what should be said of its paths.
    fn take_evidence(
        &self,
        context: &Context,
        facts: Facts<'_>,
        said: &mut Said,
    ) -> Result<Option<&'static str>, Failure> {
        let Some(file) = &self.from_replay else {
            return Ok(None);
        };
        let repo = context.repo()?;
        let replay = self.replay(context, &repo, file.as_deref())?;
        let now = Now::at_head(&repo, facts.fixture, context.today)?;
        let now = now
            .map_err(|line| Failure::new(format!("{line} has no policy: it is not under reins")))?;
        let row = facts
            .oracles
            .row(&self.property)
            .ok_or_else(|| Failure::new("the row is gone"))?;
        let carried = evidence::of(&replay, (row, &self.seed), facts.fixture, &now)?;
        said.evidence = Some(carried.evidence);
        if !said.paths.is_empty() {
            let unknown =
                "which paths the runs opened is unknown: the row has those that were named";
            return Ok(carried.code.is_none().then_some(unknown));
        }
        let nameless = |message: &str| {
            Refused::new(message)
                .fix("name the code that may meet the instability: --paths PATH...")
        };
        said.paths = carried
            .code
            .ok_or_else(|| nameless("which paths the runs opened is unknown"))?;
        match said.paths.is_empty() {
            true => Err(nameless("the runs opened no code").into()),
            false => Ok(Some("the row has the code that the runs opened")),
        }
    }

    /// The replay that was named, or the latest one of this seed.
    fn replay(
        &self,
        context: &Context,
        repo: &Repo,
        file: Option<&Path>,
    ) -> Result<Replay, Failure> {
        let file_fault = |error: FileError| Failure::new(error.to_string());
        let seed = format!("seed {} of {}", shown(&self.seed), self.property);
        let (name, missing, read) = match file {
            Some(file) => {
                let name = visible(&file.display().to_string());
                let bytes = files::read_unlinked(&context.dir.join(file)).map_err(file_fault)?;
                (
                    name.clone(),
                    format!("there is no file {name}"),
                    bytes.map(|bytes| record::parse(&bytes)),
                )
            }
            None => (
                format!("what is kept of the replay of {seed}"),
                format!("no replay of {seed} is kept in this repository"),
                kept(repo.common_dir(), &self.property, &self.seed).map_err(file_fault)?,
            ),
        };
        let named = format!(
            "--property {} --seed {}",
            word(&self.property),
            word(&self.seed)
        );
        let refused =
            |message: String| Refused::new(message).fix(format!("git reins replay {named}"));
        let read = read.ok_or_else(|| refused(missing))?;
        Ok(read.map_err(|fault| refused(format!("{name} is no record of a replay: {fault}")))?)
    }
}

impl Rm {
    fn run(
        &self,
        worktree: &LedgerWorktree,
        opened: &Opened<FreezeLedger>,
    ) -> Result<Answer, Failure> {
        let after = freeze::remove(
            opened.required()?.clone(),
            &self.property,
            self.seed.as_deref(),
        )?;
        let plan = Plan::new([opened.becomes(&after)?]);
        carry_out(
            &worktree.root,
            &plan,
            self.dry_run,
            format!("removed the freeze of {}; next: {NEXT}", self.property),
        )
    }
}

impl Prune {
    fn run(
        &self,
        worktree: &LedgerWorktree,
        opened: &Opened<FreezeLedger>,
        today: Day,
    ) -> Result<Answer, Failure> {
        let before = opened.required()?;
        let after = freeze::prune(before.clone(), today);
        let (_, lost) = freeze::changes(before, &after);
        if lost.is_empty() {
            return Ok(Answer::done("", "no freeze has expired"));
        }
        let plan = Plan::new([opened.becomes(&after)?]);
        carry_out(
            &worktree.root,
            &plan,
            self.dry_run,
            format!("removed {}; next: {NEXT}", lost.join(", ")),
        )
    }
}

impl List {
    /// Lists the worktree's rows, in a bare repository those at HEAD.
    fn run(&self, context: &Context) -> Result<Answer, Failure> {
        match evaluate::bare(context)? {
            Some(material) => self.list(
                evaluate::rows(&material.freezes, LedgerName::Freezes)?,
                context.today,
            ),
            None => self.list(
                context
                    .ledger_worktree()?
                    .ledger::<FreezeLedger>()?
                    .required()?,
                context.today,
            ),
        }
    }

    fn list(&self, ledger: &FreezeLedger, today: Day) -> Result<Answer, Failure> {
        if self.json {
            return Ok(Answer::done(print(ledger), ""));
        }
        let rows = ledger.freezes.iter().enumerate();
        let rows: Vec<_> = rows.map(|(at, row)| (row.name(at), row)).collect();
        let width = rows
            .iter()
            .map(|(name, _)| name.len())
            .max()
            .unwrap_or_default();
        let line = |(name, row): &(String, &FreezeRow)| {
            format!(
                "{name:width$}  {}  {}\n",
                ends(row, today),
                text(&row.owner)
            )
        };
        let empty = if rows.is_empty() {
            "nothing is frozen"
        } else {
            ""
        };
        Ok(Answer::done(
            rows.iter().map(line).collect::<String>(),
            empty,
        ))
    }
}

fn ends(row: &FreezeRow, today: Day) -> String {
    let day = text(&row.expires_at);
    match day.parse::<Day>().map(|day| day.days_since(today)) {
        Ok(left) if left < 0 => format!("{day} (expired)"),
        Ok(left) => format!("{day} ({left} days left)"),
        Err(_) => "no valid day".to_owned(),
    }
}

fn commit(
    flags: &CommitFlags,
    worktree: &LedgerWorktree,
    opened: &Opened<FreezeLedger>,
) -> Result<Answer, Failure> {
    nothing_open(worktree)?;
    let after = opened.required()?;
    let entries = landing::ledger_entry(&opened.path, worktree::status(&worktree.place)?)?;
    let before = landing::at_head(worktree)?.unwrap_or_else(freeze::empty);
    flags.commit(
        worktree,
        &entries,
        &landing::freeze_message(&before, after),
        "git reins check",
    )
}
