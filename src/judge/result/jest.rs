//! Reads the report of `jest --json`.

use serde::Deserialize;

use super::Unreadable;
use crate::decide::outcome::Counts;

// jest adds members from version to version, so unknown ones are passed over.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    success: bool,
    num_failed_tests: u64,
    num_runtime_error_test_suites: u64,
    test_results: Vec<Suite>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Suite {
    assertion_results: Vec<Assertion>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Assertion {
    status: Status,
    /// How often it ran: more than once means that it was tried again.
    #[serde(default)]
    invocations: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Passed,
    Failed,
    Skipped,
    Pending,
    Todo,
    Disabled,
    Focused,
}

pub(super) fn read(bytes: &[u8]) -> Result<Counts, Unreadable> {
    let report: Report = serde_json::from_slice(bytes).map_err(Unreadable::because)?;
    let mut counts = Counts::default();
    for assertion in report
        .test_results
        .iter()
        .flat_map(|suite| &suite.assertion_results)
    {
        match assertion.status {
            Status::Passed if assertion.invocations.is_some_and(|times| times > 1) => {
                counts.flaky += 1
            }
            Status::Passed => counts.passed += 1,
            Status::Failed => counts.failed += 1,
            Status::Skipped
            | Status::Pending
            | Status::Todo
            | Status::Disabled
            | Status::Focused => {
                counts.skipped += 1;
            }
        }
    }
    counts.failed = counts.failed.max(report.num_failed_tests);
    counts.errored = report.num_runtime_error_test_suites;
    if !report.success && counts.failed == 0 {
        counts.errored = counts.errored.max(1); // a threshold, a set-up file, a suite without tests
    }
    Ok(counts)
}
