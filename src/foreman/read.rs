//! Reads what a verdict directory holds that HEAD lacks, and the faults that block folding it.
//!
//! Everything that would be stored is read here once, through folders opened without following
//! links: kind, links, size, digest, secrets. What is stored later has to have the same digest.

use std::collections::BTreeMap;

use super::stat_cache::{StatCache, key};
use super::{VerdictStore, VerdictsError, find, grading};
use crate::decide::fold::{
    Candidate, Fault, FileFact, Reading, Record, Source, VERDICT, VerdictDir, is_left_out,
    same_verdict,
};
use crate::decide::secret::Scanner;
use crate::model::ids::{EntryState, Sha256};
use crate::model::path::{RepoPath, collision_key, shown};
use crate::model::reverification::REVERIFY_FILE;
use crate::sys::files::{FileError, READ_CAP, Root};
use crate::sys::untrusted_dir::{EntryKind, UntrustedDir};

/// Directories in a verdict directory nested deeper than this hold no record of a judge.
const MAX_DEPTH: usize = 16;

/// Committed, these would tell git how to treat the files beside them.
const GIT_READS: [&str; 4] = [".gitattributes", ".gitignore", ".gitmodules", ".mailmap"];

/// What is read with which rules.
pub struct Reader<'a> {
    /// Where.
    pub verdicts: &'a VerdictStore<'a>,
    /// What looks like a secret.
    pub scanner: &'a Scanner,
    /// Whether logs and patches stay out.
    pub compact: bool,
    /// Whether the directories were named. Of one that was not, what a compact fold left out stays out:
    /// HEAD holds its verdict, and no log or patch is missing by accident.
    pub is_named: bool,
}

/// The files that HEAD holds of a directory, by their paths in there.
type Held = BTreeMap<String, EntryState>;

/// One directory while it is read.
struct Looking<'a> {
    held: Held,
    is_trial: bool,
    files: Vec<FileFact>,
    faults: Vec<Fault>,
    verdict: &'a [u8],
    reverify: Option<Vec<u8>>,
}

