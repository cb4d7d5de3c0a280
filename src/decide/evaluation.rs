//! Evaluates the facts of a range once: the order of its commits, the standing of each row, and
//! everything that the ledgers are found to break.

use std::collections::BTreeMap;

use super::facts::Facts;
use super::ledgers::{Findings, judge_files};
use super::order::{self, Order};
use super::standings::{count, standings};
use super::{fixture, freeze, line, oracle};
use crate::model::decision::Standing;
use crate::model::ids::OracleId;

/// What follows from the facts of a range alone, before any score. Every decision about the range
/// is a function of this value.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Everything that was gathered.
    pub facts: Facts,
    /// Which commits carry the patch, and which rows came too late. Its findings are in `findings`.
    pub order: Order,
    /// Where every row stands, by id.
    pub standings: BTreeMap<OracleId, Standing>,
    /// What `check` finds.
    pub findings: Findings,
}

impl Evaluation {
    /// Evaluates the facts of a range. This is the one place that computes order and standings.
    pub fn of(facts: Facts) -> Self {
        let mut order = order::judge(&facts);
        let standings = standings(&facts, &order);
        let mut findings = std::mem::take(&mut order.findings);
        if facts.line.is_adoption {
            // before the first policy nothing had to come first
            (findings, order.late) = Default::default();
        }
        findings.absorb(line::judge(&facts));
        findings.absorb(judge_files(&facts));
        findings.absorb(oracle::judge_rows(&facts));
        findings.absorb(fixture::judge_epoch(&facts));
        findings.absorb(freeze::judge_rows(&facts));
        let (frozen, scored) = (
            count(&standings, Standing::Frozen),
            count(&standings, Standing::Scored),
        );
        findings
            .details
            .extend(freeze::judge_share(&facts, frozen, scored));
        judge_late(&facts, &order, scored, &mut findings);
        Self {
            facts,
            order,
            standings,
            findings,
        }
    }

    /// Whether a commit of the range carries a patch.
    pub fn has_patch(&self) -> bool {
        !self.order.patch.is_empty()
    }
}

/// Late rows refuse when nothing else is left to score, and are remarked on otherwise.
fn judge_late(facts: &Facts, order: &Order, complement: usize, found: &mut Findings) {
    if complement == 0 {
        return found
            .details
            .extend(order::late_refusals(facts, &order.late));
    }
    for (id, late) in &order.late {
        found.warn(format!(
            "{id} is late ({}): it does not score for this patch",
            late.reason
        ));
    }
}
