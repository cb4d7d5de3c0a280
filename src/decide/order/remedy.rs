//! Words and fixes for what the order of a range breaks.
//!
//! No text here ever advises to reorder commits: what came too late lands in a reviewed range of
//! its own and counts for the next patch.

use super::Late;
use crate::decide::facts::{Facts, Held, Material};
use crate::decide::ledgers::ledger_path;
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

pub(super) fn weakened_row(facts: &Facts, base: &Held, id: &str, is_there: bool) -> Detail {
    let path = ledger_path(facts, LedgerName::Oracle);
    let observed = if is_there {
        "another row than base holds"
    } else {
        "no scored row, base holds one"
    };
    row(facts, id, "weakened")
        .commit(base.id)
        .saw(
            observed,
            "the row as base holds it, in a range with patch commits",
        )
        .fix(restored(APART, &base.id.short(), &[&path]))
}

fn file(path: &str, code: Code, reason: &'static str) -> Detail {
    Detail::new(code, reason, path).path(path)
}

pub(super) fn weakened_file(facts: &Facts, path: &str, base: &Held, is_there: bool) -> Detail {
    let observed = if is_there {
        "other bytes than base holds"
    } else {
        "no such file, base holds one"
    };
    file(path, Code::OracleNotIndependent, "weakened")
        .commit(facts.tip.id)
        .saw(
            observed,
            "the bytes that base holds, in a range with patch commits",
        )
        .fix(restored(APART, &base.id.short(), &[path]))
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

pub(super) fn amended_text(facts: &Facts, path: &str) -> Detail {
    file(path, Code::NeedsHuman, "spec-changed")
        .commit(facts.tip.id)
        .saw(
            "the range amends a text that rows of base cite",
            "a person who reads the amendment",
        )
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

pub(super) fn edited_freeze(facts: &Facts, row: &FreezeRow, base: &Held) -> Detail {
    freeze(facts, row, "edited")
        .commit(base.id)
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

pub(super) fn migrated_with_patch(facts: &Facts, path: &str, base: &Held) -> Detail {
    file(path, Code::FixtureMigrationMixed, "migration-with-patch")
        .commit(facts.tip.id)
        .saw(
            "other bytes than base pins",
            format!(
                "the bytes of base {}, in a range with patch commits",
                base.id.short()
            ),
        )
        .fix(migrate(facts, path, &base.id.short(), Some(&base.material)))
}

pub(super) fn changed_fixture(facts: &Facts, path: &str, patch: CommitId) -> Detail {
    file(path, Code::FixtureMigrationMixed, "fixture-changed")
        .commit(patch)
        .saw(
            "another state of the file in a parent of the patch commit",
            BEFORE_PATCH,
        )
        .fix(migrate(
            facts,
            path,
            &format!("{}~1", patch.short()),
            above(facts, patch),
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

pub(super) fn revert_takes_rows(commit: CommitId, reverted: CommitId) -> Detail {
    Detail::new(Code::NeedsHuman, "revert", commit.short())
        .commit(commit)
        .saw(
            format!(
                "a revert of {} that changes or takes away rows",
                reverted.short()
            ),
            "a person who lands it",
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
