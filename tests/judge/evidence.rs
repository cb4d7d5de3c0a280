//! What does a record say about what was enforced, and about what a check opened?

use git_reins::model::ids::Sha256;
use std::fs;

use serde_json::{Value, json};

use super::bench::{Bench, CHECK, JUDGE, KEEPS, runs};

/// The record of a trial without its clock.
fn untimed(mut record: Value) -> Value {
    assert!(record.as_object_mut().unwrap().remove("timing").is_some());
    record
}

/// Whether this machine lets anybody see what is opened; a test of that is over where it does not.
fn is_traced(record: &Value) -> bool {
    if record["enforced"]["trace"] == "none" {
        assert!(
            std::env::var_os("CI").is_none(),
            "nothing was traced: {record}"
        );
        assert!(
            record["checks"]
                .as_array()
                .unwrap()
                .iter()
                .all(|run| run["opened"].is_null())
        );
        assert_eq!(record["unwitnessed"], json!([]));
        return false;
    }
    true
}

fn paths(record: &Value, at: usize) -> Vec<&str> {
    let opened = record["checks"][at]["opened"].as_array().unwrap();
    opened
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect()
}

#[test]
fn a_record_lists_what_each_run_opened_of_its_tree_by_pristine_bytes() {
    // what it writes itself is no evidence, nor what is outside; a path by a link is the file's own
    let property = "cat src/value >made; cat made; ln -s ../fixtures src/l; cat src/l/sample; \
                    echo other >src/other; cat src/other; cat \"$TMPDIR\"/* /etc/passwd; exit 0\n";
    let bench = Bench::with(JUDGE, CHECK, property);
    bench.patch("good\n\n");
    let _ = bench.judge(0, &[]);
    let first = untimed(bench.record());
    if !is_traced(&first) {
        return;
    }
    assert_eq!(
        first["checks"][0]["opened"],
        json!(null),
        "a canary of ours opens nothing"
    );
    assert_eq!(
        paths(&first, 6),
        ["fixtures/sample", "properties/keep.sh", "src/value"]
    );
    let digest = |text: &str| Sha256::of(text.as_bytes()).to_string();
    let of = |at: usize| {
        first["checks"][at]["opened"][2]["sha256"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!((of(4), of(6)), (digest("good\n"), digest("good\n\n")));
    // by a second judge, with and without what the first one left
    fs::remove_dir_all(bench.repo.path(".gitreins/history")).unwrap();
    let _ = bench.judge(0, &[]);
    assert_eq!(untimed(bench.record()), first);
    fs::remove_dir_all(bench.repo.path(".gitreins/history")).unwrap();
    fs::remove_dir_all(bench.repo.path(".git/reins")).unwrap();
    let _ = bench.judge(0, &[]);
    assert_eq!(untimed(bench.record()), first);
}

#[test]
fn a_property_that_passes_and_opens_nothing_of_the_patch_is_listed() {
    let bench = Bench::with(JUDGE, CHECK, "test \"$1\" = blind || cat src/value\n");
    bench.land(|bench| bench.row("val-02", "blind"));
    bench.patch("good\n\n");
    let run = bench.judge(0, &[]);
    let record = bench.record();
    if !is_traced(&record) {
        return;
    }
    assert_eq!(record["unwitnessed"], json!(["val-02"]));
    let words = "val-02 passed and opened none of the touched paths";
    assert!(run.stdout.contains(words), "{run}");
    let _ = bench.repo.reins(&["reconcile"]).expect(0);
    let run = bench.repo.reins(&["admit"]).expect(0);
    assert!(
        run.stdout
            .contains("val-02 passed and opened none of the paths that the patch touches"),
        "{run}"
    );
    let _ = bench.repo.reins(&["recompute", "HEAD"]).expect(0);
}

#[test]
fn a_patch_that_touches_what_a_check_starts_is_shown_to_whoever_admits_it() {
    let check = CHECK.replace("\"sh\", ", "\"sh\", \"tools/run\", ");
    let bench = Bench::with(JUDGE, &check, KEEPS);
    bench.land(|bench| bench.repo.write("tools/run", "exec sh \"$@\"\n"));
    bench.repo.write("tools/run", "exit 0\n");
    bench.patch("bad\n");
    let words = "the patch touches tools/run, which can change what check props runs";
    let run = bench.judge(0, &[]);
    assert!(run.stdout.contains(words), "{run}");
    let _ = bench.repo.reins(&["reconcile"]).expect(0);
    for asks in [
        &["admit"][..],
        &["report"],
        &["report", "--format", "markdown"],
    ] {
        let run = bench.repo.reins(asks).expect(0);
        assert!(
            run.stdout
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains(words),
            "{run}"
        );
    }
}

#[test]
fn what_was_tried_is_told_with_what_it_opened() {
    let bench = Bench::with(JUDGE, CHECK, KEEPS);
    let run = bench.repo.reins(&["try", "val-01", "--json"]).expect(0);
    let tried: Value = serde_json::from_str(&run.stdout).unwrap();
    let text = bench.repo.reins(&["try", "val-01"]).expect(0);
    assert!(text.stdout.contains("enforced: network "), "{text}");
    if tried["enforced"]["trace"] == "none" {
        assert!(
            tried["runs"][0]["opened"].is_null() && text.stdout.contains("opened unknown: "),
            "{text}"
        );
        return;
    }
    assert_eq!(tried["runs"][0]["opened"][1]["path"], "src/value");
    assert!(
        text.stdout
            .contains("  opened properties/keep.sh, src/value\n"),
        "{text}"
    );
}

#[test]
fn a_check_that_reaches_the_network_is_named_beside_what_was_enforced() {
    let bench = Bench::with(JUDGE, &format!("{CHECK}network = \"allow\"\n"), KEEPS);
    let tried = bench.repo.reins(&["try", "val-01"]).expect(0);
    assert!(
        tried.stdout.contains(" (open for props), fixtures "),
        "{tried}"
    );
    bench.patch("good\n\n");
    let run = bench.judge(1, &[]);
    assert!(run.stdout.contains(" (open for props), fixtures "), "{run}");
    let record = bench.record();
    let reasons = json!(["nothing_scored"]);
    assert_eq!(
        (&record["online"], &record["reasons"]),
        (&json!(["props"]), &reasons)
    );
    let _ = bench.repo.reins(&["reconcile"]).expect(0);
    let _ = bench.repo.reins(&["recompute", "HEAD"]).expect(0);
    let report = bench.repo.reins(&["report"]).expect(1);
    assert!(report.stdout.contains("(open for props)"), "{report}");
    let report = bench.repo.reins(&["report", "--format", "json"]).expect(1);
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!(report["trials"][0]["online"], json!(["props"]));
}

const HARMS: [&str; 6] = [
    "echo x >>fixtures/sample",
    "rm -r fixtures",
    "chmod 600 fixtures/sample",
    "echo x >>properties/keep.sh",
    "mv fixtures f && ln -s f fixtures",
    "cp fixtures/sample s && ln -sf ../s fixtures/sample",
];

fn harmed(harm: &str) -> Bench {
    let bench = Bench::with(
        JUDGE,
        CHECK,
        &format!("test ! -e src/evil || {{ {harm}; }} 2>&1; exit 0\n"),
    );
    bench.repo.write("src/evil", "x");
    bench.repo.commit("patch");
    bench
}

/// A trial in which the first run on the candidate changed pinned bytes: nothing runs after it.
fn assert_tampered(bench: &Bench, what: &str) {
    let record = bench.record();
    assert_eq!(
        record["reasons"],
        json!(["uncovered_fail", "bytes_changed"]),
        "{what}: {record}"
    );
    assert!(
        runs(&record).contains(&"val-01 7 candidate tamper PROP_FAIL".to_owned()),
        "{record}"
    );
    assert!(
        runs(&record).contains(&"val-01 8 candidate not-run -".to_owned()),
        "{record}"
    );
    assert_eq!(
        record["checks"].as_array().unwrap().last().unwrap()["reason"],
        "tampered"
    );
}

#[test]
fn pinned_bytes_stay_as_they_are_or_the_trial_is_rejected() {
    for harm in HARMS {
        let bench = harmed(harm);
        let run = bench.repo.reins(&["judge"]);
        let prevents = match bench.record()["enforced"]["fixtures"].as_str().unwrap() {
            "bind-ro" => true,
            "landlock" => !harm.starts_with("chmod"),
            _ => false,
        };
        match prevents {
            true => drop(run.expect(0)),
            false => assert_tampered(&bench, harm),
        }
    }
}

#[test]
fn without_namespaces_less_is_claimed_and_what_is_not_prevented_is_found() {
    let bench = harmed("chmod 600 fixtures/sample");
    let Some(run) = bench.judge_in_container() else {
        return;
    };
    let _ = run.expect(1);
    assert_tampered(&bench, "chmod");
    let enforced = bench.record()["enforced"].clone();
    assert!(
        enforced["fixtures"] != "bind-ro" && enforced["network"] != "netns-lo",
        "{enforced}"
    );
    assert_ne!(enforced["kill"], "pidns");
}
