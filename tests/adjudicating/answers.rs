//! What is answered, and with which number.

use git_reins::model::record::print;
use git_reins::model::trial::{Outcome, TrialReason, TrialVerdict};
use serde_json::{Value, json};

use super::verdicts::{answered, artifact, rerun, skipped, step, stopped, trial, verdict};
use crate::support::Repo;

const ONE: &str = "h/2026-01-02/00000001/verdict.json";

/// The answer about one record, with the number.
fn one(repo: &Repo, record: &str, code: i32) -> Value {
    repo.write(ONE, record);
    let run = repo.reins(&["adjudicate", "--json", "h"]).expect(code);
    let mut all: Vec<Value> = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run}"));
    assert_eq!(all.len(), 1);
    all.remove(0)
}

/// A repository whose protected line runs this as tier 1.
fn running(command: &str) -> Repo {
    let repo = Repo::new();
    let policy = format!(
        "schema = 1\n[protect]\nbase = [\"refs/heads/main\"]\n[tier1]\ncommand = [\"{command}\"]\n"
    );
    repo.write(".gitreins/reins.toml", &policy);
    repo.commit("policy");
    repo
}

fn words(answer: &Value) -> [&str; 4] {
    ["tier1", "reason", "tier2", "verdict"].map(|member| answer[member].as_str().unwrap_or("-"))
}

#[test]
fn the_table_of_the_contract_with_its_numbers() {
    let repo = Repo::new();
    let (pass, fail, late) = ([step("tests", 0)], [step("tests", 1)], [stopped("tests")]);
    let gone = [step("lint", 127), step("tests", 127)];
    for (record, expected, regression, complete, code) in [
        (
            verdict(&pass),
            ["PASS", "-", "ABSENT", "PASS"],
            false,
            true,
            0,
        ),
        (
            answered(&pass, "COMPLETE", &["PASS"]),
            ["PASS", "-", "MET", "PASS"],
            false,
            true,
            0,
        ),
        (
            answered(&pass, "INCOMPLETE", &[]),
            ["PASS", "-", "NO_EVIDENCE", "PASS"],
            false,
            false,
            0,
        ),
        (
            answered(&pass, "INCOMPLETE", &["FAIL"]),
            ["PASS", "-", "NOT_MET", "FAIL"],
            false,
            false,
            1,
        ),
        (
            verdict(&fail),
            ["FAIL", "tier1.fail", "ABSENT", "FAIL"],
            true,
            false,
            1,
        ),
        (
            answered(&fail, "COMPLETE", &["PASS"]),
            ["FAIL", "tier1.fail", "MET", "FAIL"],
            true,
            false,
            1,
        ),
        (
            artifact(),
            ["TIMEOUT", "tier1.timeout", "MET", "ARTIFACT"],
            false,
            false,
            3,
        ),
        (
            verdict(&late),
            ["TIMEOUT", "tier1.timeout", "ABSENT", "UNRESOLVED"],
            false,
            false,
            3,
        ),
        (
            verdict(&[step("tests", 124)]),
            ["TIMEOUT", "tier1.timeout.inner", "ABSENT", "UNRESOLVED"],
            false,
            false,
            3,
        ),
        (
            answered(&late, "INCOMPLETE", &["FAIL"]),
            ["TIMEOUT", "tier1.timeout", "NOT_MET", "FAIL"],
            true,
            false,
            1,
        ),
        (
            verdict(&[skipped("tests")]),
            ["UNGRADED", "tier1.ungraded.skip", "ABSENT", "UNRESOLVED"],
            false,
            false,
            3,
        ),
        (
            answered(&gone, "COMPLETE", &["PASS"]),
            [
                "UNGRADED",
                "tier1.ungraded.tool-missing",
                "MET",
                "UNRESOLVED",
            ],
            false,
            false,
            3,
        ),
        (
            answered(&gone, "INCOMPLETE", &["FAIL"]),
            ["UNGRADED", "tier1.ungraded.tool-missing", "NOT_MET", "FAIL"],
            false,
            false,
            1,
        ),
    ] {
        let answer = one(&repo, &record.to_string(), code);
        assert_eq!(words(&answer), expected, "{record}");
        assert_eq!(
            (&answer["regression"], &answer["complete"]),
            (&json!(regression), &json!(complete)),
            "{record}"
        );
        assert_eq!(answer["schema"], "git-reins/adjudication/1");
        assert_eq!(
            (&answer["id"], &answer["task_id"]),
            (&json!("00000001"), &json!("task-1"))
        );
        assert_eq!(answer["path"], ONE);
    }
}

