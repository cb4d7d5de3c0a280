//! Tests of the verdict reader: every version is read, other shapes are kept.

use super::*;

const BARE: &str = r#"{"task_id": "t", "evaluated_at": "2026-01-02T03:04:05"}"#;

fn with(member: &str) -> String {
    BARE.replacen('{', &format!("{{{member}, "), 1)
}

fn verdict(text: &str) -> Verdict {
    match read(text.as_bytes()).unwrap() {
        Entry::Verdict(verdict) => *verdict,
        other => panic!("{other:?}"),
    }
}

fn stage(text: &str) -> Stage {
    verdict(&with(&format!(r#""stages": {{"tier1": {text}}}"#)))
        .tier1
        .unwrap()
}

fn criteria_of(text: &str) -> Criteria {
    let stage = verdict(&with(&format!(r#""stages": {{"tier2": {text}}}"#)))
        .tier2
        .unwrap();
    assert!(
        stage.steps.is_empty() && !stage.is_malformed && stage.answers.len() == 1,
        "{stage:?}"
    );
    stage.answers[0].clone()
}

#[test]
fn what_is_unknown_is_left_out() {
    let text = with(
        r#""commit": "0123456789abcdef0123456789abcdef01234567", "job_id": "j", "supersedes": null,
           "superseded_by": "x/y", "passed": "maybe", "kind": null, "later": {"a": [1.5]},
           "evidence": {"items": [{"name": "patch"}, {"name": "worktree"}]}"#,
    );
    let verdict = verdict(&text);
    assert_eq!(
        verdict.commit.unwrap().to_string(),
        "0123456789abcdef0123456789abcdef01234567"
    );
    assert_eq!(
        (verdict.job_id.as_deref(), verdict.supersedes.as_deref()),
        (Some("j"), None)
    );
    assert_eq!(verdict.superseded_by.as_deref(), Some("x/y"));
    assert!(verdict.uncommitted.is_some() && verdict.tier1.is_none() && verdict.tier2.is_none());
}

#[test]
fn a_commit_that_is_no_full_id_is_none() {
    for commit in ["\"\"", "\"0123\"", "\"HEAD\"", "7", "null", "[]"] {
        assert_eq!(
            verdict(&with(&format!("\"commit\": {commit}"))).commit,
            None,
            "{commit}"
        );
    }
}

#[test]
fn other_records_are_told_apart() {
    let kind = |text: &str| read(with(text).as_bytes());
    assert_eq!(kind(r#""kind": "resolution""#), Ok(Entry::Resolution));
    assert_eq!(
        read(br#"{"kind": "resolution", "band": 1}"#),
        Ok(Entry::Resolution)
    );
    assert_eq!(
        kind(r#""schema": "a/b/1", "kind": 5"#),
        Ok(Entry::Schema("a/b/1".to_owned()))
    );
    let fault = |text: &str| kind(text).unwrap_err().to_string();
    assert_eq!(
        fault(r#""kind": "appeal""#),
        "field kind: read \"appeal\", expected no kind, or \"resolution\""
    );
    assert_eq!(
        fault(r#""kind": true"#),
        "field kind: read true, expected no kind, or \"resolution\""
    );
    assert_eq!(
        fault(r#""schema": 1"#),
        "field schema: read 1, expected a text"
    );
    assert_eq!(
        fault(r#""stages": []"#),
        "field stages: read a list, expected an object"
    );
}

#[test]
fn a_fault_names_the_field() {
    let fault = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(fault("[]"), "read a list, expected an object");
    assert_eq!(
        fault("{}"),
        "field task_id: read no such member, expected a text"
    );
    assert_eq!(
        fault(r#"{"task_id": ""}"#),
        "field task_id: read \"\", expected a text"
    );
    assert_eq!(
        fault(r#"{"task_id": ["\u001b"]}"#),
        "field task_id: read a list, expected a text"
    );
    assert_eq!(
        fault(r#"{"task_id": "t", "evaluated_at": 5}"#),
        "field evaluated_at: read 5, expected a text"
    );
    assert!(fault(r#"{"task_id": "t", "task_id": "u"}"#).contains("a second member \"task_id\""));
    assert!(fault("{\"a\\u001b\": 1, \"a\\u001b\": 1}").contains("a\\u{1b}"));
}

#[test]
fn steps_are_read_whole_or_not_at_all() {
    let good = r#"{"id": "tests", "passed": true, "output": "o", "error": null,
                   "data": {"exit_code": 0, "skipped_tests": true, "pytest_outcome": {"kind": "passed", "failures": 2}, "x": {}}}"#;
    let read = stage(&format!(
        r#"{{"passed": true, "steps": [{good}], "skipped_steps": ["lint"]}}"#
    ));
    assert_eq!(
        (read.passed, read.skipped.as_slice(), read.is_malformed),
        (Some(true), ["lint".to_owned()].as_slice(), false)
    );
    let step = Step {
        id: "tests".to_owned(),
        passed: true,
        output: "o".to_owned(),
        exit_code: Some(0),
        skipped: true,
        pytest: Some("passed".to_owned()),
        failures: 2,
        ..Step::default()
    };
    assert_eq!(read.steps, [step]);
    for bad in [
        "null",
        "7",
        "{}",
        r#"{"id": "tests"}"#,
        r#"{"id": "tests", "passed": "true"}"#,
        r#"{"id": "tests", "passed": 1}"#,
        r#"{"passed": true}"#,
        r#"{"id": 7, "passed": true}"#,
        r#"{"id": "tests", "passed": true, "output": 7}"#,
        r#"{"id": "tests", "passed": true, "error": []}"#,
        r#"{"id": "tests", "passed": true, "data": []}"#,
        r#"{"id": "tests", "passed": true, "data": {"exit_code": "0"}}"#,
        r#"{"id": "tests", "passed": true, "data": {"exit_code": 0.0}}"#,
        r#"{"id": "tests", "passed": true, "data": {"exit_code": false}}"#,
        r#"{"id": "tests", "passed": true, "data": {"exit_code": 0, "pytest_outcome": "passed"}}"#,
        r#"{"id": "tests", "passed": true, "data": {"pytest_outcome": {"kind": "failed", "failures": -1}}}"#,
        r#"{"id": "tests", "passed": true, "data": {"pytest_outcome": {"kind": "failed", "failures": "1"}}}"#,
    ] {
        let read = stage(&format!(r#"{{"steps": [{good}, {bad}]}}"#));
        assert!(read.is_malformed && read.steps.len() == 1, "{bad}");
    }
    for bad in [
        "null",
        "[]",
        "7",
        r#"{"steps": {}}"#,
        r#"{"steps": [], "skipped_steps": "tests"}"#,
        r#"{"steps": [], "skipped_steps": [7]}"#,
    ] {
        assert!(stage(bad).is_malformed, "{bad}");
    }
    let set =
        r#"{"steps": [{"id": "a", "passed": true, "data": {"timed_out": "yes", "skipped": 1}}]}"#;
    assert!(stage(set).steps[0].timed_out && stage(set).steps[0].skipped);
}

#[test]
fn an_answer_is_read_whole_or_not_at_all() {
    let step =
        |data: &str| format!(r#"{{"steps": [{{"id": "x", "passed": false, "data": {data}}}]}}"#);
    let good = r#"{"verdict": "INCOMPLETE", "items": [{"status": "FAIL"}], "summary": "(auto-parsed from non-JSON response) ."}"#;
    let answer = Criteria::Answer {
        verdict: "INCOMPLETE".to_owned(),
        items: vec!["FAIL".to_owned()],
        passed: Some(false),
        is_guess: true,
    };
    assert_eq!(criteria_of(&step(good)), answer);
    for bad in [
        "null",
        "[]",
        "{}",
        r#"{"steps": []}"#,
        r#"{"steps": [{}]}"#,
        r#"{"steps": [{"passed": "no", "data": {"verdict": "COMPLETE", "items": []}}]}"#,
        &step(r#"{"verdict": "COMPLETE"}"#),
        &step(r#"{"verdict": 7, "items": []}"#),
        &step(r#"{"verdict": "COMPLETE", "items": [7]}"#),
        &step(r#"{"verdict": "COMPLETE", "items": [{"criterion": "x"}]}"#),
        &step(r#"{"items": []}"#),
    ] {
        assert_eq!(criteria_of(bad), Criteria::Unreadable, "{bad}");
    }
}

#[test]
fn every_stage_and_every_step_is_read() {
    let run = r#"{"id": "x", "passed": false, "data": {"exit_code": 1}}"#;
    let asked = r#"{"id": "y", "type": "ai_eval", "passed": false, "data": {}}"#;
    let read = verdict(&with(&format!(
        r#""passed": false, "stages": {{"tier2": {{"passed": true, "steps": [{asked}, {run}, {asked}]}},
           "a": {{"passed": 1, "steps": [{asked}, {run}, 7]}}, "b": null}}"#
    )));
    let shape = |stage: &Stage| {
        (
            stage.passed,
            stage.steps.len(),
            stage.answers.len(),
            stage.is_malformed,
        )
    };
    assert_eq!((read.passed, read.tier1.is_none()), (Some(false), true));
    assert_eq!(
        shape(read.tier2.as_ref().unwrap()),
        (Some(true), 1, 2, false)
    );
    assert_eq!(shape(&read.beside[0]), (Some(false), 1, 1, true));
    assert_eq!(shape(&read.beside[1]), (None, 0, 0, true));
    // a command in the place of the answer is no answer
    let first = verdict(&with(&format!(
        r#""stages": {{"tier2": {{"steps": [{run}]}}}}"#
    )))
    .tier2
    .unwrap();
    assert_eq!(
        (first.steps.len(), first.answers.as_slice()),
        (1, &[Criteria::Unreadable][..])
    );
    // an exit code without an answer is a command's, also in a step that is called an answer
    let called = r#"{"id": "x", "type": "ai_eval", "passed": true, "data": {"exit_code": 1}}"#;
    let first = verdict(&with(&format!(
        r#""stages": {{"tier2": {{"steps": [{called}]}}}}"#
    )))
    .tier2
    .unwrap();
    assert_eq!(
        (first.steps.len(), first.answers.as_slice()),
        (1, &[Criteria::Unreadable][..])
    );
}
