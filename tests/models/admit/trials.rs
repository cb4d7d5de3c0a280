//! Is a recorded trial weighed as the contract says? Every small vector of runs, against a few sentences.

use std::collections::BTreeSet;

use git_reins::decide::admit::admit;
use git_reins::decide::evaluation::Evaluation;
use git_reins::decide::score::Scores;
use git_reins::decide::trial_key::Bound;
use git_reins::model::decision::{Outcome as Decided, VerdictEvidence};
use git_reins::model::ids::Sha256;
use git_reins::model::refusal::Code;
use git_reins::model::trial::*;

use super::super::parts::commit;
use super::facts::Ground;
use super::rules::outcome;
use super::worlds::*;

/// The runs of one seed on the candidate.
const RUNS: [&[Outcome]; 8] = [
    &[],
    &[Outcome::Pass],
    &[Outcome::Fail],
    &[Outcome::Pass, Outcome::Pass, Outcome::Pass],
    &[Outcome::Pass, Outcome::Fail, Outcome::Pass],
    &[Outcome::Fail, Outcome::Fail, Outcome::Fail],
    &[Outcome::Pass, Outcome::Timeout, Outcome::Pass],
    &[Outcome::Pass, Outcome::Leak],
];

/// The canaries of the policy, and how the one that is varied ends.
const CANARIES: [&str; 5] = [
    "parse_diff",
    "apply_check",
    "no_secret_marker",
    "public_signature",
    "lint",
];
const VARIED: [Option<Outcome>; 3] = [Some(Outcome::Pass), Some(Outcome::Fail), None];

fn run(id: &str, property: Option<&str>, outcome: Outcome) -> CheckRun {
    CheckRun {
        id: id.to_owned(),
        property: property.map(|id| id.parse().unwrap()),
        kind: if property.is_some() {
            CheckKind::Property
        } else {
            CheckKind::Canary
        },
        seed: property.map(|_| "0".to_owned()),
        revision: Revision::Candidate,
        outcome,
        class: None,
        reason: None,
        exit: None,
        signal: None,
        opened: None,
        details: RunDetails::default(),
    }
}

/// What is varied of a trial.
#[derive(Clone, Copy, Debug)]
struct Vector {
    canary: (usize, Option<Outcome>),
    rows: [&'static [Outcome]; 2],
    is_frozen: bool,
    is_unstable: bool,
    is_current: bool,
    rejects: bool,
}

impl Vector {
    fn trial(&self, bound: &Bound) -> Trial {
        let mut checks = Vec::new();
        for (at, id) in CANARIES.into_iter().enumerate() {
            let ended = if at == self.canary.0 {
                self.canary.1
            } else {
                Some(Outcome::Pass)
            };
            checks.extend(ended.map(|outcome| run(id, None, outcome)));
        }
        for (at, outcomes) in self.rows.into_iter().enumerate() {
            let middle = if self.is_unstable {
                Outcome::Pass
            } else {
                Outcome::Fail
            };
            for outcome in [Outcome::Fail, middle, Outcome::Fail] {
                checks.push(CheckRun {
                    revision: Revision::Base,
                    ..run("props", Some(IDS[at]), outcome)
                });
            }
            checks.extend(
                outcomes
                    .iter()
                    .map(|outcome| run("props", Some(IDS[at]), *outcome)),
            );
        }
        Trial {
            schema: TRIAL_SCHEMA.to_owned(),
            blob: Some(Sha256([7; 32])),
            base_rev: commit(0),
            base_tree: bound.base_tree.unwrap(),
            candidate_tree: Some(bound.candidate_tree),
            touched: Vec::new(),
            seeds: Vec::new(),
            seeds_sha256: Sha256([0; 32]),
            policy_sha256: if self.is_current {
                bound.policy_sha256
            } else {
                Sha256([1; 32])
            },
            rows_sha256: bound.rows_sha256,
            epoch: bound.epoch.clone().unwrap(),
            image: Image {
                id: bound.image_id.clone(),
                fingerprint: String::new(),
            },
            enforced: Enforced {
                fixtures: FixtureGuard::BindRo,
                network: NetworkGuard::NetnsLo,
                kill: KillGuard::Pgrp,
                trace: Trace::None,
            },
            checks,
            power: Vec::new(),
            online: Vec::new(),
            unwitnessed: Vec::new(),
            held: Vec::new(),
            canary_bad: Vec::new(),
            illegal_freeze: Vec::new(),
            uncovered_fail: Vec::new(),
            verdict: if self.rejects {
                TrialVerdict::Reject
            } else {
                TrialVerdict::Admit
            },
            reasons: Vec::new(),
            timing: None,
        }
    }

