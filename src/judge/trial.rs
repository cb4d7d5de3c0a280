//! One trial from start to end: pin, blob gate, canaries, base, candidate, freezes, record.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::budgets::Budgets;
use super::cache::Cache;
use super::canaries;
use super::fault::TrialError;
use super::isolation::Jail;
use super::lines::{Line, Lines};
use super::pin::{Candidate, Handed, Pinned, pin};
use super::properties::{self, Property, Session};
use super::record;
use super::run::Bench;
use super::tree_plan::Trees;
use super::witness;
use super::workdir::Source;
use crate::decide::canary::material;
use crate::decide::diff::Diff;
use crate::decide::trial::{Draft, TrialDecision, TrialFacts, judge as decide};
use crate::git::Repo;
use crate::git::apply::Borrower;
use crate::git::plumbing::{Git, GitPlace};
use crate::model::day::Day;
use crate::model::ids::{ObjectId, Sha256};
use crate::model::path::RepoPath;
use crate::model::refusal::Code;
use crate::model::trial::{Enforced, Image, Revision, Trial};
use crate::policy::path_class::Territory;
use crate::sandbox::fence::Fence;
use crate::sandbox::interrupt::Interrupt;
use crate::sandbox::run::Runner;
use crate::sys::clock;
use crate::sys::scratch::Scratch;

/// Where a trial takes place.
pub struct Court<'a> {
    /// The repository.
    pub repo: &'a Repo,
    /// The directory in which git is asked.
    pub dir: PathBuf,
    /// The git directory, when one was named.
    pub git_dir: Option<PathBuf>,
    /// The day.
    pub today: Day,
    /// Who asks us to stop.
    pub interrupt: &'a Interrupt,
    /// Whether base runs now, also where an earlier trial told what comes of it.
    pub is_anew: bool,
}

/// A trial that is over.
#[derive(Debug)]
pub struct Judged {
    /// The record.
    pub trial: Trial,
    /// What was decided, and what it rests on.
    pub decision: TrialDecision,
    /// What it was judged by.
    pub pinned: Pinned,
    /// Every run, with what it printed.
    pub lines: Lines,
    /// What a reader should know although it decides nothing.
    pub notes: Vec<String>,
}

/// What is known of the patch.
#[derive(Debug)]
pub(super) struct Patch {
    pub(super) blob: Option<Sha256>,
    pub(super) touched: BTreeSet<RepoPath>,
    pub(super) candidate_tree: Option<ObjectId>,
    /// What is enforced while it is judged; nothing is where nothing runs.
    pub(super) enforced: Enforced,
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

impl Court<'_> {
    /// Judges what was handed in. Nothing is written: the record is the caller's to keep.
    ///
    /// # Errors
    /// When there is no verdict.
    pub fn judge(&self, handed: &Handed<'_>) -> Result<Judged, TrialError> {
        let (began, started_at) = (std::time::Instant::now(), clock::moment());
        let pinned = pin(self.repo, handed, self.today)?;
        let mut case = Case::default();
        let decision = match pinned.draft {
            Draft::Infra | Draft::Blank => {
                case.patch.blob = blob_of(&pinned);
                decide(&case.facts(&pinned, &[], self.today))
            }
            Draft::Patch => self.hear(&pinned, &mut case)?,
        };
        case.classify(&decision);
        let wall_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let trial = record::trial(
            &pinned,
            &case.patch,
            &case.lines,
            &decision,
            (started_at, wall_ms),
        )?;
        Ok(Judged {
            trial,
            decision,
            pinned,
            lines: case.lines,
            notes: case.notes,
        })
    }

