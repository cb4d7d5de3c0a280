//! Decides a trial from the vector of its runs.
//!
//! A canary that misses rejects before any freeze is looked at. A freeze holds a seed that failed,
//! and never one that did worse. Whatever has no run did not pass.

mod facts;
mod power;
mod seed;

use std::collections::BTreeSet;

use crate::model::ids::OracleId;
use crate::model::trial::{Outcome, PropertyPower, TrialReason, TrialVerdict};
use crate::policy::BUILT_IN_CANARIES;

pub use facts::{
    CanaryAnswer, CanaryFacts, Draft, FreezeFacts, PropertyFacts, SeedFacts, TrialFacts,
    TrialScope, failure_counts, runs_of,
};
pub use power::Weakness;
pub use seed::SeedVerdict;

/// What was decided, and what it rests on. Every list is sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialDecision {
    /// The verdict.
    pub verdict: TrialVerdict,
    /// Why it does not admit; empty when it does.
    pub reasons: Vec<TrialReason>,
    /// The first canary that missed; nothing runs after it.
    pub canary_bad: Vec<String>,
    /// Properties with a frozen seed that failed and is held.
    pub held: Vec<String>,
    /// Properties with a frozen seed that failed, under a row that cannot be used.
    pub illegal_freeze: Vec<String>,
    /// Properties with a seed that missed and that nothing covers.
    pub uncovered_fail: Vec<String>,
    /// What shows that each property can fail, in the order of the facts.
    pub power: Vec<PropertyPower>,
    /// What each seed of each property says, in the order of the facts.
    pub seeds: Vec<(OracleId, String, SeedVerdict)>,
    /// Rows that are smoke in this trial although they score by themselves.
    pub weak: Vec<(OracleId, Weakness)>,
    /// Properties that do not score, and missed: shown, never counted.
    pub unscored_miss: Vec<OracleId>,
    /// Frozen seeds whose instability was not seen again.
    pub unconfirmed: Vec<(OracleId, String)>,
}

/// Decides a trial.
pub fn judge(facts: &TrialFacts) -> TrialDecision {
    let mut tally = Tally::default();
    match facts.draft {
        Draft::Infra => tally.because(TrialReason::Infra),
        Draft::Blank => tally.because(TrialReason::EmptyBlob),
        Draft::Patch => match missed_canary(&facts.canaries) {
            Some(canary) => tally.miss_canary(canary),
            None => judge_properties(facts, &mut tally),
        },
    }
    tally.decide()
}

/// What one seed of a property says in a trial.
pub fn seed_verdict(trial: &TrialFacts, property: &PropertyFacts, seed: &SeedFacts) -> SeedVerdict {
    seed::judge(trial, property, seed)
}

/// The first canary that is anything but a hard pass. One that is built in and was not looked at
/// is a miss.
fn missed_canary(canaries: &[CanaryFacts]) -> Option<&str> {
    let missed = canaries
        .iter()
        .map(|canary| (canary.id.as_str(), canary))
        .find(|(id, canary)| match canary.answer {
            CanaryAnswer::Ended(outcome) => outcome != Outcome::Pass,
            CanaryAnswer::NotConfigured => *id != "public_signature",
        });
    let absent = |name: &&str| !canaries.iter().any(|canary| canary.id == *name);
    missed
        .map(|(id, _)| id)
        .or_else(|| BUILT_IN_CANARIES.into_iter().find(absent))
}

fn judge_properties(facts: &TrialFacts, tally: &mut Tally) {
    if facts.bytes_changed {
        tally.because(TrialReason::BytesChanged);
    }
    let counted = facts
        .properties
        .iter()
        .filter(|property| judge_property(facts, property, tally))
        .count();
    if counted == 0 {
        tally.because(TrialReason::NothingScored);
    }
}

