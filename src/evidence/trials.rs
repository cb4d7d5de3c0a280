//! Reads the trials that a range recorded, and finds those whose bytes changed since.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::GateError;
use super::range_context::{self, Governed, RangeContext, Request};
use crate::decide::facts::{Changed, Folded, Trials};
use crate::decide::fold::VERDICT;
use crate::decide::recorded;
use crate::git::Repo;
use crate::git::owned::Go;
use crate::ledger::file::HARD_CAP;
use crate::model::ids::{CommitId, EntryState, ObjectId};
use crate::model::path::RepoPath;
use crate::model::record::RecordFault;
use crate::model::trial::Trial;

/// What a file holds: the verdict of another tool, a trial, or something that claims to be one.
type Reading = Option<Result<Arc<Trial>, RecordFault>>;

/// A file that a commit of the range brought in.
struct Brought {
    path: String,
    blob: ObjectId,
    commit: CommitId,
}

/// Reads what the folding commits of the range brought into the history directory.
///
/// Nothing is read where no commit owns anything there. What a base holds as it is landed before,
/// and counts for what landed with it.
pub(super) fn read(
    repo: &Repo,
    context: &RangeContext,
    folding: &[CommitId],
) -> Result<Trials, GateError> {
    let mut trials = Trials::default();
    if folding.is_empty() {
        return Ok(trials);
    }
    let mut brought = Vec::new();
    for commit in folding {
        let parents = repo.commit(*commit)?.parents;
        bring(
            repo,
            &context.policy.paths.history,
            *commit,
            &parents,
            &mut brought,
        )?;
    }
    let mut reader = TrialReader {
        repo,
        read: BTreeMap::new(),
    };
    let tip = repo.commit(context.tip)?.tree;
    let mut paths: BTreeMap<&str, Vec<&Brought>> = BTreeMap::new();
    brought
        .iter()
        .for_each(|one| paths.entry(&one.path).or_default().push(one));
    let mut digests = BTreeSet::new();
    for (path, all) in &paths {
        let now = file(repo, tip, path)?;
        let (first, is_landed) = match base_of(repo, context, path)? {
            Some((commit, blob)) => ((commit, blob), now == Some(blob)),
            None => ((all[0].commit, all[0].blob), false),
        };
        if let Some(blob) = now.filter(|_| !is_landed)
            && let Some(reading) = reader.reading(blob)?
        {
            digests.extend(reading.as_ref().ok().map(|trial| trial.digest()));
            trials.folded.push(Folded {
                path: (*path).to_owned(),
                reading,
            });
        }
        let is_ours = reader.reading(first.1)?.is_some()
            || now
                .map(|blob| reader.reading(blob))
                .transpose()?
                .flatten()
                .is_some();
        if is_ours && now.is_some_and(|blob| blob != first.1) {
            trials.changed.push(Changed {
                path: (*path).to_owned(),
                commit: first.0,
                is_gone: false,
            });
        }
    }
    for one in &brought {
        // whatever reads as an honest record has to be found at tip, if under another day
        let Some(Ok(trial)) = reader.reading(one.blob)? else {
            continue;
        };
        let is_named = recorded::directory(&one.path) == Some(trial.directory_name().as_str());
        let is_landed =
            base_of(repo, context, &one.path)?.is_some_and(|(_, blob)| blob == one.blob);
        if is_named && !is_landed && !digests.contains(&trial.digest()) {
            let is_gone = file(repo, tip, &one.path)?.is_none();
            trials.changed.push(Changed {
                path: one.path.clone(),
                commit: one.commit,
                is_gone,
            });
        }
    }
    trials
        .changed
        .sort_by(|one, other| one.path.cmp(&other.path));
    trials.changed.dedup_by(|one, other| one.path == other.path);
    Ok(trials)
}

