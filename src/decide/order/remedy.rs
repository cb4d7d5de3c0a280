//! What does each broken order look like to a person, and which command mends it?
//!
//! No text here ever advises to reorder commits: what came too late lands in a reviewed range of
//! its own and counts for the next patch.

use super::Late;
use crate::decide::facts::{Facts, Held};
use crate::decide::ledgers::ledger_path;
use crate::decide::remedy::own_range;
use crate::ledger::file::LedgerName;
use crate::ledger::freeze::FreezeRow;
use crate::model::decision::Detail;
use crate::model::ids::CommitId;
use crate::model::refusal::Code;
use crate::model::shell::word;

const BEFORE_PATCH: &str = "as it is at tip, before every patch commit";

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
    row(facts, id, late.reason).commit(late.patch).saw(observed, BEFORE_PATCH)
}

pub(super) fn changed_row(facts: &Facts, id: &str, patch: CommitId) -> Detail {
    row(facts, id, "changed-after-patch")
        .commit(patch)
        .saw("another state of the row above the patch commit", BEFORE_PATCH)
}

pub(super) fn removed_row(facts: &Facts, id: &str, patch: CommitId) -> Detail {
    let path = ledger_path(facts, LedgerName::Oracle);
    let fix = format!(
        "bring the row back: git restore --source={}~1 -- {path} && git commit -m 'oracle rows as the patch met them' -- {path}",
        patch.short(),
        path = word(&path)
    );
    row(facts, id, "removed")
        .commit(patch)
        .saw("no scored row at tip", "the row that the patch commit had to face")
        .fix(fix)
}

pub(super) fn weakened_row(facts: &Facts, base: &Held, id: &str, is_there: bool) -> Detail {
    let path = ledger_path(facts, LedgerName::Oracle);
    let observed = if is_there { "another row than base holds" } else { "no scored row, base holds one" };
    row(facts, id, "weakened")
        .commit(base.id)
        .saw(observed, "the row as base holds it, in a range with patch commits")
        .fix(format!(
            "land the edit in a range of its own, and take the row of base again here: git restore --source={} -- {path} && git commit -m 'oracle rows as on base' -- {path}",
            base.id.short(),
            path = word(&path)
        ))
}

fn file(path: &str, code: Code, reason: &'static str) -> Detail {
    Detail::new(code, reason, path).path(path)
}

pub(super) fn weakened_file(facts: &Facts, path: &str, base: &Held, is_there: bool) -> Detail {
    let observed = if is_there { "other bytes than base holds" } else { "no such file, base holds one" };
    file(path, Code::OracleNotIndependent, "weakened")
        .commit(facts.tip.id)
        .saw(observed, "the bytes that base holds, in a range with patch commits")
        .fix(format!(
            "land the edit in a range of its own, and take the file of base again here: git restore --source={} -- {path} && git commit -m 'property as on base' -- {path}",
            base.id.short(),
            path = word(path)
        ))
}

pub(super) fn changed_file(facts: &Facts, path: &str, patch: CommitId, is_there: bool) -> Detail {
    let observed =
        if is_there { "other bytes above the patch commit" } else { "a file that the range took away" };
    file(path, Code::OracleNotIndependent, "property-changed")
        .commit(patch)
        .saw(observed, BEFORE_PATCH)
        .fix(own_range(facts, "property-files", &[]))
}

pub(super) fn changed_text(facts: &Facts, path: &str, patch: CommitId) -> Detail {
    let base = facts.bases.first().map_or(facts.tip.id, |base| base.id);
    file(path, Code::SpecChangedByPatch, "text-changed")
        .commit(patch)
        .saw("another state of the cited text above the patch commit", BEFORE_PATCH)
        .fix(format!(
            "land it in a range of its own: git switch -c cited-text {} && git restore --source={} -- {path} && git add {path} && git commit",
            base.short(),
            facts.tip.id.short(),
            path = word(path)
        ))
}

pub(super) fn amended_text(facts: &Facts, path: &str) -> Detail {
    file(path, Code::NeedsHuman, "spec-changed")
        .commit(facts.tip.id)
        .saw("the range amends a text that rows of base cite", "a person who reads the amendment")
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
    freeze(facts, row, "added").commit(patch).saw("no such row above the patch commit", BEFORE_PATCH)
}

pub(super) fn edited_freeze(facts: &Facts, row: &FreezeRow, base: &Held) -> Detail {
    freeze(facts, row, "edited")
        .commit(base.id)
        .saw("another row than base holds", "the row as base holds it")
}

const MIGRATE: &str = "land the migration in a range of its own, the bytes first, the ledger later: git reins fixture pin --epoch NEW --runner-image auto && git reins fixture commit";

pub(super) fn migrated_with_patch(facts: &Facts, path: &str, base: &Held) -> Detail {
    file(path, Code::FixtureMigrationMixed, "migration-with-patch")
        .commit(facts.tip.id)
        .saw(
            "other bytes than base pins",
            format!("the bytes of base {}, in a range with patch commits", base.id.short()),
        )
        .fix(MIGRATE)
}

pub(super) fn changed_fixture(facts: &Facts, path: &str, patch: CommitId) -> Detail {
    let _ = facts;
    file(path, Code::FixtureMigrationMixed, "fixture-changed")
        .commit(patch)
        .saw("another state of the file above the patch commit", BEFORE_PATCH)
        .fix(MIGRATE)
}

pub(super) fn changed_image(facts: &Facts, image: &str, patch: CommitId) -> Detail {
    Detail::new(Code::FixtureMigrationMixed, "image-changed", image)
        .path(ledger_path(facts, LedgerName::Fixture))
        .commit(patch)
        .field("runner_image_id")
        .saw("another image, or none, above the patch commit", BEFORE_PATCH)
        .fix("pin the image in a range of its own: git reins fixture pin --epoch NEW --runner-image ID && git reins fixture commit")
}

pub(super) fn mixed_migration(facts: &Facts, path: &str, commit: CommitId) -> Detail {
    file(path, Code::FixtureMigrationMixed, "bytes-with-ledger")
        .commit(commit)
        .saw(
            format!(
                "a commit that moves the bytes while {} names the new epoch",
                ledger_path(facts, LedgerName::Fixture)
            ),
            "the bytes in one commit, the ledger in a later one",
        )
        .fix(MIGRATE)
}

pub(super) fn human_only(path: &str, commit: CommitId) -> Detail {
    file(path, Code::NeedsHuman, "human-only-path")
        .commit(commit)
        .saw("a commit that touches a human-only path", "a person who reads and lands it")
}

pub(super) fn revert_takes_rows(commit: CommitId, reverted: CommitId) -> Detail {
    Detail::new(Code::NeedsHuman, "revert", commit.short()).commit(commit).saw(
        format!("a revert of {} that changes or takes away rows", reverted.short()),
        "a person who lands it",
    )
}

pub(super) fn policy_with_patch(path: &str, patch: CommitId) -> Detail {
    file(path, Code::PolicyChangedByPatch, "policy-with-patch")
        .commit(patch)
        .saw("another policy at tip, in a range with patch commits", "the policy of base")
}

pub(super) fn policy_alone(path: &str, tip: CommitId) -> Detail {
    file(path, Code::NeedsHuman, "policy-changed")
        .commit(tip)
        .saw("another policy at tip", "a person who reads and lands it")
}
