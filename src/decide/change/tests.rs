//! Tests that every kind of weakening is seen and that nothing else is called one.

use serde_json::{Value, json};

use super::{fixture, freeze, oracle, policy};
use crate::ledger::fixture::FixtureLedger;
use crate::ledger::freeze::FreezeRow;
use crate::ledger::oracle::OracleRow;
use crate::model::change::Change;
use crate::policy::parse;

/// Changes as `! row field reason before -> after`.
fn told(changes: &[Change]) -> Vec<String> {
    let one = |change: &Change| {
        let sign = if change.weakening { "!" } else { "~" };
        let field = change
            .field
            .as_ref()
            .map(|field| format!(".{field}"))
            .unwrap_or_default();
        let reason = serde_json::to_string(&change.reason).unwrap();
        let state = |state: &Option<String>| state.clone().unwrap_or_else(|| "-".to_owned());
        let states = format!("{} > {}", state(&change.before), state(&change.after));
        format!(
            "{sign} {}{field} {} {states}",
            change.row,
            reason.trim_matches('"')
        )
    };
    changes.iter().map(one).collect()
}

const BASE: &str = r#"schema = 1
[paths]
ledger = "ledger"
history = ".gitreins/history"
properties = ["properties"]
fixtures = ["fixtures"]
specs = ["spec"]
exempt = ["docs"]
human_only = ["src/auth"]
[protect]
base = ["refs/heads/main"]
enforce = ["refs/heads/**"]
[verdict]
require = true
[freeze]
max_days = 30
max_share = 0.5
[judge]
replays = 3
require = ["network"]
power = "witness"
secret_markers = ["ACME"]
secret_allow = ["AKIA"]
public_signature = ["tools/exports", "{before}", "{after}"]
[tier1]
command = ["make"]
tool_budget_s = 120
suite_runtime_s = 390.0
margin = 0.25
max_s = 1200
[foreman]
on_complete = ["done", "{task_id}"]
[[check]]
id = "props"
kind = "property"
preset = "raw"
run = ["run", "{property}"]
seeds = ["7", "8"]
env = { A = "1" }
env_unset = ["CI"]
exit = { pass = [0], fail = [1, 2] }
result = { format = "junit", path = "{result}", require_executed = 2 }
quarantine_eligible = false
timeout = { budget_s = 120, measured_s = 390, margin = 0.25, max_s = 1200 }
network = "deny"
output_max_mib = 64
[[check]]
id = "lint"
kind = "canary"
run = ["lint"]
"#;

fn policy_changes(from: &str, to: &str) -> Vec<String> {
    assert!(BASE.contains(from), "{from}");
    let parsed =
        |text: &str| parse(text.as_bytes()).unwrap_or_else(|fault| panic!("{fault} in {text}"));
    let (before, after) = (parsed(BASE), parsed(&BASE.replacen(from, to, 1)));
    told(&policy::compare(Some(&before), Some(&after)).0)
}

