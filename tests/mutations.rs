//! Can a damaged ledger crash the readers, or be admitted where a second reader refuses it?
#![expect(
    clippy::unwrap_used,
    reason = "a ledger that cannot be damaged has to stop the test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use git_reins::decide::admit::admit;
use git_reins::decide::evaluation::Evaluation;
use git_reins::decide::facts::{
    BaseRev, CommitFacts, Facts, FileFacts, Held, LineFacts, Material, Own, ParentFacts, Reading,
    Tip, Trials,
};
use git_reins::decide::score::Scores;
use git_reins::ledger::file::{Ledger, parse, print};
use git_reins::ledger::fixture::FixtureLedger;
use git_reins::ledger::freeze::FreezeLedger;
use git_reins::ledger::oracle::OracleLedger;
use git_reins::ledger::results::ResultRow;
use git_reins::model::decision::Outcome;
use git_reins::model::refusal::Code;
use serde_json::Value;

#[path = "models/dice.rs"]
mod dice;
#[path = "models/parts.rs"]
mod parts;
#[path = "models/words.rs"]
mod words;

use dice::Dice;
use parts::{commit, pins, plain, policy};
use words::{member, sha};

const CASES: usize = 10_000;
const TODAY: &str = "2026-03-01";
const ROWS: [&str; 4] = ["row-a", "row-b", "row-c", "row-d"];

// -- good ledgers ----------------------------------------------------------------------------

fn good() -> [String; 3] {
    let row = |id: &str| {
        let digest = sha(id);
        format!(
            r#"{{"oracle_id": "{id}", "source": "spec/a.md#rule", "sees_diff": false, "property": "p", "check": "props",
               "property_files": [{{"path": "properties/{id}.py", "sha256": "{digest}"}}],
               "inputs": "any", "relation": "holds", "witness": "breaks", "cleared_by": "ann"}}"#
        )
    };
    let oracle = format!(
        r#"{{"schema": "{}", "oracles": [{}]}}"#,
        OracleLedger::SCHEMA,
        ROWS.map(row).join(", ")
    );
    let digest = sha("x");
    let fixture = format!(
        r#"{{"schema": "{}", "epoch_id": "e1", "base_rev": "{}", "digest_sha256": "{}",
            "runner_image_id": "nix:/nix/store/abc",
            "files": [{{"path": "fixtures/x", "sha256": "{digest}", "size": 1}}], "residual_risk": ["clocks"]}}"#,
        FixtureLedger::SCHEMA,
        commit(0),
        sha(&format!("{digest}  fixtures/x\n")),
    );
    let freeze = |id: &str, seed: &str| {
        format!(
            r#"{{"property_id": "{id}", "seed": "{seed}", "base_rev": "{}", "fixture_epoch": "e1", "observed_on": "base",
               "expires_at": "2026-03-20", "owner": "ops", "paths": ["src"], "quarantine_eligible": true,
               "evidence": {{"runs": 3, "outcomes": ["pass", "fail", "pass"]}}}}"#,
            commit(0)
        )
    };
    let rows = [freeze("row-c", "7"), freeze("row-d", "9")].join(", ");
    let freezes = format!(
        r#"{{"schema": "{}", "freezes": [{rows}]}}"#,
        FreezeLedger::SCHEMA
    );
    [
        print(&parse::<OracleLedger>(oracle.as_bytes()).unwrap()),
        print(&parse::<FixtureLedger>(fixture.as_bytes()).unwrap()),
        print(&parse::<FreezeLedger>(freezes.as_bytes()).unwrap()),
    ]
}

// -- damage ----------------------------------------------------------------------------------

fn damaged(text: &str, dice: &mut Dice) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + dice.roll(10) / 8 {
        match dice.roll(10) {
            0 => flip(&mut bytes, dice),
            1 => {
                let (from, to) = span(&bytes, dice);
                bytes.drain(from..to);
            }
            2 => {
                let (from, to) = span(&bytes, dice);
                let copy = bytes[from..to].to_vec();
                bytes.splice(to..to, copy);
            }
            3 | 4 => lines(&mut bytes, dice),
            _ => values(&mut bytes, dice),
        }
    }
    bytes
}

fn flip(bytes: &mut [u8], dice: &mut Dice) {
    let (len, bit) = (bytes.len().max(1), dice.roll(8));
    if let Some(byte) = bytes.get_mut(dice.roll(len)) {
        *byte ^= 1 << bit;
    }
}

