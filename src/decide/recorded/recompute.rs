//! Finds the first difference between a record and what its runs and the ledgers say.

use serde::Serialize;

use super::bind::{Difference, unenforced};
use super::derive::derive;
use super::unwitnessed::unwitnessed;
use crate::decide::enforced::{name, online};
use crate::decide::evaluation::Evaluation;
use crate::decide::facts::Facts;
use crate::decide::trial_key::{self, Bound};
use crate::model::day::Day;
use crate::model::trial::{Power, PropertyPower, Trial};

/// Derives everything of a record that its runs do not state, and names the first member that
/// differs, in the order of the record.
///
/// Of a patch file that no commit holds the facts are those of its base: then candidate tree and
/// touched paths are taken from the record.
pub fn recompute(evaluation: &Evaluation, record: &Trial, today: Day) -> Option<Difference> {
    let facts = &evaluation.facts;
    let bound = Bound::of(evaluation);
    let decision = derive(evaluation, record, today);
    let seeds = trial_key::seeds(&facts.policy);
    let is_committed = facts.has_patch() && record.candidate_tree.is_some();
    let none = || "none".to_owned();
    let mut members = vec![(
        "base_tree",
        record.base_tree.to_string(),
        bound.base_tree.map_or_else(none, |id| id.to_string()),
    )];
    if is_committed {
        let recorded = record.candidate_tree.map_or_else(none, |id| id.to_string());
        members.push(("candidate_tree", recorded, bound.candidate_tree.to_string()));
        let touched: Vec<_> = record.touched.iter().map(|path| path.as_str()).collect();
        members.push(("touched", text(&touched), text(&facts.tip.touched)));
    }
    let epoch = bound.epoch.as_ref();
    members.extend([
        ("seeds", text(&record.seeds), text(&seeds)),
        (
            "seeds_sha256",
            record.seeds_sha256.to_string(),
            trial_key::seeds_sha256(&seeds).to_string(),
        ),
        (
            "policy_sha256",
            record.policy_sha256.to_string(),
            bound.policy_sha256.to_string(),
        ),
        (
            "rows_sha256",
            record.rows_sha256.to_string(),
            bound.rows_sha256.to_string(),
        ),
        ("epoch", text(&record.epoch), epoch.map_or_else(none, text)),
        ("image.id", record.image.id.clone(), bound.image_id.clone()),
        ("enforced", text(&record.enforced), lacking(facts, record)),
        (
            "online",
            text(&record.online),
            text(&online(&facts.policy, &record.checks)),
        ),
        (
            "power",
            text(&sorted(&record.power)),
            text(&sorted(&decision.power)),
        ),
        (
            "unwitnessed",
            text(&record.unwitnessed),
            text(&unwitnessed(&record.checks, &record.touched)),
        ),
        ("held", text(&record.held), text(&decision.held)),
        (
            "canary_bad",
            text(&record.canary_bad),
            text(&decision.canary_bad),
        ),
        (
            "illegal_freeze",
            text(&record.illegal_freeze),
            text(&decision.illegal_freeze),
        ),
        (
            "uncovered_fail",
            text(&record.uncovered_fail),
            text(&decision.uncovered_fail),
        ),
        ("verdict", text(&record.verdict), text(&decision.verdict)),
        ("reasons", text(&record.reasons), text(&decision.reasons)),
    ]);
    let (field, recorded, derived) = members
        .into_iter()
        .find(|(_, recorded, derived)| recorded != derived)?;
    Some(Difference {
        field: field.to_owned(),
        recorded,
        derived,
    })
}

/// What was enforced, unless it is less than the policy requires.
fn lacking(facts: &Facts, record: &Trial) -> String {
    let lacking = unenforced(record, &facts.policy.judge.require);
    let names: Vec<_> = lacking.into_iter().map(name).collect();
    if names.is_empty() {
        text(&record.enforced)
    } else {
        format!("one with {}", names.join(" and "))
    }
}

fn sorted(power: &[PropertyPower]) -> Vec<(String, Power)> {
    let mut all: Vec<_> = power
        .iter()
        .map(|one| (one.property_id.to_string(), one.power))
        .collect();
    all.sort();
    all
}

/// A member on one line, a bare word without its quotes.
fn text(value: &(impl Serialize + ?Sized)) -> String {
    let text = serde_json::to_string(value).unwrap_or_default();
    text.strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .map(str::to_owned)
        .unwrap_or(text)
}
