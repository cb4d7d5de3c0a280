//! Reads lines of JSON. Written by tools that were made for the judge.

use serde::Deserialize;

use super::Unreadable;
use crate::decide::outcome::Counts;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    seed: String,
    status: Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Pass,
    Fail,
    Error,
}

pub(super) fn read(text: &str, seed: &str) -> Result<Counts, Unreadable> {
    let mut counts = Counts::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let line: Line = serde_json::from_str(line).map_err(Unreadable::because)?;
        if line.seed != seed {
            return Err(Unreadable(format!(
                "a result of seed {:?}, not of {seed:?}",
                line.seed
            )));
        }
        match line.status {
            Status::Pass => counts.passed += 1,
            Status::Fail => counts.failed += 1,
            Status::Error => counts.errored += 1,
        }
    }
    Ok(counts)
}
