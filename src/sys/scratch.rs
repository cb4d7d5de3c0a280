//! Where can work be done that is thrown away afterwards?

use std::io;
use std::path::{Path, PathBuf};

/// A directory of its own, removed with everything in it when dropped, unless it is to be kept.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    _removed: Option<tempfile::TempDir>,
}

impl Scratch {
    /// A new directory among the machine's temporary ones.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn temporary() -> io::Result<Self> {
        let made = tempfile::Builder::new().prefix("git-reins-").tempdir()?;
        Ok(Self { path: made.path().canonicalize()?, _removed: Some(made) })
    }

    /// A new directory at `path`, which is kept.
    ///
    /// # Errors
    /// When something is there already, or it cannot be made.
    #[expect(clippy::disallowed_methods, reason = "sys makes directories")]
    pub fn kept(path: &Path) -> io::Result<Self> {
        std::fs::create_dir(path)?;
        Ok(Self { path: path.canonicalize()?, _removed: None })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self._removed.is_some() {
            let _left = super::removal::remove(&self.path);
        }
    }
}
