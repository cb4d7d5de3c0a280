//! How is a directory copied without copying its bytes, where the file system can share them?
//!
//! A clone shares blocks until one side writes: neither can change the other. Hard links would let
//! a write in place through, and are never made.
#![expect(clippy::disallowed_methods, reason = "sys::clone copies directories")]

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Whether files below `dir` can be cloned: found out by doing it.
pub fn is_possible(dir: &Path) -> bool {
    let tried = || -> io::Result<()> {
        let (from, to) = (tempfile::NamedTempFile::new_in(dir)?, tempfile::NamedTempFile::new_in(dir)?);
        fs::write(from.path(), [0; 4096])?;
        share(from.as_file(), to.as_file())
    };
    tried().is_ok()
}

/// Copies everything in `from` into the empty directory `to`: files as clones with their permission
/// bits, symbolic links as such.
///
/// # Errors
/// When anything else lies there, or the disk says no.
pub fn directory(from: &Path, to: &Path) -> io::Result<()> {
    let mut left = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = left.pop() {
        for entry in fs::read_dir(&from)? {
            let entry = entry?;
            let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
            if kind.is_dir() {
                fs::create_dir(&target)?;
                left.push((entry.path(), target));
            } else if kind.is_symlink() {
                std::os::unix::fs::symlink(fs::read_link(entry.path())?, target)?;
            } else if kind.is_file() {
                let (old, new) = (File::open(entry.path())?, File::create_new(target)?);
                share(&old, &new)?;
                new.set_permissions(old.metadata()?.permissions())?;
            } else {
                return Err(io::ErrorKind::InvalidInput.into());
            }
        }
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn share(from: &File, to: &File) -> io::Result<()> {
    Ok(rustix::fs::ioctl_ficlone(to, from)?)
}

#[cfg(not(target_os = "linux"))]
fn share(_: &File, _: &File) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_clone_is_the_same_and_stands_alone() {
        let dir = tempfile::tempdir().unwrap();
        if !is_possible(dir.path()) {
            return; // ext4 and tmpfs share nothing
        }
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::create_dir_all(from.join("d")).unwrap();
        fs::create_dir(&to).unwrap();
        fs::write(from.join("d/run"), "one").unwrap();
        fs::set_permissions(from.join("d/run"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("d/run", from.join("link")).unwrap();
        directory(&from, &to).unwrap();
        fs::write(to.join("d/run"), "two").unwrap();
        assert_eq!(fs::read_to_string(from.join("d/run")).unwrap(), "one");
        assert_eq!(fs::metadata(to.join("d/run")).unwrap().permissions().mode() & 0o777, 0o755);
        assert_eq!(fs::read_link(to.join("link")).unwrap(), Path::new("d/run"));
    }
}
