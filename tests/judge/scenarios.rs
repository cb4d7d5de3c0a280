//! The acceptance scenarios of the judge by their numbers, and where the others are told.
//!
//! 1: `verdicts::t2`, `suites`. 2, 3: `runs`. 8, and 4 for a patch file: `canaries`. 11, and no
//! tests: `pytest`. 12, a blank patch and freezes: `verdicts`, `suites`. What is required and not
//! enforced: `before`.

use std::fs;

use serde_json::{Value, json};

use super::bench::{Bench, CHECK, JUDGE, KEEPS, runs};

/// A check of shell with one seed, and more keys.
fn check(keys: &str) -> String {
    format!("{}{keys}", CHECK.replace("\"7\", \"8\"", "\"7\""))
}

/// A bench whose patch adds `src/evil`, on which the property does something.
fn evil(keys: &str, deed: &str) -> Bench {
    let bench = Bench::with(
        JUDGE,
        &check(keys),
        &format!("test ! -e src/evil || {{ {deed}; }}\n"),
    );
    bench.repo.write("src/evil", "x");
    bench.repo.commit("patch");
    bench
}

fn outcome(bench: &Bench) -> (Value, Value) {
    let record = bench.record();
    let last = record["checks"].as_array().unwrap().last().unwrap();
    (last["outcome"].clone(), last["reason"].clone())
}

#[test]
fn s04_s09_a_range_that_changes_code_and_material_is_refused_before_any_property() {
    for (path, code) in [
        ("fixtures/sample", "FIXTURE_DIGEST_MISMATCH"),
        ("properties/keep.sh", "ORACLE_NOT_INDEPENDENT"),
        ("properties/conftest.py", "ORACLE_NOT_INDEPENDENT"),
        (".gitreins/reins.toml", "POLICY_CHANGED_BY_PATCH"),
        ("spec/values.md", "SPEC_CHANGED_BY_PATCH"),
    ] {
        let bench = Bench::with(JUDGE, &check(""), "echo ran >>COUNT\n");
        let text = fs::read_to_string(bench.repo.path(path)).unwrap_or_default();
        bench.repo.write(path, &format!("{text}# easier\n"));
        bench.patch("bad\n");
        let run = bench.judge(1, &[]);
        assert!(run.to_string().contains(code), "{path}: {run}");
        assert!(bench.records().is_empty() && bench.count() == 0, "{path}");
    }
}

#[test]
fn s05_what_a_result_file_says_only_worsens_an_outcome() {
    let suite = |inner: &str| format!("echo '<testsuite>{inner}</testsuite>' >\"$3\"");
    let good = suite("<testcase/>");
    let table = [
        (
            "segv",
            format!("{good}; echo PASS; kill -SEGV $$"),
            "signal",
            None,
        ),
        ("exit", format!("{good}; exit 1"), "fail", None),
        ("odd-exit", format!("{good}; exit 9"), "error", Some("exit")),
        (
            "fails",
            suite("<testcase><failure/></testcase>"),
            "fail",
            Some("result-mismatch"),
        ),
        (
            "errs",
            suite("<testcase><error/></testcase>"),
            "error",
            Some("result-mismatch"),
        ),
        (
            "skips",
            suite("<testcase><skipped/></testcase>"),
            "error",
            Some("no-tests"),
        ),
        ("empty", suite(""), "error", Some("no-tests")),
        (
            "flakes",
            suite("<testcase><flakyFailure/></testcase>"),
            "flaky-pass",
            None,
        ),
        (
            "torn",
            "echo '<testsuite><testcase/>' >\"$3\"".to_owned(),
            "error",
            Some("result-mismatch"),
        ),
        ("none", "true".to_owned(), "error", Some("result-mismatch")),
        (
            "pipe",
            "mkfifo \"$3\"".to_owned(),
            "error",
            Some("result-mismatch"),
        ),
        ("good", good.clone(), "pass", None),
    ];
    let arms: String = table
        .iter()
        .map(|(name, deed, _, _)| format!("{name}) {deed} ;;\n"))
        .collect();
    let keys = "result = { format = \"junit\" }\n";
    let check = check(keys).replace("\"{seed}\"]", "\"{seed}\", \"{result}\"]");
    let bench = Bench::with(
        JUDGE,
        &check,
        &format!("case $1 in\n{arms}*) {good} ;;\nesac\n"),
    );
    bench.land(|bench| table.iter().for_each(|(name, ..)| bench.row(name, name)));
    bench.patch("good\n\n");
    let _ = bench.judge(1, &[]);
    let record = bench.record();
    for (name, _, outcome, reason) in &table {
        let runs: Vec<_> = record["checks"].as_array().unwrap().iter().collect();
        let run = runs.iter().rfind(|run| run["property"] == *name).unwrap();
        assert_eq!(
            (&run["outcome"], &run["reason"]),
            (&json!(outcome), &json!(reason)),
            "{name}"
        );
    }
    let mut missed: Vec<_> = table
        .iter()
        .map(|(name, ..)| *name)
        .filter(|name| *name != "good")
        .collect();
    missed.sort_unstable();
    assert_eq!(record["uncovered_fail"], json!(missed));
}