/// Judges one property and tells whether it belongs to the complement that scores.
///
/// A row that shows too little leaves the score when it passes. When it misses it stays: no policy
/// that asks for more evidence may let a patch break more.
fn judge_property(facts: &TrialFacts, property: &PropertyFacts, tally: &mut Tally) -> bool {
    let judged = |seed| (seed, seed::judge(facts, property, seed));
    let verdicts: Vec<_> = property.seeds.iter().map(judged).collect();
    let complete = !verdicts.is_empty()
        && property
            .freezes
            .iter()
            .all(|row| property.seeds.iter().any(|seed| seed.seed == row.seed));
    let misses = !complete
        || verdicts
            .iter()
            .any(|(_, verdict)| *verdict != SeedVerdict::Pass);
    for (seed, verdict) in &verdicts {
        tally
            .decision
            .seeds
            .push((property.id.clone(), seed.seed.clone(), *verdict));
    }
    tally.decision.power.push(PropertyPower {
        property_id: property.id.clone(),
        power: power::of(property),
    });
    if !property.scores && !property.faced {
        tally
            .decision
            .unscored_miss
            .extend(misses.then(|| property.id.clone()));
        return false;
    }
    if !complete {
        tally.uncovered.insert(property.id.to_string());
    }
    for (seed, verdict) in verdicts {
        tally.add(property, seed, verdict);
    }
    let weakness = power::weakness(facts, property).filter(|_| property.scores && !misses);
    tally
        .decision
        .weak
        .extend(weakness.map(|weakness| (property.id.clone(), weakness)));
    property.scores && weakness.is_none() && property.freezes.is_empty()
}

/// What was found so far.
struct Tally {
    decision: TrialDecision,
    reasons: BTreeSet<TrialReason>,
    held: BTreeSet<String>,
    illegal: BTreeSet<String>,
    uncovered: BTreeSet<String>,
}

impl Default for Tally {
    fn default() -> Self {
        let decision = TrialDecision {
            verdict: TrialVerdict::Reject, // until everything was looked at
            reasons: Vec::new(),
            canary_bad: Vec::new(),
            held: Vec::new(),
            illegal_freeze: Vec::new(),
            uncovered_fail: Vec::new(),
            power: Vec::new(),
            seeds: Vec::new(),
            weak: Vec::new(),
            unscored_miss: Vec::new(),
            unconfirmed: Vec::new(),
        };
        let none = BTreeSet::new;
        Self {
            decision,
            reasons: BTreeSet::new(),
            held: none(),
            illegal: none(),
            uncovered: none(),
        }
    }
}

impl Tally {
    fn because(&mut self, reason: TrialReason) {
        self.reasons.insert(reason);
    }

    fn miss_canary(&mut self, canary: &str) {
        self.decision.canary_bad.push(canary.to_owned());
        self.because(TrialReason::CanaryBad);
    }

    fn add(&mut self, property: &PropertyFacts, seed: &SeedFacts, verdict: SeedVerdict) {
        let name = property.id.to_string();
        match verdict {
            SeedVerdict::Pass => {}
            SeedVerdict::Uncovered => drop(self.uncovered.insert(name)),
            SeedVerdict::Illegal => drop(self.illegal.insert(name)),
            SeedVerdict::Held => drop(self.held.insert(name)),
            SeedVerdict::Regression => self.because(TrialReason::FrozenRegression),
            SeedVerdict::StableFailure => self.because(TrialReason::FreezeStableFailure),
        }
        let frozen = property.freezes.iter().any(|row| row.seed == seed.seed);
        if frozen && seed::is_unconfirmed(seed) && verdict != SeedVerdict::StableFailure {
            self.decision
                .unconfirmed
                .push((property.id.clone(), seed.seed.clone()));
        }
    }

    fn decide(mut self) -> TrialDecision {
        let lists = [
            (TrialReason::UncoveredFail, &self.uncovered),
            (TrialReason::IllegalFreeze, &self.illegal),
            (TrialReason::FreezeHit, &self.held),
        ];
        self.reasons.extend(
            lists
                .iter()
                .filter(|(_, list)| !list.is_empty())
                .map(|(reason, _)| *reason),
        );
        let reasons: Vec<_> = self.reasons.into_iter().collect();
        let verdict = match reasons.as_slice() {
            [] => TrialVerdict::Admit,
            [TrialReason::FreezeHit] => TrialVerdict::Hold,
            _ => TrialVerdict::Reject,
        };
        TrialDecision {
            verdict,
            reasons,
            held: self.held.into_iter().collect(),
            illegal_freeze: self.illegal.into_iter().collect(),
            uncovered_fail: self.uncovered.into_iter().collect(),
            ..self.decision
        }
    }
}
