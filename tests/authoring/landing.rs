//! `git reins oracle commit`, `fixture commit`, `freeze commit`: a person's commit

use insta::assert_snapshot;

use super::status::follow;
use crate::naming::named;
use crate::support::{Repo, add_row};

fn with_row() -> Repo {
    let repo = Repo::under_reins();
    let _ = add_row(&repo, "bal-01").expect(0);
    repo
}

#[test]
fn ledger_and_property_files_are_committed_and_nothing_else() {
    let repo = with_row();
    repo.write("properties/conftest.py", "import x\n");
    repo.write("notes.txt", "not mine");
    assert_snapshot!(repo.unchanged(|| repo.reins(&["oracle", "commit", "--dry-run"])), @r#"
    ledger: add oracle bal-01

    ledger/oracle.json
    properties/conftest.py
    nothing is committed: this is the plan
    --- exit 0
    "#);
    assert_snapshot!(named(&repo, repo.reins(&["oracle", "commit"])), @"
    committed 2 files as {ledger: add oracle bal-01:10}; next: git reins fixture pin --epoch NEW --runner-image auto
    --- exit 0
    ");
    assert_snapshot!(named(&repo, repo.git(&["show", "--stat", "--format=%h %an %s", "HEAD"])), @"
    {ledger: add oracle bal-01:7} Ada ledger: add oracle bal-01

     ledger/oracle.json     | 19 ++++++++++++++++++-
     properties/conftest.py |  1 +
     2 files changed, 19 insertions(+), 1 deletion(-)
    ");
    assert_snapshot!(repo.git(&["status", "--porcelain"]), @"?? notes.txt");
    assert_snapshot!(repo.refuses(1, &["oracle", "commit"]), @r#"
    git-reins: cannot commit the ledgers: no ledger and no property file has changed
    --- exit 1
    "#);
    std::fs::remove_file(repo.path("properties/conftest.py")).unwrap();
    let _ = repo.reins(&["oracle", "rm", "bal-01"]).expect(0);
    assert_snapshot!(named(&repo, repo.reins(&["oracle", "commit", "-m", "-x: by hand"])), @"
    committed 2 files as {-x: by hand:10}; next: git reins fixture pin --epoch NEW --runner-image auto
    --- exit 0
    ");
    assert_snapshot!(repo.git(&["show", "--name-status", "--format=%s", "HEAD"]), @r#"
    -x: by hand

    M	ledger/oracle.json
    D	properties/conftest.py
    "#);
}

#[test]
fn what_else_is_changed_stops_an_oracle_commit() {
    let repo = with_row();
    let refused = || repo.refuses(1, &["oracle", "commit"]);
    repo.write("src/account.py", "changed");
    assert_snapshot!(refused(), @"
    git-reins: cannot commit the ledgers: src/account.py is changed too
    hint: git stash push -- src/account.py
    --- exit 1
    ");
    repo.git(&["add", "src"]);
    assert_snapshot!(refused(), @"
    git-reins: cannot commit the ledgers: src/account.py is changed too
    hint: git stash push -- src/account.py
    --- exit 1
    ");
    repo.git(&["checkout", "-q", "HEAD", "src"]);
    repo.write("work/Fix.PATCH", "diff");
    assert_snapshot!(refused(), @r#"
    git-reins: cannot commit the ledgers: the new patch file work/Fix.PATCH lies in the worktree
    hint: an oracle is committed before a diff is opened: move the patch out of the worktree
    --- exit 1
    "#);
    std::fs::remove_dir_all(repo.path("work")).unwrap();
    repo.write("ledger/notes.md", "x");
    assert_snapshot!(refused(), @r#"
    git-reins: cannot commit the ledgers: ledger/notes.md does not belong in ledger (LEDGER_INVALID)
    hint: move it out of there
    --- exit 1
    "#);
    std::fs::remove_file(repo.path("ledger/notes.md")).unwrap();
    repo.write(
        "ledger/freezes.json",
        "{\"schema\": \"git-reins/freezes/1\", \"freezes\": [], \"x\": 1}",
    );
    assert_snapshot!(refused(), @r#"
    git-reins: cannot commit the ledgers: ledger/freezes.json: field x, line 1: read an unknown member, expected `schema` or `freezes` (LEDGER_INVALID)
    hint: edit the named field, and write the file anew: git reins fmt
    --- exit 1
    "#);
    repo.git(&["checkout", "-q", "HEAD", "ledger/freezes.json"]);
    repo.write("ledger/witness/bal-01.diff", "diff");
    let _ = repo.reins(&["oracle", "commit"]).expect(0);
}

#[test]
fn a_branch_that_carries_a_patch_takes_no_oracle() {
    let repo = with_row();
    repo.git(&["stash", "-q"]);
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.write("src/account.py", "patched");
    repo.commit("patch");
    repo.git(&["stash", "pop", "-q"]);
    assert_snapshot!(named(&repo, repo.refuses(1, &["oracle", "commit"])), @"
    git-reins: cannot commit the ledgers: the branch carries patch commits already ({patch:10}) (ORACLE_NOT_INDEPENDENT)
    hint: git stash push --include-untracked -- ledger/oracle.json && git switch -c oracle-rows {start:10} && git stash pop && git reins oracle commit
    --- exit 1
    ");
}

#[test]
fn hooks_and_signing_are_the_persons_own_and_a_no_changes_nothing() {
    let repo = with_row();
    repo.write("properties/new.py", "x = 1\n");
    repo.write(".git/hooks/seen", "");
    repo.script(
        ".git/hooks/pre-commit",
        "#!/bin/sh\nenv | grep '^GIT_LITERAL' && exit 2\necho 'lint: no' >&2\nexit 1\n",
    );
    assert_snapshot!(repo.refuses(1, &["oracle", "commit"]), @r#"
    git-reins: cannot commit the ledgers: git commit failed (exit 1): lint: no
    --- exit 1
    "#);
    repo.script(
        ".git/hooks/pre-commit",
        "#!/bin/sh\necho 'lint: fine' >&2\n",
    );
    repo.git(&["config", "commit.gpgsign", "true"]);
    repo.git(&["config", "gpg.program", "/bin/false"]);
    let refused = repo.refuses(1, &["oracle", "commit"]);
    assert!(
        refused.stderr.contains("gpg failed to sign the data"),
        "{refused}"
    );
    repo.git(&["config", "commit.gpgsign", "false"]);
    let refused = repo.unchanged(|| {
        let mut command = repo.command(crate::support::BINARY, &repo.path(""));
        let nobody = command
            .env_remove("GIT_AUTHOR_EMAIL")
            .env("GIT_AUTHOR_NAME", "");
        repo.captured(nobody.args(["oracle", "commit"]).output().unwrap())
    });
    assert!(
        refused.stderr.contains("Please tell me who you are"),
        "{refused}"
    );
    assert_snapshot!(named(&repo, repo.reins(&["oracle", "commit"])), @"
    lint: fine
    committed 2 files as {ledger: add oracle bal-01:10}; next: git reins fixture pin --epoch NEW --runner-image auto
    --- exit 0
    ");
}

#[test]
fn an_open_operation_or_a_held_index_stops_it() {
    let repo = with_row();
    repo.write(".git/index.lock", "");
    let refused = repo.refuses(1, &["oracle", "commit"]);
    assert!(
        refused
            .stderr
            .contains("another process holds TEMP/repo/.git/index.lock (made "),
        "{refused}"
    );
    assert!(repo.path(".git/index.lock").exists());
    std::fs::remove_file(repo.path(".git/index.lock")).unwrap();
    for (mark, name) in [
        ("MERGE_HEAD", "merge"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("BISECT_LOG", "bisect"),
    ] {
        repo.write(&format!(".git/{mark}"), &repo.git(&["rev-parse", "HEAD"]));
        let refused = repo.refuses(1, &["oracle", "commit"]);
        assert!(
            refused.stderr.contains(&format!("a {name} is open")),
            "{refused}"
        );
        std::fs::remove_file(repo.path(&format!(".git/{mark}"))).unwrap();
    }
    let _ = repo.reins(&["oracle", "commit"]).expect(0);
}

#[test]
fn unborn_detached_and_sha256_repositories_take_it() {
    let unborn = Repo::new();
    let _ = unborn.reins(&["init"]).expect(0);
    std::fs::remove_dir_all(unborn.path(".gitreins")).unwrap();
    std::fs::remove_file(unborn.path(".gitignore")).unwrap();
    unborn.write(
        ".gitreins/reins.toml",
        "schema = 1\n[paths]\nproperties = [\"properties\"]\n",
    );
    unborn.write("properties/p.py", "x");
    let refused = |repo: &Repo| {
        repo.script(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
        let _ = repo.refuses(1, &["oracle", "commit"]);
        std::fs::remove_file(repo.path(".git/hooks/pre-commit")).unwrap();
    };
    refused(&unborn);
    let _ = unborn.reins(&["oracle", "commit"]).expect(0);
    assert_snapshot!(unborn.git(&["ls-tree", "-r", "--name-only", "HEAD"]), @r#"
    ledger/freezes.json
    ledger/oracle.json
    properties/p.py
    "#);

    let detached = with_row();
    detached.git(&["checkout", "-q", "--detach"]);
    let _ = detached.reins(&["oracle", "commit"]).expect(0);
    assert_snapshot!(detached.git(&["log", "--format=%D %s"]), @r#"
    HEAD ledger: add oracle bal-01
    main start
    "#);

    let sha256 = Repo::with_format("sha256");
    sha256.fill();
    let _ = add_row(&sha256, "bal-01").expect(0);
    let _ = sha256.reins(&["oracle", "commit"]).expect(0);
    let _ = sha256
        .reins(&[
            "fixture",
            "pin",
            "--epoch",
            "e1",
            "--runner-image",
            "gha:u-1",
        ])
        .expect(0);
    let _ = sha256.reins(&["fixture", "commit"]).expect(0);
    assert_snapshot!(sha256.git(&["log", "--format=%s"]), @r#"
    ledger: pin fixture epoch e1
    ledger: add oracle bal-01
    start
    "#);
}

#[test]
fn linked_worktrees_split_indexes_sparse_checkouts_and_subdirectories_take_it() {
    let repo = Repo::under_reins();
    let linked = repo.linked("topic");
    let row = [
        "oracle",
        "add",
        "b",
        "--source",
        "issue:1",
        "--property",
        "p",
        "--file",
        "properties/balance.py",
    ];
    let _ = linked.reins(&row).expect(0);
    let _ = linked.reins(&["oracle", "commit"]).expect(0);
    assert_snapshot!(linked.git(&["log", "--format=%s", "--all"]), @r#"
    ledger: add oracle b
    start
    "#);

    repo.git(&["update-index", "--split-index"]);
    repo.script(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    let _ = add_row(&repo, "c").expect(0);
    repo.write("properties/new.py", "new\n");
    let _ = repo.refuses(1, &["oracle", "commit"]);
    std::fs::remove_file(repo.path(".git/hooks/pre-commit")).unwrap();
    let _ = repo.reins_in("src", &["oracle", "commit"]).expect(0);

    repo.git(&[
        "sparse-checkout",
        "set",
        "--no-cone",
        "/ledger/",
        "/.gitreins/",
        "/properties/balance.py",
        "/spec/",
    ]);
    repo.write("properties/outside.py", "outside the cone\n");
    let _ = repo.reins(&["oracle", "commit"]).expect(0);
    assert_snapshot!(repo.git(&["show", "--name-status", "--format=%s", "HEAD"]), @r#"
    ledger: update ledger and property files

    A	properties/outside.py
    "#);
}

#[test]
fn fixture_and_freeze_commits_leave_staged_work_staged() {
    let repo = with_row();
    let _ = repo.reins(&["oracle", "commit"]).expect(0);
    let _ = repo
        .reins(&[
            "fixture",
            "pin",
            "--epoch",
            "e1",
            "--runner-image",
            "nix:/nix/store/x",
        ])
        .expect(0);
    repo.write("src/account.py", "staged work");
    repo.git(&["add", "src"]);
    let _ = repo.reins(&["fixture", "commit"]).expect(0);
    let freeze = [
        "freeze",
        "add",
        "--property",
        "bal-01",
        "--seed",
        "7",
        "--expires",
        "+9",
        "--owner",
        "Ada",
    ];
    let _ = repo.reins(&freeze).expect(0);
    let _ = repo
        .reins(&["freeze", "commit", "-m", "freeze: seed 7"])
        .expect(0);
    assert_snapshot!(repo.git(&["log", "--format=%s", "--name-only", "-2"]), @r#"
    freeze: seed 7

    ledger/freezes.json
    ledger: pin fixture epoch e1

    ledger/fixture.json
    "#);
    assert_snapshot!(repo.git(&["status", "--porcelain"]), @"M  src/account.py");
}

#[test]
fn the_editor_gets_the_message_and_an_empty_one_commits_nothing() {
    let repo = with_row();
    repo.git(&["config", "core.editor", "sed -i s/bal-01/edited/"]);
    let _ = repo.reins(&["oracle", "commit", "--edit"]).expect(0);
    assert_snapshot!(repo.git(&["log", "-1", "--format=%s"]), @"ledger: add oracle edited");
    let _ = add_row(&repo, "b").expect(0);
    repo.git(&["config", "core.editor", "truncate -s 0"]);
    let _ = repo.refuses(1, &["oracle", "commit", "--edit"]);
}

/// The command of the hint.
fn hint(run: &crate::support::Run) -> String {
    run.stderr
        .lines()
        .find_map(|line| line.strip_prefix("hint: "))
        .expect("a hint")
        .to_owned()
}

#[test]
fn a_row_whose_file_is_gone_is_not_committed() {
    let repo = with_row();
    std::fs::remove_file(repo.path("properties/balance.py")).unwrap();
    let refused = repo.refuses(1, &["oracle", "commit"]);
    assert_snapshot!(refused, @"
    git-reins: cannot commit the ledgers: there is no file properties/balance.py, which oracle 'bal-01' names
    hint: git reins oracle rm bal-01
    --- exit 1
    ");
    let _ = follow(&repo, &hint(&refused)).expect(0);
    let _ = repo.reins(&["oracle", "commit"]).expect(0);
}

/// A branch whose patch commit brings a new property file, and a row of it that is not committed.
fn late_row() -> Repo {
    let repo = Repo::under_reins();
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.write("src/account.py", "patched");
    repo.write("properties/late.py", "def late(): ...\n");
    repo.commit("patch");
    let row = [
        "oracle",
        "add",
        "late-01",
        "--source",
        "spec/accounts.md#no-overdraft",
        "--property",
        "late",
    ];
    let _ = repo
        .reins(&[row.as_slice(), &["--file", "properties/late.py"]].concat())
        .expect(0);
    repo
}

#[test]
fn a_row_and_its_file_land_together_in_a_range_of_their_own() {
    let repo = late_row();
    let refused = repo.refuses(1, &["oracle", "commit"]);
    let _ = follow(&repo, &hint(&refused)).expect(0);
    assert_eq!(
        repo.git(&["show", "--name-only", "--format=%s", "HEAD"]),
        "ledger: add oracle late-01\n\nledger/oracle.json\nproperties/late.py\n"
    );
    assert_eq!(
        repo.git(&["status", "--porcelain"]) + &repo.git(&["stash", "list"]),
        ""
    );
}

#[test]
fn the_way_into_a_range_of_its_own_loses_no_work() {
    let repo = late_row();
    let ledger = repo.read("ledger/oracle.json");
    let said = repo.reins(&["check", "--json"]).expect(1).stdout;
    let decision: serde_json::Value = serde_json::from_str(&said).unwrap();
    let fixes = decision["details"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|detail| detail["fix"].as_str());
    let mut ways = fixes.filter_map(|fix| fix.strip_prefix("land it in a range of its own: "));
    let fix = ways.next().expect("the way there");
    let _ = follow(&repo, fix).expect(0);
    assert_eq!(
        repo.git(&["show", "--name-only", "--format=", "HEAD"]),
        "properties/late.py\n"
    );
    repo.git(&["stash", "pop", "-q"]);
    assert_eq!(repo.read("ledger/oracle.json"), ledger);
}
