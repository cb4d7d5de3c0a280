//! What does a judge's result amount to, and what does running tier 1 again change?

use super::grade;
use crate::gitreins::verdict::{Criteria, Stage, Step, Verdict as Foreign};
use crate::model::adjudication::{Clock, Finding, Tier1, Tier2, Verdict, Why};
use crate::model::reverification::RerunResult;
use crate::model::trial::{Outcome, Trial, TrialReason, TrialVerdict};

/// The step without which nothing is graded.
const OBLIGATORY: &str = "tests";

/// The tiers of a verdict of GitReins.
pub fn tiers_of_verdict(verdict: &Foreign) -> (Tier1, Tier2) {
    let tier1 = verdict.tier1.as_ref().map_or(Tier1::Ungraded(Why::NotRun), of_stage);
    (tier1, of_criteria(&verdict.tier2))
}

/// A real failure of any step decides. Then the tests do. What another step did not grade is left
/// aside, but not that it ran out of time, nor a stage that cannot be made sense of.
fn of_stage(stage: &Stage) -> Tier1 {
    let graded: Vec<_> = stage.steps.iter().map(|step| (step, grade::step(step))).collect();
    if graded.iter().any(|(_, tier1)| *tier1 == Tier1::Fail) {
        return Tier1::Fail;
    }
    let is_test = |step: &Step| step.id == OBLIGATORY;
    let tests: Vec<_> = graded.iter().filter(|(step, _)| is_test(step)).map(|(_, tier1)| *tier1).collect();
    if let Some(missed) = tests.iter().find(|tier1| **tier1 != Tier1::Pass) {
        return *missed;
    }
    let odd = graded.iter().find(|(step, tier1)| is_odd(step, *tier1)).map(|(_, tier1)| *tier1);
    let all_passed = stage.steps.iter().all(|step| step.passed);
    match odd {
        Some(odd) => odd,
        None if stage.is_malformed => Tier1::Ungraded(Why::Malformed),
        None if tests.is_empty() => Tier1::Ungraded(Why::NoTests),
        None if stage.skipped.iter().any(|id| id == OBLIGATORY) => Tier1::Ungraded(Why::Skip),
        // something failed that is no step, such as a metric below its target
        None if stage.passed == Some(false) && all_passed => Tier1::Ungraded(Why::Contradiction),
        None => Tier1::Pass,
    }
}

/// Whether a step beside the tests stands against a pass although it did not fail: it ran out of
/// time, it contradicts itself, or nothing but its output says that it graded nothing. A linter
/// repeats the lines that it complains about, so a patch could put any words into its output.
fn is_odd(step: &Step, tier1: Tier1) -> bool {
    let rests_on_words =
        || grade::step(&Step { output: String::new(), pytest: None, ..step.clone() }) == Tier1::Fail;
    match tier1 {
        Tier1::Pass => false,
        Tier1::Timeout(_) | Tier1::Ungraded(Why::Contradiction | Why::Malformed) | Tier1::Fail => true,
        Tier1::Ungraded(_) => rests_on_words(),
    }
}

/// A criterion that nobody looked at is not one that failed.
fn of_criteria(criteria: &Criteria) -> Tier2 {
    let Criteria::Answer { verdict, items, passed, is_guess } = criteria else {
        return match criteria {
            Criteria::Absent => Tier2::Absent,
            Criteria::Unreadable | Criteria::Answer { .. } => Tier2::NoEvidence,
        };
    };
    let unseen = items.iter().any(|status| status == "UNVERIFIED");
    let failed = items.iter().any(|status| status == "FAIL");
    match (verdict.as_str(), passed) {
        _ if *is_guess => Tier2::NoEvidence,
        ("COMPLETE", Some(true) | None) if items.iter().all(|status| status == "PASS") => Tier2::Met,
        ("INCOMPLETE", Some(false) | None) if !items.is_empty() && (failed || !unseen) => Tier2::NotMet,
        _ => Tier2::NoEvidence,
    }
}

