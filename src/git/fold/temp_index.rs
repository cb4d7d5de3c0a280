//! Holds a new index file in a temporary directory before it replaces the old one.
#![expect(
    clippy::disallowed_methods,
    reason = "git::fold writes the new index beside the old one"
)]

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

const PREFIX: &str = "reins-index-";

/// A directory in a git directory, so that a file can be renamed from there; removed when dropped.
pub(super) struct TempIndex(TempDir);

impl TempIndex {
    /// What lies there already is what a killed fold left: whoever comes here holds the lock of folds.
    pub(super) fn new(git_dir: &Path) -> io::Result<Self> {
        for entry in fs::read_dir(git_dir)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(PREFIX) {
                let _next_time = fs::remove_dir_all(entry.path());
            }
        }
        tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(git_dir)
            .map(Self)
    }

    /// The place of the new index, with a copy of the old one if there is one. The copy is as old as
    /// the original: by that git knows which files may have changed unseen since.
    pub(super) fn index(&self, old: Option<&Path>) -> io::Result<PathBuf> {
        let path = self.0.path().join("index");
        if let Some(old) = old {
            let written = fs::symlink_metadata(old)?.modified()?;
            fs::copy(old, &path)?;
            File::options()
                .write(true)
                .open(&path)?
                .set_modified(written)?;
        }
        Ok(path)
    }
}
