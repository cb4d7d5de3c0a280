//! `git reins oracle add|edit|pin|witness|clear|rm|list|commit`

use clap::{Args, Subcommand};

use super::commit_ledgers::{CommitFlags, nothing_open};
use super::witness::Witness;
use super::{Answer, Context, Failure, carry_out, evaluate};
use crate::editing::ledger_worktree::{LedgerWorktree, Opened};
use crate::editing::oracle::{self, Said};
use crate::editing::plan::Plan;
use crate::editing::{Refused, judged, landing};
use crate::evidence::branch::Branch;
use crate::git::worktree::{self, StatusEntry};
use crate::ledger::file::{LedgerName, print};
use crate::ledger::fixture::FixtureLedger;
use crate::ledger::freeze::FreezeLedger;
use crate::ledger::oracle::{OracleLedger, OracleRow};
use crate::model::ids::OracleId;
use crate::model::refusal::Code;
use crate::model::shell::word;

/// Which properties were selected before the diff.
#[derive(Debug, Subcommand)]
pub enum Oracle {
    /// Add a row: a property, where it was selected from, and the files it is made of
    Add(Add),
    /// Change what a row says
    Edit(Edit),
    /// Pin the property files to the bytes they have now
    Pin(Pin),
    /// Give a row a known-bad patch that its property has to fail on
    ///
    /// The patch changes code alone and applies to HEAD. It is kept in the ledger directory, and pinned.
    /// Each trial applies it to base: a property that does not fail there is smoke.
    Witness(Witness),
    /// Record who read a drafted row against the text it cites
    Clear(Clear),
    /// Take a row away
    Rm(Rm),
    /// List the rows
    List(List),
    /// Commit ledger and property files, and nothing else
    ///
    /// Refuses when anything else is changed or staged, when a new patch file lies in the
    /// worktree, or when the branch carries patch commits already.
    Commit(CommitFlags),
}

/// The arguments of `oracle add`.
#[derive(Debug, Args)]
pub struct Add {
    /// The id: a letter or digit, then letters, digits, '.', '_' or '-'
    id: OracleId,
    /// Where it was selected from: PATH#HEADING, issue:ID or a URL
    #[arg(long, value_name = "SOURCE")]
    source: String,
    /// The name of the property, as its check calls it
    #[arg(long, value_name = "NAME")]
    property: String,
    /// The files that the property is made of; the first one holds it
    #[arg(long = "file", value_name = "PATH", required = true, num_args = 1..)]
    files: Vec<String>,
    #[command(flatten)]
    details: Details,
}

/// The arguments of `oracle edit`.
#[derive(Debug, Args)]
pub struct Edit {
    /// The row
    id: OracleId,
    /// Where it was selected from: PATH#HEADING, issue:ID or a URL
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// The name of the property, as its check calls it
    #[arg(long, value_name = "NAME")]
    property: Option<String>,
    /// The files that the property is made of, instead of the present ones
    #[arg(long = "file", value_name = "PATH", num_args = 1..)]
    files: Vec<String>,
    #[command(flatten)]
    details: Details,
    /// Let the row score again
    #[arg(long, conflicts_with = "smoke")]
    score: bool,
}

