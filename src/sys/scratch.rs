//! Where can work be done that is thrown away afterwards?

use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A directory of its own, removed with everything in it when dropped, unless it is to be kept.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Removes it; none when it is kept.
    removed: Option<tempfile::TempDir>,
}

impl Scratch {
    /// A new directory among the machine's temporary ones.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn temporary() -> io::Result<Self> {
        let made = tempfile::Builder::new().prefix("git-reins-").tempdir()?;
        Ok(Self { path: made.path().canonicalize()?, removed: Some(made) })
    }

    /// A new directory inside of another one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn within(dir: &Path) -> io::Result<Self> {
        let made = tempfile::Builder::new().prefix("run-").tempdir_in(dir)?;
        Ok(Self { path: made.path().to_owned(), removed: Some(made) })
    }

    /// Makes a directory in it.
    ///
    /// # Errors
    /// When something is there already, or it cannot be made.
    #[expect(clippy::disallowed_methods, reason = "sys makes directories")]
    pub fn directory(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        std::fs::create_dir(&path)?;
        Ok(path)
    }

    /// Writes a new file below it, with the directories that it needs.
    ///
    /// # Errors
    /// When it is no place below, something is there already, or the disk says no.
    #[expect(clippy::disallowed_methods, reason = "sys writes files")]
    pub fn put(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if !path.starts_with(&self.path) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::File::create_new(path)?.write_all(bytes)
    }

    /// A new directory at `path`, which is kept.
    ///
    /// # Errors
    /// When something is there already, or it cannot be made.
    #[expect(clippy::disallowed_methods, reason = "sys makes directories")]
    pub fn kept(path: &Path) -> io::Result<Self> {
        std::fs::create_dir(path)?;
        Ok(Self { path: path.canonicalize()?, removed: None })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.removed.is_some() {
            let _left = super::removal::remove(&self.path);
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests look at the disk themselves")]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_is_closed_to_its_owner_goes_too() {
        let outer = tempfile::tempdir().unwrap();
        let scratch = Scratch::within(outer.path()).unwrap();
        let inner = scratch.directory("closed").unwrap();
        scratch.put(&inner.join("deep/file"), b"x").unwrap();
        assert!(scratch.put(&outer.path().join("outside"), b"x").is_err());
        for dir in [inner.join("deep"), inner] {
            std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o000)).unwrap();
        }
        drop(scratch);
        assert_eq!(std::fs::read_dir(outer.path()).unwrap().count(), 0);
    }
}
