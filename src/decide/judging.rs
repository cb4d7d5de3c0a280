//! Works out the material that judges a range: what base holds, and what has landed since.
//!
//! An item is a row, a file, the policy entry or the fixture ledger. An item that tip holds as the
//! protected line holds it has landed there under its own review, so the line's state judges.
//! Every other item is judged in the state that base holds. See section 3 of the contract.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::facts::{Listing, Material, Reading};
use crate::ledger::freeze::{FreezeLedger, FreezeRow};
use crate::ledger::oracle::{OracleLedger, OracleRow};

/// The material that judges a range from `base` to `tip` which would land on `line`.
pub fn material(base: &Arc<Material>, line: Option<&Material>, tip: &Material) -> Arc<Material> {
    let Some(line) = line else {
        return Arc::clone(base);
    };
    let has_landed = same_reading(&line.fixture, &tip.fixture);
    Arc::new(Material {
        oracle: oracle(&base.oracle, &line.oracle, &tip.oracle),
        fixture: if has_landed {
            &tip.fixture
        } else {
            &base.fixture
        }
        .clone(),
        freezes: freezes(&base.freezes, &line.freezes, &tip.freezes),
        properties: listing(&base.properties, &line.properties, &tip.properties),
        fixtures: listing(&base.fixtures, &line.fixtures, &tip.fixtures),
        specs: listing(&base.specs, &line.specs, &tip.specs),
        policy: if line.policy == tip.policy {
            tip.policy
        } else {
            base.policy
        },
        signers: if line.signers == tip.signers {
            tip.signers
        } else {
            base.signers
        },
    })
}

/// Entries of base, but for those that tip holds (or lacks) as the line does.
fn listing(base: &Arc<Listing>, line: &Listing, tip: &Listing) -> Arc<Listing> {
    if **base == *line || **base == *tip {
        return Arc::clone(base);
    }
    let paths: BTreeSet<&String> = base.keys().chain(tip.keys()).collect();
    let entry = |path: &String| {
        let now = tip.get(path);
        let judges = if line.get(path) == now {
            now
        } else {
            base.get(path)
        };
        judges.map(|state| (path.clone(), *state))
    };
    Arc::new(paths.into_iter().filter_map(entry).collect())
}

fn same_reading<L: PartialEq>(one: &Reading<L>, other: &Reading<L>) -> bool {
    match (one, other) {
        (Reading::Missing, Reading::Missing) => true,
        (Reading::Valid(one), Reading::Valid(other)) => one == other,
        (Reading::Missing | Reading::Invalid(_) | Reading::Valid(_), _) => false,
    }
}

fn oracle(
    base: &Reading<OracleLedger>,
    line: &Reading<OracleLedger>,
    tip: &Reading<OracleLedger>,
) -> Reading<OracleLedger> {
    let sides = [base, line, tip].map(|side| side.valid().map(|ledger| ledger.oracles.as_slice()));
    match merge(sides, |row| row.oracle_id.as_str(), OracleRow::same_state) {
        None => base.clone(),
        Some(oracles) => Reading::Valid(Arc::new(OracleLedger {
            schema: OracleLedger::SCHEMA.to_owned(),
            oracles,
        })),
    }
}

fn freezes(
    base: &Reading<FreezeLedger>,
    line: &Reading<FreezeLedger>,
    tip: &Reading<FreezeLedger>,
) -> Reading<FreezeLedger> {
    let sides = [base, line, tip].map(|side| side.valid().map(|ledger| ledger.freezes.as_slice()));
    match merge(sides, FreezeRow::key, FreezeRow::same_state) {
        None => base.clone(),
        Some(freezes) => Reading::Valid(Arc::new(FreezeLedger {
            schema: FreezeLedger::SCHEMA.to_owned(),
            freezes,
        })),
    }
}

