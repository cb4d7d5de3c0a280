//! Finds what is held for a person: human-only paths, changed material, reverts, the policy.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::remedy;
use crate::decide::facts::{CommitFacts, Facts, Material};
use crate::decide::ledgers::Findings;
use crate::decide::material_changes::{Change, Standing};
use crate::policy::{POLICY_PATH, SIGNERS_PATH};

/// Judges what a range does that only a person may land.
pub(super) fn judge(
    facts: &Facts,
    judging: &[Arc<Material>],
    changes: &[Change],
    patches: &[&CommitFacts],
) -> Findings {
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
        if let Some(reverted) = commit.reverts.filter(|_| commit.owns_material()) {
            found.add(remedy::revert_takes_material(commit.id, reverted));
        }
    }
    for change in changes
        .iter()
        .filter(|change| change.standing() == Standing::Held)
    {
        found.add(remedy::held_change(facts, change));
    }
    if !patches.is_empty() {
        for (path, check) in &facts.tip.tool_config {
            found.add(remedy::tool_configuration(path, check, facts.tip.id));
        }
    }
    for (path, why) in &facts.tip.unlaid {
        found.add(remedy::not_as_checked_out(path, why, facts.tip.id));
    }
    let tip = &facts.tip.material;
    let of_policy = [
        (
            POLICY_PATH,
            judging.iter().any(|judging| judging.policy != tip.policy),
        ),
        (
            SIGNERS_PATH,
            judging.iter().any(|judging| judging.signers != tip.signers),
        ),
    ];
    for (path, _) in of_policy.iter().filter(|(_, changes)| *changes) {
        found.add(match patches.first() {
            Some(patch) => remedy::policy_with_patch(path, patch.id),
            None => remedy::policy_alone(path, facts.tip.id),
        });
    }
    found
}