#[test]
fn s05_a_result_file_that_lies_in_the_tree_is_no_result_of_a_run() {
    let good = "echo '<testsuite><testcase/></testsuite>' >result.xml";
    let keys = "result = { format = \"junit\", path = \"result.xml\" }\n";
    let property = format!("case $(cat src/value) in\ngood) {good} ;;\nesac\nexit 0\n");
    let bench = Bench::with(JUDGE, &check(keys), &property);
    bench
        .repo
        .write("result.xml", "<testsuite>\n<testcase/>\n</testsuite>\n");
    bench.patch("bad\n");
    let run = bench.judge(1, &[]);
    assert_eq!(
        outcome(&bench),
        (json!("error"), json!("result-mismatch")),
        "{run}"
    );
    // one that is written over what lay there is one
    bench.patch("good\n");
    let _ = bench.judge(0, &[]);
}

#[test]
fn a_tool_that_prints_tap_is_read_from_its_standard_output() {
    let bench = Bench::with(
        JUDGE,
        &check("").replace("\"raw\"", "\"tap\""),
        "echo 'aside' >&2; echo 1..1; cat src/value\n",
    );
    bench.land(|bench| bench.repo.write("src/value", "ok 1\n"));
    for (value, code, ended) in [
        ("ok 1 - holds\n", 0, ("pass", json!(null))),
        ("not ok 1\n", 1, ("fail", json!("result-mismatch"))),
        ("ok 1 # SKIP\n", 1, ("error", json!("no-tests"))),
        ("a word\nok 1\n", 1, ("error", json!("result-mismatch"))),
    ] {
        bench.patch(value);
        let run = bench.judge(code, &[]);
        assert_eq!(outcome(&bench), (json!(ended.0), ended.1), "{value}: {run}");
        fs::remove_dir_all(bench.repo.path(".gitreins/history")).unwrap();
    }
}

#[test]
fn s06_seeds_that_change_during_a_trial_change_nothing_of_it() {
    let bench = Bench::with(JUDGE, &check(""), KEEPS);
    let repo = &bench.repo;
    // the line moves to another list of seeds while the property runs
    let policy = repo.read(".gitreins/reins.toml");
    let place = repo.path("").display().to_string();
    bench.land(|bench| {
        let property =
            format!("git -C {place} update-ref refs/heads/main refs/heads/other; {KEEPS}");
        bench.repo.write("properties/keep.sh", &property);
        let _ = bench
            .repo
            .reins(&["oracle", "edit", "val-01", "--file", "properties/keep.sh"])
            .expect(0);
    });
    let base = repo.git(&["rev-parse", "main"]);
    repo.git(&["switch", "-q", "-c", "other", "main"]);
    repo.write(
        ".gitreins/reins.toml",
        &policy.replace("[\"7\"]", "[\"9\"]"),
    );
    repo.commit("other seeds");
    repo.git(&["switch", "-q", "topic"]);
    bench.patch("good\n\n");
    let _ = repo.reins(&["judge"]).expect(0);
    if repo.git(&["rev-parse", "main"]) == base {
        repo.git(&["update-ref", "refs/heads/main", "refs/heads/other"]); // a fence kept it away
    }
    let record = bench.record();
    assert_eq!(
        (&record["seeds"][0]["seeds"], &record["base_rev"]),
        (&json!(["7"]), &json!(base.trim()))
    );
    // and it is no verdict on the line as it is now
    let _ = repo.reins(&["reconcile"]).expect(0);
    let run = repo.reins(&["admit"]);
    assert!(
        run.stdout.contains("VERDICT_STALE") && run.code == Some(1),
        "{run}"
    );
}

#[test]
fn s10_a_budget_is_raised_to_what_was_measured_before_anything_runs() {
    let timeout = "timeout = { budget_s = 1, measured_s = 8 }\n";
    let bench = evil(timeout, "echo ran >>COUNT; sleep 1.2");
    let _ = bench.judge(0, &[]);
    assert_eq!(bench.count(), 1, "the first run had the time");
}

#[test]
fn s12_output_without_end_is_cut_off_and_rejects() {
    let bench = evil("output_max_mib = 1\n", "yes");
    let run = bench.judge(1, &[]);
    assert_eq!(
        outcome(&bench),
        (json!("output-limit"), json!(null)),
        "{run}"
    );
    let (dir, record) = bench.records().remove(0);
    let kept = format!("{dir}/logs/{:03}-val-01.log", runs(&record).len() - 1);
    assert!(fs::metadata(&kept).unwrap().len() <= 257 << 10, "{kept}");
}

#[test]
fn s12_when_every_property_is_frozen_nothing_is_left_that_scores() {
    let bench = Bench::with(
        "[freeze]\nmax_share = 1.0\n[judge]\nrequire = []\n",
        CHECK,
        KEEPS,
    );
    bench.freeze("src");
    bench.repo.write("src/other", "x");
    bench.repo.commit("patch");
    let _ = bench.judge(1, &[]);
    let (dir, record) = bench.records().remove(0);
    assert_eq!(record["reasons"], json!(["nothing_scored"]));
    let decision = fs::read_to_string(format!("{dir}/decision.json")).unwrap();
    assert!(decision.contains("NO_UNFROZEN_PROPERTIES"), "{decision}");
}
