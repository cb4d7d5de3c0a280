//! How a run ended, stated as a table: the first line that is true is the outcome.

use std::collections::BTreeSet;

use git_reins::decide::outcome::{Counts, Results, RunFacts, judge_run};
use git_reins::model::run::End;
use git_reins::model::trial::Outcome;
use git_reins::policy::ExitMap;

type Line = (Outcome, fn(&World) -> bool);

struct World {
    facts: RunFacts,
    exit: ExitMap,
}

impl World {
    fn code_in(&self, codes: &BTreeSet<u8>) -> bool {
        codes
            .iter()
            .any(|code| self.facts.end == End::Exit(i32::from(*code)))
    }

    fn counted(&self, holds: impl Fn(&Counts, u64) -> bool) -> bool {
        matches!(&self.facts.results, Results::Read { counts, require_executed } if holds(counts, *require_executed))
    }
}

const TABLE: &[Line] = &[
    (Outcome::Tamper, |world| !world.facts.tampered.is_empty()),
    (Outcome::OutputLimit, |world| {
        matches!(world.facts.end, End::OutputLimit)
    }),
    (Outcome::Timeout, |world| {
        matches!(world.facts.end, End::Timeout)
    }),
    (Outcome::Oom, |world| {
        world.facts.end == End::Signal(9) && world.facts.out_of_memory
    }),
    (Outcome::Signal, |world| {
        matches!(world.facts.end, End::Signal(_))
    }),
    (Outcome::Error, |world| {
        matches!(world.facts.end, End::NotStarted(_))
    }),
    (Outcome::Error, |world| {
        !world.code_in(&world.exit.pass) && !world.code_in(&world.exit.fail)
    }),
    (Outcome::Error, |world| {
        matches!(
            world.facts.results,
            Results::Missing | Results::Unreadable(_)
        )
    }),
    (Outcome::Error, |world| {
        world.counted(|counts, _| counts.errored > 0)
    }),
    (Outcome::Error, |world| {
        world.counted(|counts, wanted| {
            counts.passed + counts.failed + counts.flaky + counts.errored < wanted
        })
    }),
    (Outcome::Fail, |world| world.code_in(&world.exit.fail)),
    (Outcome::Fail, |world| {
        world.counted(|counts, _| counts.failed > 0)
    }),
    (Outcome::Leak, |world| world.facts.leaked > 0),
    (Outcome::FlakyPass, |world| {
        world.counted(|counts, _| counts.flaky > 0)
    }),
    (Outcome::Pass, |_| true),
];

fn results() -> Vec<Results> {
    let mut all = vec![
        Results::NotExpected,
        Results::Missing,
        Results::Unreadable("x".to_owned()),
    ];
    for bits in 0..32_u64 {
        let bit = |at: u64| bits >> at & 1;
        let counts = Counts {
            passed: bit(0),
            failed: bit(1),
            errored: bit(2),
            skipped: bit(3),
            flaky: bit(4),
        };
        all.extend([1, 2].map(|require_executed| Results::Read {
            counts,
            require_executed,
        }));
    }
    all
}

fn ends() -> Vec<End> {
    let codes = [-1, 0, 1, 2, 5, 128, 137, 139, 256, 257];
    let signals = [6, 9, 11].map(End::Signal);
    let others = [
        End::NotStarted("x".to_owned()),
        End::Timeout,
        End::OutputLimit,
    ];
    codes
        .map(End::Exit)
        .into_iter()
        .chain(signals)
        .chain(others)
        .collect()
}

#[test]
fn outcomes_are_those_of_the_table() {
    let maps = [(&[0][..], &[1][..]), (&[0, 5], &[1, 139]), (&[1], &[0])];
    let mut worlds = 0;
    for (pass, fail) in maps {
        let exit = ExitMap {
            pass: pass.iter().copied().collect(),
            fail: fail.iter().copied().collect(),
        };
        for (end, results) in ends()
            .iter()
            .flat_map(|end| results().into_iter().map(move |one| (end, one)))
        {
            for bits in 0..8 {
                let facts = RunFacts {
                    end: end.clone(),
                    budget_s: 1,
                    output_max_mib: 1,
                    out_of_memory: bits & 1 > 0,
                    leaked: bits >> 1 & 1,
                    tampered: if bits & 4 > 0 {
                        vec!["fixtures/a".to_owned()]
                    } else {
                        Vec::new()
                    },
                    results: results.clone(),
                };
                let world = World {
                    facts,
                    exit: exit.clone(),
                };
                let expected = TABLE.iter().find(|(_, holds)| holds(&world)).unwrap().0;
                let ended = judge_run(&world.facts, &world.exit);
                assert_eq!(
                    ended.outcome, expected,
                    "{:?} {:?}",
                    world.facts, world.exit
                );
                assert_eq!(
                    ended.note.is_empty(),
                    expected == Outcome::Pass,
                    "{ended:?}"
                );
                assert_eq!(
                    ended.reason.is_some(),
                    needs_reason(&world, expected),
                    "{ended:?}"
                );
                worlds += 1;
            }
        }
    }
    assert_eq!(worlds, 3 * 16 * 67 * 8);
}

/// An error has a case; a failure has one only when the exit code said pass.
fn needs_reason(world: &World, outcome: Outcome) -> bool {
    outcome == Outcome::Error || outcome == Outcome::Fail && world.code_in(&world.exit.pass)
}
