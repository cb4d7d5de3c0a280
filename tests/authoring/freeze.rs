//! `git reins freeze add|rm|prune|list`

use insta::assert_snapshot;

use crate::naming::named;
use crate::support::{Repo, Run, add_row};

fn pinned() -> Repo {
    let repo = Repo::under_reins();
    let _ = add_row(&repo, "bal-01").expect(0);
    let _ = repo
        .reins(&[
            "fixture",
            "pin",
            "--epoch",
            "e1",
            "--runner-image",
            "gha:ubuntu24-1",
        ])
        .expect(0);
    repo
}

fn freeze<'a>(property: &'a str, expires: &'a str) -> Vec<&'a str> {
    vec![
        "freeze",
        "add",
        "--property",
        property,
        "--seed",
        "7",
        "--expires",
        expires,
        "--owner",
        "Ada",
    ]
}

/// The run without the day on which it ran.
fn dayless(repo: &Repo, run: Run) -> String {
    let (text, rows) = (run.to_string(), repo.read("ledger/freezes.json"));
    let day = rows
        .split("\"expires_at\": \"")
        .nth(1)
        .and_then(|rest| rest.get(..10))
        .unwrap_or("-");
    text.replace(day, "YYYY-MM-DD")
}

#[test]
fn a_freeze_is_bound_to_the_pinned_base_and_epoch() {
    let repo = pinned();
    let add = [
        freeze("bal-01", "+14").as_slice(),
        &["--paths", "src/account.py", "src"],
    ]
    .concat();
    assert_snapshot!(repo.reins(&add), @r#"
    froze seed 7 of bal-01; next: git reins freeze commit
    --- exit 0
    "#);
    assert_snapshot!(named(&repo, dayless(&repo, repo.reins(&["freeze", "list", "--json"]))), @r#"
    {
      "schema": "git-reins/freezes/1",
      "freezes": [
        {
          "property_id": "bal-01",
          "seed": "7",
          "base_rev": "{start}",
          "fixture_epoch": "e1",
          "observed_on": "base",
          "expires_at": "YYYY-MM-DD",
          "owner": "Ada",
          "paths": [
            "src/account.py",
            "src"
          ],
          "quarantine_eligible": true
        }
      ]
    }
    --- exit 0
    "#);
    assert_snapshot!(dayless(&repo, repo.reins(&["freeze", "list"])), @r#"
    bal-01 7  YYYY-MM-DD (14 days left)  Ada
    --- exit 0
    "#);
    assert_snapshot!(repo.refuses(1, &add), @r#"
    git-reins: cannot add the freeze: this seed is frozen already
    hint: git reins freeze rm --property bal-01 --seed 7
    --- exit 1
    "#);
    assert_snapshot!(repo.reins(&["freeze", "prune"]), @r#"
    no freeze has expired
    --- exit 0
    "#);
    assert_snapshot!(repo.refuses(1, &["freeze", "rm", "--property", "bal-01", "--seed", "8"]), @r#"
    git-reins: cannot remove the freeze: there is no such freeze
    hint: git reins freeze list
    --- exit 1
    "#);
    assert_snapshot!(repo.reins(&["freeze", "rm", "--property", "bal-01"]), @r#"
    removed the freeze of bal-01; next: git reins freeze commit
    --- exit 0
    "#);
}

#[test]
fn a_freeze_that_would_be_refused_is_not_written() {
    let repo = pinned();
    assert_snapshot!(repo.refuses(1, &freeze("none", "+1")), @r#"
    git-reins: cannot add the freeze: there is no oracle 'none' (FREEZE_UNBOUND)
    hint: git reins oracle list
    --- exit 1
    "#);
    assert_snapshot!(repo.refuses(1, &freeze("parse_diff", "+1")), @r#"
    git-reins: cannot add the freeze: 'parse_diff' is a canary, and a canary is never frozen (FREEZE_ON_CANARY)
    --- exit 1
    "#);
    assert_snapshot!(repo.refuses(1, &freeze("bal-01", "+31")), @r#"
    git-reins: cannot add the freeze: a freeze ends within 30 days (freeze.max_days) (FREEZE_HORIZON_EXCEEDED)
    hint: --expires +30 at most
    --- exit 1
    "#);
    assert_snapshot!(repo.refuses(1, &freeze("bal-01", "9999-12-31")), @r#"
    git-reins: cannot add the freeze: a freeze ends within 30 days (freeze.max_days) (FREEZE_HORIZON_EXCEEDED)
    hint: --expires +30 at most
    --- exit 1
    "#);
    assert!(
        repo.refuses(1, &freeze("bal-01", "2020-01-01"))
            .stderr
            .contains("2020-01-01 is past")
    );
    let _ = repo.refuses(129, &freeze("bal-01", "soon"));
    let _ = repo.reins(&freeze("bal-01", "+0")).expect(0);
    std::fs::remove_file(repo.path("ledger/fixture.json")).unwrap();
    assert_snapshot!(repo.refuses(1, &freeze("bal-01", "+1")), @r#"
    git-reins: cannot add the freeze: ledger/fixture.json is missing (LEDGER_MISSING)
    hint: git reins fixture pin --epoch NEW --runner-image auto
    --- exit 1
    "#);
}

#[test]
fn expired_rows_are_pruned_and_others_stay() {
    let repo = pinned();
    let _ = repo.reins(&freeze("bal-01", "+3")).expect(0);
    let row = repo.read("ledger/freezes.json");
    let (head, tail) = row.split_once("\"expires_at\": \"").unwrap();
    repo.write(
        "ledger/freezes.json",
        &format!("{head}\"expires_at\": \"2026-01-01{}", &tail[10..]),
    );
    assert_snapshot!(repo.reins(&["freeze", "list"]), @r#"
    bal-01 7  2026-01-01 (expired)  Ada
    --- exit 0
    "#);
    assert_snapshot!(named(&repo, repo.unchanged(|| repo.reins(&["freeze", "prune", "--dry-run"]))), @r#"
    --- a/ledger/freezes.json
    +++ b/ledger/freezes.json
    @@ -1,14 +1,4 @@
     {
       "schema": "git-reins/freezes/1",
    -  "freezes": [
    -    {
    -      "property_id": "bal-01",
    -      "seed": "7",
    -      "base_rev": "{start}",
    -      "fixture_epoch": "e1",
    -      "observed_on": "base",
    -      "expires_at": "2026-01-01",
    -      "owner": "Ada"
    -    }
    -  ]
    +  "freezes": []
     }
    nothing is written: this is the plan
    --- exit 0
    "#);
    assert_snapshot!(repo.reins(&["freeze", "prune"]), @r#"
    removed bal-01 7; next: git reins freeze commit
    --- exit 0
    "#);
    assert_snapshot!(repo.reins(&["freeze", "list"]), @r#"
    nothing is frozen
    --- exit 0
    "#);
}
