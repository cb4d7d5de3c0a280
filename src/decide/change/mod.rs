//! Compares ledgers and policy in meaning and tells what is weaker.
//!
//! Rows are compared by key, fields one by one. A change that nobody has classified weakens.

mod checks;
mod course;
mod fixture;
mod freeze;
mod member;
mod oracle;
mod origin;
mod pairs;
mod policy;
mod settings;
mod word_diff;

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::facts::{Material, Reading};
use crate::ledger::file::Ledger;
use crate::model::change::{Area, Change, Kind, Reason, Unchanged};
use crate::policy::{POLICY_PATH, Policy};

pub use course::{Course, extended};
pub use freeze::name as freeze_name;

/// One side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The policy in its tree.
    pub policy: Option<&'a Policy>,
    /// Its ledgers and property files.
    pub material: &'a Material,
}

/// The changes between two sides, those that weaken first, and what is the same.
pub fn compare(before: &Side<'_>, after: &Side<'_>) -> (Vec<Change>, Unchanged) {
    let (mut changes, mut unchanged) = compare_material(before.material, after.material);
    let (settings, same) = policy::compare(before.policy, after.policy);
    unchanged.policy = same;
    if settings.is_empty() && before.material.policy != after.material.policy {
        let respelled = Change::new(Area::Policy, POLICY_PATH, Kind::Changed, Reason::Respelled);
        changes.push(respelled.harmless_if(true));
    }
    changes.extend(settings);
    sort(&mut changes);
    (changes, unchanged)
}

/// Those of the rows and of the property files alone.
pub fn compare_material(before: &Material, after: &Material) -> (Vec<Change>, Unchanged) {
    let mut unchanged = Unchanged::default();
    let mut changes = Vec::new();
    changes.extend(file(Area::Oracle, &before.oracle, &after.oracle));
    changes.extend(file(Area::Freezes, &before.freezes, &after.freezes));
    changes.extend(file(Area::Fixture, &before.fixture, &after.fixture));
    let mut add = |(more, same): (Vec<Change>, usize)| {
        changes.extend(more);
        same
    };
    if !same_reading(&before.oracle, &after.oracle) {
        unchanged.oracle = add(oracle::compare(before.oracle_rows(), after.oracle_rows()));
    } else {
        unchanged.oracle = after.oracle_rows().len();
    }
    unchanged.freezes = add(freeze::compare(before.freeze_rows(), after.freeze_rows()));
    unchanged.fixture = add(fixture::compare(
        before.fixture.valid(),
        after.fixture.valid(),
    ));
    unchanged.properties = add(properties(before, after));
    sort(&mut changes);
    (changes, unchanged)
}

/// Those that weaken first, then by place.
pub fn sort(changes: &mut [Change]) {
    changes.sort_by(|a, b| (Reverse(a.weakening), a).cmp(&(Reverse(b.weakening), b)));
}

/// Whether both sides read the very same ledger, so that many rows need no look.
fn same_reading<L>(before: &Reading<L>, after: &Reading<L>) -> bool {
    match (before.valid(), after.valid()) {
        (Some(before), Some(after)) => std::ptr::eq(before, after),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// That a ledger came or went as a whole: an empty one says something, a missing one does not.
fn file<L: Ledger>(area: Area, before: &Reading<L>, after: &Reading<L>) -> Option<Change> {
    let change = |kind, reason| Change::new(area, L::NAME.file_name(), kind, reason);
    match (before, after) {
        (Reading::Missing, Reading::Missing) => None,
        (Reading::Missing, Reading::Valid(_) | Reading::Invalid(_)) => {
            Some(change(Kind::Added, Reason::FileAdded).harmless_if(true))
        }
        (Reading::Valid(_) | Reading::Invalid(_), Reading::Missing) => {
            Some(change(Kind::Removed, Reason::FileRemoved))
        }
        (Reading::Valid(_) | Reading::Invalid(_), Reading::Valid(_) | Reading::Invalid(_)) => None,
    }
}

/// The files that properties are made of or load, pinned by a row or not. A new one weakens nothing
/// when a new row is made of it; any other may be loaded by what was there: a harness file, say.
fn properties(before: &Material, after: &Material) -> (Vec<Change>, usize) {
    let change = |path: &str, kind, reason| Change::new(Area::Properties, path, kind, reason);
    let (mut changes, mut same) = (Vec::new(), 0);
    for (path, state) in before.properties.iter() {
        match after.properties.get(path) {
            Some(other) if other == state => same += 1,
            Some(_) => changes.push(change(path, Kind::Changed, Reason::DigestChanged)),
            None => changes.push(change(path, Kind::Removed, Reason::FileRemoved)),
        }
    }
    let new: Vec<_> = after
        .properties
        .keys()
        .filter(|path| !before.properties.contains_key(*path))
        .collect();
    let known = if new.is_empty() {
        BTreeSet::new()
    } else {
        held_by_new_rows(before, after)
    };
    let added = |path: &String| {
        change(path, Kind::Added, Reason::FileAdded).harmless_if(known.contains(path.as_str()))
    };
    changes.extend(new.into_iter().map(added));
    (changes, same)
}

/// The files that hold the properties of new rows.
fn held_by_new_rows<'a>(before: &Material, after: &'a Material) -> BTreeSet<&'a str> {
    let old: BTreeSet<&str> = before
        .oracle_rows()
        .iter()
        .map(|row| row.oracle_id.as_str())
        .collect();
    let new = after
        .oracle_rows()
        .iter()
        .filter(|row| !old.contains(row.oracle_id.as_str()));
    new.filter_map(|row| row.property_files.first())
        .map(|file| file.path.as_str())
        .collect()
}
