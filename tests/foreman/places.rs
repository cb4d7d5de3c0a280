//! Where can be folded, and when not?

use insta::assert_snapshot;

use super::verdicts::{folded, grading, repo, rule, write};
use crate::support::Repo;

#[test]
fn an_open_operation_is_left_to_the_person() {
    let repo = repo();
    write(&repo, "0000000a", &grading("t1", "pass", None));
    repo.git(&["stash", "-q"]);
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.write("theirs.txt", "theirs\n");
    repo.commit("theirs");
    repo.git(&["switch", "-q", "main"]);
    repo.write("ours.txt", "ours\n");
    repo.commit("ours");
    repo.git(&["merge", "-q", "--no-commit", "topic"]);
    assert_snapshot!(repo.refuses(1, &["reconcile"]), @"
    git-reins: cannot fold the verdicts: a merge is open
    hint: finish or abort the merge first
    --- exit 1
    ");
    repo.git(&["merge", "--abort"]);
    let _ = repo.reins(&["reconcile"]).expect(0);
}

#[test]
fn detached_unborn_and_policyless_repositories_are_folded_in() {
    let detached = repo();
    detached.git(&["switch", "-q", "--detach"]);
    write(&detached, "0000000a", &grading("t1", "pass", None));
    let run = detached.reins(&["reconcile"]).expect(0);
    assert!(run.stderr.contains("HEAD is detached"), "{run}");
    let unborn = Repo::new();
    write(&unborn, "0000000a", &grading("t1", "pass", None));
    let _ = unborn.reins(&["reconcile"]).expect(0);
    assert_eq!(folded(&unborn).lines().count(), 2);
    let sha256 = Repo::with_format("sha256");
    sha256.fill();
    write(&sha256, "0000000a", &grading("t1", "pass", None));
    let _ = sha256.reins(&["reconcile"]).expect(0);
    let _ = sha256.refuses(0, &["reconcile"]);
}

#[test]
fn another_history_directory_is_that_of_the_policy() {
    let repo = repo();
    let key = "history = \"judged\"\n# The directory of the three ledgers";
    let policy = repo
        .read(".gitreins/reins.toml")
        .replace("# The directory of the three ledgers", key);
    assert!(policy.contains("\nhistory = \"judged\""), "{policy}");
    repo.write(".gitreins/reins.toml", &policy);
    repo.git(&["commit", "-q", "-m", "policy", "--", ".gitreins/reins.toml"]);
    repo.write(
        "judged/2026-11-30/0000000a/verdict.json",
        &grading("t1", "pass", None).to_string(),
    );
    let _ = repo.reins_in("src", &["reconcile"]).expect(0);
    assert_eq!(
        repo.git(&["ls-tree", "-r", "--name-only", "HEAD", "judged"])
            .lines()
            .count(),
        1
    );
}

#[test]
fn a_policy_on_no_protected_line_neither_allows_secrets_nor_moves_the_history() {
    let repo = repo();
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.git(&["branch", "-D", "-q", "main"]);
    let key = "history = \"judged\"\n# The directory of the three ledgers";
    let policy = repo
        .read(".gitreins/reins.toml")
        .replace("# The directory of the three ledgers", key);
    repo.write(".gitreins/reins.toml", &policy);
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    rule(&repo, &format!("[judge]\nsecret_allow = [\"{secret}\"]\n"));
    repo.write(
        "judged/2026-11-30/0000000b/verdict.json",
        &grading("t2", "pass", None).to_string(),
    );
    write(&repo, "0000000a", &grading("t1", "pass", None));
    repo.write(".gitreins/history/2026-11-30/0000000a/a.txt", &secret);
    let run = repo.refuses(1, &["reconcile"]);
    for key in ["paths.history", "judge.secret_allow"] {
        assert!(
            run.stderr.contains(&format!("{key} does not count")),
            "{run}"
        );
    }
    assert!(run.stdout.contains("SECRET_SUSPECTED"), "{run}");
}

#[test]
fn a_linked_worktree_folds_its_own_directories() {
    let repo = repo();
    write(&repo, "0000000a", &grading("t1", "pass", None));
    let linked = repo.linked("topic");
    assert!(
        linked
            .reins(&["reconcile"])
            .expect(0)
            .stderr
            .contains("nothing to fold")
    );
    let from = repo.path(".gitreins/history").display().to_string();
    let _ = repo
        .command("cp", &repo.path(""))
        .args(["-r", &from, "../linked/.gitreins/"])
        .status()
        .unwrap();
    let _ = linked.reins(&["reconcile"]).expect(0);
    assert_eq!(
        linked
            .git(&["ls-tree", "-r", "--name-only", "topic", ".gitreins/history"])
            .lines()
            .count(),
        2
    );
    assert_eq!(folded(&repo), "");
    assert_eq!(linked.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_bare_repository_has_nothing_to_fold_from() {
    let repo = repo();
    repo.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let run = repo.reins(&["-C", "../bare.git", "reconcile"]).expect(128);
    assert_snapshot!(run, @"
    git-reins: cannot fold the verdicts: this repository has no worktree
    --- exit 128
    ");
}
