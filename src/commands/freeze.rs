//! `git reins freeze add|rm|prune|list|commit`

use clap::{Args, Subcommand};

use super::landing::{CommitFlags, nothing_open};
use super::{Answer, Context, Failure, carry_out, judging};
use crate::authoring::desk::{Desk, Opened};
use crate::authoring::freeze::{self, Expiry, Facts, Said};
use crate::authoring::landing;
use crate::authoring::plan::Plan;
use crate::git::worktree;
use crate::ledger::field::text;
use crate::ledger::file::{LedgerName, print};
use crate::ledger::fixture::FixtureLedger;
use crate::ledger::freeze::{FreezeLedger, FreezeRow};
use crate::ledger::oracle::OracleLedger;
use crate::model::day::Day;

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
    /// Print what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
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
        let desk = context.desk()?;
        let opened = desk.ledger::<FreezeLedger>()?;
        match self {
            Self::Add(command) => command.run(&desk, &opened, context.today),
            Self::Rm(command) => command.run(&desk, &opened),
            Self::Prune(command) => command.run(&desk, &opened, context.today),
            Self::List(command) => command.run(context),
            Self::Commit(flags) => commit(flags, &desk, &opened),
        }
    }

    /// To complete "cannot ...".
    pub fn errand(&self) -> &'static str {
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
        matches!(self, Self::List(List { json: true }))
    }
}

impl Add {
    fn run(&self, desk: &Desk, opened: &Opened<FreezeLedger>, today: Day) -> Result<Answer, Failure> {
        let (oracles, fixture) = (desk.ledger::<OracleLedger>()?, desk.ledger::<FixtureLedger>()?);
        let facts =
            Facts { oracles: oracles.required()?, fixture: fixture.required()?, policy: &desk.policy, today };
        let said = Said {
            property: self.property.clone(),
            seed: self.seed.clone(),
            expires: self.expires,
            owner: self.owner.clone(),
            paths: self.paths.iter().map(|path| desk.path(path)).collect::<Result<_, _>>()?,
        };
        let before = opened.ledger.clone().unwrap_or_else(freeze::empty);
        let plan = Plan::new([opened.becomes(&freeze::add(before, said, facts)?)?]);
        let said = format!("froze seed {} of {}; next: {NEXT}", self.seed, self.property);
        carry_out(&desk.root, &plan, self.dry_run, said)
    }
}

impl Rm {
    fn run(&self, desk: &Desk, opened: &Opened<FreezeLedger>) -> Result<Answer, Failure> {
        let after = freeze::remove(opened.required()?.clone(), &self.property, self.seed.as_deref())?;
        let plan = Plan::new([opened.becomes(&after)?]);
        carry_out(
            &desk.root,
            &plan,
            self.dry_run,
            format!("removed the freeze of {}; next: {NEXT}", self.property),
        )
    }
}

impl Prune {
    fn run(&self, desk: &Desk, opened: &Opened<FreezeLedger>, today: Day) -> Result<Answer, Failure> {
        let before = opened.required()?;
        let after = freeze::prune(before.clone(), today);
        let (_, lost) = freeze::changes(before, &after);
        if lost.is_empty() {
            return Ok(Answer::done("", "no freeze has expired"));
        }
        let plan = Plan::new([opened.becomes(&after)?]);
        carry_out(&desk.root, &plan, self.dry_run, format!("removed {}; next: {NEXT}", lost.join(", ")))
    }
}

impl List {
    /// Lists the worktree's rows, in a bare repository those at HEAD.
    fn run(&self, context: &Context) -> Result<Answer, Failure> {
        match judging::bare(context)? {
            Some(material) => {
                self.list(judging::rows(&material.freezes, LedgerName::Freezes)?, context.today)
            }
            None => self.list(context.desk()?.ledger::<FreezeLedger>()?.required()?, context.today),
        }
    }

    fn list(&self, ledger: &FreezeLedger, today: Day) -> Result<Answer, Failure> {
        if self.json {
            return Ok(Answer::done(print(ledger), ""));
        }
        let rows = ledger.freezes.iter().enumerate();
        let rows: Vec<_> = rows.map(|(at, row)| (row.name(at), row)).collect();
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        let line = |(name, row): &(String, &FreezeRow)| {
            format!("{name:width$}  {}  {}\n", ends(row, today), text(&row.owner))
        };
        let empty = if rows.is_empty() { "nothing is frozen" } else { "" };
        Ok(Answer::done(rows.iter().map(line).collect::<String>(), empty))
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

fn commit(flags: &CommitFlags, desk: &Desk, opened: &Opened<FreezeLedger>) -> Result<Answer, Failure> {
    nothing_open(desk)?;
    let after = opened.required()?;
    let entries = landing::ledger_entry(&opened.path, worktree::status(&desk.place)?)?;
    let before = landing::at_head(desk)?.unwrap_or_else(freeze::empty);
    flags.commit(desk, &entries, &landing::freeze_message(&before, after), "git reins check")
}