    /// What the contract refuses.
    fn refusals(&self, eligible: bool) -> BTreeSet<Code> {
        let mut codes = BTreeSet::new();
        if !self.is_current {
            return BTreeSet::from([Code::VerdictStale]);
        }
        codes.extend(self.rejects.then_some(Code::VerdictRejected));
        if self.canary.1 != Some(Outcome::Pass) {
            codes.insert(Code::CanaryFailed);
            return codes; // freezes and properties are not looked at
        }
        let all_pass =
            |runs: &[Outcome]| !runs.is_empty() && runs.iter().all(|one| *one == Outcome::Pass);
        for (at, runs) in self.rows.into_iter().enumerate() {
            match self.is_frozen && at == 1 {
                false if all_pass(runs) => {}
                false => drop(codes.insert(Code::UnfrozenPropertyFailed)),
                true if !self.is_unstable => drop(codes.insert(Code::FreezeStableFailure)),
                true if runs.len() >= 3 && (all_pass(runs) || (eligible && self.is_hit())) => {}
                true => drop(codes.insert(Code::FrozenRegression)),
            }
        }
        codes
    }

    /// Whether the frozen seed failed now and then, and did nothing else.
    fn is_hit(&self) -> bool {
        let runs = self.rows[1];
        let only = runs
            .iter()
            .all(|one| matches!(one, Outcome::Pass | Outcome::Fail));
        only && runs.contains(&Outcome::Pass) && runs.contains(&Outcome::Fail)
    }
}

fn vectors() -> impl Iterator<Item = Vector> {
    let canaries = [0, CANARIES.len() - 1]
        .into_iter()
        .flat_map(|at| VARIED.map(|outcome| (at, outcome)));
    canaries.flat_map(|canary| {
        RUNS.into_iter().flat_map(move |first| {
            RUNS.into_iter().flat_map(move |second| {
                (0..16).map(move |bits: u8| Vector {
                    canary,
                    rows: [first, second],
                    is_frozen: bits & 1 != 0,
                    is_unstable: bits & 2 != 0,
                    is_current: bits & 4 != 0,
                    rejects: bits & 8 != 0,
                })
            })
        })
    })
}

#[test]
fn recorded_trials_are_weighed_as_the_contract_says() {
    let ground = Ground::new();
    let worlds = [
        World::good(),
        World {
            freezes: vec![GOOD_FREEZE],
            ..World::good()
        },
    ];
    let mut count = 0;
    for eligible in [false, true] {
        let evaluations = worlds.clone().map(|world| {
            let mut facts = ground.facts(&world);
            facts
                .policy
                .checks
                .iter_mut()
                .for_each(|check| check.quarantine_eligible = eligible);
            Evaluation::of(facts)
        });
        let bounds = evaluations.each_ref().map(Bound::of);
        for vector in vectors() {
            let evaluation = &evaluations[usize::from(vector.is_frozen)];
            let trial = vector.trial(&bounds[usize::from(vector.is_frozen)]);
            let answer = admit(evaluation, Scores::Trial(&trial, VerdictEvidence::Rerun)).unwrap();
            let expected = vector.refusals(eligible);
            let is_held = vector.is_current
                && vector.canary.1 == Some(Outcome::Pass)
                && vector.is_frozen
                && vector.is_unstable
                && vector.rows[1].len() >= 3
                && eligible
                && vector.is_hit();
            let found: BTreeSet<Code> = answer.refusals.iter().copied().collect();
            assert_eq!(
                (found, answer.decision),
                (expected.clone(), outcome(&expected, is_held)),
                "{vector:?}"
            );
            assert_eq!(!answer.held.is_empty(), is_held, "{vector:?}");
            assert!(
                answer.decision != Decided::Admit || vector.is_current && !vector.rejects,
                "{vector:?}"
            );
            count += 1;
        }
    }
    assert_eq!(count, 2 * 6 * 64 * 16);
}
