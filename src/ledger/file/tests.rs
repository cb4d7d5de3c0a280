//! Tests of ledger files: faults name row and field, printed ledgers are read back.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::ledger::field::Field;
use crate::ledger::fixture::{FixtureFile, FixtureLedger};
use crate::ledger::freeze::{FreezeEvidence, FreezeLedger, FreezeRow};
use crate::ledger::oracle::{OracleLedger, OracleRow, PinnedFile};

const SHA: &str = "00000000000000000000000000000000000000000000000000000000000000aa";

fn oracle_row(id: &str) -> Value {
    json!({
        "oracle_id": id, "source": "spec/a.md#invariants", "sees_diff": false, "property": "p",
        "property_files": [{"path": "props/p.py", "sha256": SHA}],
    })
}

fn oracles(rows: &[Value]) -> String {
    json!({"schema": OracleLedger::SCHEMA, "oracles": rows}).to_string()
}

fn oracle_fault(rows: &[Value]) -> LedgerFault {
    parse::<OracleLedger>(oracles(rows).as_bytes()).unwrap_err()
}

/// The fault of a second row in which `member` holds `value`.
fn member_fault(member: &str, value: Value) -> LedgerFault {
    let mut row = oracle_row("b");
    row[member] = value;
    oracle_fault(&[oracle_row("a"), row])
}

fn fixture(files: Value) -> Result<FixtureLedger, LedgerFault> {
    parse(
        json!({"schema": FixtureLedger::SCHEMA, "files": files})
            .to_string()
            .as_bytes(),
    )
}

fn freezes(rows: Value) -> Result<FreezeLedger, LedgerFault> {
    parse(
        json!({"schema": FreezeLedger::SCHEMA, "freezes": rows})
            .to_string()
            .as_bytes(),
    )
}

#[test]
fn rows_are_sorted_and_printed_in_declared_order() {
    let ledger: OracleLedger =
        parse(oracles(&[oracle_row("b"), oracle_row("B2"), oracle_row("a")]).as_bytes()).unwrap();
    let ids: Vec<_> = ledger
        .oracles
        .iter()
        .map(|row| row.oracle_id.as_str())
        .collect();
    assert_eq!(ids, ["B2", "a", "b"]);
    let text = print(&OracleLedger {
        oracles: vec![ledger.oracles[1].clone()],
        ..ledger
    });
    let expected = "{\n  \"schema\": \"git-reins/oracle/1\",\n  \"oracles\": [\n    {\n      \"oracle_id\": \"a\",\n      \"source\": \"spec/a.md#invariants\",\n      \"sees_diff\": false,\n      \"property\": \"p\",\n      \"property_files\": [\n        {\n          \"path\": \"props/p.py\",\n          \"sha256\": \"00000000000000000000000000000000000000000000000000000000000000aa\"\n        }\n      ]\n    }\n  ]\n}\n";
    assert_eq!(text, expected);
    assert_eq!(
        print(
            &parse::<FreezeLedger>(b"{\"schema\":\"git-reins/freezes/1\",\"freezes\":[]}").unwrap()
        ),
        "{\n  \"schema\": \"git-reins/freezes/1\",\n  \"freezes\": []\n}\n"
    );
}

