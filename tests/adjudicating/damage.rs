//! Can a damaged verdict crash the reader, or be called a pass that it is not?

use git_reins::decide::result::{Reading, read};
use git_reins::model::adjudication::Verdict;
use git_reins::model::record::print;
use git_reins::model::trial::{Outcome, TrialReason, TrialVerdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::verdicts::{answered, artifact, rerun, skipped, step, stopped, trial, verdict};

/// Whether the bytes are called a pass.
fn passes(bytes: &[u8], reverify: Option<&[u8]>) -> bool {
    match read(bytes, reverify) {
        Ok(Reading::Result(result)) => result.finding.verdict == Verdict::Pass,
        Ok(Reading::Resolution) | Err(_) => false,
    }
}

/// What a pass needs, told from the JSON alone: a `tests` step, each of them graded and passed, no step
/// of any stage that failed, none but lint that graded nothing, and no stage nor the whole called no
/// pass without one that is none.
fn deserves(value: &Value) -> bool {
    let steps = value["stages"]["tier1"]["steps"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let truthy = |value: &Value| {
        !(value.is_null()
            || value == false
            || value.as_f64() == Some(0.0)
            || value == ""
            || value == &json!([])
            || value == &json!({}))
    };
    let marked = |step: &Value| {
        ["timed_out", "skipped", "skipped_tests"]
            .iter()
            .any(|name| truthy(&step["data"][name]))
    };
    let graded = |step: &Value| {
        step["passed"] == true && step["data"]["exit_code"].as_i64() == Some(0) && !marked(step)
    };
    let tests: Vec<_> = steps.iter().filter(|step| step["id"] == "tests").collect();
    let failed =
        |step: &Value| step["data"]["exit_code"] == 1 && step["passed"] == false && !marked(step);
    let stages = value["stages"].as_object().cloned().unwrap_or_default();
    let listed = |stage: &Value| stage["steps"].as_array().cloned().unwrap_or_default();
    let all: Vec<_> = stages.values().flat_map(listed).collect();
    let is_command =
        |step: &&Value| step["data"]["exit_code"].is_i64() && step["data"]["verdict"].is_null();
    let missed =
        |step: &Value| step["passed"] != true || marked(step) || step["data"]["exit_code"] != 0;
    let ungraded = all
        .iter()
        .filter(is_command)
        .any(|step| step["id"] != "lint" && missed(step));
    // a model that gave no answer is why its stage is no pass
    let silent = |stage: &Value| {
        listed(stage)
            .iter()
            .any(|step| step["passed"] != true || !is_command(&step))
    };
    let refused = |value: &Value| !value["passed"].is_null() && value["passed"] != true;
    let told =
        |stage: &Value| silent(stage) || (refused(stage) && stage == &value["stages"]["tier2"]);
    let untold = stages.values().any(|stage| refused(stage) && !told(stage))
        || (refused(value)
            && !stages.values().any(|stage| refused(stage) || silent(stage))
            && !stages.contains_key("tier2"));
    let is_good = tests.into_iter().all(graded) && !steps.iter().chain(&all).any(failed);
    !tests_missing(&steps) && is_good && !ungraded && !untold
}

fn tests_missing(steps: &[Value]) -> bool {
    !steps.iter().any(|step| step["id"] == "tests")
}

/// JSON made of the words that matter.
fn json() -> impl Strategy<Value = Value> {
    const WORDS: [&str; 26] = [
        "task_id",
        "evaluated_at",
        "kind",
        "stages",
        "tier1",
        "tier2",
        "steps",
        "id",
        "tests",
        "lint",
        "passed",
        "output",
        "error",
        "data",
        "exit_code",
        "timed_out",
        "skipped",
        "skipped_tests",
        "skipped_steps",
        "pytest_outcome",
        "verdict",
        "items",
        "COMPLETE",
        "status",
        "PASS",
        "resolution",
    ];
    let word = || prop::sample::select(&WORDS[..]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop::sample::select(&[0, 1, 2, 5, 124, 127, 137, -9][..]).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(7, 80, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word(), inner), 0..8).prop_map(|members| members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

/// A verdict with a stage and steps of any kind.
fn stage() -> impl Strategy<Value = Value> {
    let step = (prop::sample::select(&["tests", "lint", ""][..]), json(), json(), json()).prop_map(
        |(id, passed, data, output)| json!({"id": id, "passed": passed, "data": data, "output": output}),
    );
    let graded = (prop::sample::select(&["tests", "lint"][..]), 0..3i64, any::<bool>(), json()).prop_map(
        |(id, exit_code, passed, extra)| {
            json!({"id": id, "passed": passed, "data": {"exit_code": exit_code, "skipped": extra}})
        },
    );
    let steps = prop::collection::vec(prop_oneof![step, graded], 0..4);
    let flag = || prop::sample::select(vec![Value::Null, json!(true), json!(false), json!("no")]);
    let other = (
        0..3i64,
        any::<bool>(),
        prop::sample::select(&["lint", "secrets"][..]),
    )
        .prop_map(
            |(code, passed, id)| json!({"id": id, "passed": passed, "data": {"exit_code": code}}),
        );
    let beside = (flag(), prop::collection::vec(other, 0..3));
    (steps, flag(), json(), flag(), beside).prop_map(
        |(steps, passed, tier2, whole, (refused, others))| {
            json!({"task_id": "t", "evaluated_at": "x", "passed": whole,
               "stages": {"tier1": {"passed": passed, "steps": steps}, "tier2": tier2,
                          "extra": {"passed": refused, "steps": others}}})
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_json_is_a_pass_without_graded_tests(value in prop_oneof![json(), stage()]) {
        let passes = passes(value.to_string().as_bytes(), None);
        prop_assert!(!passes || deserves(&value), "{value}");
    }

    #[test]
    fn no_bytes_crash_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "\\PC{0,60}") {
        prop_assert!(!passes(&bytes, None) && !passes(text.as_bytes(), Some(&bytes)));
    }

    /// Any member of a good verdict is taken away or replaced.
    #[test]
    fn no_damage_makes_a_pass(at in 0..200usize, value in prop::option::of(json()), which in 0..5usize) {
        let mut record = records()[which].clone();
        let pointers = pointers(&record);
        let pointer = &pointers[at % pointers.len()];
        damage(&mut record, pointer, value);
        let passes = passes(record.to_string().as_bytes(), None);
        prop_assert!(!passes || deserves(&record), "{pointer}: {record}");
    }
}

fn records() -> [Value; 5] {
    let lint = step("lint", 127);
    [
        verdict(&[lint.clone(), step("tests", 0)]),
        answered(&[step("tests", 0), lint.clone()], "COMPLETE", &["PASS"]),
        answered(&[lint, step("tests", 1)], "COMPLETE", &["PASS"]),
        artifact(),
        verdict(&[skipped("tests"), stopped("lint")]),
    ]
}

/// The pointer of every value but the whole.
fn pointers(value: &Value) -> Vec<String> {
    let below = |name: String, value: &Value| {
        let inner = pointers(value)
            .into_iter()
            .map(|pointer| format!("/{name}{pointer}"))
            .collect::<Vec<_>>();
        [vec![format!("/{name}")], inner].concat()
    };
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, value)| below(name.clone(), value))
            .collect(),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .flat_map(|(at, value)| below(at.to_string(), value))
            .collect(),
        _ => Vec::new(),
    }
}

fn damage(record: &mut Value, pointer: &str, value: Option<Value>) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match (record.pointer_mut(parent).unwrap(), value) {
        (Value::Object(members), Some(value)) => drop(members.insert(name.to_owned(), value)),
        (Value::Object(members), None) => drop(members.remove(name)),
        (Value::Array(list), Some(value)) => list[name.parse::<usize>().unwrap()] = value,
        (Value::Array(list), None) => drop(list.remove(name.parse::<usize>().unwrap())),
        _ => unreachable!("a parent has members"),
    }
}

#[test]
fn no_byte_of_a_record_of_our_own_can_be_changed_into_a_pass() {
    let artifact = artifact().to_string();
    let late = rerun(&artifact, Outcome::Timeout);
    let rejected = print(&trial(
        TrialVerdict::Reject,
        vec![TrialReason::UncoveredFail],
        Some(Outcome::Timeout),
    ));
    for at in 0..late.len() {
        for byte in *b"0\"} \n" {
            let mut bytes = late.clone().into_bytes();
            bytes[at] = byte;
            assert!(!passes(artifact.as_bytes(), Some(&bytes)), "{at} {byte}");
        }
    }
    for at in 0..rejected.len() {
        let mut bytes = rejected.clone().into_bytes();
        bytes[at] ^= 1;
        assert!(!passes(&bytes, None), "{at}");
        assert!(!passes(&rejected.as_bytes()[..at], None), "{at}");
    }
    assert!(passes(
        artifact.as_bytes(),
        Some(rerun(&artifact, Outcome::Pass).as_bytes())
    ));
}
