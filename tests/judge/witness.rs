//! Can a property fail at all? A known-bad patch says so.

use std::fs;

use insta::assert_snapshot;
use serde_json::json;

use super::bench::{Bench, CHECK, JUDGE, KEEPS, runs};

/// A diff that writes another value.
fn diff(value: &str) -> String {
    format!(
        "diff --git a/src/value b/src/value\n--- a/src/value\n+++ b/src/value\n@@ -1 +1 @@\n-good\n+{value}\n"
    )
}

/// Lands a known-bad patch for `val-01`.
fn witnessed(judge: &str, value: &str) -> Bench {
    let bench = Bench::with(judge, CHECK, KEEPS);
    fs::write(bench.repo.path("../bad.diff"), diff(value)).unwrap();
    bench.land(|bench| {
        let _ = bench
            .repo
            .reins(&["oracle", "witness", "val-01", "../bad.diff"])
            .expect(0);
    });
    bench
}

fn other(bench: &Bench) {
    bench.repo.write("src/other", "new\n");
    bench.repo.commit("patch");
}

#[test]
fn a_property_that_its_known_bad_patch_kills_has_shown_its_power() {
    let bench = witnessed(JUDGE, "bad");
    other(&bench);
    let run = bench.judge(0, &[]);
    assert!(
        run.stdout.contains("val-01 seed 7, fails on its witness"),
        "{run}"
    );
    let record = bench.record();
    assert_eq!(
        record["power"],
        json!([{ "property_id": "val-01", "power": "witness" }])
    );
    assert_snapshot!(runs(&record)[4..].join("\n"), @r"
    val-01 7 base pass -
    val-01 8 base pass -
    val-01 7 witness fail -
    val-01 7 candidate pass PROP_PASS
    val-01 8 candidate pass PROP_PASS
    ");
    let _ = bench.repo.reins(&["reconcile"]).expect(0);
    let run = bench.repo.reins(&["admit", "--json"]).expect(0);
    assert!(run.stdout.contains("\"power\": \"witness\""), "{run}");
    let run = bench.repo.reins(&["admit"]).expect(0);
    assert!(
        run.stdout
            .contains("  power: fails on its witness: val-01\n"),
        "{run}"
    );
    let _ = bench.repo.reins(&["recompute", "HEAD"]).expect(0);
}

#[test]
fn the_witness_is_not_run_again_on_the_same_base() {
    let bench = Bench::with(JUDGE, CHECK, &format!("echo x >>COUNT\n{KEEPS}"));
    fs::write(bench.repo.path("../bad.diff"), diff("bad")).unwrap();
    bench.land(|bench| {
        let _ = bench
            .repo
            .reins(&["oracle", "witness", "val-01", "../bad.diff"])
            .expect(0);
    });
    other(&bench);
    let _ = bench.judge(0, &[]);
    let first = bench.count();
    let _ = bench.judge(0, &[]);
    assert_eq!((first, bench.count()), (5, 7));
}

#[test]
fn a_row_whose_known_bad_patch_passes_is_smoke() {
    let harmless = diff("good")
        .replace("+good\n", "+good\n+\n")
        .replace("+1 @@", "+1,2 @@");
    let bench = Bench::new();
    fs::write(bench.repo.path("../bad.diff"), &harmless).unwrap();
    bench.land(|bench| {
        let _ = bench
            .repo
            .reins(&["oracle", "witness", "val-01", "../bad.diff"])
            .expect(0);
        bench.row("val-02", "keeps");
    });
    other(&bench);
    let run = bench.judge(0, &[]);
    assert!(
        run.stdout
            .contains("note: val-01 is smoke: its own known-bad patch does not make it fail"),
        "{run}"
    );
    let record = bench.record();
    assert!(runs(&record).contains(&"val-01 8 witness pass -".to_owned()));
    assert_eq!(record["power"][0]["power"], "claimed");
    let _ = bench.repo.reins(&["reconcile"]).expect(0);
    let run = bench.repo.reins(&["admit"]).expect(0);
    assert!(
        run.stdout
            .contains("val-01 is smoke: its own known-bad patch"),
        "{run}"
    );
    assert!(
        run.stdout.contains("scored 1, frozen 0, late 0, smoke 1"),
        "{run}"
    );
    // without the other row nothing scores
    let bench = Bench::new();
    fs::write(bench.repo.path("../bad.diff"), &harmless).unwrap();
    bench.land(|bench| {
        let _ = bench
            .repo
            .reins(&["oracle", "witness", "val-01", "../bad.diff"])
            .expect(0);
    });
    other(&bench);
    let _ = bench.judge(1, &[]);
    assert_eq!(bench.record()["reasons"], json!(["nothing_scored"]));
}

#[test]
fn a_failure_on_base_is_better_evidence_and_a_policy_may_ask_for_some() {
    let bench = Bench::with("[judge]\nrequire = []\npower = \"witness\"\n", CHECK, KEEPS);
    other(&bench);
    let _ = bench.judge(1, &[]);
    assert_eq!(bench.record()["reasons"], json!(["nothing_scored"]));
    let bench = witnessed("[judge]\nrequire = []\npower = \"witness\"\n", "bad");
    other(&bench);
    let _ = bench.judge(0, &[]);
    let bench = Bench::new();
    bench.land(|bench| bench.repo.write("src/value", "bad\n"));
    let bad = diff("worse").replace("-good", "-bad");
    fs::write(bench.repo.path("../bad.diff"), bad).unwrap();
    bench.land(|bench| {
        let _ = bench
            .repo
            .reins(&["oracle", "witness", "val-01", "../bad.diff"])
            .expect(0);
    });
    bench.patch("good\n");
    let _ = bench.judge(0, &[]);
    assert_eq!(bench.record()["power"][0]["power"], "base-fail");
}

#[test]
fn a_known_bad_patch_that_does_not_apply_is_no_verdict() {
    let bench = witnessed(JUDGE, "bad");
    bench.land(|bench| bench.repo.write("src/value", "good\n# moved on\n"));
    other(&bench);
    let run = bench.judge(128, &[]);
    let words = "the known-bad patch ledger/witness/val-01.diff of val-01 does not apply to base";
    assert!(run.stderr.contains(words), "{run}");
    assert!(
        run.stderr
            .contains("git reins oracle witness val-01 PATCH.diff"),
        "{run}"
    );
    assert!(bench.records().is_empty());
}

#[test]
fn oracle_witness_keeps_and_pins_what_can_be_one() {
    let bench = Bench::new();
    let bad = bench.repo.path("../bad.diff");
    fs::write(&bad, diff("bad")).unwrap();
    let run = bench
        .repo
        .reins(&[
            "oracle",
            "witness",
            "val-01",
            "../bad.diff",
            "--dry-run",
            "--json",
        ])
        .expect(0);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&report["path"], &report["written"]),
        (&json!("ledger/witness/val-01.diff"), &json!(false))
    );
    assert!(!bench.repo.path("ledger/witness").exists());
    for (patch, words) in [
        (
            diff("bad").replace("-good", "-other"),
            "does not apply to HEAD",
        ),
        (
            diff("bad").replace("src/value", "properties/keep.sh"),
            "touches properties/keep.sh, which is material",
        ),
        ("nothing\n".to_owned(), "it is no patch"),
    ] {
        fs::write(&bad, patch).unwrap();
        let run = bench
            .repo
            .refuses(1, &["oracle", "witness", "val-01", "../bad.diff"]);
        assert!(run.stderr.contains(words), "{run}");
    }
    let run = bench
        .repo
        .refuses(1, &["oracle", "witness", "val-09", "../bad.diff"]);
    assert!(
        run.stderr.contains("it is no patch") || run.stderr.contains("no oracle"),
        "{run}"
    );
    fs::write(&bad, diff("bad")).unwrap();
    bench.repo.git(&["switch", "-q", "main"]);
    let _ = bench
        .repo
        .reins(&["oracle", "witness", "val-01", "../bad.diff"])
        .expect(0);
    assert_eq!(
        fs::read_to_string(bench.repo.path("ledger/witness/val-01.diff")).unwrap(),
        diff("bad")
    );
    let _ = bench.repo.reins(&["oracle", "commit"]).expect(0);
    let run = bench
        .repo
        .refuses(1, &["oracle", "witness", "val-01", "../bad.diff"]);
    assert!(run.stderr.contains("nothing would change"), "{run}");
}