#[test]
fn faults_name_row_and_field() {
    for (member, value, expected) in [
        (
            "source",
            json!(5),
            "row b, field source, line 1: read integer `5`, expected a string",
        ),
        (
            "extra",
            json!(1),
            "row b, field extra, line 1: read an unknown member, expected one of `oracle_id`, `source`, `sees_diff`, `property`, `check`, `property_files`, `inputs`, `relation`, `witness`, `score`, `witness_patch`, `drafted_by`, `cleared_by`, `authored_commit`",
        ),
        (
            "score",
            json!("no"),
            "row b, field score, line 1: read string \"no\", expected a boolean",
        ),
        (
            "property_files",
            json!([{"path": "a", "sha256": SHA, "size": 1}]),
            "row b, field property_files[0].size, line 1: read an unknown member, expected `path` or `sha256`",
        ),
        (
            "property_files",
            json!([{"path": "a"}]),
            "row b, field property_files[0].sha256, line 1: read no such member, expected a value",
        ),
        (
            "property_files",
            json!([["a", SHA]]),
            "row b, field property_files[0], line 1: read sequence, expected an object",
        ),
        (
            "witness_patch",
            json!(["a", SHA]),
            "row b, field witness_patch, line 1: read sequence, expected an object",
        ),
        (
            "property",
            json!(" "),
            "row b, field property: read \" \", expected the name of a property",
        ),
        (
            "source",
            json!("spec/a.md"),
            "row b, field source: read \"spec/a.md\", expected path#anchor, issue:NAME or a URL",
        ),
        (
            "property_files",
            json!([{"path": "a", "sha256": "AA"}]),
            "row b, field property_files[0].sha256: read \"AA\", expected 64 lower-case hex digits",
        ),
        (
            "witness_patch",
            json!({"path": "l/witness/a.diff", "sha256": SHA}),
            "row b, field witness_patch.path: read \"l/witness/a.diff\", expected a path that ends with /witness/b.diff",
        ),
        (
            "oracle_id",
            json!("A"),
            "row A, field oracle_id: read \"A\", expected an id that differs from the row a in more than case",
        ),
        (
            "oracle_id",
            json!("a/b"),
            "row a/b, field oracle_id: read \"a/b\", expected a letter or digit, then at most 63 letters, digits, '.', '_' or '-'",
        ),
        (
            "oracle_id",
            json!(7),
            "row oracles[1], field oracle_id, line 1: read integer `7`, expected a string",
        ),
    ] {
        let fault = member_fault(member, value);
        assert_eq!(
            (fault.to_string().as_str(), fault.kind),
            (expected, FaultKind::Invalid)
        );
    }
    assert_eq!(
        oracle_fault(&[json!(["a", "issue:1", false, "p"])]).to_string(),
        "row oracles[0], line 1: read sequence, expected an object"
    );
}

#[test]
fn unsafe_paths_have_a_kind_of_their_own() {
    let pinned = |path: &str| json!([{"path": "ok", "sha256": SHA}, {"path": path, "sha256": SHA}]);
    for fault in [
        member_fault("property_files", pinned("../x")),
        member_fault("source", json!("a//b#c")),
        member_fault("source", json!("/etc/passwd#c://")),
        member_fault(
            "witness_patch",
            json!({"path": "/witness/b.diff", "sha256": SHA}),
        ),
        fixture(json!([{"path": "a/.git/x", "sha256": SHA, "size": 1}])).unwrap_err(),
        freezes(json!([{"property_id": "b", "paths": ["src", "a\\b"]}])).unwrap_err(),
        freezes(json!([{"evidence": {"runs": 1, "outcomes": [], "opened": ["./a"]}}])).unwrap_err(),
    ] {
        assert_eq!(fault.kind, FaultKind::PathUnsafe, "{fault}");
    }
    let fault = member_fault("property_files", pinned("../x"));
    assert_eq!(
        fault.to_string(),
        "row b, field property_files[1].path: read \"../x\", expected a safe path inside the repository, without a '..' component"
    );
}

