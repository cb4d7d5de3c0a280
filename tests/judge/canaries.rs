//! Canaries come first, in their order, and nothing runs after one that missed.

use serde_json::json;

use super::bench::{Bench, CHECK, JUDGE, KEEPS, SHAKY, runs};

/// A bench and a patch file beside its worktree.
fn with_patch(patch: &str) -> (Bench, String) {
    let bench = Bench::with(JUDGE, CHECK, SHAKY);
    bench.repo.write("../patch.diff", patch);
    (bench, "../patch.diff".to_owned())
}

const GOOD: &str = "diff --git a/src/value b/src/value\n--- a/src/value\n+++ b/src/value\n@@ -1 +1,2 @@\n good\n+\n";

#[test]
fn a_patch_that_is_not_read_or_does_not_apply_is_rejected() {
    for (patch, canary, rest) in [
        ("no patch\n", "parse_diff", 3),
        (
            "diff --git a/../x b/../x\nnew file mode 100644\n",
            "parse_diff",
            3,
        ),
        (&GOOD.replace(" good", " other"), "apply_check", 2),
        (
            &GOOD.replace("+\n", &format!("+AKIA{}\n", "ABCDEFGH23456722")),
            "no_secret_marker",
            1,
        ),
    ] {
        let (bench, path) = with_patch(patch);
        let run = bench.judge(1, &[&path]);
        let record = bench.record();
        assert_eq!(record["canary_bad"], json!([canary]), "{run}");
        let not_run = runs(&record)
            .iter()
            .filter(|run| run.contains("not-run"))
            .count();
        assert_eq!(not_run, rest + 2, "{run}");
        assert_eq!(bench.count(), 0);
        assert_eq!(record["candidate_tree"].is_null(), rest > 1);
        assert!(!run.stdout.contains("ABCDEFGH"), "{run}");
    }
}

#[test]
fn a_secret_in_a_file_that_git_takes_for_binary_is_found() {
    let bench = Bench::with(JUDGE, CHECK, SHAKY);
    let repo = &bench.repo;
    let token = format!("AKIA{}", "ABCDEFGH23456722");
    bench.land(|bench| bench.repo.write("src/old", &format!("\0\n{token}\nold\n")));
    repo.write("src/old", &format!("\0\n{token}\nnew\n"));
    repo.commit("a line that base has");
    let _ = bench.judge(0, &[]);
    repo.write("src/env", &format!("\0\nKEY={token}\n"));
    repo.commit("patch");
    let run = bench.judge(1, &[]);
    assert!(
        run.stdout
            .contains("no_secret_marker: src/env looks like a secret (aws-access-key)"),
        "{run}"
    );
    // a text file, which an attribute makes a binary one where the patch is made
    repo.write("src/env", &format!("KEY={token}\n"));
    repo.write(".git/info/attributes", "src/env -diff\n");
    repo.git(&["add", "src/env"]);
    repo.write(
        "../patch.diff",
        &repo.git(&["diff", "--cached", "--binary", "main", "--", "src/env"]),
    );
    let run = bench.judge(1, &["../patch.diff", "--base", "main"]);
    assert!(run.stdout.contains("src/env looks like a secret"), "{run}");
}

#[test]
fn a_patch_file_is_judged_like_a_range() {
    let (bench, path) = with_patch(GOOD);
    let _ = bench.judge(0, &[&path]);
    let record = bench.record();
    assert_eq!(record["touched"], json!(["src/value"]));
    bench.patch("good\n\n");
    let _ = bench.judge(0, &[]);
    let trees: Vec<_> = bench
        .records()
        .iter()
        .map(|(_, record)| record["candidate_tree"].clone())
        .collect();
    assert_eq!(trees.len(), 2);
    assert_eq!(trees[0], trees[1]);
}

#[test]
fn a_patch_file_that_touches_material_is_refused() {
    for (path, code) in [
        ("ledger/oracle.json", "ORACLE_NOT_INDEPENDENT"),
        ("ledger/freezes.json", "FREEZE_ADDED_WITH_PATCH"),
        ("ledger/fixture.json", "FIXTURE_DIGEST_MISMATCH"),
        ("properties/keep.sh", "ORACLE_NOT_INDEPENDENT"),
        ("properties/new.sh", "ORACLE_NOT_INDEPENDENT"),
        ("fixtures/sample", "FIXTURE_DIGEST_MISMATCH"),
        ("spec/values.md", "SPEC_CHANGED_BY_PATCH"),
        (".gitreins/reins.toml", "POLICY_CHANGED_BY_PATCH"),
        (
            ".gitreins/history/2026-01-01/0123456789abcdef/verdict.json",
            "VERDICT_REWRITTEN",
        ),
    ] {
        let patch =
            format!("{GOOD}diff --git a/{path} b/{path}\nold mode 100644\nnew mode 100755\n");
        let (bench, file) = with_patch(&patch);
        let run = bench.judge(1, &[&file]);
        assert!(
            run.stderr.contains(code) && run.stderr.contains(path),
            "{run}"
        );
        assert!(bench.records().is_empty() && bench.count() == 0);
    }
}

