//! Judges whether property files and cited texts stand before the patch.

use std::collections::{BTreeMap, BTreeSet};

use super::delta::Case;
use super::view::View;
use super::{Late, remedy};
use crate::decide::facts::{Held, Listing, Material};
use crate::decide::ledgers::Findings;
use crate::ledger::oracle::{OracleRow, Source};
use crate::model::ids::EntryState;

/// Judges the files whose state differs between a base and tip.
pub(super) fn judge(case: &Case<'_>, base: &Held, late: &BTreeMap<String, Late>) -> Findings {
    let mut found = Findings::default();
    let named = Named::of(case, base, late);
    for path in differing(
        &base.material.properties,
        &case.facts.tip.material.properties,
    ) {
        judge_property(case, base, path, &named, &mut found);
    }
    for path in differing(&base.material.specs, &case.facts.tip.material.specs) {
        judge_text(case, base, path, &named, &mut found);
    }
    found
}

/// Whether a patch commit met a new file in another state while no smoke row named it: then it was
/// a file that scored properties may have loaded, and no row added later opens it.
fn was_a_helper(case: &Case<'_>, path: &str, state: Option<&EntryState>) -> bool {
    case.pairs.groups.iter().any(|group| {
        let there = group.material.properties.get(path);
        there.is_some() && there != state && !files(smoke(group.material)).contains(path)
    })
}

/// Which rows name which files.
struct Named<'a> {
    /// Property files of rows that score, at base or at tip.
    scored: BTreeSet<&'a str>,
    /// Property files of late rows at tip.
    late: BTreeSet<&'a str>,
    /// Property files of smoke rows at base, and at tip.
    smoke_at_base: BTreeSet<&'a str>,
    smoke_at_tip: BTreeSet<&'a str>,
    /// Texts that rows cite which score at base, and at tip.
    cited_at_base: BTreeSet<&'a str>,
    cited_at_tip: BTreeSet<&'a str>,
}

impl<'a> Named<'a> {
    fn of(case: &Case<'a>, base: &'a Held, late: &BTreeMap<String, Late>) -> Self {
        let (before, tip) = (case.views.get(&base.material), case.tip());
        let early = |view: &View<'a>| -> Vec<&'a OracleRow> {
            let rows = view.scored.values().copied();
            rows.filter(|row| !late.contains_key(&row.oracle_id))
                .collect()
        };
        let (at_base, at_tip) = (
            before.scored.values().copied().collect::<Vec<_>>(),
            early(tip),
        );
        let is_late = |row: &&OracleRow| late.contains_key(&row.oracle_id);
        let late_rows = tip.scored.values().copied().filter(is_late);
        Self {
            scored: files(at_base.iter().chain(&at_tip).copied()),
            late: files(late_rows),
            smoke_at_base: files(smoke(&base.material)),
            smoke_at_tip: files(smoke(&case.facts.tip.material)),
            cited_at_base: cited(&at_base),
            cited_at_tip: cited(&at_tip),
        }
    }

    /// Whether section 3 leaves a property file alone.
    ///
    /// A file that base holds is left alone only when base already kept it for smoke: otherwise
    /// a smoke row added today would open any helper that scored properties load.
    fn is_spared(&self, path: &str, at_base: bool) -> bool {
        let smoke = if at_base {
            &self.smoke_at_base
        } else {
            &self.smoke_at_tip
        };
        let left = smoke.contains(path) || (!at_base && self.late.contains(path));
        left && !self.scored.contains(path)
    }
}

fn files<'a>(rows: impl Iterator<Item = &'a OracleRow>) -> BTreeSet<&'a str> {
    rows.flat_map(|row| row.property_files.iter().map(|file| file.path.as_str()))
        .collect()
}

fn smoke(material: &Material) -> impl Iterator<Item = &OracleRow> {
    material
        .oracle
        .valid()
        .into_iter()
        .flat_map(|ledger| ledger.oracles.iter().filter(|row| !row.scores()))
}

fn cited<'a>(rows: &[&'a OracleRow]) -> BTreeSet<&'a str> {
    let path = |row: &&'a OracleRow| match row.source() {
        Source::Text { path, .. } => Some(path),
        Source::Elsewhere(_) | Source::Malformed(_) => None,
    };
    rows.iter().filter_map(path).collect()
}

/// The paths whose state differs between two listings.
pub(super) fn differing<'a>(one: &'a Listing, other: &'a Listing) -> BTreeSet<&'a str> {
    if std::ptr::eq(one, other) {
        return BTreeSet::new();
    }
    let gone = one
        .iter()
        .filter(|(path, state)| other.get(*path) != Some(state));
    let come = other.keys().filter(|path| !one.contains_key(*path));
    gone.map(|(path, _)| path.as_str())
        .chain(come.map(String::as_str))
        .collect()
}

fn judge_property(
    case: &Case<'_>,
    base: &Held,
    path: &str,
    named: &Named<'_>,
    found: &mut Findings,
) {
    let state = case.facts.tip.material.properties.get(path);
    let at_base = base.material.properties.contains_key(path);
    if named.is_spared(path, at_base) && !was_a_helper(case, path, state) {
        return;
    }
    if at_base {
        found.add(remedy::weakened_file(
            case.facts,
            path,
            base,
            state.is_some(),
        ));
    } else if case.landed(|_, material| material.properties.get(path) == state) {
        return;
    }
    if let Some(patch) = case.broken_by(|_, material| material.properties.get(path) == state) {
        found.add(remedy::changed_file(
            case.facts,
            path,
            patch.id,
            state.is_some(),
        ));
    }
}

fn judge_text(case: &Case<'_>, base: &Held, path: &str, named: &Named<'_>, found: &mut Findings) {
    if !named.cited_at_base.contains(path) && !named.cited_at_tip.contains(path) {
        return;
    }
    let state = case.facts.tip.material.specs.get(path);
    let at_base = base.material.specs.contains_key(path);
    if !at_base && case.landed(|_, material| material.specs.get(path) == state) {
        return;
    }
    if let Some(patch) = case.broken_by(|_, material| material.specs.get(path) == state) {
        found.add(remedy::changed_text(case.facts, path, patch.id));
    } else if named.cited_at_base.contains(path) {
        found.add(remedy::amended_text(case.facts, path));
    }
}
