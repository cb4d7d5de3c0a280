//! Describes what running tier 1 again showed. `reverify.json`, which lies beside the verdict it is
//! about.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ids::{CommitId, ObjectId, Sha256};
use super::record::{Record, RecordFault};
use super::serde_str;
use super::trial::Outcome;

/// The name of the JSON form of a [`Reverification`].
pub const REVERIFY_SCHEMA: &str = "git-reins/reverify/1";
/// Its file, beside `verdict.json`.
pub const REVERIFY_FILE: &str = "reverify.json";

const COMMIT: &str = "^([0-9a-f]{40}|[0-9a-f]{64})$";

/// Runs of tier 1 on a fresh tree of the graded commit, with a raised budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reverification {
    /// Always [`REVERIFY_SCHEMA`].
    #[schemars(extend("const" = REVERIFY_SCHEMA))]
    pub schema: String,
    /// SHA-256 of the bytes of the `verdict.json` that it is about.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = "^[0-9a-f]{64}$"))]
    pub verdict_sha256: Sha256,
    /// The task of that verdict.
    pub task_id: String,
    /// The graded commit.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = COMMIT))]
    pub commit: CommitId,
    /// The tree that the command ran in: that of the commit, with the uncommitted changes that
    /// were graded.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = COMMIT))]
    pub tree: ObjectId,
    /// The command, not empty.
    pub command: Vec<String>,
    /// The budget of every run.
    pub budget: Budget,
    /// The runs, oldest first, at least one.
    pub runs: Vec<Rerun>,
    /// What the runs amount to.
    pub result: RerunResult,
}

/// How long a run may take, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// What the grading tool gives, in seconds.
    pub tool_budget_s: u64,
    /// What is needed, in seconds.
    pub budget_s: u64,
    /// What the need rests on.
    pub source: BudgetSource,
    /// Whether it is more than the tool gives.
    pub raised: bool,
}

/// What a budget rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BudgetSource {
    /// The budget that the tool gives suffices.
    Default,
    /// The runtime that the policy states.
    Manifest,
    /// How long past runs took that passed.
    History,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rerun {
    /// What came out.
    pub outcome: Outcome,
    /// The exit code, when it exited.
    pub exit: Option<i32>,
    /// The signal, when one ended it.
    pub signal: Option<i32>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// What the runs amount to.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum RerunResult {
    /// The last run passed, and no other one showed anything but the clock.
    Pass,
    /// The last run ran out of its budget again, and no other one showed anything but the clock.
    Timeout,
    /// A run failed.
    Fail,
    /// A run started and graded nothing, or the last one did not start; none failed.
    Ungraded,
}

impl RerunResult {
    /// What runs amount to, oldest first. A failure that was seen once stays seen, and so does a
    /// run that started and graded nothing: it may have been a crash of the product, and no later
    /// pass takes that back.
    pub fn of(runs: &[Rerun]) -> Self {
        if runs.iter().any(|run| run.outcome.is_product_failure()) {
            return Self::Fail;
        }
        if runs.iter().any(Rerun::is_unclear) {
            return Self::Ungraded;
        }
        match runs.last().map(|run| run.outcome) {
            Some(Outcome::Pass) => Self::Pass,
            Some(Outcome::Timeout) => Self::Timeout,
            Some(
                Outcome::FlakyPass
                | Outcome::Fail
                | Outcome::Leak
                | Outcome::OutputLimit
                | Outcome::Tamper
                | Outcome::Signal
                | Outcome::Oom
                | Outcome::Error
                | Outcome::NotRun,
            )
            | None => Self::Ungraded,
        }
    }
}

impl Rerun {
    /// Whether it started, and ended in a way that neither grades the product nor is the clock's.
    pub fn is_unclear(&self) -> bool {
        let started = self.exit.is_some() || self.signal.is_some();
        match self.outcome {
            Outcome::Pass | Outcome::Timeout => false,
            Outcome::NotRun => started,
            Outcome::FlakyPass
            | Outcome::Fail
            | Outcome::Leak
            | Outcome::OutputLimit
            | Outcome::Tamper
            | Outcome::Signal
            | Outcome::Oom
            | Outcome::Error => true,
        }
    }
}

impl Record for Reverification {
    const SCHEMA: &'static str = REVERIFY_SCHEMA;

    fn schema_member(&self) -> &str {
        &self.schema
    }

    fn check(&self) -> Result<(), RecordFault> {
        if self.command.first().is_none_or(String::is_empty) {
            return Err(RecordFault::of(
                "command",
                "no program",
                "the command that ran",
            ));
        }
        if self.runs.is_empty() {
            return Err(RecordFault::of("runs", "no run", "at least one run"));
        }
        let exit = |run: &Rerun| {
            (run.outcome == Outcome::Pass) == (run.exit == Some(0)) && run.signal.is_none()
        };
        let passes = |run: &&Rerun| run.outcome == Outcome::Pass || run.exit == Some(0);
        if let Some(run) = self.runs.iter().filter(passes).find(|run| !exit(run)) {
            return Err(RecordFault::of(
                "runs",
                format!("{run:?}"),
                "exit 0 of a pass and of nothing else",
            ));
        }
        let (tool, budget) = (self.budget.tool_budget_s, self.budget.budget_s);
        if budget < tool || self.budget.raised != (budget > tool) {
            return Err(RecordFault::of(
                "budget",
                format!("{budget} s of {tool} s"),
                "raised, when it is more",
            ));
        }
        let result = RerunResult::of(&self.runs);
        match self.result == result {
            true => Ok(()),
            false => Err(RecordFault::of(
                "result",
                format!("{:?}", self.result),
                format!("{result:?}"),
            )),
        }
    }
}

#[cfg(test)]
mod tests;
