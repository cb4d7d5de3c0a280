//! Judges one run of a check from everything that is known of it.

use std::collections::BTreeSet;

use crate::model::run::End;
use crate::model::trial::{Outcome, RunReason};
use crate::policy::ExitMap;

/// What is known of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFacts {
    /// How its process ended.
    pub end: End,
    /// How long it was allowed to take, in seconds.
    pub budget_s: u64,
    /// How much it was allowed to print, in MiB.
    pub output_max_mib: u64,
    /// Whether the machine ran out of memory while it ran.
    pub out_of_memory: bool,
    /// How many of its processes outlived it, whether they could be killed or not.
    pub leaked: u64,
    /// The pinned paths whose bytes or mode are no longer what they were.
    pub tampered: Vec<String>,
    /// What its result file says.
    pub results: Results,
}

/// What the result file of a run says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Results {
    /// None is expected.
    NotExpected,
    /// It is not there.
    Missing,
    /// It is not understood, and why.
    Unreadable(String),
    /// It says this.
    Read {
        /// What was counted.
        counts: Counts,
        /// How many tests must have run.
        require_executed: u64,
    },
}

/// The tests of one run, by how they ended; each is counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Passed at once.
    pub passed: u64,
    /// Failed.
    pub failed: u64,
    /// Did not get so far.
    pub errored: u64,
    /// Did not run, or were not meant to pass.
    pub skipped: u64,
    /// Passed, but not at once.
    pub flaky: u64,
}

impl Counts {
    /// How many tests ran.
    pub fn executed(&self) -> u64 {
        self.passed
            .saturating_add(self.failed)
            .saturating_add(self.errored)
            .saturating_add(self.flaky)
    }
}

/// What a run is judged to be, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunVerdict {
    /// The one word for it.
    pub outcome: Outcome,
    /// Which case of the outcome, where it has several.
    pub reason: Option<RunReason>,
    /// What was seen, for people; empty for a plain pass.
    pub note: String,
}

/// The outcome of one run: the worst of everything that is known of it.
///
/// Exit codes count as the check's map says. A result file can only worsen what they say: it is
/// written by the code under test.
pub fn judge_run(facts: &RunFacts, exit: &ExitMap) -> RunVerdict {
    let mut seen = vec![judge_end(facts, exit)];
    seen.extend(judge_results(&facts.results));
    if facts.leaked > 0 {
        seen.push(ended(
            Outcome::Leak,
            format!("{} of its processes outlived it", facts.leaked),
        ));
    }
    if !facts.tampered.is_empty() {
        let paths = facts.tampered.join(", ");
        seen.push(ended(
            Outcome::Tamper,
            format!("pinned bytes changed while it ran: {paths}"),
        ));
    }
    // of two that weigh the same the first stands: what the process did goes before its file
    seen.into_iter()
        .rev()
        .max_by_key(|one| weight(one.outcome))
        .expect("the end of the process is there")
}

/// What counts more when several are true of one run; a run that did not happen counts most.
pub fn weight(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Pass => 0,
        Outcome::FlakyPass => 1,
        Outcome::Leak => 2,
        Outcome::Fail => 3,
        Outcome::Error => 4,
        Outcome::Signal => 5,
        Outcome::Oom => 6,
        Outcome::Timeout => 7,
        Outcome::OutputLimit => 8,
        Outcome::Tamper => 9,
        Outcome::NotRun => 10,
    }
}

fn ended(outcome: Outcome, note: impl Into<String>) -> RunVerdict {
    RunVerdict {
        outcome,
        reason: None,
        note: note.into(),
    }
}

fn error(reason: RunReason, note: impl Into<String>) -> RunVerdict {
    RunVerdict {
        outcome: Outcome::Error,
        reason: Some(reason),
        note: note.into(),
    }
}

fn judge_end(facts: &RunFacts, exit: &ExitMap) -> RunVerdict {
    match &facts.end {
        End::Missing(why) | End::NotStarted(why) => {
            error(RunReason::Spawn, format!("could not be started: {why}"))
        }
        End::Timeout => ended(
            Outcome::Timeout,
            format!("took longer than {} s", facts.budget_s),
        ),
        End::OutputLimit => ended(
            Outcome::OutputLimit,
            format!("wrote more than {} MiB", facts.output_max_mib),
        ),
        End::Signal(9) if facts.out_of_memory => {
            ended(Outcome::Oom, "killed while the machine ran out of memory")
        }
        End::Signal(number) => ended(Outcome::Signal, format!("ended by signal {number}")),
        End::Exit(code) => judge_exit(*code, exit),
    }
}

fn judge_exit(code: i32, exit: &ExitMap) -> RunVerdict {
    let known = |codes: &BTreeSet<u8>| u8::try_from(code).is_ok_and(|code| codes.contains(&code));
    let hidden = if code > 128 {
        ", as a shell leaves when a signal ends its child"
    } else {
        ""
    };
    if known(&exit.fail) {
        ended(Outcome::Fail, format!("exit code {code}{hidden}"))
    } else if known(&exit.pass) {
        ended(Outcome::Pass, "")
    } else {
        error(
            RunReason::Exit,
            format!("exit code {code} means nothing to the check{hidden}"),
        )
    }
}

fn judge_results(results: &Results) -> Option<RunVerdict> {
    let mismatch = |outcome, note: String| {
        Some(RunVerdict {
            outcome,
            reason: Some(RunReason::ResultMismatch),
            note,
        })
    };
    let (counts, require) = match results {
        Results::NotExpected => return None,
        Results::Missing => {
            return mismatch(Outcome::Error, "the result file is missing".to_owned());
        }
        Results::Unreadable(why) => {
            return mismatch(
                Outcome::Error,
                format!("the result file is unreadable: {why}"),
            );
        }
        Results::Read {
            counts,
            require_executed,
        } => (counts, (*require_executed).max(1)),
    };
    let executed = counts.executed();
    if executed < require {
        let note = format!(
            "{executed} tests ran of at least {require}, {} were skipped",
            counts.skipped
        );
        Some(error(RunReason::NoTests, note))
    } else if counts.errored > 0 {
        mismatch(
            Outcome::Error,
            format!("{} tests with an error in the result file", counts.errored),
        )
    } else if counts.failed > 0 {
        mismatch(
            Outcome::Fail,
            format!("{} failed tests in the result file", counts.failed),
        )
    } else if counts.flaky > 0 {
        Some(ended(
            Outcome::FlakyPass,
            format!("{} tests passed only when tried again", counts.flaky),
        ))
    } else {
        None
    }
}
