//! What do the properties show on base, and then on the candidate?

use std::collections::{BTreeMap, BTreeSet};

use super::cache::Cache;
use super::command::Subject;
use super::fault::TrialError;
use super::lines::{Line, Lines};
use super::run::{Bench, Errand, Measured};
use super::tree_plan::{Laid, Trees};
use crate::decide::outcome::RunVerdict;
use crate::decide::trial::{FreezeFacts, PropertyFacts, SeedFacts};
use crate::ledger::field::text;
use crate::ledger::freeze::FreezeRow;
use crate::ledger::oracle::OracleRow;
use crate::model::decision::Standing;
use crate::model::ids::OracleId;
use crate::model::path::RepoPath;
use crate::model::trial::{Outcome, Revision, RunReason};
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
pub struct Session<'a> {
    /// Where runs take place.
    pub bench: &'a Bench<'a>,
    /// The trees.
    pub trees: &'a Trees<'a>,
    /// What is known of base; none when everything is to be run.
    pub cache: Option<&'a Cache>,
}

impl Session<'_> {
    /// Runs every seed of every property on base and on its known-bad patch, then on the candidate.
    /// Once a run has changed bytes that it may not, nothing runs any more.
    ///
    /// # Errors
    /// When it is not known how a run ended.
    pub fn run(&self, properties: &[Property<'_>], lines: &mut Lines) -> Result<(), TrialError> {
        let mut ignoring = BTreeSet::new();
        for property in properties {
            let first = lines.0.len();
            self.on_base(property, lines)?;
            let on_base = first..lines.0.len();
            self.on_witness(property, lines)?;
            if !lines.has_tamper() && self.ignores_seed(property, &lines.0[on_base])? {
                ignoring.insert(property.id.clone());
            }
        }
        for property in properties {
            for seed in &property.seeds {
                for _ in 0..property.runs(seed, self.bench.policy.judge.replays) {
                    let measured = match ignoring.contains(&property.id) {
                        true => not_honoured(),
                        false => {
                            unless_tampered(lines, || self.on_candidate(property, seed, lines))?
                        }
                    };
                    lines.push(line(property, seed, Revision::Candidate, measured));
                }
            }
        }
        Ok(())
    }

    /// Runs every seed of a property on base.
    ///
    /// # Errors
    /// When it is not known how a run ended.
    pub(super) fn on_base(
        &self,
        property: &Property<'_>,
        lines: &mut Lines,
    ) -> Result<(), TrialError> {
        let laid = self.trees.laid(Revision::Base, Some(property.row))?;
        let budget_s = self.bench.budgets.of(property.check)?;
        for seed in &property.seeds {
            let runs = property.runs(seed, self.bench.policy.judge.replays);
            for _ in 0..runs {
                // what a replay shows now is its point
                let cache = self.cache.filter(|_| runs == 1);
                let run = || self.once(property, seed, (&laid, "base"), budget_s, cache);
                let measured = unless_tampered(lines, run)?;
                lines.push(line(property, seed, Revision::Base, measured));
            }
        }
        Ok(())
    }

    /// Runs a property on base with its known-bad patch, up to the first seed that fails: that is
    /// all there is to show. A frozen seed shows nothing.
    fn on_witness(&self, property: &Property<'_>, lines: &mut Lines) -> Result<(), TrialError> {
        let Some(laid) = self.trees.witness(&property.id, property.row)? else {
            return Ok(());
        };
        let budget_s = self.bench.budgets.of(property.check)?;
        for seed in property
            .seeds
            .iter()
            .filter(|seed| !property.is_frozen(seed))
        {
            let run = || {
                self.once(
                    property,
                    seed,
                    (&laid, "its known-bad patch"),
                    budget_s,
                    self.cache,
                )
            };
            let measured = unless_tampered(lines, run)?;
            let is_killed = measured.ended.outcome == Outcome::Fail;
            lines.push(line(property, seed, Revision::Witness, measured));
            if is_killed {
                return Ok(());
            }
        }
        Ok(())
    }

    /// A run on the candidate. One that ran out of time is run once more, with the time that base
    /// shows it to need.
    fn on_candidate(
        &self,
        property: &Property<'_>,
        seed: &str,
        lines: &Lines,
    ) -> Result<Measured, TrialError> {
        let laid = self.trees.laid(Revision::Candidate, Some(property.row))?;
        let tree = (&*laid, "candidate");
        let budget_s = self.bench.budgets.of(property.check)?;
        let first = self.once(property, seed, tree, budget_s, None)?;
        if first.ended.outcome != Outcome::Timeout {
            return Ok(first);
        }
        let on_base = lines.0.iter().filter(|line| {
            line.property.as_ref() == Some(&property.id)
                && line.revision == Revision::Base
                && line.measured.ended.outcome == Outcome::Pass
        });
        let passed: Vec<_> = on_base.map(|line| line.measured.wall_ms).collect();
        let raised_s = self
            .bench
            .budgets
            .raised(property.check, &passed)?
            .max(budget_s);
        let again = self.once(property, seed, tree, raised_s, None)?;
        let talk = format!(
            "{}\n[out of time after {budget_s} s, run again]\n{}",
            first.talk, again.talk
        );
        Ok(Measured { talk, ..again })
    }

    fn once(
        &self,
        property: &Property<'_>,
        seed: &str,
        (laid, revision): (&Laid, &str),
        budget_s: u64,
        cache: Option<&Cache>,
    ) -> Result<Measured, TrialError> {
        let subject = Subject {
            property: Some((&property.row.property, &property.file)),
            seed,
        };
        let seed_shown = crate::model::path::shown(seed);
        let title = format!(
            "{}: {} seed {seed_shown} on {revision}",
            property.check.id, property.id
        );
        let errand = Errand {
            check: property.check,
            subject,
            laid,
            budget_s,
            title: &title,
        };
        if let Some(known) = cache.and_then(|cache| cache.get(&errand)) {
            return Ok(known);
        }
        let measured = self.bench.run(&errand)?;
        let jail = self.bench.source.jail();
        // a trial that takes a result over says that it was had by the means that work
        if let Some(cache) = cache.filter(|_| jail.enforced() == jail.means()) {
            cache.put(&errand, &measured);
        }
        Ok(measured)
    }

    /// Whether two seeds lead to one state of the generator: then no seed does anything. Where
    /// the tool says nothing of its state, nothing is known.
    ///
    /// # Errors
    /// When it is not known how a run ended.
    pub(super) fn ignores_seed(
        &self,
        property: &Property<'_>,
        on_base: &[Line],
    ) -> Result<bool, TrialError> {
        if !property.check.preset.seed_echo {
            return Ok(false);
        }
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for line in on_base {
            let echo = line.measured.echo.clone().zip(line.seed.clone());
            seen.extend(echo.map(|(echo, seed)| (seed, echo)));
        }
        if seen.len() == 1 {
            let known = seen.keys().next().cloned().unwrap_or_default();
            let other = if known == "1" { "2" } else { "1" };
            let laid = self.trees.laid(Revision::Base, Some(property.row))?;
            let budget_s = self.bench.budgets.of(property.check)?;
            let probe = self.once(property, other, (&laid, "base"), budget_s, self.cache)?;
            seen.extend(probe.echo.map(|echo| (other.to_owned(), echo)));
        }
        let states: BTreeSet<_> = seen.values().collect();
        Ok(states.len() < seen.len())
    }
}

