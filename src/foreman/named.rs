//! Resolves names of verdict directories: a hash, a commit, a task or a job.
//!
//! The first form that finds something wins: `<date>/<hash>` with or without the history directory
//! before it; a hash; the commit that GitReins prints; a task or job id, which may match several
//! directories. A directory is taken from disk, else from the first ref that holds it.

use std::collections::{BTreeMap, BTreeSet};

use super::find::{Found, Seen, in_tree};
use super::read::verdict_bytes;
use super::{VerdictStore, VerdictsError, grading};
use crate::decide::fold::{VERDICT, VerdictDir};
use crate::git::refs::Line;
use crate::model::ids::{EntryState, ObjectId};
use crate::model::path::shown;
use crate::sys::files::READ_CAP;

/// The refs in which GitReins keeps verdicts, in the order in which it reads them itself: its own,
/// the branch of older versions, and both as a clone sees them.
pub const REFS: [&str; 4] = [
    "refs/gitreins/history",
    "refs/heads/gitreins",
    "refs/remotes/origin/gitreins/history",
    "refs/remotes/origin/gitreins",
];

/// The directories that were named, by where their bytes are.
#[derive(Debug, Default)]
pub struct Chosen<'f> {
    /// On disk.
    pub disk: Vec<&'f Seen>,
    /// In a ref: its name, the directory's tree there, and what HEAD holds of it.
    pub refs: Vec<(VerdictDir, &'static str, EntryState, Option<EntryState>)>,
    /// In HEAD alone: nothing to fold.
    pub held: Vec<VerdictDir>,
}

type Dirs = BTreeMap<VerdictDir, EntryState>;

/// A ref of GitReins with the directories that it holds.
struct Store {
    name: &'static str,
    line: Line,
    dirs: Dirs,
}

/// Everything that a name can mean.
struct Search<'a> {
    verdicts: &'a VerdictStore<'a>,
    disk: BTreeMap<&'a VerdictDir, &'a Seen>,
    stores: Vec<Store>,
    head: Dirs,
}

/// Finds what every name means.
///
/// # Errors
/// When one means nothing, or a hash stands under several days.
pub fn choose<'f>(
    ids: &[String],
    found: &'f Found,
    verdicts: &'f VerdictStore<'f>,
    head: Option<ObjectId>,
) -> Result<Chosen<'f>, VerdictsError> {
    let mut stores = Vec::new();
    for name in REFS {
        if let Some(line) = verdicts.repo.line(name)? {
            let dirs = in_tree(verdicts, verdicts.repo.commit(line.tip)?.tree)?;
            stores.push(Store { name, line, dirs });
        }
    }
    let disk = found.seen.iter().map(|seen| (&seen.dir, seen)).collect();
    let head = head.map_or(Ok(Dirs::new()), |head| in_tree(verdicts, head))?;
    let search = Search {
        verdicts,
        disk,
        stores,
        head,
    };
    let mut dirs = BTreeSet::new();
    for id in ids {
        dirs.extend(search.meant(id)?);
    }
    let mut chosen = Chosen::default();
    for dir in dirs {
        if let Some(seen) = search.disk.get(&dir) {
            chosen.disk.push(seen);
        } else if let Some((store, tree)) = search.stored(&dir) {
            let held = search.head.get(&dir).copied();
            chosen.refs.push((dir, store.name, tree, held));
        } else {
            chosen.held.push(dir);
        }
    }
    Ok(chosen)
}

