//! One file for each command: arguments, help text and function together; here is what they share.

use std::path::PathBuf;

use clap::{CommandFactory, Subcommand};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::Cli;
use crate::editing::Refused;
use crate::editing::ledger_worktree::{Desk, DeskError};
use crate::editing::plan::{Plan, PlanError};
use crate::exit::ExitStatus;
use crate::git::plumbing::PlumbingError;
use crate::git::worktree::CommitError;
use crate::ledger::file::FaultKind;
use crate::model::day::Day;
use crate::model::refusal::Code;
use crate::report::json;
use crate::sys::files::{FileError, Root};
use crate::sys::{clock, invocation};

mod adjudicate;
mod admit;
mod attempt;
mod check;
mod commit_ledgers;
mod completions;
mod demo;
mod diff;
mod doctor;
mod evaluate;
mod explain;
mod fixture;
mod fmt;
mod freeze;
mod hook;
mod hooks;
mod init;
mod judge;
mod man;
mod merge_driver;
mod oracle;
mod recompute;
mod reconcile;
mod replay;
mod report;
pub mod schema;
mod setup;
mod status;
mod supervise;
mod textconv;
mod witness;

/// The commands.
#[derive(Debug, Subcommand)]
#[expect(
    missing_docs,
    reason = "the help of a command is the doc of its own arguments"
)]
pub enum Command {
    Init(init::Init),
    Status(status::Status),
    /// Write the oracle ledger: which properties were selected before the diff
    #[command(subcommand, arg_required_else_help = true)]
    Oracle(oracle::Oracle),
    /// Write the fixture ledger: which bytes, base and image an epoch pins
    #[command(subcommand, arg_required_else_help = true)]
    Fixture(fixture::Fixture),
    /// Write the freeze ledger: which seeds are excluded until when
    #[command(subcommand, arg_required_else_help = true)]
    Freeze(freeze::Freeze),
    /// Put the hook in place that judges a push, or take it away
    #[command(subcommand, arg_required_else_help = true)]
    Hooks(hooks::Hooks),
    Doctor(doctor::Doctor),
    Check(check::Check),
    Admit(admit::Admit),
    Diff(diff::Diff),
    Report(report::Report),
    Recompute(recompute::Recompute),
    Judge(judge::Judge),
    Try(attempt::Try),
    Replay(replay::Replay),
    Adjudicate(adjudicate::Adjudicate),
    /// Answer git as one of its hooks
    #[command(subcommand, arg_required_else_help = true)]
    Hook(hook::Hook),
    Reconcile(reconcile::Reconcile),
    Fmt(fmt::Fmt),
    Setup(setup::Setup),
    Demo(demo::Demo),
    Explain(explain::Explain),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
    Textconv(textconv::Textconv),
    MergeDriver(merge_driver::MergeDriver),
    Supervise(supervise::Supervise),
}

