//! Does the order of every small history get the answer that a boolean matrix gives?

pub mod facts;
pub mod rules;

use std::collections::{BTreeMap, BTreeSet};

use git_reins::decide::order;
use git_reins::model::ids::CommitId;
use git_reins::model::refusal::Code;
use git_reins::policy::Policy;
use proptest::strategy::{Strategy as _, ValueTree};

use super::dice::runner;
use super::parts::{commit, policy};
use super::world::{ROWS, World};
use facts::facts;
use rules::{Finding, Model};

/// The ways in which both answers differ for one world.
fn differences(world: &World, policy: &Policy) -> BTreeSet<String> {
    let model = Model::of(world);
    let order = order::judge(&facts(&model, policy));
    let mut ways = BTreeSet::new();
    let patches: BTreeSet<CommitId> = model.patches().into_iter().map(commit).collect();
    if BTreeSet::from_iter(order.patch.iter().copied()) != patches {
        ways.insert("patch commits".to_owned());
    }
    let late: BTreeSet<usize> = (0..2)
        .filter(|row| order.late.contains_key(ROWS[*row]))
        .collect();
    let mut expected = model.findings(&late);
    let mut found: BTreeSet<Finding> = order
        .findings
        .details
        .iter()
        .map(|one| (one.code, one.reason, one.subject.clone()))
        .collect();
    for (row, id) in ROWS.into_iter().enumerate() {
        let finding = |reason| (Code::OracleNotIndependent, reason, id.to_owned());
        let refusing = ["same-commit", "changed-after-patch", "weakened"].map(finding);
        // A row that refuses anyway may be called late as well or not, and for one reason or two.
        let is_refused = refusing.iter().any(|one| expected.contains(one));
        if !is_refused
            && order
                .late
                .get(id)
                .is_some_and(|late| !model.is_late_by(row, late))
        {
            ways.insert(format!("late {:?}", order.late[id].reason));
        }
        if !is_refused && late.contains(&row) != model.late().contains(&row) {
            ways.insert(format!("late {late:?}, expected {:?}", model.late()));
        }
        if expected.contains(&finding("changed-after-patch")) {
            expected.remove(&finding("same-commit"));
            found.remove(&finding("same-commit"));
        }
    }
    ways.extend(
        found
            .difference(&expected)
            .map(|one| format!("too many: {one:?}")),
    );
    ways.extend(
        expected
            .difference(&found)
            .map(|one| format!("too few: {one:?}")),
    );
    ways
}

/// How many histories are compared.
const CASES: usize = 2_000;

/// What every run has to come across at least ten times.
const REASONS: [&str; 20] = [
    "added",
    "after-patch",
    "bytes-with-ledger",
    "changed-after-patch",
    "concurrent",
    "edited",
    "fixture-changed",
    "human-only-path",
    "image-changed",
    "migration-with-patch",
    "no-common-commit",
    "policy-changed",
    "policy-with-patch",
    "property-changed",
    "removed",
    "revert",
    "same-commit",
    "spec-changed",
    "text-changed",
    "weakened",
];

/// The reasons that come up in one world.
fn reasons(world: &World, policy: &Policy) -> BTreeSet<&'static str> {
    let model = Model::of(world);
    let order = order::judge(&facts(&model, policy));
    let late = order.late.values().map(|late| late.reason);
    model
        .findings(&model.late())
        .into_iter()
        .map(|one| one.1)
        .chain(late)
        .collect()
}

#[test]
fn every_small_history_is_judged_as_the_matrix_says() {
    let (policy, mut runner) = (policy(), runner(7));
    let tapes = proptest::collection::vec(proptest::num::u16::ANY, 160);
    let mut faults: BTreeMap<String, (usize, World)> = BTreeMap::new();
    let (mut counts, mut clean): (BTreeMap<&str, usize>, usize) = (BTreeMap::new(), 0);
    for _ in 0..CASES {
        let world = World::read(&tapes.new_tree(&mut runner).unwrap().current());
        for way in differences(&world, &policy) {
            faults.entry(way).or_insert_with(|| (0, world.clone())).0 += 1;
        }
        let reasons = reasons(&world, &policy);
        clean += usize::from(reasons.is_empty());
        reasons
            .into_iter()
            .for_each(|reason| *counts.entry(reason).or_default() += 1);
    }
    let shown = |(way, (count, world)): (&String, &(usize, World))| {
        let smallest = smallest(world.clone(), |world| {
            differences(world, &policy).contains(way)
        });
        format!("{way} ({count} times)\n{}\n", smallest.shown())
    };
    assert!(
        faults.is_empty(),
        "{}",
        faults.iter().map(shown).collect::<String>()
    );
    assert!(
        REASONS.iter().all(|reason| counts.get(reason) >= Some(&10)),
        "too rare: {counts:?}"
    );
    assert!(
        (CASES / 10..=CASES * 8 / 10).contains(&clean),
        "{clean} without a finding"
    );
}

/// Makes a world plainer as long as it stays interesting.
fn smallest(mut world: World, is_interesting: impl Fn(&World) -> bool) -> World {
    while let Some(plainer) = world
        .plainer()
        .into_iter()
        .find(|world| is_interesting(world))
    {
        world = plainer;
    }
    world
}