impl Search<'_> {
    fn stored(&self, dir: &VerdictDir) -> Option<(&Store, EntryState)> {
        self.stores
            .iter()
            .find_map(|store| store.dirs.get(dir).map(|tree| (store, *tree)))
    }

    /// Every directory there is, wherever its bytes are.
    fn all(&self) -> impl Iterator<Item = &VerdictDir> {
        let stored = self.stores.iter().flat_map(|store| store.dirs.keys());
        self.disk
            .keys()
            .copied()
            .chain(stored)
            .chain(self.head.keys())
    }

    fn meant(&self, id: &str) -> Result<BTreeSet<VerdictDir>, VerdictsError> {
        let history = format!("{}/", self.verdicts.history);
        let inner = id.trim_end_matches('/');
        let inner = inner.strip_prefix("./").unwrap_or(inner);
        let inner = inner.strip_prefix(&history).unwrap_or(inner);
        let found = match inner.parse::<VerdictDir>() {
            Ok(dir) => self
                .all()
                .filter(|other| **other == dir)
                .take(1)
                .cloned()
                .collect(),
            Err(()) => self.by_hash(inner)?,
        };
        if !found.is_empty() {
            return Ok(found);
        }
        let found = self.by_commit(id)?;
        if !found.is_empty() {
            return Ok(found);
        }
        let found = self.by_task(id)?;
        match found.is_empty() {
            false => Ok(found),
            true => Err(VerdictsError::Name {
                name: format!("'{}'", shown(id)),
                why: format!(
                    "names no verdict: no directory in {} and no directory, commit, task or job in {}",
                    self.verdicts.history,
                    self.looked_in()
                ),
                fix: format!("see what there is: ls {}", self.verdicts.history),
            }),
        }
    }

    fn looked_in(&self) -> String {
        let names: Vec<_> = self.stores.iter().map(|store| store.name).collect();
        if names.is_empty() {
            "a ref of GitReins, of which there is none".to_owned()
        } else {
            names.join(", ")
        }
    }

    fn by_hash(&self, hash: &str) -> Result<BTreeSet<VerdictDir>, VerdictsError> {
        if !VerdictDir::is_hash(hash) {
            return Ok(BTreeSet::new());
        }
        let found: BTreeSet<_> = self.all().filter(|dir| dir.hash == hash).cloned().collect();
        if found.len() < 2 {
            return Ok(found);
        }
        let names: Vec<_> = found.iter().map(ToString::to_string).collect();
        Err(VerdictsError::Name {
            name: format!("'{hash}'"),
            why: format!("may be {}", names.join(" or ")),
            fix: format!("git reins reconcile {}", names[0]),
        })
    }

    /// The directories that a commit of a ref adds to its first parent's.
    fn by_commit(&self, id: &str) -> Result<BTreeSet<VerdictDir>, VerdictsError> {
        let mut found = BTreeMap::new();
        let is_hex = id
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_hex || !(7..=64).contains(&id.len()) {
            return Ok(BTreeSet::new());
        }
        for store in &self.stores {
            for (commit, raw) in self.verdicts.repo.range(store.line.tip, &[])?.commits {
                if commit.to_string().starts_with(id) {
                    found.insert(commit, raw);
                }
            }
        }
        if found.len() > 1 {
            let names: Vec<_> = found.keys().map(ToString::to_string).collect();
            return Err(VerdictsError::Name {
                name: format!("'{id}'"),
                why: format!("may be commit {}", names.join(" or ")),
                fix: format!("git reins reconcile {}", names[0]),
            });
        }
        let Some((_, raw)) = found.pop_first() else {
            return Ok(BTreeSet::new());
        };
        let before = match raw.parents.first() {
            Some(parent) => in_tree(self.verdicts, self.verdicts.repo.commit(*parent)?.tree)?,
            None => Dirs::new(),
        };
        let after = in_tree(self.verdicts, raw.tree)?;
        Ok(after
            .into_iter()
            .filter(|(dir, tree)| before.get(dir) != Some(tree))
            .map(|(dir, _)| dir)
            .collect())
    }

    /// The directories on disk and in refs whose record is of a task or job; those that HEAD alone
    /// holds only when there is no other.
    fn by_task(&self, id: &str) -> Result<BTreeSet<VerdictDir>, VerdictsError> {
        let mut found = BTreeSet::new();
        for dir in self.disk.keys() {
            let verdict = verdict_bytes(self.verdicts.root, &self.verdicts.path(dir))?;
            if verdict.is_some_and(|verdict| grading::is_of(&verdict, id)) {
                found.insert((*dir).clone());
            }
        }
        for store in &self.stores {
            self.of_task(&store.dirs, id, &mut found)?;
        }
        if found.is_empty() {
            self.of_task(&self.head, id, &mut found)?;
        }
        Ok(found)
    }

    fn of_task(
        &self,
        dirs: &Dirs,
        id: &str,
        found: &mut BTreeSet<VerdictDir>,
    ) -> Result<(), VerdictsError> {
        for (dir, tree) in dirs.iter().filter(|(dir, _)| !self.disk.contains_key(dir)) {
            let Some(entry) = self
                .verdicts
                .repo
                .entry(tree.id, VERDICT)?
                .filter(EntryState::is_file)
            else {
                continue;
            };
            let verdict = self.verdicts.repo.blob(entry.id, READ_CAP)?;
            if verdict.is_some_and(|verdict| grading::is_of(&verdict, id)) {
                found.insert(dir.clone());
            }
        }
        Ok(())
    }
}
