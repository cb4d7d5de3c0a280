//! Tells what shows that a property can fail, and whether it scores.

use super::facts::{PropertyFacts, TrialFacts};
use crate::model::trial::{Outcome, Power};
use crate::policy::Power as PowerRule;

/// The best evidence there is.
pub(super) fn of(property: &PropertyFacts) -> Power {
    let all = |outcomes: &[Outcome], wanted| {
        !outcomes.is_empty() && outcomes.iter().all(|outcome| *outcome == wanted)
    };
    let mended = |base: &[Outcome], candidate: &[Outcome]| {
        all(base, Outcome::Fail) && all(candidate, Outcome::Pass)
    };
    if property
        .seeds
        .iter()
        .any(|seed| mended(&seed.base, &seed.candidate))
    {
        Power::BaseFail
    } else if property.witness.as_deref().is_some_and(is_killed) {
        Power::Witness
    } else {
        Power::Claimed
    }
}

/// A known-bad patch is killed when any seed fails on it; a timeout or an error shows nothing.
fn is_killed(witness: &[Outcome]) -> bool {
    witness.contains(&Outcome::Fail)
}

/// Why a row that scores by itself is smoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weakness {
    /// Its own known-bad patch did not make it fail.
    WitnessNotKilled,
    /// It only claims, and the policy asks for more.
    OnlyClaimed,
}

impl Weakness {
    /// Why, to complete "the row is smoke:".
    pub fn words(self) -> &'static str {
        match self {
            Self::WitnessNotKilled => "its own known-bad patch does not make it fail",
            Self::OnlyClaimed => "nothing but its row says that it can fail",
        }
    }
}

/// Whether a row that passes shows too little to score.
pub(super) fn weakness(trial: &TrialFacts, property: &PropertyFacts) -> Option<Weakness> {
    if property
        .witness
        .as_deref()
        .is_some_and(|witness| !is_killed(witness))
    {
        return Some(Weakness::WitnessNotKilled);
    }
    match (trial.power, of(property)) {
        (PowerRule::Witness, Power::Claimed) => Some(Weakness::OnlyClaimed),
        (PowerRule::Witness, Power::BaseFail | Power::Witness) | (PowerRule::Claimed, _) => None,
    }
}
