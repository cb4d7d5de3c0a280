//! Finds the rows that a merge lost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::decide::facts::{CommitFacts, Facts, Material};
use crate::decide::ledgers::Findings;
use crate::model::ids::CommitId;
use crate::model::path::shown;

/// Remarks on rows that the range brought, that a merge dropped, and that tip lacks. A row of base
/// is missed elsewhere.
pub(super) fn notes(facts: &Facts) -> Findings {
    let mut found = Findings::default();
    let mut gone = BTreeMap::new();
    for merge in facts
        .commits
        .iter()
        .filter(|commit| commit.parents.len() > 1)
    {
        for name in dropped(merge) {
            gone.entry(name).or_insert(merge.id);
        }
    }
    let known = |name: &Name| {
        let tip = &facts.tip.material;
        [tip]
            .into_iter()
            .chain(facts.bases.iter().map(|base| &base.material))
            .any(|one| names(one).contains(name))
    };
    gone.retain(|name, _| !known(name) && !is_taken_away(facts, name));
    for ((kind, name), merge) in &gone {
        let merge: &CommitId = merge;
        let name = shown(name);
        found.warn(format!(
            "for review: the merge {} lost the {kind} {name}, which one side had added",
            merge.short()
        ));
    }
    found
}

/// The kind of a row and its name.
type Name = (&'static str, String);

/// What a merge lacks although a side of it that lies in the range has it.
fn dropped(merge: &CommitFacts) -> BTreeSet<Name> {
    let differs = |material: &Arc<Material>| !Arc::ptr_eq(material, &merge.material);
    let sides = merge
        .parents
        .iter()
        .filter(|parent| !parent.is_protected && differs(&parent.material));
    let held: BTreeSet<_> = sides.flat_map(|parent| names(&parent.material)).collect();
    if held.is_empty() {
        held
    } else {
        held.difference(&names(&merge.material)).cloned().collect()
    }
}

/// Whether a commit that is no merge removes a row: that is somebody's decision.
fn is_taken_away(facts: &Facts, name: &Name) -> bool {
    let plain = facts
        .commits
        .iter()
        .filter(|commit| commit.parents.len() == 1);
    let mut moved =
        plain.filter(|commit| !Arc::ptr_eq(&commit.parents[0].material, &commit.material));
    moved.any(|commit| {
        names(&commit.parents[0].material).contains(name) && !names(&commit.material).contains(name)
    })
}

fn names(material: &Material) -> BTreeSet<Name> {
    let rows = material
        .oracle_rows()
        .iter()
        .map(|row| ("row", row.oracle_id.clone()));
    let freezes = material.freeze_rows().iter().map(|row| {
        let (property, seed) = row.key();
        ("freeze of", format!("{property} seed {seed}"))
    });
    rows.chain(freezes).collect()
}