#[test]
fn every_setting_says_which_way_is_weaker() {
    for (from, to, expected) in [
        (
            "ledger = \"ledger\"",
            "ledger = \"books\"",
            "! paths.ledger unclear ledger > books",
        ),
        (
            "history = \".gitreins/history\"",
            "history = \".gitreins/past\"",
            "! paths.history unclear .gitreins/history > .gitreins/past",
        ),
        (
            "properties = [\"properties\"]",
            "properties = []",
            "! paths.properties unclear properties > -",
        ),
        (
            "fixtures = [\"fixtures\"]",
            "fixtures = [\"fixtures\", \"src\"]",
            "! paths.fixtures unclear - > src",
        ),
        (
            "specs = [\"spec\"]",
            "specs = []",
            "! paths.specs unclear spec > -",
        ),
        (
            "exempt = [\"docs\"]",
            "exempt = [\"docs\", \"src\"]",
            "! paths.exempt relaxed - > src",
        ),
        (
            "exempt = [\"docs\"]",
            "exempt = []",
            "~ paths.exempt tightened docs > -",
        ),
        (
            "human_only = [\"src/auth\"]",
            "human_only = []",
            "! paths.human_only relaxed src/auth > -",
        ),
        (
            "human_only = [\"src/auth\"]",
            "human_only = [\"src/auth\", \"src/b\"]",
            "~ paths.human_only tightened - > src/b",
        ),
        (
            "base = [\"refs/heads/main\"]",
            "base = []",
            "! protect.base unclear refs/heads/main > -",
        ),
        (
            "base = [\"refs/heads/main\"]",
            "base = [\"refs/heads/main\", \"refs/heads/x\"]",
            "! protect.base unclear - > refs/heads/x",
        ),
        (
            "enforce = [\"refs/heads/**\"]",
            "enforce = []",
            "! protect.enforce relaxed refs/heads/** > -",
        ),
        (
            "require = true",
            "require = false",
            "! verdict.require relaxed true > false",
        ),
        (
            "max_days = 30",
            "max_days = 90",
            "! freeze.max_days relaxed 30 > 90",
        ),
        (
            "max_days = 30",
            "max_days = 7",
            "~ freeze.max_days tightened 30 > 7",
        ),
        (
            "max_share = 0.5",
            "max_share = 0.75",
            "! freeze.max_share relaxed 0.5 > 0.75",
        ),
        (
            "replays = 3",
            "replays = 1",
            "! judge.replays relaxed 3 > 1",
        ),
        (
            "replays = 3",
            "replays = 5",
            "~ judge.replays tightened 3 > 5",
        ),
        (
            "require = [\"network\"]",
            "require = []",
            "! judge.require relaxed network > -",
        ),
        (
            "require = [\"network\"]",
            "require = [\"network\", \"fixtures\"]",
            "~ judge.require tightened - > fixtures",
        ),
        (
            "power = \"witness\"",
            "power = \"claimed\"",
            "! judge.power relaxed witness > claimed",
        ),
        (
            "secret_markers = [\"ACME\"]",
            "secret_markers = []",
            "! judge.secret_markers relaxed ACME > -",
        ),
        (
            "secret_allow = [\"AKIA\"]",
            "secret_allow = [\"AKIA\", \"x\"]",
            "! judge.secret_allow relaxed - > x",
        ),
        (
            "public_signature = [\"tools/exports\", \"{before}\", \"{after}\"]\n",
            "",
            "! judge.public_signature unclear tools/exports '{before}' '{after}' > -",
        ),
        (
            "command = [\"make\"]",
            "command = [\"true\"]",
            "! tier1.command unclear make > true",
        ),
        (
            "tool_budget_s = 120",
            "tool_budget_s = 240",
            "! tier1.tool_budget_s relaxed 120 > 240",
        ),
        (
            "suite_runtime_s = 390.0",
            "suite_runtime_s = 500.0",
            "! tier1.suite_runtime_s relaxed 390 > 500",
        ),
        (
            "suite_runtime_s = 390.0\n",
            "",
            "~ tier1.suite_runtime_s tightened 390 > -",
        ),
        (
            "margin = 0.25\nmax_s",
            "margin = 0.5\nmax_s",
            "! tier1.margin relaxed 0.25 > 0.5",
        ),
        (
            "max_s = 1200\n",
            "max_s = 2400\n",
            "! tier1.max_s relaxed 1200 > 2400",
        ),
        (
            "on_complete = [\"done\"",
            "on_complete = [\"other\"",
            "! foreman.on_complete unclear done '{task_id}' > other '{task_id}'",
        ),
        (
            "run = [\"run\"",
            "run = [\"true\"",
            "! check props.run unclear run '{property}' > true '{property}'",
        ),
        (
            "preset = \"raw\"",
            "preset = \"go-test\"",
            "! check props.preset unclear raw > go-test",
        ),
        (
            "seeds = [\"7\", \"8\"]",
            "seeds = [\"7\"]",
            "! check props.seeds relaxed 8 > -",
        ),
        (
            "seeds = [\"7\", \"8\"]",
            "seeds = [\"7\", \"8\", \"9\"]",
            "~ check props.seeds tightened - > 9",
        ),
        (
            "env = { A = \"1\" }",
            "env = { A = \"1\", B = \"2\" }",
            "! check props.env unclear - > B=2",
        ),
        (
            "env_unset = [\"CI\"]",
            "env_unset = []",
            "! check props.env_unset unclear CI > -",
        ),
        (
            "pass = [0]",
            "pass = [0, 3]",
            "! check props.exit.pass relaxed - > 3",
        ),
        (
            "fail = [1, 2]",
            "fail = [1, 2, 3]",
            "! check props.exit.fail relaxed - > 3",
        ),
        (
            "fail = [1, 2]",
            "fail = [1]",
            "~ check props.exit.fail tightened 2 > -",
        ),
        (
            "result = { format = \"junit\", path = \"{result}\", require_executed = 2 }\n",
            "",
            "! check props.result unclear junit {result}, at least 2 run > -",
        ),
        (
            "format = \"junit\"",
            "format = \"tap\"",
            "! check props.result.format unclear junit > tap",
        ),
        (
            "path = \"{result}\"",
            "path = \"x\"",
            "! check props.result.path unclear {result} > x",
        ),
        (
            "require_executed = 2",
            "require_executed = 1",
            "! check props.result.require_executed relaxed 2 > 1",
        ),
        (
            "quarantine_eligible = false",
            "quarantine_eligible = true",
            "! check props.quarantine_eligible relaxed false > true",
        ),
        (
            "{ budget_s = 120",
            "{ budget_s = 600",
            "! check props.timeout.budget_s relaxed 120 > 600",
        ),
        (
            "measured_s = 390",
            "measured_s = 900",
            "! check props.timeout.measured_s relaxed 390 > 900",
        ),
        (
            "margin = 0.25, max_s",
            "margin = 0.5, max_s",
            "! check props.timeout.margin relaxed 0.25 > 0.5",
        ),
        (
            "max_s = 1200 }",
            "max_s = 9000 }",
            "! check props.timeout.max_s relaxed 1200 > 9000",
        ),
        (
            "max_s = 1200 }",
            "max_s = 600 }",
            "~ check props.timeout.max_s tightened 1200 > 600",
        ),
        (
            "network = \"deny\"",
            "network = \"allow\"",
            "! check props.network relaxed deny > allow",
        ),
        (
            "output_max_mib = 64",
            "output_max_mib = 65",
            "! check props.output_max_mib relaxed 64 > 65",
        ),
        (
            "[[check]]\nid = \"lint\"\nkind = \"canary\"\nrun = [\"lint\"]\n",
            "",
            "! check lint row-removed - > -",
        ),
        (
            "id = \"lint\"\nkind = \"canary\"",
            "id = \"lint\"\nkind = \"property\"",
            "! check lint.kind unclear canary > property",
        ),
    ] {
        assert_eq!(policy_changes(from, to), [expected], "{to}");
    }
}

