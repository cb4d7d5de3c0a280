//! Runs tier 1 again on the graded tree, with the time that it needs.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::decide::fold::VERDICT;
use crate::decide::grade;
use crate::git::apply::{ApplyError, ScratchRepo};
use crate::git::checkout::CheckoutError;
use crate::git::plumbing::GitPlace;
use crate::git::{GitError, Repo};
use crate::gitreins::verdict::{Step, Verdict};
use crate::model::adjudication::{Tier1 as Grade, Why};
use crate::model::ids::{CommitId, ObjectId, Sha256};
use crate::model::path::RepoPath;
use crate::model::record::{self, RecordFault};
use crate::model::reverification::{
    Budget, REVERIFY_FILE, REVERIFY_SCHEMA, Rerun, RerunResult, Reverification,
};
use crate::model::run::{End, Ran};
use crate::model::trial::Outcome;
use crate::sandbox::environment::Environment;
use crate::sandbox::interrupt::Interrupt;
use crate::sandbox::plan::Limits;
use crate::sandbox::run::{Job, RunError, Runner};
use crate::sys::files::{FileError, Root};
use crate::sys::scratch::Scratch;

/// The changes of the worktree that GitReins graded, beside its verdict.
const WORKTREE_PATCH: &str = "worktree.patch";

/// A suite that prints more has gone astray.
const OUTPUT: u64 = 64 << 20;

/// The suite, and what it takes to run it.
pub struct Suite<'a> {
    /// The repository that holds the graded commits.
    pub repo: &'a Repo,
    /// The same one, for git itself.
    pub place: &'a GitPlace,
    /// The command of the policy on the protected line, not empty.
    pub command: &'a [String],
    /// How long it may take, decided before.
    pub budget: &'a Budget,
    /// Who asks us to stop.
    pub interrupt: &'a Interrupt,
}

/// A verdict that waits for the suite.
#[derive(Clone, Copy, Debug)]
pub struct Graded<'a> {
    /// The directory of its files.
    pub dir: &'a Path,
    /// What it says.
    pub verdict: &'a Verdict,
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// What lies beside it already.
    pub earlier: Option<&'a Reverification>,
}

