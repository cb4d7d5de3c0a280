//! Does everything else in the person's index stay, whatever kind of index it is?
#![expect(clippy::unwrap_used, reason = "a test that cannot fold fails")]

use super::bench::{HISTORY, assert_folded, fold, repo, rest_of_index, verdict};
use crate::support::Repo;

/// Folds and asserts that only the verdict is new in the index, and that no work is lost.
fn assert_rest_stays(repo: &Repo) {
    let rest = [".", ":!.gitreins/history"];
    let diff = |how: &[&str]| repo.git(&[["diff"].as_slice(), how, &["--"], &rest].concat());
    let all = || (rest_of_index(repo), diff(&["--cached"]), diff(&[]));
    let before = all();
    let _id = fold(repo).unwrap();
    assert_eq!(all(), before);
    assert_folded(repo);
}

#[test]
fn staged_unstaged_announced_and_conflicting_entries() {
    let repo = repo();
    repo.write("a", "staged\n");
    repo.git(&["add", "a"]);
    repo.write("a", "staged, then edited\n");
    repo.write("b", "edited\n");
    repo.write("announced", "new\n");
    repo.git(&["add", "-N", "announced"]);
    repo.git(&["update-index", "--assume-unchanged", "b"]);
    for (branch, text) in [("one", "1\n"), ("two", "2\n")] {
        repo.git(&["branch", branch]);
        repo.git(&["worktree", "add", "-q", "../w", branch]);
        repo.write("../w/c", text);
        repo.git(&["-C", "../w", "add", "c"]);
        repo.git(&["-C", "../w", "commit", "-q", "-m", branch]);
        repo.git(&["worktree", "remove", "../w"]);
    }
    let stages: String = [("one", 2), ("two", 3)]
        .map(|(branch, stage)| {
            let id = repo.git(&["rev-parse", &format!("{branch}:c")]);
            format!("100644 {} {stage}\tc\n", id.trim_end())
        })
        .concat();
    repo.write("stages", &stages);
    let input = std::fs::File::open(repo.path("stages")).unwrap();
    let mut conflict = repo.command("git", &repo.path(""));
    assert!(
        conflict
            .args(["update-index", "--index-info"])
            .stdin(input)
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(repo.git(&["ls-files", "--unmerged"]).lines().count(), 2);
    assert_rest_stays(&repo);
}

#[test]
fn a_staged_deletion_stays_a_deletion() {
    let repo = repo();
    repo.git(&["rm", "-q", "b"]);
    assert_rest_stays(&repo);
    assert_eq!(repo.git(&["status", "--porcelain"]), "D  b\n");
}

#[test]
fn a_verdict_that_was_staged_by_hand_is_folded_as_it_is_now() {
    let repo = repo();
    repo.git(&["add", "-f", HISTORY]);
    repo.write(&format!("{HISTORY}/0000abcd/summary.md"), "edited since\n");
    assert_rest_stays(&repo);
}

#[test]
fn every_form_of_index() {
    type Make = fn(&Repo);
    let forms: [(&str, Make); 8] = [
        ("split", |repo| {
            drop(repo.git(&["update-index", "--split-index"]))
        }),
        ("a link", |repo| {
            std::fs::rename(repo.path(".git/index"), repo.path(".git/elsewhere")).unwrap();
            std::os::unix::fs::symlink("elsewhere", repo.path(".git/index")).unwrap();
        }),
        ("version 4", |repo| {
            drop(repo.git(&["update-index", "--index-version", "4"]))
        }),
        ("untracked cache", |repo| {
            repo.git(&["update-index", "--force-untracked-cache"]);
            repo.git(&["status"]);
        }),
        ("without a checksum", |repo| {
            repo.git(&["config", "index.skipHash", "true"]);
            repo.git(&["update-index", "--force-write-index"]);
        }),
        ("sparse, cone", |repo| {
            sparse(repo, &["--cone", "--no-sparse-index", "in"])
        }),
        ("sparse, sparse index", |repo| {
            sparse(repo, &["--cone", "--sparse-index", "in"])
        }),
        ("sparse, patterns", |repo| {
            sparse(repo, &["--no-cone", "/*", "!/out/"])
        }),
    ];
    for (form, make) in forms {
        let repo = repo();
        for name in [
            "in/one",
            "out/deep/two",
            "out/three",
            ".gitreins/elsewhere/four",
        ] {
            repo.write(name, name);
        }
        repo.commit("more");
        make(&repo);
        verdict(&repo); // git itself clears ignored files away where a sparse checkout has nothing
        repo.write("a", "staged\n");
        repo.git(&["add", "a"]);
        repo.write("b", "edited\n");
        println!("{form}");
        assert_rest_stays(&repo);
        let kept = repo.git(&["status", "--porcelain"]);
        assert_eq!(kept, "M  a\n M b\n", "{form}");
    }
}

fn sparse(repo: &Repo, how: &[&str]) {
    repo.git(&[["sparse-checkout", "set"].as_slice(), how].concat());
    assert!(!repo.path("out").exists());
}

#[test]
fn no_index_at_all() {
    let repo = repo();
    repo.git(&["rm", "-q", "-r", "--cached", "."]);
    std::fs::remove_file(repo.path(".git/index")).unwrap();
    let _id = fold(&repo).unwrap();
    assert_folded(&repo);
}