    /// Runs what has to run.
    fn hear(&self, pinned: &Pinned, case: &mut Case) -> Result<TrialDecision, TrialError> {
        let policy = &pinned.context.policy;
        let material_of_tip = &pinned.evaluation.facts.tip.material;
        let rows = material_of_tip.oracle_rows();
        let properties = properties::plan(
            policy,
            rows,
            material_of_tip.freeze_rows(),
            &pinned.evaluation.standings,
        )?;
        let budgets = Budgets::on(self.repo, policy, pinned.base, &pinned.image)?;
        for check in &policy.checks {
            budgets.of(check)?; // told before anything runs
        }
        let scratch = Scratch::temporary()?;
        let runner = Runner::new(self.interrupt.clone())?;
        let jail = Jail::probe(&runner, scratch.path())?;
        jail.require(policy)?;
        case.patch.enforced = jail.means();
        let place = GitPlace::find(&self.dir, self.git_dir.as_deref())?;
        let cache = Cache::open(
            &common(&place)?,
            &pinned.epoch,
            (&pinned.image, jail.means()),
            policy,
        )?;
        if cache.is_reused(&pinned.image) {
            let Image { id, fingerprint } = &pinned.image;
            case.notes.push(format!(
                "IMAGE_ID_REUSED: {id} was seen with another fingerprint than {fingerprint}"
            ));
        }
        let borrower = Borrower::new(&place, self.repo.hex_len(), &scratch.path().join("objects"))?;
        let bytes = pinned.candidate.bytes(&borrower, pinned.base_root)?;
        case.patch.blob = Some(Sha256::of(&bytes));
        let read = canaries::read(policy, &bytes, &borrower, pinned.base_root)?;
        case.lines = read.lines;
        case.patch.touched = read.diff.iter().flat_map(Diff::touched).cloned().collect();
        if let (Candidate::Patch(_), Some(diff)) = (&pinned.candidate, &read.diff) {
            refuse_material(diff, policy)?;
        }
        if let Some(root) = read.root {
            let territory = Territory::of(policy);
            let mut trees = Trees::new(
                &borrower,
                territory,
                material_of_tip,
                properties::apart(&properties),
            )?;
            trees.add(Revision::Base, pinned.base_root);
            trees.add(Revision::Candidate, root);
            trees.add_witnesses(witness::roots(self.repo, &borrower, pinned, &properties)?);
            case.patch.candidate_tree = Some(candidate_tree(&trees, policy, root, pinned)?);
            let source = Source::new(trees.repo(), jail, self.interrupt)?;
            let bench = Bench {
                policy,
                budgets: &budgets,
                source: &source,
                runner: &runner,
                scratch: scratch.path(),
            };
            if !case.lines.has_missed_canary() {
                canaries::run(&bench, &trees, &mut case.lines)?;
            }
            if !case.lines.has_missed_canary() {
                let cache = (!self.is_anew).then_some(&cache);
                Session {
                    bench: &bench,
                    trees: &trees,
                    cache,
                }
                .run(&properties, &mut case.lines)?;
            }
            case.patch.enforced = source.jail().enforced();
            case.is_tampered = !source.broken_at_all().is_empty();
        }
        if case.lines.has_missed_canary() {
            case.keep_back(pinned, &properties);
        }
        Ok(decide(&case.facts(pinned, &properties, self.today)))
    }
}

/// The code tree of the candidate, which has to be that of the commits when there are some.
pub(super) fn candidate_tree(
    trees: &Trees<'_>,
    policy: &crate::policy::Policy,
    root: ObjectId,
    pinned: &Pinned,
) -> Result<ObjectId, TrialError> {
    let code = trees.repo().code_tree(root, &Territory::of(policy))?;
    match pinned.candidate {
        Candidate::Range(_) if code != pinned.bound.candidate_tree => Err(TrialError::TwoTrees {
            observed: code.to_string(),
            expected: pinned.bound.candidate_tree.to_string(),
        }),
        Candidate::Range(_) | Candidate::Patch(_) => Ok(code),
    }
}

/// The digest of the bytes that nothing runs for; none when there are none.
fn blob_of(pinned: &Pinned) -> Option<Sha256> {
    match (&pinned.candidate, pinned.draft) {
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
    lines: Lines,
    notes: Vec<String>,
    /// Whether a tree that nobody runs in was changed.
    is_tampered: bool,
}

impl Case {
    fn facts(&self, pinned: &Pinned, properties: &[Property<'_>], today: Day) -> TrialFacts {
        let policy = &pinned.context.policy;
        TrialFacts {
            draft: pinned.draft,
            canaries: canaries::facts(policy, &self.lines),
            properties: properties::facts(properties, &self.lines),
            touched: self.patch.touched.clone(),
            bytes_changed: self.is_tampered || self.lines.has_tamper(),
            power: policy.judge.power,
            today,
        }
    }

    /// Lists what did not run after a canary that missed.
    fn keep_back(&mut self, pinned: &Pinned, properties: &[Property<'_>]) {
        let policy = &pinned.context.policy;
        for id in crate::decide::canary::order(policy) {
            if !self.lines.canaries().any(|line| line.id == id) {
                let kept = super::run::Measured::after_canary();
                self.lines
                    .push(Line::canary(id, None, Revision::Candidate, kept));
            }
        }
        properties::keep_back(properties, &mut self.lines);
    }

    /// Says what each run on the candidate amounts to.
    fn classify(&mut self, decision: &TrialDecision) {
        for line in &mut self.lines.0 {
            line.class = record::class(line, decision).or(line.class);
        }
    }
}
