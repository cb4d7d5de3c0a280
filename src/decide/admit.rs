//! Is the candidate admitted? All parts of the decision, put together.

use super::facts::Facts;
use super::ledgers::{Findings, judge_files, ledger_path};
use super::order::{self, Order};
use super::score::{self, Scored, Scores};
use super::{fixture, freeze, oracle, recorded};
use crate::ledger::file::LedgerName;
use crate::model::day::Day;
use crate::model::decision::{
    DECISION_SCHEMA, Decision, Detail, OrderEvidence, Outcome, Rules, Standing,
};
use crate::model::refusal::Code;

/// Do the ledgers agree? Everything but the score.
pub fn check(facts: &Facts) -> Decision {
    decide(facts, None)
}

/// Are the fixture bytes at tip the pinned ones? What `check` finds about the fixture ledger.
pub fn verify(facts: &Facts) -> Decision {
    let mut decision = check(facts);
    let ledger = ledger_path(facts, LedgerName::Fixture);
    let of_epoch = |detail: &Detail| {
        detail.code == Code::FixtureEpochUnpinned && detail.reason != "freeze-of-other-epoch"
    };
    let of_ledger = |detail: &Detail| {
        detail.path.as_ref() == Some(&ledger) && detail.code != Code::FixtureMigrationMixed
    };
    decision.details.retain(|detail| {
        detail.code == Code::FixtureDigestMismatch || of_epoch(detail) || of_ledger(detail)
    });
    decision.refusals = Decision::refusals_of(&decision.details);
    decision.decision = Decision::outcome_of(&decision.details, &[]);
    decision
}

/// Is the patch admitted? The ledgers agree, there is a patch, and its score stands.
pub fn admit(facts: &Facts, scores: Scores<'_>) -> Decision {
    decide(facts, Some(scores))
}

/// The answer where the line that the candidate would land on has no policy: nothing is judged.
pub fn unruled(line: &str, today: Day) -> Decision {
    Decision {
        warnings: vec![format!(
            "{line} has no policy: it is not under reins, nothing is judged"
        )],
        ..Decision::without_range(Outcome::Admit, Rules::Full, today)
    }
}

fn decide(facts: &Facts, scores: Option<Scores<'_>>) -> Decision {
    let mut order = order::judge(facts);
    let mut found = std::mem::take(&mut order.findings);
    found.absorb(judge_files(facts));
    found.absorb(oracle::judge_rows(facts));
    found.absorb(fixture::judge_epoch(facts));
    found.absorb(freeze::judge_rows(facts));
    let mut standings = score::standings(facts, &order);
    let count = |wanted| score::count(&standings, wanted);
    if let Some(exceeded) =
        freeze::judge_share(facts, count(Standing::Frozen), count(Standing::Scored))
    {
        found.add(exceeded);
    }
    judge_late(facts, &order, count(Standing::Scored), &mut found);
    let mut scored = Scored::default();
    if let Some(scores) = scores {
        found.details.extend(empty_patch(facts));
        found.absorb(recorded::judge_changed(facts));
        scored = score::judge(facts, &standings, scores, &order);
        found.absorb(std::mem::take(&mut scored.findings));
    }
    for id in &scored.weak {
        standings.insert(id.clone(), Standing::Smoke);
    }
    let count = |wanted| score::count(&standings, wanted);
    let properties = score::listed(&standings, &scored);
    let has_patch = !order.patch.is_empty();
    sort(&mut found);
    Decision {
        schema: DECISION_SCHEMA,
        decision: outcome(&found.details, &scored),
        refusals: Decision::refusals_of(&found.details),
        details: found.details,
        scored: if has_patch || scores.is_none() {
            count(Standing::Scored)
        } else {
            0
        },
        frozen: count(Standing::Frozen),
        smoke: count(Standing::Smoke),
        late: count(Standing::Late),
        properties,
        held: scored.held,
        warnings: found.warnings,
        rules: Rules::Full,
        base: facts.bases.first().map(|base| base.id),
        merge_bases: facts.bases.iter().map(|base| base.id).collect(),
        tip: Some(facts.tip.id),
        patch_commits: order.patch,
        blob: scored.blob.map(|blob| blob.to_string()),
        order_evidence: Some(OrderEvidence::Topology),
        verdict_evidence: scored.evidence,
        today: facts.today,
    }
}

fn outcome(details: &[Detail], scored: &Scored) -> Outcome {
    Decision::outcome_of(details, &scored.held)
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

/// An admission needs something to admit.
fn empty_patch(facts: &Facts) -> Option<Detail> {
    let something = facts
        .commits
        .iter()
        .any(|commit| commit.own.code.is_some() || commit.own.exempt.is_some());
    (!something).then(|| {
        Detail::new(Code::EmptyPatch, "nothing-to-admit", facts.tip.id.short())
            .commit(facts.tip.id)
            .saw(
                format!("{} commits, none with a patch", facts.commits.len()),
                "a patch commit, a revert or an exempt change",
            )
    })
}

fn sort(found: &mut Findings) {
    found.details.sort();
    found.details.dedup();
    found.warnings.sort();
    found.warnings.dedup();
}
