//! Selects the changed paths that a commit of ledgers takes, and makes its message.

use std::collections::BTreeSet;

use super::Refused;
use super::ledger_worktree::{LedgerWorktree, LedgerWorktreeError};
use super::{freeze, oracle};
use crate::evidence::branch::Branch;
use crate::git::plumbing::Git;
use crate::git::worktree::{Change, StatusEntry};
use crate::ledger::file::{Ledger, LedgerName, parse};
use crate::ledger::fixture::FixtureLedger;
use crate::ledger::freeze::FreezeLedger;
use crate::ledger::oracle::OracleLedger;
use crate::model::path::RepoPath;
use crate::model::refusal::Code;
use crate::model::shell::word;
use crate::policy::Paths;

/// The entries of an oracle commit: everything changed in the ledger directory and under
/// `paths.properties`.
///
/// # Errors
/// When anything else is changed or staged, a new patch file lies about, the ledger directory
/// holds a foreign file, or there is nothing to commit.
pub fn oracle_entries(
    paths: &Paths,
    status: Vec<StatusEntry>,
) -> Result<Vec<StatusEntry>, Refused> {
    if let Some(patch) = status.iter().find(|entry| is_new_patch(paths, entry)) {
        let refused = Refused::new(format!(
            "the new patch file {} lies in the worktree",
            patch.shown()
        ));
        return Err(refused.fix(
            "an oracle is committed before a diff is opened: move the patch out of the worktree",
        ));
    }
    let (inside, outside): (Vec<_>, Vec<_>) = status
        .into_iter()
        .partition(|entry| is_material(paths, entry));
    if let Some(other) = outside
        .iter()
        .find(|entry| entry.change != Change::Untracked)
    {
        let refused = Refused::new(format!("{} is changed too", other.shown()));
        return Err(refused.fix(format!("git stash push -- {}", word(&other.shown()))));
    }
    if let Some(foreign) = inside.iter().find(|entry| is_foreign(paths, entry)) {
        let message = format!("{} does not belong in {}", foreign.shown(), paths.ledger);
        return Err(Refused::new(message)
            .code(Code::LedgerInvalid)
            .fix("move it out of there"));
    }
    not_empty(inside, "no ledger and no property file has changed")
}

/// The entry of one ledger, for a commit of that file alone.
///
/// # Errors
/// When it has not changed.
pub fn ledger_entry(
    path: &RepoPath,
    status: Vec<StatusEntry>,
) -> Result<Vec<StatusEntry>, Refused> {
    let entries = status
        .into_iter()
        .filter(|entry| entry.text() == Some(path.as_str()))
        .collect();
    not_empty(entries, &format!("{path} has not changed"))
}

fn not_empty(entries: Vec<StatusEntry>, otherwise: &str) -> Result<Vec<StatusEntry>, Refused> {
    if let Some(conflict) = entries
        .iter()
        .find(|entry| entry.change == Change::Unmerged)
    {
        let refused = Refused::new(format!("{} is in conflict", conflict.shown()));
        return Err(refused.fix("git reins fmt --resolve"));
    }
    if entries.is_empty() {
        Err(Refused::new(otherwise))
    } else {
        Ok(entries)
    }
}

/// Whether a changed path is a ledger or a property file.
pub fn is_material(paths: &Paths, entry: &StatusEntry) -> bool {
    let prefixes = paths.properties.iter().chain([&paths.ledger]);
    entry
        .text()
        .is_some_and(|path| prefixes.into_iter().any(|prefix| prefix.covers(path)))
}

fn is_new_patch(paths: &Paths, entry: &StatusEntry) -> bool {
    let name = entry.path.to_ascii_lowercase();
    let patch = name.ends_with(b".diff") || name.ends_with(b".patch");
    patch
        && entry.change == Change::Untracked
        && !entry.text().is_some_and(|path| is_witness(paths, path))
}

