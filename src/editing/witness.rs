//! Checks a known-bad patch and names the file in which a row keeps it.

use super::Refused;
use super::ledger_worktree::{LedgerWorktree, LedgerWorktreeError, Opened};
use super::oracle;
use super::plan::{Plan, Write};
use crate::decide::canary::{material, parse_diff};
use crate::git::apply::{ApplyError, ScratchRepo};
use crate::git::plumbing::{Git, PlumbingError};
use crate::ledger::oracle::{OracleLedger, OracleRow, PinnedFile};
use crate::model::ids::{ObjectId, OracleId, Sha256};
use crate::model::path::visible;
use crate::sys::scratch::Scratch;

/// What is to be written, and the pin in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The patch and the ledger.
    pub plan: Plan,
    /// The place of the patch, and its digest.
    pub pin: PinnedFile,
}

/// Keeps a patch beside the ledgers, where its row pins it.
///
/// # Errors
/// When there is no such row, or the patch is none, touches material, or does not apply to HEAD.
pub fn keep(
    worktree: &LedgerWorktree,
    opened: &Opened<OracleLedger>,
    id: &OracleId,
    bytes: Vec<u8>,
) -> Result<Witness, LedgerWorktreeError> {
    let diff = parse_diff(&bytes)
        .map_err(|miss| Refused::new(format!("it is no patch: {}", visible(&miss.note))))?;
    if let Some(path) = material(&diff, &worktree.policy).first() {
        let refused = Refused::new(format!(
            "the patch touches {path}, which is material: the judge lays that itself"
        ));
        return Err(refused
            .fix("take it out: a known-bad patch changes code")
            .into());
    }
    let path = worktree
        .policy
        .paths
        .ledger
        .join(&format!("witness/{id}.diff"))?;
    let pin = PinnedFile {
        path: path.to_string(),
        sha256: Sha256::of(&bytes).to_string(),
    };
    let pinned = Some(pin.clone());
    let after = oracle::change(opened.required()?.clone(), id, |row| OracleRow {
        witness_patch: pinned,
        ..row
    })?;
    applies(worktree, &bytes)?;
    let patch = Write {
        before: worktree.root.read(&path)?,
        path,
        after: bytes,
    };
    Ok(Witness {
        plan: Plan::new([patch, opened.becomes(&after)?]),
        pin,
    })
}

/// Refuses a patch that does not apply to HEAD; before the first commit there is nothing to ask.
fn applies(worktree: &LedgerWorktree, bytes: &[u8]) -> Result<(), LedgerWorktreeError> {
    let asked = [
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        "HEAD^{tree}",
    ];
    let Some(tree) = Git::at(&worktree.place).args(asked).maybe_line()? else {
        return Ok(());
    };
    let no_id = || PlumbingError::Answer {
        command: "git rev-parse".to_owned(),
    };
    let tree: ObjectId = tree.parse().map_err(|_| no_id())?;
    let unable = |why: String| {
        Refused::new(format!(
            "whether the patch applies cannot be found out: {why}"
        ))
    };
    let scratch = Scratch::temporary().map_err(|error| unable(error.to_string()))?;
    let scratch_repo = ScratchRepo::new(
        &worktree.place,
        tree.hex_len(),
        &scratch.path().join("objects"),
    );
    match scratch_repo.and_then(|scratch_repo| scratch_repo.apply(tree, bytes)) {
        Ok(_) => Ok(()),
        Err(ApplyError::Refused(words)) => {
            let refused = Refused::new(format!("the patch does not apply to HEAD: {words}"));
            Err(refused
                .fix("make it on the protected line, where the judge applies it")
                .into())
        }
        Err(error) => Err(unable(error.to_string()).into()),
    }
}