/// What both take.
#[derive(Debug, Args)]
struct Details {
    /// The declared check that runs it; the only one when there is one
    #[arg(long, value_name = "ID")]
    check: Option<String>,
    /// What the property is tried on
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    inputs: Option<String>,
    /// What must hold
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    relation: Option<String>,
    /// What a failure looks like
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    witness: Option<String>,
    /// Keep the row as smoke: it runs, is shown and never scores
    #[arg(long)]
    smoke: bool,
    /// Who drafted it (a model's name): the row counts once it is cleared
    #[arg(long, value_name = "WHO")]
    drafted_by: Option<String>,
    /// Print what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// The arguments of `oracle pin`.
#[derive(Debug, Args)]
pub struct Pin {
    /// The row; all rows when none is named
    id: Option<OracleId>,
    /// Print what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// The arguments of `oracle clear`.
#[derive(Debug, Args)]
pub struct Clear {
    /// The row
    id: OracleId,
    /// The person who read it
    #[arg(long, value_name = "NAME")]
    by: String,
    /// Print what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// The arguments of `oracle rm`.
#[derive(Debug, Args)]
pub struct Rm {
    /// The row
    id: OracleId,
    /// Print what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// The arguments of `oracle list`.
#[derive(Debug, Args)]
pub struct List {
    /// Print the ledger itself, in canonical form
    #[arg(long)]
    json: bool,
}

pub(super) const NEXT: &str = "git reins oracle commit";

impl Oracle {
    /// Does it.
    ///
    /// # Errors
    /// When the worktree cannot be read, or a rule stands against the edit.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        if let Self::List(command) = self {
            return command.run(context);
        }
        let worktree = context.ledger_worktree()?;
        match self {
            Self::Add(command) => command.run(&worktree),
            Self::Edit(command) => command.run(&worktree),
            Self::Pin(command) => command.run(&worktree),
            Self::Witness(command) => command.run(context, &worktree),
            Self::Clear(command) => command.run(&worktree),
            Self::Rm(command) => command.run(&worktree),
            Self::List(command) => command.run(context),
            Self::Commit(flags) => commit(flags, &worktree),
        }
    }

    /// To complete "cannot ...".
    pub fn action(&self) -> &'static str {
        match self {
            Self::Add(_) => "add the oracle",
            Self::Edit(_) => "edit the oracle",
            Self::Pin(_) => "pin the property files",
            Self::Witness(_) => "keep the known-bad patch",
            Self::Clear(_) => "clear the oracle",
            Self::Rm(_) => "remove the oracle",
            Self::List(_) => "list the oracles",
            Self::Commit(_) => "commit the ledgers",
        }
    }

    /// Whether it answers in JSON.
    pub fn json(&self) -> bool {
        matches!(
            self,
            Self::List(List { json: true }) | Self::Witness(Witness { json: true, .. })
        )
    }
}

impl Add {
    fn run(&self, worktree: &LedgerWorktree) -> Result<Answer, Failure> {
        let opened = worktree.ledger::<OracleLedger>()?;
        oracle::check(&worktree.policy, self.details.check.as_deref())?;
        let (source, note) = oracle::source(worktree, &self.source)?;
        let files = oracle::property_files(worktree, &self.files)?;
        let said = Said {
            source: Some(source),
            property: Some(self.property.clone()),
            files: Some(files),
            ..self.details.said()
        };
        let authored = worktree::head(&worktree.place)?.map(|id| id.to_string());
        let after = oracle::add(
            opened.ledger.clone().unwrap_or_else(oracle::empty),
            &self.id,
            said,
            authored,
        )?;
        let next = self.details.next(&self.id);
        let said = format!("added oracle {} to {}; next: {next}", self.id, opened.path);
        let answer = write(worktree, &opened, &after, (self.details.dry_run, said))?;
        let notes = note.into_iter().chain(smoke(after.row(self.id.as_str())));
        Ok(notes.fold(answer, |answer, note| answer.note(&note)))
    }
}

impl Edit {
    fn run(&self, worktree: &LedgerWorktree) -> Result<Answer, Failure> {
        let opened = worktree.ledger::<OracleLedger>()?;
        if self.details.check.is_some() {
            oracle::check(&worktree.policy, self.details.check.as_deref())?;
        }
        let source = self
            .source
            .as_ref()
            .map(|source| oracle::source(worktree, source))
            .transpose()?;
        let (source, note) = source.map_or((None, None), |(source, note)| (Some(source), note));
        let files = if self.files.is_empty() {
            None
        } else {
            Some(oracle::property_files(worktree, &self.files)?)
        };
        let details = self.details.said();
        let score = if self.score {
            Some(true)
        } else {
            details.score
        };
        let said = Said {
            source,
            files,
            property: self.property.clone(),
            score,
            ..details
        };
        let after = oracle::edit(opened.required()?.clone(), &self.id, said)?;
        let said = format!(
            "changed oracle {}; next: {}",
            self.id,
            self.details.next(&self.id)
        );
        let answer = write(worktree, &opened, &after, (self.details.dry_run, said))?;
        let notes = note.into_iter().chain(smoke(after.row(self.id.as_str())));
        Ok(notes.fold(answer, |answer, note| answer.note(&note)))
    }
}

impl Details {
    fn said(&self) -> Said {
        Said {
            check: self.check.clone(),
            inputs: self.inputs.clone(),
            relation: self.relation.clone(),
            witness: self.witness.clone(),
            score: self.smoke.then_some(false),
            drafted_by: self.drafted_by.clone(),
            ..Said::default()
        }
    }

