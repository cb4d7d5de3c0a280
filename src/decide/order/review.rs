//! Remarks for the reviewer of a range without a patch: what differs from base.

use std::collections::BTreeSet;

use super::view::{View, Views};
use crate::decide::change::{compare_material, freeze_name};
use crate::decide::facts::{Facts, Held};
use crate::decide::ledgers::Findings;
use crate::model::change::{Area, Change, Kind};

/// Remarks on rows, property files and freezes of base that the range edits or takes away, and on
/// freezes that it adds. Nothing refuses here: such a range is how ledgers change. `git reins diff`
/// tells the same changes at length.
pub(super) fn notes(facts: &Facts, views: &Views<'_>) -> Findings {
    let mut found = Findings::default();
    for base in &facts.bases {
        let (changes, _) = compare_material(&base.material, &facts.tip.material);
        remarks(
            &changes,
            base,
            views,
            views.get(&facts.tip.material),
            &mut found,
        );
    }
    found
}

fn remarks(
    changes: &[Change],
    base: &Held,
    views: &Views<'_>,
    tip: &View<'_>,
    found: &mut Findings,
) {
    let before = views.get(&base.material);
    let mut freezes = BTreeSet::new();
    for Change {
        area, row, kind, ..
    } in changes
    {
        let is_there = match area {
            Area::Oracle if before.scored.contains_key(row.as_str()) => {
                tip.scored.contains_key(row.as_str())
            }
            Area::Properties if *kind != Kind::Added => *kind != Kind::Removed,
            Area::Freezes if *kind != Kind::Removed => {
                freezes.insert(row.as_str());
                continue;
            }
            Area::Oracle | Area::Properties | Area::Freezes | Area::Fixture | Area::Policy => {
                continue;
            }
        };
        found.warn(format!(
            "for review: {row} is {} since base",
            if is_there { "changed" } else { "gone" }
        ));
    }
    for key in tip
        .freezes
        .keys()
        .filter(|key| freezes.contains(freeze_name(**key).as_str()))
    {
        let word = if before.freezes.contains_key(key) {
            "changed"
        } else {
            "added"
        };
        found.warn(format!(
            "for review: the freeze of {} seed {} is {word} since base",
            key.0, key.1
        ));
    }
}
