//! Says what the runs of a replayed seed show, on base and on a candidate.
//!
//! Of a candidate it says what a trial says of the same runs.

use super::facts::Material;
use super::trial::{PropertyFacts, SeedFacts, SeedVerdict, TrialFacts, seed_verdict};
use crate::ledger::oracle::OracleRow;
use crate::model::ids::Sha256;
use crate::model::record::print;
use crate::model::replay::{OnCandidate, Shows};
use crate::model::trial::Outcome;

/// What runs on base show. `ignores_seed`: two seeds drew the same there.
///
/// A run that was not graded takes away what the others may show, but for a failure that no run
/// contradicts.
pub fn shows(base: &[Outcome], ignores_seed: bool) -> Shows {
    let count = |wanted: Outcome| base.iter().filter(|outcome| **outcome == wanted).count();
    let (passed, flaky, failed) = (
        count(Outcome::Pass),
        count(Outcome::FlakyPass),
        count(Outcome::Fail),
    );
    if ignores_seed || passed + flaky + failed == 0 {
        Shows::NoEvidence
    } else if passed + flaky == 0 {
        Shows::StableFailure
    } else if passed + flaky + failed < base.len() {
        Shows::NoEvidence
    } else if flaky + failed > 0 {
        Shows::Unstable
    } else {
        Shows::Passes
    }
}

/// What a trial says of a seed's runs on its candidate.
pub fn on_candidate(trial: &TrialFacts, property: &PropertyFacts, seed: &SeedFacts) -> OnCandidate {
    match seed_verdict(trial, property, seed) {
        SeedVerdict::Pass => OnCandidate::Passes,
        SeedVerdict::Held => OnCandidate::Held,
        SeedVerdict::Illegal => OnCandidate::IllegalFreeze,
        SeedVerdict::Regression => OnCandidate::FrozenRegression,
        SeedVerdict::StableFailure => OnCandidate::StableFailure,
        SeedVerdict::Uncovered => OnCandidate::Uncovered,
    }
}

/// SHA-256 of a row as it is printed, without the hint that goes stale by itself.
pub fn row_sha256(row: &OracleRow) -> Sha256 {
    Sha256::of(print(&OracleRow {
        authored_commit: None,
        ..row.clone()
    }))
}

/// SHA-256 of everything that a property may load: a line `<mode> <id> <path>` for each entry.
pub fn properties_sha256(material: &Material) -> Sha256 {
    let entries = material.properties.iter();
    Sha256::of(
        entries
            .map(|(path, entry)| format!("{:o} {} {path}\n", entry.mode, entry.id))
            .collect::<String>(),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::decide::trial::{Draft, FreezeFacts};
    use crate::policy::Power;

    /// Every list of up to three outcomes.
    fn all() -> Vec<Vec<Outcome>> {
        let mut lists = vec![Vec::new()];
        for at in 0.. {
            let Some(list) = lists
                .get(at)
                .cloned()
                .filter(|list: &Vec<Outcome>| list.len() < 3)
            else {
                break;
            };
            lists.extend(
                Outcome::ALL
                    .iter()
                    .map(|outcome| [list.as_slice(), &[*outcome]].concat()),
            );
        }
        lists
    }

    /// A seed with a freeze that can be used, and a patch that touches its path.
    fn facts(base: &[Outcome], candidate: &[Outcome]) -> (TrialFacts, PropertyFacts) {
        let today = "2026-11-30".parse().unwrap();
        let path: crate::model::path::RepoPath = "src".parse().unwrap();
        let freeze = FreezeFacts {
            seed: "7".to_owned(),
            expires_at: Some(today),
            eligible: true,
            paths: vec![path.clone()],
            sound: true,
        };
        let property = PropertyFacts {
            id: "a".parse().unwrap(),
            scores: true,
            faced: false,
            eligible: true,
            seeds: vec![SeedFacts {
                seed: "7".to_owned(),
                base: base.to_vec(),
                candidate: candidate.to_vec(),
            }],
            witness: None,
            freezes: vec![freeze],
        };
        let trial = TrialFacts {
            draft: Draft::Patch,
            canaries: Vec::new(),
            properties: Vec::new(),
            touched: BTreeSet::from([path]),
            bytes_changed: false,
            power: Power::Claimed,
            today,
        };
        (trial, property)
    }

    #[test]
    fn a_replay_says_of_base_what_a_trial_would_make_of_it() {
        let lists = all();
        assert_eq!(lists.len(), 1 + 11 + 121 + 1331);
        for base in &lists {
            let failing = facts(base, &[Outcome::Fail]);
            let word = on_candidate(&failing.0, &failing.1, &failing.1.seeds[0]);
            let shown = shows(base, false);
            assert_eq!(
                shown == Shows::StableFailure,
                word == OnCandidate::StableFailure,
                "{base:?}"
            );
            let is_evidence = matches!(shown, Shows::Unstable | Shows::Passes);
            assert!(
                !is_evidence || word == OnCandidate::FrozenRegression,
                "{base:?}"
            );
            let graded = [Outcome::Pass, Outcome::FlakyPass, Outcome::Fail];
            assert!(
                !is_evidence || base.iter().all(|outcome| graded.contains(outcome)),
                "{base:?}"
            );
            assert_eq!(
                shown == Shows::Passes,
                !base.is_empty() && base.iter().all(|o| *o == Outcome::Pass)
            );
            assert_eq!(shows(base, true), Shows::NoEvidence);
            let mixed = facts(base, &[Outcome::Fail, Outcome::Pass]);
            let word = on_candidate(&mixed.0, &mixed.1, &mixed.1.seeds[0]);
            assert!(
                shown != Shows::Unstable || word == OnCandidate::Held,
                "{base:?}"
            );
        }
    }
}
