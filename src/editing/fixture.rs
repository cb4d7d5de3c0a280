//! Lists the files that a fixture epoch pins and compares them with HEAD.

use std::collections::BTreeMap;

use super::Refused;
use super::ledger_worktree::{LedgerWorktree, LedgerWorktreeError};
use crate::git::plumbing::{Git, PlumbingError, shown_path, split_nul};
use crate::ledger::field::{Field, text};
use crate::ledger::fixture::{FixtureFile, FixtureLedger};
use crate::model::ids::CommitId;
use crate::model::image::RunnerImage;
use crate::model::path::RepoPath;
use crate::model::refusal::Code;
use crate::model::shell::word;
use crate::sys::files::FileError;
use crate::sys::hash;

/// What a person said about an epoch.
#[derive(Clone, Debug)]
pub struct Said {
    /// Its name.
    pub epoch: String,
    /// The revision that the bytes belong to.
    pub base: CommitId,
    /// The image that loads them.
    pub image: RunnerImage,
    /// What the digests do not see.
    pub residual_risk: Vec<String>,
}

/// The ledger that pins `files` under a name.
pub fn pinned(said: Said, files: Vec<FixtureFile>) -> FixtureLedger {
    let value = |text: String| Some(Field::Value(text));
    let bare = FixtureLedger {
        schema: FixtureLedger::SCHEMA.to_owned(),
        epoch_id: value(said.epoch),
        base_rev: value(said.base.to_string()),
        digest_sha256: None,
        runner_image_id: value(said.image.to_string()),
        files,
        residual_risk: said.residual_risk,
    };
    FixtureLedger {
        digest_sha256: value(bare.listed_digest()),
        ..bare
    }
}

/// Refuses a name that `used` gave to other content.
///
/// # Errors
/// As said.
pub fn epoch_is_free(used: &FixtureLedger, new: &FixtureLedger) -> Result<(), Refused> {
    let content = |ledger: &FixtureLedger| {
        (
            ledger.base_rev.clone(),
            ledger.digest_sha256.clone(),
            ledger.runner_image_id.clone(),
        )
    };
    if used.epoch_id != new.epoch_id || content(used) == content(new) {
        return Ok(());
    }
    let epoch = new.epoch_id.as_ref().map(Field::shown).unwrap_or_default();
    let message = format!("HEAD pins another base, digest or image under the epoch {epoch}");
    let fix = format!(
        "choose a new name: --epoch {}",
        word(&successor(text(&new.epoch_id)))
    );
    Err(Refused::new(message)
        .code(Code::FixtureEpochUnpinned)
        .fix(fix))
}

/// The name that comes after one: `e1` is followed by `e2`, `NEW` by `NEW-2`.
fn successor(epoch: &str) -> String {
    let stem = epoch.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = epoch[stem.len()..]
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_add(1));
    number.map_or_else(|| format!("{epoch}-2"), |number| format!("{stem}{number}"))
}

/// Every fixture file of the worktree that git tracks or would track, digested.
///
/// # Errors
/// When one is anything but a plain file that is there.
pub fn worktree_files(worktree: &LedgerWorktree) -> Result<Vec<FixtureFile>, LedgerWorktreeError> {
    let listed = listed(worktree)?;
    let digested = hash::files(&worktree.root, &listed).map_err(|error| match error {
        FileError::NotRegular { path, kind } => unpinnable(&path, &format!("is {kind}")).into(),
        FileError::TooLarge { .. }
        | FileError::Shared { .. }
        | FileError::Changed { .. }
        | FileError::Io { .. } => LedgerWorktreeError::File(error),
    })?;
    let files = digested
        .into_iter()
        .flatten()
        .map(|file| match file.executable {
            true => Err(unpinnable(file.path.as_str(), "is executable").into()),
            false => Ok(FixtureFile {
                path: file.path.to_string(),
                sha256: file.sha256.to_string(),
                size: file.size,
            }),
        });
    files.collect()
}

fn listed(worktree: &LedgerWorktree) -> Result<Vec<RepoPath>, LedgerWorktreeError> {
    let prefixes = worktree.policy.paths.fixtures.iter().map(RepoPath::as_str);
    let prefixes: Vec<_> = prefixes.collect();
    if prefixes.is_empty() {
        return Ok(Vec::new());
    }
    let asked = [
        "ls-files",
        "-z",
        "-t",
        "--cached",
        "--others",
        "--exclude-standard",
    ];
    let answer = Git::at(&worktree.place)
        .args(asked)
        .prefixes(prefixes)
        .run()?;
    let mut paths = Vec::new();
    for line in split_nul(&answer) {
        let (tag, path) = line.split_at_checked(2).unwrap_or((b"", line));
        match tag {
            b"H " | b"? " => paths.push(safe(path)?),
            b"S " => return Err(unpinnable(&shown_path(path), "is not checked out").into()),
            _ => return Err(unpinnable(&shown_path(path), "is in conflict").into()),
        }
    }
    paths.sort();
    paths.dedup();
    Ok(paths)
}