fn span(bytes: &[u8], dice: &mut Dice) -> (usize, usize) {
    let from = dice.roll(bytes.len() + 1);
    (from, (from + dice.roll(40)).min(bytes.len()))
}

/// Members stand on lines of their own: takes one away, writes one twice, swaps or rewrites one.
fn lines(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let mut lines: Vec<Vec<u8>> = bytes
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let (at, other) = (dice.roll(lines.len()), dice.roll(lines.len()));
    match dice.roll(4) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at].clone()),
        2 => lines.swap(at, other),
        _ => {
            let line = String::from_utf8_lossy(&lines[at]).replace("_", "\\u005f");
            lines.insert(other, line.into_bytes());
        }
    }
    *bytes = lines.join(&b'\n');
}

/// Takes the text as JSON and changes one value in it.
fn values(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let Ok(mut root) = serde_json::from_slice::<Value>(bytes) else {
        return;
    };
    let mut paths = Vec::new();
    pointers(&root, &mut String::new(), &mut paths);
    let path = dice.pick(&paths).clone();
    let (parent, key) = path.rsplit_once('/').unwrap_or_default();
    let kind = dice.roll(3);
    match root.pointer_mut(parent) {
        Some(Value::Object(members)) if kind == 0 => drop(members.remove(key)),
        Some(Value::Array(items)) if kind < 2 && !items.is_empty() => {
            let at = key.parse::<usize>().unwrap_or_default();
            if kind == 0 {
                drop(items.remove(at))
            } else {
                items.push(items[at].clone())
            }
        }
        _ => *root.pointer_mut(&path).unwrap() = other_value(dice),
    }
    *bytes = serde_json::to_vec_pretty(&root).unwrap();
}

fn pointers(value: &Value, here: &mut String, found: &mut Vec<String>) {
    found.push(here.clone());
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| (key.clone(), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, value)| (at.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    for (key, child) in children {
        let len = here.len();
        *here += &format!("/{key}");
        pointers(child, here, found);
        here.truncate(len);
    }
}

fn other_value(dice: &mut Dice) -> Value {
    let values = [
        Value::Null,
        Value::Bool(true),
        Value::Bool(false),
        0.into(),
        1.5.into(),
        "false".into(),
        "".into(),
        " ".into(),
        "row-a".into(),
        "parse_diff".into(),
        "../x".into(),
        "2026-02-28".into(),
        "2026-03-31".into(),
        "2026-04-01".into(),
        "candidate".into(),
        sha("other").to_string().into(),
        Value::Array(Vec::new()),
        Value::Object(serde_json::Map::new()),
    ];
    dice.pick(&values).clone()
}

// -- the second reader -----------------------------------------------------------------------

/// Whether any object of a JSON text repeats a member name, however it is spelled.
fn repeats_a_member(text: &str) -> bool {
    let mut open: Vec<BTreeSet<String>> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        match first {
            '{' | '[' => open.push(BTreeSet::new()),
            '}' | ']' => drop(open.pop()),
            '"' => {
                let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                let Some(Ok(word)) = stream.next() else {
                    return true;
                };
                rest = &rest[stream.byte_offset()..];
                let is_name = rest.trim_start().starts_with(':');
                if is_name && !open.last_mut().is_none_or(|names| names.insert(word)) {
                    return true;
                }
                continue;
            }
            _ => {}
        }
        rest = &rest[first.len_utf8()..];
    }
    false
}

fn word<'v>(row: &'v Value, name: &str) -> Option<&'v str> {
    row.get(name)?
        .as_str()
        .filter(|text| !text.trim().is_empty())
}

fn scores(row: &Value) -> bool {
    ["inputs", "relation", "witness"]
        .iter()
        .all(|name| word(row, name).is_some())
        && row.get("score") != Some(&Value::Bool(false))
}

