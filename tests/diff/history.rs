//! How often was a freeze extended, whatever way its history went?

use super::story::Story;
use super::{changes, only};

/// Commits a freeze of one seed that ends on a day.
fn until(story: &Story, day: &str) {
    let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
    ledgers.freezes = vec![story.freeze("bal-01", day)];
    story.put(&ledgers);
    story.git(&["commit", "-qa", "-m", day]);
}

/// `main` holds a freeze that was extended before.
fn extended() -> Story {
    let story = Story::landed();
    until(&story, "2026-12-01");
    until(&story, "2026-12-05");
    story.land();
    story
}

#[track_caller]
fn says(story: &Story, days: i64, extension: Option<u64>) {
    let answer = changes(story, &[]);
    let change = only(&answer, "expiry-extended");
    assert_eq!(change["days"].as_i64(), Some(days), "{}", answer.run);
    assert_eq!(change["extension"].as_u64(), extension, "{}", answer.run);
}

#[test]
fn every_later_day_counts_and_no_earlier_one() {
    let story = extended();
    until(&story, "2026-12-20");
    says(&story, 15, Some(2));
    until(&story, "2026-12-10"); // back
    until(&story, "2026-12-25"); // and again
    says(&story, 20, Some(3));
}

#[test]
fn a_row_that_was_taken_away_goes_on_with_the_day_it_had() {
    let story = extended();
    story.put(&story.ledgers(&["bal-01", "bal-02"]));
    story.git(&["commit", "-qa", "-m", "gone"]);
    until(&story, "2026-12-20");
    says(&story, 15, Some(2));
}

#[test]
fn both_sides_of_a_merge_count_and_the_merge_does_not() {
    let story = extended();
    story.git(&["switch", "-q", "-c", "side"]);
    until(&story, "2026-12-10");
    story.git(&["switch", "-q", "topic"]);
    until(&story, "2026-12-20");
    let _ = story.shell("git merge -q side || true"); // a conflict in the day
    until(&story, "2026-12-20");
    assert_eq!(
        story
            .git(&["log", "-1", "--format=%P"])
            .split_whitespace()
            .count(),
        2
    );
    says(&story, 15, Some(3));
}

#[test]
fn a_merge_that_invents_a_later_day_counts() {
    let story = extended();
    story.git(&["switch", "-q", "-c", "side"]);
    story.patch("beside");
    story.git(&["switch", "-q", "topic"]);
    story.git(&["merge", "-q", "--no-ff", "--no-commit", "side"]);
    until(&story, "2026-12-30");
    assert_eq!(
        story
            .git(&["log", "-1", "--format=%P"])
            .split_whitespace()
            .count(),
        2
    );
    says(&story, 25, Some(2));
}

#[test]
fn a_clone_whose_history_is_cut_off_counts_nothing_and_says_so() {
    let story = extended();
    until(&story, "2026-12-20");
    let place = format!("file://{}", story.path("").display());
    story.git(&[
        "clone",
        "-q",
        "--depth",
        "2",
        "--branch",
        "topic",
        "--no-single-branch",
        &place,
        "../cut",
    ]);
    let run = story.reins(&["-C", "../cut", "diff", "origin/main..HEAD", "--json"]);
    let run = run.expect(0);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let note = "the history is cut off: how often a freeze was extended cannot be counted";
    assert_eq!(json["notes"], serde_json::json!([note]), "{run}");
    assert!(json["changes"][0]["extension"].is_null(), "{run}");
}