#[test]
fn files_of_another_shape_are_refused() {
    let fault = |text: &str| {
        parse::<OracleLedger>(text.as_bytes())
            .unwrap_err()
            .to_string()
    };
    let expected = "expected an object with the schema git-reins/oracle/1; git reins fmt --upgrade rewrites bare shapes";
    assert_eq!(
        fault("[\"git-reins/oracle/1\", []]"),
        format!("read a list, {expected}")
    );
    assert_eq!(
        fault("{}"),
        "field schema, line 1: read no such member, expected a value"
    );
    assert_eq!(
        fault(r#"{"schema": "git-reins/oracle/2", "oracles": []}"#),
        "field schema: read \"git-reins/oracle/2\", expected \"git-reins/oracle/1\""
    );
    assert_eq!(
        fault(r#"{"schema": "git-reins/oracle/1", "oracles": {}}"#),
        "field oracles, line 1: read map, expected a sequence"
    );
    assert_eq!(
        fault("{\n\"a\": 1.0}"),
        "line 2: read 1.0 at column 6, expected an integer of at most 64 bits"
    );
    assert_eq!(
        fault("{\n<<<<<<< HEAD\n}"),
        "line 2: read a conflict marker, expected merged rows: git reins fmt --resolve"
    );
    assert_eq!(
        fault("{\"schema\": \"git-reins/oracle/1\", \"oracles\": null}"),
        "field oracles, line 1: read null, expected a sequence"
    );
}

#[test]
fn repeated_rows_are_refused() {
    let files =
        json!([{"path": "a", "sha256": SHA, "size": 1}, {"path": "a", "sha256": SHA, "size": 2}]);
    assert_eq!(
        fixture(files).unwrap_err().to_string(),
        "row a, field path: read \"a\", expected each file once"
    );
    let rows = json!([{"property_id": "p", "seed": "1"}, {"property_id": "p", "seed": "2"}, {"property_id": "p", "seed": "1"}]);
    assert_eq!(
        freezes(rows).unwrap_err().to_string(),
        "row p 1, field seed: read \"1\", expected one row for each property and seed"
    );
    assert!(freezes(json!([{"property_id": "p"}, {"property_id": "p"}, {}, {}])).is_ok());
}

#[test]
fn members_of_another_type_survive_where_a_decision_wants_to_see_them() {
    for value in [json!("false"), json!(0), json!(-1), json!("")] {
        let mut row = oracle_row("a");
        row["sees_diff"] = value.clone();
        let ledger: OracleLedger = parse(oracles(&[row]).as_bytes()).unwrap();
        assert_eq!(ledger.oracles[0].sees_diff, Some(Field::Other(value)));
        assert_eq!(parse(print(&ledger).as_bytes()), Ok(ledger));
    }
    let list = member_fault("sees_diff", json!([false]));
    assert_eq!(
        list.to_string(),
        "row b, field sees_diff, line 1: read sequence, expected a single value"
    );
    let mut row = oracle_row("a");
    row["sees_diff"] = Value::Null;
    assert_eq!(
        parse::<OracleLedger>(oracles(&[row]).as_bytes())
            .unwrap()
            .oracles[0]
            .sees_diff,
        None
    );
}

#[test]
fn size_grows_with_the_rows_up_to_a_cap() {
    assert_eq!(
        [0, 1, 1000, 1001, 64_000, 64_001, usize::MAX].map(|rows| size_limit(rows) / MIB),
        [1, 1, 1, 2, 64, 64, 64]
    );
    let padded = |spaces: usize| format!("{}{}", oracles(&[oracle_row("a")]), " ".repeat(spaces));
    assert!(parse::<OracleLedger>(padded(900_000).as_bytes()).is_ok());
    let fault = parse::<OracleLedger>(padded(1_100_000).as_bytes()).unwrap_err();
    assert!(
        fault
            .to_string()
            .ends_with("expected at most 1048576 bytes for 1 rows"),
        "{fault}"
    );
}

#[test]
fn rows_are_counted_before_any_is_built() {
    let rows = |count: usize| {
        format!(
            "{{\"schema\":\"git-reins/freezes/1\",\"freezes\":[{{}}{}]}}",
            ",{}".repeat(count - 1)
        )
    };
    assert_eq!(
        parse::<FreezeLedger>(rows(5_000).as_bytes())
            .unwrap()
            .freezes
            .len(),
        5_000
    );
    let fault = parse::<FreezeLedger>(rows(MAX_ROWS + 1).as_bytes()).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "read 250001 rows, expected at most 250000 rows"
    );
}

#[test]
fn the_listed_digest_is_what_sha256sum_prints() {
    let file = |path: &str| FixtureFile {
        path: path.to_owned(),
        sha256: SHA.to_owned(),
        size: 1,
    };
    let ledger = FixtureLedger {
        files: vec![file("b"), file("a")],
        ..fixture(json!([])).unwrap()
    };
    assert_eq!(
        ledger.listed_digest(),
        "3bce7b21dd85bc1932fe0bf8982aad45bbe8f64a32722b3a54bfacf113ddc319"
    );
}

fn field() -> impl Strategy<Value = Option<Field<String>>> {
    prop_oneof![
        Just(None),
        "[ -~é]{0,6}".prop_map(|text| Some(Field::Value(text))),
        any::<i64>().prop_map(|number| Some(Field::Other(number.into()))),
    ]
}

fn text() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[ -~é]{0,6}")
}

