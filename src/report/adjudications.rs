//! Writes adjudicated verdicts for a terminal, with their sums.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::model::adjudication::{Adjudicated, Tier1, Verdict, Why};
use crate::model::path::shown;
use crate::model::reverification::RerunResult;
use crate::model::shell;

/// A line for each, with what comes next below one that is open, then the totals of those that
/// decide.
pub fn adjudications(all: &[Adjudicated], decides: &[bool]) -> String {
    let mut out = String::new();
    let mut deciding = Vec::new();
    for (one, decides) in all.iter().zip(decides) {
        let _infallible = writeln!(out, "{}", line(one));
        if !decides {
            continue;
        }
        deciding.push(one);
        if let Some(next) = next(one) {
            let _infallible = writeln!(out, "  next: {next}");
        }
    }
    out.push('\n');
    let superseded = all.len() - deciding.len();
    let apart = if superseded == 0 {
        String::new()
    } else {
        format!("superseded: {superseded}\n")
    };
    out + &totals(&deciding) + &apart
}

fn line(one: &Adjudicated) -> String {
    let tier1 = match one.reason {
        Some(reason) => format!("{} ({reason})", one.tier1.word()),
        None => one.tier1.word().to_owned(),
    };
    let mut out = format!(
        "{} {}: tier 1 {tier1}, tier 2 {}",
        shown(&one.id),
        one.verdict.word(),
        one.tier2.word()
    );
    let said = [
        one.task_id
            .as_ref()
            .map(|task| format!("task {}", shown(task))),
        one.regression.then(|| "regression".to_owned()),
        (one.verdict == Verdict::Pass && !one.complete).then(|| "not complete".to_owned()),
        one.reverified
            .map(|result| format!("run again: {}", word(result))),
        one.superseded_by
            .as_ref()
            .map(|by| format!("superseded by {}", shown(by))),
    ];
    said.into_iter()
        .flatten()
        .for_each(|said| out.push_str(&format!("; {said}")));
    out
}

/// What an open verdict needs.
fn next(one: &Adjudicated) -> Option<String> {
    let again = || {
        format!(
            "git reins adjudicate --reverify {}",
            shell::word(&shown(&one.path))
        )
    };
    match one.verdict {
        Verdict::Pass | Verdict::Fail => None,
        Verdict::Artifact => Some(again()),
        Verdict::TimeoutConfirmed => Some(format!(
            "raise tier1.suite_runtime_s on the protected line, then {}",
            again()
        )),
        Verdict::Unresolved => Some(match (one.reverified, one.tier1) {
            (Some(RerunResult::Ungraded), _) => {
                "tier 1 graded nothing when it ran again: find out why, then judge the task again"
                    .to_owned()
            }
            (_, Tier1::Timeout(_)) => {
                "judge the task again, with more time for tier 1 or with criteria for tier 2"
                    .to_owned()
            }
            (_, tier1) => {
                let reason = tier1.reason().unwrap_or("UNRESOLVED");
                format!("git reins explain {reason}; put that right, then judge the task again")
            }
        }),
    }
}

fn word(result: RerunResult) -> &'static str {
    match result {
        RerunResult::Pass => "pass",
        RerunResult::Timeout => "timeout",
        RerunResult::Fail => "fail",
        RerunResult::Ungraded => "ungraded",
    }
}

/// What tier 1 was, for the totals: a fault of the draft channel is none of the judge's.
const CAUSES: [&str; 5] = ["PASS", "FAIL", "TIMEOUT", "UNGRADED", "INFRA"];

fn cause(tier1: Tier1) -> &'static str {
    match tier1 {
        Tier1::Ungraded(Why::Infra) => "INFRA",
        Tier1::Pass | Tier1::Timeout(_) | Tier1::Fail | Tier1::Ungraded(_) => tier1.word(),
    }
}

/// One number for each thing, and never one for several: no timeout counts as a failure.
fn totals(all: &[&Adjudicated]) -> String {
    let mut causes = BTreeMap::new();
    let mut verdicts = BTreeMap::new();
    for one in all {
        *causes.entry(cause(one.tier1)).or_insert(0) += 1;
        *verdicts.entry(one.verdict).or_insert(0) += 1;
    }
    let listed = |counts: Vec<(&str, usize)>| {
        counts
            .iter()
            .map(|(word, count)| format!("{word} {count}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let verdicts =
        Verdict::ALL.map(|verdict| (verdict.word(), *verdicts.get(&verdict).unwrap_or(&0)));
    let causes = CAUSES.map(|cause| (cause, *causes.get(cause).unwrap_or(&0)));
    let regressions = all.iter().filter(|one| one.regression).count();
    format!(
        "verdicts: {}\nregressions: {regressions}\ntier 1: {}\n",
        listed(verdicts.to_vec()),
        listed(causes.to_vec())
    )
}
