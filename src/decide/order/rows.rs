//! Do the oracle and freeze rows stand before the patch?

use std::collections::{BTreeMap, BTreeSet};

use super::delta::Case;
use super::view::same_row;
use super::{Late, reach, remedy};
use crate::decide::facts::{CommitFacts, Held, Reading};
use crate::decide::ledgers::Findings;
use crate::ledger::freeze::FreezeRow;

/// What the rows of one base say.
#[derive(Default)]
pub(super) struct Judged {
    pub(super) findings: Findings,
    pub(super) late: BTreeMap<String, Late>,
}

/// Judges every row whose state differs between a base and tip.
///
/// A ledger of tip that cannot be read refuses by itself: what its rows are is not known.
pub(super) fn judge(case: &Case<'_>, base: &Held) -> Judged {
    let mut judged = Judged::default();
    let (before, tip) = (&case.views.get(&base.material).scored, &case.tip().scored);
    let tip_is_known = !matches!(case.facts.tip.material.oracle, Reading::Invalid(_));
    let ids: BTreeSet<&str> = before.keys().chain(tip.keys()).copied().collect();
    for id in ids.into_iter().filter(|id| tip_is_known && !same_row(before.get(id), tip.get(id))) {
        if before.contains_key(id) {
            judged.findings.add(remedy::weakened_row(case.facts, base, id, tip.contains_key(id)));
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
            return judged.findings.add(remedy::changed_row(case.facts, id, first.id));
        }
        if let Some(owner) = group.commits.iter().find(|commit| introduces(case, commit, id)) {
            judged.findings.add(remedy::same_commit(case.facts, id, owner.id));
        } else {
            let reason = lateness(case, id, first);
            judged.late.entry(id.to_owned()).or_insert(Late { reason, patch: first.id });
        }
    }
}

/// Whether a commit holds a scored row of this id in a state that none of its parents has.
fn introduces(case: &Case<'_>, commit: &CommitFacts, id: &str) -> bool {
    let row = |material| case.views.get(material).scored.get(id);
    let own = row(&commit.material);
    own.is_some() && !commit.parents.iter().any(|parent| same_row(row(&parent.material), own))
}

fn lateness(case: &Case<'_>, id: &str, patch: &CommitFacts) -> &'static str {
    let later = reach::descendants(&case.facts.commits, patch.id);
    let introducing = case.facts.commits.iter().filter(|commit| introduces(case, commit, id));
    if introducing.into_iter().any(|commit| later.contains(&commit.id)) {
        "after-patch"
    } else {
        "concurrent"
    }
}

/// A scored row that the range introduced, that a patch had to face, and that is gone at tip.
pub(super) fn judge_removed(case: &Case<'_>) -> Findings {
    let mut found = Findings::default();
    if matches!(case.facts.tip.material.oracle, Reading::Invalid(_)) {
        return found;
    }
    let mut faced: BTreeMap<&str, &CommitFacts> = BTreeMap::new();
    for group in &case.pairs.groups {
        for id in case.views.get(group.material).scored.keys() {
            faced.entry(id).or_insert(group.commits[0]);
        }
    }
    let bases: Vec<_> = case.facts.bases.iter().map(|base| case.views.get(&base.material)).collect();
    for (id, patch) in faced {
        let kept =
            case.tip().scored.contains_key(id) || bases.iter().any(|base| base.scored.contains_key(id));
        if !kept && case.facts.commits.iter().any(|commit| introduces(case, commit, id)) {
            found.add(remedy::removed_row(case.facts, id, patch.id));
        }
    }
    found
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
