//! Reads the events of `go test -json`.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::Unreadable;
use crate::decide::outcome::Counts;

// Go adds members from version to version, so unknown ones are passed over.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: Action,
    #[serde(default)]
    package: Option<String>,
    #[serde(default)]
    test: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Action {
    Start,
    Run,
    Pause,
    Cont,
    Output,
    Bench,
    Attr,
    Artifacts,
    BuildOutput,
    BuildFail,
    Pass,
    Fail,
    Skip,
}

pub(super) fn read(text: &str) -> Result<Counts, Unreadable> {
    let (mut counts, mut running) = (Counts::default(), BTreeSet::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let event: Event = serde_json::from_str(line).map_err(Unreadable::because)?;
        let Some(test) = event.test else {
            take_package(&event.action, &mut counts);
            continue;
        };
        let key = (event.package, test);
        match event.action {
            Action::Run => drop(running.insert(key)),
            Action::Pass => end(&mut counts.passed, running.remove(&key)),
            Action::Fail => end(&mut counts.failed, running.remove(&key)),
            Action::Skip => end(&mut counts.skipped, running.remove(&key)),
            Action::Start
            | Action::Pause
            | Action::Cont
            | Action::Output
            | Action::Bench
            | Action::Attr
            | Action::Artifacts
            | Action::BuildOutput
            | Action::BuildFail => {}
        }
    }
    counts.errored += running.len() as u64; // began, and never ended
    Ok(counts)
}

/// Only a test that began counts as one that ended.
fn end(count: &mut u64, began: bool) {
    *count += u64::from(began);
}

/// A package that fails without a failed test did not build, or ended early.
fn take_package(action: &Action, counts: &mut Counts) {
    match action {
        Action::BuildFail => counts.errored += 1,
        Action::Fail if counts.failed == 0 => counts.errored += 1,
        Action::Fail
        | Action::Start
        | Action::Run
        | Action::Pause
        | Action::Cont
        | Action::Output
        | Action::Bench
        | Action::Attr
        | Action::Artifacts
        | Action::BuildOutput
        | Action::Pass
        | Action::Skip => {}
    }
}
