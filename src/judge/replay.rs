//! Runs chosen seeds several times on base, and on a candidate.
//!
//! The runs are those of a trial: frozen seeds, or seeds that are run as if they were frozen.

mod choice;
mod kept;

use std::collections::{BTreeMap, BTreeSet};

pub use choice::ReplayRequest;
pub use kept::{keep, kept};

use choice::{Choice, choose, planned};

use super::budgets::Budgets;
use super::canaries;
use super::fault::TrialError;
use super::image;
use super::pin::{Candidate, TrialInputs, pin};
use super::properties::{self, Property, PropertyRunner};
use super::runner::TrialRunner;
use super::trial::{candidate_tree, refuse_material};
use super::unrun::has_missed_canary;
use super::workspace::{RunInputs, Workspace};
use crate::decide::replay::{on_candidate, properties_sha256, row_sha256, shows};
use crate::decide::trial::{Draft, TrialFacts, TrialScope};
use crate::model::day::Day;
use crate::model::ids::{ObjectId, OracleId, Sha256};
use crate::model::path::{RepoPath, shown, visible};
use crate::model::record;
use crate::model::refusal::Code;
use crate::model::replay::{REPLAY_SCHEMA, Replay, ReplayedCandidate, ReplayedSeed};
use crate::model::trial::{CheckRun, Class, Revision, RunReason};
use crate::policy::{Judge, Policy};

/// A patch that applies.
struct Patched {
    blob: Sha256,
    touched: BTreeSet<RepoPath>,
    root: ObjectId,
}

/// What the runs gave.
struct Seen {
    runs: Vec<CheckRun>,
    /// Properties for which a seed does nothing.
    ignoring: BTreeSet<OracleId>,
    candidate: Option<ReplayedCandidate>,
}

impl TrialRunner<'_> {
    /// Replays seeds. Nothing is written: the record is the caller's to keep.
    ///
    /// # Errors
    /// When the ledgers disagree, there is no such row, or it is not known how a run ended.
    pub fn replay(&self, request: &ReplayRequest<'_>) -> Result<Replay, TrialError> {
        let inputs = pin(self.repo, &request.trial, self.today)?;
        image::expect(&inputs.image, &inputs.bound.image_id)?;
        if request.has_candidate && inputs.draft != Draft::Patch {
            return Err(empty());
        }
        let policy = policy_of(&inputs, request);
        let choice = choose(&policy, &inputs, request)?;
        let properties = choice.properties(&policy, &inputs)?;
        let workspace = self.workspace()?;
        let patched = request
            .has_candidate
            .then(|| patched(&inputs, &policy, &workspace))
            .transpose()?;
        let seen = self.run_all(
            &policy,
            &inputs,
            (&workspace, patched.as_ref()),
            &properties,
        )?;
        let touched = patched.map(|patched| patched.touched).unwrap_or_default();
        let trial = facts(
            &policy,
            &inputs,
            (&properties, &seen.runs),
            (touched, self.today),
        );
        record(&inputs, &policy, seen, (&choice, &properties, &trial))
    }

    fn run_all(
        &self,
        policy: &Policy,
        inputs: &TrialInputs,
        (workspace, patched): (&Workspace, Option<&Patched>),
        properties: &[Property<'_>],
    ) -> Result<Seen, TrialError> {
        let budgets = Budgets::on(self.repo, policy, inputs.base, &inputs.image)?;
        for property in properties {
            budgets.of(property.check)?; // told before anything runs
        }
        let all = planned(policy, inputs, &[])?;
        let mut roots = vec![(Revision::Base, inputs.base_root)];
        roots.extend(patched.map(|patched| (Revision::Candidate, patched.root)));
        let material = &inputs.evaluation.facts.tip.material;
        let run_inputs = RunInputs {
            policy,
            material,
            apart: properties::apart(&all),
            budgets,
            roots,
            witnesses: BTreeMap::new(),
            cache: None,
        };
        let isolation = workspace.isolation()?;
        isolation.require(policy)?;
        self.with_trees(workspace, isolation, run_inputs, |runner| {
            let candidate = patched.map(|patched| {
                let tree = candidate_tree(runner.trees, policy, patched.root, inputs)?;
                Ok::<_, TrialError>(ReplayedCandidate {
                    blob: patched.blob,
                    tree,
                })
            });
            let candidate = candidate.transpose()?;
            let (runs, ignoring) = run(runner, properties, candidate.is_some())?;
            match runner.executor.workdirs.broken_at_all().first() {
                None => Ok(Seen {
                    runs,
                    ignoring,
                    candidate,
                }),
                Some(path) => Err(changed(path)),
            }
        })
    }
}

/// The policy that judges, with as many replays as were asked for.
fn policy_of(inputs: &TrialInputs, request: &ReplayRequest<'_>) -> Policy {
    let policy = &inputs.context.policy;
    let judge = policy.judge.clone();
    Policy {
        judge: Judge {
            replays: request.times.unwrap_or(judge.replays),
            ..judge
        },
        ..policy.clone()
    }
}

