//! Decides a recorded trial anew by its runs and the ledgers, whatever its verdict says.

use crate::decide::evaluation::Evaluation;
use crate::decide::outcome::weight;
use crate::decide::trial::{self, Draft, TrialDecision, TrialFacts, TrialScope};
use crate::model::day::Day;
use crate::model::ids::OracleId;
use crate::model::trial::{CheckRun, Revision, Trial, TrialReason};

/// Decides a trial on a day, from the runs that its record lists.
pub fn derive(evaluation: &Evaluation, record: &Trial, today: Day) -> TrialDecision {
    let facts = &evaluation.facts;
    let scope = TrialScope {
        evaluation,
        draft: draft(record),
        touched: match facts.has_patch() {
            true => facts
                .tip
                .touched
                .iter()
                .filter_map(|path| path.parse().ok())
                .collect(),
            false => record.touched.iter().cloned().collect(), // a patch file that no commit holds
        },
        bytes_changed: record.reasons.contains(&TrialReason::BytesChanged),
        replays: facts.policy.judge.replays,
        extra_seeds: &[],
        today,
    };
    trial::judge(&TrialFacts::of(&record.checks, scope))
}

fn draft(record: &Trial) -> Draft {
    if record.reasons.contains(&TrialReason::Infra) || record.blob.is_none() {
        Draft::Infra
    } else if record.reasons.contains(&TrialReason::EmptyBlob) {
        Draft::Blank
    } else {
        Draft::Patch
    }
}

/// The worst run of a property on the candidate, by the check of its row.
pub(super) fn worst<'a>(record: &'a Trial, id: &OracleId, check: &str) -> Option<&'a CheckRun> {
    trial::runs_of(&record.checks, id, Some(check))
        .into_iter()
        .filter(|run| run.revision == Revision::Candidate)
        .max_by_key(|run| weight(run.outcome))
}
