//! Small verdicts, written here and not by GitReins.

use git_reins::model::ids::Sha256;
use git_reins::model::record::print;
use git_reins::model::reverification::{
    Budget, BudgetSource, REVERIFY_SCHEMA, Rerun, RerunResult, Reverification,
};
use git_reins::model::trial::{
    CheckKind, CheckRun, Enforced, Epoch, FixtureGuard, Image, KillGuard, NetworkGuard, Outcome,
    Revision, TRIAL_SCHEMA, Trace, Trial, TrialReason, TrialVerdict,
};
use serde_json::{Value, json};

pub const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A step as both generations write it.
pub fn step(id: &str, exit_code: i64) -> Value {
    json!({"id": id, "type": "script", "passed": exit_code == 0, "output": "", "error": "",
           "data": {"exit_code": exit_code}})
}

/// A step that the old generation stopped.
pub fn stopped(id: &str) -> Value {
    json!({"id": id, "type": "script", "passed": false, "output": "", "error": "Command timed out", "data": {}})
}

/// A step that the new generation passed without grading it.
pub fn skipped(id: &str) -> Value {
    json!({"id": id, "type": "script", "passed": true, "output": "", "error": "",
           "data": {"exit_code": 5, "skipped": true, "skip_reason": "no tests collected"}})
}

/// A verdict with these steps, and no tier 2.
pub fn verdict(steps: &[Value]) -> Value {
    let passed = steps.iter().all(|step| step["passed"] == true);
    json!({"task_id": "task-1", "task_title": "words", "task_criteria": ["one"], "passed": passed,
           "commit": COMMIT, "items": [], "summary": "", "evaluated_at": "2026-01-02T03:04:05.678901",
           "stages": {"tier1": {"id": "tier1", "passed": passed, "any_failed": !passed, "steps": steps}}})
}

/// The same with an answer of the model.
pub fn answered(steps: &[Value], verdict: &str, items: &[&str]) -> Value {
    let items: Vec<_> = items
        .iter()
        .map(|status| json!({"criterion": "one", "status": status}))
        .collect();
    let mut value = self::verdict(steps);
    value["stages"]["tier2"] = json!({"id": "tier2", "passed": verdict == "COMPLETE", "steps": [
        {"id": "tier2", "type": "ai_eval", "passed": verdict == "COMPLETE", "error": "", "output": "",
         "data": {"verdict": verdict, "items": items, "summary": "looked"}}]});
    value
}

/// An ARTIFACT.
pub fn artifact() -> Value {
    answered(&[stopped("tests")], "COMPLETE", &["PASS"])
}

/// Another run of tier 1, about the verdict with these bytes.
pub fn rerun(verdict: &str, outcome: Outcome) -> String {
    let exit = match outcome {
        Outcome::Pass => Some(0),
        Outcome::Timeout => None,
        _ => Some(1),
    };
    let runs = vec![Rerun {
        outcome,
        exit,
        signal: None,
        duration_ms: 390_000,
    }];
    print(&Reverification {
        schema: REVERIFY_SCHEMA.to_owned(),
        verdict_sha256: Sha256::of(verdict.as_bytes()),
        task_id: "task-1".to_owned(),
        commit: COMMIT.parse().unwrap(),
        tree: COMMIT.parse().unwrap(),
        command: vec!["make".to_owned()],
        budget: Budget {
            tool_budget_s: 120,
            budget_s: 488,
            source: BudgetSource::Manifest,
            raised: true,
        },
        result: RerunResult::of(&runs),
        runs,
    })
}

/// A trial with one run of the property `p`.
pub fn trial(verdict: TrialVerdict, reasons: Vec<TrialReason>, outcome: Option<Outcome>) -> Trial {
    let digest = Sha256::of(b"");
    let run = |outcome| CheckRun {
        id: "props".to_owned(),
        property: Some("p".parse().unwrap()),
        kind: CheckKind::Property,
        seed: Some("7".to_owned()),
        revision: Revision::Candidate,
        outcome,
        class: None,
        reason: None,
        exit: None,
        signal: None,
        opened: None,
        details: git_reins::model::trial::RunDetails::default(),
    };
    let p = |when: bool| if when { vec!["p".to_owned()] } else { vec![] };
    Trial {
        schema: TRIAL_SCHEMA.to_owned(),
        blob: Some(digest),
        base_rev: COMMIT.parse().unwrap(),
        base_tree: COMMIT.parse().unwrap(),
        candidate_tree: Some(COMMIT.parse().unwrap()),
        touched: vec![],
        seeds: vec![],
        seeds_sha256: digest,
        policy_sha256: digest,
        rows_sha256: digest,
        epoch: Epoch {
            epoch_id: "e".to_owned(),
            digest_sha256: digest,
        },
        image: Image {
            id: "nix:/nix/store/x".to_owned(),
            fingerprint: "f".to_owned(),
        },
        enforced: Enforced {
            fixtures: FixtureGuard::None,
            network: NetworkGuard::None,
            kill: KillGuard::Pgrp,
            trace: Trace::None,
        },
        checks: outcome.map(run).into_iter().collect(),
        power: vec![],
        online: Vec::new(),
        unwitnessed: vec![],
        held: p(verdict == TrialVerdict::Hold),
        canary_bad: vec![],
        illegal_freeze: vec![],
        uncovered_fail: p(reasons.contains(&TrialReason::UncoveredFail)),
        verdict,
        reasons,
        timing: None,
    }
}
