//! By which policy is a fold made?
//!
//! Where the history lies and what looks like a secret may be read from the policy at HEAD, or be
//! the default, where no protected line is known: the worst that a bad one does is to refuse or to
//! fold less. What runs a program may not: `foreman.on_complete` counts on the protected line
//! alone, or a branch could make every clone that folds run its commands.

use crate::gate::GateError;
use crate::gate::survey::{Request, Survey, read_policy, survey};
use crate::git::{GitError, Repo};
use crate::policy::Policy;

/// The rules of a fold.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Where things are, and what is a secret.
    pub policy: Policy,
    /// What runs once a task is complete; empty when nothing does.
    pub on_complete: Vec<String>,
    /// Whether the policy stands on a protected line.
    pub is_protected: bool,
}

/// Reads the policy on the protected line, else that at HEAD, else takes the default.
///
/// # Errors
/// When a policy that is there cannot be read.
pub fn rules(repo: &Repo) -> Result<Rules, GateError> {
    match survey(repo, &Request::default()) {
        Ok(Survey::Under(ground)) => {
            let on_complete = ground.policy.foreman.on_complete.clone();
            Ok(Rules { policy: ground.policy, on_complete, is_protected: true })
        }
        // a shallow clone can be folded in: it only cannot say where it would land
        Ok(Survey::NotUnderReins { .. })
        | Err(
            GateError::NoLine { .. }
            | GateError::Unborn
            | GateError::Git(GitError::Shallow { .. } | GitError::Absent { .. }),
        ) => {
            let policy = match repo.head()? {
                Some(head) => read_policy(repo, head)?,
                None => None,
            };
            Ok(Rules { policy: policy.unwrap_or_default(), on_complete: Vec::new(), is_protected: false })
        }
        Err(error) => Err(error),
    }
}
