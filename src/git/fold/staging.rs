//! Adds the folded files to the index and keeps every other entry.
#![expect(
    clippy::disallowed_methods,
    reason = "git::fold puts the new index into the place of the old one"
)]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::SystemTime;

use gix::bstr::BStr;
use gix::hash::Kind as Format;
use gix::index::entry::Stage;

use super::error::FoldError;
use super::lock::{GIT_LOCK_WAIT, IndexLock, is_there, locked, retry};
use super::temp_index::TempIndex;
use super::tree_builder::Blobs;
use crate::git::plumbing::{Git, GitPlace, PlumbingError};
use crate::git::{GitError, chain, theirs};

/// The real index of a worktree and the entries that it is to have.
pub(super) struct Staging<'a> {
    place: &'a GitPlace,
    format: Format,
    blobs: &'a Blobs,
    path: PathBuf,
    checked: Cell<Moment>,
}

/// The index file as it was at some moment.
type Moment = Option<(SystemTime, u64, u64)>;

/// Whether the moment has come, or why it never will.
pub(super) type MayReplace<'r> = dyn Fn() -> Result<(), FoldError> + 'r;

impl<'a> Staging<'a> {
    pub(super) fn new(place: &'a GitPlace, format: Format, blobs: &'a Blobs) -> Self {
        let path = place.git_dir.join("index");
        // where the index is a link, git writes the file that it leads to
        let path = fs::canonicalize(&path).unwrap_or(path);
        Self {
            place,
            format,
            blobs,
            path,
            checked: Cell::default(),
        }
    }

    /// Looks that no entry of the person's would have to give way: git replaces a staged file by a
    /// directory of the same name, and the other way round, without asking.
    pub(super) fn check(&self) -> Result<(), FoldError> {
        self.checked.set(self.moment());
        let Some(index) = self.index()? else {
            return Ok(());
        };
        let in_way = |path: &str| FoldError::InTheWay {
            path: path.to_owned(),
            holder: "the index",
        };
        let parents = self.blobs.keys().flat_map(|path| {
            path.as_str()
                .match_indices('/')
                .map(|(end, _)| &path.as_str()[..end])
        });
        for parent in parents.collect::<BTreeSet<_>>() {
            index
                .entry_range(parent.into())
                .map_or(Ok(()), |_| Err(in_way(parent)))?;
        }
        for path in self.blobs.keys() {
            let below = format!("{path}/");
            index
                .prefixed_entries_range(BStr::new(&below))
                .map_or(Ok(()), |_| Err(in_way(path.as_str())))?;
        }
        Ok(())
    }

    /// Adds the entries, when `may_replace` says so once the new index is written. A lock is waited for;
    /// then it is reported and never removed.
    pub(super) fn add(&self, may_replace: &MayReplace<'_>) -> Result<(), FoldError> {
        let temp_index =
            TempIndex::new(&self.place.git_dir).map_err(|source| self.fault(source))?;
        let tried = retry(GIT_LOCK_WAIT, || {
            self.try_to_add(&temp_index, may_replace).transpose()
        });
        tried.unwrap_or_else(|| Err(locked(self.lock())))
    }

    /// Git writes the new index elsewhere, so that the lock, which no `git add` waits for, is held
    /// for moments only; `None` when somebody else holds it, or has written the index meanwhile.
    fn try_to_add(
        &self,
        temp_index: &TempIndex,
        may_replace: &MayReplace<'_>,
    ) -> Result<Option<()>, FoldError> {
        if is_there(&self.lock()) {
            return Ok(None);
        }
        let before = self.moment();
        if before != self.checked.get() {
            self.check()?;
        }
        let old = before.is_some().then_some(self.path.as_path());
        let new = temp_index.index(old).map_err(|source| self.fault(source))?;
        let git = Git::durable(self.place).args(["update-index", "-z", "--index-info"]);
        git.env("GIT_INDEX_FILE", &new).input(self.list()?).run()?;
        may_replace()?;
        let Some(_lock) = IndexLock::take(self.lock())? else {
            return Ok(None);
        };
        if self.moment() != before {
            return Ok(None);
        }
        fs::rename(&new, &self.path)
            .map(Some)
            .map_err(|source| self.fault(source))
    }

    fn list(&self) -> Result<Vec<u8>, FoldError> {
        let mut list = Vec::new();
        for (path, id) in self.blobs {
            write!(list, "100644 {id}\t{path}\0").map_err(PlumbingError::Start)?;
        }
        Ok(list)
    }

    fn fault(&self, source: io::Error) -> FoldError {
        FoldError::Lock {
            path: self.path.clone(),
            source,
        }
    }

    fn lock(&self) -> PathBuf {
        self.path.with_extension("lock")
    }

    pub(super) fn moment(&self) -> Moment {
        let file = fs::symlink_metadata(&self.path).ok()?;
        Some((file.modified().ok()?, file.len(), file.ino()))
    }

    /// A `git commit` that had read the index before we wrote it, and writes it back after, takes
    /// our entries out again. Then they are added once more, so that HEAD does not have files that
    /// look deleted in the index. What stands in the way of that does not unmake the commit.
    pub(super) fn mend(&self, written: &Moment) {
        let lock = self.lock();
        for _ in 0..3 {
            let _still_held = retry(GIT_LOCK_WAIT, || (!is_there(&lock)).then_some(()));
            if self.moment() == *written || self.holds_all().unwrap_or(true) {
                return;
            }
            let _in_way = self.add(&|| Ok(()));
        }
    }

    fn holds_all(&self) -> Result<bool, FoldError> {
        let Some(index) = self.index()? else {
            return Ok(false);
        };
        Ok(self.blobs.iter().all(|(path, id)| {
            let entry =
                index.entry_by_path_and_stage(BStr::new(path.as_str()), Stage::Unconflicted);
            entry.is_some_and(|entry| entry.id == theirs(*id))
        }))
    }

    fn index(&self) -> Result<Option<gix::index::File>, FoldError> {
        if !is_there(&self.path) {
            return Ok(None);
        }
        let read = gix::index::File::at(
            &self.path,
            self.format,
            true,
            gix::index::decode::Options::default(),
        );
        let fault = |error: gix::Error| GitError::Other {
            what: "the index".to_owned(),
            why: chain(&error),
        };
        Ok(Some(read.map_err(fault)?))
    }
}