/// The candidate, when it applies and its text has no fault.
fn patched(
    inputs: &TrialInputs,
    policy: &Policy,
    workspace: &Workspace,
) -> Result<Patched, TrialError> {
    let bytes = inputs
        .candidate
        .bytes(&workspace.scratch_repo, inputs.base_root)?;
    let read = canaries::read(policy, &bytes, &workspace.scratch_repo, inputs.base_root)?;
    let (Some(diff), Some(root), false) = (&read.diff, read.root, has_missed_canary(&read.runs))
    else {
        return Err(missed(&read.runs));
    };
    if let Candidate::Patch(_) = &inputs.candidate {
        refuse_material(diff, policy)?;
    }
    let touched = diff.touched().into_iter().cloned().collect();
    Ok(Patched {
        blob: Sha256::of(&bytes),
        touched,
        root,
    })
}

/// Every run, and the properties for which a seed does nothing.
fn run(
    runner: &PropertyRunner<'_>,
    properties: &[Property<'_>],
    has_candidate: bool,
) -> Result<(Vec<CheckRun>, BTreeSet<OracleId>), TrialError> {
    let (mut runs, mut ignoring) = (Vec::new(), BTreeSet::new());
    if has_candidate {
        runner.run(properties, &mut runs)?;
        let idle = runs
            .iter()
            .filter(|run| run.reason == Some(RunReason::SeedNotHonoured));
        ignoring.extend(idle.filter_map(|run| run.property.clone()));
        return Ok((runs, ignoring));
    }
    for property in properties {
        let first = runs.len();
        runner.on_base(property, &mut runs)?;
        if runner.ignores_seed(property, &runs[first..])? {
            ignoring.insert(property.id.clone());
        }
    }
    Ok((runs, ignoring))
}

fn facts(
    policy: &Policy,
    inputs: &TrialInputs,
    (properties, runs): (&[Property<'_>], &[CheckRun]),
    (touched, today): (BTreeSet<RepoPath>, Day),
) -> TrialFacts {
    let seeds: Vec<_> = properties
        .iter()
        .flat_map(|property| {
            let seeds = property.seeds.iter();
            seeds.map(|seed| (property.id.clone(), seed.clone()))
        })
        .collect();
    let scope = TrialScope {
        evaluation: &inputs.evaluation,
        draft: Draft::Patch,
        touched,
        bytes_changed: false,
        replays: policy.judge.replays,
        extra_seeds: &seeds,
        today,
    };
    TrialFacts::of(runs, scope)
}

fn record(
    inputs: &TrialInputs,
    policy: &Policy,
    seen: Seen,
    (choice, properties, trial): (&Choice, &[Property<'_>], &TrialFacts),
) -> Result<Replay, TrialError> {
    let has_candidate = seen.candidate.is_some();
    let mut seeds = Vec::new();
    for property in properties {
        let ignores_seed = seen.ignoring.contains(&property.id);
        for seed in &property.seeds {
            let Some((facts, runs)) = trial.seed(&property.id, seed) else {
                continue;
            };
            seeds.push(ReplayedSeed {
                property_id: property.id.clone(),
                row_sha256: row_sha256(property.row),
                check: property.check.id.clone(),
                seed: seed.clone(),
                frozen: choice.is_frozen(&property.id, seed),
                ignores_seed,
                shows: shows(&runs.base, ignores_seed),
                on_candidate: has_candidate.then(|| on_candidate(trial, facts, runs)),
            });
        }
    }
    let mut replay = Replay {
        schema: REPLAY_SCHEMA.to_owned(),
        base_rev: inputs.base,
        base_tree: inputs.base_tree,
        candidate: seen.candidate,
        policy_sha256: inputs.bound.policy_sha256,
        properties_sha256: properties_sha256(&inputs.evaluation.facts.tip.material),
        epoch: inputs.epoch.clone(),
        image: inputs.image.clone(),
        times: policy.judge.replays,
        seeds,
        runs: seen.runs,
        sha256: Sha256([0; 32]),
    };
    replay.sha256 = replay.digest();
    record::parse::<Replay>(record::print(&replay).as_bytes())?;
    Ok(replay)
}

fn empty() -> TrialError {
    TrialError::Refused {
        code: Code::EmptyPatch,
        message: "the candidate changes nothing that is run: there is no other tree than base"
            .to_owned(),
        fix: "git reins replay, without a candidate".to_owned(),
    }
}

fn missed(runs: &[CheckRun]) -> TrialError {
    let missed = runs.iter().find(|run| run.class == Some(Class::CanaryFail));
    let why = missed
        .map(|run| format!("{}: {}", run.id, run.details.note))
        .unwrap_or_default();
    TrialError::Refused {
        code: Code::CanaryFailed,
        message: format!(
            "the candidate is not run, a canary missed: {}",
            visible(&why)
        ),
        fix: "fix the patch, or replay on base alone: git reins replay".to_owned(),
    }
}

fn changed(path: &str) -> TrialError {
    TrialError::Refused {
        code: Code::FixtureDigestMismatch,
        message: format!(
            "{} was changed while checks ran, so nothing is shown",
            shown(path)
        ),
        fix: "keep the checks from writing outside of their tree, and replay again".to_owned(),
    }
}
