//! What does a fold do when somebody else is at work in the repository?
#![expect(clippy::unwrap_used, reason = "a story that cannot be told fails")]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use serde_json::Value;

use super::verdicts::{folded, grading, repo, write};
use crate::support::{BINARY, Repo};

/// A repository whose branches `main` and `topic` do not agree about a file, with a verdict.
fn at_odds() -> Repo {
    let repo = Repo::under_reins();
    write(&repo, "0000000a", &grading("t1", "pass", None));
    repo.git(&["switch", "-q", "-c", "topic"]);
    for (branch, text) in [("topic", "theirs\n"), ("main", "ours\n")] {
        repo.git(&["switch", "-q", branch]);
        repo.write("odds.txt", text);
        repo.commit(branch);
    }
    repo
}

#[test]
fn every_open_operation_is_left_to_the_person() {
    let operations: [(&str, &[&str], &[&str]); 7] = [
        ("merge", &["merge", "topic"], &["merge", "--abort"]),
        (
            "cherry-pick",
            &["cherry-pick", "topic"],
            &["cherry-pick", "--abort"],
        ),
        (
            "revert",
            &["revert", "--no-edit", "HEAD~1", "HEAD"],
            &["revert", "--abort"],
        ),
        ("rebase", &["rebase", "topic"], &["rebase", "--abort"]),
        (
            "rebase",
            &["rebase", "--apply", "topic"],
            &["rebase", "--abort"],
        ),
        ("git am", &["am", "../topic.patch"], &["am", "--abort"]),
        ("bisect", &["bisect", "start"], &["bisect", "reset"]),
    ];
    for (open, begin, abort) in operations {
        let repo = at_odds();
        let patch = repo.git(&["format-patch", "-1", "--stdout", "topic"]);
        repo.write("../topic.patch", &patch);
        if open == "revert" {
            repo.write("odds.txt", "changed\n");
            repo.commit("changed");
            repo.write("odds.txt", "and again\n");
            repo.commit("again");
            repo.git(&["revert", "--no-edit", "HEAD"]);
        }
        let _stops = repo
            .command("git", &repo.path(""))
            .args(begin)
            .output()
            .unwrap();
        for args in [&["reconcile"][..], &["reconcile", "--stage"]] {
            let run = repo.refuses(1, args);
            assert!(
                run.stderr.contains(open) && run.stderr.contains(" is open"),
                "{begin:?}: {run}"
            );
        }
        repo.git(abort);
        let _ = repo.reins(&["reconcile"]).expect(0);
        assert_eq!(folded(&repo).lines().count(), 2, "{begin:?}");
    }
}

/// A fold while which HEAD is moved by somebody `times` times, each time that git is about to move it.
fn overtaken(repo: &Repo, times: usize) -> Command {
    let script = format!(
        "#!/bin/sh\nPATH=${{PATH#*:}}\nmoves=\"{}\"\ncase \" $* \" in *' update-ref '*)\n\
         if [ \"$(cat \"$moves\" 2>/dev/null | wc -l)\" -lt {times} ]; then echo >>\"$moves\"\n\
         git update-ref HEAD \"$(git commit-tree -p HEAD -m meanwhile 'HEAD^{{tree}}' </dev/null)\"; fi;;\n\
         esac\nexec git \"$@\"\n",
        repo.path(".git/moves").display()
    );
    repo.script("../bin/git", &script);
    let mut command = repo.command(BINARY, &repo.path(""));
    let path = format!(
        "{}:{}",
        repo.path("../bin").display(),
        std::env::var("PATH").unwrap()
    );
    command.args(["reconcile", "--json"]).env("PATH", path);
    command
}

#[test]
fn a_head_that_moves_is_planned_for_again() {
    let repo = repo();
    write(&repo, "0000000a", &grading("t1", "pass", None));
    let run = repo
        .captured(overtaken(&repo, 3).output().unwrap())
        .expect(0);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        answer["commit"].as_str(),
        Some(repo.git(&["rev-parse", "HEAD"]).trim())
    );
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "5\n");
    assert_eq!(folded(&repo).lines().count(), 2);
}

#[test]
fn a_head_that_never_rests_is_given_up() {
    let repo = repo();
    write(&repo, "0000000a", &grading("t1", "pass", None));
    let run = repo
        .captured(overtaken(&repo, 100).output().unwrap())
        .expect(1);
    assert!(
        run.stdout
            .contains("HEAD moved while verdicts were folded, 8 times in a row"),
        "{run}"
    );
    assert_eq!(folded(&repo), "");
    assert_eq!(
        repo.git(&["rev-list", "--count", "HEAD"]),
        "9\n",
        "eight times"
    );
    // staged additions at most, which the next fold takes up
    let status = repo.git(&["status", "--porcelain"]);
    let rest: Vec<_> = status
        .lines()
        .filter(|line| !line.starts_with("A  .gitreins/history/"))
        .collect();
    assert_eq!(rest, [" M src/account.py", "A  staged.txt"]);
    let _ = repo.reins(&["reconcile"]).expect(0);
}

#[test]
fn a_foreign_lock_is_named_with_its_age_and_stays() {
    let repo = repo();
    write(&repo, "0000000a", &grading("t1", "pass", None));
    repo.write(".git/index.lock", "");
    for args in [&["reconcile"][..], &["reconcile", "--stage"]] {
        let run = repo.refuses(1, args);
        let (told, rest) = run
            .stderr
            .split_once(" (made ")
            .unwrap_or_else(|| panic!("{run}"));
        assert_eq!(
            told,
            "git-reins: cannot fold the verdicts: another process holds TEMP/repo/.git/index.lock"
        );
        assert!(rest.contains(" s ago)\nhint: "), "{run}");
        assert_eq!(repo.read(".git/index.lock"), "");
    }
    std::fs::remove_file(repo.path(".git/index.lock")).unwrap();
    let _ = repo.reins(&["reconcile"]).expect(0);
}

#[test]
fn what_a_killed_fold_left_in_the_git_directory_is_cleared_away() {
    let repo = repo();
    write(&repo, "0000000a", &grading("t1", "pass", None));
    repo.write(".git/reins-index-dead/index", "half");
    repo.write(".git/reins-index-dead/index.lock", "");
    let _ = repo.reins(&["reconcile"]).expect(0);
    let left = std::fs::read_dir(repo.path(".git")).unwrap();
    let left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(
        left.filter(|name| name.starts_with("reins-index")).count(),
        0
    );
}

#[test]
fn the_path_of_a_repository_need_not_be_text() {
    let repo = repo();
    let place = repo.path("..").join(OsStr::from_bytes(b"caf\xe9"));
    std::fs::rename(repo.path(""), &place).unwrap();
    std::fs::create_dir(repo.path("")).unwrap();
    let below = place.join(".gitreins/history/2026-11-30/0000000a");
    std::fs::create_dir_all(&below).unwrap();
    std::fs::write(
        below.join("verdict.json"),
        grading("t1", "pass", None).to_string(),
    )
    .unwrap();
    let run = |program: &str, args: &[&str]| {
        repo.captured(repo.command(program, &place).args(args).output().unwrap())
            .expect(0)
    };
    let _ = run(BINARY, &["reconcile"]);
    assert_eq!(
        run(
            "git",
            &["ls-tree", "-r", "--name-only", "HEAD", ".gitreins/history"]
        )
        .stdout
        .lines()
        .count(),
        1
    );
    assert_eq!(
        run("git", &["status", "--porcelain"]).stdout,
        " M src/account.py\nA  staged.txt\n"
    );
}
