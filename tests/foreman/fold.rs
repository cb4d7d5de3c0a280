//! `git reins reconcile`: one commit, nothing else touched, nothing twice

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::naming::named;

use super::verdicts::{dir, folded, grading, repo, subject, write};

#[test]
fn a_verdict_is_folded_into_a_commit_of_its_own() {
    let repo = repo();
    write(
        &repo,
        "47ac8b89",
        &grading("t1", "timeout", Some("COMPLETE")),
    );
    assert_snapshot!(repo.unchanged(|| repo.reins(&["reconcile", "--dry-run"])), @"
    [artifact] fold judge verdict 47ac8b89 (tier1 timeout, tier2 PASS)

    2026-11-30/47ac8b89 task t1 tier1 timeout tier2 PASS

    .gitreins/history/2026-11-30/47ac8b89/summary.md
    .gitreins/history/2026-11-30/47ac8b89/verdict.json
    nothing is folded: this is the plan for 1 verdict (2 files)
    --- exit 0
    ");
    assert_snapshot!(named(&repo, repo.reins(&["reconcile"])), @"
    2026-11-30/47ac8b89 task t1 tier1 timeout tier2 PASS
    folded 1 verdict (2 files) as {[artifact] fold judge verdict 47ac8b89 (tier1 timeout, tier2 PASS):10}
    --- exit 0
    ");
    assert_snapshot!(repo.git(&["show", "--stat", "--format=%an <%ae>%n%B", "HEAD"]), @"
    Ada <ada@example.org>
    [artifact] fold judge verdict 47ac8b89 (tier1 timeout, tier2 PASS)

    2026-11-30/47ac8b89 task t1 tier1 timeout tier2 PASS


     .gitreins/history/2026-11-30/47ac8b89/summary.md   |  1 +
     .gitreins/history/2026-11-30/47ac8b89/verdict.json | 60 ++++++++++++++++++++++
     2 files changed, 61 insertions(+)
    ");
    assert_snapshot!(repo.git(&["status", "--porcelain"]), @"
     M src/account.py
    A  staged.txt
    ");
    assert_snapshot!(repo.refuses(0, &["reconcile"]), @"
    nothing to fold: HEAD holds every finished verdict that was asked for
    --- exit 0
    ");
    repo.git(&["fsck", "--strict"]);
}

#[test]
fn several_are_counted_and_listed() {
    let repo = repo();
    write(&repo, "0000000a", &grading("t1", "pass", None));
    write(
        &repo,
        "0000000b",
        &grading("t 2\nSigned-off-by: x", "fail", Some("INCOMPLETE")),
    );
    write(
        &repo,
        "0000000c",
        &json!({"task_id": "resolution", "kind": "resolution", "evaluated_at": "2026-11-30T00:00:00"}),
    );
    let _ = repo.reins(&["reconcile"]).expect(0);
    assert_snapshot!(repo.git(&["log", "-1", "--format=%B%(trailers)"]), @"
    [artifact] fold 3 judge verdicts (1 resolution, 1 tier1 fail, 1 tier1 pass)

    2026-11-30/0000000a task t1 tier1 pass tier2 ABSENT
    2026-11-30/0000000b task sha256-70e9471a131feb09 tier1 fail tier2 FAIL
    2026-11-30/0000000c resolution
    ");
    assert_eq!(folded(&repo).lines().count(), 6);
}

#[test]
fn the_answer_in_json_is_one_object() {
    let repo = repo();
    write(&repo, "47ac8b89", &grading("t1", "pass", Some("COMPLETE")));
    assert_snapshot!(named(&repo, repo.reins(&["reconcile", "--json"])), @r#"
    {
      "schema": "git-reins/reconcile/1",
      "act": "commit",
      "commit": "{[artifact] fold judge verdict 47ac8b89 (tier1 pass, tier2 PASS)}",
      "branch": "refs/heads/main",
      "subject": "[artifact] fold judge verdict 47ac8b89 (tier1 pass, tier2 PASS)",
      "folded": [
        {
          "dir": "2026-11-30/47ac8b89",
          "record": "task t1 tier1 pass tier2 PASS",
          "source": "disk",
          "files": [
            ".gitreins/history/2026-11-30/47ac8b89/summary.md",
            ".gitreins/history/2026-11-30/47ac8b89/verdict.json"
          ]
        }
      ],
      "skipped": [],
      "refusals": [],
      "details": [],
      "completed": [],
      "notes": []
    }
    --- exit 0
    "#);
}

#[test]
fn logs_and_patches_can_stay_out() {
    let repo = repo();
    write(&repo, "0000000a", &grading("t1", "pass", None));
    for inner in [
        "commit.patch",
        "run.log",
        "driver-log.tail.txt",
        "logs/deep/out.txt",
        "verdict.json.tmp-12",
    ] {
        repo.write(&format!("{}/{inner}", dir("0000000a")), "x\n");
    }
    let _ = repo.reins(&["reconcile", "--compact"]).expect(0);
    assert_eq!(folded(&repo).lines().count(), 2);
    let _ = repo.refuses(0, &["reconcile", "--compact"]);
    assert!(
        repo.reins(&["reconcile"])
            .expect(0)
            .stderr
            .contains("nothing to fold")
    );
    let _ = repo.reins(&["reconcile", "0000000a"]).expect(0);
    assert_eq!(folded(&repo).lines().count(), 6, "{}", folded(&repo));
}

#[test]
fn staging_leaves_the_commit_to_the_person() {
    let repo = repo();
    write(&repo, "0000000a", &grading("t1", "pass", None));
    let head = repo.git(&["rev-parse", "HEAD"]);
    assert_snapshot!(repo.reins(&["reconcile", "--stage"]), @"
    2026-11-30/0000000a task t1 tier1 pass tier2 ABSENT
    staged 1 verdict (2 files); next: git commit
    --- exit 0
    ");
    assert_snapshot!(repo.git(&["status", "--porcelain"]), @"
    A  .gitreins/history/2026-11-30/0000000a/summary.md
    A  .gitreins/history/2026-11-30/0000000a/verdict.json
     M src/account.py
    A  staged.txt
    ");
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), head);
    let _ = repo.reins(&["reconcile", "--stage"]).expect(0);
    repo.git(&["commit", "-q", "-m", "work"]);
    assert_eq!(folded(&repo).lines().count(), 2);
    let _ = repo.refuses(0, &["reconcile"]);
}

#[test]
fn what_a_judge_is_writing_waits() {
    let repo = repo();
    repo.write(&format!("{}/commit.patch", dir("0000000a")), "x\n");
    repo.write(&format!("{}/verdict.json", dir("0000000b")), "");
    repo.write(
        &format!("{}/verdict.json", dir("0000000c")),
        "{\"task_id\": \"t",
    );
    assert_snapshot!(repo.refuses(0, &["reconcile"]), @"
    nothing to fold: HEAD holds every finished verdict that was asked for
    note: 2026-11-30/0000000a is left alone: its verdict.json is missing or breaks off
    note: 2026-11-30/0000000b is left alone: its verdict.json is missing or breaks off
    note: 2026-11-30/0000000c is left alone: its verdict.json is missing or breaks off
    --- exit 0
    ");
    let named = repo.reins(&["reconcile", "0000000c"]).expect(3);
    assert!(
        named
            .stderr
            .contains("nothing is folded: what was named is not finished"),
        "{named}"
    );
    write(&repo, "0000000b", &grading("t1", "pass", None));
    let _ = repo.reins(&["reconcile"]).expect(0);
    assert!(subject(&repo).contains("0000000b"));
}

#[test]
fn what_comes_later_into_a_folded_directory_is_folded_then() {
    let repo = repo();
    write(&repo, "0000000a", &grading("t1", "pass", None));
    let _ = repo.reins(&["reconcile"]).expect(0);
    repo.write(&format!("{}/notes.md", dir("0000000a")), "x\n");
    let _ = repo.reins(&["reconcile"]).expect(0);
    assert_eq!(folded(&repo).lines().count(), 3);
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "3\n");
}

#[test]
fn pruned_directories_stay_in_head() {
    let repo = repo();
    write(&repo, "0000000a", &grading("t1", "pass", None));
    write(&repo, "0000000b", &grading("t2", "pass", None));
    let _ = repo.reins(&["reconcile"]).expect(0);
    std::fs::remove_dir_all(repo.path(&dir("0000000a"))).unwrap();
    std::fs::remove_file(repo.path(&format!("{}/verdict.json", dir("0000000b")))).unwrap();
    assert_snapshot!(repo.refuses(0, &["reconcile"]), @"
    nothing to fold: HEAD holds every finished verdict that was asked for
    note: the disk lacks 1 verdict directory that HEAD holds: do not git commit -a; to restore: git restore -- :/.gitreins/history
    --- exit 0
    ");
    write(&repo, "0000000c", &grading("t3", "pass", None));
    let _ = repo.reins(&["reconcile"]).expect(0);
    assert_eq!(folded(&repo).lines().count(), 6);
    assert_eq!(
        repo.git(&["diff", "--cached", "--diff-filter=D", "--name-only"]),
        ""
    );
}

#[test]
fn a_superseded_verdict_is_the_same_and_a_rewritten_one_is_not() {
    let repo = repo();
    let mut verdict = grading("t1", "fail", None);
    write(&repo, "0000000a", &verdict);
    let _ = repo.reins(&["reconcile"]).expect(0);
    verdict["superseded_by"] = json!(".gitreins/history/2026-11-30/0000000b");
    verdict["superseded_at"] = json!("2026-11-30T08:00:00");
    write(&repo, "0000000a", &verdict);
    let _ = repo.refuses(0, &["reconcile"]);
    verdict["passed"] = json!(true);
    write(&repo, "0000000a", &verdict);
    assert_snapshot!(repo.refuses(1, &["reconcile"]), @"
    refuse: VERDICT_REWRITTEN
      nothing is folded; name directories to fold those only

    VERDICT_REWRITTEN 2026-11-30/0000000a (folded-bytes)
      at        .gitreins/history/2026-11-30/0000000a/verdict.json
      read      other bytes than HEAD holds
      expected  the folded bytes, apart from superseded_by and _at
      fix       git restore --source=HEAD --worktree -- :/.gitreins/history/2026-11-30/0000000a/verdict.json
    --- exit 1
    ");
    write(&repo, "0000000b", &grading("t2", "pass", None));
    let _ = repo.refuses(1, &["reconcile"]);
    let _ = repo.reins(&["reconcile", "0000000b"]).expect(0);
    repo.git(&[
        "restore",
        "--source=HEAD",
        "--worktree",
        "--",
        &dir("0000000a"),
    ]);
    let _ = repo.refuses(0, &["reconcile"]);
}

#[test]
fn a_rewritten_verdict_is_found_although_its_directory_was_sealed() {
    let repo = repo();
    write(&repo, "0000000a", &grading("t1", "fail", None));
    let _ = repo.reins(&["reconcile"]).expect(0);
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let verdict = repo.path(&format!("{}/verdict.json", dir("0000000a")));
    std::fs::File::options()
        .write(true)
        .open(&verdict)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let _ = repo.refuses(0, &["reconcile"]);
    let text = repo.read(&format!("{}/verdict.json", dir("0000000a")));
    std::fs::write(
        &verdict,
        text.replace("\"exit_code\": 1", "\"exit_code\": 0"),
    )
    .unwrap();
    std::fs::File::options()
        .write(true)
        .open(&verdict)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let refused = repo.refuses(1, &["reconcile", "--json"]);
    let answer: Value = serde_json::from_str(&refused.stdout).unwrap();
    assert_eq!(answer["refusals"], json!(["VERDICT_REWRITTEN"]));
}

#[test]
fn four_racing_folds_fold_every_verdict_once() {
    let repo = repo();
    for round in 0..5 {
        for at in 0..6 {
            write(
                &repo,
                &format!("{round:04x}{at:04x}"),
                &grading("t", "pass", None),
            );
        }
        let started: Vec<_> = (0..4)
            .map(|_| {
                let mut command = repo.command(crate::support::BINARY, &repo.path(""));
                command
                    .arg("reconcile")
                    .stdout(std::process::Stdio::piped())
                    .stderr(std::process::Stdio::piped());
                command.spawn().unwrap()
            })
            .collect();
        for child in started {
            let _ = repo.captured(child.wait_with_output().unwrap()).expect(0);
        }
    }
    assert_eq!(folded(&repo).lines().count(), 60);
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "6\n");
    assert_eq!(
        repo.git(&["log", "--format=", "--name-only", "-5"])
            .lines()
            .count(),
        60
    );
    assert_snapshot!(repo.git(&["status", "--porcelain"]), @"
     M src/account.py
    A  staged.txt
    ");
}
