//! Makes scratch directories and removes those of processes that have died.

use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use super::dir_lease;

/// What the name of every scratch directory begins with; six letters and digits follow.
const PREFIX: &str = "reins-scratch-";

/// A directory of its own, removed with everything in it when dropped, unless it is to be kept.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Removes it; none when it is kept.
    removed: Option<tempfile::TempDir>,
    /// Says that somebody who lives works here; for directories that anybody may find.
    _alive: Option<OwnedFd>,
}

impl Scratch {
    /// A new directory among the machine's temporary ones. Those of ours whose owner is dead, a
    /// SIGKILL asks nobody, are removed.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn temporary() -> io::Result<Self> {
        Self::temporary_in(&std::env::temp_dir())
    }

    fn temporary_in(home: &Path) -> io::Result<Self> {
        dir_lease::sweep(home, is_ours);
        loop {
            let made = tempfile::Builder::new()
                .prefix(PREFIX)
                .rand_bytes(6)
                .tempdir_in(home)?;
            // somebody who swept may have seen it before it had a sign of life
            if let Some(alive) = dir_lease::claim(made.path())? {
                return Ok(Self {
                    path: made.path().canonicalize()?,
                    removed: Some(made),
                    _alive: Some(alive),
                });
            }
        }
    }

    /// Removes what dead ones left among the machine's temporary directories.
    pub fn sweep() {
        dir_lease::sweep(&std::env::temp_dir(), is_ours);
    }

    /// A new directory inside of another one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn within(dir: &Path) -> io::Result<Self> {
        let made = tempfile::Builder::new().prefix("run-").tempdir_in(dir)?;
        Ok(Self {
            path: made.path().to_owned(),
            removed: Some(made),
            _alive: None,
        })
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
        Ok(Self {
            path: path.canonicalize()?,
            removed: None,
            _alive: None,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn is_ours(name: &str) -> bool {
    let rest = name.strip_prefix(PREFIX);
    rest.is_some_and(|rest| {
        rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.removed.is_some() {
            let _left = super::removal::remove(&self.path);
        }
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk themselves"
)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_is_closed_to_its_owner_goes_too() {
        let outer = tempfile::tempdir().unwrap();
        let scratch = Scratch::within(outer.path()).unwrap();
        let inner = scratch.path().join("closed");
        scratch.put(&inner.join("deep/file"), b"x").unwrap();
        assert!(scratch.put(&outer.path().join("outside"), b"x").is_err());
        for dir in [inner.join("deep"), inner] {
            std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o000)).unwrap();
        }
        drop(scratch);
        assert_eq!(std::fs::read_dir(outer.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_the_dead_left_is_removed_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let living = Scratch::temporary_in(home.path()).unwrap();
        let dead = home.path().join(format!("{PREFIX}abc123"));
        std::fs::create_dir_all(dead.join("deep")).unwrap();
        std::fs::set_permissions(dead.join("deep"), std::fs::Permissions::from_mode(0o000))
            .unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("kept"), "x").unwrap();
        std::os::unix::fs::symlink(outside.path(), home.path().join(format!("{PREFIX}linked")))
            .unwrap();
        for name in [
            "reins-scratch-",
            "reins-scratch-abcdefg",
            "other",
            "reins-scratch-a.b.c.",
        ] {
            std::fs::create_dir(home.path().join(name)).unwrap();
        }
        std::fs::write(home.path().join(format!("{PREFIX}afile1")), "x").unwrap();
        let second = Scratch::temporary_in(home.path()).unwrap();
        assert!(!dead.exists() && living.path().exists() && second.path().exists());
        assert!(outside.path().join("kept").exists());
        drop((living, second));
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 6);
    }
}
