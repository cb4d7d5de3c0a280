//! Tests how tiers are read and what counts as a pass.

use super::*;

fn step(id: &str, exit_code: i64) -> Step {
    Step {
        id: id.to_owned(),
        passed: exit_code == 0,
        exit_code: Some(exit_code),
        ..Step::default()
    }
}

fn late(id: &str) -> Step {
    Step {
        timed_out: true,
        exit_code: None,
        passed: false,
        ..step(id, 0)
    }
}

fn stage(steps: &[Step]) -> Stage {
    Stage {
        passed: Some(steps.iter().all(|step| step.passed)),
        steps: steps.to_vec(),
        ..Stage::default()
    }
}

const SKIP: Tier1 = Tier1::Ungraded(Why::Skip);
const LATE: Tier1 = Tier1::Timeout(Clock::Judge);

#[test]
fn the_tests_are_found_by_name_and_a_failure_of_any_step_decides() {
    let missing = step("lint", 127);
    let skipped = Step {
        skipped: true,
        ..step("tests", 0)
    };
    for (steps, expected) in [
        (vec![step("tests", 0)], Tier1::Pass),
        (vec![missing.clone(), step("tests", 0)], Tier1::Pass),
        (vec![step("tests", 0), missing.clone()], Tier1::Pass),
        (vec![step("lint", 1), step("tests", 0)], Tier1::Fail),
        (vec![step("secrets", 1), late("tests")], Tier1::Fail),
        (
            vec![step("secrets", 127), step("tests", 0)],
            Tier1::Ungraded(Why::ToolMissing),
        ),
        (
            vec![step("secrets", 137), step("tests", 0)],
            Tier1::Ungraded(Why::Killed),
        ),
        (
            vec![step("secrets", 127), late("tests")],
            Tier1::Ungraded(Why::ToolMissing),
        ),
        (
            vec![late("secrets"), step("tests", 0)],
            Tier1::Ungraded(Why::Killed),
        ),
        (
            vec![
                Step {
                    exit_code: None,
                    ..step("secrets", 1)
                },
                step("tests", 0),
            ],
            Tier1::Ungraded(Why::NotRun),
        ),
        (
            vec![
                Step {
                    exit_code: None,
                    ..step("lint", 1)
                },
                step("tests", 0),
            ],
            Tier1::Pass,
        ),
        (vec![step("lint", 1)], Tier1::Fail),
        (vec![missing.clone(), late("tests")], LATE),
        (vec![late("lint"), skipped], SKIP),
        (vec![late("lint"), step("tests", 0)], LATE),
        (
            vec![step("tests", 0), step("tests", 127)],
            Tier1::Ungraded(Why::ToolMissing),
        ),
        (
            vec![
                step("tests", 0),
                Step {
                    passed: true,
                    ..step("lint", 1)
                },
            ],
            Tier1::Ungraded(Why::Contradiction),
        ),
        (
            vec![missing, step("secrets", 0)],
            Tier1::Ungraded(Why::NoTests),
        ),
        (vec![step("Tests", 0)], Tier1::Ungraded(Why::NoTests)),
        (vec![], Tier1::Ungraded(Why::NoTests)),
    ] {
        assert_eq!(of_tier1(&stage(&steps)), expected, "{steps:?}");
    }
}

