//! What if a side cannot be read, or lacks a file?

use super::story::Story;
use super::{changes, told};

fn ledgers(story: &Story, edit: impl Fn(String) -> String) {
    story.write(
        "ledger/oracle.json",
        &edit(story.read("ledger/oracle.json")),
    );
    story.commit("edit");
}

#[test]
fn an_unreadable_ledger_of_either_side_names_file_row_and_field() {
    let story = Story::landed();
    ledgers(&story, |text| {
        text.replacen("\"property\":", "\"propperty\":", 1)
    });
    let run = story.refuses(128, &["diff"]);
    insta::assert_snapshot!(run, @r#"
    git-reins: cannot compare: ledger/oracle.json at commit 44ab0bb60f2f99cfd03d2f7921cce40f0e203e53 cannot be read: row bal-01, field propperty, line 6: read an unknown member, expected one of `oracle_id`, `source`, `sees_diff`, `property`, `check`, `property_files`, `inputs`, `relation`, `witness`, `score`, `witness_patch`, `drafted_by`, `cleared_by`, `authored_commit` (LEDGER_INVALID)
    hint: correct ledger/oracle.json on that side, or name other commits
    --- exit 128
    "#);
    let run = story.refuses(128, &["diff", "--exit-code", "--json", "topic..main"]);
    insta::assert_snapshot!(run, @r#"
    {
      "schema": "git-reins/error/1",
      "code": "LEDGER_INVALID",
      "message": "ledger/oracle.json at commit 44ab0bb60f2f99cfd03d2f7921cce40f0e203e53 cannot be read: row bal-01, field propperty, line 6: read an unknown member, expected one of `oracle_id`, `source`, `sees_diff`, `property`, `check`, `property_files`, `inputs`, `relation`, `witness`, `score`, `witness_patch`, `drafted_by`, `cleared_by`, `authored_commit`",
      "fix": "correct ledger/oracle.json on that side, or name other commits"
    }
    --- exit 128
    "#);
}

#[test]
fn an_unreadable_policy_of_either_side_names_its_key() {
    let story = Story::landed();
    story.write(
        ".gitreins/reins.toml",
        "schema = 1\n[freeze]\nmax_days = \"many\"\n",
    );
    story.commit("policy");
    let run = story.refuses(128, &["diff"]);
    insta::assert_snapshot!(run, @r#"
    git-reins: cannot compare: the policy at commit 449abf8a807db1c85b5ba7642617646f3fba804e cannot be read: .gitreins/reins.toml:3: freeze.max_days is "many", expected a whole number of days, at most 36500 (POLICY_INVALID)
    hint: correct freeze.max_days in .gitreins/reins.toml on that side, or name other commits
    --- exit 128
    "#);
}

#[test]
fn what_only_one_side_has_came_or_went_with_its_rows() {
    let story = Story::landed();
    story.git(&["rm", "-q", "-r", "ledger"]);
    story.commit("no ledgers");
    let gone = changes(&story, &[]);
    assert_eq!(
        told(&gone),
        [
            "! oracle bal-01 row-removed",
            "! oracle bal-02 row-removed",
            "! oracle oracle.json file-removed",
            "! freezes freezes.json file-removed",
            "! fixture fixture.json file-removed",
            "! fixture fixtures/accounts.json row-removed"
        ]
    );
    let came = changes(&story, &["topic..main"]);
    assert!(
        told(&came).iter().all(|line| line.starts_with('~')),
        "{}",
        came.run
    );
    assert_eq!(told(&came).len(), told(&gone).len());
}

#[test]
fn a_ledger_directory_that_moved_with_the_policy_holds_the_same_rows() {
    let story = Story::landed();
    story.git(&["mv", "ledger", "books"]);
    let policy = story
        .read(".gitreins/reins.toml")
        .replace("ledger = \"ledger\"", "ledger = \"books\"");
    story.write(".gitreins/reins.toml", &policy);
    story.commit("move");
    assert_eq!(
        told(&changes(&story, &[])),
        ["! policy paths.ledger unclear"]
    );
}
