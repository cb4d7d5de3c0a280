//! Do the committed schemas come from the types, and do they tell good files from bad ones?
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]

#[path = "support/schema.rs"]
mod answer;
#[expect(dead_code, reason = "what other tests ask for")]
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use answer::follows;
use support::{Repo, add_row};

use git_reins::commands::schema::{names, schema};
use git_reins::ledger::file::{Ledger, parse, print};
use git_reins::ledger::fixture::FixtureLedger;
use git_reins::ledger::freeze::FreezeLedger;
use git_reins::ledger::oracle::OracleLedger;
use git_reins::ledger::results::parse_results;
use git_reins::model::decision::{
    DECISION_SCHEMA, Decision, Detail, OrderEvidence, PropertyStanding, Rules, Standing,
};
use git_reins::model::ids::OracleId;
use git_reins::model::refusal::Code;
use jsonschema::Validator;
use serde_json::{Value, json};

const SHA: &str = "00000000000000000000000000000000000000000000000000000000000000aa";
const REV: &str = "0123456789abcdef0123456789abcdef01234567";

#[test]
fn the_committed_files_are_what_the_types_say() {
    for name in names() {
        let path = format!(
            "{}/ledger-schema/{name}.schema.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            schema(name) == Some(committed),
            "ledger-schema/{name}.schema.json differs from the types; regenerate it with\n  \
             cargo run -- schema {name} > ledger-schema/{name}.schema.json"
        );
    }
    assert_eq!(schema("trials"), None);
}

#[test]
fn no_other_schema_is_committed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/ledger-schema");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let mut expected: Vec<_> = names().map(|name| format!("{name}.schema.json")).collect();
    expected.sort();
    assert_eq!(files, expected);
}

/// The schemas that the code names, each in a text of its own.
fn named(dir: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(dir).expect("the sources can be read") {
        let path = entry.expect("the sources can be read").path();
        if path.is_dir() {
            named(&path, found);
        } else {
            let text = fs::read_to_string(&path).expect("the sources can be read");
            let after = text
                .split("\"git-reins/")
                .skip(1)
                .filter(|rest| !rest.starts_with('{'));
            found.extend(after.filter_map(|rest| Some(rest.split_once("/1\"")?.0.to_owned())));
        }
    }
}

#[test]
fn whatever_is_printed_as_json_has_a_schema() {
    let mut all = BTreeSet::new();
    named(
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")),
        &mut all,
    );
    assert!(
        all.remove("hooks"),
        "the list of what was installed, which only we read"
    );
    assert!(all.len() > 20, "{all:?}");
    let known: BTreeSet<_> = names().map(ToOwned::to_owned).collect();
    assert_eq!(all.difference(&known).collect::<Vec<_>>(), [""; 0]);
}

const POLICY: &str = r#"schema = 1
[paths]
properties = ["properties"]
fixtures = ["fixtures"]
specs = ["spec"]
[protect]
base = ["refs/heads/main"]
[judge]
require = []
[[check]]
id = "props"
run = ["true"]
seeds = ["7"]
"#;

const VERDICT: &str = r#"{"task_id": "round", "evaluated_at": "2026-11-30T09:00:00",
"stages": {"tier1": {"passed": true, "steps": []}}}"#;

const WORSE: &str = "\
diff --git a/src/account.py b/src/account.py
--- a/src/account.py
+++ b/src/account.py
@@ -1,2 +1,2 @@
 def balance(a, b):
-    return a - b
+    return a
";