fn safe(path: &[u8]) -> Result<RepoPath, LedgerWorktreeError> {
    let text = std::str::from_utf8(path)
        .map_err(|_| unpinnable(&shown_path(path), "has a name that is no UTF-8"))?;
    Ok(text.parse()?)
}

fn unpinnable(path: &str, fault: &str) -> Refused {
    let fix = "fixtures are plain files that are checked out: replace it, or move it out of paths.fixtures";
    Refused::new(format!("{path} {fault}"))
        .code(Code::FixtureEpochUnpinned)
        .fix(fix)
}

/// Refuses unless HEAD holds exactly the bytes that `ledger` pins.
///
/// The worktree's bytes are compared with the pins by SHA-256 and with HEAD by git's own ids, so
/// that no blob is read twice.
///
/// # Errors
/// With the first path that differs.
pub fn head_holds(
    worktree: &LedgerWorktree,
    ledger: &FixtureLedger,
) -> Result<(), LedgerWorktreeError> {
    let files = worktree_files(worktree)?;
    if files != ledger.files {
        let message = "the fixture files are no longer the ones that the ledger pins";
        let refused = Refused::new(message).code(Code::FixtureDigestMismatch);
        let (epoch, image) = (text(&ledger.epoch_id), text(&ledger.runner_image_id));
        let fix = format!("git reins fixture pin --epoch {epoch} --runner-image {image}");
        return Err(refused.fix(fix).into());
    }
    let (here, head) = (worktree_ids(worktree, &files)?, head_ids(worktree)?);
    let paths = here.keys().chain(head.keys());
    match paths
        .into_iter()
        .find(|path| here.get(*path) != head.get(*path))
    {
        None => Ok(()),
        Some(path) => {
            let message = format!("HEAD does not hold {} as it is pinned", shown_path(path));
            Err(Refused::new(message)
                .fix("commit the fixture bytes first, in a commit of their own")
                .into())
        }
    }
}

type BlobIds = BTreeMap<Vec<u8>, Vec<u8>>;

fn worktree_ids(
    worktree: &LedgerWorktree,
    files: &[FixtureFile],
) -> Result<BlobIds, PlumbingError> {
    if files.is_empty() {
        return Ok(BlobIds::new());
    }
    // A path that starts with a quote would be unquoted.
    let list: String = files
        .iter()
        .map(|file| format!("./{}\n", file.path))
        .collect();
    let asked = ["hash-object", "--no-filters", "--stdin-paths"];
    let answer = Git::at(&worktree.place)
        .args(asked)
        .input(list.into_bytes())
        .run()?;
    let ids = answer.split(|byte| *byte == b'\n').map(<[u8]>::to_vec);
    Ok(files
        .iter()
        .map(|file| file.path.clone().into_bytes())
        .zip(ids)
        .collect())
}

/// Mode and id of every fixture entry of HEAD; a plain file has the bare id, as above.
fn head_ids(worktree: &LedgerWorktree) -> Result<BlobIds, PlumbingError> {
    let prefixes: Vec<_> = worktree
        .policy
        .paths
        .fixtures
        .iter()
        .map(RepoPath::as_str)
        .collect();
    if prefixes.is_empty() || crate::git::worktree::head(&worktree.place)?.is_none() {
        return Ok(BlobIds::new());
    }
    let asked = ["ls-tree", "-r", "-z", "--full-tree", "HEAD"];
    let answer = Git::at(&worktree.place)
        .args(asked)
        .prefixes(prefixes)
        .run()?;
    let entry = |line: &[u8]| {
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let state = line[..tab]
            .strip_prefix(b"100644 blob ")
            .unwrap_or(&line[..tab]);
        Some((line[tab + 1..].to_vec(), state.to_vec()))
    };
    let unexpected = || PlumbingError::Answer {
        command: "git ls-tree".to_owned(),
    };
    split_nul(&answer)
        .map(|line| entry(line).ok_or_else(unexpected))
        .collect()
}