#[test]
fn a_policy_that_says_the_same_otherwise_has_not_changed() {
    assert_eq!(policy_changes("max_days = 30\n", "# a month\n"), [""; 0]);
    let policy = parse(BASE.as_bytes()).unwrap();
    assert_eq!(
        told(&policy::compare(Some(&policy), None).0),
        ["! .gitreins/reins.toml file-removed - > -"]
    );
    assert_eq!(
        told(&policy::compare(None, Some(&policy)).0),
        ["~ .gitreins/reins.toml file-added - > -"]
    );
}

const SHA: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn edited(mut row: Value, edit: Value) -> Value {
    for (name, value) in edit.as_object().unwrap() {
        match value.is_null() {
            true => drop(row.as_object_mut().unwrap().remove(name)),
            false => row[name] = value.clone(),
        }
    }
    row
}

fn row(edit: Value) -> OracleRow {
    let row = json!({
        "oracle_id": "a", "source": "spec/a.md#a", "sees_diff": false, "property": "p",
        "property_files": [{"path": "p/a.py", "sha256": SHA}],
        "inputs": "i", "relation": "r", "witness": "w", "authored_commit": "x",
    });
    serde_json::from_value(edited(row, edit)).unwrap()
}

fn rows_told(before: Value, after: Value) -> Vec<String> {
    told(&oracle::compare(&[row(before)], &[row(after)]).0)
}

