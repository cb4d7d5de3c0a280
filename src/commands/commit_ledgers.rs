//! Shares the flags and the answer of the commands that commit ledgers.

use super::{Answer, Failure};
use crate::editing::ledger_worktree::LedgerWorktree;
use crate::git::worktree::{PersonsCommit, StatusEntry, commit_only, open_operation};
use crate::report::phrases::counted;

/// How a ledger is committed.
#[derive(Clone, Debug, clap::Args)]
pub struct CommitFlags {
    /// The message, instead of one that names the changed rows
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub message: Option<String>,
    /// Open the editor on the message
    #[arg(short, long)]
    pub edit: bool,
    /// Print what would be committed, and commit nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Refuses early, with the words of the commit itself, while another operation is open.
///
/// # Errors
/// As said.
pub fn nothing_open(worktree: &LedgerWorktree) -> Result<(), Failure> {
    use crate::git::worktree::CommitError;
    open_operation(&worktree.place).map_or(Ok(()), |open| Err(CommitError::Open(open).into()))
}

impl CommitFlags {
    /// Commits exactly `entries` in the person's name.
    ///
    /// # Errors
    /// With git's own words; the index is as it was.
    pub fn commit(
        &self,
        worktree: &LedgerWorktree,
        entries: &[StatusEntry],
        default: &str,
        next: &str,
    ) -> Result<Answer, Failure> {
        let message = self.message.as_deref().unwrap_or(default);
        let listed: String = entries
            .iter()
            .map(|entry| format!("{}\n", entry.shown()))
            .collect();
        if self.dry_run {
            return Ok(Answer::done(
                format!("{message}\n\n{listed}"),
                "nothing is committed: this is the plan",
            ));
        }
        let commit = PersonsCommit {
            entries,
            message,
            edit: self.edit,
        };
        let made = commit_only(&worktree.place, commit)?;
        let files = counted(entries.len(), "file");
        let said = format!("committed {files} as {}; next: {next}", made.id.short());
        let mut answer = Answer::done("", said);
        answer.stderr.insert_str(0, &made.words);
        Ok(answer)
    }
}
