//! Is every small world answered as the contract says? One predicate for each code, over everything.

mod facts;
mod rules;
mod trials;
mod worlds;

use std::collections::{BTreeMap, BTreeSet};

use git_reins::decide::admit::{admit, check};
use git_reins::decide::evaluation::Evaluation;
use git_reins::decide::score::Scores;
use git_reins::ledger::results::ResultRow;
use git_reins::model::decision::{Decision, Outcome, PropertyStanding, Standing};
use git_reins::model::refusal::Code;

use facts::*;
use rules::*;
use worlds::*;

/// Compares both answers for one world and asserts what holds in every world.
fn compare(ground: &Ground, w: &World, faults: &mut Faults) {
    let evaluation = Evaluation::of(ground.facts(w));
    let expected = refusals(w, &[CHECK]);
    note(
        w,
        "check",
        &check(&evaluation).unwrap(),
        expected,
        needs_human(w),
        faults,
    );
    let list: Vec<ResultRow> = match w.results {
        Results::Given(list) => list.iter().map(result_row).collect(),
        Results::Recorded | Results::Unreadable => Vec::new(),
    };
    let scores = match w.results {
        Results::Recorded => Scores::Recorded(None),
        Results::Unreadable => Scores::Unreadable(&ground.invalid),
        Results::Given(_) => Scores::Given(&list),
    };
    let expected = refusals(w, &[CHECK, SCORE]);
    let answer = admit(&evaluation, scores).unwrap();
    let is_held = needs_human(w) || !held(w).is_empty();
    note(w, "admit", &answer, expected, is_held, faults);
    let answer_held: BTreeSet<&str> = answer.held.iter().map(|id| id.as_str()).collect();
    if answer_held != held(w) {
        faults
            .entry(format!("held {answer_held:?}, expected {:?}", held(w)))
            .or_default()
            .push(w.shown());
    }
    laws(ground, w, &answer, &list);
}

/// The worlds in which the two answers differ, by the way in which they do.
type Faults = BTreeMap<String, Vec<String>>;

fn note(
    w: &World,
    what: &str,
    answer: &Decision,
    codes: BTreeSet<Code>,
    is_held: bool,
    faults: &mut Faults,
) {
    let found = BTreeSet::from_iter(answer.refusals.iter().copied());
    let wanted = outcome(&codes, is_held);
    if found != codes || answer.decision != wanted {
        let (more, less): (Vec<_>, Vec<_>) = (
            found.difference(&codes).collect(),
            codes.difference(&found).collect(),
        );
        let way = format!(
            "{what}: {:?}, expected {wanted:?}; too many {more:?}, too few {less:?}",
            answer.decision
        );
        faults.entry(way).or_default().push(w.shown());
    }
}

fn result_row(one: &Result3) -> ResultRow {
    ResultRow {
        property_id: one.0.to_owned(),
        status: one.1.to_owned(),
        canary: one.2,
    }
}

/// What holds in every world, whatever the model says.
fn laws(ground: &Ground, w: &World, answer: &Decision, list: &[ResultRow]) {
    let misses = list
        .iter()
        .any(|one| one.canary == Some(true) && one.status != "pass");
    assert!(
        !misses || answer.decision == Outcome::Refuse,
        "a canary miss refuses: {w:?}"
    );
    let empty = has_patch(w) && !(0..2).any(|at| in_complement(w, at));
    assert!(
        !empty || answer.decision == Outcome::Refuse,
        "an empty complement refuses: {w:?}"
    );
    assert_eq!(
        answer.refusals.is_empty(),
        answer.decision != Outcome::Refuse,
        "{w:?}"
    );
    let is_held = !answer.held.is_empty() || !answer.details.is_empty();
    assert!(
        answer.decision != Outcome::Admit || !is_held,
        "what is held is not admitted: {w:?}"
    );
    let named = freezes(w).iter().filter_map(|freeze| match freeze.target {
        Target::Row(at) => Some(IDS[at]),
        Target::NoRow | Target::BuiltIn | Target::Declared | Target::Absent => None,
    });
    for id in named {
        let scores = |one: &&PropertyStanding| {
            one.property_id.as_str() == id && one.state == Standing::Scored
        };
        assert!(
            answer.properties.iter().find(scores).is_none(),
            "{id} is frozen: {w:?}"
        );
    }
    if answer.decision != Outcome::Refuse {
        let worse = World {
            stray: Some(Code::PathUnsafe),
            ..w.clone()
        };
        let worse = Evaluation::of(ground.facts(&worse));
        let answer = admit(&worse, Scores::Given(list)).unwrap();
        assert_eq!(
            answer.refusals,
            [Code::PathUnsafe],
            "one more reason: {w:?}"
        );
    }
}

