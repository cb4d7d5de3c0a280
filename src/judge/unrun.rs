//! Makes runs that needed no process: judged otherwise, or kept from running.

use crate::decide::outcome::RunVerdict;
use crate::model::ids::OracleId;
use crate::model::trial::{CheckKind, CheckRun, Class, Outcome, Revision, RunDetails, RunReason};

/// A run of which only the verdict is known. A canary that missed is classed so.
pub(super) fn run(
    id: &str,
    property: Option<&OracleId>,
    seed: Option<&str>,
    revision: Revision,
    verdict: RunVerdict,
) -> CheckRun {
    let kind = match property {
        Some(_) => CheckKind::Property,
        None => CheckKind::Canary,
    };
    let is_miss = !matches!(verdict.outcome, Outcome::Pass | Outcome::NotRun);
    CheckRun {
        id: id.to_owned(),
        property: property.cloned(),
        kind,
        seed: seed.map(str::to_owned),
        revision,
        outcome: verdict.outcome,
        class: (is_miss && kind == CheckKind::Canary).then_some(Class::CanaryFail),
        reason: verdict.reason,
        exit: None,
        signal: None,
        opened: None,
        details: RunDetails {
            note: verdict.note,
            ..RunDetails::default()
        },
    }
}

/// A run of a canary on the candidate.
pub(super) fn canary(id: &str, verdict: RunVerdict) -> CheckRun {
    run(id, None, None, Revision::Candidate, verdict)
}

/// The verdict on what did not run because a canary missed before it.
pub(super) fn after_canary() -> RunVerdict {
    not_run(RunReason::CanaryMissed, "a canary missed before it")
}

/// The verdict on what did not run because a check before it changed pinned bytes.
pub(super) fn after_tamper() -> RunVerdict {
    not_run(
        RunReason::Tampered,
        "a check before it changed bytes that nobody may change",
    )
}

fn not_run(reason: RunReason, note: &str) -> RunVerdict {
    RunVerdict {
        outcome: Outcome::NotRun,
        reason: Some(reason),
        note: note.to_owned(),
    }
}

/// Whether a canary missed: nothing runs after it.
pub(super) fn has_missed_canary(runs: &[CheckRun]) -> bool {
    runs.iter().any(CheckRun::is_missed_canary)
}

/// Whether a run changed bytes that it may not: what comes after it would say nothing.
pub(super) fn has_tamper(runs: &[CheckRun]) -> bool {
    runs.iter().any(|run| run.outcome == Outcome::Tamper)
}
