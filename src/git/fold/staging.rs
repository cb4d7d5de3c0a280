//! How do the folded files get into the person's index while every other entry stays as it is?
//!
//! A person's `git add` does not wait for `index.lock`, it fails. So the new index is written beside
//! the old one, by git, and the lock is held only while one takes the place of the other.
#![expect(clippy::disallowed_methods, reason = "git::fold puts one index file in the place of another")]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::SystemTime;

use gix::bstr::BStr;
use gix::hash::Kind as Format;
use gix::index::entry::Stage;

use super::FoldError;
use super::held::{GITS, is_there, until};
use super::planting::Blobs;
use crate::git::plumbing::{Git, GitPlace, PlumbingError};
use crate::git::{GitError, chain, theirs};
use crate::sys::files::FileError;

/// The real index of a worktree and the entries that it is to have.
pub(super) struct Staging<'a> {
    place: &'a GitPlace,
    format: Format,
    blobs: &'a Blobs,
    /// The index.
    path: PathBuf,
    /// What git locks it with.
    lock: PathBuf,
    /// The next index, ours alone while we hold the lock of folds.
    draft: PathBuf,
}

/// One index file: every git that writes it puts another in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    inode: u64,
    size: u64,
    modified: SystemTime,
}

impl<'a> Staging<'a> {
    pub(super) fn new(place: &'a GitPlace, format: Format, blobs: &'a Blobs) -> Self {
        let file = |name: &str| place.git_dir.join(name);
        let (path, lock, draft) = (file("index"), file("index.lock"), file("reins.index"));
        Self { place, format, blobs, path, lock, draft }
    }

    /// Looks that no entry of the person's would have to give way: git replaces a staged file by a
    /// directory of the same name, and the other way round, without asking.
    pub(super) fn check(&self) -> Result<(), FoldError> {
        let Some(index) = self.index()? else { return Ok(()) };
        let in_way = |path: &str| FoldError::InTheWay { path: path.to_owned(), holder: "the index" };
        let parents = self
            .blobs
            .keys()
            .flat_map(|path| path.as_str().match_indices('/').map(|(end, _)| &path.as_str()[..end]));
        for parent in parents.collect::<BTreeSet<_>>() {
            index.entry_range(parent.into()).map_or(Ok(()), |_| Err(in_way(parent)))?;
        }
        for path in self.blobs.keys() {
            let below = format!("{path}/");
            let below = index.prefixed_entries_range(BStr::new(&below));
            below.map_or(Ok(()), |_| Err(in_way(path.as_str())))?;
        }
        Ok(())
    }

    /// Adds the entries. A lock is waited for; then it is reported and never removed. An index that
    /// another git wrote meanwhile is the one to start from.
    pub(super) fn add(&self) -> Result<(), FoldError> {
        let added = until(GITS, || self.try_add().transpose());
        let _none_left = fs::remove_file(&self.draft);
        added.unwrap_or_else(|| Err(FoldError::held(self.lock.clone())))
    }

    /// One try; `None` when another git is or was at the index.
    fn try_add(&self) -> Result<Option<()>, FoldError> {
        if is_there(&self.lock) {
            return Ok(None);
        }
        let before = self.version();
        self.draft().map_err(|source| self.fault(source))?;
        let mut list = Vec::new();
        for (path, id) in self.blobs {
            write!(list, "100644 {id}\t{path}\0").map_err(PlumbingError::Start)?;
        }
        let git = Git::durable(self.place).index(&self.draft).args(["update-index", "-z", "--index-info"]);
        git.input(list).run()?;
        self.swap(before).map_err(|source| self.fault(source))
    }

    /// A copy of the index, as old as the index itself: git compares that time with those of files to
    /// know which of them it has to look into.
    fn draft(&self) -> io::Result<()> {
        for left in [&self.draft, &self.draft.with_extension("index.lock")] {
            match fs::remove_file(left) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        let mut index = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        let mut draft = File::create_new(&self.draft)?;
        io::copy(&mut index, &mut draft)?;
        draft.set_modified(index.metadata()?.modified()?)
    }

    /// Puts the draft in the place of the index if that is still the version it was made from.
    fn swap(&self, before: Option<Version>) -> io::Result<Option<()>> {
        match File::create_new(&self.lock) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            locked => locked?,
        };
        let is_same = self.version() == before;
        let swapped = if is_same { fs::rename(&self.draft, &self.path) } else { Ok(()) };
        fs::remove_file(&self.lock)?;
        swapped.map(|()| is_same.then_some(()))
    }

    pub(super) fn version(&self) -> Option<Version> {
        let file = fs::symlink_metadata(&self.path).ok()?;
        Some(Version { inode: file.ino(), size: file.len(), modified: file.modified().ok()? })
    }

    /// A `git commit` that had read the index before we wrote it, and writes it back after, takes
    /// our entries out again. Then they are added once more, so that HEAD does not have files that
    /// look deleted in the index. What stands in the way of that does not unmake the commit.
    pub(super) fn mend(&self, written: Option<Version>) {
        for _ in 0..3 {
            let _still_held = until(GITS, || (!is_there(&self.lock)).then_some(()));
            if self.version() == written || self.holds_all().unwrap_or(true) {
                return;
            }
            let _in_way = self.check().and_then(|()| self.add());
        }
    }

    fn holds_all(&self) -> Result<bool, FoldError> {
        let Some(index) = self.index()? else { return Ok(false) };
        Ok(self.blobs.iter().all(|(path, id)| {
            let entry = index.entry_by_path_and_stage(BStr::new(path.as_str()), Stage::Unconflicted);
            entry.is_some_and(|entry| entry.id == theirs(*id))
        }))
    }

    fn index(&self) -> Result<Option<gix::index::File>, FoldError> {
        if !is_there(&self.path) {
            return Ok(None);
        }
        let read =
            gix::index::File::at(&self.path, self.format, true, gix::index::decode::Options::default());
        let fault = |error: gix::Error| GitError::Other { what: "the index".to_owned(), why: chain(&error) };
        Ok(Some(read.map_err(fault)?))
    }

    fn fault(&self, source: io::Error) -> FoldError {
        FoldError::File(FileError::Io { action: "write", path: self.path.display().to_string(), source })
    }
}