    fn next(&self, id: &OracleId) -> String {
        let drafted = self
            .drafted_by
            .as_ref()
            .map(|_| format!("git reins oracle clear {id} --by NAME"));
        drafted.unwrap_or(NEXT.to_owned())
    }
}

/// The note that a row without inputs, relation or witness gets.
fn smoke(row: Option<&OracleRow>) -> Option<String> {
    let missing = row
        .filter(|row| row.score != Some(false))?
        .missing_for_score();
    let flags: Vec<_> = missing
        .iter()
        .map(|name| format!("--{name} TEXT"))
        .collect();
    let id = &row?.oracle_id;
    let note = format!(
        "{id} is smoke and does not score: git reins oracle edit {id} {}",
        flags.join(" ")
    );
    (!missing.is_empty()).then_some(note)
}

impl Pin {
    fn run(&self, worktree: &LedgerWorktree) -> Result<Answer, Failure> {
        let opened = worktree.ledger::<OracleLedger>()?;
        let after = oracle::pin(opened.required()?.clone(), self.id.as_ref(), worktree)?;
        let changed = oracle::changes(opened.required()?, &after).changed;
        if changed.is_empty() {
            return Ok(Answer::done(
                "",
                format!("every pin is current; next: {NEXT}"),
            ));
        }
        write(
            worktree,
            &opened,
            &after,
            (
                self.dry_run,
                format!("pinned {}; next: {NEXT}", changed.join(", ")),
            ),
        )
    }
}

impl Clear {
    fn run(&self, worktree: &LedgerWorktree) -> Result<Answer, Failure> {
        let opened = worktree.ledger::<OracleLedger>()?;
        let after = oracle::clear(opened.required()?.clone(), &self.id, &self.by)?;
        write(
            worktree,
            &opened,
            &after,
            (
                self.dry_run,
                format!("cleared oracle {}; next: {NEXT}", self.id),
            ),
        )
    }
}

impl Rm {
    fn run(&self, worktree: &LedgerWorktree) -> Result<Answer, Failure> {
        let opened = worktree.ledger::<OracleLedger>()?;
        let after = oracle::remove(opened.required()?.clone(), &self.id)?;
        write(
            worktree,
            &opened,
            &after,
            (
                self.dry_run,
                format!("removed oracle {}; next: {NEXT}", self.id),
            ),
        )
    }
}

impl List {
    /// Lists the worktree's rows, in a bare repository those at HEAD.
    fn run(&self, context: &Context) -> Result<Answer, Failure> {
        match evaluate::bare(context)? {
            Some(material) => self.list(evaluate::rows(&material.oracle, LedgerName::Oracle)?),
            None => self.list(
                context
                    .ledger_worktree()?
                    .ledger::<OracleLedger>()?
                    .required()?,
            ),
        }
    }

