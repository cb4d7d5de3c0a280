//! How is a directory removed when what ran in it forbade its owner to look into parts of it?

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::listing::{Kind, Links, Listing, list};

/// Removes a directory with everything in it.
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

/// Lets the owner into every directory; what cannot be unlocked cannot be removed, and is told then.
fn unlock(path: &Path) {
    let mut left = vec![path.to_owned()];
    while let Some(path) = left.pop() {
        let _told = std::fs::set_permissions(&path, Permissions::from_mode(0o700));
        let Ok(Listing::Directory(entries)) = list(&path, Links::Stay) else { continue };
        let directories = entries.into_iter().filter(|entry| entry.kind == Kind::Directory);
        left.extend(directories.map(|entry| path.join(entry.name)));
    }
}
