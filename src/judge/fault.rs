//! The errors of a trial.

use std::io;

use super::command::CommandError;
use crate::decide::enforced::name;
use crate::decide::secret::BadMarker;
use crate::evidence::GateError;
use crate::exit::{Explained, Explanation};
use crate::git::GitError;
use crate::git::apply::ApplyError;
use crate::git::checkout::CheckoutError;
use crate::git::plumbing::PlumbingError;
use crate::model::decision::Decision;
use crate::model::ids::OracleId;
use crate::model::path::RepoPath;
use crate::model::record::RecordFault;
use crate::model::refusal::Code;
use crate::policy::Mechanism;
use crate::sandbox::layer::LayerError;
use crate::sandbox::run::RunError;
use crate::sys::files::FileError;

/// Why there is no verdict. Nothing of the trial is left, and nothing is recorded.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The repository or the policy cannot answer.
    #[error(transparent)]
    Gate(Box<GateError>),
    /// The ledgers disagree, so that nobody knows what to judge by.
    #[error("the ledgers of the range disagree")]
    Checked(Box<Decision>),
    /// The candidate or the machine breaks a rule by itself.
    #[error("{message}")]
    Refused {
        /// The rule.
        code: Code,
        /// What was read, and what was expected.
        message: String,
        /// What helps.
        fix: String,
    },
    /// A repository without a worktree has no place for a record.
    #[error("the repository has no worktree, and so no place for a record")]
    Bare,
    /// Nothing enforces what the policy requires.
    #[error("judge.require asks for what is not enforced here: {}", list(.0))]
    Unenforced(Vec<(Mechanism, String)>),
    /// A property that no declared check runs.
    #[error("no check of the policy runs the property {0}")]
    NoCheck(String),
    /// The known-bad patch of a row makes no tree.
    #[error("the known-bad patch {path} of {id} {why}")]
    Witness {
        /// The row.
        id: OracleId,
        /// The patch.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// A check needs more time than it may have.
    #[error("{0}")]
    Budget(String),
    /// A pattern of the policy.
    #[error(transparent)]
    Marker(#[from] BadMarker),
    /// The command of a check.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// Git could not make a tree.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// A tree is not on disk.
    #[error("a tree cannot be laid out: {0}")]
    Checkout(#[source] CheckoutError),
    /// There is no tree for a run, or nobody knows what the run left in it.
    #[error(transparent)]
    Layer(LayerError),
    /// Nobody knows how a run ended.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file or directory of ours.
    #[error(transparent)]
    File(#[from] FileError),
    /// A directory of ours.
    #[error("no directory can be made to judge in: {0}")]
    Scratch(#[from] io::Error),
    /// Something else lies where the record would be put.
    #[error("{0} is there, and is not the record of this trial")]
    Occupied(RepoPath),
    /// What was seen makes no record.
    #[error("the trial makes no record: {0}")]
    Record(#[from] RecordFault),
    /// Two ways to the same tree that do not meet.
    #[error(
        "the code tree of the candidate is {observed} by its patch and {expected} by its commits"
    )]
    TwoTrees {
        /// By the patch.
        observed: String,
        /// By the commits.
        expected: String,
    },
}

/// Each mechanism with why it is missing.
fn list(missing: &[(Mechanism, String)]) -> String {
    let one = |(mechanism, why): &(Mechanism, String)| format!("{} ({why})", name(*mechanism));
    missing.iter().map(one).collect::<Vec<_>>().join(", ")
}

impl TrialError {
    /// The signal, when somebody asked us to stop.
    pub fn interrupted(&self) -> Option<i32> {
        if let Self::Run(RunError::Interrupted(signal)) = self {
            Some(*signal)
        } else {
            None
        }
    }
}

impl Explained for TrialError {
    fn explain(&self) -> Explanation {
        let explanation = Explanation::undecided();
        match self {
            Self::Gate(error) => error.explain(),
            Self::Run(RunError::Interrupted(signal)) => Explanation::stopped(
                *signal,
                "interrupted; what was running is ended and nothing is recorded",
            ),
            Self::Refused { code, fix, .. } => Explanation::refused().code(*code).fix(fix),
            Self::Unenforced(_) => explanation.fix(
                "state [judge] require = [] in .gitreins/reins.toml on the protected line to judge without",
            ),
            Self::NoCheck(_) => explanation.fix(
                "declare a [[check]] that runs it in .gitreins/reins.toml on the protected line",
            ),
            Self::Witness { id, .. } => explanation.fix(format!(
                "git reins oracle witness {id} PATCH.diff, with a patch that applies to the protected line, in a range of its own"
            )),
            Self::Budget(_) => explanation
                .code(Code::PolicyInvalid)
                .fix("raise timeout.max_s of the check on the protected line"),
            Self::Marker(_) | Self::Command(_) => explanation
                .code(Code::PolicyInvalid)
                .fix("correct the key on the protected line"),
            Self::Bare => explanation.fix("judge in a clone with a worktree"),
            Self::Occupied(_) => explanation.fix("move it away, and judge again"),
            Self::Checked(_)
            | Self::Apply(_)
            | Self::Checkout(_)
            | Self::Layer(_)
            | Self::Run(_)
            | Self::File(_)
            | Self::Scratch(_)
            | Self::Record(_)
            | Self::TwoTrees { .. } => explanation,
        }
    }
}

impl From<LayerError> for TrialError {
    fn from(error: LayerError) -> Self {
        match error {
            LayerError::Run(error) => Self::Run(error),
            error => Self::Layer(error),
        }
    }
}

impl From<GateError> for TrialError {
    fn from(error: GateError) -> Self {
        Self::Gate(Box::new(error))
    }
}

impl From<GitError> for TrialError {
    fn from(error: GitError) -> Self {
        GateError::from(error).into()
    }
}

impl From<PlumbingError> for TrialError {
    fn from(error: PlumbingError) -> Self {
        Self::Apply(error.into())
    }
}
