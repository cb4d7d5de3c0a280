//! What happens when somebody else is at work in the repository, or died there?

use std::thread;

use super::bench::{assert_folded, command, fold, folded, repo, unchanged};

#[test]
fn a_lock_that_nobody_gives_back_is_reported_and_stays() {
    let repo = repo();
    for lock in [
        ".git/index.lock",
        ".git/HEAD.lock",
        ".git/refs/heads/main.lock",
    ] {
        repo.write(lock, "");
        let error = fold(&repo).unwrap_err();
        let told = error
            .strip_prefix("another process holds TEMP/repo/")
            .unwrap_or_else(|| panic!("{error}"));
        assert!(told.starts_with(&format!("{lock} (made ")), "{error}");
        assert!(repo.path(lock).exists());
        assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "1\n");
        assert_eq!(
            repo.git(&["diff", "--cached", "--diff-filter=D", "--name-only"]),
            ""
        );
        std::fs::remove_file(repo.path(lock)).unwrap();
    }
    let _id = fold(&repo).unwrap();
    assert_folded(&repo);
}

#[test]
fn a_lock_that_is_given_back_is_waited_for() {
    let repo = repo();
    repo.write(".git/index.lock", "");
    let lock = repo.path(".git/index.lock");
    let mut command = command(&repo, &repo.path(""), "land");
    let running = command
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !repo.path(".git/reins.lock").exists() {
        thread::yield_now();
    }
    std::fs::remove_file(lock).unwrap();
    assert!(running.wait_with_output().unwrap().status.success());
    assert_folded(&repo);
}

#[test]
fn a_head_that_moves_meanwhile_is_left_alone() {
    let repo = repo();
    let error = folded(&repo, &mut command(&repo, &repo.path(""), "race")).unwrap_err();
    assert_eq!(error, "HEAD moved while verdicts were folded");
    assert_eq!(
        repo.git(&["log", "--format=%s"]),
        "meanwhile\nmeanwhile\nstart\n"
    );
    assert_eq!(
        repo.git(&["diff", "--cached", "--diff-filter=D", "--name-only"]),
        ""
    );
    let _id = fold(&repo).unwrap();
    assert_folded(&repo);
}

#[test]
fn folds_of_several_worktrees_wait_for_each_other() {
    let repo = repo();
    let commands: Vec<_> = (0..4)
        .map(|_| {
            command(&repo, &repo.path(""), "land")
                .stdout(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let outputs = commands
        .into_iter()
        .map(|child| child.wait_with_output().unwrap());
    let answers: Vec<_> = outputs
        .map(|output| String::from_utf8(output.stdout).unwrap())
        .collect();
    let done = answers
        .iter()
        .filter(|answer| answer.contains("HEAD holds all of it already"))
        .count();
    assert_eq!(done, 3, "{answers:?}");
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "2\n");
    assert_folded(&repo);
}

#[test]
fn a_fold_that_died_half_way_is_finished_by_the_next() {
    let repo = repo();
    assert_eq!(
        folded(&repo, &mut command(&repo, &repo.path(""), "stage")).unwrap(),
        "staged"
    );
    let _id = fold(&repo).unwrap();
    assert_folded(&repo);
    assert_eq!(unchanged(&repo, "land"), "HEAD holds all of it already");
}
