//! Does `check` find what a bad merge left in the ledgers?

use serde_json::json;

use super::programs::{git_on, with_ours};
use crate::story::{Answer, Story};

/// `topic` and `other` each add a row to a ledger that has landed.
fn apart() -> Story {
    let story = Story::landed();
    story.git(&["switch", "-q", "-c", "other"]);
    story.land_ledgers(&story.ledgers(&["bal-01", "bal-02", "other"]));
    story.git(&["switch", "-q", "topic"]);
    story.land_ledgers(&story.ledgers(&["bal-01", "bal-02", "topic"]));
    story
}

/// Merges `other` with ledgers of one's own making.
fn merged(story: &Story, ids: &[&str]) {
    let _ = git_on(
        story,
        &with_ours(),
        &["merge", "-q", "--no-commit", "other"],
    );
    story.land_ledgers(&story.ledgers(ids));
    assert_eq!(
        story
            .git(&["rev-list", "--parents", "-1", "HEAD"])
            .split_whitespace()
            .count(),
        3
    );
}

fn warned(answer: &Answer) -> Vec<String> {
    let all = answer.json["warnings"].as_array().unwrap();
    let texts = all.iter().filter_map(|one| one.as_str());
    texts
        .filter(|text| text.contains("lost") || text.contains("sorted"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_row_that_a_merge_lost_is_named() {
    let story = apart();
    merged(&story, &["bal-01", "bal-02", "topic"]);
    let merge = story.id("HEAD")[..10].to_owned();
    let words =
        format!("for review: the merge {merge} lost the row other, which one side had added");
    let answer = story.check();
    assert_eq!(warned(&answer), [words.as_str()]);
    story.patch("one");
    assert_eq!(warned(&story.check()), [words]);
}

#[test]
fn a_merge_with_every_row_and_a_row_that_somebody_took_away_are_no_loss() {
    let story = apart();
    merged(&story, &["bal-01", "bal-02", "other", "topic"]);
    assert!(warned(&story.check()).is_empty());
    story.land_ledgers(&story.ledgers(&["bal-01", "bal-02", "topic"]));
    assert!(warned(&story.check()).is_empty());
}

#[test]
fn a_freeze_that_a_merge_lost_is_named() {
    let story = Story::landed();
    story.git(&["switch", "-q", "-c", "other"]);
    let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
    ledgers.freezes.push(story.freeze("bal-01", "2026-12-10"));
    story.land_ledgers(&ledgers);
    story.git(&["switch", "-q", "topic"]);
    story.land_ledgers(&story.ledgers(&["bal-01", "bal-02", "topic"]));
    merged(&story, &["bal-01", "bal-02", "topic"]);
    let warned = warned(&story.check());
    assert!(
        warned.len() == 1 && warned[0].contains("lost the freeze of bal-01 seed 0x9c1e"),
        "{warned:?}"
    );
}

/// Rows of base are missed by the rules on base: a remark without a patch, a refusal with one.
#[test]
fn a_row_of_base_that_a_merge_lost_is_found() {
    let story = apart();
    merged(&story, &["bal-01", "other", "topic"]);
    let notes = story.check().json["warnings"].to_string();
    assert!(notes.contains("bal-02 is gone since base"), "{notes}");
    story.patch("one");
    let answer = story.check();
    assert_eq!(answer.run.code, Some(1));
    assert!(
        answer
            .findings()
            .contains("ORACLE_NOT_INDEPENDENT weakened"),
        "{}",
        answer.run
    );
}

#[test]
fn rows_out_of_order_are_remarked_and_rows_twice_refuse() {
    let story = Story::landed();
    let mut ledgers = story.ledgers(&["bal-02", "bal-01"]);
    ledgers.fixture = serde_json::from_str(&story.read("ledger/fixture.json")).unwrap();
    story.land_ledgers(&ledgers);
    let answer = story.check();
    let words = "the rows of ledger/oracle.json are not sorted, as a merge of texts leaves them: git reins fmt";
    assert_eq!(
        (answer.run.code, warned(&answer)),
        (Some(0), vec![words.to_owned()]),
        "{}",
        answer.run
    );
    let _ = story.reins(&["fmt"]).expect(0);
    story.commit("sorted");
    assert!(warned(&story.check()).is_empty());
    ledgers.oracles = story.ledgers(&["bal-01", "bal-01", "bal-02"]).oracles;
    story.land_ledgers(&ledgers);
    story.check().says(1, &["LEDGER_INVALID unreadable"]);
}

#[test]
fn markers_that_were_committed_refuse_and_name_the_remedy() {
    let story = Story::landed();
    let text = story.read("ledger/oracle.json");
    story.write(
        "ledger/oracle.json",
        &format!("<<<<<<< ours (reins: bal-01)\n{text}=======\n{text}>>>>>>> theirs\n"),
    );
    story.commit("markers");
    let answer = story.check();
    answer.says(1, &["LEDGER_INVALID unreadable"]);
    assert_eq!(answer.details()[0]["fix"], json!("git reins fmt --resolve"));
}
