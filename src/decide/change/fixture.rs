//! Compares the fixture ledger: the epoch, and file by file.

use super::member::{Member, lines, text};
use super::pairs::{Pair, pair};
use crate::ledger::fixture::{FixtureFile, FixtureLedger};
use crate::model::change::{Area, Change, Kind, Reason};

/// The name of the row that is the ledger itself.
pub(super) const EPOCH: &str = "epoch";

/// The changes, and how many files are pinned as they were.
pub(super) fn compare(
    before: Option<&FixtureLedger>,
    after: Option<&FixtureLedger>,
) -> (Vec<Change>, usize) {
    let mut changes = Vec::new();
    if let (Some(old), Some(new)) = (before, after) {
        edited(old, new, &mut changes);
    }
    let same = compare_files(files(before), files(after), &mut changes);
    (changes, same)
}

fn files(ledger: Option<&FixtureLedger>) -> &[FixtureFile] {
    ledger
        .map(|ledger| ledger.files.as_slice())
        .unwrap_or_default()
}

fn change(row: &str, kind: Kind, reason: Reason) -> Change {
    Change::new(Area::Fixture, row, kind, reason)
}

fn edited(old: &FixtureLedger, new: &FixtureLedger, changes: &mut Vec<Change>) {
    for (old_member, new_member) in members(old).into_iter().zip(members(new)) {
        let (before, after) = (old_member.text, new_member.text);
        if before == after {
            continue;
        }
        let states = |reason: Reason| {
            let change = change(EPOCH, Kind::Changed, reason).field(new_member.name);
            change.states(before.clone(), after.clone())
        };
        changes.push(match new_member.name {
            "digest_sha256" => states(Reason::DigestChanged),
            "runner_image_id" => states(Reason::ImageChanged),
            "epoch_id" | "base_rev" => states(Reason::FieldChanged).harmless_if(true),
            "residual_risk" => states(Reason::FieldChanged)
                .harmless_if(is_kept(&old.residual_risk, &new.residual_risk)),
            // what nobody has thought of yet
            _ => states(Reason::FieldChanged),
        });
    }
}

/// Whether every risk that was named still is.
fn is_kept(old: &[String], new: &[String]) -> bool {
    old.iter().all(|risk| new.contains(risk))
}

fn compare_files(old: &[FixtureFile], new: &[FixtureFile], changes: &mut Vec<Change>) -> usize {
    let mut same = 0;
    for (path, pair) in pair(old, new, |file| file.path.as_str()) {
        changes.push(match pair {
            Pair::Before(file) => {
                change(path, Kind::Removed, Reason::RowRemoved).states(Some(pin(file)), None)
            }
            Pair::After(file) => {
                let added = change(path, Kind::Added, Reason::RowAdded).harmless_if(true);
                added.states(None, Some(pin(file)))
            }
            Pair::Both(old, new) if old == new => {
                same += 1;
                continue;
            }
            Pair::Both(old, new) => {
                let changed = change(path, Kind::Changed, Reason::DigestChanged);
                changed.states(Some(pin(old)), Some(pin(new)))
            }
        });
    }
    same
}

/// A pinned file but for its path.
pub(super) fn pin(
    FixtureFile {
        path: _,
        sha256,
        size,
    }: &FixtureFile,
) -> String {
    format!("{sha256}, {size} bytes")
}

/// Every member but the files. Taken apart without `..`, so that a new one cannot be forgotten.
pub(super) fn members(ledger: &FixtureLedger) -> Vec<Member> {
    let FixtureLedger {
        schema: _,
        epoch_id,
        base_rev,
        digest_sha256,
        runner_image_id,
        files: _,
        residual_risk,
    } = ledger;
    [
        ("epoch_id", text(epoch_id)),
        ("digest_sha256", text(digest_sha256)),
        ("runner_image_id", text(runner_image_id)),
        ("base_rev", text(base_rev)),
        ("residual_risk", lines(residual_risk)),
    ]
    .map(|(name, text)| Member { name, text })
    .into()
}
