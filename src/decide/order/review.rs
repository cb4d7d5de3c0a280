//! Remarks on the freezes that a range without a patch adds or changes.

use std::sync::Arc;

use super::view::Views;
use crate::decide::facts::{Facts, Material};
use crate::decide::ledgers::Findings;

/// Remarks for a reviewer. Nothing refuses here: a range of its own is how freezes change.
pub(super) fn notes(facts: &Facts, judging: &[Arc<Material>], views: &Views<'_>) -> Findings {
    let mut found = Findings::default();
    let tip = views.get(&facts.tip.material);
    for judging in judging {
        let before = views.get(judging);
        for (key, row) in &tip.freezes {
            let word = match before.freezes.get(key) {
                None => "added",
                Some(there) if !there.same_state(row) => "changed",
                Some(_) => continue,
            };
            found.warn(format!(
                "for review: the freeze of {} seed {} is {word} since base",
                key.0, key.1
            ));
        }
    }
    found
}
