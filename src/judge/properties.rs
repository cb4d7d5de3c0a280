//! Runs the properties on base, on their known-bad patches, and then on the candidate.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::cache::Cache;
use super::command::Subject;
use super::fault::TrialError;
use super::run::{Executor, RunSpec};
use super::tree_plan::{LaidTree, TreePlan};
use super::unrun;
use crate::decide::outcome::RunVerdict;
use crate::ledger::field::text;
use crate::ledger::freeze::FreezeRow;
use crate::ledger::oracle::OracleRow;
use crate::model::decision::Standing;
use crate::model::ids::OracleId;
use crate::model::path::RepoPath;
use crate::model::trial::{CheckRun, Outcome, Revision, RunReason};
use crate::policy::{Check, Policy};

/// A property and everything that is run for it.
#[derive(Clone, Debug)]
pub struct Property<'a> {
    /// The id of its row.
    pub id: OracleId,
    /// The row.
    pub row: &'a OracleRow,
    /// The check that runs it.
    pub check: &'a Check,
    /// The file that holds it.
    pub file: RepoPath,
    /// Whether it scores.
    pub scores: bool,
    /// The seeds of its check, then those of freeze rows alone.
    pub seeds: Vec<String>,
    /// Its freeze rows.
    pub freezes: Vec<&'a FreezeRow>,
}

impl Property<'_> {
    /// How often a seed is run on each tree: frozen ones are replayed.
    fn runs(&self, seed: &str, replays: u64) -> u64 {
        if self.is_frozen(seed) { replays } else { 1 }
    }

    fn is_frozen(&self, seed: &str) -> bool {
        self.freezes.iter().any(|row| text(&row.seed) == seed)
    }
}

/// The properties of a trial, in the order of the ledger. A row that does not score and names no
/// file has nothing to run.
///
/// # Errors
/// When no check runs one, or its file has no safe path.
pub fn plan<'a>(
    policy: &'a Policy,
    rows: &'a [OracleRow],
    freezes: &'a [FreezeRow],
    standings: &BTreeMap<OracleId, Standing>,
) -> Result<Vec<Property<'a>>, TrialError> {
    let scores = |row: &OracleRow| {
        let standing = row.id().and_then(|id| standings.get(&id).copied());
        matches!(standing, Some(Standing::Scored | Standing::Frozen))
    };
    let runs = rows
        .iter()
        .filter(|row| scores(row) || !row.property_files.is_empty());
    runs.map(|row| property(policy, row, freezes, scores(row)))
        .collect()
}

fn property<'a>(
    policy: &'a Policy,
    row: &'a OracleRow,
    freezes: &'a [FreezeRow],
    scores: bool,
) -> Result<Property<'a>, TrialError> {
    let unknown = || TrialError::NoCheck(row.oracle_id.clone());
    let id = row.id().ok_or_else(unknown)?;
    let check = policy.check_of(row.check.as_deref()).ok_or_else(unknown)?;
    let file = row
        .property_files
        .first()
        .and_then(|file| file.path.parse().ok())
        .ok_or_else(unknown)?;
    let freezes: Vec<_> = freezes
        .iter()
        .filter(|frozen| text(&frozen.property_id) == id.as_str())
        .collect();
    let mut seeds = Vec::new();
    let frozen = freezes.iter().map(|row| text(&row.seed));
    for seed in check.seeds.iter().map(String::as_str).chain(frozen) {
        if !seeds.iter().any(|known| known == seed) {
            seeds.push(seed.to_owned());
        }
    }
    Ok(Property {
        id,
        row,
        check,
        file,
        scores,
        seeds,
        freezes,
    })
}

/// The property files that only rows name which do not score.
pub fn apart(properties: &[Property<'_>]) -> BTreeSet<String> {
    let files = |scores: bool| -> BTreeSet<String> {
        let rows = properties
            .iter()
            .filter(|property| property.scores == scores);
        rows.flat_map(|property| {
            property
                .row
                .property_files
                .iter()
                .map(|file| file.path.clone())
        })
        .collect()
    };
    files(false).difference(&files(true)).cloned().collect()
}

/// Runs properties on the trees of a trial.
pub struct PropertyRunner<'a> {
    /// Runs what specs describe.
    pub executor: &'a Executor<'a>,
    /// The trees.
    pub trees: &'a TreePlan<'a>,
    /// What is known of base; none when everything is to be run.
    pub cache: Option<&'a Cache>,
}