/// Rows of base, but for those that tip holds (or lacks) as the line does; `None` where base's
/// rows judge as they are, or where the rows of the line or of tip are not known.
///
/// A base without a ledger holds no row: a branch that forked before adoption and merged the line.
fn merge<'a, R: Clone + PartialEq, K: Ord>(
    [base, line, tip]: [Option<&'a [R]>; 3],
    key: impl Fn(&'a R) -> K,
    same: impl Fn(&R, &R) -> bool,
) -> Option<Vec<R>> {
    let (line, tip) = (line?, tip?);
    if base == Some(line) || base == Some(tip) {
        return None;
    }
    let index =
        |rows: &'a [R]| -> BTreeMap<K, &'a R> { rows.iter().map(|row| (key(row), row)).collect() };
    let [base, line, mut tip] = [base.unwrap_or_default(), line, tip].map(index);
    let agrees = |key: &K, now: Option<&R>| match (line.get(key), now) {
        (Some(one), Some(other)) => same(one, other),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    tip.retain(|key, row| base.contains_key(key) || agrees(key, Some(row)));
    for (key, row) in base {
        if !agrees(&key, tip.get(&key).copied()) {
            tip.insert(key, row);
        }
    }
    Some(tip.into_values().cloned().collect())
}

/// The rows in force: those that judge, and those that the range brings, by id.
///
/// A smoke row that tip scores is one that the range brings. The flag says which rows are new.
pub fn rows<'a>(
    judging: &'a Material,
    tip: &'a Material,
) -> BTreeMap<&'a str, (&'a OracleRow, bool)> {
    let ours = judging.oracle_rows().iter();
    let mut rows: BTreeMap<_, _> = ours
        .map(|row| (row.oracle_id.as_str(), (row, false)))
        .collect();
    for row in tip.oracle_rows() {
        let held = rows.get(row.oracle_id.as_str()).map(|(row, _)| *row);
        if held.is_none_or(|held| !held.scores() && row.scores()) {
            rows.insert(&row.oracle_id, (row, true));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::file::parse;
    use crate::model::ids::{EntryState, ObjectId};

    fn state(byte: u8) -> EntryState {
        let id: ObjectId = format!("{byte:02x}").repeat(20).parse().unwrap();
        EntryState {
            mode: EntryState::PLAIN,
            id,
        }
    }

    fn with(rows: &[(&str, &str)], files: &[(&str, u8)]) -> Material {
        let row = |(id, property): &(&str, &str)| {
            format!(
                r#"{{"oracle_id": "{id}", "source": "issue:1", "sees_diff": false, "property": "{property}", "inputs": "i", "relation": "r", "witness": "w"}}"#
            )
        };
        let rows: Vec<_> = rows.iter().map(row).collect();
        let text = format!(
            r#"{{"schema": "git-reins/oracle/1", "oracles": [{}]}}"#,
            rows.join(",")
        );
        let files = files
            .iter()
            .map(|(path, byte)| ((*path).to_owned(), state(*byte)));
        Material {
            oracle: Reading::Valid(Arc::new(parse(text.as_bytes()).unwrap())),
            fixture: Reading::Missing,
            freezes: Reading::Missing,
            properties: Arc::new(files.collect()),
            fixtures: Arc::default(),
            specs: Arc::default(),
            policy: None,
            signers: None,
        }
    }

    fn shown(material: &Material) -> (Vec<(String, String)>, Vec<(String, EntryState)>) {
        let rows = material.oracle_rows().iter();
        let files = material.properties.iter();
        (
            rows.map(|row| (row.oracle_id.clone(), row.property.clone()))
                .collect(),
            files.map(|(path, state)| (path.clone(), *state)).collect(),
        )
    }

    #[test]
    fn what_tip_holds_as_the_line_does_judges_as_the_line_holds_it() {
        let base = Arc::new(with(
            &[("a", "1"), ("b", "1"), ("c", "1")],
            &[("p/a", 1), ("p/b", 1), ("p/c", 1)],
        ));
        let line = with(
            &[("a", "2"), ("b", "2"), ("d", "1")],
            &[("p/a", 2), ("p/b", 2), ("p/d", 1)],
        );
        let tip = with(
            &[("a", "2"), ("b", "3"), ("d", "1"), ("e", "1")],
            &[("p/a", 2), ("p/b", 3), ("p/d", 1), ("p/e", 1)],
        );
        let judging = material(&base, Some(&line), &tip);
        let wanted = with(
            &[("a", "2"), ("b", "1"), ("d", "1")],
            &[("p/a", 2), ("p/b", 1), ("p/d", 1)],
        );
        assert_eq!(shown(&judging), shown(&wanted));
    }

    #[test]
    fn without_a_line_base_judges() {
        let base = Arc::new(with(&[("a", "1")], &[]));
        assert!(Arc::ptr_eq(&material(&base, None, &with(&[], &[])), &base));
    }

    #[test]
    fn rows_that_the_range_brings_are_in_force_beside_those_that_judge() {
        let (judging, tip) = (
            with(&[("a", "1")], &[]),
            with(&[("a", "2"), ("b", "1")], &[]),
        );
        let rows = rows(&judging, &tip);
        let rows: Vec<_> = rows
            .values()
            .map(|(row, is_new)| (row.property.as_str(), *is_new))
            .collect();
        assert_eq!(rows, [("1", false), ("1", true)]);
    }
}
