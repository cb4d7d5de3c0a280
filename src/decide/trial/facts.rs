//! Holds what the verdict of a trial rests on, made from its runs: owned plain data.

use std::collections::{BTreeMap, BTreeSet};

use crate::decide::canary;
use crate::decide::evaluation::Evaluation;
use crate::decide::freeze::{is_sound, is_unfreezable};
use crate::decide::order::Order;
use crate::decide::outcome::weight;
use crate::ledger::field::{Field, text};
use crate::ledger::freeze::FreezeRow;
use crate::ledger::oracle::OracleRow;
use crate::model::day::Day;
use crate::model::decision::Standing;
use crate::model::ids::OracleId;
use crate::model::path::RepoPath;
use crate::model::trial::{CheckKind, CheckRun, Outcome, Revision, RunReason};
use crate::policy::{Policy, Power as PowerRule};

/// Everything that a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialFacts {
    /// What the draft channel brought.
    pub draft: Draft,
    /// The canaries that have to pass, in their order; those built in have to be among them.
    pub canaries: Vec<CanaryFacts>,
    /// The properties, each once.
    pub properties: Vec<PropertyFacts>,
    /// The paths that the patch touches.
    pub touched: BTreeSet<RepoPath>,
    /// Whether fixture, property or base bytes changed while checks ran.
    pub bytes_changed: bool,
    /// What a row has to show for itself to score.
    pub power: PowerRule,
    /// The day of the trial.
    pub today: Day,
}

/// What a trial is about, besides its runs.
#[derive(Clone, Debug)]
pub struct TrialScope<'a> {
    /// The range: policy, rows, freezes, order and standings.
    pub evaluation: &'a Evaluation,
    /// What the draft channel brought.
    pub draft: Draft,
    /// The paths that the patch touches.
    pub touched: BTreeSet<RepoPath>,
    /// Whether bytes changed in a way that no run shows.
    pub bytes_changed: bool,
    /// How often a frozen seed has to run on each tree.
    pub replays: u64,
    /// Seeds that were run although neither a check nor a freeze row names them.
    pub extra_seeds: &'a [(OracleId, String)],
    /// The day of the trial.
    pub today: Day,
}

impl TrialFacts {
    /// The facts of a trial that made these runs.
    ///
    /// Which canaries, properties and seeds there have to be is read from policy and ledgers: what is
    /// not among the runs did not run, and a frozen seed with fewer replays than the policy asks for
    /// did not run either.
    pub fn of(runs: &[CheckRun], scope: TrialScope<'_>) -> Self {
        let rows = scope.evaluation.facts.tip.material.oracle_rows();
        Self {
            draft: scope.draft,
            canaries: canaries(&scope.evaluation.facts.policy, runs),
            properties: rows
                .iter()
                .filter_map(|row| property(&scope, row, runs))
                .collect(),
            bytes_changed: scope.bytes_changed
                || runs.iter().any(|run| run.outcome == Outcome::Tamper),
            power: scope.evaluation.facts.policy.judge.power,
            today: scope.today,
            touched: scope.touched,
        }
    }

    /// A seed of a property, with the property.
    pub fn seed(&self, id: &OracleId, seed: &str) -> Option<(&PropertyFacts, &SeedFacts)> {
        let property = self.properties.iter().find(|property| property.id == *id)?;
        let seed = property.seeds.iter().find(|facts| facts.seed == seed)?;
        Some((property, seed))
    }
}

/// Whether the failure of a property counts. A late one that a patch commit had before it may leave
/// the score, its failure may not.
pub fn failure_counts(evaluation: &Evaluation, id: &OracleId) -> bool {
    scores(&evaluation.standings, id) || is_faced(&evaluation.standings, &evaluation.order, id)
}

fn scores(standings: &BTreeMap<OracleId, Standing>, id: &OracleId) -> bool {
    match standings.get(id) {
        Some(Standing::Scored | Standing::Frozen) => true,
        Some(Standing::Late | Standing::Smoke) | None => false,
    }
}

fn is_faced(standings: &BTreeMap<OracleId, Standing>, order: &Order, id: &OracleId) -> bool {
    standings.get(id) == Some(&Standing::Late)
        && order
            .late
            .get(id.as_str())
            .is_some_and(|late| late.is_faced)
}

