//! Finds the verdict directories on disk, and what HEAD holds of each.
//!
//! `git status` is not used: it would match ignore rules and look at every file. The names below
//! each day are compared with the tree of that day, so the work grows with the directories alone.

use std::collections::{BTreeMap, BTreeSet};

use super::stat_cache::{StatCache, key};
use super::{VerdictStore, VerdictsError};
use crate::decide::fold::{Fault, VERDICT, VerdictDir, is_clutter};
use crate::git::tree::Directory;
use crate::model::day::Day;
use crate::model::ids::{EntryState, ObjectId};
use crate::model::path::shown;
use crate::sys::atomic_dir::is_temporary_dir;
use crate::sys::untrusted_dir::{Entry, EntryKind, Stamp, UntrustedDir};

/// A verdict directory on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its name.
    pub dir: VerdictDir,
    /// What stands behind the name; anything but a directory is a fault.
    pub kind: EntryKind,
    /// What HEAD holds under that name.
    pub held: Option<EntryState>,
    /// When it last changed; read for directories that HEAD holds.
    pub stamps: Option<[Stamp; 2]>,
}

/// Everything in the history directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The verdict directories, in the order of their names.
    pub seen: Vec<Seen>,
    /// What is none and HEAD does not hold.
    pub strays: Vec<Fault>,
    /// How many directories HEAD holds and the disk lacks.
    pub missing: usize,
    /// What people's tools put there.
    pub clutter: Vec<String>,
}

impl Found {
    /// The directories that have to be looked into: those that HEAD lacks, and those that are not
    /// known to be as HEAD holds them.
    pub fn open<'f>(&'f self, verdicts: &VerdictStore<'_>, cache: &mut StatCache) -> Vec<&'f Seen> {
        let is_sealed = |seen: &&Seen| match (seen.held, &seen.stamps) {
            (Some(held), Some(stamps)) => {
                cache.holds(&key(verdicts.history, &seen.dir, held, stamps))
            }
            _ => false,
        };
        let mut is_sealed = is_sealed;
        self.seen.iter().filter(|seen| !is_sealed(seen)).collect()
    }
}

/// Lists the history directory beside what the tree `head` holds of it.
///
/// # Errors
/// When a directory or tree cannot be read, or a link stands on the way to the history.
pub fn find(verdicts: &VerdictStore<'_>, head: Option<ObjectId>) -> Result<Found, VerdictsError> {
    let mut found = Found::default();
    let Some(history) = verdicts.root.folder(verdicts.history)? else {
        return Ok(found);
    };
    let held = match head {
        Some(tree) => below(
            verdicts,
            verdicts.repo.entry(tree, verdicts.history.as_str())?,
        )?,
        None => Directory::new(),
    };
    let entries = history.list()?;
    let on_disk: BTreeSet<_> = entries.iter().map(|entry| &entry.name).collect();
    for (_, gone) in held.iter().filter(|(name, _)| !on_disk.contains(name)) {
        let names = below(verdicts, Some(*gone))?;
        found.missing += names.keys().filter(|name| is_hash(name)).count();
    }
    for entry in entries {
        let name = String::from_utf8_lossy(&entry.name).into_owned();
        match (name.parse::<Day>(), entry.kind) {
            (Ok(day), EntryKind::Folder) => {
                let Some(folder) = history.folder(&name)? else {
                    continue;
                };
                let held = below(verdicts, held.get(&entry.name).copied())?;
                of_day(verdicts, day, (&folder, &held), &mut found)?;
            }
            _ if held.contains_key(&entry.name) => {}
            (Err(_), EntryKind::Folder) if is_temporary_dir(&name) => {} // a judge is writing
            (Err(_), EntryKind::File) if is_clutter(&name) => {
                found.clutter.push(format!("{}/{name}", verdicts.history));
            }
            _ => found
                .strays
                .push(stray(&format!("{}/{name}", verdicts.history), &entry)),
        }
    }
    Ok(found)
}

/// The entries of a tree that may not be there.
pub(super) fn below(
    verdicts: &VerdictStore<'_>,
    entry: Option<EntryState>,
) -> Result<Directory, VerdictsError> {
    match entry {
        Some(entry) if entry.mode == EntryState::TREE => Ok(verdicts.repo.directory(entry.id)?),
        _ => Ok(Directory::new()),
    }
}

fn of_day(
    verdicts: &VerdictStore<'_>,
    day: Day,
    (folder, held): (&UntrustedDir, &Directory),
    found: &mut Found,
) -> Result<(), VerdictsError> {
    let (first, mut stamped) = (found.seen.len(), Vec::new());
    let entries = folder.list()?;
    let on_disk: BTreeSet<_> = entries.iter().map(|entry| &entry.name).collect();
    found.missing += held
        .keys()
        .filter(|name| is_hash(name) && !on_disk.contains(name))
        .count();
    for entry in entries {
        let name = String::from_utf8_lossy(&entry.name).into_owned();
        let of_head = held.get(&entry.name).copied();
        if VerdictDir::is_hash(&name) {
            if of_head.is_some() {
                stamped.push(found.seen.len());
            }
            let dir = VerdictDir { day, hash: name };
            found.seen.push(Seen {
                dir,
                kind: entry.kind,
                held: of_head,
                stamps: None,
            });
        } else if is_clutter(&name) && entry.kind == EntryKind::File {
            found
                .clutter
                .push(format!("{}/{day}/{name}", verdicts.history));
        } else if of_head.is_none() {
            found
                .strays
                .push(stray(&format!("{}/{day}/{name}", verdicts.history), &entry));
        }
    }
    let names: Vec<_> = stamped
        .iter()
        .map(|at| found.seen[*at].dir.hash.as_str())
        .collect();
    let stamps = folder.stamps(&names, VERDICT);
    for (at, stamps) in stamped.into_iter().zip(stamps) {
        debug_assert!(at >= first);
        found.seen[at].stamps = stamps;
    }
    Ok(())
}

fn is_hash(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok_and(VerdictDir::is_hash)
}

fn stray(path: &str, entry: &Entry) -> Fault {
    let what = match entry.kind {
        EntryKind::Folder => "a directory that is not named <date>/<hash>",
        EntryKind::File => "a file outside <date>/<hash>",
        EntryKind::Other(what) => what,
    };
    Fault::Unsafe {
        reason: "stray",
        path: shown(path),
        observed: what.to_owned(),
    }
}

/// The verdict directories that a tree holds below a history directory, with their trees.
///
/// # Errors
/// When a tree cannot be read.
pub fn in_tree(
    verdicts: &VerdictStore<'_>,
    tree: ObjectId,
) -> Result<BTreeMap<VerdictDir, EntryState>, VerdictsError> {
    let mut found = BTreeMap::new();
    for (day, days) in below(
        verdicts,
        verdicts.repo.entry(tree, verdicts.history.as_str())?,
    )? {
        for (hash, entry) in below(verdicts, Some(days))? {
            let name = format!(
                "{}/{}",
                String::from_utf8_lossy(&day),
                String::from_utf8_lossy(&hash)
            );
            if let Ok(dir) = name.parse()
                && entry.mode == EntryState::TREE
            {
                found.insert(dir, entry);
            }
        }
    }
    Ok(found)
}
