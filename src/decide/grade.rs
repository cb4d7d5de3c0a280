//! Decides what one command of tier 1 graded: the product, the clock, or nothing.

use super::output::{self, Counts};
use crate::gitreins::verdict::Step;
use crate::model::adjudication::{Clock, Tier1, Why};

/// What the judge of GitReins prints in the place of a result when it grades nothing.
const SKIP_MARK: &str = "GITREINS_SKIP:";
/// What the judge writes as the error of a command that it stopped.
const TIMED_OUT: &str = "Command timed out";

/// Grades a step by itself.
///
/// The clock comes first, then what the judge says it skipped, then the exit code. Output is written
/// by what is graded: it can only worsen a zero, and it excuses another code only where a runner
/// of tests says in its own form that nothing failed. A failure that was counted wins.
pub fn step(step: &Step) -> Tier1 {
    if step.timed_out || step.error.starts_with(TIMED_OUT) {
        return Tier1::Timeout(Clock::Judge);
    }
    if step.skipped {
        return Tier1::Ungraded(Why::Skip);
    }
    let is_marked = step.output.contains(SKIP_MARK) || step.error.contains(SKIP_MARK);
    match step.exit_code {
        None if is_marked => Tier1::Ungraded(Why::Skip),
        None => Tier1::Ungraded(Why::NotRun),
        Some(0) => zero(step, is_marked),
        Some(124) => Tier1::Timeout(Clock::Inner),
        Some(126 | 127) => Tier1::Ungraded(Why::ToolMissing),
        Some(i64::MIN..=-1 | 129..=192) => Tier1::Ungraded(Why::Killed),
        Some(code) => nonzero(step, code),
    }
}

fn zero(step: &Step, is_marked: bool) -> Tier1 {
    let counts = output::counts(&step.output);
    let is_pass_to_pytest =
        step.pytest.as_ref().is_none_or(|kind| kind == "passed") && step.failures == 0;
    if counts.failed > 0 || counts.errors > 0 || step.failures > 0 {
        Tier1::Ungraded(Why::Contradiction)
    } else if is_marked {
        Tier1::Ungraded(Why::Skip)
    } else if counts.ran == Some(0) {
        Tier1::Ungraded(Why::NoTests)
    } else if !step.passed || !is_pass_to_pytest {
        Tier1::Ungraded(Why::Contradiction)
    } else {
        Tier1::Pass
    }
}

fn nonzero(step: &Step, code: i64) -> Tier1 {
    if step.passed {
        return Tier1::Ungraded(Why::Contradiction);
    }
    let counts = output::counts(&step.output);
    if saw_failures(step, &counts) {
        return Tier1::Fail;
    }
    if !output::has_header(&step.output) && output::lacks_runner(&step.output) {
        return Tier1::Ungraded(Why::ToolMissing);
    }
    let graded_nothing = match code {
        2 => Some(Why::Interrupted),
        3 => Some(Why::InternalError),
        4 => Some(Why::UsageError),
        5 => Some(Why::NoTests),
        _ => None,
    };
    match graded_nothing {
        Some(why) if is_pytest(step) => Tier1::Ungraded(why),
        // unittest leaves with 5 as well
        Some(Why::NoTests)
            if output::last_line(&step.output).eq_ignore_ascii_case("no tests ran") =>
        {
            Tier1::Ungraded(Why::NoTests)
        }
        Some(_) | None => Tier1::Fail,
    }
}

/// Whether pytest ran: by the header of its session, or by what the judge read.
///
/// The judge reads every command that has the word in it, so that a kind for a code that pytest
/// does not explain says nothing.
fn is_pytest(step: &Step) -> bool {
    const KINDS: [&str; 5] = [
        "interrupted",
        "interrupted-unclassified",
        "internal-error",
        "usage-error",
        "no-tests-collected",
    ];
    output::has_header(&step.output)
        || step
            .pytest
            .as_ref()
            .is_some_and(|kind| KINDS.contains(&kind.as_str()))
}

/// Whether tests failed although the exit code may mean that nothing was graded: xdist with `-x`
/// leaves with 2, and so does `make` after any failure. An error while pytest collects is none.
fn saw_failures(step: &Step, counts: &Counts) -> bool {
    let stopped = "xdist.dsession.Interrupted: stopping after";
    step.failures > 0
        || step.output.contains(stopped)
        || counts.failed > 0
        || (counts.errors > 0 && !(counts.is_collection && counts.ran == Some(0)))
}

#[cfg(test)]
mod tests;