impl PropertyRunner<'_> {
    /// Runs every seed of every property on base and on its known-bad patch, then on the candidate.
    /// Once a run has changed bytes that it may not, nothing runs any more.
    ///
    /// # Errors
    /// When it is not known how a run ended.
    pub fn run(
        &self,
        properties: &[Property<'_>],
        runs: &mut Vec<CheckRun>,
    ) -> Result<(), TrialError> {
        let mut ignoring = BTreeSet::new();
        for property in properties {
            let first = runs.len();
            self.on_base(property, runs)?;
            let on_base = first..runs.len();
            self.on_witness(property, runs)?;
            if !unrun::has_tamper(runs) && self.ignores_seed(property, &runs[on_base])? {
                ignoring.insert(&property.id);
            }
        }
        for property in properties {
            let tree = self.trees.laid(Revision::Candidate, Some(property.row))?;
            for spec in self.specs(property, Revision::Candidate, &tree)? {
                let run = if ignoring.contains(&property.id) {
                    spec.judged(not_honoured())
                } else if unrun::has_tamper(runs) {
                    spec.judged(unrun::after_tamper())
                } else {
                    self.on_candidate(&spec, runs)?
                };
                runs.push(run);
            }
        }
        Ok(())
    }

    /// The runs of a property on a tree: each seed once, a frozen one as often as it is replayed.
    fn specs<'a>(
        &self,
        property: &'a Property<'_>,
        revision: Revision,
        tree: &Rc<LaidTree>,
    ) -> Result<Vec<RunSpec<'a>>, TrialError> {
        let mut specs = Vec::new();
        for seed in &property.seeds {
            let spec = self.spec(property, seed, revision, tree)?;
            for _ in 0..property.runs(seed, self.executor.policy.judge.replays) {
                specs.push(spec.clone());
            }
        }
        Ok(specs)
    }

    fn spec<'a>(
        &self,
        property: &'a Property<'_>,
        seed: &'a str,
        revision: Revision,
        tree: &Rc<LaidTree>,
    ) -> Result<RunSpec<'a>, TrialError> {
        Ok(RunSpec {
            check: property.check,
            id: Some(&property.id),
            subject: Subject {
                property: Some((&property.row.property, &property.file)),
                seed,
            },
            revision,
            tree: Rc::clone(tree),
            budget_s: self.executor.budgets.of(property.check)?,
        })
    }

    /// Runs every seed of a property on base.
    ///
    /// # Errors
    /// When it is not known how a run ended.
    pub(super) fn on_base(
        &self,
        property: &Property<'_>,
        runs: &mut Vec<CheckRun>,
    ) -> Result<(), TrialError> {
        let tree = self.trees.laid(Revision::Base, Some(property.row))?;
        let replays = self.executor.policy.judge.replays;
        for spec in self.specs(property, Revision::Base, &tree)? {
            // what a replay shows now is its point
            let is_once = property.runs(spec.subject.seed, replays) == 1;
            let run = self.unless_tampered(&spec, self.cache.filter(|_| is_once), runs)?;
            runs.push(run);
        }
        Ok(())
    }

    /// Runs a property on base with its known-bad patch, up to the first seed that fails: that is
    /// all there is to show. A frozen seed shows nothing.
    fn on_witness(
        &self,
        property: &Property<'_>,
        runs: &mut Vec<CheckRun>,
    ) -> Result<(), TrialError> {
        let Some(tree) = self.trees.witness(&property.id, property.row)? else {
            return Ok(());
        };
        for seed in &property.seeds {
            if property.is_frozen(seed) {
                continue;
            }
            let spec = self.spec(property, seed, Revision::Witness, &tree)?;
            let run = self.unless_tampered(&spec, self.cache, runs)?;
            let is_killed = run.outcome == Outcome::Fail;
            runs.push(run);
            if is_killed {
                return Ok(());
            }
        }
        Ok(())
    }

    /// A run on the candidate. One that ran out of time is run once more, with the time that base
    /// shows it to need.
    fn on_candidate(&self, spec: &RunSpec<'_>, runs: &[CheckRun]) -> Result<CheckRun, TrialError> {
        let first = self.once(spec, None)?;
        if first.outcome != Outcome::Timeout {
            return Ok(first);
        }
        let on_base = runs.iter().filter(|run| {
            run.property.as_ref() == spec.id
                && run.revision == Revision::Base
                && run.outcome == Outcome::Pass
        });
        let passed: Vec<_> = on_base.map(|run| run.details.wall_ms).collect();
        let raised_s = self.executor.budgets.raised(spec.check, &passed)?;
        let longer = RunSpec {
            budget_s: raised_s.max(spec.budget_s),
            ..spec.clone()
        };
        let mut again = self.once(&longer, None)?;
        again.details.output = format!(
            "{}\n[out of time after {} s, run again]\n{}",
            first.details.output, spec.budget_s, again.details.output
        );
        Ok(again)
    }

    fn unless_tampered(
        &self,
        spec: &RunSpec<'_>,
        cache: Option<&Cache>,
        runs: &[CheckRun],
    ) -> Result<CheckRun, TrialError> {
        match unrun::has_tamper(runs) {
            true => Ok(spec.judged(unrun::after_tamper())),
            false => self.once(spec, cache),
        }
    }

    fn once(&self, spec: &RunSpec<'_>, cache: Option<&Cache>) -> Result<CheckRun, TrialError> {
        if let Some(known) = cache.and_then(|cache| cache.get(spec)) {
            return Ok(known);
        }
        let run = self.executor.run(spec)?;
        let isolation = self.executor.workdirs.isolation();
        // a trial that takes a run over says that it was made by the means that work
        if let Some(cache) = cache.filter(|_| isolation.enforced() == isolation.means()) {
            cache.put(spec, &run);
        }
        Ok(run)
    }

    /// Whether two seeds lead to one state of the generator: then no seed does anything. Where
    /// the tool says nothing of its state, nothing is known.
    ///
    /// # Errors
    /// When it is not known how a run ended.
    pub(super) fn ignores_seed(
        &self,
        property: &Property<'_>,
        on_base: &[CheckRun],
    ) -> Result<bool, TrialError> {
        if !property.check.preset.seed_echo {
            return Ok(false);
        }
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for run in on_base {
            let echo = run.details.echo.clone().zip(run.seed.clone());
            seen.extend(echo.map(|(echo, seed)| (seed, echo)));
        }
        if seen.len() == 1 {
            let known = seen.keys().next().cloned().unwrap_or_default();
            let other = if known == "1" { "2" } else { "1" };
            let tree = self.trees.laid(Revision::Base, Some(property.row))?;
            let spec = self.spec(property, other, Revision::Base, &tree)?;
            let probe = self.once(&spec, self.cache)?;
            seen.extend(probe.details.echo.map(|echo| (other.to_owned(), echo)));
        }
        let states: BTreeSet<_> = seen.values().collect();
        Ok(states.len() < seen.len())
    }
}

fn not_honoured() -> RunVerdict {
    RunVerdict {
        outcome: Outcome::Error,
        reason: Some(RunReason::SeedNotHonoured),
        note: "two seeds drew the same on base: the seed does nothing".to_owned(),
    }
}

/// The properties that never ran, because a canary missed.
pub fn keep_back(properties: &[Property<'_>], runs: &mut Vec<CheckRun>) {
    for property in properties {
        for seed in &property.seeds {
            let (check, id) = (&property.check.id, Some(&property.id));
            let verdict = unrun::after_canary();
            runs.push(unrun::run(
                check,
                id,
                Some(seed),
                Revision::Candidate,
                verdict,
            ));
        }
    }
}
