//! Runs command lines in a repository and writes them down with their answers, with stable names in
//! place of ids, digests, days, times, durations, paths and means of isolation.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use chrono::{NaiveDate, Utc};
use regex::{Captures, Regex};

use crate::naming::named;
use crate::story::Story;
use crate::support::BINARY;

/// The answers to command lines of a shell, in their order.
pub fn answers(story: &Story, lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(&format!("$ {line}\n{}\n\n", story.shell(line)));
    }
    stable(story, &text)
}

/// The same text on any day and any machine.
fn stable(story: &Story, text: &str) -> String {
    let text = text
        .replace(BINARY, "BINARY")
        .replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let text = named(story, text);
    let rules = [
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?", "<time>"),
        (r"\b[0-9a-f]{64}\b", "<sha256>"),
        (r"\b[0-9a-f]{40}\b", "<object>"),
        (r"\b[0-9a-f]{8,}\b", "<hex>"),
        (r"\b\d+(\.\d+)? ?(ms|s)\b", "<duration>"),
        (r#"("\w*(ms|seconds)": )\d+(\.\d+)?"#, "${1}<number>"),
        (r#"("enforced": )\{[^}]*\}"#, "${1}<means>"),
        (r"(enforced:?[ |]+)network.*(\n {12}\w+)?", "${1}<means>"),
        (r"git(/| version | )2\.\d+\.\d+(\.\d+)?", "git${1}<version>"),
    ];
    let mut text = text;
    for (pattern, name) in rules {
        let pattern = Regex::new(pattern).unwrap();
        text = pattern.replace_all(&text, name).into_owned();
    }
    let day = Regex::new(r"\b\d{4}-\d\d-(\n +)?\d\d\b").unwrap();
    day.replace_all(&text, |found: &Captures<'_>| relative(&found[0]))
        .into_owned()
}

/// A day that is near today, as its distance from today; any other day as it is. A line may end
/// inside of a day.
fn relative(day: &str) -> String {
    let joined: String = day.split_whitespace().collect();
    let Ok(date) = joined.parse::<NaiveDate>() else {
        return day.to_owned();
    };
    match (date - Utc::now().date_naive()).num_days() {
        0 => "<today>".to_owned(),
        days @ 1..=40 => format!("<today+{days}>"),
        _ => day.to_owned(),
    }
}