#[test]
fn the_answers_are_what_their_schemas_say() {
    let repo = Repo::under_reins();
    let _ = add_row(&repo, "bal-01").expect(0);
    repo.write(".gitreins/reins.toml", POLICY);
    repo.commit("a row and a check");
    repo.write("../worse.diff", WORSE);
    repo.write(
        ".gitreins/history/2026-11-30/0a1b2c3d/verdict.json",
        VERDICT,
    );
    repo.write(
        ".gitreins/history/2026-11-30/4e5f6a7b/verdict.json",
        "no JSON",
    );
    repo.write(".gitreins/history/2026-11-30/8c9d0e1f/verdict.json", "{");
    let freeze = "freeze add --property bal-01 --seed 7 --expires +3 --owner ann";
    let image = format!("fixture pin --epoch e-1 --runner-image oci-digest:sha256:{SHA}");
    for (name, code, args) in [
        ("error", 1, freeze),
        ("status", 0, "status"),
        ("try", 0, "try bal-01"),
        ("oracle-witness", 0, "oracle witness bal-01 ../worse.diff"),
        ("hooks-status", 1, "hooks status"),
        ("hooks-done", 0, "hooks install --dry-run"),
        ("hooks-done", 0, "hooks install --print"),
        ("hooks-done", 0, "hooks install"),
        ("hooks-status", 0, "hooks status"),
        ("doctor", 0, "doctor"),
        ("hooks-done", 0, "hooks uninstall"),
        ("doctor", 1, "doctor"),
        ("setup", 0, "setup"),
        ("setup", 0, "setup --merge-driver"),
        ("reconcile", 1, "reconcile"),
        ("reconcile", 0, "reconcile --dry-run 2026-11-30/0a1b2c3d"),
        (
            "reconcile",
            3,
            "reconcile 2026-11-30/0a1b2c3d 2026-11-30/8c9d0e1f",
        ),
        ("explain", 0, "explain"),
        ("explain", 0, "explain artifact"),
        ("error", 128, "recompute HEAD"),
        ("report", 1, "report"),
        ("decision", 1, "check"),
        ("", 0, image.as_str()),
        ("freeze-add", 0, freeze),
    ] {
        let args: Vec<_> = args
            .split(' ')
            .chain((!name.is_empty()).then_some("--json"))
            .collect();
        let said = repo.reins(&args).expect(code).stdout;
        if !name.is_empty() {
            assert_eq!(
                follows(&said)["schema"],
                format!("git-reins/{name}/1"),
                "{args:?}"
            );
        }
    }
}

fn validator(name: &str) -> Validator {
    let schema: Value = serde_json::from_str(&schema(name).expect("a known name")).expect("JSON");
    jsonschema::validator_for(&schema).expect("a valid schema")
}

/// The compact form that other tools write.
fn oracle() -> Value {
    json!({"schema": "git-reins/oracle/1", "oracles": [{
        "oracle_id": "bal-nonneg-01", "source": "spec/accounts.md#invariants", "sees_diff": false,
        "property": "balance_never_negative", "property_files": [{"path": "props/balance.py", "sha256": SHA}],
        "inputs": "an account and a list of operations", "relation": "the running balance is never negative",
        "witness": "an account that overdraws", "authored_commit": REV,
    }]})
}

fn fixture() -> Value {
    json!({
        "schema": "git-reins/fixture/1", "epoch_id": "epoch-3", "base_rev": REV, "digest_sha256": SHA,
        "runner_image_id": format!("oci-digest:sha256:{SHA}"),
        "files": [{"path": "fixtures/accounts.json", "sha256": SHA, "size": 16}], "residual_risk": [],
    })
}

fn freezes() -> Value {
    json!({"schema": "git-reins/freezes/1", "freezes": [{
        "property_id": "bal-nonneg-01", "seed": "0x9c1e", "base_rev": REV, "fixture_epoch": "epoch-3",
        "observed_on": "base", "expires_at": "2026-12-10", "owner": "patch-review-queue",
        "paths": ["src/account.py"], "quarantine_eligible": true,
        "evidence": {"runs": 3, "outcomes": ["pass", "fail", "pass"], "opened": null},
    }]})
}

fn results() -> Value {
    json!([{"property_id": "a", "status": "pass"}, {"property_id": "parse_diff", "status": "fail", "canary": true}])
}

/// Both the schema and the reader take the compact and the canonical form.
fn accepted<L: Ledger>(name: &str, compact: &Value) {
    let ledger: L = parse(compact.to_string().as_bytes()).expect("a good ledger");
    let canonical: Value = serde_json::from_str(&print(&ledger)).expect("JSON");
    let validator = validator(name);
    for form in [compact, &canonical] {
        let faults: Vec<_> = validator
            .iter_errors(form)
            .map(|fault| fault.to_string())
            .collect();
        assert_eq!(faults, [""; 0], "{form}");
    }
}