/// The tiers of a trial of our own: nobody asked a model about criteria.
pub fn tiers_of_trial(trial: &Trial) -> (Tier1, Tier2) {
    let tier1 = match trial.verdict {
        TrialVerdict::Admit => Tier1::Pass,
        TrialVerdict::Hold => Tier1::Ungraded(Why::Held),
        TrialVerdict::Reject => of_rejected(trial),
    };
    (tier1, Tier2::Absent)
}

fn of_rejected(trial: &Trial) -> Tier1 {
    let has = |reason| trial.reasons.contains(&reason);
    if has(TrialReason::Infra) {
        return Tier1::Ungraded(Why::Infra);
    }
    if has(TrialReason::EmptyBlob) {
        return Tier1::Ungraded(Why::EmptyBlob);
    }
    let lists = [&trial.canary_bad, &trial.illegal_freeze, &trial.uncovered_fail];
    let decides = |subject: &str| lists.iter().any(|list| list.iter().any(|name| name == subject));
    let runs = trial.candidate_runs().filter(|run| run.outcome != Outcome::Pass && decides(run.subject()));
    let missed: Vec<_> = runs.map(|run| run.outcome).collect();
    if has(TrialReason::FrozenRegression) || missed.iter().any(|outcome| outcome.is_product_failure()) {
        return Tier1::Fail;
    }
    let only = |of: &[Outcome]| !missed.is_empty() && missed.iter().all(|outcome| of.contains(outcome));
    if only(&[Outcome::Timeout]) {
        Tier1::Timeout(Clock::Judge)
    } else if only(&[Outcome::Signal, Outcome::Oom]) {
        Tier1::Ungraded(Why::Killed)
    } else {
        Tier1::Ungraded(Why::Error)
    }
}

/// What both tiers amount to.
///
/// | tier 1 | MET | NOT_MET | NO_EVIDENCE | ABSENT |
/// |---|---|---|---|---|
/// | PASS | PASS | FAIL, no regression | PASS, not complete | PASS |
/// | TIMEOUT | ARTIFACT | FAIL, regression | UNRESOLVED | UNRESOLVED |
/// | FAIL | FAIL, regression | FAIL, regression | FAIL, regression | FAIL, regression |
/// | UNGRADED | UNRESOLVED | FAIL, no regression | UNRESOLVED | UNRESOLVED |
pub fn adjudicate(tier1: Tier1, tier2: Tier2) -> Finding {
    let open = |verdict| Finding { verdict, regression: false, complete: false };
    let passed = |complete| Finding { verdict: Verdict::Pass, regression: false, complete };
    match (tier1, tier2) {
        (Tier1::Fail, _) | (Tier1::Timeout(_), Tier2::NotMet) => failed(true),
        (Tier1::Pass | Tier1::Ungraded(_), Tier2::NotMet) => failed(false),
        (Tier1::Pass, Tier2::Met | Tier2::Absent) => passed(true),
        (Tier1::Pass, Tier2::NoEvidence) => passed(false),
        (Tier1::Timeout(_), Tier2::Met) => open(Verdict::Artifact),
        (Tier1::Timeout(_), Tier2::NoEvidence | Tier2::Absent)
        | (Tier1::Ungraded(_), Tier2::Met | Tier2::NoEvidence | Tier2::Absent) => open(Verdict::Unresolved),
    }
}

fn failed(regression: bool) -> Finding {
    Finding { verdict: Verdict::Fail, regression, complete: false }
}

/// What both tiers amount to once tier 1 ran again.
///
/// Only what is open because of the clock is touched, and only an ARTIFACT becomes final by a pass:
/// nobody vouches for the criteria of the others.
pub fn settle(tier1: Tier1, tier2: Tier2, rerun: RerunResult) -> Finding {
    let first = adjudicate(tier1, tier2);
    let is_open = matches!(tier1, Tier1::Timeout(_)) && first.verdict != Verdict::Fail;
    match rerun {
        _ if !is_open => first,
        RerunResult::Pass if first.verdict == Verdict::Artifact => {
            Finding { verdict: Verdict::Pass, regression: false, complete: true }
        }
        RerunResult::Fail => failed(true),
        RerunResult::Timeout => Finding { verdict: Verdict::TimeoutConfirmed, ..first },
        RerunResult::Pass | RerunResult::Ungraded => first,
    }
}

#[cfg(test)]
mod tests;
