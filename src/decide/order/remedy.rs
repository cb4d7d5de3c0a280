//! Words and fixes for what the order of a range breaks.
//!
//! No text here ever advises to reorder commits: what came too late lands in a reviewed range of
//! its own and counts for the next patch.

use super::Late;
use crate::decide::facts::{Facts, Held, Material};
use crate::decide::ledgers::ledger_path;
use crate::decide::material_changes::{Change, FileChange, HarnessChange, RowChange, SpecChange};
use crate::decide::remedy::{APART, begun, own_range, restored};
use crate::ledger::file::LedgerName;
use crate::ledger::freeze::FreezeRow;
use crate::model::decision::Detail;
use crate::model::ids::CommitId;
use crate::model::path::RepoPath;
use crate::model::refusal::Code;
use crate::model::shell::word;

const BEFORE_PATCH: &str = "as it is at tip, before every patch commit";

/// The material above a patch commit, by its first parent.
fn above(facts: &Facts, patch: CommitId) -> Option<&Material> {
    let commit = facts.commits.iter().find(|commit| commit.id == patch)?;
    commit.parents.first().map(|parent| &*parent.material)
}

fn row(facts: &Facts, id: &str, reason: &'static str) -> Detail {
    Detail::new(Code::OracleNotIndependent, reason, id)
        .path(ledger_path(facts, LedgerName::Oracle))
        .fix(own_range(facts, &format!("oracle-{id}"), &[]))
}

pub(super) fn same_commit(facts: &Facts, id: &str, commit: CommitId) -> Detail {
    row(facts, id, "same-commit")
        .commit(commit)
        .saw("a row that the patch commit itself brings", BEFORE_PATCH)
}

pub(super) fn late_row(facts: &Facts, id: &str, late: &Late) -> Detail {
    let observed = match late.reason {
        "concurrent" => "a row from beside the patch commit, and no other row scores",
        _ => "a row that came after the patch commit, and no other row scores",
    };
    row(facts, id, late.reason)
        .commit(late.patch)
        .saw(observed, BEFORE_PATCH)
}

pub(super) fn changed_row(facts: &Facts, id: &str, patch: CommitId) -> Detail {
    let detail = row(facts, id, "changed-after-patch").commit(patch).saw(
        "another state of the row in a parent of the patch commit",
        BEFORE_PATCH,
    );
    let holds = |material: &Material| {
        material
            .oracle
            .valid()
            .is_some_and(|ledger| ledger.row(id).is_some())
    };
    if !above(facts, patch).is_some_and(holds) {
        return detail;
    }
    let path = ledger_path(facts, LedgerName::Oracle);
    detail.fix(restored(APART, &format!("{}~1", patch.short()), &[&path]))
}

pub(super) fn removed_row(facts: &Facts, id: &str, patch: CommitId) -> Detail {
    let path = ledger_path(facts, LedgerName::Oracle);
    let fix = restored(
        "bring the row back",
        &format!("{}~1", patch.short()),
        &[&path],
    );
    row(facts, id, "removed")
        .commit(patch)
        .saw(
            "a scored row that is gone, or was while the patch went on",
            "the row that the patch commit had to face",
        )
        .fix(fix)
}

fn file(path: &str, code: Code, reason: &'static str) -> Detail {
    Detail::new(code, reason, path).path(path)
}

pub(super) fn changed_file(facts: &Facts, path: &str, patch: CommitId, is_there: bool) -> Detail {
    let observed = if is_there {
        "other bytes in a parent of the patch commit"
    } else {
        "a file that the range took away"
    };
    file(path, Code::OracleNotIndependent, "property-changed")
        .commit(patch)
        .saw(observed, BEFORE_PATCH)
        .fix(
            if above(facts, patch).is_some_and(|material| material.properties.contains_key(path)) {
                restored(APART, &format!("{}~1", patch.short()), &[path])
            } else {
                own_range(facts, "property-files", &[])
            },
        )
}

pub(super) fn changed_text(facts: &Facts, path: &str, patch: CommitId) -> Detail {
    let base = facts.bases.first().map_or(facts.tip.id, |base| base.id);
    file(path, Code::SpecChangedByPatch, "text-changed")
        .commit(patch)
        .saw("another state of the cited text in a parent of the patch commit", BEFORE_PATCH)
        .fix(format!(
            "land it in a range of its own: {} && git restore --source={} -- {path} && git add {path} && git commit",
            begun("cited-text", base),
            facts.tip.id.short(),
            path = word(path)
        ))
}

fn freeze(facts: &Facts, row: &FreezeRow, reason: &'static str) -> Detail {
    let (property, seed) = row.key();
    Detail::new(Code::FreezeAddedWithPatch, reason, format!("{property} seed {seed}"))
        .path(ledger_path(facts, LedgerName::Freezes))
        .fix(format!(
            "land the row in a range of its own, and take it out here: git reins freeze rm --property {} --seed {} && git reins freeze commit",
            word(property),
            word(seed)
        ))
}