/// Why a verdict stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum ReverifyError {
    /// It does not say what was graded.
    #[error("the verdict names no commit, so that nobody knows which tree was graded")]
    NoCommit,
    /// The graded commit cannot be read.
    #[error("the graded tree is not known: {0}")]
    Git(#[from] GitError),
    /// The graded tree held changes that were not kept as a whole.
    #[error("the graded tree held uncommitted changes, and {0}")]
    Changes(&'static str),
    /// They do not fit the graded commit.
    #[error("the graded tree held uncommitted changes: {0}")]
    Apply(#[from] ApplyError),
    /// The tree is not on disk.
    #[error("the graded tree cannot be laid out: {0}")]
    Checkout(#[source] CheckoutError),
    /// Nobody knows how the run ended.
    #[error(transparent)]
    Run(#[from] RunError),
    /// No directory to run in.
    #[error("no directory can be made to run in: {0}")]
    Scratch(#[from] io::Error),
    /// A file beside the verdict.
    #[error(transparent)]
    File(#[from] FileError),
    /// The verdict changed while the suite ran.
    #[error("verdict.json was changed meanwhile")]
    Changed,
    /// What was seen makes no record.
    #[error("the run makes no record: {0}")]
    Record(#[from] RecordFault),
}

impl ReverifyError {
    /// The signal, when somebody asked us to stop.
    pub fn interrupted(&self) -> Option<i32> {
        if let Self::Run(RunError::Interrupted(signal)) = self {
            Some(*signal)
        } else {
            None
        }
    }
}

/// Whether the suite runs for a verdict with such a record: there is none, it never started, or it
/// ran out of a smaller budget than there is now. One that started and graded nothing is not run
/// until it passes.
pub fn is_due(earlier: Option<&Reverification>, budget: &Budget) -> bool {
    earlier.is_none_or(|earlier| match earlier.result {
        RerunResult::Pass | RerunResult::Fail => false,
        RerunResult::Ungraded => !earlier.runs.iter().any(Rerun::is_unclear),
        RerunResult::Timeout => earlier.budget.budget_s < budget.budget_s,
    })
}

impl Suite<'_> {
    /// Runs the suite on the graded tree and writes what it showed beside the verdict.
    ///
    /// Nothing in the repository is touched but that one file, which is written whole or not at
    /// all. `tick` hears how long the suite has run.
    ///
    /// # Errors
    /// When the graded tree is not known, or it is not known how the run ended.
    pub fn reverify(
        &self,
        graded: &Graded<'_>,
        tick: &mut dyn FnMut(Duration),
    ) -> Result<(Reverification, Ran), ReverifyError> {
        let commit = graded.verdict.commit.ok_or(ReverifyError::NoCommit)?;
        let root = Root::open(graded.dir)?;
        let scratch = Scratch::temporary()?;
        let dir = scratch.path().join("tree");
        let tree = self.lay(graded, commit, &root, scratch.path())?;
        let environment = Environment::clean(scratch.path())?;
        let argv: Vec<_> = self.command.iter().map(OsString::from).collect();
        let limits = Limits {
            budget: Duration::from_secs(self.budget.budget_s),
            output: OUTPUT,
        };
        let job = Job {
            argv: &argv,
            dir: &dir,
            environment: &environment,
            limits,
            fence: None,
        };
        let ran = Runner::new(self.interrupt.clone())?.run(&job, tick)?;
        let record = self.record(graded, (commit, tree), rerun(&ran));
        write(&root, graded.sha256, &record)?;
        Ok((record, ran))
    }

    /// Lays out the graded tree below `scratch`; its id.
    fn lay(
        &self,
        graded: &Graded<'_>,
        commit: CommitId,
        root: &Root,
        scratch: &Path,
    ) -> Result<ObjectId, ReverifyError> {
        let tree = self.repo.commit(commit)?.tree;
        let dir = scratch.join("tree");
        let goes_on = || self.interrupt.caught().is_none();
        Scratch::kept(&dir)?;
        let (tree, laid) = match uncommitted(graded.verdict, root)? {
            None => (tree, self.repo.checkout(tree, &dir, &goes_on)),
            Some(patch) => {
                let scratch_repo =
                    ScratchRepo::new(self.place, self.repo.hex_len(), &scratch.join("objects"))?;
                let patched = scratch_repo.apply(tree, &patch)?;
                (
                    patched,
                    scratch_repo.repo()?.checkout(patched, &dir, &goes_on),
                )
            }
        };
        match laid {
            Ok(_) => Ok(tree),
            Err(CheckoutError::CalledOff) => {
                Err(RunError::Interrupted(self.interrupt.caught().unwrap_or_default()).into())
            }
            Err(error) => Err(ReverifyError::Checkout(error)),
        }
    }

    /// The record with one run more. Earlier runs of the very same thing that graded nothing stay.
    fn record(
        &self,
        graded: &Graded<'_>,
        (commit, tree): (CommitId, ObjectId),
        run: Rerun,
    ) -> Reverification {
        let same = |earlier: &&Reverification| {
            (earlier.commit, earlier.tree) == (commit, tree)
                && (&earlier.command[..], &earlier.budget) == (self.command, self.budget)
        };
        let mut runs = graded
            .earlier
            .filter(same)
            .map(|earlier| earlier.runs.clone())
            .unwrap_or_default();
        runs.push(run);
        Reverification {
            schema: REVERIFY_SCHEMA.to_owned(),
            verdict_sha256: graded.sha256,
            task_id: graded.verdict.task_id.clone(),
            commit,
            tree,
            command: self.command.to_vec(),
            budget: self.budget.clone(),
            result: RerunResult::of(&runs),
            runs,
        }
    }
}

/// The bytes of the changes that were graded and that no commit has.
///
/// Files that git did not know are not among them: the judge kept only what `git diff HEAD` shows.
fn uncommitted(verdict: &Verdict, root: &Root) -> Result<Option<Vec<u8>>, ReverifyError> {
    let name: RepoPath = WORKTREE_PATCH.parse().expect("the name is a safe path");
    let Some(kept) = verdict.uncommitted else {
        return Ok(None);
    };
    if !kept.is_complete {
        return Err(ReverifyError::Changes("worktree.patch has not all of them"));
    }
    let patch = root
        .read(&name)?
        .ok_or(ReverifyError::Changes("worktree.patch is missing"))?;
    match kept.bytes == Some(patch.len() as u64) {
        true => Ok(Some(patch)),
        false => Err(ReverifyError::Changes(
            "worktree.patch has another size than the verdict says",
        )),
    }
}

/// What a run amounts to, by the same rules as the tests step of a verdict.
///
/// A suite that leaves processes behind or never stops printing shows nothing about the product: no
/// test is known to have failed.
fn rerun(ran: &Ran) -> Rerun {
    let of_signal = |signal| (Outcome::Signal, None, Some(signal));
    let (outcome, exit, signal) = match &ran.end {
        End::Exit(code) => (of_exit(ran, *code), Some(*code), None),
        End::Signal(signal) => of_signal(*signal),
        End::Timeout => (Outcome::Timeout, None, None),
        End::OutputLimit => (Outcome::Error, None, None),
        End::Missing(_) | End::NotStarted(_) => (Outcome::NotRun, None, None),
    };
    let is_alone = ran.leaked == 0 && ran.survivors == 0;
    let outcome = if outcome == Outcome::Pass && !is_alone {
        Outcome::Error
    } else {
        outcome
    };
    // exit 0 stands for a pass and for nothing else
    let exit = exit.filter(|code| *code != 0 || outcome == Outcome::Pass);
    Rerun {
        outcome,
        exit,
        signal,
        duration_ms: ran.wall_ms,
    }
}

fn of_exit(ran: &Ran, code: i32) -> Outcome {
    let step = Step {
        id: "tests".to_owned(),
        passed: code == 0,
        output: format!("{}\n{}", ran.stderr.text(), ran.stdout.text()),
        exit_code: Some(code.into()),
        ..Step::default()
    };
    match grade::step(&step) {
        Grade::Pass => Outcome::Pass,
        Grade::Fail => Outcome::Fail,
        Grade::Timeout(_) => Outcome::Timeout,
        Grade::Ungraded(Why::ToolMissing) => Outcome::NotRun,
        Grade::Ungraded(_) => Outcome::Error,
    }
}

/// Writes the record beside the verdict that it is about, unless that one has changed.
fn write(root: &Root, sha256: Sha256, record: &Reverification) -> Result<(), ReverifyError> {
    let name = |name: &str| name.parse::<RepoPath>().expect("both names are safe paths");
    let text = record::print(record);
    record::parse::<Reverification>(text.as_bytes())?;
    let now = root.read(&name(VERDICT))?;
    if now.is_none_or(|bytes| Sha256::of(&bytes) != sha256) {
        return Err(ReverifyError::Changed);
    }
    Ok(root.replace(&name(REVERIFY_FILE), text.as_bytes())?)
}
