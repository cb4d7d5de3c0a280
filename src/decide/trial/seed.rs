//! Judges one seed of a property, with its freeze row when it has one.

use super::facts::{FreezeFacts, PropertyFacts, SeedFacts, TrialFacts};
use crate::model::path::RepoPath;
use crate::model::trial::Outcome;

/// What a seed says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SeedVerdict {
    /// Every run on the candidate passed.
    Pass,
    /// It missed, and nothing can cover that.
    Uncovered,
    /// It is frozen and failed, and the row cannot be used.
    Illegal,
    /// It is frozen and failed, and the row holds it for a person.
    Held,
    /// It is frozen, passes sometimes on base, and never on the candidate.
    Regression,
    /// It is frozen, and fails on base whenever it gets so far: a known defect, not a flake.
    StableFailure,
}

/// Judges one seed.
pub(super) fn judge(trial: &TrialFacts, property: &PropertyFacts, seed: &SeedFacts) -> SeedVerdict {
    let rows: Vec<_> = property
        .freezes
        .iter()
        .filter(|row| row.seed == seed.seed)
        .collect();
    if rows.is_empty() {
        judge_bare(seed)
    } else {
        judge_frozen(trial, property, seed, &rows)
    }
}

fn judge_bare(seed: &SeedFacts) -> SeedVerdict {
    if is_pass(&seed.candidate) {
        SeedVerdict::Pass
    } else {
        SeedVerdict::Uncovered
    }
}

/// Freeze rows are looked at last: only a seed that failed, and did nothing worse, asks for one.
fn judge_frozen(
    trial: &TrialFacts,
    property: &PropertyFacts,
    seed: &SeedFacts,
    rows: &[&FreezeFacts],
) -> SeedVerdict {
    let only = |outcomes: &[Outcome]| {
        seed.candidate
            .iter()
            .all(|outcome| outcomes.contains(outcome))
    };
    let base = Base::of(&seed.base);
    if base == Base::StableFailure {
        SeedVerdict::StableFailure
    } else if is_pass(&seed.candidate) {
        SeedVerdict::Pass
    } else if seed.candidate.is_empty() || !only(&[Outcome::Pass, Outcome::Fail]) {
        SeedVerdict::Uncovered
    } else if base == Base::PassesSometimes && only(&[Outcome::Fail]) {
        SeedVerdict::Regression
    } else if base == Base::PassesSometimes
        && property.eligible
        && rows.iter().all(|row| is_usable(trial, row))
    {
        SeedVerdict::Held
    } else {
        SeedVerdict::Illegal
    }
}

fn is_pass(candidate: &[Outcome]) -> bool {
    !candidate.is_empty() && candidate.iter().all(|outcome| *outcome == Outcome::Pass)
}

/// What a replay on base shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// At least one run passed.
    PassesSometimes,
    /// No run passed, and at least one failed.
    StableFailure,
    /// Nothing: a timeout, a kill or a missing tool is no evidence for a freeze.
    NoEvidence,
}

impl Base {
    fn of(outcomes: &[Outcome]) -> Self {
        let any = |wanted: &[Outcome]| outcomes.iter().any(|outcome| wanted.contains(outcome));
        if any(&[Outcome::Pass, Outcome::FlakyPass]) {
            Self::PassesSometimes
        } else if any(&[Outcome::Fail]) {
            Self::StableFailure
        } else {
            Self::NoEvidence
        }
    }
}

/// Whether the replay on base showed no instability: nothing there confirms the freeze.
pub(super) fn is_unconfirmed(seed: &SeedFacts) -> bool {
    let any = |wanted: &[Outcome]| seed.base.iter().any(|outcome| wanted.contains(outcome));
    !(any(&[Outcome::FlakyPass]) || any(&[Outcome::Pass]) && any(&[Outcome::Fail]))
}

fn is_usable(trial: &TrialFacts, row: &FreezeFacts) -> bool {
    let overlaps = |path| {
        trial
            .touched
            .iter()
            .any(|touched| row_covers(path, touched))
    };
    row.sound
        && row.eligible
        && row
            .expires_at
            .is_some_and(|day| day.days_since(trial.today) >= 0)
        && row.paths.iter().any(overlaps)
}

fn row_covers(path: &RepoPath, touched: &RepoPath) -> bool {
    path.covers(touched.as_str())
}
