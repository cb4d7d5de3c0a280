//! Reads what a fold repeats from a record: task, tiers, and whether a re-run completed it.

use serde::de::IgnoredAny;

use crate::decide::adjudicate::adjudicate;
use crate::decide::fold::{Heading, Reading, Record};
use crate::decide::result::{self, Source};
use crate::gitreins::verdict::{Entry, read};
use crate::model::adjudication::{Tier1, Tier2, Verdict};
use crate::model::path::shown;
use crate::model::trial::{TRIAL_SCHEMA, TrialVerdict};

/// The record of a directory, from the bytes of its `verdict.json` and its `reverify.json`.
pub fn reading(verdict: &[u8], reverify: Option<&[u8]>) -> Reading {
    let result = match result::read(verdict, reverify) {
        Ok(result::Reading::Result(result)) => *result,
        Ok(result::Reading::Resolution) => return Reading::Record(Record::Resolution),
        Err(_) if breaks_off(verdict) => return Reading::Unfinished,
        Err(fault) => return Reading::Unreadable(shown(&fault.to_string())),
    };
    Reading::Record(match &result.source {
        Source::Trial(trial) => Record::Trial(match trial.verdict {
            TrialVerdict::Admit => "admit",
            TrialVerdict::Hold => "hold",
            TrialVerdict::Reject => "reject",
        }),
        Source::GitReins(verdict) => Record::Verdict(Heading {
            task: verdict.task_id.clone(),
            tier1: tier1_word(result.tier1),
            tier2: tier2_word(result.tier2),
            by_rerun: result.finding.complete
                && adjudicate(result.tier1, result.tier2).verdict == Verdict::Artifact,
        }),
    })
}

/// The words of the article, in its case.
fn tier1_word(tier1: Tier1) -> &'static str {
    match tier1 {
        Tier1::Pass => "pass",
        Tier1::Timeout(_) => "timeout",
        Tier1::Fail => "fail",
        Tier1::Ungraded(_) => "ungraded",
    }
}

fn tier2_word(tier2: Tier2) -> &'static str {
    match tier2 {
        Tier2::Met => "PASS",
        Tier2::NotMet => "FAIL",
        Tier2::NoEvidence => "NO_EVIDENCE",
        Tier2::Absent => "ABSENT",
    }
}

/// Whether a text is the beginning of JSON and no more: GitReins writes in place.
fn breaks_off(bytes: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(bytes).is_err_and(|error| error.is_eof())
}

/// Whether a record is a trial of our own judge.
pub fn is_trial(verdict: &[u8]) -> bool {
    matches!(read(verdict), Ok(Entry::Schema(schema)) if schema == TRIAL_SCHEMA)
}

/// Whether a record is of this task or job.
pub fn is_of(verdict: &[u8], id: &str) -> bool {
    match read(verdict) {
        Ok(Entry::Verdict(verdict)) => {
            verdict.task_id == id || verdict.job_id.as_deref() == Some(id)
        }
        Ok(Entry::Resolution | Entry::Schema(_)) | Err(_) => false,
    }
}
