//! Reads a commit range: its lines, its policy, its facts.

pub mod branch;
pub mod change;
pub mod destination;
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

use crate::decide::admit::UnreadablePolicy;
use crate::decide::facts::{Facts, Material};
use crate::exit::{Explained, Explanation};
use crate::git::{GitError, Repo};
use crate::model::day::Day;
use crate::model::path::shown;
use crate::model::refusal::Code;

use range_context::{Governed, RangeContext, Request};

/// Why nothing can be decided.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// The repository cannot answer.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A policy that cannot be read.
    #[error(transparent)]
    Policy(#[from] UnreadablePolicy),
    /// The line that the candidate would land on is not known.
    #[error("no protected line is known: {looked_for}")]
    NoLine {
        /// What was looked for.
        looked_for: String,
        /// The command that helps.
        fix: String,
    },
    /// Neither the line that the candidate would land on nor the candidate has a policy.
    #[error("NOT JUDGED: {} has no policy", short_name(.line))]
    NoPolicy {
        /// The line.
        line: String,
    },
    /// HEAD names no commit yet.
    #[error("the branch has no commit yet")]
    Unborn,
}

impl Explained for GateError {
    fn explain(&self) -> Explanation {
        match self {
            Self::Git(error) => error.explain(),
            Self::Policy(error) => error.explain(),
            Self::NoLine { fix, .. } => Explanation::undecided().code(Code::LineUnknown).fix(fix),
            Self::NoPolicy { .. } => Explanation::undecided()
                .code(Code::PolicyMissing)
                .fix("write a policy with git reins init, and let a maintainer land it"),
            Self::Unborn => Explanation::undecided().fix("git commit"),
        }
    }
}

/// The name of a line as a person writes it.
fn short_name(line: &str) -> String {
    let bare = ["refs/remotes/", "refs/heads/"]
        .into_iter()
        .find_map(|prefix| line.strip_prefix(prefix));
    shown(bare.unwrap_or(line))
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

/// What was read about a range.
#[derive(Debug)]
pub struct Evidence {
    /// Lines, policy, range.
    pub context: RangeContext,
    /// Everything that is decided on.
    pub facts: Facts,
}

/// Finds the range and the policy that judges it, and gathers the facts.
///
/// # Errors
/// When the repository cannot answer.
pub fn collect(
    repo: &Repo,
    request: &Request<'_>,
    today: Day,
) -> Result<Governed<Evidence>, GateError> {
    let context = match range_context::find(repo, request)? {
        Governed::NoPolicy { line } => return Ok(Governed::NoPolicy { line }),
        Governed::Under(context) => *context,
    };
    let facts = gather::gather(repo, &context, today)?;
    Ok(Governed::Under(Box::new(Evidence { context, facts })))
}
