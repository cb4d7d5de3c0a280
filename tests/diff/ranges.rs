//! Which two sides are compared, by the words that people of git use?

use serde_json::json;

use super::story::{Ledgers, Story};
use super::{changes, told};
use crate::support::Repo;

/// Commits these rows, over the fixture ledger as it is.
fn rows(story: &Story, ids: &[&str]) {
    let fixture = story.git(&["show", "HEAD:ledger/fixture.json"]);
    let fixture = serde_json::from_str(&fixture).expect("the ledger is JSON");
    story.land_ledgers(&Ledgers {
        fixture,
        ..story.ledgers(ids)
    });
}

/// `main` went on with a row of its own after `topic` left it with another.
fn apart() -> Story {
    let story = Story::landed();
    rows(&story, &["bal-01", "bal-02", "bal-03"]);
    story.git(&["switch", "-q", "main"]);
    rows(&story, &["bal-01", "bal-02", "other"]);
    story.git(&["switch", "-q", "topic"]);
    story
}

#[test]
fn two_dots_compare_the_ends_and_three_where_they_parted() {
    let story = apart();
    let fork = json!([story.id("main~1")]);
    for range in [
        &[][..],
        &["HEAD"],
        &["topic"],
        &["main...topic"],
        &["main..."],
    ] {
        let answer = changes(&story, range);
        assert_eq!(told(&answer), ["~ oracle bal-03 row-added"], "{range:?}");
        assert_eq!(answer.json["bases"], fork, "{range:?}");
        assert_eq!(answer.json["notes"], json!([]));
    }
    for range in ["main..topic", "main.."] {
        let answer = changes(&story, &[range]);
        assert_eq!(
            told(&answer),
            ["! oracle other row-removed", "~ oracle bal-03 row-added"],
            "{range}"
        );
        assert_eq!(answer.json["bases"], json!([story.id("main")]));
        assert!(
            answer.json["notes"][0]
                .as_str()
                .is_some_and(|note| note.contains("does not contain"))
        );
    }
    let reversed = changes(&story, &["topic..main~1"]);
    assert_eq!(told(&reversed), ["! oracle bal-03 row-removed"]);
}

#[test]
fn what_has_landed_is_compared_when_it_is_named() {
    let story = Story::landed();
    let here = changes(&story, &["main"]);
    assert_eq!(told(&here), [""; 0]);
    assert!(
        here.json["notes"][0]
            .as_str()
            .is_some_and(|note| note.contains("git reins diff"))
    );
    let named = changes(&story, &["main~1..main"]);
    assert_eq!(
        told(&named),
        [
            "~ oracle bal-01 row-added",
            "~ oracle bal-02 row-added",
            "~ fixture fixture.json file-added",
            "~ fixture fixtures/accounts.json row-added"
        ]
    );
}

#[test]
fn a_row_that_landed_is_never_held_against_a_branch_that_merged_it() {
    let story = Story::landed();
    story.patch("early");
    story.git(&["switch", "-q", "main"]);
    rows(&story, &["bal-01", "bal-02", "other"]);
    story.git(&["switch", "-q", "topic"]);
    story.git(&["merge", "-q", "--no-ff", "-m", "merge main", "main"]);
    assert_eq!(told(&changes(&story, &[])), [""; 0]);
    let from_fork = changes(&story, &["main~1..topic"]);
    let row = &from_fork.json["changes"][0];
    assert_eq!(
        (&row["row"], &row["order"]),
        (&json!("other"), &json!("before-every-patch")),
        "{}",
        from_fork.run
    );
}

#[test]
fn lines_that_were_merged_crosswise_are_compared_with_each_base() {
    let story = Story::landed();
    for (branch, row) in [("a", "bal-03"), ("b", "bal-04")] {
        story.git(&["switch", "-q", "-c", branch, "main"]);
        rows(&story, &["bal-01", "bal-02", row]);
    }
    let old_a = story.id("a");
    let merge = |branch: &str, other: &str, ids: &[&str]| {
        story.git(&["switch", "-q", branch]);
        let _ = story.shell(&format!("git merge -q --no-ff --no-commit {other} || true"));
        rows(&story, ids);
    };
    merge("a", "b", &["bal-01", "bal-02", "bal-03"]); // loses what b has
    merge("b", &old_a, &["bal-01", "bal-02", "bal-03", "bal-04"]);
    let answer = changes(&story, &["b...a"]);
    assert_eq!(
        answer.json["bases"].as_array().map(Vec::len),
        Some(2),
        "{}",
        answer.run
    );
    assert_eq!(
        told(&answer),
        ["! oracle bal-04 row-removed", "~ oracle bal-03 row-added"],
        "{}",
        answer.run
    );
}

#[test]
fn without_a_policy_the_commits_are_compared_all_the_same() {
    let story = Story::start();
    story.git(&["rm", "-q", ".gitreins/reins.toml"]);
    story.commit("no policy");
    story.land();
    story.land_ledgers(&story.ledgers(&["bal-01"]));
    let answer = changes(&story, &[]);
    assert!(
        told(&answer).contains(&"~ oracle bal-01 row-added".to_owned()),
        "{}",
        answer.run
    );
    assert!(
        answer.json["notes"][0]
            .as_str()
            .is_some_and(|note| note.contains("not under reins"))
    );
}

#[test]
fn what_cannot_be_compared_says_why() {
    let story = Story::landed();
    story.git(&["switch", "-q", "--orphan", "island"]);
    story.git(&["commit", "-q", "--allow-empty", "-m", "island"]);
    let run = story.refuses(128, &["diff", "main...island"]);
    insta::assert_snapshot!(run, @r#"
    git-reins: cannot compare: main and f54f9eb2d8 have no commit in common
    hint: name two commits: git reins diff A..B
    --- exit 128
    "#);
    let run = story.refuses(128, &["diff", "main..nowhere"]);
    insta::assert_snapshot!(run, @r#"
    git-reins: cannot compare: "nowhere" names no commit: no branch, tag or object has that name
    --- exit 128
    "#);
    for range in ["HEAD^!", "HEAD^@", "^HEAD"] {
        let run = story.refuses(128, &["diff", range]);
        assert!(run.stderr.contains("names no commit"), "{run}");
    }
    let run = story.refuses(128, &["diff", "a\u{1b}[31mb"]);
    assert!(
        run.stderr
            .starts_with(r#"git-reins: cannot compare: "a\u{1b}[31mb" names no commit"#),
        "{run}"
    );
    let run = Repo::new().refuses(128, &["diff", "--json"]);
    insta::assert_snapshot!(run, @r#"
    {
      "schema": "git-reins/error/1",
      "message": "the branch has no commit yet",
      "fix": "git commit"
    }
    --- exit 128
    "#);
    let run = story.refuses(129, &["diff", "--json", "--format", "markdown"]);
    assert!(run.stderr.contains("cannot be used with"), "{run}");
}
