//! Tier 1 x tier 2 x run again, stated as a list of predicates: what is true of each answer, and not how it is found.

use git_reins::decide::adjudicate::{adjudicate, settle};
use git_reins::model::adjudication::{Clock, Finding, Tier1, Tier2, Verdict, Why};
use git_reins::model::reverification::RerunResult;

/// One cell of the world: what was seen, and what was answered.
struct Cell {
    tier1: &'static str,
    tier2: &'static str,
    rerun: &'static str,
    answer: Finding,
}

fn tier1s() -> Vec<(&'static str, Tier1)> {
    let whys = Why::ALL
        .iter()
        .map(|why| ("ungraded", Tier1::Ungraded(*why)));
    let others = [
        ("pass", Tier1::Pass),
        ("fail", Tier1::Fail),
        ("timeout", Tier1::Timeout(Clock::Judge)),
        ("timeout", Tier1::Timeout(Clock::Inner)),
    ];
    others.into_iter().chain(whys).collect()
}

fn cells() -> Vec<Cell> {
    let tier2s = [
        ("met", Tier2::Met),
        ("not met", Tier2::NotMet),
        ("no evidence", Tier2::NoEvidence),
        ("absent", Tier2::Absent),
    ];
    let reruns = [
        ("none", None),
        ("pass", Some(RerunResult::Pass)),
        ("timeout", Some(RerunResult::Timeout)),
        ("fail", Some(RerunResult::Fail)),
        ("ungraded", Some(RerunResult::Ungraded)),
    ];
    let mut cells = Vec::new();
    for (tier1, one) in tier1s() {
        for (tier2, two) in tier2s {
            for (rerun, result) in reruns {
                let answer =
                    result.map_or_else(|| adjudicate(one, two), |result| settle(one, two, result));
                cells.push(Cell {
                    tier1,
                    tier2,
                    rerun,
                    answer,
                });
            }
        }
    }
    cells
}

