//! Is a merge by row what an independent model says? Rows are JSON values here, and a merge is two
//! sets of edits.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::dice::Dice;
use crate::support::{BINARY, Repo};

/// Each row by a name; what is not a row of a snapshot has a name too.
type Model = BTreeMap<String, Value>;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Oracle,
    Freezes,
    Fixture,
}

impl Kind {
    fn file(self) -> &'static str {
        match self {
            Self::Oracle => "oracle.json",
            Self::Freezes => "freezes.json",
            Self::Fixture => "fixture.json",
        }
    }

    fn row(self, at: usize, version: usize) -> (String, Value) {
        match self {
            Self::Oracle => (
                format!("id-{at}"),
                json!({"oracle_id": format!("id-{at}"), "source": "issue:1", "property": format!("p{version}")}),
            ),
            Self::Freezes => {
                let (property, seed) = (format!("p{}", at / 3), format!("s{}", at % 3));
                (
                    format!("{property} {seed}"),
                    json!({"property_id": property, "seed": seed, "expires_at": format!("2026-12-{:02}", version + 1)}),
                )
            }
            Self::Fixture => (
                format!("f/{at}"),
                json!({"path": format!("f/{at}"), "sha256": format!("{version:064x}"), "size": version}),
            ),
        }
    }

    /// A ledger in a form that is not canonical.
    fn written(self, model: &Model) -> String {
        let rows: Vec<&Value> = model
            .iter()
            .filter(|(name, _)| !is_part(name))
            .map(|(_, row)| row)
            .rev()
            .collect();
        let value = match self {
            Self::Oracle => json!({"schema": "git-reins/oracle/1", "oracles": rows}),
            Self::Freezes => json!({"schema": "git-reins/freezes/1", "freezes": rows}),
            Self::Fixture => {
                let mut all = model["the snapshot"].as_object().unwrap().clone();
                all.insert("schema".to_owned(), json!("git-reins/fixture/1"));
                all.insert("files".to_owned(), json!(rows));
                all.insert("residual_risk".to_owned(), model["residual_risk"].clone());
                Value::Object(all)
            }
        };
        value.to_string()
    }

    fn read(self, text: &str) -> Model {
        let all: Map<String, Value> = serde_json::from_str(text).unwrap();
        let (list, name): (&str, fn(&Value) -> String) = match self {
            Self::Oracle => ("oracles", |row| text_of(row, "oracle_id")),
            Self::Freezes => ("freezes", |row| {
                format!("{} {}", text_of(row, "property_id"), text_of(row, "seed"))
            }),
            Self::Fixture => ("files", |row| text_of(row, "path")),
        };
        let mut model: Model = all[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (name(row), row.clone()))
            .collect();
        if matches!(self, Self::Fixture) {
            let names = ["epoch_id", "digest_sha256"];
            let part: Map<_, _> = names
                .iter()
                .map(|name| ((*name).to_owned(), all[*name].clone()))
                .collect();
            model.insert("the snapshot".to_owned(), Value::Object(part));
            model.insert("residual_risk".to_owned(), all["residual_risk"].clone());
        }
        model
    }
}

fn text_of(row: &Value, member: &str) -> String {
    row[member].as_str().unwrap().to_owned()
}

fn is_part(name: &str) -> bool {
    name == "the snapshot" || name == "residual_risk"
}

