//! `git reins status`: the next command, all the way round the loop.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot tell its story fails"
)]

use insta::assert_snapshot;

use crate::naming::named;
use crate::support::{BINARY, Repo, Run, add_row};

#[test]
fn the_next_command_is_said_all_the_way_round() {
    let repo = Repo::under_reins();
    repo.git(&["switch", "-q", "-c", "topic"]);
    assert_snapshot!(named(&repo, repo.reins(&["status"])), @"
    base {start:10}, 0 commits with a patch
    0 oracle rows, 0 of them scoring; no epoch; 0 freezes
    next, since no property scores yet:
      git reins oracle add ID --source PATH#HEADING --property NAME --file PATH --inputs TEXT --relation TEXT --witness TEXT
    --- exit 0
    ");
    let _made = add_row(&repo, "bal-01").expect(0);
    let _made = repo
        .reins(&[
            "fixture",
            "pin",
            "--epoch",
            "e1",
            "--runner-image",
            "nix:abc",
        ])
        .expect(0);
    assert_snapshot!(named(&repo, repo.reins(&["status"])), @"
    base {start:10}, 0 commits with a patch
    1 oracle row, 1 of them scoring; epoch e1; 0 freezes
    not committed: ledger/oracle.json
    not committed: ledger/fixture.json
    next, since ledgers stand before the patch, in a commit of their own:
      git reins oracle commit
    --- exit 0
    ");
    let _made = repo.reins(&["oracle", "commit"]).expect(0);
    assert_snapshot!(named(&repo, repo.reins(&["status"])), @"
    base {start:10}, 0 commits with a patch
    1 oracle row, 1 of them scoring; epoch e1; 0 freezes
    next, since the ledgers stand: now the patch:
      git commit
    --- exit 0
    ");
    repo.write("src/new.py", "x = 1\n");
    repo.commit("patch");
    assert_snapshot!(named(&repo, repo.reins(&["status", "--json"])), @r#"
    {
      "schema": "git-reins/status/1",
      "base": "{start}",
      "patch_commits": [
        "{patch}"
      ],
      "oracle_rows": 1,
      "scoring": 1,
      "freezes": 0,
      "epoch_id": "e1",
      "uncommitted": [],
      "next": "git reins judge",
      "why": "the branch carries a patch that no trial is about"
    }
    --- exit 0
    "#);
}

/// Runs a command that we advised, in a shell that finds ours.
pub fn follow(repo: &Repo, line: &str) -> Run {
    let ours = std::path::Path::new(BINARY)
        .parent()
        .unwrap()
        .display()
        .to_string();
    let path = format!("{ours}:{}", std::env::var("PATH").unwrap());
    let output = repo
        .command("sh", &repo.path(""))
        .env("PATH", path)
        .args(["-c", line])
        .output();
    repo.captured(output.unwrap())
}

/// What comes next, by the last line.
fn next(repo: &Repo) -> String {
    let said = repo.reins(&["status"]).expect(0).stdout;
    said.lines().last().unwrap().trim().to_owned()
}

#[test]
fn the_policy_is_committed_and_lands_first() {
    for remote in [true, false] {
        let repo = Repo::new();
        repo.write("src/account.py", "x = 1\n");
        repo.commit("first");
        if remote {
            repo.git(&["init", "-q", "--bare", "-b", "main", "../server.git"]);
            repo.git(&["remote", "add", "origin", "../server.git"]);
            repo.git(&["push", "-q", "origin", "main"]);
        }
        repo.git(&["switch", "-q", "-c", "reins"]);
        let _ = repo.reins(&["init"]).expect(0);
        assert_eq!(
            next(&repo),
            "git add :/.gitreins/reins.toml :/.gitignore :/ledger/freezes.json :/ledger/oracle.json && git commit -m 'reins: start'"
        );
        let _ = follow(&repo, &next(&repo)).expect(0);
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
        let wanted = if remote {
            "git push origin HEAD:refs/heads/main"
        } else {
            "git switch main && git merge -"
        };
        assert_eq!(next(&repo), wanted);
        let doctor = repo.reins(&["doctor"]).expect(1).stdout;
        assert!(doctor.contains(&format!("fix: {wanted}\n")), "{doctor}");
        let _ = follow(&repo, wanted).expect(0);
        assert!(next(&repo).starts_with("git reins oracle add"));
    }
}

#[test]
fn ledgers_that_disagree_are_looked_at_before_a_patch() {
    let repo = Repo::under_reins();
    repo.git(&["switch", "-q", "-c", "topic"]);
    let _ = add_row(&repo, "bal-01").expect(0);
    let _ = repo
        .reins(&[
            "fixture",
            "pin",
            "--epoch",
            "e1",
            "--runner-image",
            "nix:abc",
        ])
        .expect(0);
    repo.git(&["rm", "-q", "properties/balance.py"]);
    repo.commit("by hand");
    assert_eq!(next(&repo), "git reins check");
    let said = repo.reins(&["check"]).expect(1).stdout;
    assert!(
        said.contains("git reins oracle rm bal-01 &&\n    git reins oracle commit"),
        "{said}"
    );
}
