//! Compares what a trial is about with the candidate.

use crate::decide::enforced::{lacks, name, words};
use crate::decide::trial_key::Bound;
use crate::model::trial::Trial;
use crate::policy::Mechanism;

/// A member in which a record differs from what it is held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The member, from the top down: `epoch.epoch_id`.
    pub field: String,
    /// What the record says.
    pub recorded: String,
    /// What holds.
    pub derived: String,
}

/// What a trial was about that the candidate is not; empty when it counts for the candidate.
///
/// A trial of this epoch that ran on another image, or on other bytes, is about the candidate: it
/// refuses by the codes of the fixture ledger.
pub fn differences(trial: &Trial, bound: &Bound) -> Vec<Difference> {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "none".to_owned());
    let epoch = bound.epoch.as_ref();
    let members = [
        (
            "base_tree",
            trial.base_tree.to_string(),
            or_none(bound.base_tree.map(|id| id.to_string())),
        ),
        (
            "candidate_tree",
            or_none(trial.candidate_tree.map(|id| id.to_string())),
            bound.candidate_tree.to_string(),
        ),
        (
            "policy_sha256",
            trial.policy_sha256.to_string(),
            bound.policy_sha256.to_string(),
        ),
        (
            "rows_sha256",
            trial.rows_sha256.to_string(),
            bound.rows_sha256.to_string(),
        ),
        (
            "epoch.epoch_id",
            trial.epoch.epoch_id.clone(),
            or_none(epoch.map(|epoch| epoch.epoch_id.clone())),
        ),
        (
            "epoch.digest_sha256",
            trial.epoch.digest_sha256.to_string(),
            or_none(epoch.map(|epoch| epoch.digest_sha256.to_string())),
        ),
    ];
    let all = members
        .into_iter()
        .filter(|(_, recorded, derived)| recorded != derived);
    let mut found: Vec<_> = all
        .map(|(field, recorded, derived)| Difference {
            field: field.to_owned(),
            recorded,
            derived,
        })
        .collect();
    let moved = found
        .iter()
        .any(|difference| difference.field.starts_with("epoch"));
    if moved && trial.image.id != bound.image_id {
        found.push(Difference {
            field: "image.id".to_owned(),
            recorded: trial.image.id.clone(),
            derived: bound.image_id.clone(),
        });
    }
    found.extend(
        unenforced(trial, &bound.require)
            .into_iter()
            .map(|mechanism| Difference {
                field: "enforced".to_owned(),
                recorded: format!("nothing that counts as {}", name(mechanism)),
                derived: format!(
                    "{}, which judge.require asks for",
                    words(mechanism).join(" or ")
                ),
            }),
    );
    found
}

/// What the policy requires and the trial did not have; nothing when no check ran in it.
pub(super) fn unenforced(trial: &Trial, required: &[Mechanism]) -> Vec<Mechanism> {
    if trial.checks.is_empty() {
        Vec::new()
    } else {
        lacks(&trial.enforced, required)
    }
}
