//! One trial from start to end: pin, blob gate, canaries, base, candidate, freezes, record.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::budgets::Budgets;
use super::cache::Cache;
use super::canaries;
use super::fault::TrialError;
use super::pin::{Candidate, TrialInputs, TrialRequest, pin};
use super::properties::{self, Property};
use super::runner::TrialRunner;
use super::tree_plan::TreePlan;
use super::unrun::{self, has_missed_canary};
use super::witness;
use super::workspace::RunInputs;
use crate::decide::canary::material;
use crate::decide::diff::Diff;
use crate::decide::enforced::online;
use crate::decide::recorded::unwitnessed;
use crate::decide::trial::{
    Draft, SeedVerdict, TrialDecision, TrialFacts, TrialScope, judge as decide,
};
use crate::decide::trial_key::{seeds, seeds_sha256};
use crate::git::plumbing::{Git, GitPlace};
use crate::model::day::Day;
use crate::model::ids::{ObjectId, Sha256};
use crate::model::path::RepoPath;
use crate::model::record::{parse, print};
use crate::model::refusal::Code;
use crate::model::trial::{
    CheckRun, Class, Enforced, Image, Outcome, Revision, TRIAL_SCHEMA, Timing, Trial,
};
use crate::policy::path_class::Territory;
use crate::sandbox::fence::Fence;
use crate::sys::clock;

/// A trial that is over.
#[derive(Debug)]
pub struct TrialResult {
    /// The record.
    pub trial: Trial,
    /// What was decided, and what it rests on.
    pub decision: TrialDecision,
    /// What it was judged by.
    pub inputs: TrialInputs,
    /// What a reader should know although it decides nothing.
    pub notes: Vec<String>,
}

/// What is known of the patch.
#[derive(Debug)]
struct Patch {
    blob: Option<Sha256>,
    touched: BTreeSet<RepoPath>,
    candidate_tree: Option<ObjectId>,
    /// What is enforced while it is judged; nothing is where nothing runs.
    enforced: Enforced,
}

impl Default for Patch {
    fn default() -> Self {
        Self {
            blob: None,
            touched: BTreeSet::new(),
            candidate_tree: None,
            enforced: Fence::OPEN,
        }
    }
}

impl TrialRunner<'_> {
    /// Judges a patch. Nothing is written: the record is the caller's to keep.
    ///
    /// # Errors
    /// When there is no verdict.
    pub fn judge(&self, request: &TrialRequest<'_>) -> Result<TrialResult, TrialError> {
        let (began, started_at) = (std::time::Instant::now(), clock::moment());
        let inputs = pin(self.repo, request, self.today)?;
        let mut case = Case::default();
        let decision = match inputs.draft {
            Draft::Infra | Draft::Blank => {
                case.patch.blob = blob_of(&inputs);
                decide(&case.facts(&inputs, self.today))
            }
            Draft::Patch => self.run(&inputs, &mut case)?,
        };
        case.classify(&decision);
        let wall_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let trial = record(
            &inputs,
            &case.patch,
            case.runs,
            &decision,
            (started_at, wall_ms),
        )?;
        Ok(TrialResult {
            trial,
            decision,
            inputs,
            notes: case.notes,
        })
    }

    /// Runs what has to run.
    fn run(&self, inputs: &TrialInputs, case: &mut Case) -> Result<TrialDecision, TrialError> {
        let policy = &inputs.context.policy;
        let material = &inputs.evaluation.facts.tip.material;
        let rows = material.oracle_rows();
        let properties = properties::plan(
            policy,
            rows,
            material.freeze_rows(),
            &inputs.evaluation.standings,
        )?;
        let budgets = Budgets::on(self.repo, policy, inputs.base, &inputs.image)?;
        for check in &policy.checks {
            budgets.of(check)?; // told before anything runs
        }
        let workspace = self.workspace()?;
        let isolation = workspace.isolation()?;
        isolation.require(policy)?;
        case.patch.enforced = isolation.means();
        let cache = Cache::open(
            &common(&workspace.place)?,
            &inputs.epoch,
            (&inputs.image, isolation.means()),
            policy,
        )?;
        if cache.is_reused(&inputs.image) {
            let Image { id, fingerprint } = &inputs.image;
            case.notes.push(format!(
                "the image id {id} was seen with another fingerprint than {fingerprint}"
            ));
        }
        let scratch_repo = &workspace.scratch_repo;
        let bytes = inputs.candidate.bytes(scratch_repo, inputs.base_root)?;
        case.patch.blob = Some(Sha256::of(&bytes));
        let read = canaries::read(policy, &bytes, scratch_repo, inputs.base_root)?;
        case.runs = read.runs;
        case.patch.touched = read.diff.iter().flat_map(Diff::touched).cloned().collect();
        if let (Candidate::Patch(_), Some(diff)) = (&inputs.candidate, &read.diff) {
            refuse_material(diff, policy)?;
        }
        if let Some(root) = read.root {
            let run_inputs = RunInputs {
                policy,
                material,
                apart: properties::apart(&properties),
                budgets,
                roots: vec![
                    (Revision::Base, inputs.base_root),
                    (Revision::Candidate, root),
                ],
                witnesses: witness::roots(self.repo, scratch_repo, inputs, &properties)?,
                cache: (!self.is_anew).then_some(&cache),
            };
            self.with_trees(&workspace, isolation, run_inputs, |runner| {
                case.patch.candidate_tree =
                    Some(candidate_tree(runner.trees, policy, root, inputs)?);
                if !has_missed_canary(&case.runs) {
                    canaries::run(runner.executor, runner.trees, &mut case.runs)?;
                }
                if !has_missed_canary(&case.runs) {
                    runner.run(&properties, &mut case.runs)?;
                }
                let workdirs = runner.executor.workdirs;
                case.patch.enforced = workdirs.isolation().enforced();
                case.is_tampered = !workdirs.broken_at_all().is_empty();
                Ok(())
            })?;
        }
        if has_missed_canary(&case.runs) {
            case.keep_back(inputs, &properties);
        }
        Ok(decide(&case.facts(inputs, self.today)))
    }
}

