//! Tells which rows score, which are frozen, late or smoke.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::Facts;
use super::order::Order;
use crate::ledger::field::text;
use crate::ledger::oracle::OracleRow;
use crate::model::decision::Standing;
use crate::model::ids::OracleId;
use crate::policy::Network;

/// Where every row stands, by id.
pub(super) fn standings(facts: &Facts, order: &Order) -> BTreeMap<OracleId, Standing> {
    #[cfg(test)]
    super::computed::note_standings();
    let frozen = frozen_names(facts);
    let rows = facts.tip.material.oracle_rows();
    let standing = |row: &OracleRow| {
        if !row.scores() || is_online(facts, row) {
            Standing::Smoke
        } else if order.late.contains_key(&row.oracle_id) {
            Standing::Late
        } else if frozen.contains(row.oracle_id.as_str()) {
            Standing::Frozen
        } else {
            Standing::Scored
        }
    };
    rows.iter()
        .filter_map(|row| Some((row.id()?, standing(row))))
        .collect()
}

/// Whether the check of a row may reach the network, so that the row is smoke.
fn is_online(facts: &Facts, row: &OracleRow) -> bool {
    facts
        .policy
        .check_of(row.check.as_deref())
        .is_some_and(|check| check.network == Network::Allow)
}

/// Every property that any freeze row names, valid or not.
fn frozen_names(facts: &Facts) -> BTreeSet<&str> {
    let rows = facts.tip.material.freeze_rows();
    rows.iter().map(|row| text(&row.property_id)).collect()
}

/// How many rows have a standing.
pub fn count(standings: &BTreeMap<OracleId, Standing>, wanted: Standing) -> usize {
    standings
        .values()
        .filter(|standing| **standing == wanted)
        .count()
}