fn accepts_oracle(ledger: &Value) -> Option<bool> {
    let mut seen = BTreeSet::new();
    let mut good = word(ledger, "schema")? == OracleLedger::SCHEMA;
    for row in ledger.get("oracles")?.as_array()? {
        let id = word(row, "oracle_id")?;
        good &= seen.insert(id.to_lowercase()) && word(row, "property").is_some();
        good &= ROWS.contains(&id) && word(row, "source")? == "spec/a.md#rule";
        good &= matches!(row.get("check"), None | Some(Value::Null))
            || word(row, "check") == Some("props");
        if scores(row) {
            good &= row.get("sees_diff") == Some(&Value::Bool(false));
            let files = row.get("property_files")?.as_array()?;
            let pins = |file: &Value| {
                let named = word(file, "path")
                    .and_then(|path| path.strip_prefix("properties/")?.strip_suffix(".py"));
                named.is_some_and(|id| {
                    ROWS.contains(&id) && word(file, "sha256") == Some(&sha(id).to_string())
                })
            };
            good &= !files.is_empty() && files.iter().all(pins);
        }
    }
    Some(good)
}

/// Any image may be pinned, as long as it has the form.
fn is_store_path(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace) && !text.contains(char::is_control)
}

fn accepts_fixture(ledger: &Value) -> Option<bool> {
    let [file] = ledger.get("files")?.as_array()?.as_slice() else {
        return None;
    };
    let digest = sha(&format!("{}  fixtures/x\n", sha("x"))).to_string();
    Some(
        word(ledger, "schema")? == FixtureLedger::SCHEMA
            && word(ledger, "epoch_id").is_some()
            && word(ledger, "base_rev")? == commit(0).to_string()
            && word(ledger, "digest_sha256")? == digest
            && word(ledger, "runner_image_id")?
                .strip_prefix("nix:")
                .is_some_and(is_store_path)
            && word(file, "path")? == "fixtures/x"
            && word(file, "sha256")? == sha("x").to_string()
            && file.get("size")?.as_u64()? == 1,
    )
}

fn accepts_freezes(ledger: &Value, oracle: &Value, fixture: &Value) -> Option<bool> {
    let mut seen = BTreeSet::new();
    let mut good = word(ledger, "schema")? == FreezeLedger::SCHEMA;
    let rows = oracle.get("oracles")?.as_array()?;
    let is_row = |id: &str| rows.iter().any(|row| word(row, "oracle_id") == Some(id));
    let mut frozen = BTreeSet::new();
    for row in ledger.get("freezes")?.as_array()? {
        let id = word(row, "property_id")?;
        let ends = word(row, "expires_at")?;
        good &= is_row(id) && seen.insert((id, word(row, "seed")?)) && word(row, "owner").is_some();
        good &= ends.len() == 10 && (TODAY..="2026-03-31").contains(&ends);
        good &= word(row, "base_rev") == word(fixture, "base_rev")
            && word(row, "observed_on")? == "base";
        good &= word(row, "fixture_epoch") == word(fixture, "epoch_id");
        frozen.insert(id);
    }
    let scored = rows.iter().filter(|row| scores(row));
    let ids: Vec<_> = scored.filter_map(|row| word(row, "oracle_id")).collect();
    let set_aside = ids.iter().filter(|id| frozen.contains(*id)).count();
    Some(good && set_aside < ids.len() && 2 * set_aside <= ids.len())
}

/// Whether the rules that matter hold in all three ledgers.
fn accepts(texts: &[Vec<u8>; 3]) -> bool {
    let mut values = Vec::new();
    for bytes in texts {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return false;
        };
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            return false;
        };
        if repeats_a_member(text) {
            return false;
        }
        values.push(value);
    }
    let [oracle, fixture, freezes] = values.as_slice() else {
        return false;
    };
    let parts = [
        accepts_oracle(oracle),
        accepts_fixture(fixture),
        accepts_freezes(freezes, oracle, fixture),
    ];
    parts == [Some(true); 3]
}

// -- the facts around the ledgers ------------------------------------------------------------

fn reading<L: Ledger>(bytes: &[u8]) -> Reading<L> {
    match parse(bytes) {
        Ok(ledger) => Reading::Valid(Arc::new(ledger)),
        Err(fault) => Reading::Invalid(fault),
    }
}

fn material(texts: &[Vec<u8>; 3]) -> Arc<Material> {
    let properties = ROWS.map(|id| (format!("properties/{id}.py"), plain(id)));
    Arc::new(Material {
        oracle: reading(&texts[0]),
        fixture: reading(&texts[1]),
        freezes: reading(&texts[2]),
        properties: Arc::new(properties.into()),
        fixtures: Arc::new([("fixtures/x".to_owned(), plain("x"))].into()),
        specs: Arc::new([("spec/a.md".to_owned(), plain("spec"))].into()),
        policy: Some(plain("policy")),
    })
}

