//! Finds the files and cited sections of the range's own rows that did not stand before the patch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::delta::Case;
use super::{Late, remedy};
use crate::decide::facts::Material;
use crate::decide::ledgers::Findings;
use crate::decide::material_changes::differing;
use crate::ledger::oracle::{OracleRow, Source};

/// Judges the files of the rows that the range brings and that are not late, and the sections that
/// they cite.
pub(super) fn judge(
    case: &Case<'_>,
    judging: &Arc<Material>,
    late: &BTreeMap<String, Late>,
) -> Findings {
    let mut found = Findings::default();
    let held = &case.views.get(judging).scored;
    let rows = case.tip().scored.iter();
    let rows: Vec<&OracleRow> = rows
        .filter(|(id, _)| !held.contains_key(*id) && !late.contains_key(**id))
        .map(|(_, row)| *row)
        .collect();
    let named: BTreeSet<&str> = rows
        .iter()
        .flat_map(|row| row.property_files.iter().map(|file| file.path.as_str()))
        .collect();
    let tip = &case.facts.tip.material;
    for path in differing(&judging.properties, &tip.properties) {
        let state = tip.properties.get(path);
        let same = |material: &Material| material.properties.get(path) == state;
        if named.contains(path)
            && let Some(patch) = case.broken_by(|_, material| same(material))
        {
            found.add(remedy::changed_file(
                case.facts,
                path,
                patch.id,
                state.is_some(),
            ));
        }
    }
    for row in rows {
        if let Source::Text { path, anchor } = row.source() {
            judge_section(case, judging, path, anchor, &mut found);
        }
    }
    found
}

fn judge_section(
    case: &Case<'_>,
    judging: &Material,
    path: &str,
    anchor: &str,
    found: &mut Findings,
) {
    let tip = &case.facts.tip.material;
    let section = |material: &Material| {
        let state = material.specs.get(path)?;
        case.facts.contents.section(state.id, anchor)
    };
    let same = |material: &Material| {
        material.specs.get(path) == tip.specs.get(path)
            || section(material).is_some() && section(material) == section(tip)
    };
    if !same(judging)
        && let Some(patch) = case.broken_by(|_, material| same(material))
    {
        found.add(remedy::changed_text(case.facts, path, patch.id));
    }
}