impl Reader<'_> {
    /// A directory on disk; `None` when HEAD holds all of it as it is, or it is gone. One that HEAD
    /// holds whole is sealed.
    ///
    /// # Errors
    /// When the disk or the repository cannot be read.
    pub fn on_disk(
        &self,
        seen: &find::Seen,
        cache: &mut StatCache,
    ) -> Result<Option<Candidate>, VerdictsError> {
        let path = self.verdicts.path(&seen.dir);
        if let EntryKind::File | EntryKind::Other(_) = seen.kind {
            let observed = if let EntryKind::Other(what) = seen.kind {
                what
            } else {
                "a file"
            };
            let fault = Fault::Unsafe {
                reason: "no-directory",
                path,
                observed: observed.to_owned(),
            };
            return Ok(Some(candidate(
                &seen.dir,
                Source::Disk,
                Reading::Unfinished,
                vec![fault],
            )));
        }
        let Ok(repo_path) = path.parse::<RepoPath>() else {
            return Ok(None);
        };
        let Some(folder) = self.verdicts.root.folder(&repo_path)? else {
            return Ok(None);
        };
        let verdict = match folder.read_alone(VERDICT) {
            Ok(Some(bytes)) => bytes,
            // the rest of one that GitReins is just pruning: HEAD has it, and keeps it
            Ok(None) if self.holds_verdict(seen)? => return Ok(None),
            Ok(None) => {
                return Ok(Some(candidate(
                    &seen.dir,
                    Source::Disk,
                    Reading::Unfinished,
                    Vec::new(),
                )));
            }
            Err(error) => {
                let fault = fault_of(error, &format!("{path}/{VERDICT}"))?;
                return Ok(Some(candidate(
                    &seen.dir,
                    Source::Disk,
                    Reading::Unfinished,
                    vec![fault],
                )));
            }
        };
        let mut looking = self.start(seen, &verdict)?;
        self.folder(&folder, "", &path, &mut looking)?;
        let is_whole = looking.files.is_empty() && looking.faults.is_empty();
        if let (true, Some(held)) = (is_whole, seen.held) {
            if let (Some(stamps), false) = (&seen.stamps, has_folders(&folder)?) {
                cache.add(key(self.verdicts.history, &seen.dir, held, stamps), stamps);
            }
            return Ok(None);
        }
        Ok(Some(self.done(looking, &seen.dir, Source::Disk)))
    }

    fn holds_verdict(&self, seen: &find::Seen) -> Result<bool, VerdictsError> {
        let held = seen
            .held
            .map(|held| self.verdicts.repo.entry(held.id, VERDICT))
            .transpose()?;
        Ok(held.flatten().is_some())
    }

    fn start<'v>(
        &self,
        seen: &find::Seen,
        verdict: &'v [u8],
    ) -> Result<Looking<'v>, VerdictsError> {
        let (mut held, mut faults) = (Held::new(), Vec::new());
        if let Some(entry) = seen.held {
            self.verdicts.repo.leaves(entry, b"", &mut |path, state| {
                held.insert(String::from_utf8_lossy(path).into_owned(), state);
            })?;
        }
        if let Some(entry) = held.get(VERDICT)
            && self.verdicts.repo.blob_id(verdict) != Some(entry.id)
        {
            let folded = self.verdicts.repo.blob(entry.id, READ_CAP)?;
            if !folded.is_some_and(|folded| same_verdict(&folded, verdict)) {
                faults.push(Fault::Rewritten {
                    path: format!("{}/{VERDICT}", self.verdicts.path(&seen.dir)),
                });
            }
        }
        let is_trial = grading::is_trial(verdict);
        Ok(Looking {
            held,
            is_trial,
            files: Vec::new(),
            faults,
            verdict,
            reverify: None,
        })
    }

    /// One level of a directory. `inner` is its path in the verdict directory, `path` in the repository.
    fn folder(
        &self,
        folder: &UntrustedDir,
        inner: &str,
        path: &str,
        looking: &mut Looking<'_>,
    ) -> Result<(), VerdictsError> {
        let mut keys = BTreeMap::new();
        for entry in folder.list()? {
            let name = String::from_utf8_lossy(&entry.name).into_owned();
            let (inner, path) = (joined(inner, &name), format!("{path}/{name}"));
            if self.is_out(&inner, looking) {
                continue;
            }
            if !looking.is_held(&inner) && self.is_refused_name(&entry.name, &path, looking) {
                continue;
            }
            let Some(safe) = safe_path(&entry.name, &path, &mut keys, looking) else {
                continue;
            };
            match entry.kind {
                EntryKind::Other(what) => looking.not_regular(&path, what),
                EntryKind::Folder if inner.split('/').count() >= MAX_DEPTH => {
                    looking.not_regular(&path, "a directory nested too deeply");
                }
                EntryKind::Folder => match folder.folder(&name) {
                    Ok(Some(next)) => self.folder(&next, &inner, &path, looking)?,
                    Ok(None) => {}
                    Err(error) => looking.faults.push(fault_of(error, &path)?),
                },
                EntryKind::File => self.file((folder, &name), &inner, safe, looking)?,
            }
        }
        Ok(())
    }

    fn file(
        &self,
        (folder, name): (&UntrustedDir, &str),
        inner: &str,
        path: RepoPath,
        looking: &mut Looking<'_>,
    ) -> Result<(), VerdictsError> {
        let held = looking.held.get(inner).copied();
        if held.is_some() && inner != REVERIFY_FILE {
            return Ok(());
        }
        if held.is_none() && folder.is_executable(name) && self.verdicts.repo.trusts_modes() {
            looking.not_regular(path.as_str(), "an executable file");
        }
        let read = match inner {
            VERDICT => Ok(Some(looking.verdict.to_vec())),
            _ => folder.read_alone(name),
        };
        match read {
            Ok(None) => Ok(()),
            Ok(Some(bytes)) => {
                if held.is_none_or(|held| self.verdicts.repo.blob_id(&bytes) != Some(held.id)) {
                    self.fact(path, &bytes, looking);
                }
                looking.reverify = (inner == REVERIFY_FILE)
                    .then_some(bytes)
                    .or(looking.reverify.take());
                Ok(())
            }
            Err(error) => {
                looking.faults.push(fault_of(error, path.as_str())?);
                Ok(())
            }
        }
    }

    fn fact(&self, path: RepoPath, bytes: &[u8], looking: &mut Looking<'_>) {
        for found in self.scanner.scan(bytes) {
            let (path, place) = (path.to_string(), format!("line {}", found.line));
            looking.faults.push(Fault::Secret {
                path,
                place,
                marker: found.marker,
            });
        }
        looking.files.push(FileFact {
            path,
            size: bytes.len() as u64,
            sha256: Sha256::of(bytes),
        });
    }

    /// Whether a file stays out of this fold.
    fn is_out(&self, inner: &str, looking: &Looking<'_>) -> bool {
        let was_left_out =
            !self.is_named && looking.held.contains_key(VERDICT) && !looking.is_held(inner);
        is_left_out(inner, looking.is_trial, self.compact || was_left_out)
    }

    /// Whether a name that HEAD lacks is one that git reads, or looks like a secret: then it is not
    /// printed either.
    fn is_refused_name(&self, name: &[u8], path: &str, looking: &mut Looking<'_>) -> bool {
        let above = path.rsplit_once('/').map_or("", |(above, _)| above);
        if GIT_READS
            .iter()
            .any(|read| name.eq_ignore_ascii_case(read.as_bytes()))
        {
            looking.not_regular(path, "a file that git takes instructions from");
            return true;
        }
        let found = self.scanner.scan(name);
        looking
            .faults
            .extend(found.iter().map(|found| Fault::Secret {
                path: shown(above),
                place: "the name of a file".to_owned(),
                marker: found.marker.clone(),
            }));
        !found.is_empty()
    }

    /// A candidate from what was seen. Its task id would stand in the message of the commit.
    fn done(&self, mut looking: Looking<'_>, dir: &VerdictDir, source: Source) -> Candidate {
        let reading = grading::reading(looking.verdict, looking.reverify.as_deref());
        if let Reading::Record(Record::Verdict(heading)) = &reading {
            let path = format!("{}/{VERDICT}", self.verdicts.path(dir));
            looking
                .faults
                .extend(
                    self.scanner
                        .scan(heading.task.as_bytes())
                        .into_iter()
                        .map(|found| {
                            let place = "the task id".to_owned();
                            Fault::Secret {
                                path: path.clone(),
                                place,
                                marker: found.marker,
                            }
                        }),
                );
        }
        Candidate {
            dir: dir.clone(),
            source,
            reading,
            files: looking.files,
            faults: looking.faults,
        }
    }

    /// A directory in the tree of a ref that GitReins writes; `held` is what HEAD holds of it.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub fn in_ref(
        &self,
        dir: &VerdictDir,
        (name, tree): (&str, EntryState),
        held: Option<EntryState>,
    ) -> Result<Option<Candidate>, VerdictsError> {
        let (source, base) = (Source::Ref(name.to_owned()), self.verdicts.path(dir));
        let mut entries = BTreeMap::new();
        self.verdicts.repo.leaves(tree, b"", &mut |path, state| {
            entries.insert(path.to_vec(), state);
        })?;
        let Some(entry) = entries
            .get(VERDICT.as_bytes())
            .filter(|entry| entry.is_file())
        else {
            return Ok(Some(candidate(
                dir,
                source,
                Reading::Unfinished,
                Vec::new(),
            )));
        };
        let seen = find::Seen {
            dir: dir.clone(),
            kind: EntryKind::Folder,
            held,
            stamps: None,
        };
        let Some(verdict) = self.verdicts.repo.blob(entry.id, READ_CAP)? else {
            let fault = too_large(&format!("{base}/{VERDICT}"));
            return Ok(Some(candidate(
                dir,
                source,
                Reading::Unfinished,
                vec![fault],
            )));
        };
        let mut looking = self.start(&seen, &verdict)?;
        let mut keys = BTreeMap::new();
        for (name, entry) in &entries {
            let inner = String::from_utf8_lossy(name).into_owned();
            let path = format!("{base}/{inner}");
            if self.is_out(&inner, &looking) || looking.held.contains_key(&inner) {
                continue;
            }
            let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
            if self.is_refused_name(last, &path, &mut looking) {
                continue;
            }
            let Some(safe) = safe_path(name, &path, &mut keys, &mut looking) else {
                continue;
            };
            if entry.mode == EntryState::EXECUTABLE {
                looking.not_regular(&path, "an executable file");
            }
            if !entry.is_file() {
                looking.not_regular(&path, entry.kind());
                continue;
            }
            match self.verdicts.repo.blob(entry.id, READ_CAP)? {
                None => looking.faults.push(too_large(&path)),
                Some(bytes) => {
                    self.fact(safe, &bytes, &mut looking);
                    looking.reverify = (inner == REVERIFY_FILE)
                        .then_some(bytes)
                        .or(looking.reverify.take());
                }
            }
        }
        let is_whole = looking.files.is_empty() && looking.faults.is_empty();
        Ok((!is_whole).then(|| self.done(looking, dir, source)))
    }
}

