//! `git reins diff` on real repositories with the real binary.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]

#[path = "support/schema.rs"]
mod schema;
#[expect(dead_code, reason = "what the tests of the gate ask for")]
#[path = "support/story.rs"]
mod story;
#[expect(dead_code, reason = "what the tests of the writing commands ask for")]
mod support;

mod diff {
    use crate::story;

    mod forms;
    mod history;
    mod kinds;
    mod ranges;
    mod sides;

    use serde_json::Value;

    use story::{Answer, Story};

    /// What `git reins diff` says, in JSON.
    fn changes(story: &Story, range: &[&str]) -> Answer {
        let answer = story.ask(&[&["diff", "--json"], range].concat());
        assert_eq!(answer.run.code, Some(0), "{}", answer.run);
        answer
    }

    /// Each change as `! area row.field reason`.
    fn told(answer: &Answer) -> Vec<String> {
        let one = |change: &Value| {
            let text = |name: &str| change[name].as_str().unwrap_or_default().to_owned();
            let sign = if change["weakening"] == true {
                "!"
            } else {
                "~"
            };
            let field = if change["field"].is_null() {
                String::new()
            } else {
                format!(".{}", text("field"))
            };
            format!(
                "{sign} {} {}{field} {}",
                text("area"),
                text("row"),
                text("reason")
            )
        };
        answer.json["changes"]
            .as_array()
            .map(|changes| changes.iter().map(one).collect())
            .unwrap_or_default()
    }

    /// The one change with this reason.
    #[track_caller]
    fn only<'a>(answer: &'a Answer, reason: &str) -> &'a Value {
        let all = answer.json["changes"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let mut found = all.iter().filter(|change| change["reason"] == reason);
        let (Some(first), None) = (found.next(), found.next()) else {
            panic!("{reason}: {}", answer.run)
        };
        first
    }
}
