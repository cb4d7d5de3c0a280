//! Decides what a judge's result amounts to, and what a re-run of tier 1 changes.

use super::grade;
use crate::gitreins::verdict::{Criteria, Stage, Step, Verdict as Foreign};
use crate::model::adjudication::{Clock, Finding, Tier1, Tier2, Verdict, Why};
use crate::model::reverification::RerunResult;
use crate::model::trial::{Outcome, Trial, TrialReason, TrialVerdict};

/// The step without which nothing is graded.
const OBLIGATORY: &str = "tests";
/// The step that may grade nothing.
const LINT: &str = "lint";

/// The tiers of a verdict of GitReins.
///
/// Every command of every stage counts as tier 1, and every answer of a model as tier 2. What the
/// judge calls no pass is none, even where nothing that was read says why.
pub fn tiers_of_verdict(verdict: &Foreign) -> (Tier1, Tier2) {
    let own = verdict
        .tier1
        .as_ref()
        .map_or(Tier1::Ungraded(Why::NotRun), of_tier1);
    let others = verdict
        .tier2
        .iter()
        .chain(&verdict.beside)
        .map(of_other_stage);
    let is_told = |stage: &Stage| stage.passed == Some(false) || misses(stage);
    let untold = verdict.passed == Some(false) && !verdict.stages().any(is_told);
    let whole = if untold {
        Tier1::Ungraded(Why::Contradiction)
    } else {
        Tier1::Pass
    };
    let answers: Vec<_> = verdict
        .stages()
        .flat_map(|stage| &stage.answers)
        .map(of_answer)
        .collect();
    (
        worst([own].into_iter().chain(others).chain([whole])),
        of_answers(&answers),
    )
}

/// The first of the worst. What graded nothing is worse than a clock: to run the tests again says
/// nothing about it.
fn worst(all: impl Iterator<Item = Tier1>) -> Tier1 {
    let rank = |tier1: &Tier1| match tier1 {
        Tier1::Fail => 0,
        Tier1::Ungraded(_) => 1,
        Tier1::Timeout(_) => 2,
        Tier1::Pass => 3,
    };
    all.min_by_key(rank).unwrap_or(Tier1::Pass)
}

/// A real failure of any step decides. Then the tests do, then the other steps, then what the stage
/// says of itself.
fn of_tier1(stage: &Stage) -> Tier1 {
    let (tests, others): (Vec<_>, Vec<_>) =
        stage.steps.iter().partition(|step| step.id == OBLIGATORY);
    let lacks = tests.is_empty().then_some(Tier1::Ungraded(Why::NoTests));
    let tests = tests.into_iter().map(grade::step);
    worst(
        tests
            .chain(others.into_iter().map(of_other))
            .chain([of_whole(stage)])
            .chain(lacks),
    )
}

/// A stage beside tier 1: its commands count all the same, and none of them is obligatory.
fn of_other_stage(stage: &Stage) -> Tier1 {
    worst(stage.steps.iter().map(of_other).chain([of_whole(stage)]))
}

/// A step beside the tests. Only the linter may grade nothing, and only it may run out of time as
/// the tests do: nothing runs the others again.
fn of_other(step: &Step) -> Tier1 {
    match grade::step(step) {
        Tier1::Ungraded(why) if step.id == LINT && !is_odd(step, why) => Tier1::Pass,
        Tier1::Timeout(_) if step.id != LINT => Tier1::Ungraded(Why::Killed),
        tier1 @ (Tier1::Pass | Tier1::Fail | Tier1::Timeout(_) | Tier1::Ungraded(_)) => tier1,
    }
}

/// Whether a linter that graded nothing stands against a pass all the same: it contradicts itself,
/// or nothing but its output says that it graded nothing. A linter repeats the lines that it
/// complains about, so a patch could put any words into its output.
fn is_odd(step: &Step, why: Why) -> bool {
    let rests_on_words = || {
        grade::step(&Step {
            output: String::new(),
            pytest: None,
            ..step.clone()
        }) == Tier1::Fail
    };
    matches!(why, Why::Contradiction | Why::Malformed) || rests_on_words()
}

/// What a stage says of itself that its steps do not say: its shape, a step that it left out, or a
/// failure of something that is no step, such as a metric below its target.
fn of_whole(stage: &Stage) -> Tier1 {
    let is_told = |id: &str| {
        stage
            .steps
            .iter()
            .any(|step| step.id == id && grade::step(step) != Tier1::Pass)
    };
    if stage.is_malformed {
        Tier1::Ungraded(Why::Malformed)
    } else if stage.skipped.iter().any(|id| id != LINT && !is_told(id)) {
        Tier1::Ungraded(Why::Skip)
    } else if stage.passed == Some(false) && !misses(stage) {
        Tier1::Ungraded(Why::Contradiction)
    } else {
        Tier1::Pass
    }
}