#[test]
fn every_field_of_an_oracle_row_has_its_meaning() {
    let other = SHA.replace('0', "f");
    for (before, after, expected) in [
        (json!({}), json!({"authored_commit": "y"}), &[][..]),
        (
            json!({}),
            json!({"relation": "s"}),
            &["! a.relation text-edited r > s"],
        ),
        (
            json!({}),
            json!({"source": "issue:1"}),
            &["! a.source text-edited spec/a.md#a > issue:1"],
        ),
        (
            json!({}),
            json!({"property": "q"}),
            &["! a.property text-edited p > q"],
        ),
        (
            json!({}),
            json!({"check": "c"}),
            &["! a.check text-edited - > c"],
        ),
        (
            json!({}),
            json!({"drafted_by": "m"}),
            &["! a.drafted_by field-changed - > m"],
        ),
        (
            json!({}),
            json!({"cleared_by": "m"}),
            &["! a.cleared_by field-changed - > m"],
        ),
        (
            json!({"sees_diff": true}),
            json!({"cleared_by": "m"}),
            &["! a.sees_diff sees-diff-cleared true > false"],
        ),
        (
            json!({}),
            json!({"sees_diff": "false"}),
            &["! a.sees_diff sees-diff-set false > \"false\""],
        ),
        (
            json!({}),
            json!({"sees_diff": null}),
            &["! a.sees_diff sees-diff-set false > -"],
        ),
        (
            json!({}),
            json!({"witness": null}),
            &["! a score-lost - > -", "! a.witness text-edited w > -"],
        ),
        (
            json!({}),
            json!({"score": false}),
            &["! a score-lost - > -", "! a.score field-changed - > false"],
        ),
        (
            json!({"score": false}),
            json!({}),
            &[
                "~ a score-gained - > -",
                "~ a.score field-changed false > -",
            ],
        ),
        (
            json!({"score": false}),
            json!({"score": false, "inputs": "j"}),
            &["~ a.inputs text-edited i > j"],
        ),
        (
            json!({}),
            json!({"property_files": [{"path": "p/a.py", "sha256": other}]}),
            &[&format!(
                "! a.property_files digest-changed p/a.py {SHA} > p/a.py {other}"
            )],
        ),
        (
            json!({}),
            json!({"property_files": [{"path": "p/a.py", "sha256": SHA}, {"path": "p/b.py", "sha256": SHA}]}),
            &[&format!(
                "~ a.property_files digest-changed - > p/b.py {SHA}"
            )],
        ),
        (
            json!({}),
            json!({"property_files": [{"path": "p/0.py", "sha256": SHA}, {"path": "p/a.py", "sha256": SHA}]}),
            &[
                &format!("~ a.property_files digest-changed - > p/0.py {SHA}"),
                "! a.property_files text-edited p/a.py > p/0.py",
            ],
        ),
        (
            json!({}),
            json!({"witness_patch": {"path": "l/witness/a.diff", "sha256": SHA}}),
            &[&format!(
                "~ a.witness_patch digest-changed - > l/witness/a.diff {SHA}"
            )],
        ),
        (
            json!({"witness_patch": {"path": "l/witness/a.diff", "sha256": SHA}}),
            json!({}),
            &[&format!(
                "! a.witness_patch digest-changed l/witness/a.diff {SHA} > -"
            )],
        ),
    ] {
        assert_eq!(rows_told(before, after.clone()), expected, "{after}");
    }
}

#[test]
fn rows_come_and_go() {
    let (old, new) = (
        row(json!({})),
        row(json!({"oracle_id": "b", "drafted_by": "m", "cleared_by": "c"})),
    );
    let smoke = row(json!({"oracle_id": "c", "score": false}));
    let (changes, same) = oracle::compare(&[old, smoke.clone()], &[new]);
    assert_eq!(
        told(&changes),
        [
            "! a row-removed spec/a.md#a > -",
            "~ b row-added - > spec/a.md#a",
            "! b.sees_diff sees-diff-cleared drafted by m > false",
            "~ c row-removed spec/a.md#a > -",
        ]
    );
    assert_eq!(changes[2].cleared_by.as_deref(), Some("c"));
    assert_eq!(same, 0);
    assert_eq!(
        oracle::compare(std::slice::from_ref(&smoke), std::slice::from_ref(&smoke)).1,
        1
    );
}

fn frozen(edit: Value) -> FreezeRow {
    let row = json!({
        "property_id": "a", "seed": "7", "base_rev": "0", "fixture_epoch": "one", "observed_on": "base",
        "expires_at": "2026-11-30", "owner": "queue", "paths": ["src", "lib"], "quarantine_eligible": false,
    });
    serde_json::from_value(edited(row, edit)).unwrap()
}