pub(super) fn added_freeze(facts: &Facts, row: &FreezeRow, patch: CommitId) -> Detail {
    freeze(facts, row, "added")
        .commit(patch)
        .saw("no such row in a parent of the patch commit", BEFORE_PATCH)
}

pub(super) fn edited_freeze(facts: &Facts, row: &FreezeRow) -> Detail {
    freeze(facts, row, "edited")
        .commit(base(facts).map_or(facts.tip.id, |base| base.id))
        .saw("another row than base holds", "the row as base holds it")
}

/// Takes a fixture and its ledger back to a commit's state; the migration lands elsewhere.
fn migrate(facts: &Facts, path: &str, source: &str, there: Option<&Material>) -> String {
    let ledger = ledger_path(facts, LedgerName::Fixture);
    let has_file = there.is_some_and(|material| material.fixtures.contains_key(path));
    let has_ledger = there.is_some_and(|material| material.fixture.valid().is_some());
    let paths: Vec<_> = [(path, has_file), (ledger.as_str(), has_ledger)]
        .into_iter()
        .filter(|(_, is_there)| *is_there)
        .collect();
    if paths.is_empty() {
        return format!(
            "land it in a range of its own, and take it away here: git rm -- {}",
            word(path)
        );
    }
    let paths: Vec<_> = paths.into_iter().map(|(path, _)| path).collect();
    restored(
        "land the migration in a range of its own, and take the old state again here",
        source,
        &paths,
    )
}

pub(super) fn migrated_with_patch(facts: &Facts, path: &str) -> Detail {
    let base = base(facts);
    let short = base.map_or_else(|| "base".to_owned(), |base| base.id.short());
    file(path, Code::FixtureMigrationMixed, "migration-with-patch")
        .commit(facts.tip.id)
        .saw(
            "other bytes than base pins",
            format!("the bytes of base {short}, in a range with patch commits"),
        )
        .fix(migrate(
            facts,
            path,
            &short,
            base.map(|base| &*base.material),
        ))
}

pub(super) fn changed_image(facts: &Facts, image: &str, patch: CommitId) -> Detail {
    Detail::new(Code::FixtureMigrationMixed, "image-changed", image)
        .path(ledger_path(facts, LedgerName::Fixture))
        .commit(patch)
        .field("runner_image_id")
        .saw(
            "another image, or none, in a parent of the patch commit",
            BEFORE_PATCH,
        )
        .fix(
            match above(facts, patch).and_then(|material| material.fixture.valid()) {
                Some(_) => restored(
                    APART,
                    &format!("{}~1", patch.short()),
                    &[&ledger_path(facts, LedgerName::Fixture)],
                ),
                None => own_range(facts, "fixture-epoch", &[]),
            },
        )
}

/// Commands that land the bytes and the ledger of a migration in two commits from base.
fn apart(facts: &Facts) -> String {
    let base = facts.bases.first().map_or(facts.tip.id, |base| base.id);
    let tip = facts.tip.id.short();
    let is_there = |prefix: &&RepoPath| {
        facts
            .tip
            .material
            .fixtures
            .keys()
            .any(|path| prefix.covers(path))
    };
    let prefixes = facts
        .policy
        .paths
        .fixtures
        .iter()
        .filter(is_there)
        .map(|prefix| word(prefix.as_str()));
    let bytes = prefixes.collect::<Vec<_>>().join(" ");
    let ledger = word(&ledger_path(facts, LedgerName::Fixture));
    let step = |paths: &str, message: &str| {
        format!(
            "git restore --source={tip} -- {paths} && git add -- {paths} && git commit -m '{message}'"
        )
    };
    let (first, second) = (
        step(&bytes, "fixture bytes"),
        step(&ledger, "fixture epoch"),
    );
    format!(
        "land them in two commits: {} && {first} && {second}",
        begun("fixture-migration", base)
    )
}

pub(super) fn mixed_migration(facts: &Facts, path: &str, commit: CommitId) -> Detail {
    file(path, Code::FixtureMigrationMixed, "bytes-with-ledger")
        .commit(commit)
        .saw(
            format!(
                "a commit that moves the bytes, and {} that names the new epoch without standing on it",
                ledger_path(facts, LedgerName::Fixture)
            ),
            "the bytes in one commit, the ledger in a later one",
        )
        .fix(apart(facts))
}

pub(super) fn human_only(path: &str, commit: CommitId) -> Detail {
    file(path, Code::NeedsHuman, "human-only-path")
        .commit(commit)
        .saw(
            "a commit that touches a human-only path",
            "a person who reads and lands it",
        )
}

pub(super) fn revert_takes_material(commit: CommitId, reverted: CommitId) -> Detail {
    Detail::new(Code::NeedsHuman, "revert", commit.short())
        .commit(commit)
        .saw(
            format!("a revert of {} that takes back material", reverted.short()),
            "a person who lands it",
        )
}

