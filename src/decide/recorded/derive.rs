//! What does a trial decide by its runs and the ledgers, whatever its record says?

use std::collections::{BTreeMap, BTreeSet};

use crate::decide::facts::Facts;
use crate::decide::freeze::{is_sound, is_unfreezable};
use crate::decide::order::Order;
use crate::decide::outcome::weight;
use crate::decide::trial::{
    self, CanaryAnswer, CanaryFacts, Draft, FreezeFacts, PropertyFacts, SeedFacts, TrialDecision,
    TrialFacts,
};
use crate::ledger::field::text;
use crate::ledger::freeze::FreezeRow;
use crate::ledger::oracle::OracleRow;
use crate::model::day::Day;
use crate::model::decision::Standing;
use crate::model::ids::OracleId;
use crate::model::trial::{CheckKind, CheckRun, Outcome, Revision, RunReason, Trial, TrialReason};
use crate::policy::{BUILT_IN_CANARIES, Kind, Policy};

/// Decides a trial anew on a day, from the runs that its record lists.
///
/// Which canaries, properties and seeds there have to be is read from policy and ledgers: what the
/// record does not list did not run, and a frozen seed with fewer replays than the policy asks for
/// did not run either.
pub fn derive(
    facts: &Facts,
    standings: &BTreeMap<OracleId, Standing>,
    order: &Order,
    record: &Trial,
    today: Day,
) -> TrialDecision {
    let rows = facts.tip.material.oracle_rows();
    let property = |row: &OracleRow| {
        let id = row.id()?;
        Some(property(
            facts,
            row,
            weighed(standings, order, &id),
            id,
            record,
        ))
    };
    trial::judge(&TrialFacts {
        draft: draft(record),
        canaries: canaries(&facts.policy, record),
        properties: rows.iter().filter_map(property).collect(),
        touched: match facts.has_patch() {
            true => facts
                .tip
                .touched
                .iter()
                .filter_map(|path| path.parse().ok())
                .collect(),
            false => record.touched.iter().cloned().collect(), // a patch file that no commit holds
        },
        bytes_changed: record.reasons.contains(&TrialReason::BytesChanged),
        power: facts.policy.judge.power,
        today,
    })
}

/// Whether a property counts: an oracle that a patch commit stands on may leave the score, its
/// failure may not.
pub(super) fn weighed(
    standings: &BTreeMap<OracleId, Standing>,
    order: &Order,
    id: &OracleId,
) -> bool {
    match standings.get(id) {
        Some(Standing::Scored | Standing::Frozen) => true,
        Some(Standing::Late) => order
            .late
            .get(id.as_str())
            .is_some_and(|late| late.is_faced),
        Some(Standing::Smoke) | None => false,
    }
}

fn draft(record: &Trial) -> Draft {
    if record.reasons.contains(&TrialReason::Infra) || record.blob.is_none() {
        Draft::Infra
    } else if record.reasons.contains(&TrialReason::EmptyBlob) {
        Draft::Blank
    } else {
        Draft::Patch
    }
}

/// Every canary that the policy knows, and whatever else the record calls one.
fn canaries(policy: &Policy, record: &Trial) -> Vec<CanaryFacts> {
    let runs: Vec<_> = record
        .candidate_runs()
        .filter(|run| run.kind == CheckKind::Canary)
        .collect();
    let declared = policy
        .checks
        .iter()
        .filter(|check| check.kind == Kind::Canary);
    let mut ids: Vec<&str> = BUILT_IN_CANARIES.to_vec();
    ids.extend(declared.map(|check| check.id.as_str()));
    let others: BTreeSet<_> = runs
        .iter()
        .map(|run| run.id.as_str())
        .filter(|id| !ids.contains(id))
        .collect();
    ids.extend(others);
    let answer = |id: &str| {
        let mine = runs.iter().filter(|run| run.id == id);
        let worst = mine.max_by_key(|run| weight(run.outcome));
        match worst {
            Some(run) if is_not_configured(policy, run) => CanaryAnswer::NotConfigured,
            Some(run) => CanaryAnswer::Ended(run.outcome),
            None => CanaryAnswer::Ended(Outcome::NotRun),
        }
    };
    ids.into_iter()
        .map(|id| CanaryFacts {
            id: id.to_owned(),
            answer: answer(id),
        })
        .collect()
}