/// Whether something in a stage is no pass.
fn misses(stage: &Stage) -> bool {
    stage.steps.iter().any(|step| !step.passed)
        || stage
            .answers
            .iter()
            .any(|answer| of_answer(answer) != Tier2::Met)
}

/// A criterion that is not met decides, then one that nobody knows of.
fn of_answers(answers: &[Tier2]) -> Tier2 {
    let worst = [Tier2::NotMet, Tier2::NoEvidence, Tier2::Met];
    worst
        .into_iter()
        .find(|tier2| answers.contains(tier2))
        .unwrap_or(Tier2::Absent)
}

/// A criterion that nobody looked at is not one that failed.
fn of_answer(criteria: &Criteria) -> Tier2 {
    let Criteria::Answer {
        verdict,
        items,
        passed,
        is_guess,
    } = criteria
    else {
        return Tier2::NoEvidence;
    };
    let unseen = items.iter().any(|status| status == "UNVERIFIED");
    let failed = items.iter().any(|status| status == "FAIL");
    match (verdict.as_str(), passed) {
        _ if *is_guess => Tier2::NoEvidence,
        ("COMPLETE", Some(true) | None) if items.iter().all(|status| status == "PASS") => {
            Tier2::Met
        }
        ("INCOMPLETE", Some(false) | None) if !items.is_empty() && (failed || !unseen) => {
            Tier2::NotMet
        }
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
    let lists = [
        &trial.canary_bad,
        &trial.illegal_freeze,
        &trial.uncovered_fail,
    ];
    let decides = |subject: &str| {
        lists
            .iter()
            .any(|list| list.iter().any(|name| name == subject))
    };
    let runs = trial
        .candidate_runs()
        .filter(|run| run.outcome != Outcome::Pass && decides(run.subject()));
    let missed: Vec<_> = runs.map(|run| run.outcome).collect();
    if has(TrialReason::FrozenRegression)
        || missed.iter().any(|outcome| outcome.is_product_failure())
    {
        return Tier1::Fail;
    }
    let only =
        |of: &[Outcome]| !missed.is_empty() && missed.iter().all(|outcome| of.contains(outcome));
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
    let open = |verdict| Finding {
        verdict,
        regression: false,
        complete: false,
    };
    let passed = |complete| Finding {
        verdict: Verdict::Pass,
        regression: false,
        complete,
    };
    match (tier1, tier2) {
        (Tier1::Fail, _) | (Tier1::Timeout(_), Tier2::NotMet) => failed(true),
        (Tier1::Pass | Tier1::Ungraded(_), Tier2::NotMet) => failed(false),
        (Tier1::Pass, Tier2::Met | Tier2::Absent) => passed(true),
        (Tier1::Pass, Tier2::NoEvidence) => passed(false),
        (Tier1::Timeout(_), Tier2::Met) => open(Verdict::Artifact),
        (Tier1::Timeout(_), Tier2::NoEvidence | Tier2::Absent)
        | (Tier1::Ungraded(_), Tier2::Met | Tier2::NoEvidence | Tier2::Absent) => {
            open(Verdict::Unresolved)
        }
    }
}

fn failed(regression: bool) -> Finding {
    Finding {
        verdict: Verdict::Fail,
        regression,
        complete: false,
    }
}

/// What both tiers amount to once tier 1 ran again.
///
/// Only what is open because of the clock is touched, and only an ARTIFACT becomes final by a pass:
/// nobody vouches for the criteria of the others. A run that graded nothing leaves it UNRESOLVED:
/// the clock is no longer the only thing that is known.
pub fn settle(tier1: Tier1, tier2: Tier2, rerun: RerunResult) -> Finding {
    let first = adjudicate(tier1, tier2);
    let is_open = matches!(tier1, Tier1::Timeout(_)) && first.verdict != Verdict::Fail;
    match rerun {
        _ if !is_open => first,
        RerunResult::Pass if first.verdict == Verdict::Artifact => Finding {
            verdict: Verdict::Pass,
            regression: false,
            complete: true,
        },
        RerunResult::Fail => failed(true),
        RerunResult::Timeout => Finding {
            verdict: Verdict::TimeoutConfirmed,
            ..first
        },
        RerunResult::Ungraded => Finding {
            verdict: Verdict::Unresolved,
            ..first
        },
        RerunResult::Pass => first,
    }
}

#[cfg(test)]
mod tests;