/// Pins what is listed, under the name of an epoch.
fn pin(model: &mut Model, epoch: usize) {
    let lines = model.iter().filter(|(name, _)| !is_part(name));
    let lines: String = lines
        .map(|(path, row)| format!("{}  {path}\n", text_of(row, "sha256")))
        .collect();
    let digest: String = Sha256::digest(lines.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    model.insert(
        "the snapshot".to_owned(),
        json!({"epoch_id": format!("e{epoch}"), "digest_sha256": digest}),
    );
    model.entry("residual_risk".to_owned()).or_insert(json!([]));
}

/// A version with some rows of another one added, edited or removed.
fn edited(kind: Kind, before: &Model, dice: &mut Dice) -> Model {
    let mut model = before.clone();
    for _ in 0..dice.roll(4) {
        let (name, row) = kind.row(dice.roll(9), dice.roll(3));
        if dice.roll(3) == 0 {
            model.remove(&name)
        } else {
            model.insert(name, row)
        };
    }
    if matches!(kind, Kind::Fixture) {
        let is_moved = model != *before;
        if is_moved || before.is_empty() {
            pin(&mut model, dice.roll(1000));
        }
        if dice.roll(3) == 0 {
            model.insert(
                "residual_risk".to_owned(),
                json!([dice.pick(&["clock", "network", "index"])]),
            );
        }
    }
    model
}

/// What a version does to another one.
fn edits(before: &Model, after: &Model) -> BTreeMap<String, Option<Value>> {
    let mut edits: BTreeMap<_, _> = before.keys().map(|name| (name.clone(), None)).collect();
    edits.extend(
        after
            .iter()
            .map(|(name, row)| (name.clone(), Some(row.clone()))),
    );
    edits.retain(|name, row| before.get(name) != row.as_ref());
    edits
}

/// Both sets of edits on the base, or the names that both of them edit in different ways.
fn expected(base: &Model, ours: &Model, theirs: &Model) -> Result<Model, Vec<String>> {
    let (ours, theirs) = (edits(base, ours), edits(base, theirs));
    let is_contested = |name: &&String| theirs.get(*name).is_some_and(|edit| *edit != ours[*name]);
    let contested: Vec<_> = ours.keys().filter(is_contested).cloned().collect();
    if !contested.is_empty() {
        return Err(contested);
    }
    let mut merged = base.clone();
    for (name, edit) in ours.into_iter().chain(theirs) {
        match edit {
            Some(row) => merged.insert(name, row),
            None => merged.remove(&name),
        };
    }
    Ok(merged)
}

#[test]
fn two_hundred_and_ten_merges_are_what_the_model_says() {
    let repo = Repo::under_reins();
    let mut dice = Dice::new(0x6d);
    let (mut clean, mut contested) = (0, 0);
    for at in 0..210 {
        let kind = [Kind::Oracle, Kind::Freezes, Kind::Fixture][at % 3];
        let base = edited(
            kind,
            &edited(kind, &edited(kind, &Model::new(), &mut dice), &mut dice),
            &mut dice,
        );
        let (ours, theirs) = (
            edited(kind, &base, &mut dice),
            edited(kind, &base, &mut dice),
        );
        for (name, model) in [("base", &base), ("ours", &ours), ("theirs", &theirs)] {
            fs::write(repo.path(name), kind.written(model)).unwrap();
        }
        let ledger = format!("ledger/{}", kind.file());
        let mut command = repo.command(BINARY, &repo.path(""));
        let args = [
            "merge-driver",
            "--",
            "base",
            "ours",
            "theirs",
            "7",
            &ledger,
            "base",
            "HEAD",
            "topic",
        ];
        let run = repo.captured(command.args(args).output().unwrap());
        match expected(&base, &ours, &theirs) {
            Ok(merged) => {
                let run = run.expect(0);
                let text = run.stdout.strip_suffix("reins-merged").unwrap();
                assert_eq!(kind.read(text), merged, "case {at}");
                repo.write(&ledger, text);
                let _ = repo.reins(&["fmt", "--check"]).expect(0);
                clean += 1;
            }
            Err(names) => {
                let run = run.expect(1);
                let text = run.stdout.strip_suffix("reins-conflict").unwrap();
                let opened = text
                    .lines()
                    .filter_map(|line| line.strip_prefix("<<<<<<< HEAD (reins: "));
                let mut open: Vec<_> = opened
                    .flat_map(|rows| rows.trim_end_matches(')').split(", "))
                    .collect();
                open.sort_unstable();
                assert_eq!(open, names, "case {at}: {run}");
                contested += 1;
            }
        }
    }
    assert!(
        clean > 60 && contested > 40,
        "{clean} clean, {contested} contested"
    );
}