fn pinned() -> impl Strategy<Value = PinnedFile> {
    ("[a-z]{1,3}(/[a-z]{1,3}){0,2}", "[0-9a-f]{64}")
        .prop_map(|(path, sha256)| PinnedFile { path, sha256 })
}

prop_compose! {
    fn any_oracle_row()(
        (oracle_id, source, property) in ("[A-Za-z0-9][a-z0-9._-]{0,8}", "(issue:[0-9]{1,3}|a/b\\.md#[a-z]{1,3})", "[ -~]{0,4}[a-z]"),
        sees_diff in prop_oneof![Just(None), any::<bool>().prop_map(|value| Some(Field::Value(value))), Just(Some(Field::Other(json!("false"))))],
        property_files in prop::collection::vec(pinned(), 0..3),
        (check, inputs, relation, witness, score) in (text(), text(), text(), text(), any::<Option<bool>>()),
        (drafted_by, cleared_by, authored_commit) in (text(), text(), text()),
        sha256 in prop::option::of("[0-9a-f]{64}"),
    ) -> OracleRow {
        let witness_patch = sha256.map(|sha256| PinnedFile { path: format!("ledger/witness/{oracle_id}.diff"), sha256 });
        OracleRow { oracle_id, source, sees_diff, property, check, property_files, inputs, relation, witness, score, witness_patch, drafted_by, cleared_by, authored_commit }
    }
}

prop_compose! {
    fn any_freeze_row()(
        (property_id, seed, base_rev, fixture_epoch, observed_on, expires_at, owner) in (field(), field(), field(), field(), field(), field(), field()),
        paths in prop::option::of(prop::collection::vec("[a-z]{1,3}", 0..3)),
        eligible in any::<Option<bool>>(),
        evidence in prop::option::of((any::<u64>(), prop::collection::vec("[a-z]{1,3}", 0..3), prop::option::of(Just(vec!["src/a".to_owned()])))),
    ) -> FreezeRow {
        let quarantine_eligible = eligible.map(Field::Value);
        let evidence = evidence.map(|(runs, outcomes, opened)| FreezeEvidence { runs, outcomes, opened });
        FreezeRow { property_id, seed, base_rev, fixture_epoch, observed_on, expires_at, owner, paths, quarantine_eligible, evidence }
    }
}

/// What is printed is read back as it was, but for the order of rows.
fn survives<L: Ledger + PartialEq + std::fmt::Debug>(ledger: L) {
    let mut sorted = ledger.clone();
    sorted.sort();
    let printed = print(&ledger);
    match ledger.check() {
        Ok(()) => assert_eq!(parse(printed.as_bytes()), Ok(sorted)),
        Err(_) => assert!(parse::<L>(printed.as_bytes()).is_err()),
    }
    assert_eq!(printed, print(&ledger));
}

proptest! {
    #[test]
    fn printed_ledgers_are_read_back(
        oracles in prop::collection::vec(any_oracle_row(), 0..6),
        freezes in prop::collection::vec(any_freeze_row(), 0..6),
        files in prop::collection::btree_map("[a-z]{1,2}(/[a-z]{1,2}){0,2}", ("[0-9a-f]{64}", any::<u64>()), 0..6),
        (epoch_id, base_rev, digest_sha256, runner_image_id) in (field(), field(), field(), field()),
        residual_risk in prop::collection::vec("[ -~]{0,5}", 0..3),
    ) {
        survives(OracleLedger { schema: OracleLedger::SCHEMA.to_owned(), oracles });
        survives(FreezeLedger { schema: FreezeLedger::SCHEMA.to_owned(), freezes });
        let files = files.into_iter().map(|(path, (sha256, size))| FixtureFile { path, sha256, size }).collect();
        survives(FixtureLedger { schema: FixtureLedger::SCHEMA.to_owned(), epoch_id, base_rev, digest_sha256, runner_image_id, files, residual_risk });
    }

    #[test]
    fn damaged_ledgers_never_panic(rows in prop::collection::vec(any_oracle_row(), 0..4), at: prop::sample::Index, byte: u8) {
        let mut bytes = print(&OracleLedger { schema: OracleLedger::SCHEMA.to_owned(), oracles: rows }).into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = parse::<OracleLedger>(&bytes).map_err(|fault| fault.to_string());
    }
}
