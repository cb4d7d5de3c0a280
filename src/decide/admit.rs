//! Decides whether the ledgers of a range agree and whether its patch is admitted.

use std::sync::Arc;

use super::evaluation::Evaluation;
use super::facts::{Facts, Own};
use super::ledgers::{Findings, ledger_path};
use super::recorded;
use super::score::{self, Scored, Scores};
use super::standings;
use crate::exit::{Explained, Explanation};
use crate::ledger::file::LedgerName;
use crate::model::decision::{
    DECISION_SCHEMA, Decision, Detail, OrderEvidence, Outcome, Rules, Standing,
};
use crate::model::ids::CommitId;
use crate::model::refusal::Code;
use crate::policy::PolicyFault;

/// A policy that cannot be read, so that nothing can be decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the policy at commit {commit} cannot be read: {fault}")]
pub struct UnreadablePolicy {
    /// The commit that holds it.
    pub commit: CommitId,
    /// What is wrong with it.
    #[source]
    pub fault: Box<PolicyFault>,
}

impl Explained for UnreadablePolicy {
    fn explain(&self) -> Explanation {
        Explanation::undecided()
            .code(Code::PolicyInvalid)
            .fix(format!(
                "correct {} in .gitreins/reins.toml on that line",
                self.fault.key
            ))
    }
}

/// Decides whether the ledgers agree: everything but the score.
///
/// # Errors
/// When nothing refuses and tip brings a policy that cannot be read.
pub fn check(evaluation: &Evaluation) -> Result<Decision, UnreadablePolicy> {
    readable(
        &evaluation.facts,
        decision(
            evaluation,
            evaluation.findings.clone(),
            Scored::default(),
            false,
        ),
    )
}

/// Decides whether the fixture bytes at tip are the pinned ones: what `check` finds about the
/// fixture ledger.
///
/// # Errors
/// When nothing refuses and tip brings a policy that cannot be read.
pub fn verify(evaluation: &Evaluation) -> Result<Decision, UnreadablePolicy> {
    let facts = &evaluation.facts;
    let ledger = ledger_path(facts, LedgerName::Fixture);
    let of_epoch = |detail: &Detail| {
        detail.code == Code::FixtureEpochUnpinned && detail.reason != "freeze-of-other-epoch"
    };
    let of_ledger = |detail: &Detail| {
        detail.path.as_ref() == Some(&ledger) && detail.code != Code::FixtureMigrationMixed
    };
    let mut found = evaluation.findings.clone();
    found.details.retain(|detail| {
        detail.code == Code::FixtureDigestMismatch || of_epoch(detail) || of_ledger(detail)
    });
    readable(facts, decision(evaluation, found, Scored::default(), false))
}

/// Decides whether the patch is admitted: the ledgers agree, there is a patch, and its score stands.
///
/// # Errors
/// When nothing refuses and tip brings a policy that cannot be read.
pub fn admit(evaluation: &Evaluation, scores: Scores<'_>) -> Result<Decision, UnreadablePolicy> {
    let facts = &evaluation.facts;
    if facts.line.is_adoption {
        return check(evaluation); // it is held, whatever the score
    }
    let mut found = evaluation.findings.clone();
    found.details.extend(empty_patch(facts));
    found.absorb(recorded::judge_changed(facts));
    let mut scored = score(evaluation, scores);
    found.absorb(std::mem::take(&mut scored.findings));
    found
        .details
        .extend(score::judge_complement(evaluation, scores, &scored));
    readable(facts, decision(evaluation, found, scored, true))
}

/// What the results, or the recorded trial, say about the patch.
fn score(evaluation: &Evaluation, scores: Scores<'_>) -> Scored {
    let has_patch = evaluation.has_patch();
    match scores {
        Scores::Recorded(unfolded) if has_patch => recorded::judge(evaluation, None, unfolded),
        Scores::Trial(trial, evidence) if has_patch => {
            recorded::judge(evaluation, Some((trial, evidence)), None)
        }
        Scores::Recorded(_) | Scores::Trial(..) => Scored::default(),
        Scores::Unreadable(fault) => {
            let mut scored = Scored::default();
            scored.findings.add(score::unreadable(fault));
            scored
        }
        Scores::Given(results) => score::judge(evaluation, results),
    }
}

/// A decision that does not refuse needs a policy at tip that can be read: it would land.
fn readable(facts: &Facts, decision: Decision) -> Result<Decision, UnreadablePolicy> {
    match &facts.tip.policy_fault {
        Some(fault) if decision.decision != Outcome::Refuse => Err(UnreadablePolicy {
            commit: facts.tip.id,
            fault: Box::new(fault.clone()),
        }),
        Some(_) | None => Ok(decision),
    }
}

/// The decision that findings and a score make.
fn decision(
    evaluation: &Evaluation,
    mut found: Findings,
    scored: Scored,
    is_admission: bool,
) -> Decision {
    let facts = &evaluation.facts;
    let mut standings = evaluation.standings.clone();
    for id in &scored.weak {
        standings.insert(id.clone(), Standing::Smoke);
    }
    let count = |wanted| standings::count(&standings, wanted);
    sort(&mut found);
    Decision {
        schema: DECISION_SCHEMA,
        decision: Decision::outcome_of(&found.details, &scored.held),
        refusals: Decision::refusals_of(&found.details),
        details: found.details,
        scored: if evaluation.has_patch() || !is_admission {
            count(Standing::Scored)
        } else {
            0
        },
        frozen: count(Standing::Frozen),
        smoke: count(Standing::Smoke),
        late: count(Standing::Late),
        properties: score::listed(&standings, &scored),
        held: scored.held,
        warnings: found.warnings,
        rules: Rules::Full,
        base: facts.bases.first().map(|base| base.id),
        merge_bases: facts.bases.iter().map(|base| base.id).collect(),
        tip: Some(facts.tip.id),
        patch_commits: evaluation.order.patch.clone(),
        blob: scored.blob.map(|blob| blob.to_string()),
        order_evidence: Some(OrderEvidence::Topology),
        verdict_evidence: scored.evidence,
        today: facts.today,
    }
}

/// An admission needs something to admit: a range that changes nothing is empty. One that changes
/// material alone is answered as `check` answers it.
fn empty_patch(facts: &Facts) -> Option<Detail> {
    let owns = |own: &Own| own.code.is_some() || own.exempt.is_some();
    let tip = &facts.tip.material;
    let something = facts.commits.iter().any(|commit| owns(&commit.own))
        || facts
            .bases
            .iter()
            .any(|base| !Arc::ptr_eq(&base.material, tip));
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