#[test]
fn trials_of_our_own_are_read_too() {
    use TrialVerdict::{Admit, Hold, Reject};
    let repo = Repo::new();
    let missed = || vec![TrialReason::UncoveredFail];
    for (verdict, reasons, outcome, expected, code) in [
        (
            Admit,
            vec![],
            Some(Outcome::Pass),
            ["PASS", "-", "ABSENT", "PASS"],
            0,
        ),
        (
            Hold,
            vec![TrialReason::FreezeHit],
            Some(Outcome::Pass),
            ["UNGRADED", "tier1.ungraded.held", "ABSENT", "UNRESOLVED"],
            3,
        ),
        (
            Reject,
            missed(),
            Some(Outcome::Fail),
            ["FAIL", "tier1.fail", "ABSENT", "FAIL"],
            1,
        ),
        (
            Reject,
            missed(),
            Some(Outcome::Leak),
            ["FAIL", "tier1.fail", "ABSENT", "FAIL"],
            1,
        ),
        (
            Reject,
            missed(),
            Some(Outcome::Timeout),
            ["TIMEOUT", "tier1.timeout", "ABSENT", "UNRESOLVED"],
            3,
        ),
        (
            Reject,
            missed(),
            Some(Outcome::Signal),
            ["UNGRADED", "tier1.ungraded.killed", "ABSENT", "UNRESOLVED"],
            3,
        ),
        (
            Reject,
            missed(),
            Some(Outcome::Error),
            ["UNGRADED", "tier1.ungraded.error", "ABSENT", "UNRESOLVED"],
            3,
        ),
        (
            Reject,
            missed(),
            None,
            ["UNGRADED", "tier1.ungraded.error", "ABSENT", "UNRESOLVED"],
            3,
        ),
        (
            Reject,
            vec![TrialReason::BytesChanged],
            Some(Outcome::Pass),
            ["UNGRADED", "tier1.ungraded.error", "ABSENT", "UNRESOLVED"],
            3,
        ),
        (
            Reject,
            vec![TrialReason::FrozenRegression],
            Some(Outcome::Pass),
            ["FAIL", "tier1.fail", "ABSENT", "FAIL"],
            1,
        ),
        (
            Reject,
            vec![TrialReason::Infra],
            None,
            ["UNGRADED", "tier1.ungraded.infra", "ABSENT", "UNRESOLVED"],
            3,
        ),
        (
            Reject,
            vec![TrialReason::EmptyBlob],
            None,
            [
                "UNGRADED",
                "tier1.ungraded.empty-blob",
                "ABSENT",
                "UNRESOLVED",
            ],
            3,
        ),
    ] {
        let record = print(&trial(verdict, reasons, outcome));
        let answer = one(&repo, &record, code);
        assert_eq!(
            (words(&answer), &answer["task_id"]),
            (expected, &Value::Null),
            "{record}"
        );
    }
}

#[test]
fn another_run_settles_an_artifact_and_nothing_else() {
    let repo = running("make");
    let artifact = artifact().to_string();
    let late = verdict(&[stopped("tests")]).to_string();
    let gone = verdict(&[step("tests", 127)]).to_string();
    for (record, outcome, expected, code) in [
        (&artifact, Outcome::Pass, "PASS", 0),
        (&artifact, Outcome::Timeout, "TIMEOUT_CONFIRMED", 3),
        (&artifact, Outcome::Fail, "FAIL", 1),
        (&artifact, Outcome::Error, "UNRESOLVED", 3),
        (&late, Outcome::Pass, "UNRESOLVED", 3),
        (&late, Outcome::Timeout, "TIMEOUT_CONFIRMED", 3),
        (&late, Outcome::Fail, "FAIL", 1),
        (&gone, Outcome::Pass, "UNRESOLVED", 3),
        (&gone, Outcome::Fail, "UNRESOLVED", 3),
    ] {
        repo.write(
            "h/2026-01-02/00000001/reverify.json",
            &rerun(record, outcome),
        );
        let answer = one(&repo, record, code);
        assert_eq!(answer["verdict"], expected, "{record} {outcome:?}");
        assert_eq!(answer["regression"], expected == "FAIL");
        assert_eq!(answer["complete"], expected == "PASS");
        assert_ne!(answer["reverified"], Value::Null);
    }
}

