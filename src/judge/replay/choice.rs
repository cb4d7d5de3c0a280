//! Chooses the seeds that are replayed.

use std::collections::BTreeSet;

use crate::judge::fault::TrialError;
use crate::judge::pin::{TrialInputs, TrialRequest};
use crate::judge::properties::{Property, plan};
use crate::ledger::field::Field;
use crate::ledger::freeze::FreezeRow;
use crate::model::ids::OracleId;
use crate::model::refusal::Code;
use crate::policy::Policy;

/// What is to be replayed.
#[derive(Clone, Debug, Default)]
pub struct ReplayRequest<'a> {
    /// The range or the patch; without a candidate only its base counts.
    pub trial: TrialRequest<'a>,
    /// Whether the candidate is run, too.
    pub has_candidate: bool,
    /// The row; every frozen one when none is named.
    pub property: Option<&'a OracleId>,
    /// The seed, frozen or not; those that are frozen when none is named.
    pub seed: Option<&'a str>,
    /// How often each seed runs on each tree; as often as in a trial when no number is named.
    pub times: Option<u64>,
}

/// The rows of the seeds that are to be run: those that freeze them, and stand-ins for seeds that
/// no row names.
pub(super) struct Choice {
    pub(super) rows: Vec<FreezeRow>,
    /// Those of them that are rows of the ledger.
    frozen: BTreeSet<(String, String)>,
}

impl Choice {
    /// Every property with the chosen seeds alone, as if each were frozen.
    ///
    /// # Errors
    /// When no check runs a property.
    pub(super) fn properties<'a>(
        &'a self,
        policy: &'a Policy,
        inputs: &'a TrialInputs,
    ) -> Result<Vec<Property<'a>>, TrialError> {
        let mut properties = planned(policy, inputs, &self.rows)?;
        for property in &mut properties {
            let chosen: BTreeSet<&str> = property.freezes.iter().map(|row| row.key().1).collect();
            property.seeds.retain(|seed| chosen.contains(seed.as_str()));
        }
        properties.retain(|property| !property.seeds.is_empty());
        Ok(properties)
    }

    /// Whether a freeze row of the ledger names a chosen seed.
    pub(super) fn is_frozen(&self, id: &OracleId, seed: &str) -> bool {
        self.frozen.contains(&(id.to_string(), seed.to_owned()))
    }
}

/// The properties of the tip, with their seeds and freeze rows.
///
/// # Errors
/// When no check runs one of them.
pub(super) fn planned<'a>(
    policy: &'a Policy,
    inputs: &'a TrialInputs,
    freezes: &'a [FreezeRow],
) -> Result<Vec<Property<'a>>, TrialError> {
    plan(
        policy,
        inputs.evaluation.facts.tip.material.oracle_rows(),
        freezes,
        &inputs.evaluation.standings,
    )
}

/// The seeds that were asked for: the one that was named; else those that are frozen; else, of a
/// property that was named, those of its check.
///
/// # Errors
/// When there is no such row.
pub(super) fn choose(
    policy: &Policy,
    inputs: &TrialInputs,
    request: &ReplayRequest<'_>,
) -> Result<Choice, TrialError> {
    let rows = inputs.evaluation.facts.tip.material.freeze_rows();
    let properties = planned(policy, inputs, rows)?;
    let is_meant = |property: &&Property<'_>| request.property.is_none_or(|id| *id == property.id);
    let mut choice = Choice {
        rows: Vec::new(),
        frozen: BTreeSet::new(),
    };
    for property in properties.iter().filter(is_meant) {
        let seeds: Vec<&str> = match (request.seed, request.property) {
            (Some(seed), _) => vec![seed],
            (None, Some(_)) if property.freezes.is_empty() => {
                property.seeds.iter().map(String::as_str).collect()
            }
            (None, _) => property.freezes.iter().map(|row| row.key().1).collect(),
        };
        for seed in seeds {
            let row = property.freezes.iter().find(|row| row.key().1 == seed);
            if row.is_some() {
                choice
                    .frozen
                    .insert((property.id.to_string(), seed.to_owned()));
            }
            choice
                .rows
                .push(row.map_or_else(|| bare(&property.id, seed), |row| (*row).clone()));
        }
    }
    match request.property.filter(|_| choice.rows.is_empty()) {
        Some(id) => Err(unknown(id)),
        None => Ok(choice),
    }
}

/// A row that lets a seed run as if it were frozen, and covers nothing.
fn bare(id: &OracleId, seed: &str) -> FreezeRow {
    let value = |text: &str| Some(Field::Value(text.to_owned()));
    FreezeRow {
        property_id: value(id.as_str()),
        seed: value(seed),
        base_rev: None,
        fixture_epoch: None,
        observed_on: None,
        expires_at: None,
        owner: None,
        paths: None,
        quarantine_eligible: None,
        evidence: None,
    }
}

fn unknown(id: &OracleId) -> TrialError {
    TrialError::Refused {
        code: Code::FreezeUnbound,
        message: format!("no oracle row {id} is committed there"),
        fix: "git reins oracle list; a row that is not committed is committed first: git reins oracle commit"
            .to_owned(),
    }
}