impl Looking<'_> {
    /// Whether HEAD holds a file or directory of this name.
    fn is_held(&self, inner: &str) -> bool {
        let below = format!("{inner}/");
        self.held.contains_key(inner)
            || self
                .held
                .range(below.clone()..)
                .next()
                .is_some_and(|(path, _)| path.starts_with(&below))
    }

    fn not_regular(&mut self, path: &str, what: &str) {
        let (path, observed) = (shown(path), what.to_owned());
        self.faults.push(Fault::Unsafe {
            reason: "not-regular",
            path,
            observed,
        });
    }
}

/// The path of an entry, unless its name is unsafe to store, which is noted.
fn safe_path(
    name: &[u8],
    path: &str,
    keys: &mut BTreeMap<String, String>,
    looking: &mut Looking<'_>,
) -> Option<RepoPath> {
    let fault = |reason, observed: String| Fault::Unsafe {
        reason,
        path: shown(path),
        observed,
    };
    let Ok(text) = std::str::from_utf8(name) else {
        looking
            .faults
            .push(fault("name", "a name that is no UTF-8".to_owned()));
        return None;
    };
    if let Some(other) = keys.insert(collision_key(text), text.to_owned()) {
        let observed = format!(
            "a name that differs from {} in case or form only",
            shown(&other)
        );
        looking.faults.push(fault("collision", observed));
        return None;
    }
    match path.parse::<RepoPath>() {
        Ok(path) => Some(path),
        Err(_) if text.to_ascii_lowercase().starts_with(".git") => {
            looking.faults.push(fault(
                "nested-repository",
                "a repository of its own".to_owned(),
            ));
            None
        }
        Err(error) => {
            looking.faults.push(fault("name", error.to_string()));
            None
        }
    }
}

