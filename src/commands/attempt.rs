//! `git reins try`

use std::fmt::Write as _;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, Context, Failure, interrupt};
use crate::exit::ExitStatus;
use crate::judge::try_property::Attempt;
use crate::model::ids::OracleId;
use crate::model::path::{shown, visible};
use crate::model::trial::{CheckRun, Enforced, Opened, Outcome};
use crate::report::{json, phrases, text};

/// Run the property of one row at HEAD, once for each seed, and write nothing
///
/// Exit 0 when every seed passes, 1 when one does anything else, 128 when it cannot be run.
#[derive(Debug, Args)]
pub struct Try {
    /// The row
    #[arg(value_name = "ID")]
    id: OracleId,
    /// Print the runs as JSON
    #[arg(long)]
    pub json: bool,
}

const SCHEMA: &str = "git-reins/try/1";

/// The runs as JSON.
#[derive(Serialize, JsonSchema)]
pub(super) struct Tried<'a> {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The row.
    #[schemars(with = "String")]
    property: &'a OracleId,
    /// The check that ran it.
    check: &'a str,
    /// Whether two seeds drew the same.
    ignores_seed: bool,
    /// What was enforced.
    enforced: Enforced,
    /// The check, when its runs could reach the network.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    online: &'a [String],
    /// One run for each seed.
    runs: Vec<Shown<'a>>,
}

/// One run as JSON.
#[derive(Serialize, JsonSchema)]
struct Shown<'a> {
    /// The seed.
    seed: Option<&'a str>,
    /// What came out.
    outcome: Outcome,
    /// `PROP_PASS` or `PROP_FAIL`.
    class: &'static str,
    /// What is said about it.
    note: &'a str,
    /// What it opened; null when nobody knows.
    opened: Option<&'a [Opened]>,
    /// How long it took.
    wall_ms: u64,
}

impl Try {
    /// Runs it.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let repo = context.repo()?;
        let interrupt = interrupt()?;
        let runner = context.runner(&repo, &interrupt, true);
        let attempt = runner.try_property(&self.id)?;
        let is_pass = |run: &CheckRun| run.outcome == Outcome::Pass;
        let passes = attempt.runs.iter().all(is_pass) && !attempt.ignores_seed;
        let status = if passes {
            ExitStatus::Done
        } else {
            ExitStatus::Refused
        };
        let stdout = if self.json {
            as_json(&attempt)
        } else {
            as_text(&attempt)
        };
        Ok(Answer {
            status,
            stdout,
            stderr: String::new(),
        })
    }
}

fn class(run: &CheckRun) -> &'static str {
    if run.outcome == Outcome::Pass {
        "PROP_PASS"
    } else {
        "PROP_FAIL"
    }
}

fn as_json(attempt: &Attempt) -> String {
    json::print(&Tried {
        schema: SCHEMA,
        property: &attempt.id,
        check: &attempt.check,
        ignores_seed: attempt.ignores_seed,
        enforced: attempt.enforced,
        online: &attempt.online,
        runs: attempt.runs.iter().map(shown_run).collect(),
    })
}

fn shown_run(run: &CheckRun) -> Shown<'_> {
    Shown {
        seed: run.seed.as_deref(),
        outcome: run.outcome,
        class: class(run),
        note: &run.details.note,
        opened: run.opened.as_deref(),
        wall_ms: run.details.wall_ms,
    }
}

fn as_text(attempt: &Attempt) -> String {
    let mut out = String::new();
    for run in &attempt.runs {
        let seed = shown(run.seed.as_deref().unwrap_or_default());
        let seconds = std::time::Duration::from_millis(run.details.wall_ms).as_secs_f64();
        let class = class(run);
        let _infallible = writeln!(out, "{class}  {} seed {seed}, {seconds:.1} s", attempt.id);
        let note = &run.details.note;
        if !note.is_empty() {
            let _infallible = writeln!(out, "  {}", visible(note));
        }
        let untraced = &run.details.untraced;
        match &run.opened {
            Some(opened) if opened.is_empty() => out.push_str("  opened no file of the tree\n"),
            Some(opened) => {
                let paths: Vec<_> = opened.iter().map(|file| file.path.as_str()).collect();
                text::fold(&mut out, "  opened ", "         ", &paths.join(", "));
            }
            None if untraced.is_empty() => {}
            None => text::fold(
                &mut out,
                "  opened ",
                "         ",
                &format!("unknown: {}", visible(untraced)),
            ),
        }
        let last = run
            .details
            .output
            .lines()
            .rev()
            .filter(|said| !said.trim().is_empty())
            .take(10);
        let last: Vec<_> = last.collect();
        if run.outcome != Outcome::Pass {
            last.iter()
                .rev()
                .for_each(|said| _ = writeln!(out, "  | {}", shown(said)));
        }
    }
    if attempt.ignores_seed {
        out.push_str("two seeds drew the same: the seed does nothing (seed-not-honoured)\n");
    }
    let _infallible = writeln!(
        out,
        "enforced: {}",
        phrases::enforced(&attempt.enforced, &attempt.online)
    );
    out
}