/// The code tree of the candidate, which has to be that of the commits when there are some.
pub(super) fn candidate_tree(
    trees: &TreePlan<'_>,
    policy: &crate::policy::Policy,
    root: ObjectId,
    inputs: &TrialInputs,
) -> Result<ObjectId, TrialError> {
    let code = trees.repo().code_tree(root, &Territory::of(policy))?;
    match inputs.candidate {
        Candidate::Range(_) if code != inputs.bound.candidate_tree => Err(TrialError::TwoTrees {
            observed: code.to_string(),
            expected: inputs.bound.candidate_tree.to_string(),
        }),
        Candidate::Range(_) | Candidate::Patch(_) => Ok(code),
    }
}

/// The digest of the bytes that nothing runs for; none when there are none.
fn blob_of(inputs: &TrialInputs) -> Option<Sha256> {
    match (&inputs.candidate, inputs.draft) {
        (Candidate::Patch(bytes), Draft::Infra) if bytes.is_empty() => None,
        (Candidate::Patch(bytes), _) => Some(Sha256::of(bytes)),
        (Candidate::Range(_), Draft::Infra) => None,
        (Candidate::Range(_), Draft::Blank | Draft::Patch) => Some(Sha256::of(b"")),
    }
}

/// The directory that all worktrees of the repository share.
fn common(place: &GitPlace) -> Result<PathBuf, TrialError> {
    let asked = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
    Ok(PathBuf::from(Git::at(place).args(asked).line()?))
}

/// A patch that is handed in as a file touches no material: there is no commit to judge it by.
pub(super) fn refuse_material(
    diff: &Diff,
    policy: &crate::policy::Policy,
) -> Result<(), TrialError> {
    let touched = material(diff, policy);
    let Some(path) = touched.first() else {
        return Ok(());
    };
    let covers = |prefixes: &[RepoPath]| prefixes.iter().any(|prefix| prefix.covers(path.as_str()));
    let paths = &policy.paths;
    let code = if path.as_str() == crate::policy::POLICY_PATH {
        Code::PolicyChangedByPatch
    } else if covers(&paths.fixtures) || path.as_str().ends_with("/fixture.json") {
        Code::FixtureDigestMismatch
    } else if covers(&paths.specs) {
        Code::SpecChangedByPatch
    } else if paths.history.covers(path.as_str()) {
        Code::VerdictRewritten
    } else if path.as_str().ends_with("/freezes.json") {
        Code::FreezeAddedWithPatch
    } else {
        Code::OracleNotIndependent
    };
    let more = match touched.len() {
        1 => String::new(),
        all => format!(" and {} more", all - 1),
    };
    Err(TrialError::Refused {
        code,
        message: format!("the patch touches material: {path}{more}"),
        fix: "take it out of the patch, and land it in a range of its own".to_owned(),
    })
}

