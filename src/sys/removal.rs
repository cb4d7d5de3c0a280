//! Removes a directory, also one with locked parts or one deeper than any path.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::listing::{Kind, Links, Listing, list};

/// How deep a tree may be to be removed as it is. With names of 255 bytes a path is then still shorter
/// than the kernel's longest, and whoever walks down has few directories open.
const DEEP: usize = 8;

/// Removes a directory with everything in it.
///
/// # Errors
/// When something of it is left.
#[expect(clippy::disallowed_methods, reason = "sys removes directories")]
pub fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            unlock(path);
            std::fs::remove_dir_all(path)
        }
        removed => removed,
    }
}

/// Lets the owner into every directory, and brings those up that are deep; what cannot be unlocked
/// cannot be removed, and is told then.
fn unlock(root: &Path) {
    let mut left = vec![(root.to_owned(), 0)];
    while let Some((mut path, mut depth)) = left.pop() {
        let _told = std::fs::set_permissions(&path, Permissions::from_mode(0o700));
        if depth >= DEEP
            && let Ok(up) = bring_up(&path, root)
        {
            (path, depth) = (up, 1);
        }
        let Ok(Listing::Directory(entries)) = list(&path, Links::Stay) else {
            continue;
        };
        let directories = entries
            .into_iter()
            .filter(|entry| entry.kind == Kind::Directory);
        left.extend(directories.map(|entry| (path.join(entry.name), depth + 1)));
    }
}

/// Moves a directory in the place of a new one below `root`.
#[expect(clippy::disallowed_methods, reason = "sys moves directories")]
fn bring_up(path: &Path, root: &Path) -> io::Result<PathBuf> {
    let up = tempfile::Builder::new()
        .prefix("deep-")
        .tempdir_in(root)?
        .keep();
    std::fs::rename(path, &up).map(|()| up)
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk themselves"
)]
mod tests {
    use super::*;
    use rustix::fs::{Mode, OFlags};

    #[test]
    fn what_is_deeper_than_any_path_goes_too() {
        let program = std::env::current_exe().unwrap();
        let test = "sys::removal::tests::a_process_that_may_open_few_directories";
        let script = "ulimit -n 64 && exec \"$0\" --exact --ignored \"$1\"";
        let mut command = std::process::Command::new("sh");
        let ran = command
            .args(["-c", script])
            .arg(program)
            .arg(test)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    }

    #[test]
    #[ignore = "a process of the other test"]
    fn a_process_that_may_open_few_directories() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("root");
        std::fs::create_dir(&root).unwrap();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        for name in ["d".repeat(250), "e".repeat(3)] {
            let mut dir = rustix::fs::open(&root, flags, Mode::empty()).unwrap();
            for _ in 0..500 {
                rustix::fs::mkdirat(&dir, &name, Mode::RWXU).unwrap();
                dir = rustix::fs::openat(&dir, &name, flags, Mode::empty()).unwrap();
            }
            rustix::fs::fchmod(&dir, Mode::empty()).unwrap();
        }
        remove(&root).unwrap();
        assert!(!root.exists());
    }
}