    fn list(&self, ledger: &OracleLedger) -> Result<Answer, Failure> {
        if self.json {
            return Ok(Answer::done(print(ledger), ""));
        }
        let width = ledger
            .oracles
            .iter()
            .map(|row| row.oracle_id.len())
            .max()
            .unwrap_or_default();
        let line = |row: &OracleRow| {
            format!(
                "{:width$}  {:9}  {}  {}\n",
                row.oracle_id,
                state(row),
                row.property,
                row.source
            )
        };
        let empty = if ledger.oracles.is_empty() {
            "no oracles; next: git reins oracle add"
        } else {
            ""
        };
        Ok(Answer::done(
            ledger.oracles.iter().map(line).collect::<String>(),
            empty,
        ))
    }
}

fn state(row: &OracleRow) -> &'static str {
    match (row.scores(), row.is_independent()) {
        (false, _) => "smoke",
        (true, true) => "scored",
        (true, false) => "uncleared",
    }
}

fn write(
    worktree: &LedgerWorktree,
    opened: &Opened<OracleLedger>,
    after: &OracleLedger,
    (dry_run, said): (bool, String),
) -> Result<Answer, Failure> {
    let plan = Plan::new([opened.becomes(after)?]);
    match plan.is_empty() {
        true => Err(Refused::new("nothing would change").into()),
        false => carry_out(&worktree.root, &plan, dry_run, said),
    }
}

/// The commands that carry uncommitted ledgers to a branch that starts at the base, with the
/// property files of their rows that only this branch has committed.
fn on_a_branch_of_its_own(
    worktree: &LedgerWorktree,
    branch: &Branch,
    entries: &[StatusEntry],
    rows: &OracleLedger,
) -> Result<String, Failure> {
    let paths: Vec<_> = entries.iter().map(|entry| word(&entry.shown())).collect();
    let base = branch
        .base
        .map_or_else(|| "BASE".to_owned(), |base| base.short());
    let files = landing::committed_beside(worktree, branch, rows)?;
    let files: Vec<_> = files.iter().map(|file| word(file)).collect();
    let head = worktree::head(&worktree.place)?.filter(|_| !files.is_empty());
    let bring = head.map(|head| {
        format!(
            "git restore --source={} -- {} && ",
            head.short(),
            files.join(" ")
        )
    });
    Ok(format!(
        "git stash push --include-untracked -- {} && git switch -c oracle-rows {base} && git stash pop && {}git reins oracle commit",
        paths.join(" "),
        bring.unwrap_or_default()
    ))
}

fn commit(flags: &CommitFlags, worktree: &LedgerWorktree) -> Result<Answer, Failure> {
    nothing_open(worktree)?;
    let opened = worktree.ledger::<OracleLedger>()?;
    let after = opened.required()?;
    let fixture = worktree.ledger::<FixtureLedger>()?.ledger;
    worktree.ledger::<FreezeLedger>()?;
    let entries =
        landing::oracle_entries(&worktree.policy.paths, worktree::status(&worktree.place)?)?;
    let branch = judged::branch(worktree)?;
    if let Some(patch) = branch.patch.first() {
        let refused = Refused::new(format!(
            "the branch carries patch commits already ({})",
            patch.short()
        ));
        return Err(refused
            .code(Code::OracleNotIndependent)
            .fix(on_a_branch_of_its_own(worktree, &branch, &entries, after)?)
            .into());
    }
    let before = landing::at_head(worktree)?.unwrap_or_else(oracle::empty);
    let next = match fixture {
        Some(_) => "write the patch, then git reins check",
        None => "git reins fixture pin --epoch NEW --runner-image auto",
    };
    let stale = oracle::changes(after, &oracle::pin(after.clone(), None, worktree)?).changed;
    let answer = flags.commit(
        worktree,
        &entries,
        &landing::oracle_message(&before, after),
        next,
    )?;
    let note = format!(
        "{} pinned to other bytes: git reins oracle pin",
        stale.join(", ")
    );
    Ok(if stale.is_empty() {
        answer
    } else {
        answer.note(&note)
    })
}