#[test]
fn good_files_validate() {
    accepted::<OracleLedger>("oracle", &oracle());
    accepted::<FixtureLedger>("fixture", &fixture());
    accepted::<FreezeLedger>("freezes", &freezes());
    accepted::<FreezeLedger>(
        "freezes",
        &json!({"schema": "git-reins/freezes/1", "freezes": []}),
    );
    assert!(validator("results").is_valid(&results()));
    assert_eq!(
        parse_results(results().to_string().as_bytes())
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn a_decision_validates() {
    let id: OracleId = "bal-nonneg-01".parse().unwrap();
    let details = vec![
        Detail::new(Code::FreezeExpired, "expired", id.as_str())
            .saw("2026-11-29", "today or later"),
    ];
    let decision = Decision {
        schema: DECISION_SCHEMA,
        decision: Decision::outcome_of(&details, &[]),
        refusals: Decision::refusals_of(&details),
        details,
        scored: 1,
        frozen: 0,
        smoke: 0,
        late: 0,
        properties: vec![PropertyStanding {
            property_id: id,
            state: Standing::Scored,
            status: None,
            power: git_reins::model::trial::Power::Claimed,
        }],
        held: Vec::new(),
        warnings: Vec::new(),
        rules: Rules::Full,
        base: Some(REV.parse().unwrap()),
        merge_bases: Vec::new(),
        tip: None,
        patch_commits: Vec::new(),
        blob: None,
        order_evidence: Some(OrderEvidence::Topology),
        verdict_evidence: None,
        today: "2026-11-30".parse().unwrap(),
    };
    let good = serde_json::to_value(&decision).unwrap();
    let validator = validator("decision");
    assert!(validator.is_valid(&good));
    for (pointer, value) in [
        ("/schema", Some(json!("git-reins/decision/2"))),
        ("/refusals", None),
        ("/base", None),
        ("/decision", Some(json!("pass"))),
        ("/details/0/code", Some(json!("NO_SUCH_CODE"))),
    ] {
        assert!(
            !validator.is_valid(&changed(good.clone(), pointer, value)),
            "{pointer}"
        );
    }
}

/// `good` without the member at `pointer`, or with `value` there.
fn changed(mut good: Value, pointer: &str, value: Option<Value>) -> Value {
    let (parent, member) = pointer.rsplit_once('/').expect("a pointer");
    let parent = good
        .pointer_mut(parent)
        .and_then(Value::as_object_mut)
        .expect("an object");
    match value {
        Some(value) => parent.insert(member.to_owned(), value),
        None => parent.remove(member),
    };
    good
}

#[test]
fn bad_files_do_not_validate() {
    let row = "/oracles/0";
    for (name, good, pointer, value) in [
        (
            "oracle",
            oracle(),
            "/schema",
            Some(json!("git-reins/oracle/2")),
        ),
        ("oracle", oracle(), "/oracles", None),
        ("oracle", oracle(), &format!("{row}/sees_diff"), None),
        (
            "oracle",
            oracle(),
            &format!("{row}/sees_diff"),
            Some(json!("false")),
        ),
        ("oracle", oracle(), &format!("{row}/property_files"), None),
        (
            "oracle",
            oracle(),
            &format!("{row}/property_files"),
            Some(json!([])),
        ),
        (
            "oracle",
            oracle(),
            &format!("{row}/property_files/0/sha256"),
            Some(json!("AA")),
        ),
        (
            "oracle",
            oracle(),
            &format!("{row}/oracle_id"),
            Some(json!("-a")),
        ),
        (
            "oracle",
            oracle(),
            &format!("{row}/source"),
            Some(json!("spec/accounts.md")),
        ),
        (
            "oracle",
            oracle(),
            &format!("{row}/property"),
            Some(json!(" ")),
        ),
        ("oracle", oracle(), &format!("{row}/extra"), Some(json!(1))),
        ("fixture", fixture(), "/epoch_id", None),
        ("fixture", fixture(), "/epoch_id", Some(json!("  "))),
        ("fixture", fixture(), "/runner_image_id", None),
        (
            "fixture",
            fixture(),
            "/runner_image_id",
            Some(json!("img-1")),
        ),
        ("fixture", fixture(), "/base_rev", Some(json!("a11ce"))),
        ("fixture", fixture(), "/files", None),
        ("fixture", fixture(), "/files/0/size", Some(json!(-1))),
        ("fixture", fixture(), "/observed_digest", Some(json!(SHA))),
        ("freezes", freezes(), "/freezes/0/expires_at", None),
        (
            "freezes",
            freezes(),
            "/freezes/0/expires_at",
            Some(json!("10 Dec")),
        ),
        (
            "freezes",
            freezes(),
            "/freezes/0/observed_on",
            Some(json!("candidate")),
        ),
        ("freezes", freezes(), "/freezes/0/owner", None),
        (
            "freezes",
            freezes(),
            "/freezes/0/evidence/runs",
            Some(json!(1.5)),
        ),
        ("results", results(), "/0/status", None),
        ("results", results(), "/0/note", Some(json!("x"))),
    ] {
        assert!(
            !validator(name).is_valid(&changed(good, pointer, value)),
            "{name} {pointer}"
        );
    }
}