fn joined(inner: &str, name: &str) -> String {
    if inner.is_empty() {
        name.to_owned()
    } else {
        format!("{inner}/{name}")
    }
}

fn has_folders(folder: &UntrustedDir) -> Result<bool, FileError> {
    Ok(folder
        .list()?
        .iter()
        .any(|entry| entry.kind == EntryKind::Folder))
}

fn candidate(dir: &VerdictDir, source: Source, reading: Reading, faults: Vec<Fault>) -> Candidate {
    Candidate {
        dir: dir.clone(),
        source,
        reading,
        files: Vec::new(),
        faults,
    }
}

/// What may not be stored, as a fault; what could not be read stays an error.
fn fault_of(error: FileError, path: &str) -> Result<Fault, FileError> {
    let (reason, observed) = match &error {
        FileError::NotRegular { kind, .. } => ("not-regular", (*kind).to_owned()),
        FileError::Shared { .. } => (
            "hard-link",
            "a file with more than one hard link".to_owned(),
        ),
        FileError::TooLarge { .. } => return Ok(too_large(path)),
        FileError::Changed { .. } | FileError::Io { .. } => return Err(error),
    };
    Ok(Fault::Unsafe {
        reason,
        path: shown(path),
        observed,
    })
}

fn too_large(path: &str) -> Fault {
    let observed = format!("a file of more than {} MiB", READ_CAP >> 20);
    Fault::Unsafe {
        reason: "too-large",
        path: shown(path),
        observed,
    }
}

/// The bytes of `verdict.json` of a directory on disk, for whoever looks for a task.
///
/// # Errors
/// When the disk cannot be read; what is no regular file is nothing here.
pub fn verdict_bytes(root: &Root, path: &str) -> Result<Option<Vec<u8>>, FileError> {
    let Ok(path) = path.parse::<RepoPath>() else {
        return Ok(None);
    };
    let Some(folder) = root.folder(&path)? else {
        return Ok(None);
    };
    match folder.read_alone(VERDICT) {
        Err(FileError::Io {
            action,
            path,
            source,
        }) => Err(FileError::Io {
            action,
            path,
            source,
        }),
        read => Ok(read.ok().flatten()),
    }
}
