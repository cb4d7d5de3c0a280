//! Commit range in, evidence out: which line, which policy, which facts?

pub mod branch;
pub mod change;
mod destination;
mod evil_merge;
mod extensions;
pub mod gather;
pub mod material;
pub mod push;
pub mod range_context;
pub mod reverts;
pub mod trials;
pub mod unexpected_paths;

use std::sync::Arc;

use crate::decide::facts::{Facts, Material};
use crate::git::{GitError, Repo};
use crate::model::day::Day;
use crate::model::decision::{Decision, Outcome};
use crate::model::ids::CommitId;
use crate::model::refusal::Code;
use crate::policy::PolicyFault;

use range_context::{Governed, RangeContext, Request};

/// Why nothing can be decided.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// The repository cannot answer.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A policy that cannot be read.
    #[error("the policy at commit {commit} cannot be read: {fault}")]
    Policy {
        /// Where it stands.
        commit: CommitId,
        /// What is wrong with it.
        #[source]
        fault: PolicyFault,
    },
    /// No range was given and no protected line is known.
    #[error("no protected line is known: {looked_for}")]
    NoLine {
        /// What was looked for.
        looked_for: String,
        /// The command that helps.
        fix: String,
    },
    /// HEAD names no commit yet.
    #[error("the branch has no commit yet")]
    Unborn,
}

impl GateError {
    /// The code of the answer, where the catalogue has one.
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Policy { .. } => Some(Code::PolicyInvalid),
            Self::Git(
                GitError::Shallow { .. }
                | GitError::Absent {
                    is_partial: true, ..
                },
            ) => Some(Code::HistoryIncomplete),
            Self::Git(_) | Self::NoLine { .. } | Self::Unborn => None,
        }
    }

    /// The command or edit that helps.
    pub fn fix(&self) -> Option<String> {
        match self {
            Self::Git(GitError::Shallow { .. }) => Some("git fetch --unshallow".to_owned()),
            Self::Git(GitError::Absent {
                is_partial: true, ..
            }) => Some("git fetch --refetch --no-filter".to_owned()),
            Self::Git(GitError::Absent { .. } | GitError::Unreadable { .. }) => {
                Some("git fsck --full".to_owned())
            }
            Self::Git(GitError::Open { fix, .. }) => fix.clone(),
            Self::Git(GitError::Name { .. } | GitError::Other { .. }) => None,
            Self::Policy { fault, .. } => Some(format!(
                "correct {} in .gitreins/reins.toml on that line",
                fault.key
            )),
            Self::NoLine { fix, .. } => Some(fix.clone()),
            Self::Unborn => Some("git commit".to_owned()),
        }
    }
}

/// The material at HEAD under the policy that stands there; `None` where there is no policy.
///
/// # Errors
/// When the repository cannot answer, or HEAD is unborn.
pub fn at_head(repo: &Repo) -> Result<Option<Arc<Material>>, GateError> {
    let head = repo.head()?.ok_or(GateError::Unborn)?;
    let Some(policy) = range_context::read_policy(repo, head)? else {
        return Ok(None);
    };
    Ok(Some(
        material::Reader::new(repo, &policy).read(Some(repo.commit(head)?.tree))?,
    ))
}

/// A decision, or the line that is not under reins.
#[derive(Debug)]
pub enum Judged {
    /// There is no policy on the line that the candidate would land on.
    NotUnderReins {
        /// The line as it was found.
        line: String,
    },
    /// The policy there was applied.
    Decided(Box<Decision>),
}

/// Surveys the range, gathers the facts and decides.
///
/// # Errors
/// When the repository cannot answer.
pub fn judge(
    repo: &Repo,
    request: &Request<'_>,
    today: Day,
    decide: impl Fn(&Facts) -> Decision,
) -> Result<Judged, GateError> {
    Ok(match weigh(repo, request, today, decide)? {
        Ok(weighed) => Judged::Decided(Box::new(weighed.decision)),
        Err(line) => Judged::NotUnderReins { line },
    })
}

/// A decision with the context and the facts that it was made from.
#[derive(Debug)]
pub struct Weighed {
    /// Lines, policy, range.
    pub context: RangeContext,
    /// Everything that was gathered.
    pub facts: Facts,
    /// What was decided.
    pub decision: Decision,
}

/// The same with everything that was gathered; the inner error is the line without a policy.
///
/// # Errors
/// When the repository cannot answer.
pub fn weigh(
    repo: &Repo,
    request: &Request<'_>,
    today: Day,
    decide: impl Fn(&Facts) -> Decision,
) -> Result<Result<Box<Weighed>, String>, GateError> {
    let context = match range_context::find(repo, request)? {
        Governed::NoPolicy { line } => return Ok(Err(line)),
        Governed::Under(context) => *context,
    };
    let mut facts = gather::gather(repo, &context, today)?;
    let decision = settle(repo, &context, &mut facts, decide)?;
    Ok(Ok(Box::new(Weighed {
        context,
        facts,
        decision,
    })))
}

/// Decides on gathered facts.
///
/// Whether a commit is a revert is only looked for when it can matter: when something stands
/// against the candidate, or when a commit with code changes rows too.
fn settle(
    repo: &Repo,
    context: &RangeContext,
    facts: &mut Facts,
    decide: impl Fn(&Facts) -> Decision,
) -> Result<Decision, GateError> {
    let mut decision = decide(facts);
    if reverts::matter(facts, &decision) {
        reverts::mark(repo, context, &mut facts.commits)?;
        decision = decide(facts);
    }
    if decision.decision != Outcome::Refuse
        && facts
            .bases
            .iter()
            .any(|base| base.material.policy != facts.tip.material.policy)
    {
        range_context::read_policy(repo, facts.tip.id)?; // a policy that cannot be read may not land
    }
    Ok(decision)
}