#[test]
fn every_field_of_a_freeze_has_its_meaning() {
    for (edit, expected) in [
        (json!({"base_rev": "1", "fixture_epoch": "two"}), &[][..]),
        (
            json!({"expires_at": "2026-12-10"}),
            &["! a 7.expires_at expiry-extended 2026-11-30 > 2026-12-10"],
        ),
        (
            json!({"expires_at": "2026-11-29"}),
            &["~ a 7.expires_at expiry-shortened 2026-11-30 > 2026-11-29"],
        ),
        (
            json!({"expires_at": "never"}),
            &["! a 7.expires_at field-changed 2026-11-30 > never"],
        ),
        (
            json!({"expires_at": null}),
            &["! a 7.expires_at field-changed 2026-11-30 > -"],
        ),
        (
            json!({"owner": "me"}),
            &["! a 7.owner owner-changed queue > me"],
        ),
        (
            json!({"owner": 5}),
            &["! a 7.owner owner-changed queue > 5 (no text)"],
        ),
        (
            json!({"paths": ["src"]}),
            &["~ a 7.paths field-changed src\nlib > src"],
        ),
        (
            json!({"paths": ["src", "lib", "x"]}),
            &["! a 7.paths field-changed src\nlib > src\nlib\nx"],
        ),
        (
            json!({"quarantine_eligible": true}),
            &["! a 7.quarantine_eligible field-changed false > true"],
        ),
        (
            json!({"quarantine_eligible": null}),
            &["~ a 7.quarantine_eligible field-changed false > -"],
        ),
        (
            json!({"observed_on": "tip"}),
            &["! a 7.observed_on field-changed base > tip"],
        ),
        (
            json!({"seed": "8"}),
            &[
                "~ a 7 row-removed until 2026-11-30, owner queue > -",
                "! a 8 freeze-added - > until 2026-11-30, owner queue",
            ],
        ),
    ] {
        assert_eq!(
            told(&freeze::compare(&[frozen(json!({}))], &[frozen(edit.clone())]).0),
            expected,
            "{edit}"
        );
    }
}

fn epoch(edit: Value) -> FixtureLedger {
    let ledger = json!({
        "schema": FixtureLedger::SCHEMA, "epoch_id": "one", "base_rev": "0", "digest_sha256": "d",
        "runner_image_id": "i:1", "files": [{"path": "f/a", "sha256": SHA, "size": 1}],
        "residual_risk": ["clock"],
    });
    serde_json::from_value(edited(ledger, edit)).unwrap()
}

#[test]
fn every_field_of_the_fixture_ledger_has_its_meaning() {
    for (edit, expected) in [
        (
            json!({"epoch_id": "two"}),
            vec!["~ epoch.epoch_id field-changed one > two".to_owned()],
        ),
        (
            json!({"base_rev": "1"}),
            vec!["~ epoch.base_rev field-changed 0 > 1".to_owned()],
        ),
        (
            json!({"digest_sha256": "e"}),
            vec!["! epoch.digest_sha256 digest-changed d > e".to_owned()],
        ),
        (
            json!({"runner_image_id": null}),
            vec!["! epoch.runner_image_id image-changed i:1 > -".to_owned()],
        ),
        (
            json!({"residual_risk": []}),
            vec!["! epoch.residual_risk field-changed clock > -".to_owned()],
        ),
        (
            json!({"residual_risk": ["clock", "net"]}),
            vec!["~ epoch.residual_risk field-changed clock > clock\nnet".to_owned()],
        ),
        (
            json!({"files": []}),
            vec![format!("! f/a row-removed {SHA}, 1 bytes > -")],
        ),
        (
            json!({"files": [{"path": "f/a", "sha256": SHA, "size": 2}, {"path": "f/b", "sha256": SHA, "size": 1}]}),
            vec![
                format!("! f/a digest-changed {SHA}, 1 bytes > {SHA}, 2 bytes"),
                format!("~ f/b row-added - > {SHA}, 1 bytes"),
            ],
        ),
    ] {
        let (changes, _) = fixture::compare(Some(&epoch(json!({}))), Some(&epoch(edit.clone())));
        assert_eq!(told(&changes), expected, "{edit}");
    }
}