#[test]
fn another_run_of_something_else_is_not_taken_into_account() {
    let repo = running("make");
    let artifact = artifact().to_string();
    let good = rerun(&artifact, Outcome::Pass);
    for (beside, why) in [
        (
            rerun("{}", Outcome::Pass),
            "it is about a verdict.json with the digest",
        ),
        (good.replace("task-1", "task-2"), "it names another task"),
        (
            good.replace("\"commit\": \"0", "\"commit\": \"f"),
            "it ran commit",
        ),
        (
            good.replace("\"exit\": 0", "\"exit\": 1"),
            "expected exit 0 of a pass",
        ),
        (good.replace('\n', "\r\n"), "expected the canonical form"),
        ("\u{1b}[2J".to_owned(), "read"),
    ] {
        repo.write("h/2026-01-02/00000001/reverify.json", &beside);
        repo.write(ONE, &artifact);
        let run = repo.reins(&["adjudicate", "h"]).expect(3);
        assert!(run.stdout.starts_with("00000001 ARTIFACT"), "{run}");
        assert!(
            run.stderr
                .contains("reverify.json is not taken into account")
                && run.stderr.contains(why),
            "{run}"
        );
        assert!(!run.stderr.contains('\u{1b}'), "{run}");
    }
    // a verdict that does not say what was graded is not settled by any run
    let mut unnamed = super::verdicts::artifact();
    unnamed["commit"] = json!(null);
    repo.write(ONE, &unnamed.to_string());
    repo.write(
        "h/2026-01-02/00000001/reverify.json",
        &rerun(&unnamed.to_string(), Outcome::Pass),
    );
    let run = repo.reins(&["adjudicate", "h"]).expect(3);
    assert!(
        run.stdout.contains("ARTIFACT") && run.stderr.contains("names no commit"),
        "{run}"
    );
    // nor is any by another command than that of the protected line
    for other in [Repo::new(), running("true")] {
        other.write(ONE, &artifact);
        other.write("h/2026-01-02/00000001/reverify.json", &good);
        let run = other.reins(&["adjudicate", "h"]).expect(3);
        assert!(
            run.stdout.contains("ARTIFACT") && run.stderr.contains("it ran make, which is not"),
            "{run}"
        );
    }
    let trial = print(&trial(TrialVerdict::Reject, vec![TrialReason::Infra], None));
    repo.write(ONE, &trial);
    repo.write(
        "h/2026-01-02/00000001/reverify.json",
        &rerun(&trial, Outcome::Pass),
    );
    let run = repo.reins(&["adjudicate", "h"]).expect(3);
    assert!(run.stderr.contains("judged again as a whole"), "{run}");
}

#[test]
fn totals_keep_every_cause_apart() {
    let repo = Repo::new();
    let records = [
        verdict(&[step("tests", 0)]).to_string(),
        verdict(&[step("tests", 1)]).to_string(),
        artifact().to_string(),
        verdict(&[step("tests", 137)]).to_string(),
        print(&trial(TrialVerdict::Reject, vec![TrialReason::Infra], None)),
    ];
    for (at, record) in records.iter().enumerate() {
        repo.write(
            &format!(
                ".gitreins/history/2026-01-0{}/0000000{at}/verdict.json",
                at % 3 + 1
            ),
            record,
        );
    }
    let run = repo.reins(&["adjudicate", "."]).expect(1);
    assert_eq!(
        run.to_string(),
        "\
00000000 PASS: tier 1 PASS, tier 2 ABSENT; task task-1
00000001 FAIL: tier 1 FAIL (tier1.fail), tier 2 ABSENT; task task-1; regression
00000002 ARTIFACT: tier 1 TIMEOUT (tier1.timeout), tier 2 MET; task task-1
  next: git reins adjudicate --reverify .gitreins/history/2026-01-03/00000002/verdict.json
00000003 UNRESOLVED: tier 1 UNGRADED (tier1.ungraded.killed), tier 2 ABSENT; task task-1
  next: git reins explain tier1.ungraded.killed; put that right, then judge the task again
00000004 UNRESOLVED: tier 1 UNGRADED (tier1.ungraded.infra), tier 2 ABSENT
  next: git reins explain tier1.ungraded.infra; put that right, then judge the task again

verdicts: PASS 1, FAIL 1, ARTIFACT 1, TIMEOUT_CONFIRMED 0, UNRESOLVED 2
regressions: 1
tier 1: PASS 1, FAIL 1, TIMEOUT 1, UNGRADED 1, INFRA 1
--- exit 1"
    );
}

