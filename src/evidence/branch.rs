//! Finds the base and the patch commits of the branch that is checked out.

use super::range_context::{self, Governed, RangeContext, Request, protected_tips, read_policy};
use super::{GateError, gather, reverts};
use crate::decide::facts::LineFacts;
use crate::git::Repo;
use crate::model::ids::CommitId;
use crate::model::shell::word;
use crate::policy::Policy;

/// A branch as it would be judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    /// The commit that it is judged against; none when no protected line is known.
    pub base: Option<CommitId>,
    /// The commits that carry a patch, parents first.
    pub patch: Vec<CommitId>,
}

/// Looks at HEAD. Before a policy stands on the protected line, `draft` says which line that is.
///
/// # Errors
/// When the repository cannot answer.
pub fn look(repo: &Repo, draft: &Policy) -> Result<Branch, GateError> {
    let context = match range_context::find(repo, &Request::default()) {
        Ok(Governed::Under(context)) => *context,
        Ok(Governed::NoPolicy { .. }) | Err(GateError::NoLine { .. }) => {
            match drafted(repo, draft)? {
                Some(context) => context,
                None => return Ok(Branch::default()),
            }
        }
        Err(GateError::Unborn) => return Ok(Branch::default()),
        Err(error) => return Err(error),
    };
    let mut commits = gather::range_facts(repo, &context)?;
    reverts::mark(repo, &context, &mut commits)?;
    let patch = commits
        .iter()
        .filter(|commit| commit.is_patch())
        .map(|commit| commit.id)
        .collect();
    Ok(Branch {
        base: context.range.bases.first().copied(),
        patch,
    })
}

/// The range under a policy that has not landed yet.
fn drafted(repo: &Repo, draft: &Policy) -> Result<Option<RangeContext>, GateError> {
    let Some(tip) = repo.head()? else {
        return Ok(None);
    };
    let protected = protected_tips(repo, draft)?;
    let Some(landing) = protected.first().copied() else {
        return Ok(None);
    };
    let range = repo.range(tip, &protected)?;
    Ok(Some(RangeContext {
        policy: draft.clone(),
        policy_at: landing,
        landing,
        protected,
        tip,
        range,
        line: LineFacts::default(),
    }))
}

/// The command that brings the policy of HEAD to a line that has none; `None` while HEAD has none.
///
/// # Errors
/// When the repository cannot answer.
pub fn landing(repo: &Repo, line: &str) -> Result<Option<String>, GateError> {
    let policy = repo
        .head()?
        .map(|head| read_policy(repo, head))
        .transpose()?
        .flatten();
    let tracked = repo.remote().and_then(|remote| {
        let tracking = format!("refs/remotes/{remote}/");
        let branch = line
            .strip_prefix(&tracking)
            .or_else(|| line.strip_prefix("refs/heads/"))?;
        Some(format!(
            "git push {} {}",
            word(&remote),
            word(&format!("HEAD:refs/heads/{branch}"))
        ))
    });
    let local = line
        .strip_prefix("refs/heads/")
        .map(|name| format!("git switch {} && git merge -", word(name)));
    Ok(policy.map(|_| tracked.or(local).unwrap_or_else(|| "git push".to_owned())))
}