/// Facts whose other parts are fine: one patch commit on a base with the same ledgers.
fn facts(texts: &[Vec<u8>; 3]) -> Facts {
    let material = material(texts);
    let named = material
        .fixture
        .valid()
        .and_then(|ledger| ledger.base_rev.clone());
    let base = Held {
        id: commit(0),
        material: material.clone(),
    };
    let parent = ParentFacts {
        id: Some(commit(0)),
        material: material.clone(),
        is_protected: true,
    };
    let file = |text: &str| FileFacts {
        sha256: Some(sha(text)),
        size: u64::try_from(text.len()).unwrap(),
        is_lfs_pointer: false,
        changed_by: None,
    };
    let properties = ROWS.map(|id| (format!("properties/{id}.py"), file(id)));
    let mut files: BTreeMap<String, FileFacts> = properties.into();
    files.insert("fixtures/x".to_owned(), file("x"));
    Facts {
        policy: policy(),
        today: TODAY.parse().unwrap(),
        bases: vec![base.clone()],
        protected: vec![base],
        tip: Tip {
            id: commit(1),
            material: material.clone(),
            files,
            headings: [("spec/a.md".to_owned(), BTreeSet::from(["rule".to_owned()]))].into(),
            strays: Vec::new(),
            base_rev: named.as_ref().map(|_| {
                if named == member(&commit(0).to_string()) {
                    BaseRev::Ancestor
                } else {
                    BaseRev::Unknown
                }
            }),
            touched: BTreeSet::from(["src/lib.rs".to_owned()]),
            unsorted: BTreeSet::new(),
            policy_fault: None,
        },
        commits: vec![CommitFacts {
            id: commit(1),
            parents: vec![parent],
            material,
            own: Own {
                code: Some("src/lib.rs".to_owned()),
                exempt: None,
                human_only: None,
            },
            reverts: None,
        }],
        pins: pins(),
        trials: Trials::default(),
        line: LineFacts::default(),
    }
}

#[test]
fn no_damaged_ledger_is_admitted_that_a_second_reader_refuses() {
    let good = good().map(String::into_bytes);
    let pass = |id: &str| ResultRow {
        property_id: id.to_owned(),
        status: "pass".to_owned(),
        canary: None,
    };
    let results = ROWS.map(pass);
    assert!(accepts(&good));
    assert_eq!(
        admit(&Evaluation::of(facts(&good)), Scores::Given(&results))
            .unwrap()
            .refusals,
        []
    );
    let mut dice = Dice::new(33);
    let (mut admitted, mut wrong, mut strict) = (0, Vec::new(), Vec::new());
    for _ in 0..CASES {
        let mut texts = good.clone();
        let at = dice.roll(3);
        texts[at] = damaged(&String::from_utf8_lossy(&texts[at]), &mut dice);
        let known: Vec<_> = results
            .iter()
            .filter(|one| is_row(&texts[0], &one.property_id))
            .cloned()
            .collect();
        let answer = admit(&Evaluation::of(facts(&texts)), Scores::Given(&known)).unwrap();
        let is_admitted = answer.decision == Outcome::Admit;
        admitted += usize::from(is_admitted);
        let told = || {
            format!(
                "{:?} {}",
                answer.refusals,
                String::from_utf8_lossy(&texts[at])
            )
        };
        if is_admitted && !accepts(&texts) {
            wrong.push(told());
        }
        // The second reader knows no form of optional members, names no unknown ones and takes any path.
        let is_form = answer
            .refusals
            .iter()
            .any(|code| matches!(code, Code::LedgerInvalid | Code::PathUnsafe));
        if !is_admitted && !is_form && accepts(&texts) {
            strict.push(told());
        }
    }
    for (faults, what) in [
        (wrong, "admitted wrongly"),
        (strict, "refused without need"),
    ] {
        let shortest = faults.iter().min_by_key(|text| text.len());
        assert!(
            faults.is_empty(),
            "{} {what}:\n{}",
            faults.len(),
            shortest.unwrap()
        );
    }
    assert!(
        (CASES / 20..=CASES / 2).contains(&admitted),
        "{admitted} admitted"
    );
}

/// Whether the ledger still has the row, so that only the ledger can make the answer worse.
fn is_row(bytes: &[u8], id: &str) -> bool {
    parse::<OracleLedger>(bytes).map_or(true, |ledger| ledger.row(id).is_some())
}