#[test]
fn hostile_texts_are_shown_safely() {
    let repo = Repo::new();
    let mut record = verdict(&[step("tests", 0)]);
    record["task_id"] = json!("\u{1b}[2Kdone\u{202e}\n0000000f PASS");
    record["superseded_by"] = json!("x\u{7}\ny");
    repo.write(ONE, &record.to_string());
    for args in [&["adjudicate", "h"][..], &["adjudicate", "h", "--json"]] {
        let run = repo.reins(args).expect(0);
        assert!(
            !run.stdout
                .chars()
                .any(|c| c != '\n' && (c.is_control() || c == '\u{202e}')),
            "{run}"
        );
        assert!(!run.stdout.contains("\n0000000f"), "{run}");
    }
    let answer = one(&repo, &record.to_string(), 0);
    assert_eq!(
        (&answer["task_id"], &answer["superseded_by"]),
        (&record["task_id"], &record["superseded_by"])
    );
    let unread = "h/2026-01-02/0000000a/verdict.json";
    repo.write(unread, "{\"\u{202e}\u{9b}\": 1, \"\u{202e}\u{9b}\": 2}");
    let run = repo.reins(&["adjudicate", "h"]).expect(128);
    assert!(
        run.stderr.contains("a second member \"\\u{202e}\\u{9b}\""),
        "{run}"
    );
}

#[test]
fn the_budget_is_that_of_the_protected_line() {
    let repo = Repo::under_reins();
    let plain = one(&repo, &artifact().to_string(), 3);
    assert_eq!(
        plain["budget"],
        json!({"tool_budget_s": 120, "budget_s": 120, "source": "default", "raised": false})
    );
    let policy = repo.read(".gitreins/reins.toml");
    let tier1 = "\n[tier1]\nsuite_runtime_s = 390\n";
    let bare = policy
        .lines()
        .filter(|line| !line.starts_with("[tier1]"))
        .collect::<Vec<_>>()
        .join("\n");
    repo.write(".gitreins/reins.toml", &format!("{bare}{tier1}"));
    // what only the worktree says changes nothing
    assert_eq!(
        one(&repo, &artifact().to_string(), 3)["budget"],
        plain["budget"]
    );
    repo.commit("policy");
    let raised = one(&repo, &artifact().to_string(), 3);
    assert_eq!(
        raised["budget"],
        json!({"tool_budget_s": 120, "budget_s": 488, "source": "manifest", "raised": true})
    );
    repo.write(
        ".gitreins/reins.toml",
        &format!("{bare}{tier1}max_s = 400\n"),
    );
    repo.commit("a cap below the need");
    let run = repo.refuses(128, &["adjudicate", "h"]);
    assert!(
        run.stderr.contains("tier1.suite_runtime_s = 390.000")
            && run.stderr.contains("tier1.max_s, 400"),
        "{run}"
    );
    assert!(
        run.stderr.contains("POLICY_INVALID") && run.stderr.contains("tier1.margin = 0.25"),
        "{run}"
    );
}

#[test]
fn every_word_of_an_answer_can_be_explained() {
    let repo = Repo::new();
    for (word, said) in [
        ("ARTIFACT", "ARTIFACT: only the clock"),
        ("artifact", "git reins adjudicate --reverify PATH"),
        ("UNRESOLVED", "nobody knows"),
        ("TIMEOUT_CONFIRMED", "tier1.suite_runtime_s"),
        (
            "tier1.ungraded.skip",
            "tier1.ungraded.skip: The judge says itself that it skipped.",
        ),
        ("NO_EVIDENCE", "tier 2"),
        ("CANARY_FAILED", "CANARY_FAILED: refused"),
    ] {
        let run = repo.reins(&["explain", word]).expect(0);
        assert!(run.stdout.contains(said), "{word}: {run}");
    }
    let one: Value =
        serde_json::from_str(&repo.reins(&["explain", "MET", "--json"]).expect(0).stdout).unwrap();
    assert_eq!(
        (&one["codes"], &one["words"][0]["word"]),
        (&json!([]), &json!("MET"))
    );
    let _ = repo
        .reins(&["explain", "tier1.ungraded.because"])
        .expect(129);
}
