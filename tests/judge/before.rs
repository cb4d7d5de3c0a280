//! What is said before anything runs.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::bench::{Bench, CHECK, JUDGE, KEEPS, SHAKY};

#[test]
fn a_policy_that_requires_what_is_not_enforced_gets_no_verdict() {
    let bench = Bench::with("", CHECK, SHAKY);
    bench.patch("good\n\n");
    let run = bench.unfenced(&["judge"]).expect(128);
    let words = "judge.require asks for what is not enforced here: ";
    assert!(
        run.stderr.contains(words) && run.stderr.contains("fixtures (bind-ro: "),
        "{run}"
    );
    assert!(run.stderr.contains("require = []"), "{run}");
    assert!(bench.records().is_empty() && bench.count() == 0, "{run}");
}

#[test]
fn a_policy_that_requires_what_is_enforced_gets_the_verdict_of_one_that_requires_nothing() {
    let enforced = |judge: &str, code: i32| {
        let bench = Bench::with(judge, CHECK, KEEPS);
        bench.patch("good\n\n");
        let _ = bench.judge(code, &[]);
        bench
            .records()
            .pop()
            .map(|(_, record)| record["enforced"].clone())
    };
    let here = enforced(JUDGE, 0).unwrap();
    let can =
        here["network"] != "none" && here["fixtures"] != "none" && here["fixtures"] != "mode-only";
    assert_eq!(enforced("", if can { 0 } else { 128 }), can.then_some(here));
}

#[test]
fn another_image_than_the_pinned_one_is_refused() {
    let bench = Bench::with(JUDGE, CHECK, SHAKY);
    bench.patch("good\n\n");
    let other = format!("oci-digest:sha256:{}", "0".repeat(64));
    let run = bench.judge(1, &["--runner-image", &other]);
    assert!(
        run.stderr.contains("FIXTURE_EPOCH_UNPINNED") && run.stderr.contains(&other),
        "{run}"
    );
    let host = format!("host:{}", "0".repeat(64));
    let run = bench.judge(1, &["--runner-image", &host]);
    assert!(
        run.stderr.contains("was given, and this machine is"),
        "{run}"
    );
    assert!(bench.records().is_empty() && bench.count() == 0);
}

#[test]
fn a_line_without_a_fixture_ledger_pins_no_image_and_no_epoch() {
    let bench = Bench::with(JUDGE, CHECK, KEEPS);
    bench.land(|bench| {
        let _ = bench.repo.reins(&["oracle", "rm", "val-01"]).expect(0);
        fs::remove_file(bench.repo.path("ledger/fixture.json")).unwrap();
    });
    bench.repo.write(
        "../patch.diff",
        "diff --git a/src/value b/src/value\nold mode 100644\nnew mode 100755\n",
    );
    let run = bench.judge(1, &["../patch.diff", "--base", "main"]);
    assert!(run.stderr.contains("LEDGER_MISSING"), "{run}");
}

#[test]
fn an_image_that_was_given_is_recorded_with_the_fingerprint() {
    let bench = Bench::with(JUDGE, CHECK, KEEPS);
    bench.land(|bench| {
        let pin = [
            "fixture",
            "pin",
            "--epoch",
            "e2",
            "--runner-image",
            "nix:/nix/store/x",
        ];
        let _ = bench.repo.reins(&pin).expect(0);
    });
    bench.patch("good\n\n");
    let _ = bench.judge(0, &["--runner-image", "nix:/nix/store/x"]);
    let record = bench.record();
    assert_eq!(record["image"]["id"], "nix:/nix/store/x");
    assert!(
        record["image"]["fingerprint"]
            .as_str()
            .unwrap()
            .starts_with("host:"),
        "{record}"
    );
    for image in fs::read_dir(bench.repo.path(".git/reins/images")).unwrap() {
        fs::write(image.unwrap().path(), "host:another").unwrap();
    }
    bench.patch("good\n\n\n");
    let run = bench.judge(0, &["--runner-image", "nix:/nix/store/x"]);
    assert!(
        run.stderr
            .contains("the image id nix:/nix/store/x was seen with another fingerprint than"),
        "{run}"
    );
}

