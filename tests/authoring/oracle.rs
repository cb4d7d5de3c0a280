//! `git reins oracle add|edit|pin|clear|rm|list`

use insta::assert_snapshot;

use crate::naming::named;
use crate::support::{Repo, add_row};

#[test]
fn a_row_is_added_edited_pinned_cleared_listed_and_removed() {
    let repo = Repo::under_reins();
    assert_snapshot!(add_row(&repo, "bal-01"), @r#"
    added oracle bal-01 to ledger/oracle.json; next: git reins oracle commit
    --- exit 0
    "#);
    assert_snapshot!(named(&repo, repo.read("ledger/oracle.json")), @r#"
    {
      "schema": "git-reins/oracle/1",
      "oracles": [
        {
          "oracle_id": "bal-01",
          "source": "spec/accounts.md#no-overdraft",
          "sees_diff": false,
          "property": "balance_never_negative",
          "property_files": [
            {
              "path": "properties/balance.py",
              "sha256": "12b8e1dd03ac3cd5baeb0425ae4a913d18d9e1a39d22907090ff3339e85ec45c"
            }
          ],
          "inputs": "an account",
          "relation": "balance >= 0",
          "witness": "an overdraft",
          "authored_commit": "{start}"
        }
      ]
    }
    "#);
    repo.write(
        "properties/balance.py",
        "def balance_never_negative(account): return True\n",
    );
    assert_snapshot!(repo.reins(&["oracle", "pin"]), @r#"
    pinned bal-01; next: git reins oracle commit
    --- exit 0
    "#);
    assert_snapshot!(repo.reins(&["oracle", "pin", "bal-01"]), @r#"
    every pin is current; next: git reins oracle commit
    --- exit 0
    "#);
    assert_snapshot!(repo.reins(&["oracle", "edit", "bal-01", "--drafted-by", "a model"]), @r#"
    changed oracle bal-01; next: git reins oracle clear bal-01 --by NAME
    --- exit 0
    "#);
    assert_snapshot!(repo.reins(&["oracle", "list"]), @r#"
    bal-01  uncleared  balance_never_negative  spec/accounts.md#no-overdraft
    --- exit 0
    "#);
    assert_snapshot!(named(&repo, repo.reins(&["oracle", "clear", "bal-01", "--by", "Ada", "--dry-run"])), @r#"
    --- a/ledger/oracle.json
    +++ b/ledger/oracle.json
    @@ -4,7 +4,7 @@
         {
           "oracle_id": "bal-01",
           "source": "spec/accounts.md#no-overdraft",
    -      "sees_diff": true,
    +      "sees_diff": false,
           "property": "balance_never_negative",
           "property_files": [
             {
    @@ -16,6 +16,7 @@
           "relation": "balance >= 0",
           "witness": "an overdraft",
           "drafted_by": "a model",
    +      "cleared_by": "Ada",
           "authored_commit": "{start}"
         }
       ]
    nothing is written: this is the plan
    --- exit 0
    "#);
    let _ = repo
        .reins(&["oracle", "clear", "bal-01", "--by", "Ada"])
        .expect(0);
    let _ = repo
        .reins(&["oracle", "edit", "bal-01", "--smoke"])
        .expect(0);
    assert_snapshot!(repo.reins(&["oracle", "list"]), @r#"
    bal-01  smoke      balance_never_negative  spec/accounts.md#no-overdraft
    --- exit 0
    "#);
    let _ = repo
        .reins(&["oracle", "edit", "bal-01", "--score"])
        .expect(0);
    assert_eq!(
        repo.reins(&["oracle", "list", "--json"]).stdout,
        repo.read("ledger/oracle.json")
    );
    assert_snapshot!(repo.reins(&["oracle", "rm", "bal-01"]), @r#"
    removed oracle bal-01; next: git reins oracle commit
    --- exit 0
    "#);
    assert_snapshot!(repo.reins(&["oracle", "list"]), @r#"
    no oracles; next: git reins oracle add
    --- exit 0
    "#);
}

#[test]
fn paths_are_meant_from_where_one_stands() {
    let repo = Repo::under_reins();
    let row = [
        "oracle",
        "add",
        "b",
        "--source",
        "../spec/accounts.md#no-overdraft",
        "--property",
        "p",
    ];
    let run = repo.reins_in(
        "src",
        &[row.as_slice(), &["--file", "../properties/balance.py"]].concat(),
    );
    assert_snapshot!(run, @r#"
    added oracle b to ledger/oracle.json; next: git reins oracle commit
    note: b is smoke and does not score: git reins oracle edit b --inputs TEXT --relation TEXT --witness TEXT
    --- exit 0
    "#);
    let row = [
        "oracle",
        "add",
        "c",
        "--source",
        "issue:17",
        "--property",
        "p",
        "--file",
    ];
    let absolute = repo.path("properties/balance.py").display().to_string();
    assert_snapshot!(repo.reins(&[row.as_slice(), &[&absolute, "--smoke"]].concat()), @r#"
    added oracle c to ledger/oracle.json; next: git reins oracle commit
    note: the source 'issue:17' is recorded, not verified
    --- exit 0
    "#);
    assert_snapshot!(repo.reins(&["oracle", "list"]), @r#"
    b  smoke      p  spec/accounts.md#no-overdraft
    c  smoke      p  issue:17
    --- exit 0
    "#);
}

#[test]
fn what_would_refuse_later_is_refused_now() {
    let repo = Repo::under_reins();
    let _ = add_row(&repo, "bal-01").expect(0);
    let add = |id: &str, source: &str, file: &str| {
        repo.refuses(
            1,
            &[
                "oracle",
                "add",
                id,
                "--source",
                source,
                "--property",
                "p",
                "--file",
                file,
            ],
        )
    };
    let (source, file) = ("spec/accounts.md#no-overdraft", "properties/balance.py");
    assert_snapshot!(add("BAL-01", source, file), @r#"
    git-reins: cannot add the oracle: the id 'bal-01' is taken
    hint: git reins oracle edit bal-01, or choose another id
    --- exit 1
    "#);
    assert_snapshot!(add("b", "spec/accounts.md#overdraft", file), @r#"
    git-reins: cannot add the oracle: spec/accounts.md has no heading 'overdraft' (LEDGER_INVALID)
    hint: name one of its headings: Accounts, accounts, no-overdraft
    --- exit 1
    "#);
    assert_snapshot!(add("b", "src/account.py#x", file), @r#"
    git-reins: cannot add the oracle: src/account.py is outside paths.specs (spec)
    hint: move the file there, or name its place under paths.specs in a policy range of its own
    --- exit 1
    "#);
    assert_snapshot!(add("b", "somewhere", file), @r#"
    git-reins: cannot add the oracle: 'somewhere' is no source: PATH#HEADING, issue:ID or a URL (LEDGER_INVALID)
    --- exit 1
    "#);
    assert_snapshot!(add("b", source, "properties/none.py"), @r#"
    git-reins: cannot add the oracle: there is no file properties/none.py
    --- exit 1
    "#);
    assert_snapshot!(add("b", source, "src/account.py"), @r#"
    git-reins: cannot add the oracle: src/account.py is outside paths.properties (properties)
    hint: move the file there, or name its place under paths.properties in a policy range of its own
    --- exit 1
    "#);
    assert_snapshot!(add("b", source, "../outside"), @r#"
    git-reins: cannot add the oracle: '../outside' is outside this worktree
    --- exit 1
    "#);
    assert_snapshot!(repo.refuses(1, &["oracle", "edit", "bal-01", "--check", "nope"]), @r#"
    git-reins: cannot edit the oracle: the policy declares no property check 'nope'
    hint: name a declared one: props
    --- exit 1
    "#);
    assert_snapshot!(repo.refuses(1, &["oracle", "edit", "bal-01", "--inputs", "a\u{202e}b"]), @r#"
    git-reins: cannot edit the oracle: ledger/oracle.json would not be valid: line 15: read the character U+202E at column 19, expected no control or bidi character (LEDGER_INVALID)
    --- exit 1
    "#);
    assert_snapshot!(repo.refuses(1, &["oracle", "edit", "bal-01", "--property", "balance_never_negative"]), @r#"
    git-reins: cannot edit the oracle: nothing would change
    --- exit 1
    "#);
    assert_snapshot!(repo.refuses(1, &["oracle", "rm", "none"]), @r#"
    git-reins: cannot remove the oracle: there is no oracle 'none'
    hint: git reins oracle list
    --- exit 1
    "#);
    let _ = repo.refuses(129, &["oracle", "add", "-x"]);
}

#[test]
fn a_property_file_behind_a_link_is_never_read() {
    let repo = Repo::under_reins();
    std::os::unix::fs::symlink(repo.path("src/account.py"), repo.path("properties/link.py"))
        .unwrap();
    let row = [
        "oracle",
        "add",
        "b",
        "--source",
        "issue:1",
        "--property",
        "p",
        "--file",
        "properties/link.py",
    ];
    assert_snapshot!(repo.refuses(1, &row), @r#"
    git-reins: cannot add the oracle: properties/link.py is a symbolic link, not a regular file
    --- exit 1
    "#);
}

#[test]
fn a_broken_ledger_stops_every_edit_and_says_where() {
    let repo = Repo::under_reins();
    let _ = add_row(&repo, "bal-01").expect(0);
    let broken = repo
        .read("ledger/oracle.json")
        .replace("\"property\":", "\"proprety\":");
    repo.write("ledger/oracle.json", &broken);
    assert_snapshot!(repo.refuses(1, &["oracle", "rm", "bal-01"]), @r#"
    git-reins: cannot remove the oracle: ledger/oracle.json: row bal-01, field proprety, line 8: read an unknown member, expected one of `oracle_id`, `source`, `sees_diff`, `property`, `check`, `property_files`, `inputs`, `relation`, `witness`, `score`, `witness_patch`, `drafted_by`, `cleared_by`, `authored_commit` (LEDGER_INVALID)
    hint: edit the named field, and write the file anew: git reins fmt
    --- exit 1
    "#);
    assert_snapshot!(repo.refuses(1, &["oracle", "list", "--json"]), @r#"
    {
      "schema": "git-reins/error/1",
      "code": "LEDGER_INVALID",
      "message": "ledger/oracle.json: row bal-01, field proprety, line 8: read an unknown member, expected one of `oracle_id`, `source`, `sees_diff`, `property`, `check`, `property_files`, `inputs`, `relation`, `witness`, `score`, `witness_patch`, `drafted_by`, `cleared_by`, `authored_commit`",
      "fix": "edit the named field, and write the file anew: git reins fmt"
    }
    --- exit 1
    "#);
    repo.write(".gitreins/reins.toml", "schema = 1\nlegder = 2\n");
    assert_snapshot!(repo.refuses(128, &["oracle", "list", "--json"]), @r#"
    {
      "schema": "git-reins/error/1",
      "code": "POLICY_INVALID",
      "message": ".gitreins/reins.toml:2: legder is an unknown key, expected one of schema, paths, protect, verdict, freeze, judge, check, tier1, foreman",
      "fix": "correct the named key"
    }
    --- exit 128
    "#);
}