/// A linter repeats the lines it complains about: what a patch writes is no excuse for a failure.
#[test]
fn words_in_the_output_of_another_step_excuse_nothing() {
    for (exit_code, words, why) in [
        (1, "bin/python: No module named pytest", Why::ToolMissing),
        (
            2,
            "==== test session starts ====\nplatform linux",
            Why::Interrupted,
        ),
        (5, "no tests ran", Why::NoTests),
    ] {
        let lint = Step {
            output: words.to_owned(),
            ..step("lint", exit_code)
        };
        assert_eq!(
            of_tier1(&stage(&[lint.clone(), step("tests", 0)])),
            Tier1::Ungraded(why),
            "{words}"
        );
        assert_eq!(
            of_tier1(&stage(&[lint, step("tests", 1)])),
            Tier1::Fail,
            "{words}"
        );
    }
    for words in [
        "a.py:1: GITREINS_SKIP: lint=no linter",
        "a.py:1: ==== test session starts ====\nplatform x",
    ] {
        let lint = Step {
            output: words.to_owned(),
            ..step("lint", 2)
        };
        assert_eq!(
            of_tier1(&stage(&[lint, step("tests", 0)])),
            Tier1::Fail,
            "{words}"
        );
    }
    let skipped = Step {
        output: "GITREINS_SKIP: lint=no linter".to_owned(),
        ..step("lint", 0)
    };
    assert_eq!(of_tier1(&stage(&[skipped, step("tests", 0)])), Tier1::Pass);
    let told = Step {
        skipped: true,
        ..step("lint", 1)
    };
    assert_eq!(of_tier1(&stage(&[told, step("tests", 0)])), Tier1::Pass);
}

#[test]
fn a_stage_that_says_more_than_its_steps_is_no_pass() {
    let good = stage(&[step("tests", 0)]);
    let refused =
        |stage: Stage, why| assert_eq!(of_tier1(&stage), Tier1::Ungraded(why), "{stage:?}");
    refused(
        Stage {
            is_malformed: true,
            ..good.clone()
        },
        Why::Malformed,
    );
    refused(
        Stage {
            passed: Some(false),
            ..good.clone()
        },
        Why::Contradiction,
    );
    refused(
        Stage {
            skipped: vec!["tests".to_owned()],
            ..good.clone()
        },
        Why::Skip,
    );
    assert_eq!(
        of_tier1(&Stage {
            passed: None,
            ..good.clone()
        }),
        Tier1::Pass
    );
    assert_eq!(
        of_tier1(&Stage {
            skipped: vec!["lint".to_owned()],
            ..good
        }),
        Tier1::Pass
    );
    refused(
        Stage {
            skipped: vec!["secrets".to_owned()],
            ..stage(&[step("tests", 0)])
        },
        Why::Skip,
    );
    let late = Stage {
        skipped: vec!["tests".to_owned()],
        ..stage(&[late("tests")])
    };
    assert_eq!(of_tier1(&late), LATE);
    refused(
        Stage {
            is_malformed: true,
            ..late
        },
        Why::Malformed,
    );
}

#[test]
fn criteria_that_nobody_looked_at_did_not_fail() {
    let answer = |verdict: &str, items: &[&str], passed| Criteria::Answer {
        verdict: verdict.to_owned(),
        items: items.iter().map(|&item| item.to_owned()).collect(),
        passed,
        is_guess: false,
    };
    let (yes, no) = (Some(true), Some(false));
    for (verdict, items, passed, expected) in [
        ("COMPLETE", vec!["PASS"], yes, Tier2::Met),
        ("COMPLETE", vec!["PASS"], None, Tier2::Met),
        ("COMPLETE", vec![], yes, Tier2::Met),
        ("COMPLETE", vec!["PASS"], no, Tier2::NoEvidence),
        ("COMPLETE", vec!["PASS", "FAIL"], yes, Tier2::NoEvidence),
        ("INCOMPLETE", vec!["FAIL"], no, Tier2::NotMet),
        ("INCOMPLETE", vec!["PASS"], no, Tier2::NotMet),
        ("INCOMPLETE", vec!["UNVERIFIED", "FAIL"], no, Tier2::NotMet),
        (
            "INCOMPLETE",
            vec!["UNVERIFIED", "PASS"],
            no,
            Tier2::NoEvidence,
        ),
        ("INCOMPLETE", vec!["FAIL"], yes, Tier2::NoEvidence),
        ("INCOMPLETE", vec![], no, Tier2::NoEvidence),
        ("complete", vec!["PASS"], yes, Tier2::NoEvidence),
        ("", vec!["PASS"], None, Tier2::NoEvidence),
    ] {
        assert_eq!(
            of_answer(&answer(verdict, &items, passed)),
            expected,
            "{verdict} {items:?} {passed:?}"
        );
    }
    let guess = Criteria::Answer {
        verdict: "COMPLETE".to_owned(),
        items: vec![],
        passed: yes,
        is_guess: true,
    };
    assert_eq!(of_answer(&guess), Tier2::NoEvidence);
    assert_eq!(of_answer(&Criteria::Unreadable), Tier2::NoEvidence);
}

