//! Do the schemas of records and answers take what is written, and nothing else?

use git_reins::commands::schema::schema;
use git_reins::model::record::print;
use git_reins::model::trial::{Outcome, Timing, TrialReason, TrialVerdict};
use serde_json::{Value, json};

use super::verdicts::{artifact, rerun, trial};
use crate::support::Repo;

/// A good value is taken; with any of the changes it is not.
fn checked(name: &str, good: &Value, bad: &[(&str, Value)]) {
    let schema: Value = serde_json::from_str(&schema(name).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<_> = validator
        .iter_errors(good)
        .map(|fault| fault.to_string())
        .collect();
    assert_eq!(faults, [""; 0], "{good}");
    for (pointer, value) in bad {
        let mut changed = good.clone();
        *changed.pointer_mut(pointer).unwrap() = value.clone();
        assert!(!validator.is_valid(&changed), "{name} {pointer} {value}");
    }
    for member in good
        .as_object()
        .unwrap()
        .keys()
        .filter(|member| *member != "timing")
    {
        let mut short = good.clone();
        short.as_object_mut().unwrap().remove(member);
        assert!(!validator.is_valid(&short), "{name} without {member}");
    }
}

#[test]
fn schemas_take_what_is_written_and_nothing_else() {
    let mut record = trial(
        TrialVerdict::Reject,
        vec![TrialReason::UncoveredFail],
        Some(Outcome::Timeout),
    );
    record.timing = Some(Timing {
        started_at: "2026-01-02T03:04:05Z".to_owned(),
        wall_ms: 1,
        checks_ms: vec![1],
    });
    let record: Value = serde_json::from_str(&print(&record)).unwrap();
    checked(
        "trial",
        &record,
        &[
            ("/schema", json!("git-reins/trial/2")),
            ("/verdict", json!("pass")),
            ("/reasons", json!(["because"])),
            ("/checks/0/outcome", json!("passed")),
            ("/checks/0/opened", json!("none")),
            ("/base_rev", json!("HEAD")),
            ("/blob", json!("AA")),
            ("/policy_sha256", json!("")),
        ],
    );
    let beside: Value = serde_json::from_str(&rerun("x", Outcome::Timeout)).unwrap();
    let bad = [
        ("/schema", json!("x")),
        ("/result", json!("ok")),
        ("/commit", json!("1")),
        ("/runs/0/duration_ms", json!(-1)),
    ];
    checked("reverify", &beside, &bad);
    let repo = Repo::new();
    repo.write(
        "h/2026-01-02/00000001/verdict.json",
        &artifact().to_string(),
    );
    let run = repo.reins(&["adjudicate", "--json", "h"]).expect(3);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let bad = [
        ("/schema", json!("x")),
        ("/tier1", json!("OK")),
        ("/tier2", json!("OK")),
        ("/verdict", json!("OK")),
    ];
    checked("adjudication", &answer[0], &bad);
}
