//! Judges whether oracle and freeze rows stand before the patch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::delta::Case;
use super::view::same_row;
use super::{Late, reach, remedy};
use crate::decide::facts::{CommitFacts, Held, Material, Reading};
use crate::decide::ledgers::Findings;
use crate::ledger::freeze::FreezeRow;
use crate::model::ids::CommitId;

/// What the rows of one base say.
#[derive(Default)]
pub(super) struct Judged {
    pub(super) findings: Findings,
    pub(super) late: BTreeMap<String, Late>,
    /// The descendants of the patch commits that were asked about.
    later: BTreeMap<CommitId, BTreeSet<CommitId>>,
}

/// Judges every row whose state differs between a base and tip.
///
/// A ledger of tip that cannot be read refuses by itself: what its rows are is not known.
pub(super) fn judge(case: &Case<'_>, base: &Held) -> Judged {
    let mut judged = Judged::default();
    let (before, tip) = (&case.views.get(&base.material).scored, &case.tip().scored);
    let tip_is_known = !matches!(case.facts.tip.material.oracle, Reading::Invalid(_));
    let ids: BTreeSet<&str> = before.keys().chain(tip.keys()).copied().collect();
    for id in ids
        .into_iter()
        .filter(|id| tip_is_known && !same_row(before.get(id), tip.get(id)))
    {
        if before.contains_key(id) {
            judged.findings.add(remedy::weakened_row(
                case.facts,
                base,
                id,
                tip.contains_key(id),
            ));
        } else if case.landed(|view, _| same_row(view.scored.get(id), tip.get(id))) {
            continue;
        }
        if tip.contains_key(id) {
            judge_row(case, id, !before.contains_key(id), &mut judged);
        }
    }
    judge_freezes(case, base, &mut judged.findings);
    judged
}

/// Judges a row of tip that base lacks or has otherwise.
fn judge_row(case: &Case<'_>, id: &str, is_new: bool, judged: &mut Judged) {
    let tip = &case.tip().scored;
    for group in &case.pairs.groups {
        let there = case.views.get(group.material).scored.get(id);
        if same_row(there, tip.get(id)) {
            continue;
        }
        let first = group.commits[0];
        if there.is_some() || !is_new {
            return judged
                .findings
                .add(remedy::changed_row(case.facts, id, first.id));
        }
        if let Some(owner) = group
            .commits
            .iter()
            .find(|commit| introduces(case, commit, id))
        {
            judged
                .findings
                .add(remedy::same_commit(case.facts, id, owner.id));
        } else if !judged.late.contains_key(id) {
            let later = judged.later.entry(first.id);
            let later = later.or_insert_with(|| reach::descendants(&case.facts.commits, first.id));
            let reason = lateness(case, id, later);
            let is_faced = case
                .pairs
                .groups
                .iter()
                .any(|group| case.views.get(group.material).scored.contains_key(id));
            judged.late.insert(
                id.to_owned(),
                Late {
                    reason,
                    patch: first.id,
                    is_faced,
                },
            );
        }
    }
}

/// Whether a commit holds a scored row of this id in a state that none of its parents has.
fn introduces(case: &Case<'_>, commit: &CommitFacts, id: &str) -> bool {
    let row = |material| case.views.get(material).scored.get(id);
    let own = row(&commit.material);
    let is_changed = !commit
        .parents
        .iter()
        .any(|parent| Arc::ptr_eq(&parent.material, &commit.material));
    is_changed
        && own.is_some()
        && !commit
            .parents
            .iter()
            .any(|parent| same_row(row(&parent.material), own))
}