/// What is known so far.
#[derive(Default)]
struct Case {
    patch: Patch,
    runs: Vec<CheckRun>,
    notes: Vec<String>,
    /// Whether a pristine tree was changed.
    is_tampered: bool,
}

impl Case {
    fn facts(&self, inputs: &TrialInputs, today: Day) -> TrialFacts {
        let scope = TrialScope {
            evaluation: &inputs.evaluation,
            draft: inputs.draft,
            touched: self.patch.touched.clone(),
            bytes_changed: self.is_tampered,
            replays: inputs.evaluation.facts.policy.judge.replays,
            extra_seeds: &[],
            today,
        };
        TrialFacts::of(&self.runs, scope)
    }

    /// Lists what did not run after a canary that missed.
    fn keep_back(&mut self, inputs: &TrialInputs, properties: &[Property<'_>]) {
        for id in crate::decide::canary::order(&inputs.context.policy) {
            if !self
                .runs
                .iter()
                .any(|run| run.property.is_none() && run.id == id)
            {
                self.runs.push(unrun::canary(id, unrun::after_canary()));
            }
        }
        properties::keep_back(properties, &mut self.runs);
    }

    /// Says what each run on the candidate amounts to.
    fn classify(&mut self, decision: &TrialDecision) {
        for run in &mut self.runs {
            run.class = class(run, decision).or(run.class);
        }
    }
}

/// What a run of a property on the candidate amounts to; none for any other run.
fn class(run: &CheckRun, decision: &TrialDecision) -> Option<Class> {
    let property = run.property.as_ref()?;
    let of_seed =
        |(id, seed, _): &&(_, String, _)| id == property && Some(seed) == run.seed.as_ref();
    let verdict = decision
        .seeds
        .iter()
        .find(of_seed)
        .map(|(_, _, verdict)| *verdict);
    match (run.revision, run.outcome) {
        (Revision::Base | Revision::Witness, _) | (Revision::Candidate, Outcome::NotRun) => None,
        (Revision::Candidate, Outcome::Pass) => Some(Class::PropPass),
        (Revision::Candidate, Outcome::Fail) if verdict == Some(SeedVerdict::Held) => {
            Some(Class::FreezeHit)
        }
        (Revision::Candidate, _) => Some(Class::PropFail),
    }
}

/// The record of a trial.
///
/// # Errors
/// When it would contradict itself.
fn record(
    inputs: &TrialInputs,
    patch: &Patch,
    checks: Vec<CheckRun>,
    decision: &TrialDecision,
    (started_at, wall_ms): (String, u64),
) -> Result<Trial, TrialError> {
    let seeds = seeds(&inputs.context.policy);
    let timing = Timing {
        started_at,
        wall_ms,
        checks_ms: checks.iter().map(|run| run.details.wall_ms).collect(),
    };
    let touched: Vec<_> = patch.touched.iter().cloned().collect();
    let trial = Trial {
        schema: TRIAL_SCHEMA.to_owned(),
        blob: patch.blob,
        base_rev: inputs.base,
        base_tree: inputs.base_tree,
        candidate_tree: patch.candidate_tree,
        unwitnessed: unwitnessed(&checks, &touched),
        touched,
        seeds_sha256: seeds_sha256(&seeds),
        seeds,
        policy_sha256: inputs.bound.policy_sha256,
        rows_sha256: inputs.bound.rows_sha256,
        epoch: inputs.epoch.clone(),
        image: inputs.image.clone(),
        enforced: patch.enforced,
        online: online(&inputs.context.policy, &checks),
        checks,
        power: decision.power.clone(),
        held: decision.held.clone(),
        canary_bad: decision.canary_bad.clone(),
        illegal_freeze: decision.illegal_freeze.clone(),
        uncovered_fail: decision.uncovered_fail.clone(),
        verdict: decision.verdict,
        reasons: decision.reasons.clone(),
        timing: Some(timing),
    };
    parse::<Trial>(print(&trial).as_bytes())?;
    Ok(trial)
}
