//! Compares the freeze ledger row by row and field by field.

use super::member::{Member, text};
use super::pairs::{Pair, pair};
use crate::ledger::freeze::FreezeRow;
use crate::model::change::{Area, Change, Kind, Reason};
use crate::model::day::Day;

/// The changes of the rows, and how many rows are the same state on both sides.
pub(super) fn compare(before: &[FreezeRow], after: &[FreezeRow]) -> (Vec<Change>, usize) {
    let (mut changes, mut same) = (Vec::new(), 0);
    for (key, pair) in pair(before, after, FreezeRow::key) {
        let name = name(key);
        match pair {
            Pair::Before(row) => {
                let removed = change(&name, Kind::Removed, Reason::RowRemoved).harmless_if(true);
                changes.push(removed.states(Some(summary(row)), None));
            }
            Pair::After(row) => {
                let added = change(&name, Kind::Added, Reason::FreezeAdded);
                changes.push(added.states(None, Some(summary(row))));
            }
            Pair::Both(old, new) if old.same_state(new) => same += 1,
            Pair::Both(old, new) => edited(&name, old, new, &mut changes),
        }
    }
    (changes, same)
}

/// How a freeze is named: its property and its seed.
pub fn name((property, seed): (&str, &str)) -> String {
    match (property, seed) {
        ("", "") => "(a freeze without property and seed)".to_owned(),
        ("", seed) => format!("(a freeze without property) {seed}"),
        (property, "") => property.to_owned(),
        (property, seed) => format!("{property} {seed}"),
    }
}

fn change(name: &str, kind: Kind, reason: Reason) -> Change {
    Change::new(Area::Freezes, name, kind, reason)
}

fn summary(row: &FreezeRow) -> String {
    let part = |field, missing: &str| text(field).unwrap_or_else(|| missing.to_owned());
    format!(
        "until {}, owner {}",
        part(&row.expires_at, "nobody knows when"),
        part(&row.owner, "nobody")
    )
}

/// The last day of a freeze, where it says one.
pub(super) fn expiry(row: &FreezeRow) -> Option<Day> {
    row.expires_at.as_ref()?.value()?.parse().ok()
}

fn edited(name: &str, old: &FreezeRow, new: &FreezeRow, changes: &mut Vec<Change>) {
    for (old_member, new_member) in members(old).into_iter().zip(members(new)) {
        let (before, after) = (old_member.text, new_member.text);
        if before == after {
            continue;
        }
        let states = |reason: Reason| {
            let change = change(name, Kind::Changed, reason).field(new_member.name);
            change.states(before.clone(), after.clone())
        };
        changes.push(match new_member.name {
            "expires_at" => moved(states(Reason::FieldChanged), expiry(old), expiry(new)),
            "owner" => states(Reason::OwnerChanged),
            // both follow the fixture ledger
            "base_rev" | "fixture_epoch" => states(Reason::FieldChanged).harmless_if(true),
            "quarantine_eligible" => {
                states(Reason::FieldChanged).harmless_if(after.as_deref() != Some("true"))
            }
            "paths" => states(Reason::FieldChanged).harmless_if(is_narrower(old, new)),
            "evidence" => states(Reason::FieldChanged).harmless_if(before.is_none()),
            // observed_on, and what nobody has thought of yet
            _ => states(Reason::FieldChanged),
        });
    }
}

/// A freeze without a day, or with one that cannot be read, has moved nobody knows where.
fn moved(change: Change, old: Option<Day>, new: Option<Day>) -> Change {
    let Some(days) = old.zip(new).map(|(old, new)| new.days_since(old)) else {
        return change;
    };
    let reason = if days > 0 {
        Reason::ExpiryExtended
    } else {
        Reason::ExpiryShortened
    };
    Change {
        days: Some(days),
        reason,
        ..change
    }
    .harmless_if(days <= 0)
}

/// Whether every path of the new row is one of the old row.
fn is_narrower(old: &FreezeRow, new: &FreezeRow) -> bool {
    let none = Vec::new();
    let old = old.paths.as_ref().unwrap_or(&none);
    new.paths
        .as_ref()
        .unwrap_or(&none)
        .iter()
        .all(|path| old.contains(path))
}

/// Every member but property and seed. Taken apart without `..`, so that a new one cannot be
/// forgotten.
pub(super) fn members(row: &FreezeRow) -> Vec<Member> {
    let FreezeRow {
        property_id: _,
        seed: _,
        base_rev,
        fixture_epoch,
        observed_on,
        expires_at,
        owner,
        paths,
        quarantine_eligible,
        evidence,
    } = row;
    [
        ("expires_at", text(expires_at)),
        ("owner", text(owner)),
        ("paths", paths.as_ref().map(|paths| paths.join("\n"))),
        (
            "quarantine_eligible",
            quarantine_eligible.as_ref().map(|field| field.shown()),
        ),
        ("observed_on", text(observed_on)),
        (
            "evidence",
            evidence
                .as_ref()
                .and_then(|evidence| serde_json::to_string(evidence).ok()),
        ),
        ("base_rev", text(base_rev)),
        ("fixture_epoch", text(fixture_epoch)),
    ]
    .map(|(name, text)| Member { name, text })
    .into()
}
