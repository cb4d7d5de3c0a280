//! How are runs made: fresh trees, budgets, what is watched, what is known already?

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use super::bench::{Bench, CHECK, JUDGE, KEEPS, SHAKY, runs};
use crate::support::BINARY;

fn record_without_timing(bench: &Bench) -> Value {
    let mut record = bench.record();
    assert!(record.as_object_mut().unwrap().remove("timing").is_some());
    record
}

#[test]
fn the_same_trial_makes_the_same_record_and_base_is_not_run_again() {
    let bench = Bench::with(JUDGE, CHECK, SHAKY);
    bench.patch("good\n\n");
    let _ = bench.judge(0, &[]);
    assert_eq!(bench.count(), 4);
    let record = record_without_timing(&bench);
    let run = bench.judge(0, &[]);
    assert!(
        run.stdout.contains("is there already and stays as it is"),
        "{run}"
    );
    assert_eq!((bench.count(), record_without_timing(&bench)), (6, record));
    // an entry that is not read back exactly is run again
    for dir in fs::read_dir(bench.repo.path(".git/reins/cache")).unwrap() {
        for entry in fs::read_dir(dir.unwrap().path()).unwrap() {
            let entry = entry.unwrap().path();
            let text = fs::read_to_string(&entry).unwrap();
            fs::write(entry, text.replace("\"pass\"", "\"fail\"")).unwrap();
        }
    }
    let _ = bench.judge(0, &[]);
    assert_eq!(bench.count(), 10);
    // what is answered as run just now was run just now
    let _ = bench.judge(0, &["--admit"]);
    assert_eq!(bench.count(), 14);
}

#[test]
fn another_path_to_tools_costs_a_run_of_base() {
    let bench = Bench::with(JUDGE, CHECK, SHAKY);
    bench.patch("good\n\n");
    let _ = bench.judge(0, &[]);
    let mut command = bench.repo.command(BINARY, &bench.repo.path(""));
    let path = std::env::var("PATH").unwrap();
    let output = command
        .env("PATH", format!("{path}:/elsewhere"))
        .args(["judge"])
        .output()
        .unwrap();
    let _ = bench.repo.captured(output).expect(0);
    assert_eq!(bench.count(), 8);
}

#[test]
fn a_protected_line_that_moved_by_material_alone_costs_no_run_of_base() {
    let bench = Bench::with(JUDGE, CHECK, SHAKY);
    bench.patch("good\n\n");
    let _ = bench.judge(0, &[]);
    bench.land(|bench| bench.row("val-02", "other"));
    let before = bench.count();
    let _ = bench.judge(0, &[]);
    // two of the new row on base, four on the candidate
    assert_eq!(bench.count() - before, 6);
    bench.land(|bench| bench.repo.write("src/landed", "code\n"));
    let before = bench.count();
    let _ = bench.judge(0, &[]);
    assert_eq!(bench.count() - before, 8);
}

#[test]
fn a_check_sees_code_and_material_and_nothing_else() {
    let property =
        "ls -A . >>COUNT; env >>COUNT; git rev-parse --git-dir 2>&1 | head -1 >>COUNT; exit 0\n";
    let bench = Bench::with(JUDGE, CHECK, property);
    bench.patch("good\n\n");
    let dir = bench.repo.path("");
    let mut command = bench.repo.command(BINARY, &dir);
    command
        .env("CI", "1")
        .env("GIT_DIR", dir.join(".git"))
        .env("TOKEN", "hunter2");
    let _ = bench
        .repo
        .captured(command.args(["judge"]).output().unwrap())
        .expect(0);
    let seen = fs::read_to_string(bench.repo.path("../count")).unwrap();
    for gone in [
        "hunter2",
        "\nCI=",
        "\n.git\n",
        "\nledger\n",
        "\n.gitreins\n",
        "\nGIT_DIR=",
    ] {
        assert!(!seen.contains(gone), "{gone:?} in {seen}");
    }
    assert!(
        seen.starts_with(".gitignore\nfixtures\nproperties\nspec\nsrc\n"),
        "{seen}"
    );
    assert!(seen.contains("not a git repository"), "{seen}");
}