impl Command {
    /// Does it.
    ///
    /// # Errors
    /// With everything that stands in the way.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        match self {
            Self::Init(command) => command.run(context),
            Self::Status(command) => command.run(context),
            Self::Oracle(command) => command.run(context),
            Self::Fixture(command) => command.run(context),
            Self::Freeze(command) => command.run(context),
            Self::Hooks(command) => command.run(context),
            Self::Doctor(command) => command.run(context),
            Self::Check(command) => command.run(context),
            Self::Admit(command) => command.run(context),
            Self::Diff(command) => command.run(context),
            Self::Report(command) => command.run(context),
            Self::Recompute(command) => command.run(context),
            Self::Judge(command) => command.run(context),
            Self::Try(command) => command.run(context),
            Self::Replay(command) => command.run(context),
            Self::Adjudicate(command) => command.run(context),
            Self::Hook(hook::Hook::Run(command)) => command.run(context),
            Self::Reconcile(command) => command.run(context),
            Self::Fmt(command) => command.run(context),
            Self::Demo(command) => command.run(context),
            Self::Explain(command) => command.run(),
            Self::Schema(command) => command.run(),
            Self::Setup(command) => command.run(context),
            Self::Completions(command) => command.run(Cli::command()),
            Self::Man(command) => command.run(context, Cli::command()),
            Self::Textconv(command) => command.run(),
            Self::MergeDriver(command) => command.run(context),
            Self::Supervise(command) => command.run(),
        }
    }

    /// What it is about to do, to complete "cannot ...".
    pub fn errand(&self) -> &'static str {
        match self {
            Self::Init(_) => "start",
            Self::Status(_) => "say where the branch stands",
            Self::Oracle(command) => command.errand(),
            Self::Fixture(command) => command.errand(),
            Self::Freeze(command) => command.errand(),
            Self::Recompute(_) => "recompute",
            Self::Judge(_) => "judge",
            Self::Try(_) => "try",
            Self::Replay(_) => "replay",
            Self::Adjudicate(_) => "adjudicate",
            Self::Hooks(command) => command.errand(),
            Self::Doctor(_) => "examine this clone",
            Self::Check(_) | Self::Admit(_) | Self::Hook(_) => "decide",
            Self::Diff(_) => "compare",
            Self::Report(_) => "report",
            Self::Reconcile(_) => "fold the verdicts",
            Self::Fmt(_) => "format the ledgers",
            Self::Demo(_) => "play the story",
            Self::Explain(_) => "explain",
            Self::Schema(_) => "print the schema",
            Self::Setup(_) => "tell git about the ledgers",
            Self::Completions(_) => "print the completions",
            Self::Man(_) => "write the manual",
            Self::Textconv(_) => "show the ledger",
            Self::MergeDriver(_) => "merge the ledger",
            Self::Supervise(_) => "supervise",
        }
    }

    /// Whether it answers in JSON.
    pub fn json(&self) -> bool {
        match self {
            Self::Status(command) => command.json,
            Self::Oracle(command) => command.json(),
            Self::Freeze(command) => command.json(),
            Self::Explain(command) => command.json,
            Self::Hooks(command) => command.json(),
            Self::Doctor(command) => command.json,
            Self::Check(command) => command.json,
            Self::Admit(command) => command.json,
            Self::Diff(command) => command.json,
            Self::Report(command) => command.json(),
            Self::Recompute(command) => command.json,
            Self::Judge(command) => command.json,
            Self::Try(command) => command.json,
            Self::Replay(command) => command.json,
            Self::Adjudicate(command) => command.json,
            Self::Reconcile(command) => command.json,
            Self::Fixture(command) => command.json(),
            Self::Setup(command) => command.json,
            Self::Init(_)
            | Self::Hook(_)
            | Self::Fmt(_)
            | Self::Demo(_)
            | Self::Schema(_)
            | Self::Completions(_)
            | Self::Man(_)
            | Self::Textconv(_)
            | Self::MergeDriver(_)
            | Self::Supervise(_) => false,
        }
    }
}

/// Where the caller stands and what day it is.
#[derive(Clone, Debug)]
pub struct Context {
    /// The directory, after every `-C`.
    pub dir: PathBuf,
    /// The git directory, when one was named.
    pub git_dir: Option<PathBuf>,
    /// Today, read once.
    pub today: Day,
}

impl Context {
    /// Reads the current directory and the clock.
    ///
    /// # Errors
    /// When there is no such directory.
    pub fn new(changes: &[PathBuf], git_dir: Option<PathBuf>) -> Result<Self, Failure> {
        let here = invocation::directory(changes);
        let dir = here
            .map_err(|error| Failure::new(format!("the directory cannot be entered: {error}")))?;
        Ok(Self {
            git_dir: git_dir.map(|git_dir| dir.join(git_dir)),
            dir,
            today: clock::today(),
        })
    }

    /// The worktree and its policy.
    ///
    /// # Errors
    /// When there is none.
    pub fn desk(&self) -> Result<Desk, Failure> {
        Ok(Desk::open(&self.dir, self.git_dir.as_deref())?)
    }
}

/// What a command has to say, and the number it leaves with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The number.
    pub status: ExitStatus,
    /// Data.
    pub stdout: String,
    /// Talk.
    pub stderr: String,
}

impl Answer {
    /// Done: data, and one line of talk.
    pub fn done(stdout: impl Into<String>, said: impl Into<String>) -> Self {
        let said = said.into();
        let stderr = if said.is_empty() { said } else { said + "\n" };
        Self {
            status: ExitStatus::Done,
            stdout: stdout.into(),
            stderr,
        }
    }

    /// Adds a line to the talk.
    pub fn note(mut self, note: &str) -> Self {
        self.stderr = format!("{}note: {note}\n", self.stderr);
        self
    }
}

/// Carries out a plan, or prints it.
///
/// # Errors
/// When a file cannot be written.
pub fn carry_out(root: &Root, plan: &Plan, dry_run: bool, said: String) -> Result<Answer, Failure> {
    if dry_run {
        return Ok(Answer::done(
            plan.diff(),
            "nothing is written: this is the plan",
        ));
    }
    plan.carry_out(root)?;
    Ok(Answer::done("", said))
}

/// Why a command did not do what was asked.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Why not.
    pub message: String,
    /// The code of the rule, when there is one.
    pub code: Option<Code>,
    /// What helps.
    pub fix: Option<String>,
    /// The number.
    pub status: ExitStatus,
}