fn is_witness(paths: &Paths, path: &str) -> bool {
    let inner = path
        .strip_prefix(paths.ledger.as_str())
        .and_then(|rest| rest.strip_prefix("/witness/"));
    inner.is_some_and(|name| name.ends_with(".diff") && !name.contains('/'))
}

fn is_foreign(paths: &Paths, entry: &StatusEntry) -> bool {
    let Some(path) = entry.text() else {
        return true;
    };
    let Some(inner) = path.strip_prefix(paths.ledger.as_str()) else {
        return false;
    };
    let ledger = LedgerName::ALL
        .iter()
        .any(|name| inner.strip_prefix('/') == Some(name.file_name()));
    entry.change == Change::Untracked && !ledger && !is_witness(paths, path)
}

/// The ledger as HEAD has it; none when HEAD has none that can be read.
///
/// # Errors
/// When git fails.
pub fn at_head<L: Ledger>(worktree: &LedgerWorktree) -> Result<Option<L>, LedgerWorktreeError> {
    let name = format!("HEAD:{}", worktree.ledger_path(L::NAME)?);
    let asked = [
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &name,
    ];
    let Some(id) = Git::at(&worktree.place).args(asked).maybe_line()? else {
        return Ok(None);
    };
    let bytes = Git::at(&worktree.place)
        .args(["cat-file", "blob", &id])
        .run()?;
    Ok(parse(&bytes).ok())
}

/// The property files of the rows that differ between the base of the branch and HEAD.
///
/// # Errors
/// When git fails.
pub fn committed_beside(
    worktree: &LedgerWorktree,
    branch: &Branch,
    rows: &OracleLedger,
) -> Result<Vec<String>, LedgerWorktreeError> {
    let Some(base) = branch.base.map(|base| base.to_string()) else {
        return Ok(Vec::new());
    };
    let asked = [
        "diff-tree",
        "-r",
        "--name-only",
        "--no-renames",
        "-z",
        &base,
        "HEAD",
    ];
    let changed = Git::at(&worktree.place).args(asked).run()?;
    let changed: BTreeSet<_> = changed.split(|byte| *byte == 0).collect();
    let named = rows
        .oracles
        .iter()
        .flat_map(|row| &row.property_files)
        .map(|file| file.path.clone());
    let files: BTreeSet<_> = named
        .filter(|path| changed.contains(path.as_bytes()))
        .collect();
    Ok(files.into_iter().collect())
}

/// The message of an oracle commit: which rows it adds, changes and removes.
pub fn oracle_message(before: &OracleLedger, after: &OracleLedger) -> String {
    let changes = oracle::changes(before, after);
    let parts = [
        ("add", changes.added),
        ("change", changes.changed),
        ("remove", changes.removed),
    ];
    let parts: Vec<_> = parts
        .into_iter()
        .filter_map(|(verb, ids)| phrase(verb, "oracle", &ids))
        .collect();
    match parts.is_empty() {
        true => "ledger: update ledger and property files".to_owned(),
        false => format!("ledger: {}", parts.join("; ")),
    }
}

/// The message of a freeze commit.
pub fn freeze_message(before: &FreezeLedger, after: &FreezeLedger) -> String {
    let (gained, lost) = freeze::changes(before, after);
    let parts = [
        phrase("add", "freeze", &gained),
        phrase("remove", "freeze", &lost),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "ledger: update freezes".to_owned()
    } else {
        format!("ledger: {}", parts.join("; "))
    }
}

/// The message of a fixture commit.
pub fn fixture_message(ledger: &FixtureLedger) -> String {
    format!(
        "ledger: pin fixture epoch {}",
        crate::ledger::field::text(&ledger.epoch_id)
    )
}

/// Names up to three rows, counts more.
fn phrase(verb: &str, noun: &str, ids: &[String]) -> Option<String> {
    match ids.len() {
        0 => None,
        1..=3 => Some(format!("{verb} {noun} {}", ids.join(", "))),
        more => Some(format!("{verb} {more} {noun}s")),
    }
}