fn unless_tampered(
    lines: &Lines,
    run: impl FnOnce() -> Result<Measured, TrialError>,
) -> Result<Measured, TrialError> {
    if lines.has_tamper() {
        Ok(Measured::after_tamper())
    } else {
        run()
    }
}

fn not_honoured() -> Measured {
    let reason = Some(RunReason::SeedNotHonoured);
    let note = "two seeds drew the same on base: the seed does nothing".to_owned();
    Measured::of(RunVerdict {
        outcome: Outcome::Error,
        reason,
        note,
    })
}

fn line(property: &Property<'_>, seed: &str, revision: Revision, measured: Measured) -> Line {
    Line {
        id: property.check.id.clone(),
        property: Some(property.id.clone()),
        seed: Some(seed.to_owned()),
        revision,
        measured,
        class: None,
    }
}

/// The properties that never ran, because a canary missed.
pub fn keep_back(properties: &[Property<'_>], lines: &mut Lines) {
    for property in properties {
        for seed in &property.seeds {
            lines.push(line(
                property,
                seed,
                Revision::Candidate,
                Measured::after_canary(),
            ));
        }
    }
}

/// What the runs say, for the decision. Freeze rows are sound: `check` has nothing against them.
pub fn facts(properties: &[Property<'_>], lines: &Lines) -> Vec<PropertyFacts> {
    let seed = |property: &Property<'_>, seed: &String| SeedFacts {
        seed: seed.clone(),
        base: lines.outcomes(&property.id, Some(seed), Revision::Base),
        candidate: lines.outcomes(&property.id, Some(seed), Revision::Candidate),
    };
    let witness = |property: &Property<'_>| lines.outcomes(&property.id, None, Revision::Witness);
    let one = |property: &Property<'_>| PropertyFacts {
        id: property.id.clone(),
        scores: property.scores,
        eligible: property.check.quarantine_eligible,
        seeds: property
            .seeds
            .iter()
            .map(|text| seed(property, text))
            .collect(),
        witness: property
            .row
            .witness_patch
            .as_ref()
            .map(|_| witness(property)),
        freezes: property
            .freezes
            .iter()
            .map(|row| FreezeFacts::of(row, true))
            .collect(),
    };
    properties.iter().map(one).collect()
}