/// Every canary that the policy knows, and whatever else the runs call one, each by its worst run.
fn canaries(policy: &Policy, runs: &[CheckRun]) -> Vec<CanaryFacts> {
    let runs: Vec<_> = runs
        .iter()
        .filter(|run| run.revision == Revision::Candidate && run.kind == CheckKind::Canary)
        .collect();
    let mut ids = canary::order(policy);
    for run in &runs {
        if !ids.contains(&run.id.as_str()) {
            ids.push(&run.id);
        }
    }
    let answer = |id: &str| {
        let mine = runs.iter().filter(|run| run.id == id);
        match mine.max_by_key(|run| weight(run.outcome)) {
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

/// A property; none for a row whose failure does not count and that names no file: it has nothing to
/// run.
fn property(scope: &TrialScope<'_>, row: &OracleRow, runs: &[CheckRun]) -> Option<PropertyFacts> {
    let id = row.id()?;
    let Evaluation {
        facts,
        order,
        standings,
        ..
    } = scope.evaluation;
    if !failure_counts(scope.evaluation, &id) && row.property_files.is_empty() {
        return None;
    }
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
    let extra = scope.extra_seeds.iter();
    let extra = extra.filter_map(|(of, seed)| (*of == id).then_some(seed.as_str()));
    let seeds: BTreeSet<_> = declared
        .chain(frozen.iter().copied())
        .chain(extra)
        .collect();
    let mine = runs_of(runs, &id, check.map(|check| check.id.as_str()));
    let replays = usize::try_from(scope.replays).unwrap_or(usize::MAX);
    let seed = |seed| seed_facts(&mine, seed, if frozen.contains(seed) { replays } else { 1 });
    Some(PropertyFacts {
        scores: scores(standings, &id),
        faced: is_faced(standings, order, &id),
        eligible: check.is_some_and(|check| check.quarantine_eligible)
            && !is_unfreezable(facts, id.as_str()),
        seeds: seeds.into_iter().map(seed).collect(),
        witness: row
            .witness_patch
            .as_ref()
            .map(|_| outcomes(&mine, Revision::Witness, None)),
        freezes: freezes
            .into_iter()
            .map(|freeze| FreezeFacts::of(freeze, is_sound(facts, freeze)))
            .collect(),
        id,
    })
}

/// The runs of one property by the check of its row; any other check says nothing about it.
pub fn runs_of<'a>(runs: &'a [CheckRun], id: &OracleId, check: Option<&str>) -> Vec<&'a CheckRun> {
    runs.iter()
        .filter(|run| {
            run.kind == CheckKind::Property
                && run.property.as_ref() == Some(id)
                && Some(run.id.as_str()) == check
        })
        .collect()
}

fn outcomes(runs: &[&CheckRun], revision: Revision, seed: Option<&str>) -> Vec<Outcome> {
    runs.iter()
        .filter(|run| {
            run.revision == revision && seed.is_none_or(|seed| run.seed.as_deref() == Some(seed))
        })
        .map(|run| run.outcome)
        .collect()
}

/// The runs of one seed; none on the candidate when there are fewer than there have to be.
fn seed_facts(runs: &[&CheckRun], seed: &str, replays: usize) -> SeedFacts {
    let base = outcomes(runs, Revision::Base, Some(seed));
    let candidate = outcomes(runs, Revision::Candidate, Some(seed));
    let is_whole = candidate.len() >= replays && (replays == 1 || base.len() >= replays);
    SeedFacts {
        seed: seed.to_owned(),
        base,
        candidate: if is_whole { candidate } else { Vec::new() },
    }
}

/// What the draft channel brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draft {
    /// A patch.
    Patch,
    /// Nothing, or nothing but white space.
    Blank,
    /// A fault of the channel.
    Infra,
}

/// One canary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanaryFacts {
    /// Its name.
    pub id: String,
    /// How it ended.
    pub answer: CanaryAnswer,
}

/// How a canary ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CanaryAnswer {
    /// It ran, or was kept from it.
    Ended(Outcome),
    /// The policy has no command for it. Counts for `public_signature` alone.
    NotConfigured,
}

/// One property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyFacts {
    /// Its oracle row.
    pub id: OracleId,
    /// Whether it scores by its row, its order and its check: not smoke, not late, no network.
    pub scores: bool,
    /// Whether it is late and a patch commit had it before it: its failure counts, its pass does not.
    pub faced: bool,
    /// Whether a frozen seed may be held: its check allows it, and its name can be frozen.
    pub eligible: bool,
    /// Every seed of its check and of its freeze rows, each once.
    pub seeds: Vec<SeedFacts>,
    /// The runs on base with the row's known-bad patch; `None` when the row has none.
    pub witness: Option<Vec<Outcome>>,
    /// Its freeze rows.
    pub freezes: Vec<FreezeFacts>,
}

/// The runs of one seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedFacts {
    /// The seed.
    pub seed: String,
    /// On base: one, or as many as there are replays.
    pub base: Vec<Outcome>,
    /// On the candidate: one, or as many as there are replays. None is no pass.
    pub candidate: Vec<Outcome>,
}

/// What a freeze row says about one seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreezeFacts {
    /// The seed.
    pub seed: String,
    /// The last day on which it counts; `None` is never.
    pub expires_at: Option<Day>,
    /// Whether it says that a miss can be held.
    pub eligible: bool,
    /// The paths whose change may meet the instability.
    pub paths: Vec<RepoPath>,
    /// Whether `check` finds nothing wrong with it: owner, base, epoch, horizon, no canary.
    pub sound: bool,
}

impl FreezeFacts {
    /// What a row says; `sound` is the finding of `check`.
    pub fn of(row: &FreezeRow, sound: bool) -> Self {
        let paths = row.paths.as_deref().unwrap_or_default();
        Self {
            seed: text(&row.seed).to_owned(),
            expires_at: text(&row.expires_at).parse().ok(),
            eligible: row.quarantine_eligible == Some(Field::Value(true)),
            paths: paths.iter().filter_map(|path| path.parse().ok()).collect(),
            sound,
        }
    }
}
