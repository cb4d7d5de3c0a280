//! The five trials of the contract, and what a freeze does not cover.

use std::fs;

use insta::assert_snapshot;
use serde_json::json;

use super::bench::{Bench, CHECK, JUDGE, KEEPS, SHAKY, plain, runs};

#[test]
fn t1_everything_passes_and_the_patch_is_admitted() {
    let bench = Bench::new();
    bench.patch("good\n\n");
    assert_snapshot!(plain(&bench.judge(0, &[])), @"
    admit: every canary and every scored property passes
      base HEX, patch HEX, 1 path touched
      enforced: MEANS

    canaries
      pass           parse_diff
      pass           apply_check
      pass           no_secret_marker
      not configured public_signature

    properties
      pass           val-01 seed 7 on base
      pass           val-01 seed 8 on base
      pass           val-01 seed 7
      pass           val-01 seed 8

    record .gitreins/history/DAY/HEX
    next   git reins reconcile && git reins admit
    --- exit 0
    ");
    let record = bench.record();
    assert_snapshot!(runs(&record).join("\n"), @"
    parse_diff - candidate pass BLOB_OK
    apply_check - candidate pass -
    no_secret_marker - candidate pass -
    public_signature - candidate not-run -
    val-01 7 base pass -
    val-01 8 base pass -
    val-01 7 candidate pass PROP_PASS
    val-01 8 candidate pass PROP_PASS
    ");
    assert_eq!(
        (&record["touched"], &record["verdict"]),
        (&json!(["src/value"]), &json!("admit"))
    );
    let dir = bench.records().remove(0).0;
    let decision = fs::read_to_string(format!("{dir}/decision.json")).unwrap();
    let decision: serde_json::Value = serde_json::from_str(&decision).unwrap();
    assert_eq!(
        (&decision["decision"], &decision["blob"]),
        (&json!("admit"), &record["blob"])
    );
    let log = fs::read_to_string(format!("{dir}/logs/006-val-01.log")).unwrap();
    assert!(log.contains("keeps seed 7 in "), "{log}");
}

#[test]
fn t2_a_canary_that_missed_goes_before_a_freeze() {
    let lint = "[[check]]\nid = \"lint\"\nkind = \"canary\"\nrun = [\"grep\", \"-q\", \"good\", \"src/value\"]\n";
    let bench = shaky(JUDGE, &format!("{CHECK}{lint}"));
    bench.patch("bad\n");
    let run = bench.judge(1, &[]);
    assert!(run.stdout.starts_with("reject: a canary missed"), "{run}");
    let record = bench.record();
    assert_eq!(record["canary_bad"], json!(["lint"]));
    assert_eq!(
        (&record["held"], &record["illegal_freeze"]),
        (&json!([]), &json!([]))
    );
    assert_snapshot!(runs(&record).join("\n"), @"
    parse_diff - candidate pass BLOB_OK
    apply_check - candidate pass -
    no_secret_marker - candidate pass -
    public_signature - candidate not-run -
    lint 0 candidate fail CANARY_FAIL
    val-01 7 candidate not-run -
    val-01 8 candidate not-run -
    val-02 7 candidate not-run -
    val-02 8 candidate not-run -
    ");
    assert_eq!(bench.count(), 0);
}

#[test]
fn t3_a_property_that_fails_rejects() {
    let bench = Bench::new();
    bench.patch("flaky\n");
    let run = bench.judge(1, &[]);
    assert!(
        run.stdout
            .starts_with("reject: a property failed that no freeze covers"),
        "{run}"
    );
    let record = bench.record();
    assert_eq!(
        (&record["uncovered_fail"], &record["reasons"]),
        (&json!(["val-01"]), &json!(["uncovered_fail"]))
    );
    assert_snapshot!(runs(&record).join("\n"), @"
    parse_diff - candidate pass BLOB_OK
    apply_check - candidate pass -
    no_secret_marker - candidate pass -
    public_signature - candidate not-run -
    val-01 7 base pass -
    val-01 8 base pass -
    val-01 7 candidate pass PROP_PASS
    val-01 8 candidate fail PROP_FAIL
    ");
}

#[test]
fn t4_an_empty_patch_is_rejected_and_no_process_is_started() {
    let bench = Bench::new();
    let nothing = bench.repo.path("../nothing");
    fs::create_dir(&nothing).unwrap();
    fs::write(nothing.join("blank.diff"), " \n\t\n").unwrap();
    let blank = nothing.join("blank.diff");
    for args in [vec!["judge"], vec!["judge", blank.to_str().unwrap()]] {
        let dir = bench.repo.path("");
        let mut command = bench.repo.command(crate::support::BINARY, &dir);
        // there is no program to be found, not even git
        let output = command.env("PATH", &nothing).args(&args).output().unwrap();
        let run = bench.repo.captured(output).expect(1);
        assert!(
            run.stdout
                .starts_with("reject: the patch is empty, nothing ran"),
            "{run}"
        );
        assert!(
            run.stdout
                .contains("has to be committed, or stand in a patch file"),
            "{run}"
        );
    }
    let records = bench.records();
    let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(records.len(), 2);
    assert!(records.iter().any(|(_, record)| record["blob"] == digest));
    for (_, record) in records {
        assert_eq!(
            (&record["checks"], &record["reasons"]),
            (&json!([]), &json!(["empty_blob"]))
        );
        assert_eq!(
            (&record["candidate_tree"], &record["verdict"]),
            (&json!(null), &json!("reject"))
        );
    }
}

/// Two rows, of which the shaky one is frozen for seed 8.
fn shaky(judge: &str, check: &str) -> Bench {
    let bench = Bench::with(judge, check, SHAKY);
    bench.land(|bench| {
        let _ = bench.repo.reins(&["oracle", "rm", "val-01"]).expect(0);
        bench.row("val-01", "shaky");
        bench.row("val-02", "keeps");
    });
    bench.freeze("src");
    bench
}

#[test]
fn t5_a_frozen_seed_that_fails_as_it_does_on_base_is_held() {
    let bench = shaky(JUDGE, CHECK);
    bench.patch("good\n\n");
    assert_snapshot!(plain(&bench.judge(3, &[])), @"
    hold: a frozen seed fails: not mergeable before a person looks
      base HEX, patch HEX, 1 path touched
      enforced: MEANS

    canaries
      pass           parse_diff
      pass           apply_check
      pass           no_secret_marker
      not configured public_signature

    properties
      pass           val-01 seed 7 on base
      fail           val-01 seed 8 on base: exit code 1
      pass           val-01 seed 8 on base
      fail           val-01 seed 8 on base: exit code 1
      pass           val-02 seed 7 on base
      pass           val-02 seed 8 on base
      pass           val-01 seed 7
      pass           val-01 seed 8
      freeze hit     val-01 seed 8: exit code 1
      pass           val-01 seed 8
      pass           val-02 seed 7
      pass           val-02 seed 8

    held: val-01: frozen and failing

    record .gitreins/history/DAY/HEX
    next   git reins reconcile && git reins admit
    --- exit 3
    ");
    let record = bench.record();
    assert_eq!(
        (&record["held"], &record["verdict"]),
        (&json!(["val-01"]), &json!("hold"))
    );
    assert_eq!(record["reasons"], json!(["freeze_hit"]));
}

#[test]
fn a_frozen_seed_that_never_passes_any_more_is_a_regression() {
    let bench = shaky(JUDGE, CHECK);
    bench.repo.write("src/value", "good\n\n"); // the shell drops the empty line
    bench.repo.commit("patch");
    let _held = bench.judge(3, &[]);
    fs::remove_dir_all(bench.repo.path(".gitreins/history")).unwrap();
    bench.patch("bad\n");
    let _ = bench.judge(1, &[]);
    let reasons = &bench.record()["reasons"];
    assert_eq!(reasons, &json!(["uncovered_fail", "frozen_regression"]));
}

#[test]
fn a_freeze_of_other_paths_or_without_eligible_check_holds_nothing() {
    let check = CHECK.replace("quarantine_eligible = true", "quarantine_eligible = false");
    let bench = shaky(JUDGE, &check);
    bench.repo.write("src/other", "new\n");
    bench.repo.commit("patch");
    let _ = bench.judge(1, &[]);
    assert_eq!(bench.record()["illegal_freeze"], json!(["val-01"]));
}

#[test]
fn a_frozen_seed_that_always_fails_on_base_is_a_known_defect() {
    let bench = Bench::with(JUDGE, CHECK, "test \"$1 $2\" != 'shaky 8'\n");
    bench.land(|bench| {
        let _ = bench.repo.reins(&["oracle", "rm", "val-01"]).expect(0);
        bench.row("val-01", "shaky");
        bench.row("val-02", "keeps");
    });
    bench.freeze("src");
    bench.patch("good\n\n");
    let _ = bench.judge(1, &[]);
    assert_eq!(bench.record()["reasons"], json!(["freeze_stable_failure"]));
}

#[test]
fn what_fails_on_base_and_passes_on_the_candidate_is_the_best_evidence() {
    let bench = Bench::with(JUDGE, CHECK, KEEPS);
    bench.land(|bench| bench.repo.write("src/value", "bad\n"));
    bench.patch("good\n");
    let run = bench.judge(0, &[]);
    assert!(run.stdout.contains("val-01 seed 7, fails on base"), "{run}");
    let record = bench.record();
    assert_eq!(
        record["power"],
        json!([{"property_id": "val-01", "power": "base-fail"}])
    );
}
