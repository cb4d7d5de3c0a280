//! Finds the base and the patch commits of the branch that is checked out.

use super::ledger_worktree::{LedgerWorktree, LedgerWorktreeError};
use crate::evidence::GateError;
use crate::evidence::branch::{Branch, look};
use crate::git::Repo;

/// The branch as it would be judged.
///
/// # Errors
/// When the repository cannot answer.
pub fn branch(desk: &LedgerWorktree) -> Result<Branch, LedgerWorktreeError> {
    let repo = Repo::open(desk.root.path(), Some(&desk.place.git_dir))
        .map_err(GateError::from)
        .map_err(Box::new)?;
    Ok(look(&repo, &desk.policy).map_err(Box::new)?)
}