/// The finding about a change of the material that judges, which only a person may land.
pub(in crate::decide) fn held_change(facts: &Facts, change: &Change) -> Detail {
    let (reason, observed) = held_words(change);
    let (subject, path) = match change {
        Change::Row { id, .. } => (id.clone(), ledger_path(facts, LedgerName::Oracle)),
        Change::Property { path, .. }
        | Change::Harness { path, .. }
        | Change::Spec { path, .. }
        | Change::Fixture { path } => (path.clone(), path.clone()),
    };
    let reason = if is_backport(facts, change) {
        "backport"
    } else {
        reason
    };
    Detail::new(Code::NeedsHuman, reason, subject)
        .path(path)
        .commit(facts.tip.id)
        .saw(observed, "a person who reads and lands it")
}

fn held_words(change: &Change) -> (&'static str, String) {
    match change {
        Change::Row { change, .. } => {
            let observed = match change {
                RowChange::PinnedAgain => "the row is pinned again".to_owned(),
                RowChange::WitnessAdded => "the row gains a witness patch".to_owned(),
                RowChange::Edited { field } => format!("the row has another {field} than on base"),
                RowChange::MadeSmoke => "the row no longer scores".to_owned(),
                RowChange::Removed => "the row is removed".to_owned(),
            };
            ("row-edited", observed)
        }
        Change::Property { change, rows, .. } => {
            let observed = match change {
                FileChange::Extended => "lines are added",
                FileChange::Renamed { .. } => "the file is renamed",
                FileChange::Edited => "lines that base has are edited or removed",
                FileChange::Mode => "the file has another mode than on base",
                FileChange::Gone => "the file is removed or moved",
            };
            let rows: Vec<_> = rows.iter().map(String::as_str).collect();
            (
                "property-edited",
                format!("{observed}; it belongs to {}", rows.join(", ")),
            )
        }
        Change::Harness { change, .. } => {
            let observed = match change {
                HarnessChange::New { .. } => "a new file that checks can load".to_owned(),
                HarnessChange::Edited => "a file that checks can load is edited".to_owned(),
                HarnessChange::Gone => "a file that checks can load is removed".to_owned(),
                HarnessChange::Named { row } => {
                    format!("{row} begins to name a file that every check can load")
                }
                HarnessChange::Unnamed { row } => {
                    format!("{row} no longer names the file, so that every check can load it")
                }
            };
            ("harness-changed", observed)
        }
        Change::Spec { change, .. } => {
            let observed = match change {
                SpecChange::New => "a new text that no row cites".to_owned(),
                SpecChange::Uncited => "sections that no row cites are edited".to_owned(),
                SpecChange::Cited { row } => format!("a section that {row} cites is edited"),
                SpecChange::Whole => "a text without headings is edited".to_owned(),
                SpecChange::Gone => "the text is removed".to_owned(),
            };
            ("spec-changed", observed)
        }
        Change::Fixture { .. } => ("fixture-new", "a new fixture".to_owned()),
    }
}

/// Whether another protected line than the one that the range would land on holds the item as tip
/// does.
fn is_backport(facts: &Facts, change: &Change) -> bool {
    let tip = &facts.tip.material;
    facts.protected.iter().any(|held| {
        let there = &held.material;
        match change {
            Change::Row { id: row, .. }
            | Change::Harness {
                change: HarnessChange::Named { row } | HarnessChange::Unnamed { row },
                ..
            } => {
                let id = row;
                let row = |material: &Material| {
                    material
                        .oracle
                        .valid()
                        .and_then(|ledger| ledger.row(id))
                        .cloned()
                };
                row(tip).is_some_and(|now| row(there).is_some_and(|other| other.same_state(&now)))
            }
            Change::Property { path, .. } | Change::Harness { path, .. } => {
                tip.properties.contains_key(path)
                    && tip.properties.get(path) == there.properties.get(path)
            }
            Change::Spec { path, .. } => {
                tip.specs.contains_key(path) && tip.specs.get(path) == there.specs.get(path)
            }
            Change::Fixture { .. } => false,
        }
    })
}

fn base(facts: &Facts) -> Option<&Held> {
    facts.bases.first()
}

pub(super) fn tool_configuration(path: &str, check: &str, tip: CommitId) -> Detail {
    file(path, Code::NeedsHuman, "tool-configuration")
        .commit(tip)
        .saw(
            format!("{path} configures the tool of check {check}, and says otherwise than on base"),
            "a person who reads the change and lands it",
        )
}

pub(super) fn not_as_checked_out(path: &str, why: &str, tip: CommitId) -> Detail {
    file(path, Code::NeedsHuman, "not-as-checked-out")
        .commit(tip)
        .saw(
            why,
            "the bytes that a checkout gives, so that they are what was judged",
        )
}

pub(super) fn policy_with_patch(path: &str, patch: CommitId) -> Detail {
    file(path, Code::PolicyChangedByPatch, "policy-with-patch")
        .commit(patch)
        .saw(
            "another policy at tip, in a range with patch commits",
            "the policy of base",
        )
}

pub(super) fn policy_alone(path: &str, tip: CommitId) -> Detail {
    file(path, Code::NeedsHuman, "policy-changed")
        .commit(tip)
        .saw("another policy at tip", "a person who reads and lands it")
}
