//! Makes the directory through which a kept hook runs under its own name.
//!
//! A script reads its own path from `$0`. Under its kept name, a hook that derives its event from
//! `$0` would find none; in a directory of its own, a hook that looks for `$(dirname "$0")/lib.sh`
//! would find nothing. The hook therefore runs through a directory beside that of the hooks
//! (`.git/hooks.reins` for `.git/hooks`), which holds a link with the hook's own name and one to each
//! of the files beside it. Two differences remain: `realpath "$0"` of a hook that is no link itself
//! ends in the kept name, and a new file is written beside the links.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Event;
use crate::sys::files::FileError;
use crate::sys::folder::{Folder, Standing, real, remove_empty};

/// Keeps git from listing the directory, where hooks lie in a worktree.
const IGNORE: &str = ".gitignore";

/// The directory for the kept hooks of a directory.
pub fn place(hooks: &Path) -> PathBuf {
    let hooks = real(hooks);
    let mut name = hooks.file_name().unwrap_or_default().to_owned();
    name.push(".reins");
    hooks.with_file_name(name)
}

/// Brings the directory up to date; the path by which the kept hook of an event is run.
///
/// # Errors
/// When the disk says no.
pub fn path(hooks: &Path, event: Event) -> Result<PathBuf, FileError> {
    let mirror = Folder::make(&place(hooks), 0)?;
    let real = real(hooks);
    let above = Path::new("..").join(real.file_name().unwrap_or_default());
    point(&mirror, event.name(), &above.join(event.kept()))?;
    if mirror.look(IGNORE)? == Standing::Nothing {
        ignore_all(&mirror)?;
    }
    let neighbours =
        Folder::open(&real)?.map_or(Ok(Default::default()), |folder| folder.names())?;
    for name in neighbours
        .iter()
        .filter_map(|name| name.to_str())
        .filter(|name| is_neighbour(name, event))
    {
        point(&mirror, name, &above.join(name))?;
    }
    for name in mirror.names()?.iter().filter_map(|name| name.to_str()) {
        let Standing::Link { target } = mirror.look(name)? else {
            continue;
        };
        if name != event.name()
            && target == above.join(name)
            && !neighbours.contains(&OsString::from(name))
        {
            mirror.remove(name)?; // it went away there
        }
    }
    Ok(mirror.path().join(event.name()))
}

/// Takes away what [`path`] made; what a hook wrote there stays.
///
/// # Errors
/// When the disk says no.
pub fn remove(hooks: &Path) -> Result<(), FileError> {
    let place = place(hooks);
    let Some(mirror) = Folder::open(&place)? else {
        return Ok(());
    };
    for name in mirror.names()?.iter().filter_map(|name| name.to_str()) {
        if name == IGNORE || matches!(mirror.look(name)?, Standing::Link { .. }) {
            mirror.remove(name)?;
        }
    }
    remove_empty(&place).map(drop)
}

fn is_neighbour(name: &str, event: Event) -> bool {
    let ours = [
        event.name().to_owned(),
        event.kept(),
        event.edited(),
        event.temporary(),
        IGNORE.to_owned(),
    ];
    !name.ends_with(".sample") && ours.iter().all(|own| own != name)
}

/// Two pushes at once may both do this: a link that is right is left alone.
fn point(mirror: &Folder, name: &str, target: &Path) -> Result<(), FileError> {
    match mirror.look(name)? {
        Standing::Link { target: there } if there == target => Ok(()),
        Standing::Link { .. } => {
            mirror.remove(name)?;
            mirror.link(name, target)
        }
        Standing::Nothing | Standing::File { .. } | Standing::Other { .. } => {
            mirror.link(name, target)
        }
    }
}

fn ignore_all(mirror: &Folder) -> Result<(), FileError> {
    match mirror.write(IGNORE, b"*\n", (0o666, 0)) {
        Err(FileError::Io { source, .. }) if source.kind() == std::io::ErrorKind::AlreadyExists => {
            Ok(())
        }
        written => written,
    }
}
