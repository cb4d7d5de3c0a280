//! Finds the policy by which a fold is made.
//!
//! A policy on a protected line applies alone. Where no such line is known, the policy at HEAD is not
//! trusted: only its markers of secrets apply, since they can only refuse. Its `secret_allow` could
//! let a secret pass, another history directory could commit files that the user never added, and
//! `foreman.on_complete` would run its commands in every clone that folds.

use crate::evidence::GateError;
use crate::evidence::range_context::{self, Governed, Request, read_policy};
use crate::git::{GitError, Repo};
use crate::policy::Policy;

/// The rules of a fold.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Where things are, and what is a secret.
    pub policy: Policy,
    /// What runs once a task is complete; empty when nothing does.
    pub on_complete: Vec<String>,
    /// What the policy at HEAD asks for and does not get, since it stands on no protected line.
    pub ignored: Vec<String>,
}

/// What counts of a policy that stands on no protected line.
fn unprotected(asked: &Policy) -> Rules {
    let mut policy = Policy::default();
    policy
        .judge
        .secret_markers
        .clone_from(&asked.judge.secret_markers);
    let ignored = [
        (asked.paths.history != policy.paths.history, "paths.history"),
        (!asked.judge.secret_allow.is_empty(), "judge.secret_allow"),
        (!asked.foreman.on_complete.is_empty(), "foreman.on_complete"),
    ];
    let ignored = ignored
        .into_iter()
        .filter(|(is_asked, _)| *is_asked)
        .map(|(_, key)| {
            format!("{key} does not count: the policy does not stand on a protected line")
        });
    Rules {
        policy,
        on_complete: Vec::new(),
        ignored: ignored.collect(),
    }
}

/// Reads the policy on the protected line, else that at HEAD, else takes the default.
///
/// # Errors
/// When a policy that is there cannot be read.
pub fn rules(repo: &Repo) -> Result<Rules, GateError> {
    match range_context::find(repo, &Request::default()) {
        Ok(Governed::Under(ground)) if !ground.line.is_adoption => {
            let on_complete = ground.policy.foreman.on_complete.clone();
            Ok(Rules {
                policy: ground.policy,
                on_complete,
                ignored: Vec::new(),
            })
        }
        // a shallow clone can be folded in: it only cannot say where it would land
        Ok(Governed::Under(_) | Governed::NoPolicy { .. })
        | Err(
            GateError::NoLine { .. }
            | GateError::Unborn
            | GateError::Git(GitError::Shallow { .. } | GitError::Absent { .. }),
        ) => {
            let policy = match repo.head()? {
                Some(head) => read_policy(repo, head)?,
                None => None,
            };
            Ok(unprotected(&policy.unwrap_or_default()))
        }
        Err(error) => Err(error),
    }
}