#[test]
fn fresh_trees_are_fresh() {
    // a run would fail where an earlier one has been
    let property = "test ! -e been && touch been && echo x >>src/value && test ! -e \"$TMPDIR/been\" && touch \"$TMPDIR/been\"\n";
    let bench = Bench::with(JUDGE, CHECK, property);
    bench.patch("good\n\n");
    let _ = bench.judge(0, &[]);
}

#[test]
fn beside_many_pinned_files_a_check_may_make_others() {
    let property = "if (: >fixtures/beside); then echo made >>COUNT; else echo not >>COUNT; fi\n";
    let bench = Bench::with(JUDGE, CHECK, property);
    bench.land(|bench| {
        (0..300).for_each(|at| {
            bench
                .repo
                .write(&format!("fixtures/many/{at}"), "a fixture\n")
        });
        bench.pin("e2");
    });
    bench.patch("good\n\n");
    let _ = bench.judge(0, &[]);
    // Landlock lets nobody make anything in a directory that holds what is fenced off
    let made = if bench.record()["enforced"]["fixtures"] == "landlock" {
        "not"
    } else {
        "made"
    };
    let seen = fs::read_to_string(bench.repo.path("../count")).unwrap();
    assert!(
        !seen.is_empty() && seen.lines().all(|line| line == made),
        "{made}: {seen}"
    );
}

#[test]
fn what_a_check_leaves_running_is_ended_and_no_pass() {
    let property = "test ! -e src/evil || { sleep 1000 & }; exit 0\n";
    let bench = Bench::with(JUDGE, CHECK, property);
    bench.repo.write("src/evil", "x");
    bench.repo.commit("patch");
    let run = bench.judge(1, &[]);
    assert!(
        run.stdout
            .contains("leak           val-01 seed 7: 1 of its processes outlived it"),
        "{run}"
    );
}

#[test]
fn a_candidate_that_is_out_of_time_is_run_once_more() {
    let check = format!("{CHECK}timeout = {{ budget_s = 1 }}\n").replace("\"7\", \"8\"", "\"7\"");
    // hangs on the candidate, the first time only
    let once =
        "test -e src/slow || exit 0; echo x >>COUNT; test $(wc -l <COUNT) != 1 || sleep 1000\n";
    let bench = Bench::with(JUDGE, &check, once);
    bench.repo.write("src/slow", "x");
    bench.repo.commit("patch");
    let run = bench.judge(0, &[]);
    assert_eq!(bench.count(), 2, "{run}");
    let always = "test -e src/slow || exit 0; echo x >>COUNT; sleep 1000\n";
    let bench = Bench::with(JUDGE, &check, always);
    bench.repo.write("src/slow", "x");
    // what a candidate says of its own time counts nothing
    bench.repo.write(
        ".gitreins/config.yaml",
        "test_timeout: 1000\ntier1: { suite_runtime_s: 1000 }\n",
    );
    bench.repo.write(
        "reins.toml",
        "[[check]]\nid = \"props\"\ntimeout = { budget_s = 1000 }\n",
    );
    bench.repo.commit("patch");
    let run = bench.judge(1, &[]);
    assert!(
        run.stdout
            .contains("timeout        val-01 seed 7: took longer than 1 s"),
        "{run}"
    );
    assert_eq!(
        (bench.count(), &bench.record()["uncovered_fail"]),
        (2, &json!(["val-01"]))
    );
}

#[test]
fn progress_is_shown_on_a_terminal_and_nowhere_else() {
    let bench = Bench::with(JUDGE, CHECK, KEEPS);
    bench.patch("good\n\n");
    assert_eq!(bench.judge(0, &[]).stderr, "");
    bench.patch("good\n\n\n");
    let dir = bench.repo.path("");
    let mut script = bench.repo.command("script", &dir);
    script
        .args(["-qec", &format!("{BINARY} judge"), "/dev/null"])
        .stdin(Stdio::null());
    let shown = bench
        .repo
        .captured(script.output().unwrap())
        .expect(0)
        .stdout;
    assert!(
        shown.contains("props: val-01 seed 8 on candidate: 1") && shown.contains(" s left"),
        "{shown}"
    );
}

