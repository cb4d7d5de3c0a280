//! Where can work be done that is thrown away afterwards?

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::listing::{Kind, Links, Listing, list};

/// A directory of its own, removed with everything in it when dropped, unless it is to be kept.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
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
            let _left = remove(&self.path);
        }
    }
}

/// Removes a directory with everything in it, also what forbids its owner to look into it.
///
/// # Errors
/// When something of it is left.
#[expect(clippy::disallowed_methods, reason = "sys removes directories")]
pub fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            unlock(path);
            std::fs::remove_dir_all(path)
        }
        removed => removed,
    }
}

/// Lets the owner into every directory; a fault shows when it is removed.
fn unlock(path: &Path) {
    let mut left = vec![path.to_owned()];
    while let Some(path) = left.pop() {
        let _shown = std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700));
        let Ok(Listing::Directory(entries)) = list(&path, Links::Stay) else { continue };
        let directories = entries.into_iter().filter(|entry| entry.kind == Kind::Directory);
        left.extend(directories.map(|entry| path.join(entry.name)));
    }
}