const ERROR: &str = "git-reins/error/1";

/// Why there is no answer, in JSON.
#[derive(Serialize, JsonSchema)]
struct ErrorObject<'a> {
    #[schemars(extend("const" = ERROR))]
    schema: &'static str,
    /// The code of the rule, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code>,
    /// Why there is no answer.
    message: &'a str,
    /// What helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<&'a str>,
}

impl Failure {
    /// Nothing can be said: 128.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: None,
            fix: None,
            status: ExitStatus::Undecided,
        }
    }

    /// The failure as an answer: an object on stdout, or lines on stderr.
    pub fn answer(&self, errand: &str, json: bool) -> Answer {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        if json {
            let (code, message, fix) = (self.code, self.message.as_str(), self.fix.as_deref());
            stdout = json::print(&ErrorObject {
                schema: ERROR,
                code,
                message,
                fix,
            });
        } else {
            let code = self
                .code
                .map(|code| format!(" ({code})"))
                .unwrap_or_default();
            stderr = format!(
                "git-reins: cannot {errand}: {}{code}\n",
                self.message.trim_end()
            );
            stderr.extend(self.fix.iter().map(|fix| format!("hint: {fix}\n")));
        }
        Answer {
            status: self.status,
            stdout,
            stderr,
        }
    }

    fn refused(message: impl ToString, code: Option<Code>, fix: Option<String>) -> Self {
        Self {
            message: message.to_string(),
            code,
            fix,
            status: ExitStatus::Refused,
        }
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        Self::refused(&refused, refused.code, refused.fix.clone())
    }
}

impl From<PlumbingError> for Failure {
    fn from(error: PlumbingError) -> Self {
        match error.refusal() {
            Some((message, fix)) => Self {
                fix: Some(fix),
                ..Self::new(message)
            },
            None => Self::new(error.to_string()),
        }
    }
}

impl From<DeskError> for Failure {
    fn from(error: DeskError) -> Self {
        let message = error.to_string();
        match error {
            DeskError::Refused(refused) => refused.into(),
            DeskError::Ledger(_, fault) => {
                let code = match fault.kind {
                    FaultKind::Invalid => Code::LedgerInvalid,
                    FaultKind::PathUnsafe => Code::PathUnsafe,
                };
                let resolve = Some("git reins fmt --resolve")
                    .filter(|command| fault.expected.contains(command));
                Self::refused(
                    message,
                    Some(code),
                    Some(resolve.unwrap_or(code.entry().remedy).to_owned()),
                )
            }
            DeskError::NoLedger(path, name) => {
                let fix = match name.file_name() {
                    "fixture.json" => "git reins fixture pin --epoch NEW --runner-image auto",
                    _ => "git reins init",
                };
                Self::refused(
                    format!("{path} is missing"),
                    Some(Code::LedgerMissing),
                    Some(fix.to_owned()),
                )
            }
            DeskError::Path(_) => Self::refused(message, Some(Code::PathUnsafe), None),
            DeskError::Outside(_) => Self::refused(message, None, None),
            DeskError::NoPolicy => Self {
                fix: Some("git reins init".to_owned()),
                ..Self::new(message)
            },
            DeskError::Policy(_) => {
                let fix = Some("correct the named key".to_owned());
                Self {
                    code: Some(Code::PolicyInvalid),
                    fix,
                    ..Self::new(message)
                }
            }
            DeskError::File(FileError::NotRegular { .. }) => Self::refused(message, None, None),
            DeskError::Gate(error) => (*error).into(),
            DeskError::Git(_) | DeskError::Bare | DeskError::File(_) => Self::new(message),
        }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        match &error {
            PlanError::Changed(_) => {
                Self::refused(&error, None, Some("run the command again".to_owned()))
            }
            PlanError::File(_) => Self::new(error.to_string()),
        }
    }
}

impl From<CommitError> for Failure {
    fn from(error: CommitError) -> Self {
        let message = error.to_string();
        match error {
            CommitError::Open(open) => Self::refused(
                message,
                None,
                Some(format!("finish or abort the {open} first")),
            ),
            CommitError::Locked { .. } => {
                let fix = "wait for the other process; remove the lock only when it is dead";
                Self::refused(message, None, Some(fix.to_owned()))
            }
            CommitError::Git(PlumbingError::Failed { .. }) => Self::refused(message, None, None),
            CommitError::Bare
            | CommitError::Index { .. }
            | CommitError::NotPutBack { .. }
            | CommitError::Git(_) => Self::new(message),
        }
    }
}