#[test]
fn a_link_or_a_pipe_is_no_patch_file() {
    let (bench, _) = with_patch(GOOD);
    std::os::unix::fs::symlink("patch.diff", bench.repo.path("../link.diff")).unwrap();
    let run = bench.judge(128, &["../link.diff"]);
    assert!(run.stderr.contains("a symbolic link"), "{run}");
    let run = bench.judge(128, &["../no.diff"]);
    assert!(run.stderr.contains("there is no file"), "{run}");
}

#[test]
fn public_signatures_are_compared_by_the_program_of_base() {
    let judge = "[judge]\nrequire = []\npublic_signature = [\"tools/exports\", \"{before}\", \"{after}\"]\n";
    let bench = Bench::with(judge, CHECK, KEEPS);
    bench.land(|bench| {
        bench.repo.script(
            "tools/exports",
            "#!/bin/sh\ncmp -s \"$1/src/api\" \"$2/src/api\"\n",
        )
    });
    bench.land(|bench| bench.repo.write("src/api", "f(x)\n"));
    bench.patch("good\n\n");
    let run = bench.judge(0, &[]);
    assert!(
        run.stdout.contains("pass           public_signature"),
        "{run}"
    );
    bench.repo.write("src/api", "f(x, y)\n");
    bench.repo.script("tools/exports", "#!/bin/sh\nexit 0\n");
    bench.repo.commit("another signature");
    let run = bench.judge(1, &[]);
    assert!(
        run.stdout
            .contains("fail           public_signature: exit code 1"),
        "{run}"
    );
}

#[test]
fn every_form_of_change_is_read_and_applied() {
    let bench = Bench::new();
    let (repo, odd) = (&bench.repo, "src/caf\u{e9} \"x\"\t.txt");
    bench.land(|bench| {
        let repo = &bench.repo;
        for (path, text) in [
            ("src/binary", "\0\u{1}\u{2}old"),
            ("src/mode", "x\n"),
            ("src/crlf", "a\r\nb\r\n"),
            ("src/no-end", "no newline"),
            ("src/old-name", "moved\n"),
            ("src/gone", "gone\n"),
            ("src/file", "becomes a directory\n"),
            ("src/dir/file", "becomes a file\n"),
            ("src/empty-gone", ""),
        ] {
            repo.write(path, text);
        }
        std::os::unix::fs::symlink("mode", repo.path("src/link")).unwrap();
    });
    repo.write("src/binary", "\0\u{1}\u{2}new");
    repo.script("src/mode", "x\n");
    repo.write("src/crlf", "a\r\nc\r\n");
    repo.write("src/no-end", "still none");
    repo.git(&["mv", "src/old-name", "src/new-name"]);
    repo.git(&[
        "rm",
        "-q",
        "-r",
        "src/gone",
        "src/file",
        "src/dir",
        "src/empty-gone",
    ]);
    repo.write("src/file/inside", "x\n");
    repo.write("src/dir", "x\n");
    repo.write("src/empty", "");
    repo.write(odd, "odd\n");
    // attributes of the candidate change nothing of what is judged
    repo.write(".gitattributes", "src/** -diff eol=crlf filter=x\n");
    std::fs::remove_file(repo.path("src/link")).unwrap();
    std::os::unix::fs::symlink("empty", repo.path("src/link")).unwrap();
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["-c", "core.attributesFile=/dev/null", "add", "-A"]);
    repo.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{},src/module", head.trim()),
    ]);
    repo.git(&["commit", "-q", "-m", "patch"]);
    let run = repo.reins(&["judge"]);
    // a tab in a name is no safe path
    assert!(
        run.stdout.contains("fail           parse_diff") && run.code == Some(1),
        "{run}"
    );
    repo.git(&["rm", "-q", "--cached", odd]);
    repo.git(&["mv", "-f", "src/empty", "src/caf\u{e9} \"x\""]);
    repo.git(&["commit", "-q", "-m", "patch"]);
    let _ = repo.reins(&["judge"]).expect(0);
    let admitted = bench
        .records()
        .into_iter()
        .find(|(_, record)| record["verdict"] == "admit")
        .unwrap()
        .1;
    assert_eq!(
        admitted["touched"].as_array().unwrap().len(),
        16,
        "{}",
        admitted["touched"]
    );
}

#[test]
fn a_patch_file_is_judged_by_the_rows_of_head_while_head_has_no_patch() {
    let (bench, path) = with_patch(GOOD);
    bench.row("val-02", "other");
    bench.repo.commit("an oracle of its own");
    let _ = bench.judge(0, &[&path]);
    let is_asked = |record: &serde_json::Value| {
        runs(record).contains(&"val-02 7 candidate pass PROP_PASS".to_owned())
    };
    assert!(is_asked(&bench.record()));
    bench.patch("good\n\n\n");
    let _ = bench.judge(0, &[&path]);
    let records = bench.records();
    assert_eq!(
        records
            .iter()
            .filter(|(_, record)| is_asked(record))
            .count(),
        1
    );
    assert_eq!(records.len(), 2);
}