fn is_not_configured(policy: &Policy, run: &CheckRun) -> bool {
    policy.judge.public_signature.is_none()
        && (run.outcome, run.reason) == (Outcome::NotRun, Some(RunReason::NotConfigured))
}

fn property(
    facts: &Facts,
    row: &OracleRow,
    scores: bool,
    id: OracleId,
    record: &Trial,
) -> PropertyFacts {
    let freezes: Vec<&FreezeRow> = facts
        .tip
        .material
        .freeze_rows()
        .iter()
        .filter(|freeze| text(&freeze.property_id) == id.as_str())
        .collect();
    let check = facts.policy.check_of(row.check.as_deref());
    let frozen: BTreeSet<_> = freezes.iter().map(|freeze| text(&freeze.seed)).collect();
    let declared = check
        .into_iter()
        .flat_map(|check| check.seeds.iter().map(String::as_str));
    let seeds: BTreeSet<_> = declared.chain(frozen.iter().copied()).collect();
    let runs = Runs::of(record, &id, check.map(|check| check.id.as_str()));
    let replays = usize::try_from(facts.policy.judge.replays).unwrap_or(usize::MAX);
    let seed = |seed: &str| runs.seed(seed, if frozen.contains(seed) { replays } else { 1 });
    PropertyFacts {
        scores,
        eligible: check.is_some_and(|check| check.quarantine_eligible)
            && !is_unfreezable(facts, id.as_str()),
        seeds: seeds.into_iter().map(seed).collect(),
        witness: row
            .witness_patch
            .as_ref()
            .map(|_| runs.outcomes(Revision::Witness, None)),
        freezes: freezes
            .into_iter()
            .map(|freeze| FreezeFacts::of(freeze, is_sound(facts, freeze)))
            .collect(),
        id,
    }
}

/// The runs of one property by the check of its row; any other check says nothing about it.
pub(super) struct Runs<'a>(Vec<&'a CheckRun>);

impl<'a> Runs<'a> {
    pub(super) fn of(record: &'a Trial, id: &OracleId, check: Option<&str>) -> Self {
        let is_mine = |run: &&CheckRun| {
            run.kind == CheckKind::Property
                && run.property.as_ref() == Some(id)
                && Some(run.id.as_str()) == check
        };
        Self(record.checks.iter().filter(is_mine).collect())
    }

    fn outcomes(&self, revision: Revision, seed: Option<&str>) -> Vec<Outcome> {
        let is_meant = |run: &&&CheckRun| {
            run.revision == revision && seed.is_none_or(|seed| run.seed.as_deref() == Some(seed))
        };
        self.0
            .iter()
            .filter(is_meant)
            .map(|run| run.outcome)
            .collect()
    }

    /// The runs of one seed; none on the candidate when there are fewer than there have to be.
    fn seed(&self, seed: &str, replays: usize) -> SeedFacts {
        let base = self.outcomes(Revision::Base, Some(seed));
        let candidate = self.outcomes(Revision::Candidate, Some(seed));
        let is_whole = candidate.len() >= replays && (replays == 1 || base.len() >= replays);
        let candidate = if is_whole { candidate } else { Vec::new() };
        SeedFacts {
            seed: seed.to_owned(),
            base,
            candidate,
        }
    }

    /// The worst run on the candidate.
    pub(super) fn worst(&self) -> Option<&'a CheckRun> {
        let candidate = self
            .0
            .iter()
            .filter(|run| run.revision == Revision::Candidate);
        candidate.copied().max_by_key(|run| weight(run.outcome))
    }
}
