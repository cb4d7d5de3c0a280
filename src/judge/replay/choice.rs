//! Which seeds are replayed, and as which properties?

use std::collections::BTreeSet;

use super::Asked;
use crate::judge::fault::TrialError;
use crate::judge::pin::Pinned;
use crate::judge::properties::{Property, plan};
use crate::ledger::field::Field;
use crate::ledger::freeze::FreezeRow;
use crate::model::ids::OracleId;
use crate::model::refusal::Code;
use crate::policy::Policy;

/// The rows of the seeds that are to be run: those that freeze them, and stand-ins for seeds that
/// no row names.
pub(super) struct Choice {
    pub(super) rows: Vec<FreezeRow>,
    /// Those of them that stand in the ledger.
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
        pinned: &'a Pinned,
    ) -> Result<Vec<Property<'a>>, TrialError> {
        let mut properties = planned(policy, pinned, &self.rows)?;
        for property in &mut properties {
            let chosen: BTreeSet<&str> = property.freezes.iter().map(|row| row.key().1).collect();
            property.seeds.retain(|seed| chosen.contains(seed.as_str()));
        }
        properties.retain(|property| !property.seeds.is_empty());
        Ok(properties)
    }

    /// Takes the stand-ins away: a seed is no better off for having been run like this.
    pub(super) fn only_real(&self, property: &mut Property<'_>) {
        let is_real = |row: &FreezeRow| {
            let (id, seed) = row.key();
            self.frozen.contains(&(id.to_owned(), seed.to_owned()))
        };
        property.freezes.retain(|row| is_real(row));
    }
}

/// The properties of the tip, with their seeds and freeze rows.
///
/// # Errors
/// When no check runs one of them.
pub(super) fn planned<'a>(
    policy: &'a Policy,
    pinned: &'a Pinned,
    freezes: &'a [FreezeRow],
) -> Result<Vec<Property<'a>>, TrialError> {
    plan(
        policy,
        pinned.evaluation.facts.tip.material.oracle_rows(),
        freezes,
        &pinned.evaluation.standings,
    )
}

/// The seeds that were asked for: the one that was named; else those that are frozen; else, of a
/// property that was named, those of its check.
///
/// # Errors
/// When there is no such row.
pub(super) fn choose(
    policy: &Policy,
    pinned: &Pinned,
    asked: &Asked<'_>,
) -> Result<Choice, TrialError> {
    let rows = pinned.evaluation.facts.tip.material.freeze_rows();
    let properties = planned(policy, pinned, rows)?;
    let is_meant = |property: &&Property<'_>| asked.property.is_none_or(|id| *id == property.id);
    let mut choice = Choice {
        rows: Vec::new(),
        frozen: BTreeSet::new(),
    };
    for property in properties.iter().filter(is_meant) {
        let seeds: Vec<&str> = match (asked.seed, asked.property) {
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
    match asked.property.filter(|_| choice.rows.is_empty()) {
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