/// What has to be true: a name, when it applies, and what then holds.
type Rule = (&'static str, fn(&Cell) -> bool, fn(&Finding) -> bool);

const RULES: &[Rule] = &[
    (
        "a failure that tier 1 saw is a regression",
        |c| c.tier1 == "fail",
        |a| a.verdict == Verdict::Fail && a.regression,
    ),
    (
        "criteria that are not met fail",
        |c| c.tier2 == "not met",
        |a| a.verdict == Verdict::Fail,
    ),
    (
        "criteria alone are no regression",
        |c| c.tier2 == "not met" && (c.tier1 == "pass" || c.tier1 == "ungraded"),
        |a| !a.regression,
    ),
    (
        "a clock and criteria are one",
        |c| c.tier1 == "timeout" && c.tier2 == "not met",
        |a| a.regression,
    ),
    (
        "a pass and no word against it pass",
        |c| c.tier1 == "pass" && c.tier2 != "not met",
        |a| a.verdict == Verdict::Pass && !a.regression,
    ),
    (
        "a task is done by a pass with criteria, or without any",
        |c| c.tier1 == "pass" && (c.tier2 == "met" || c.tier2 == "absent"),
        |a| a.complete,
    ),
    (
        "an outage completes nothing",
        |c| c.tier2 == "no evidence",
        |a| !a.complete,
    ),
    (
        "an outage fails nothing",
        |c| c.tier2 == "no evidence" && c.tier1 != "fail" && c.rerun != "fail",
        |a| a.verdict != Verdict::Fail,
    ),
    (
        "what graded nothing is open",
        |c| c.tier1 == "ungraded" && c.tier2 != "not met",
        |a| a.verdict == Verdict::Unresolved,
    ),
    (
        "a clock alone is an artifact until it ran again",
        |c| c.tier1 == "timeout" && c.tier2 == "met" && c.rerun == "none",
        |a| a.verdict == Verdict::Artifact,
    ),
    (
        "an artifact that passed is final",
        |c| c.tier1 == "timeout" && c.tier2 == "met" && c.rerun == "pass",
        |a| a.verdict == Verdict::Pass && a.complete,
    ),
    (
        "a second run that graded nothing leaves nobody any wiser",
        |c| c.tier1 == "timeout" && c.tier2 != "not met" && c.rerun == "ungraded",
        |a| a.verdict == Verdict::Unresolved && !a.complete,
    ),
    (
        "without criteria a clock stays unresolved",
        |c| {
            c.tier1 == "timeout"
                && (c.tier2 == "absent" || c.tier2 == "no evidence")
                && ["none", "pass", "ungraded"].contains(&c.rerun)
        },
        |a| a.verdict == Verdict::Unresolved,
    ),
    (
        "a second timeout stays open and is no regression",
        |c| c.tier1 == "timeout" && c.tier2 != "not met" && c.rerun == "timeout",
        |a| a.verdict == Verdict::TimeoutConfirmed && !a.regression,
    ),
    (
        "a failure of the second run is a regression",
        |c| c.tier1 == "timeout" && c.rerun == "fail",
        |a| a.verdict == Verdict::Fail && a.regression,
    ),
];

/// A rule without a condition.
type Law = (&'static str, fn(&Finding) -> bool);

/// What is true of every answer, whatever was seen.
const ALWAYS: &[Law] = &[
    ("a regression is a failure", |a| {
        !a.regression || a.verdict == Verdict::Fail
    }),
    ("what is done has passed", |a| {
        !a.complete || a.verdict == Verdict::Pass
    }),
];

#[test]
fn every_cell_keeps_every_rule_and_no_cell_is_free() {
    for cell in cells() {
        let name = format!(
            "{} x {} x {}: {:?}",
            cell.tier1, cell.tier2, cell.rerun, cell.answer
        );
        let mut decided = false;
        for (rule, applies, holds) in RULES {
            if applies(&cell) {
                decided = true;
                assert!(holds(&cell.answer), "{rule}: {name}");
            }
        }
        assert!(decided, "no rule speaks of {name}");
        ALWAYS
            .iter()
            .for_each(|(rule, holds)| assert!(holds(&cell.answer), "{rule}: {name}"));
    }
}

#[test]
fn running_again_never_touches_what_is_no_matter_of_the_clock() {
    let cells = cells();
    let first = |cell: &Cell| {
        let same = |other: &&Cell| {
            other.rerun == "none" && other.tier1 == cell.tier1 && other.tier2 == cell.tier2
        };
        cells.iter().find(same).unwrap().answer
    };
    for cell in cells
        .iter()
        .filter(|cell| cell.tier1 != "timeout" || cell.tier2 == "not met")
    {
        assert_eq!(
            cell.answer,
            first(cell),
            "{} x {} x {}",
            cell.tier1,
            cell.tier2,
            cell.rerun
        );
    }
    // and only one road leads from an open verdict to a pass
    let passed = cells
        .iter()
        .filter(|cell| cell.answer.verdict == Verdict::Pass && cell.tier1 != "pass");
    let roads: std::collections::BTreeSet<_> = passed
        .map(|cell| (cell.tier1, cell.tier2, cell.rerun))
        .collect();
    assert_eq!(
        roads.into_iter().collect::<Vec<_>>(),
        [("timeout", "met", "pass")]
    );
}

/// Which answers leave which trace in the reasons.
#[test]
fn everything_but_a_pass_has_a_reason_of_its_kind() {
    for (kind, tier1) in tier1s() {
        let reason = tier1.reason();
        match kind {
            "pass" => assert_eq!(reason, None),
            "fail" => assert_eq!(reason, Some("tier1.fail")),
            "timeout" => assert!(reason.unwrap().starts_with("tier1.timeout")),
            _ => assert!(reason.unwrap().starts_with("tier1.ungraded.")),
        }
    }
}