fn verdict(tier1: Stage, tier2: Option<Stage>, beside: Vec<Stage>) -> Foreign {
    Foreign {
        task_id: "t".to_owned(),
        evaluated_at: "now".to_owned(),
        commit: None,
        uncommitted: None,
        job_id: None,
        supersedes: None,
        superseded_by: None,
        passed: Some(false),
        tier1: Some(tier1),
        tier2,
        beside,
    }
}

fn answer(verdict: &str, item: &str) -> Criteria {
    let (verdict, items) = (verdict.to_owned(), vec![item.to_owned()]);
    Criteria::Answer {
        verdict,
        items,
        passed: None,
        is_guess: false,
    }
}

fn one(answer: &Criteria) -> &[Criteria] {
    std::slice::from_ref(answer)
}

fn asked(answers: &[Criteria]) -> Stage {
    Stage {
        answers: answers.to_vec(),
        ..Stage::default()
    }
}

/// The judge calls none of these a pass, and some say why.
#[test]
fn what_the_judge_calls_no_pass_is_none() {
    let good = stage(&[step("tests", 0)]);
    let refused = |stage: Stage| Stage {
        passed: Some(false),
        ..stage
    };
    let (met, missed) = (answer("COMPLETE", "PASS"), answer("INCOMPLETE", "FAIL"));
    let odd = Tier1::Ungraded(Why::Contradiction);
    let gone = Tier1::Ungraded(Why::ToolMissing);
    for (tier2, beside, expected) in [
        (None, vec![], (odd, Tier2::Absent)),
        (Some(asked(one(&met))), vec![], (odd, Tier2::Met)),
        (Some(refused(asked(one(&met)))), vec![], (odd, Tier2::Met)),
        (
            Some(refused(asked(&[met.clone(), missed.clone()]))),
            vec![],
            (Tier1::Pass, Tier2::NotMet),
        ),
        (
            Some(refused(asked(&[met.clone(), Criteria::Unreadable]))),
            vec![],
            (Tier1::Pass, Tier2::NoEvidence),
        ),
        (
            Some(Stage {
                answers: vec![met.clone()],
                ..stage(&[step("x", 1)])
            }),
            vec![],
            (Tier1::Fail, Tier2::Met),
        ),
        (
            Some(asked(one(&met))),
            vec![stage(&[step("x", 1)])],
            (Tier1::Fail, Tier2::Met),
        ),
        (
            Some(asked(one(&met))),
            vec![stage(&[step("x", 127)])],
            (gone, Tier2::Met),
        ),
        (
            Some(asked(one(&met))),
            vec![refused(stage(&[step("x", 0)]))],
            (odd, Tier2::Met),
        ),
        (
            Some(asked(&[met])),
            vec![asked(&[missed])],
            (Tier1::Pass, Tier2::NotMet),
        ),
    ] {
        let read = verdict(good.clone(), tier2, beside);
        assert_eq!(tiers_of_verdict(&read), expected, "{read:?}");
    }
    let lint = stage(&[step("tests", 0), step("lint", 127)]);
    assert_eq!(
        tiers_of_verdict(&verdict(lint, None, vec![])),
        (Tier1::Pass, Tier2::Absent)
    );
    let none = Foreign {
        tier1: None,
        ..verdict(good, None, vec![stage(&[step("x", 1)])])
    };
    assert_eq!(tiers_of_verdict(&none), (Tier1::Fail, Tier2::Absent));
}
