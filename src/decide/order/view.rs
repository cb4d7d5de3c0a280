//! Indexes the rows of each state of the material, once for each state.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::decide::facts::{Facts, Material};
use crate::ledger::freeze::FreezeRow;
use crate::ledger::oracle::OracleRow;

/// The rows of one material by key. An unreadable ledger holds none.
#[derive(Debug, Default)]
pub(super) struct View<'a> {
    pub(super) scored: BTreeMap<&'a str, &'a OracleRow>,
    pub(super) freezes: BTreeMap<(&'a str, &'a str), &'a FreezeRow>,
}

/// The views of every material of the facts.
pub(super) struct Views<'a> {
    by_address: BTreeMap<usize, View<'a>>,
}

impl<'a> Views<'a> {
    pub(super) fn of(facts: &'a Facts) -> Self {
        let held = facts
            .bases
            .iter()
            .chain(&facts.protected)
            .map(|held| &held.material);
        let commits = facts.commits.iter().flat_map(|commit| {
            std::iter::once(&commit.material)
                .chain(commit.parents.iter().map(|parent| &parent.material))
        });
        let mut by_address = BTreeMap::new();
        for material in held
            .chain(commits)
            .chain(std::iter::once(&facts.tip.material))
        {
            by_address
                .entry(address(material))
                .or_insert_with(|| View::of(material));
        }
        Self { by_address }
    }

    pub(super) fn get(&self, material: &Arc<Material>) -> &View<'a> {
        &self.by_address[&address(material)]
    }
}

fn address(material: &Arc<Material>) -> usize {
    Arc::as_ptr(material) as usize
}

impl<'a> View<'a> {
    fn of(material: &'a Material) -> Self {
        let rows = material.oracle_rows();
        let freezes = material.freeze_rows();
        Self {
            scored: rows
                .iter()
                .filter(|row| row.scores())
                .map(|row| (row.oracle_id.as_str(), row))
                .collect(),
            freezes: freezes.iter().map(|row| (row.key(), row)).collect(),
        }
    }
}

/// Whether two optional rows are the same state.
pub(super) fn same_row(one: Option<&&OracleRow>, other: Option<&&OracleRow>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.same_state(other),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}
