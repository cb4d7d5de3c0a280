//! Judges the order of a range: what judges the patch is committed, in its final form, before it.

pub mod before;
mod delta;
mod files;
mod fixtures;
mod holds;
mod lost;
mod reach;
mod remedy;
mod review;
mod rows;
mod view;

use std::collections::BTreeMap;

use super::facts::{CommitFacts, Facts};
use super::ledgers::Findings;
use crate::model::decision::Detail;
use crate::model::ids::CommitId;
use crate::model::refusal::Code;

use delta::Pairs;
use view::Views;

/// What the order of the commits says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The commits that carry the patch, parents first.
    pub patch: Vec<CommitId>,
    /// The rows that came too late to score, by id.
    pub late: BTreeMap<String, Late>,
    /// Refusals, holds and remarks; late rows refuse only when nothing else scores.
    pub findings: Findings,
}

/// Why a row is late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Late {
    /// `after-patch` or `concurrent`.
    pub reason: &'static str,
    /// The patch commit that does not stand on the row.
    pub patch: CommitId,
    /// Whether another patch commit stands on it: then its failure may not disappear.
    pub is_faced: bool,
}

/// Judges the order of a range.
pub fn judge(facts: &Facts) -> Order {
    #[cfg(test)]
    super::computed::note_order();
    let views = Views::of(facts);
    let patches: Vec<&CommitFacts> = facts
        .commits
        .iter()
        .filter(|commit| commit.is_patch())
        .collect();
    let mut order = Order {
        patch: patches.iter().map(|commit| commit.id).collect(),
        ..Order::default()
    };
    if facts.bases.is_empty() {
        order.findings.add(unrelated(facts));
        return order;
    }
    order.findings.absorb(holds::judge(facts, &patches));
    order.findings.absorb(lost::notes(facts));
    if patches.is_empty() {
        order.findings.absorb(fixtures::judge_migration(facts));
        order.findings.absorb(review::notes(facts, &views));
        return order;
    }
    let pairs = Pairs::of(&patches);
    let case = delta::Case {
        facts,
        views: &views,
        pairs: &pairs,
    };
    for base in &facts.bases {
        let judged = rows::judge(&case, base);
        order.findings.absorb(judged.findings);
        for (id, late) in judged.late {
            order.late.entry(id).or_insert(late);
        }
    }
    for base in &facts.bases {
        order
            .findings
            .absorb(files::judge(&case, base, &order.late));
        order.findings.absorb(fixtures::judge(&case, base));
    }
    order.findings.absorb(rows::judge_removed(&case));
    order
}

fn unrelated(facts: &Facts) -> Detail {
    Detail::new(
        Code::HistoryUntrusted,
        "no-common-commit",
        facts.tip.id.to_string(),
    )
    .commit(facts.tip.id)
    .saw(
        "no commit in common with the protected line",
        "a merge base",
    )
}

/// The refusals for late rows, for when no other row scores.
pub fn late_refusals(facts: &Facts, late: &BTreeMap<String, Late>) -> Vec<Detail> {
    late.iter()
        .map(|(id, late)| remedy::late_row(facts, id, late))
        .collect()
}