/// Runs the comparison over some worlds and counts them.
fn survey(worlds: impl Iterator<Item = World>) -> usize {
    let ground = Ground::new();
    let (mut count, mut faults) = (0, Faults::new());
    for w in worlds {
        count += 1;
        compare(&ground, &w, &mut faults);
    }
    let shown = |(way, worlds): (&String, &Vec<String>)| {
        let smallest = worlds.iter().min_by_key(|world| world.len());
        format!(
            "{way} ({} worlds)\n    {}\n",
            worlds.len(),
            smallest.unwrap()
        )
    };
    assert!(
        faults.is_empty(),
        "{count} worlds:\n{}",
        faults.iter().map(shown).collect::<String>()
    );
    count
}

#[test]
fn rows_are_judged_as_the_contract_says() {
    let (rows, freezes) = (row_cases(), few_freezes());
    let seconds: Vec<Option<Row>> = vec![None, Some(GOOD_ROW), few_rows()[4].first().copied()];
    let worlds = rows.iter().flat_map(|row| {
        let lists = seconds
            .iter()
            .flat_map(|second| freezes.iter().map(move |list| (second, list)));
        lists.flat_map(|(second, list)| {
            let rows: Vec<_> = [*row].into_iter().chain(*second).collect();
            RESULTS.map(|results| World {
                rows: rows.clone(),
                freezes: list.clone(),
                results,
                ..World::good()
            })
        })
    });
    assert_eq!(survey(worlds), 10_920);
}

#[test]
fn freezes_and_results_are_judged_as_the_contract_says() {
    let (rows, freezes) = (few_rows(), freeze_lists());
    let worlds = rows.iter().flat_map(|rows| {
        freezes.iter().flat_map(move |list| {
            let of = |results, shape| World {
                rows: rows.clone(),
                freezes: list.clone(),
                results,
                shape,
                ..World::good()
            };
            RESULTS
                .into_iter()
                .flat_map(move |results| SHAPES.map(|shape| of(results, shape)))
        })
    });
    assert_eq!(survey(worlds), 37_380);
}

#[test]
fn epochs_are_judged_as_the_contract_says() {
    let freezes: Vec<_> = freeze_cases(1)
        .into_iter()
        .map(|freeze| vec![freeze])
        .chain([vec![]])
        .collect();
    let worlds = EPOCHS.into_iter().flat_map(|epoch| {
        let freezes = &freezes;
        few_rows().into_iter().flat_map(move |rows| {
            freezes.iter().flat_map(move |list| {
                let rows = rows.clone();
                let of = move |at: usize| World {
                    rows: rows.clone(),
                    freezes: list.clone(),
                    epoch,
                    results: RESULTS[at],
                    ..World::good()
                };
                [0, 4, 5].map(of)
            })
        })
    });
    assert_eq!(survey(worlds), 7_935);
}

#[test]
fn unreadable_material_is_refused_as_the_contract_says() {
    let strays = [None, Some(Code::LedgerInvalid), Some(Code::PathUnsafe)];
    let mut worlds = Vec::new();
    for (oracle, fixture, freeze) in triples() {
        for (stray, has_base) in strays
            .into_iter()
            .flat_map(|stray| [(stray, true), (stray, false)])
        {
            for (rows, freezes) in few_rows().into_iter().zip(few_freezes()) {
                for results in [RESULTS[0], RESULTS[4], RESULTS[5]] {
                    let files = [oracle, fixture, freeze];
                    let (rows, freezes) = (rows.clone(), freezes.clone());
                    worlds.push(World {
                        rows,
                        freezes,
                        stray,
                        has_base,
                        files,
                        results,
                        ..World::good()
                    });
                }
            }
        }
    }
    assert_eq!(survey(worlds.into_iter()), 5_760);
}
