//! `git reins init`

use insta::assert_snapshot;

use crate::support::Repo;

#[test]
fn an_unborn_repository_comes_under_reins() {
    let repo = Repo::new();
    repo.write(".gitignore", "*.pyc");
    assert_snapshot!(repo.reins(&["init"]), @r#"
    wrote .gitreins/reins.toml, ledger/oracle.json, ledger/freezes.json, .gitignore; next: git add :/.gitreins/reins.toml :/ledger/oracle.json :/ledger/freezes.json :/.gitignore && git commit -m 'reins: start'
    note: the policy protects refs/heads/main, the branch that is checked out
    --- exit 0
    "#);
    assert_snapshot!(repo.read(".gitignore"), @r#"
    *.pyc
    .gitreins/history/
    "#);
    assert_snapshot!(repo.read("ledger/oracle.json") + &repo.read("ledger/freezes.json"), @r#"
    {
      "schema": "git-reins/oracle/1",
      "oracles": []
    }
    {
      "schema": "git-reins/freezes/1",
      "freezes": []
    }
    "#);
    assert_snapshot!(repo.refuses(1, &["init"]), @r#"
    git-reins: cannot start: .gitreins/reins.toml and the ledgers exist already
    hint: edit .gitreins/reins.toml
    --- exit 1
    "#);
    assert_snapshot!(repo.refuses(1, &["init", "--warn"]), @r#"
    git-reins: cannot start: .gitreins/reins.toml exists already
    hint: edit .gitreins/reins.toml
    --- exit 1
    "#);
}

#[test]
fn a_missing_ledger_is_written_again_where_the_policy_says() {
    let repo = Repo::new();
    let _ = repo
        .reins(&["init", "--ledger-dir", "proof/books", "--preset", "cargo"])
        .expect(0);
    let policy = repo.read(".gitreins/reins.toml");
    std::fs::remove_file(repo.path("proof/books/freezes.json")).unwrap();
    assert_snapshot!(repo.reins(&["init"]), @r#"
    wrote proof/books/freezes.json; next: git add :/proof/books/freezes.json && git commit -m 'reins: start'
    --- exit 0
    "#);
    assert_eq!(repo.read(".gitreins/reins.toml"), policy);
}

#[test]
fn the_printed_next_command_works_from_a_subdirectory() {
    let repo = Repo::new();
    repo.write("deep/er/file", "x");
    repo.write(".git/info/exclude", ".gitreins\n");
    let said = repo.reins_in("deep/er", &["init"]).expect(0).stderr;
    let next = said
        .lines()
        .next()
        .unwrap()
        .split("; next: ")
        .nth(1)
        .unwrap()
        .to_owned();
    let output = repo
        .command("sh", &repo.path("deep/er"))
        .args(["-c", &next])
        .output()
        .unwrap();
    let _ = repo.captured(output).expect(0);
    assert_snapshot!(repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]), @r#"
    .gitignore
    .gitreins/reins.toml
    ledger/freezes.json
    ledger/oracle.json
    "#);
}

#[test]
fn the_protected_line_is_found_and_the_reason_is_told() {
    let repo = Repo::new();
    repo.write("a", "a");
    repo.commit("a");
    let told = || repo.reins(&["init", "--dry-run"]).expect(0).stderr;
    repo.git(&["branch", "-m", "develop"]);
    assert_snapshot!(told(), @r#"
    nothing is written: this is the plan
    note: the policy protects refs/heads/develop, the branch that is checked out
    "#);
    repo.git(&["branch", "trunk"]);
    assert_snapshot!(told(), @r#"
    nothing is written: this is the plan
    note: the policy protects refs/heads/trunk, a local branch of a usual name
    "#);
    repo.git(&["remote", "add", "origin", "."]);
    repo.git(&["update-ref", "refs/remotes/origin/release", "HEAD"]);
    repo.git(&[
        "symbolic-ref",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/release",
    ]);
    assert_snapshot!(told(), @r#"
    nothing is written: this is the plan
    note: the policy protects refs/heads/release, the remote's default branch
    "#);
    let plan = repo
        .unchanged(|| repo.reins(&["init", "--dry-run"]))
        .expect(0);
    assert!(
        plan.stdout.contains("+base = [\"refs/heads/release\"]"),
        "{plan}"
    );
}

#[test]
fn a_ledger_directory_that_the_policy_cannot_take_is_refused() {
    let repo = Repo::new();
    assert_snapshot!(repo.refuses(128, &["init", "--ledger-dir", ".gitreins/history"]), @r#"
    git-reins: cannot start: .gitreins/reins.toml:8: paths.ledger is ".gitreins/history", expected no overlap with paths.history, ".gitreins/history" (POLICY_INVALID)
    hint: correct the named key
    --- exit 128
    "#);
    let _ = repo.refuses(129, &["init", "--ledger-dir", "../out"]);
}
