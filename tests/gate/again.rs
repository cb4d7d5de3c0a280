//! Checks on random runs that a trial and its recomputation decide the same.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use git_reins::decide::enforced::online;
use git_reins::decide::evaluation::Evaluation;
use git_reins::decide::recorded::{recompute, unwitnessed};
use git_reins::decide::trial::{Draft, TrialFacts, TrialScope, judge};
use git_reins::model::record::{parse, print};
use git_reins::model::trial::*;
use proptest::prelude::Rng as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;

use super::story::{Story, TODAY};
use super::trial::run;

const CASES: usize = 100;

/// Rows that score, that are frozen, that are smoke with and without a file, and one that is late
/// and that a later patch commit had before it.
fn range() -> Story {
    let story = Story::start();
    let mut ledgers = story.ledgers(&["bal-01", "bal-02", "bal-04", "bal-05"]);
    ledgers.freezes = vec![story.freeze("bal-02", "2026-12-20")];
    ledgers.oracles[2]["score"] = json!(false);
    ledgers.oracles[3]["score"] = json!(false);
    ledgers.oracles[3]["property_files"] = json!([]);
    story.land_ledgers(&ledgers);
    story.patch("one");
    ledgers.oracles.push(story.row("bal-03"));
    story.put(&ledgers);
    story.commit("a late row");
    story.patch("two");
    story
}

struct Dice(TestRunner);

impl Dice {
    fn below(&mut self, sides: u32) -> u32 {
        self.0.rng().next_u32() % sides
    }

    fn outcome(&mut self) -> Outcome {
        let at = self.below(3 * Outcome::ALL.len() as u32) as usize;
        Outcome::ALL.get(at).copied().unwrap_or(Outcome::Pass)
    }
}

/// The runs of the honest record with random outcomes: in half of the cases mostly passes, else
/// anything, some of them left out or repeated.
fn runs(honest: &[CheckRun], dice: &mut Dice) -> Vec<CheckRun> {
    if dice.below(2) == 0 {
        return honest.iter().map(|one| mostly_passing(one, dice)).collect();
    }
    let mut runs = Vec::new();
    for one in honest {
        let is_canary = one.property.is_none();
        let times = match dice.below(if is_canary { 40 } else { 12 }) {
            0 => 0,
            1 => 2,
            _ => 1,
        };
        for _ in 0..times {
            let outcome = match is_canary && dice.below(8) > 0 {
                true => one.outcome,
                false => dice.outcome(),
            };
            runs.push(with(one, outcome));
        }
        if !is_canary && dice.below(6) == 0 {
            runs.push(CheckRun {
                revision: Revision::Witness,
                ..with(one, dice.outcome())
            });
        }
    }
    if dice.below(10) == 0 {
        let outcome = dice.outcome();
        runs.push(run("other", None, None, Revision::Candidate, outcome));
    }
    runs
}

/// The frozen seed fails often, any other property seldom, a canary never.
fn mostly_passing(one: &CheckRun, dice: &mut Dice) -> CheckRun {
    let sides = if one.seed.as_deref() == Some("0x9c1e") {
        3
    } else {
        30
    };
    match one.property.is_some() && dice.below(sides) == 0 {
        true => with(one, Outcome::Fail),
        false => one.clone(),
    }
}

fn with(one: &CheckRun, outcome: Outcome) -> CheckRun {
    CheckRun {
        outcome,
        exit: (outcome == Outcome::Pass).then_some(0),
        reason: one.reason.filter(|_| outcome == Outcome::NotRun),
        ..one.clone()
    }
}

/// The record that a trial with these runs writes.
fn record(
    honest: &Trial,
    checks: Vec<CheckRun>,
    evaluation: &Evaluation,
    bytes_changed: bool,
) -> Trial {
    let scope = TrialScope {
        evaluation,
        draft: Draft::Patch,
        touched: honest.touched.iter().cloned().collect(),
        bytes_changed,
        replays: evaluation.facts.policy.judge.replays,
        extra_seeds: &[],
        today: TODAY.parse().expect("a day"),
    };
    let decision = judge(&TrialFacts::of(&checks, scope));
    Trial {
        online: online(&evaluation.facts.policy, &checks),
        unwitnessed: unwitnessed(&checks, &honest.touched),
        power: decision.power,
        held: decision.held,
        canary_bad: decision.canary_bad,
        illegal_freeze: decision.illegal_freeze,
        uncovered_fail: decision.uncovered_fail,
        verdict: decision.verdict,
        reasons: decision.reasons,
        checks,
        ..honest.clone()
    }
}

#[test]
fn a_trial_and_its_recomputation_decide_the_same() {
    let story = range();
    let (mut facts, honest) = (story.facts(), story.trial());
    for check in &mut facts.policy.checks {
        check.quarantine_eligible = true;
    }
    let evaluation = Evaluation::of(facts);
    let late = &evaluation.order.late;
    let faced = late.values().filter(|late| late.is_faced).count();
    assert_eq!(faced, 1, "{late:?}");
    let given = std::env::var("GIT_REINS_TEST_SEED").ok();
    let seed = given.map_or_else(
        || {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            u64::try_from(now.as_nanos() % u128::from(u64::MAX)).unwrap()
        },
        |seed| seed.parse().unwrap(),
    );
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut dice = Dice(TestRunner::new_with_rng(
        Config::default(),
        TestRng::from_seed(RngAlgorithm::ChaCha, &bytes),
    ));
    let mut verdicts = BTreeMap::new();
    for case in 0..CASES {
        let checks = runs(&honest.checks, &mut dice);
        let is_changed = dice.below(20) == 0;
        let trial = record(&honest, checks, &evaluation, is_changed);
        let told = format!("case {case} of GIT_REINS_TEST_SEED={seed}: {trial:#?}");
        parse::<Trial>(print(&trial).as_bytes()).expect(&told);
        let difference = recompute(&evaluation, &trial, TODAY.parse().unwrap());
        assert_eq!(difference, None, "{told}");
        *verdicts.entry(trial.verdict).or_insert(0) += 1;
    }
    println!("seed {seed}: {verdicts:?}");
    assert_eq!(verdicts.len(), TrialVerdict::ALL.len(), "seed {seed}");
}
