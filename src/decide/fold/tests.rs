//! Tests that a fold takes all or nothing and writes only its own words.

use super::*;

fn candidate(hash: &str, reading: Reading) -> Candidate {
    let dir: VerdictDir = format!("2026-11-30/{hash}").parse().unwrap();
    let path = format!(".gitreins/history/{dir}/{VERDICT}")
        .parse()
        .unwrap();
    let file = FileFact {
        path,
        size: 2,
        sha256: Sha256([0; 32]),
    };
    Candidate {
        dir,
        source: Source::Disk,
        reading,
        files: vec![file],
        faults: Vec::new(),
    }
}

fn verdict(task: &str, by_rerun: bool) -> Reading {
    let heading = Heading {
        task: task.to_owned(),
        tier1: "timeout",
        tier2: "PASS",
        by_rerun,
    };
    Reading::Record(Record::Verdict(heading))
}

fn facts(candidates: Vec<Candidate>) -> Facts {
    Facts {
        candidates,
        history: ".gitreins/history".to_owned(),
        ..Facts::default()
    }
}

#[test]
fn only_a_day_and_a_hash_make_a_directory() {
    for good in ["2026-11-30/0123abcd", "2024-02-29/0123456789abcdef"] {
        assert_eq!(good.parse::<VerdictDir>().unwrap().to_string(), good);
    }
    for bad in [
        "2026-11-31/0123abcd",
        "2026-11-30/0123ABCD",
        "2026-11-30/0123abc",
        "2026-11-30/--amend",
        "x",
    ] {
        assert!(bad.parse::<VerdictDir>().is_err(), "{bad}");
    }
}

#[test]
fn one_fault_refuses_all() {
    let mut bad = candidate("0000000b", verdict("t", false));
    bad.faults.push(Fault::Rewritten {
        path: "x".to_owned(),
    });
    let plan = plan(&facts(vec![
        candidate("0000000a", verdict("t", false)),
        bad,
    ]));
    assert!(plan.folds.is_empty());
    assert_eq!(plan.codes(), [Code::VerdictRewritten]);
}

#[test]
fn what_is_unfinished_waits_and_what_is_unreadable_refuses() {
    let waits = plan(&facts(vec![
        candidate("0000000a", Reading::Unfinished),
        candidate("0000000b", verdict("t", true)),
    ]));
    assert_eq!(
        (waits.folds.len(), waits.skipped.len(), waits.refusals.len()),
        (1, 1, 0)
    );
    assert_eq!(
        waits.completed().map(|(_, task)| task).collect::<Vec<_>>(),
        ["t"]
    );
    let refused = plan(&facts(vec![candidate(
        "0000000a",
        Reading::Unreadable("x".to_owned()),
    )]));
    assert_eq!(refused.codes(), [Code::PathUnsafe]);
}

#[test]
fn no_task_id_becomes_a_line_or_a_trailer() {
    let task = "x\n\nSigned-off-by: Eve <eve@example.org>\u{202e}";
    let one = plan(&facts(vec![candidate("0000000a", verdict(task, false))]));
    assert_eq!(
        one.subject(),
        "[artifact] fold judge verdict 0000000a (tier1 timeout, tier2 PASS)"
    );
    assert_eq!(one.message().lines().count(), 3);
    assert!(!one.message().contains("Signed") && !one.message().contains(':'));
    assert_eq!(task_word("feat/T-1.2_x#3"), "feat/T-1.2_x#3");
}

#[test]
fn a_long_message_ends_with_a_count() {
    let many = (0..1200)
        .map(|at| candidate(&format!("{at:08x}"), verdict("t", false)))
        .collect();
    let message = plan(&facts(many)).message();
    assert!(message.ends_with("and 200 more\n") && message.lines().count() == 1003);
    assert!(message.starts_with("[artifact] fold 1200 judge verdicts (1200 tier1 timeout)\n"));
}

#[test]
fn logs_stay_out_of_trials_and_bulk_out_of_compact_folds() {
    for (inner, is_trial, compact, out) in [
        ("logs/a", false, false, false),
        ("logs/a", true, false, true),
        ("logs", true, false, true),
        ("run.log", true, false, false),
        ("run.log", false, true, true),
        ("driver-log.tail.txt", false, true, true),
        ("driver-log.tail.txt", false, false, false),
        ("commit.patch", false, true, true),
        ("summary.md", false, true, false),
        ("verdict.json.tmp-12", false, false, true),
        (".verdict.json.reins-12", false, false, true),
        ("notes.tmp-x", false, false, false),
    ] {
        assert_eq!(
            is_left_out(inner, is_trial, compact),
            out,
            "{inner} {is_trial} {compact}"
        );
    }
}

#[test]
fn only_the_marks_of_supersession_may_differ() {
    let folded = br#"{"task_id": "t", "passed": false, "superseded_by": null}"#;
    assert!(same_verdict(
        folded,
        br#"{"task_id":"t","passed":false,"superseded_by":"x","superseded_at":"y"}"#
    ));
    assert!(!same_verdict(
        folded,
        br#"{"task_id": "t", "passed": true, "superseded_by": null}"#
    ));
    assert!(!same_verdict(
        folded,
        br#"{"task_id": "t", "passed": false, "supersedes": "x"}"#
    ));
    assert!(!same_verdict(
        folded,
        br#"{"task_id": "t", "passed": true, "passed": false}"#
    ));
    assert!(!same_verdict(folded, b"{") && !same_verdict(b"[1]", b"[2]"));
}
