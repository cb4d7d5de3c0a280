//! Finds entries that may not be where they are, and the code that the range touches.

use std::collections::BTreeSet;

use super::GateError;
use crate::decide::facts::Stray;
use crate::git::Repo;
use crate::git::owned::Go;
use crate::git::tree::Directory;
use crate::ledger::file::LedgerName;
use crate::model::ids::{EntryState, ObjectId, OracleId};
use crate::model::path::{RepoPath, collision_key, component_fault, shown};
use crate::model::refusal::Code;
use crate::policy::path_class::Territory;
use crate::policy::{POLICY_PATH, Policy};

/// What the difference between the bases and tip shows.
#[derive(Debug, Default)]
pub struct Changes {
    /// Entries that may not be where they are.
    pub strays: Vec<Stray>,
    /// The paths that are no material.
    pub touched: BTreeSet<String>,
}

/// Walks the changed paths: unsafe names anywhere, odd entries in history, touched code.
///
/// # Errors
/// When a tree is absent or unreadable.
pub fn changes(
    repo: &Repo,
    territory: &Territory,
    policy: &Policy,
    tip: ObjectId,
    bases: &[ObjectId],
) -> Result<Changes, GateError> {
    let mut changes = Changes::default();
    for base in bases {
        repo.owned(Some(tip), &[Some(*base)], &mut |step| {
            if !step.is_directory {
                let path = String::from_utf8_lossy(step.path);
                let is_utf8 = std::str::from_utf8(step.path).is_ok();
                let is_material = territory.marks(&path).material;
                if let Some(entry) = step.leaf {
                    changes
                        .strays
                        .extend(stray(policy, &path, entry, is_material, is_utf8));
                }
                if !is_material {
                    changes.touched.insert(path.into_owned());
                }
            }
            Go::Enter
        })?;
    }
    Ok(changes)
}

fn stray(
    policy: &Policy,
    path: &str,
    entry: EntryState,
    is_material: bool,
    is_utf8: bool,
) -> Option<Stray> {
    let unsafe_path = |observed: String, expected: &str| Stray {
        code: Code::PathUnsafe,
        path: shown(path),
        observed,
        expected: expected.to_owned(),
    };
    let fault = path.split('/').find_map(component_fault);
    let material_fault = || match path.parse::<RepoPath>() {
        _ if !is_material => None,
        Ok(_) if is_utf8 => None,
        Ok(_) => Some("bytes that are no UTF-8"),
        Err(error) => Some(error.fault),
    };
    if let Some(fault) = fault.or_else(material_fault) {
        return Some(unsafe_path(
            format!("a path with {fault}"),
            "a path that every file system reads the same way",
        ));
    }
    let in_history = policy.paths.history.covers(path);
    (in_history && entry.mode != EntryState::PLAIN).then(|| {
        unsafe_path(
            entry.kind().to_owned(),
            "regular files that are not executable",
        )
    })
}

/// What may not be in the ledger directory, and names beside the ledgers that collide with theirs.
///
/// # Errors
/// When a tree is absent or unreadable.
pub fn ledger_directory(
    repo: &Repo,
    policy: &Policy,
    tip: ObjectId,
) -> Result<Vec<Stray>, GateError> {
    let ledger = policy.paths.ledger.as_str();
    let mut strays = Vec::new();
    if let Some(entry) = repo.entry(tip, ledger)? {
        repo.leaves(entry, ledger.as_bytes(), &mut |path, entry| {
            let path = String::from_utf8_lossy(path);
            strays.extend(ledger_stray(ledger, &path, entry));
        })?;
    }
    let names = LedgerName::ALL
        .iter()
        .map(|name| format!("{ledger}/{}", name.file_name()));
    for path in names.chain([POLICY_PATH.to_owned()]) {
        collisions(repo, tip, &path, &mut strays)?;
    }
    strays.sort_by(|one, other| one.path.cmp(&other.path));
    strays.dedup();
    Ok(strays)
}

fn ledger_stray(ledger: &str, path: &str, entry: EntryState) -> Option<Stray> {
    let name = path
        .strip_prefix(ledger)
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or_default();
    if LedgerName::ALL
        .iter()
        .any(|ledger| ledger.file_name() == name)
    {
        return None; // the reader of the ledger says what is wrong with it
    }
    let witness = name
        .strip_prefix("witness/")
        .and_then(|rest| rest.strip_suffix(".diff"));
    let is_witness = witness.is_some_and(|id| id.parse::<OracleId>().is_ok());
    (!is_witness || entry.mode != EntryState::PLAIN).then(|| Stray {
        code: Code::LedgerInvalid,
        path: shown(path),
        observed: entry.kind().to_owned(),
        expected: "only oracle.json, fixture.json, freezes.json and witness/<oracle_id>.diff in the ledger directory"
            .to_owned(),
    })
}

/// Siblings, at any level of a path, whose names a file system may take for the path's own.
fn collisions(
    repo: &Repo,
    tip: ObjectId,
    path: &str,
    strays: &mut Vec<Stray>,
) -> Result<(), GateError> {
    let mut tree = Some(tip);
    let mut above = String::new();
    for name in path.split('/') {
        let Some(directory) = tree.map(|tree| repo.directory(tree)).transpose()? else {
            return Ok(());
        };
        strays.extend(colliding(&directory, name).map(|sibling| Stray {
            code: Code::LedgerInvalid,
            path: shown(&format!("{above}{sibling}")),
            observed: format!(
                "a name that collides with {above}{name} where case or form is folded"
            ),
            expected: format!("{above}{name} alone"),
        }));
        let next = directory
            .get(name.as_bytes())
            .filter(|entry| entry.mode == EntryState::TREE);
        tree = next.map(|entry| entry.id);
        above = format!("{above}{name}/");
    }
    Ok(())
}

fn colliding<'d>(directory: &'d Directory, name: &str) -> impl Iterator<Item = String> + use<'d> {
    let (key, own) = (collision_key(name), name.as_bytes().to_vec());
    let others = directory.keys().filter(move |other| **other != own);
    others
        .map(|other| String::from_utf8_lossy(other).into_owned())
        .filter(move |other| collision_key(other) == key)
}
