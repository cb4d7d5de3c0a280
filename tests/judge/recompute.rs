//! A record is derived again from the commits that it is about, wherever the branch has gone since.

use std::fs;

use serde_json::{Value, json};

use super::bench::Bench;

const PATCH: &str = "diff --git a/src/new b/src/new\nnew file mode 100644\n--- /dev/null\n+++ b/src/new\n\
                     @@ -0,0 +1 @@\n+new\n";

/// A bench with a row that is on the branch alone.
fn branch() -> Bench {
    let bench = Bench::new();
    bench.row("val-02", "other");
    bench.repo.commit("an oracle of its own");
    bench
}

#[test]
fn an_honest_record_of_any_kind_is_the_same_after_the_branch_went_on() {
    let bench = branch();
    let repo = &bench.repo;
    repo.write("../patch.diff", PATCH);
    let _ = bench.judge(1, &[]);
    let _ = bench.judge(1, &["--infra", "no answer"]);
    let _ = bench.judge(0, &["../patch.diff"]);
    bench.patch("good\n\n");
    let _ = bench.judge(0, &[]);
    bench.patch("good\n\n\n");
    let _ = bench.judge(0, &[]);
    bench.land(|bench| bench.repo.write("src/more", "landed beside it\n"));
    let _ = bench.judge(0, &[]);
    let records = bench.records();
    assert_eq!(records.len(), 6);
    for (dir, record) in records {
        let run = repo.unchanged(|| repo.reins(&["recompute", &dir]));
        assert!(
            run.code == Some(0) && run.stdout.starts_with("same: "),
            "{record}: {run}"
        );
    }
    let _ = repo.reins(&["reconcile"]).expect(0);
    let run = repo.reins(&["recompute", "HEAD"]).expect(0);
    assert_eq!(run.stdout.matches("same: ").count(), 6, "{run}");
}

#[test]
fn the_member_that_was_edited_is_named_although_the_record_contradicts_itself() {
    let bench = branch();
    bench.patch("good\n\n");
    let _ = bench.judge(0, &[]);
    let (dir, record) = bench.records().remove(0);
    for (member, value) in [
        ("candidate_tree", json!("0".repeat(40))),
        ("held", json!(["val-01"])),
        ("canary_bad", json!(["parse_diff"])),
        ("illegal_freeze", json!(["val-01"])),
        ("uncovered_fail", json!(["val-01"])),
        ("verdict", json!("hold")),
        ("reasons", json!(["canary_bad"])),
    ] {
        let mut edited = record.clone();
        edited[member] = value;
        let text = serde_json::to_string_pretty(&edited).unwrap();
        fs::write(format!("{dir}/verdict.json"), format!("{text}\n")).unwrap();
        let run = bench.repo.reins(&["recompute", &dir, "--json"]).expect(1);
        let told: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(told[0]["field"], member, "{run}");
    }
}

#[test]
fn a_record_is_not_said_to_be_kept_where_something_else_lies() {
    let bench = branch();
    bench.patch("good\n\n");
    let _ = bench.judge(0, &[]);
    let file = format!("{}/verdict.json", bench.records()[0].0);
    let honest = fs::read_to_string(&file).unwrap();
    fs::write(&file, honest.replace("\"touched\"", "\"toched\"")).unwrap();
    let run = bench.judge(128, &[]);
    assert!(
        run.stderr.contains("is not the record of this trial"),
        "{run}"
    );
    fs::write(&file, honest).unwrap();
    let run = bench.judge(0, &[]);
    assert!(run.stdout.contains("stays as it is"), "{run}");
}
