//! What did one command of tier 1 grade: the product, the clock, or nothing?

use crate::gitreins::verdict::Step;
use crate::model::adjudication::{Clock, Tier1, Why};

/// What the judge of GitReins prints in the place of a result when it grades nothing.
const SKIP_MARK: &str = "GITREINS_SKIP:";
/// What the judge writes as the error of a command that it stopped.
const TIMED_OUT: &str = "Command timed out";
/// The modules that run tests with `python -m`: without one of them nothing is graded.
const RUNNERS: [&str; 5] = ["pytest", "nose2", "tox", "nox", "coverage"];

/// Grades a step by itself.
///
/// The clock comes first, then what the judge says it skipped, then the exit code. Output can only
/// worsen a pass: it is written by what is graded.
pub fn step(step: &Step) -> Tier1 {
    if step.timed_out || step.error.starts_with(TIMED_OUT) {
        return Tier1::Timeout(Clock::Judge);
    }
    if step.skipped || step.output.contains(SKIP_MARK) || step.error.contains(SKIP_MARK) {
        return Tier1::Ungraded(Why::Skip);
    }
    match step.exit_code {
        None => Tier1::Ungraded(Why::NotRun),
        Some(0) => zero(step),
        Some(124) => Tier1::Timeout(Clock::Inner),
        Some(126 | 127) => Tier1::Ungraded(Why::ToolMissing),
        Some(i64::MIN..=-1 | 129..=192) => Tier1::Ungraded(Why::Killed),
        Some(code) => nonzero(step, code),
    }
}

fn zero(step: &Step) -> Tier1 {
    let is_pass_to_pytest = step.pytest.as_ref().is_none_or(|kind| kind == "passed");
    match summary(step) {
        Some(line) if ran_none(line) => Tier1::Ungraded(Why::NoTests),
        Some(line) if counts_failed(line) => Tier1::Ungraded(Why::Contradiction),
        _ if !step.passed || !is_pass_to_pytest => Tier1::Ungraded(Why::Contradiction),
        _ => Tier1::Pass,
    }
}

fn nonzero(step: &Step, code: i64) -> Tier1 {
    if step.passed {
        return Tier1::Ungraded(Why::Contradiction);
    }
    if lacks_runner(step) {
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
        Some(why) if is_pytest(step) && !saw_failures(step) => Tier1::Ungraded(why),
        // unittest leaves with 5 as well
        Some(Why::NoTests) if last_line(step).eq_ignore_ascii_case("no tests ran") => {
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
    const KINDS: [&str; 5] =
        ["interrupted", "interrupted-unclassified", "internal-error", "usage-error", "no-tests-collected"];
    has_header(step) || step.pytest.as_ref().is_some_and(|kind| KINDS.contains(&kind.as_str()))
}

fn has_header(step: &Step) -> bool {
    step.output.contains("= test session starts =")
}

/// Whether tests failed although the exit code means that nothing was graded: xdist with `-x`
/// leaves with 2, and so does `make` after any failure.
fn saw_failures(step: &Step) -> bool {
    let stopped = "xdist.dsession.Interrupted: stopping after";
    step.output.contains(stopped) || summary(step).is_some_and(counts_failed)
}

/// `python -m pytest` where there is no pytest leaves with 1, as for a failed test. The words are
/// those of the interpreter, without quotes; an import that fails in the code says it otherwise.
fn lacks_runner(step: &Step) -> bool {
    let names_runner = |line: &str| {
        let (program, module) = line.trim().split_once(": No module named ").unwrap_or_default();
        program.rsplit('/').next().is_some_and(|name| name.starts_with("python")) && RUNNERS.contains(&module)
    };
    !has_header(step) && step.output.lines().any(names_runner)
}

fn last_line(step: &Step) -> &str {
    step.output.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default()
}

/// The last line with which pytest counts what happened, under the header of its session.
fn summary(step: &Step) -> Option<&str> {
    let counts = |line: &&str| {
        let is_timed = line.split(" in ").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let words = [" passed", " failed", " error", " skipped", " deselected", " xfailed", "no tests ran"];
        is_timed && words.iter().any(|word| line.contains(word))
    };
    step.output.lines().rfind(counts).filter(|_| has_header(step) || step.pytest.is_some())
}

fn ran_none(line: &str) -> bool {
    line.contains("no tests ran")
}

/// Whether it counts failed tests: `1 failed, 2 passed in 0.03s`.
fn counts_failed(line: &str) -> bool {
    line.match_indices(" failed")
        .any(|(at, _)| line[..at].bytes().rev().take_while(u8::is_ascii_digit).any(|digit| digit != b'0'))
}

#[cfg(test)]
mod tests;
