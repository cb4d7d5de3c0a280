//! The table of the commands, and what they share. Each command has a file with its arguments,
//! help text and function.

use std::path::PathBuf;

use clap::{CommandFactory, Subcommand};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::Cli;
use crate::editing::ledger_worktree::LedgerWorktree;
use crate::editing::plan::Plan;
use crate::exit::{ExitStatus, Explained, Explanation};
use crate::git::Repo;
use crate::judge::runner::TrialRunner;
use crate::model::day::Day;
use crate::model::refusal::Code;
use crate::report::json;
use crate::sandbox::interrupt::Interrupt;
use crate::sys::files::Root;
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

macro_rules! commands {
    (|$command:ident, $context:ident| $($(#[$attr:meta])* $name:ident($args:ty) $action:expr, json: $json:expr, run: $run:expr;)*) => {
        /// The commands.
        #[derive(Debug, Subcommand)]
        #[expect(
            missing_docs,
            reason = "the help of a command is the doc of its own arguments"
        )]
        pub enum Command {
            $($(#[$attr])* $name($args),)*
        }

        #[expect(
            unused_variables,
            reason = "not every entry reads its arguments or the context"
        )]
        impl Command {
            /// Runs the command.
            ///
            /// # Errors
            /// When the command cannot answer.
            pub fn run(&self, $context: &Context) -> Result<Answer, Failure> {
                match self {
                    $(Self::$name($command) => $run,)*
                }
            }

            /// What the command is about to do, to complete "cannot ...".
            pub fn action(&self) -> &'static str {
                match self {
                    $(Self::$name($command) => $action,)*
                }
            }

            /// Whether the command answers in JSON.
            pub fn json(&self) -> bool {
                match self {
                    $(Self::$name($command) => $json,)*
                }
            }
        }
    };
}

// One entry for each command: its arguments, what it does as completion of "cannot ...", whether
// it answers in JSON, and its function.
commands! { |command, context|
    Init(init::Init) "start", json: false, run: command.run(context);
    Status(status::Status) "say where the branch stands", json: command.json, run: command.run(context);
    /// Write the oracle ledger: which properties were selected before the diff
    #[command(subcommand, arg_required_else_help = true)]
    Oracle(oracle::Oracle) command.action(), json: command.json(), run: command.run(context);
    /// Write the fixture ledger: which bytes, base and image an epoch pins
    #[command(subcommand, arg_required_else_help = true)]
    Fixture(fixture::Fixture) command.action(), json: command.json(), run: command.run(context);
    /// Write the freeze ledger: which seeds are excluded until when
    #[command(subcommand, arg_required_else_help = true)]
    Freeze(freeze::Freeze) command.action(), json: command.json(), run: command.run(context);
    /// Put the hook in place that judges a push, or take it away
    #[command(subcommand, arg_required_else_help = true)]
    Hooks(hooks::Hooks) command.action(), json: command.json(), run: command.run(context);
    Doctor(doctor::Doctor) "examine this clone", json: command.json, run: command.run(context);
    Check(check::Check) "decide", json: command.json, run: command.run(context);
    Admit(admit::Admit) "decide", json: command.json, run: command.run(context);
    Diff(diff::Diff) "compare", json: command.json, run: command.run(context);
    Report(report::Report) "report", json: command.json(), run: command.run(context);
    Recompute(recompute::Recompute) "recompute", json: command.json, run: command.run(context);
    Judge(judge::Judge) "judge", json: command.json, run: command.run(context);
    Try(attempt::Try) "try", json: command.json, run: command.run(context);
    Replay(replay::Replay) "replay", json: command.json, run: command.run(context);
    Adjudicate(adjudicate::Adjudicate) "adjudicate", json: command.json, run: command.run(context);
    /// Answer git as one of its hooks
    #[command(subcommand, arg_required_else_help = true)]
    Hook(hook::Hook) "decide", json: false, run: {
        let hook::Hook::Run(run) = command;
        run.run(context)
    };
    Reconcile(reconcile::Reconcile) "fold the verdicts", json: command.json, run: command.run(context);
    Fmt(fmt::Fmt) "format the ledgers", json: false, run: command.run(context);
    Setup(setup::Setup) "tell git about the ledgers", json: command.json, run: command.run(context);
    Demo(demo::Demo) "play the story", json: false, run: command.run(context);
    Explain(explain::Explain) "explain", json: command.json, run: command.run();
    Schema(schema::Schema) "print the schema", json: false, run: command.run();
    Completions(completions::Completions) "print the completions", json: false, run: command.run(Cli::command());
    Man(man::Man) "write the manual", json: false, run: command.run(context, Cli::command());
    Textconv(textconv::Textconv) "show the ledger", json: false, run: command.run();
    MergeDriver(merge_driver::MergeDriver) "merge the ledger", json: false, run: command.run(context);
    Supervise(supervise::Supervise) "supervise", json: false, run: command.run();
}

/// The place of the caller, and today.
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

    /// The repository.
    ///
    /// # Errors
    /// When there is none.
    pub fn repo(&self) -> Result<Repo, Failure> {
        Ok(Repo::open(&self.dir, self.git_dir.as_deref())?)
    }

    /// What runs checks in this repository; `is_anew` as [`TrialRunner::is_anew`].
    fn runner<'a>(
        &self,
        repo: &'a Repo,
        interrupt: &'a Interrupt,
        is_anew: bool,
    ) -> TrialRunner<'a> {
        TrialRunner {
            repo,
            dir: self.dir.clone(),
            git_dir: self.git_dir.clone(),
            today: self.today,
            interrupt,
            is_anew,
        }
    }

    /// The worktree and its policy.
    ///
    /// # Errors
    /// When there is none.
    pub fn ledger_worktree(&self) -> Result<LedgerWorktree, Failure> {
        Ok(LedgerWorktree::open(&self.dir, self.git_dir.as_deref())?)
    }
}

/// Starts to catch the signals that ask a command to stop.
///
/// # Errors
/// When the system does not let us.
fn interrupt() -> Result<Interrupt, Failure> {
    Interrupt::watch().map_err(|error| Failure::new(format!("signals cannot be caught: {error}")))
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
    pub fn answer(&self, action: &str, json: bool) -> Answer {
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
                "git-reins: cannot {action}: {}{code}\n",
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

impl<E: Explained> From<E> for Failure {
    fn from(error: E) -> Self {
        let Explanation {
            message,
            code,
            fix,
            exit: status,
        } = error.explain();
        Self {
            message: message.unwrap_or_else(|| error.to_string()),
            code,
            fix,
            status,
        }
    }
}
