//! Finds what is held for a person, and changes of the policy.

use std::collections::{BTreeMap, BTreeSet};

use super::remedy;
use crate::decide::facts::{CommitFacts, Facts};
use crate::decide::ledgers::Findings;
use crate::ledger::freeze::FreezeRow;
use crate::ledger::oracle::OracleRow;
use crate::policy::POLICY_PATH;

/// Judges human-only paths, reverts that take rows away, and the policy itself.
pub(super) fn judge(facts: &Facts, patches: &[&CommitFacts]) -> Findings {
    let mut found = Findings::default();
    let mut named = BTreeSet::new();
    for commit in &facts.commits {
        if let Some(path) = commit
            .own
            .human_only
            .as_ref()
            .filter(|path| named.insert(path.as_str()))
        {
            found.add(remedy::human_only(path, commit.id));
        }
        if let Some(reverted) = commit.reverts.filter(|_| takes_rows(commit)) {
            found.add(remedy::revert_takes_rows(commit.id, reverted));
        }
    }
    if policy_changes(facts) {
        found.add(match patches.first() {
            Some(patch) => remedy::policy_with_patch(POLICY_PATH, patch.id),
            None => remedy::policy_alone(POLICY_PATH, facts.tip.id),
        });
    }
    found
}

/// Whether tip's policy is neither base's nor, where base has none, a protected tip's.
fn policy_changes(facts: &Facts) -> bool {
    let now = facts.tip.material.policy;
    facts.bases.iter().any(|base| {
        let before = base.material.policy;
        let landed = || {
            before.is_none()
                && facts
                    .protected
                    .iter()
                    .any(|held| held.material.policy == now)
        };
        before != now && !landed()
    })
}

/// Whether a commit changes or takes away a row that every parent holds.
fn takes_rows(commit: &CommitFacts) -> bool {
    let mut parents = commit.parents.iter();
    parents.all(|parent| {
        let (before, after) = (&parent.material, &commit.material);
        loses(
            before.oracle_rows(),
            after.oracle_rows(),
            |row| (&row.oracle_id, ""),
            OracleRow::same_state,
        ) || loses(
            before.freeze_rows(),
            after.freeze_rows(),
            FreezeRow::key,
            FreezeRow::same_state,
        )
    })
}

/// Whether one of these rows is missing or another one afterwards.
fn loses<R>(
    before: &[R],
    after: &[R],
    key: fn(&R) -> (&str, &str),
    same: fn(&R, &R) -> bool,
) -> bool {
    let kept: BTreeMap<_, _> = after.iter().map(|row| (key(row), row)).collect();
    before
        .iter()
        .any(|row| !kept.get(&key(row)).is_some_and(|other| same(row, other)))
}
