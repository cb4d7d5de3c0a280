//! Judges whether fixture bytes and runner image stay the same while the patch is made.

use std::collections::BTreeSet;

use super::delta::Case;
use super::files::differing;
use super::{reach, remedy};
use crate::decide::facts::{CommitFacts, Facts, Held, Material};
use crate::decide::ledgers::Findings;
use crate::ledger::field::text;

/// Judges the fixtures of a range with patch commits against one base.
pub(super) fn judge(case: &Case<'_>, base: &Held) -> Findings {
    let mut found = Findings::default();
    let tip = &case.facts.tip.material;
    judge_image(case, base, &mut found);
    let pinned = pinned(&base.material);
    for path in differing(&base.material.fixtures, &tip.fixtures) {
        let state = tip.fixtures.get(path);
        let at_base = base.material.fixtures.contains_key(path);
        if pinned.contains(path) {
            found.add(remedy::migrated_with_patch(case.facts, path, base));
        } else if !at_base && case.landed(|_, material| material.fixtures.get(path) == state) {
            continue;
        }
        if let Some(patch) = case.broken_by(|_, material| material.fixtures.get(path) == state) {
            found.add(remedy::changed_fixture(case.facts, path, patch.id));
        }
    }
    found
}

fn judge_image(case: &Case<'_>, base: &Held, found: &mut Findings) {
    let (before, now) = (image(&base.material), image(&case.facts.tip.material));
    let landed = || before.is_empty() && case.landed(|_, material| image(material) == now);
    if now.is_empty() || before == now || landed() {
        return;
    }
    if let Some(patch) = case.broken_by(|_, material| image(material) == now) {
        found.add(remedy::changed_image(case.facts, now, patch.id));
    }
}

fn image(material: &Material) -> &str {
    material
        .fixture
        .valid()
        .map(|ledger| text(&ledger.runner_image_id))
        .unwrap_or_default()
}

fn epoch(material: &Material) -> &str {
    material
        .fixture
        .valid()
        .map(|ledger| text(&ledger.epoch_id))
        .unwrap_or_default()
}

fn pinned(material: &Material) -> BTreeSet<&str> {
    let files = material
        .fixture
        .valid()
        .map(|ledger| ledger.files.as_slice())
        .unwrap_or_default();
    files.iter().map(|file| file.path.as_str()).collect()
}

/// Judges a migration in a range of its own: the bytes in one commit, the new epoch in a later.
///
/// The commit that names the new epoch stands on every commit that moves pinned bytes: otherwise
/// it hides the drift that the two commits would show.
pub(super) fn judge_migration(facts: &Facts) -> Findings {
    let mut found = Findings::default();
    let tip = &facts.tip.material;
    for base in facts
        .bases
        .iter()
        .filter(|base| epoch(&base.material) != epoch(tip))
    {
        let pinned = pinned(&base.material);
        let moved = differing(&base.material.fixtures, &tip.fixtures);
        let moved: Vec<_> = moved
            .into_iter()
            .filter(|path| pinned.contains(path))
            .collect();
        for path in moved {
            let mut moving = facts
                .commits
                .iter()
                .filter(|commit| commit.reverts.is_none() && owns(commit, path));
            let beside = moving.find(|commit| {
                let later = reach::descendants(&facts.commits, commit.id);
                let mut naming = facts
                    .commits
                    .iter()
                    .filter(|other| names(other, epoch(tip)));
                names(commit, epoch(&commit.material))
                    || naming.any(|other| !later.contains(&other.id))
            });
            if let Some(commit) = beside {
                found.add(remedy::mixed_migration(facts, path, commit.id));
            }
        }
    }
    found
}

/// Whether a commit brings an epoch that no parent has.
fn names(commit: &CommitFacts, wanted: &str) -> bool {
    epoch(&commit.material) == wanted
        && commit
            .parents
            .iter()
            .all(|parent| epoch(&parent.material) != wanted)
}

fn owns(commit: &CommitFacts, path: &str) -> bool {
    let state = commit.material.fixtures.get(path);
    commit
        .parents
        .iter()
        .all(|parent| parent.material.fixtures.get(path) != state)
}
