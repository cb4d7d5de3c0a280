//! Which directories does a name mean, and where are their bytes taken from?
#![expect(clippy::unwrap_used, reason = "a story that cannot be told fails")]

use insta::assert_snapshot;
use serde_json::json;

use super::verdicts::{dir, folded, grading, repo, write};
use crate::support::Repo;

/// Commits a directory to a ref the way GitReins does, and says the commit.
fn store(repo: &Repo, name: &str, hash: &str) -> String {
    let index = repo.path(".git/theirs").display().to_string();
    let git = |args: &[&str]| {
        let mut command = repo.command("git", &repo.path(""));
        command.env("GIT_INDEX_FILE", &index).args(args);
        repo.captured(command.output().unwrap())
    };
    let parent = git(&["rev-parse", "--verify", "--quiet", name]).stdout;
    let read = if parent.is_empty() {
        "--empty"
    } else {
        parent.trim()
    };
    let _ = git(&["read-tree", read]).expect(0);
    let _ = git(&["add", "-f", "--", &dir(hash)]).expect(0);
    let tree = git(&["write-tree"]).expect(0).stdout;
    let mut args = vec!["commit-tree", tree.trim(), "-m", "verdict: t - PASS"];
    if !parent.is_empty() {
        args.extend(["-p", parent.trim()]);
    }
    let commit = git(&args).expect(0).stdout;
    let _ = git(&["update-ref", name, commit.trim()]).expect(0);
    commit.trim().to_owned()
}

#[test]
fn a_name_takes_its_directories_and_no_other() {
    let repo = repo();
    let mut job = grading("t2", "pass", None);
    job["job_id"] = json!("job-7");
    write(&repo, "0000000a", &grading("t1", "pass", None));
    write(&repo, "0000000b", &job);
    write(&repo, "0000000c", &grading("t3", "pass", None));
    write(&repo, "0000000d", &grading("t3", "fail", None));
    write(&repo, "0000000e", &grading("t4", "pass", None));
    for (name, hashes) in [
        ("0000000a", "0000000a"),
        ("job-7", "0000000b"),
        ("t3", "0000000c 0000000d"),
    ] {
        let run = repo.reins(&["reconcile", name]).expect(0);
        let listed: Vec<_> = run.stdout.lines().map(|line| &line[11..19]).collect();
        assert_eq!(listed.join(" "), hashes, "{run}");
    }
    let _ = repo
        .reins(&["reconcile", ".gitreins/history/2026-11-30/0000000e/"])
        .expect(0);
    assert_snapshot!(repo.refuses(0, &["reconcile", "2026-11-30/0000000e", "t3"]), @"
    nothing to fold: HEAD holds every finished verdict that was asked for
    note: 2026-11-30/0000000c is left alone: HEAD holds it already
    note: 2026-11-30/0000000d is left alone: HEAD holds it already
    note: 2026-11-30/0000000e is left alone: HEAD holds it already
    --- exit 0
    ");
}

#[test]
fn a_commit_that_gitreins_printed_is_found_in_its_refs() {
    let repo = repo();
    for (name, hash) in [
        ("refs/heads/gitreins", "0000000a"),
        ("refs/gitreins/history", "0000000b"),
    ] {
        write(&repo, hash, &grading(&format!("task-{hash}"), "pass", None));
        let _first = store(&repo, name, hash);
        write(&repo, "0000000c", &grading("again", "fail", None));
        let commit = store(&repo, name, "0000000c");
        std::fs::remove_dir_all(repo.path(".gitreins/history")).unwrap();
        let run = repo
            .reins(&["reconcile", &commit[..8], "--dry-run"])
            .expect(0);
        assert!(run.stdout.contains("fold judge verdict 0000000c"), "{run}");
        let run = repo
            .reins(&["reconcile", &format!("task-{hash}"), "--json"])
            .expect(0);
        assert!(
            run.stdout.contains(&format!("\"source\": \"{name}\"")),
            "{run}"
        );
        let _ = repo.refuses(0, &["reconcile", hash]);
    }
    assert_eq!(folded(&repo).lines().count(), 4);
    assert_eq!(
        repo.git(&["status", "--porcelain", ".gitreins"])
            .lines()
            .filter(|line| !line.starts_with(" D"))
            .count(),
        0
    );
}

#[test]
fn what_lies_in_a_ref_is_judged_like_what_lies_on_disk() {
    let repo = repo();
    write(&repo, "0000000a", &grading("t1", "pass", None));
    repo.write(
        &format!("{}/run.log", dir("0000000a")),
        &format!("npm_{}\n", "a1B2".repeat(9)),
    );
    write(&repo, "0000000b", &grading("t2", "pass", None));
    std::os::unix::fs::symlink(
        "/etc/passwd",
        repo.path(&format!("{}/key", dir("0000000b"))),
    )
    .unwrap();
    store(&repo, "refs/gitreins/history", "0000000a");
    store(&repo, "refs/gitreins/history", "0000000b");
    std::fs::remove_dir_all(repo.path(".gitreins/history")).unwrap();
    assert!(
        repo.refuses(1, &["reconcile", "0000000a", "--json"])
            .stdout
            .contains("SECRET_SUSPECTED")
    );
    assert!(
        repo.refuses(1, &["reconcile", "0000000b", "--json"])
            .stdout
            .contains("PATH_UNSAFE")
    );
    let _ = repo
        .reins(&["reconcile", "0000000a", "--compact"])
        .expect(0);
}

#[test]
fn a_name_that_means_nothing_or_two_things_says_what_was_found() {
    let repo = repo();
    write(&repo, "0000000a", &grading("t1", "pass", None));
    assert_snapshot!(repo.refuses(1, &["reconcile", "no-such"]), @"
    git-reins: cannot fold the verdicts: 'no-such' names no verdict: no directory in .gitreins/history and no directory, commit, task or job in a ref of GitReins, of which there is none
    hint: see what there is: ls .gitreins/history
    --- exit 1
    ");
    repo.write(
        ".gitreins/history/2026-11-29/0000000a/verdict.json",
        &grading("t1", "pass", None).to_string(),
    );
    assert_snapshot!(repo.refuses(1, &["reconcile", "0000000a"]), @"
    git-reins: cannot fold the verdicts: '0000000a' may be 2026-11-29/0000000a or 2026-11-30/0000000a
    hint: git reins reconcile 2026-11-29/0000000a
    --- exit 1
    ");
    let _ = repo.reins(&["reconcile", "2026-11-29/0000000a"]).expect(0);
}