#[test]
fn a_range_that_check_refuses_is_not_judged() {
    let bench = Bench::with(JUDGE, CHECK, SHAKY);
    bench.row("val-02", "keeps");
    bench.patch("good\n\n");
    let run = bench.judge(1, &[]);
    assert!(
        run.stdout.starts_with("refuse: ORACLE_NOT_INDEPENDENT"),
        "{run}"
    );
    assert!(run.stderr.contains("no trial"), "{run}");
    let run = bench.judge(1, &["--json"]);
    assert!(run.stdout.contains("git-reins/decision/1"), "{run}");
    assert!(bench.records().is_empty() && bench.count() == 0);
}

#[test]
fn a_fault_of_the_draft_channel_is_recorded_and_nothing_runs() {
    let bench = Bench::with(JUDGE, CHECK, SHAKY);
    bench.repo.write("../transcript.txt", "it never answered\n");
    let run = bench.judge(
        1,
        &[
            "--infra",
            "provider\u{1b}[2J outage",
            "--transcript",
            "../transcript.txt",
        ],
    );
    assert!(
        run.stdout
            .starts_with("reject: the draft channel failed, nothing ran"),
        "{run}"
    );
    let (dir, record) = bench.records().remove(0);
    assert_eq!(
        (&record["blob"], &record["reasons"]),
        (&json!(null), &json!(["infra"]))
    );
    assert_eq!(
        fs::read_to_string(format!("{dir}/transcript")).unwrap(),
        "it never answered\n"
    );
    let reason = fs::read_to_string(format!("{dir}/logs/infra.log")).unwrap();
    assert_eq!(reason, "provider\\u{1b}[2J outage\n");
    assert_eq!(bench.count(), 0);
    symlink("transcript.txt", bench.repo.path("../link")).unwrap();
    let _ = bench.judge(128, &["--infra", "x", "--transcript", "../link"]);
}

#[test]
fn a_check_that_needs_more_than_it_may_have_is_told_before_it_runs() {
    let timeout = "timeout = { measured_s = 1000 }\n";
    let bench = Bench::with(JUDGE, &format!("{CHECK}{timeout}"), SHAKY);
    bench.patch("good\n\n");
    let run = bench.judge(128, &[]);
    assert!(
        run.stderr.contains("check props needs 1250 s") && run.stderr.contains("1200 s"),
        "{run}"
    );
    assert_eq!(bench.count(), 0);
}

#[test]
fn landed_trials_teach_how_long_a_check_takes() {
    let check = CHECK.replace("\"8\"]", "\"8\", \"9\"]");
    let bench = Bench::with(
        JUDGE,
        &format!("{check}timeout = {{ budget_s = 4, max_s = 9 }}\n"),
        KEEPS,
    );
    bench.patch("good\n\n");
    let _ = bench.judge(0, &[]);
    let dir = bench.records().remove(0).0;
    let text = fs::read_to_string(format!("{dir}/verdict.json")).unwrap();
    let (before, times) = text.split_once("\"checks_ms\": [").unwrap();
    let slow = times.lines().map(|line| {
        if line.trim().starts_with(|c: char| c.is_ascii_digit()) {
            format!("      8000{}\n", if line.ends_with(',') { "," } else { "" })
        } else {
            format!("{line}\n")
        }
    });
    let slow = format!("{before}\"checks_ms\": [{}", slow.collect::<String>());
    bench.repo.git(&["reset", "-q", "--hard", "main"]);
    bench.land(|bench| {
        fs::write(format!("{dir}/verdict.json"), &slow).unwrap();
        bench.repo.git(&["add", "--force", ".gitreins/history"]);
    });
    bench.patch("good\n\n");
    let run = bench.judge(128, &[]);
    assert!(
        run.stderr.contains("check props needs 10 s") && run.stderr.contains("timeout.max_s, 9 s"),
        "{run}"
    );
}

#[test]
fn a_line_without_policy_and_two_bases_are_no_trial() {
    let bench = Bench::new();
    let run = bench.judge(129, &["main..topic", "--base", "main"]);
    assert!(run.stderr.contains("both name a base"), "{run}");
    let repo = crate::support::Repo::new();
    repo.write("x", "x");
    repo.commit("x");
    let run = repo.refuses(128, &["judge"]);
    assert!(run.stderr.contains("POLICY_MISSING"), "{run}");
}
