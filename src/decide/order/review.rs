//! What should a reviewer of a range without a patch see: what is no longer as base has it?

use super::files::differing;
use super::view::{Views, same_row};
use crate::decide::facts::{Facts, Held};
use crate::decide::ledgers::Findings;

/// Remarks on rows, property files and freezes of base that the range edits or takes away, and on
/// freezes that it adds. Nothing refuses here: such a range is how ledgers change.
pub(super) fn notes(facts: &Facts, views: &Views<'_>) -> Findings {
    let mut found = Findings::default();
    for base in &facts.bases {
        rows(facts, views, base, &mut found);
        let (before, tip) = (&base.material.properties, &facts.tip.material.properties);
        for path in differing(before, tip).into_iter().filter(|path| before.contains_key(*path)) {
            found.warn(format!("for review: {path} is {} since base", changed(tip.contains_key(path))));
        }
    }
    found
}

fn rows(facts: &Facts, views: &Views<'_>, base: &Held, found: &mut Findings) {
    let (before, tip) = (views.get(&base.material), views.get(&facts.tip.material));
    for (id, row) in &before.scored {
        if !same_row(Some(row), tip.scored.get(id)) {
            found.warn(format!("for review: {id} is {} since base", changed(tip.scored.contains_key(id))));
        }
    }
    for (key, row) in &tip.freezes {
        let old = before.freezes.get(key);
        if !old.is_some_and(|old| old.same_state(row)) {
            let word = if old.is_some() { "changed" } else { "added" };
            found.warn(format!("for review: the freeze of {} seed {} is {word} since base", key.0, key.1));
        }
    }
}

fn changed(is_there: bool) -> &'static str {
    if is_there { "changed" } else { "gone" }
}