/// Whether the row came above the patch commit or beside it, by the commits that brought its id.
fn lateness(case: &Case<'_>, id: &str, later: &BTreeSet<CommitId>) -> &'static str {
    let holds = |material: &Arc<Material>| case.views.get(material).scored.contains_key(id);
    let brings = |commit: &&CommitFacts| {
        holds(&commit.material) && !commit.parents.iter().any(|parent| holds(&parent.material))
    };
    let mut bringing = case.facts.commits.iter().filter(brings);
    if bringing.any(|commit| later.contains(&commit.id)) {
        "after-patch"
    } else {
        "concurrent"
    }
}

/// A scored row that the range introduced, that a patch had to face, and that is gone at tip, or
/// was gone while the patch went on: an oracle that a patch failed may not disappear.
pub(super) fn judge_removed(case: &Case<'_>) -> Findings {
    let mut found = Findings::default();
    if matches!(case.facts.tip.material.oracle, Reading::Invalid(_)) {
        return found;
    }
    let dropped = dropped(case);
    let bases: Vec<_> = case
        .facts
        .bases
        .iter()
        .map(|base| case.views.get(&base.material))
        .collect();
    let is_kept = |id: &str| {
        let is_there = case.tip().scored.contains_key(id) && !dropped.contains(id);
        is_there || bases.iter().any(|base| base.scored.contains_key(id))
    };
    let mut gone = BTreeMap::new();
    for group in &case.pairs.groups {
        let faced = case.views.get(group.material).scored.iter();
        for (id, row) in faced.filter(|(id, _)| !is_kept(id)) {
            let is_ours = |commit: &CommitFacts| {
                introduces(case, commit, id)
                    && same_row(case.views.get(&commit.material).scored.get(id), Some(row))
            };
            if !gone.contains_key(id) && case.facts.commits.iter().any(is_ours) {
                gone.insert(*id, group.commits[0].id);
            }
        }
    }
    gone.into_iter()
        .for_each(|(id, patch)| found.add(remedy::removed_row(case.facts, id, patch)));
    found
}

/// The rows that a commit of the range takes from all its parents while a patch stands on that.
fn dropped<'a>(case: &Case<'a>) -> BTreeSet<&'a str> {
    let rows = |material: &Arc<Material>| &case.views.get(material).scored;
    let mut dropped = BTreeSet::new();
    for commit in &case.facts.commits {
        let Some(first) = commit.parents.first() else {
            continue;
        };
        if commit
            .parents
            .iter()
            .any(|parent| Arc::ptr_eq(&parent.material, &commit.material))
        {
            continue; // holds what a parent holds
        }
        let is_gone = |id: &&str| {
            !rows(&commit.material).contains_key(id)
                && commit
                    .parents
                    .iter()
                    .all(|parent| rows(&parent.material).contains_key(id))
        };
        let gone: Vec<&str> = rows(&first.material)
            .keys()
            .copied()
            .filter(is_gone)
            .collect();
        if !gone.is_empty() && is_under_patch(case, commit) {
            dropped.extend(gone);
        }
    }
    dropped
}

/// Whether a commit carries a patch, or a patch commit stands on it.
fn is_under_patch(case: &Case<'_>, commit: &CommitFacts) -> bool {
    let later = reach::descendants(&case.facts.commits, commit.id);
    let mut patches = case.facts.commits.iter().filter(|commit| commit.is_patch());
    patches.any(|patch| patch.id == commit.id || later.contains(&patch.id))
}

fn judge_freezes(case: &Case<'_>, base: &Held, found: &mut Findings) {
    let before = &case.views.get(&base.material).freezes;
    for (key, row) in &case.tip().freezes {
        let same = |there: Option<&&FreezeRow>| there.is_some_and(|there| there.same_state(row));
        if same(before.get(key)) {
            continue;
        }
        if before.contains_key(key) {
            found.add(remedy::edited_freeze(case.facts, row, base));
        } else if case.landed(|view, _| same(view.freezes.get(key))) {
            continue;
        }
        if let Some(patch) = case.broken_by(|view, _| same(view.freezes.get(key))) {
            found.add(remedy::added_freeze(case.facts, row, patch.id));
        }
    }
}
