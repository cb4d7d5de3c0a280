//! Judges the candidate by its recorded trials.
//!
//! A record is the word of whoever committed it. It counts for exactly what it is bound to, and its
//! verdict is derived again from its runs: a record may say less than its runs, never more.

mod bind;
mod case;
mod derive;
mod findings;
mod recompute;
mod unwitnessed;

use serde_json::Value;

use super::evaluation::Evaluation;
use super::facts::Facts;
use super::score::Scored;
use super::trial_key::Bound;
use crate::model::decision::{Decision, Outcome, VerdictEvidence};
use crate::model::record::{self, RecordFault};
use crate::model::trial::{TRIAL_SCHEMA, Trial};

use case::{Candidate, Case};

pub use bind::{Difference, differences};
pub use case::directory;
pub use findings::judge_changed;
pub use recompute::recompute;
pub use unwitnessed::unwitnessed;

/// What every name of a record's form begins with.
const OURS: &str = "git-reins/";

/// Reads the bytes of a `verdict.json` as a trial; `None` when they are somebody else's verdict.
///
/// What claims to be ours is ours: another form of it, or one that cannot be read, is a fault.
pub fn read(bytes: &[u8]) -> Option<Result<Trial, RecordFault>> {
    let claims = match serde_json::from_slice::<Value>(bytes) {
        Ok(value) => value["schema"]
            .as_str()
            .is_some_and(|schema| schema.starts_with(OURS)),
        Err(_) => bytes
            .windows(TRIAL_SCHEMA.len())
            .any(|text| text == TRIAL_SCHEMA.as_bytes()),
    };
    claims.then(|| record::parse(bytes))
}

/// Judges the patch by the recorded trials, and by one that lies beside them when there is one.
///
/// Of several trials of the same candidate the strictest counts; of equals the one that lies beside,
/// which may have been run just now.
///
/// `unfolded` is the path of a trial of the candidate that lies in the worktree alone.
pub(super) fn judge(
    evaluation: &Evaluation,
    beside: Option<(&Trial, VerdictEvidence)>,
    unfolded: Option<&str>,
) -> Scored {
    let facts = &evaluation.facts;
    let bound = &Bound::of(evaluation);
    let case = Case {
        evaluation,
        facts,
        standings: &evaluation.standings,
        bound,
    };
    let all = candidates(facts, beside);
    let counting = all
        .iter()
        .filter(|one| differences(one.trial, bound).is_empty());
    let judged = counting.map(|one| findings::judge(&case, one));
    let strictest = judged.reduce(|one, other| {
        if strictness(&other) > strictness(&one) {
            other
        } else {
            one
        }
    });
    strictest.unwrap_or_else(|| Scored {
        findings: findings::none_counts(&case, &all, unfolded),
        ..Scored::default()
    })
}

/// Whether a folded trial counts for the candidate.
pub fn is_judged(evaluation: &Evaluation) -> bool {
    let bound = Bound::of(evaluation);
    candidates(&evaluation.facts, None)
        .iter()
        .any(|one| differences(one.trial, &bound).is_empty())
}

fn strictness(scored: &Scored) -> (Outcome, usize) {
    let details = &scored.findings.details;
    (Decision::outcome_of(details, &scored.held), details.len())
}

/// The trials that can be read and lie in a directory of their own name.
fn candidates<'a>(
    facts: &'a Facts,
    beside: Option<(&'a Trial, VerdictEvidence)>,
) -> Vec<Candidate<'a>> {
    let folded = facts.trials.folded.iter().filter_map(|folded| {
        let trial = folded.reading.as_ref().ok()?;
        let is_named = directory(&folded.path) == Some(trial.directory_name().as_str());
        let path = Some(folded.path.as_str());
        is_named.then_some(Candidate {
            trial,
            path,
            evidence: VerdictEvidence::Itself,
        })
    });
    let beside = beside.map(|(trial, evidence)| Candidate {
        trial,
        path: None,
        evidence,
    });
    beside.into_iter().chain(folded).collect()
}