/// The verdict files that a commit holds and no parent of it, with their bytes; all that it holds
/// when there are none.
///
/// # Errors
/// When the name means no commit, or an object is absent or unreadable.
pub fn of_commit(
    repo: &Repo,
    name: &str,
    line: Option<&str>,
) -> Result<Vec<(String, Vec<u8>)>, GateError> {
    let Governed::Under(context) = range_context::find(
        repo,
        &Request {
            base: None,
            tip: Some(name),
            line,
        },
    )?
    else {
        return Ok(Vec::new());
    };
    let history = &context.policy.paths.history;
    let mut brought = Vec::new();
    bring(
        repo,
        history,
        context.tip,
        &repo.commit(context.tip)?.parents,
        &mut brought,
    )?;
    if brought.is_empty() {
        bring(repo, history, context.tip, &[], &mut brought)?;
    }
    let mut files = Vec::new();
    for one in brought {
        files.extend(
            repo.blob(one.blob, HARD_CAP)?
                .map(|bytes| (one.path, bytes)),
        );
    }
    files.sort();
    Ok(files)
}

/// The trials that a commit holds, newest day first, from at most so many verdict files. What
/// cannot be read is none.
///
/// # Errors
/// When an object is absent or unreadable.
pub fn landed(
    repo: &Repo,
    history: &RepoPath,
    commit: CommitId,
    most: usize,
) -> Result<Vec<Arc<Trial>>, GateError> {
    let mut brought = Vec::new();
    bring(repo, history, commit, &[], &mut brought)?;
    brought.sort_by(|one, other| other.path.cmp(&one.path));
    let mut reader = TrialReader {
        repo,
        read: BTreeMap::new(),
    };
    let mut trials = Vec::new();
    for one in brought.into_iter().take(most) {
        trials.extend(reader.reading(one.blob)?.and_then(Result::ok));
    }
    Ok(trials)
}

/// The blobs that were read, each once.
struct TrialReader<'r> {
    repo: &'r Repo,
    read: BTreeMap<ObjectId, Reading>,
}

impl TrialReader<'_> {
    fn reading(&mut self, blob: ObjectId) -> Result<Reading, GateError> {
        if let Some(reading) = self.read.get(&blob) {
            return Ok(reading.clone());
        }
        let reading = match self.repo.blob(blob, HARD_CAP)? {
            Some(bytes) => recorded::read(&bytes).map(|read| read.map(Arc::new)),
            None => {
                let size = self.repo.blob_size(blob)?;
                Some(Err(RecordFault::new(
                    format!("{size} bytes"),
                    format!("at most {HARD_CAP} bytes"),
                )))
            }
        };
        self.read.insert(blob, reading.clone());
        Ok(reading)
    }
}

/// The verdict files that a commit has and none of its parents.
fn bring(
    repo: &Repo,
    history: &RepoPath,
    commit: CommitId,
    parents: &[CommitId],
    brought: &mut Vec<Brought>,
) -> Result<(), GateError> {
    let inside = |tree: ObjectId| -> Result<Option<ObjectId>, GateError> {
        let entry = repo.entry(tree, history.as_str())?;
        Ok(entry
            .filter(|entry| entry.mode == EntryState::TREE)
            .map(|entry| entry.id))
    };
    let raw = repo.commit(commit)?;
    let mut olds = Vec::new();
    for parent in parents {
        olds.push(inside(repo.commit(*parent)?.tree)?);
    }
    if olds.is_empty() {
        olds.push(None);
    }
    repo.owned(inside(raw.tree)?, &olds, &mut |step| {
        let depth = step.path.iter().filter(|byte| **byte == b'/').count();
        let path = std::str::from_utf8(step.path)
            .ok()
            .map(|path| format!("{history}/{path}"));
        let file = step
            .leaf
            .filter(|entry| entry.is_usual_file() && depth == 2);
        if let (Some(path), Some(entry)) = (path, file)
            && path.ends_with(&format!("/{VERDICT}"))
        {
            brought.push(Brought {
                path,
                blob: entry.id,
                commit,
            });
        }
        if depth < 2 { Go::Enter } else { Go::Skip }
    })?;
    Ok(())
}

/// The first base that has a file at the path, and its blob.
fn base_of(
    repo: &Repo,
    context: &RangeContext,
    path: &str,
) -> Result<Option<(CommitId, ObjectId)>, GateError> {
    for base in &context.range.bases {
        if let Some(blob) = file(repo, repo.commit(*base)?.tree, path)? {
            return Ok(Some((*base, blob)));
        }
    }
    Ok(None)
}

fn file(repo: &Repo, tree: ObjectId, path: &str) -> Result<Option<ObjectId>, GateError> {
    Ok(repo
        .entry(tree, path)?
        .filter(EntryState::is_usual_file)
        .map(|entry| entry.id))
}
