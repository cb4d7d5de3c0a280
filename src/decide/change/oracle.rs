//! Compares the oracle ledger row by row and field by field.

use std::collections::{BTreeMap, BTreeSet};

use super::member::Member;
use super::pairs::{Pair, pair};
use super::word_diff::Words;
use crate::ledger::oracle::{OracleRow, PinnedFile};
use crate::model::change::{Area, Change, Kind, Reason};

/// The changes of the rows, and how many rows are the same state on both sides.
pub(super) fn compare(before: &[OracleRow], after: &[OracleRow]) -> (Vec<Change>, usize) {
    let (mut changes, mut same, mut words) = (Vec::new(), 0, Words::default());
    for (id, pair) in pair(before, after, |row| row.oracle_id.as_str()) {
        match pair {
            Pair::Before(row) => {
                let removed =
                    change(id, Kind::Removed, Reason::RowRemoved).harmless_if(!row.scores());
                changes.push(removed.states(Some(row.source.clone()), None));
            }
            Pair::After(row) => added(id, row, &mut changes),
            Pair::Both(old, new) if old.same_state(new) => same += 1,
            Pair::Both(old, new) => changes.extend(edited(id, (old, new), &mut words)),
        }
    }
    (changes, same)
}

fn change(id: &str, kind: Kind, reason: Reason) -> Change {
    Change::new(Area::Oracle, id, kind, reason)
}

/// A new row weakens nothing, but that somebody vouches for one that was drafted is told first.
fn added(id: &str, row: &OracleRow, changes: &mut Vec<Change>) {
    let added = change(id, Kind::Added, Reason::RowAdded).harmless_if(true);
    changes.push(added.states(None, Some(row.source.clone())));
    if row.is_independent() && (row.drafted_by.is_some() || row.cleared_by.is_some()) {
        let drafted = row.drafted_by.as_ref().map(|by| format!("drafted by {by}"));
        changes.push(cleared(id, row).states(drafted, Some("false".to_owned())));
    }
}

fn cleared(id: &str, row: &OracleRow) -> Change {
    let change = change(id, Kind::Changed, Reason::SeesDiffCleared).field("sees_diff");
    Change {
        cleared_by: row.cleared_by.clone(),
        ..change
    }
}

fn edited(id: &str, (old, new): (&OracleRow, &OracleRow), words: &mut Words) -> Vec<Change> {
    let mut changes = Vec::new();
    let scored = old.scores();
    if scored != new.scores() {
        let reason = if scored {
            Reason::ScoreLost
        } else {
            Reason::ScoreGained
        };
        changes.push(change(id, Kind::Changed, reason).harmless_if(!scored));
    }
    let is_cleared = !old.is_independent() && new.is_independent();
    for (old_member, new_member) in members(old).into_iter().zip(members(new)) {
        let (before, after) = (old_member.text, new_member.text);
        if before == after {
            continue;
        }
        let name = new_member.name;
        let states = |change: Change| change.field(name).states(before.clone(), after.clone());
        let told = match name {
            "authored_commit" => {
                states(change(id, Kind::Changed, Reason::FieldChanged)).harmless_if(true)
            }
            "sees_diff" if is_cleared => {
                states(cleared(id, new)).harmless_if(!scored && !new.scores())
            }
            "sees_diff" => {
                states(change(id, Kind::Changed, Reason::SeesDiffSet)).harmless_if(!scored)
            }
            "cleared_by" if is_cleared => continue, // said with it
            "property_files" => {
                changes.extend(pins(id, old, new, scored));
                continue;
            }
            "witness_patch" => {
                let is_new = before.is_none();
                states(change(id, Kind::Changed, Reason::DigestChanged))
                    .harmless_if(!scored || is_new)
            }
            "source" | "property" | "check" | "inputs" | "relation" | "witness" => {
                let told =
                    states(change(id, Kind::Changed, Reason::TextEdited)).harmless_if(!scored);
                let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
                Change {
                    words: words.compare(&before, &after),
                    ..told
                }
            }
            // score, drafted_by, cleared_by, and what nobody has thought of yet
            _ => states(change(id, Kind::Changed, Reason::FieldChanged)).harmless_if(!scored),
        };
        changes.push(told);
    }
    changes
}

/// The pinned files of a row. Another file in the first place holds the property, and that is told
/// as an edit; one that is pinned in addition weakens nothing.
fn pins(id: &str, old: &OracleRow, new: &OracleRow, scored: bool) -> Vec<Change> {
    fn pinned(row: &OracleRow) -> BTreeMap<&str, &str> {
        row.property_files
            .iter()
            .map(|file| (file.path.as_str(), file.sha256.as_str()))
            .collect()
    }
    let (before, after) = (pinned(old), pinned(new));
    let paths: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
    let mut changes = Vec::new();
    for path in paths
        .into_iter()
        .filter(|path| before.get(path) != after.get(path))
    {
        let pin =
            |files: &BTreeMap<&str, &str>| files.get(path).map(|digest| format!("{path} {digest}"));
        let is_new = !before.contains_key(path);
        let change = change(id, Kind::Changed, Reason::DigestChanged).field("property_files");
        changes.push(
            change
                .states(pin(&before), pin(&after))
                .harmless_if(!scored || is_new),
        );
    }
    let first = |row: &OracleRow| row.property_files.first().map(|file| file.path.clone());
    if first(old) != first(new) || changes.is_empty() {
        let change = change(id, Kind::Changed, Reason::TextEdited).field("property_files");
        changes.push(change.states(first(old), first(new)).harmless_if(!scored));
    }
    changes
}

/// Every member but the id. Taken apart without `..`, so that a new one cannot be forgotten.
pub(super) fn members(row: &OracleRow) -> Vec<Member> {
    let OracleRow {
        oracle_id: _,
        source,
        sees_diff,
        property,
        check,
        property_files,
        inputs,
        relation,
        witness,
        score,
        witness_patch,
        drafted_by,
        cleared_by,
        authored_commit,
    } = row;
    let pin = |PinnedFile { path, sha256 }: &PinnedFile| format!("{path} {sha256}");
    let files = (!property_files.is_empty()).then(|| {
        property_files
            .iter()
            .map(pin)
            .collect::<Vec<_>>()
            .join("\n")
    });
    [
        ("sees_diff", sees_diff.as_ref().map(|field| field.shown())),
        ("source", Some(source.clone())),
        ("property", Some(property.clone())),
        ("check", check.clone()),
        ("property_files", files),
        ("inputs", inputs.clone()),
        ("relation", relation.clone()),
        ("witness", witness.clone()),
        ("score", score.map(|score| score.to_string())),
        ("witness_patch", witness_patch.as_ref().map(pin)),
        ("drafted_by", drafted_by.clone()),
        ("cleared_by", cleared_by.clone()),
        ("authored_commit", authored_commit.clone()),
    ]
    .map(|(name, text)| Member { name, text })
    .into()
}