#[test]
fn who_judges_and_decides_in_one_go_has_seen_it_himself() {
    for (value, code, decision) in [("good\n\n", 0, "admit"), ("bad\n", 1, "refuse")] {
        let bench = Bench::new();
        bench.patch(value);
        let run = bench.judge(code, &["--admit", "--json"]);
        let said: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(
            (&said["decision"], &said["verdict_evidence"]),
            (&json!(decision), &json!("rerun"))
        );
        let beside = fs::read_to_string(format!("{}/decision.json", bench.records()[0].0)).unwrap();
        assert!(
            beside.contains("\"verdict_evidence\": \"self\""),
            "{beside}"
        );
        // the same trial may be folded already
        let _ = bench.repo.reins(&["reconcile"]).expect(0);
        let again = bench.repo.reins(&["judge", "--admit"]).expect(code).stdout;
        assert!(again.contains("a trial that was run just now"), "{again}");
    }
}

#[test]
fn a_late_row_runs_with_its_own_file_and_does_not_score() {
    let bench = Bench::with(
        JUDGE,
        CHECK,
        &KEEPS.replace("echo", "test ! -e properties/late.sh || exit 1; echo"),
    );
    bench.patch("good\n\n");
    bench.repo.write(
        "properties/late.sh",
        "test -e properties/keep.sh && exit 1\n",
    );
    bench.row_of("late-01", "late", "properties/late.sh");
    bench.repo.commit("a late row");
    let run = bench.judge(0, &[]);
    assert!(
        run.stdout
            .contains("note: late-01 does not score, and missed"),
        "{run}"
    );
    let runs = runs(&bench.record());
    assert!(
        runs.contains(&"late-01 7 candidate fail PROP_FAIL".to_owned()),
        "{runs:?}"
    );
}

#[test]
fn a_smoke_row_is_run_and_shown_and_never_scores() {
    let bench = Bench::with(JUDGE, CHECK, "test \"$1\" != smoke\n");
    bench.land(|bench| {
        bench.row("smoke-01", "smoke");
        let _ = bench
            .repo
            .reins(&["oracle", "edit", "smoke-01", "--smoke"])
            .expect(0);
    });
    bench.patch("good\n\n");
    let run = bench.judge(0, &[]);
    assert!(
        run.stdout
            .contains("note: smoke-01 does not score, and missed"),
        "{run}"
    );
}

#[test]
fn ctrl_c_leaves_no_process_no_tree_and_no_record() {
    let mark = format!("1000.{}", std::process::id());
    let bench = Bench::with(
        JUDGE,
        CHECK,
        &format!("echo run >>COUNT; exec sleep {mark}\n"),
    );
    bench.patch("good\n\n");
    let _ = bench.interrupted(&["judge"], &mark);
    assert!(!bench.repo.path(".gitreins/history").exists());
}

#[test]
fn a_row_can_be_tried_at_head() {
    let bench = Bench::new();
    bench.patch("flaky\n");
    let run = bench.repo.refuses(1, &["try", "val-01"]);
    assert!(run.stdout.starts_with("PROP_PASS  val-01 seed 7"), "{run}");
    assert!(
        run.stdout.contains("PROP_FAIL  val-01 seed 8") && run.stdout.contains("exit code 1"),
        "{run}"
    );
    let run = bench.repo.refuses(1, &["try", "val-01", "--json"]);
    let tried: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&tried["schema"], &tried["runs"][1]["outcome"]),
        (&json!("git-reins/try/1"), &json!("fail"))
    );
    let run = bench.repo.refuses(1, &["try", "val-02"]);
    assert!(
        run.stderr.contains("HEAD holds no oracle row val-02"),
        "{run}"
    );
}
