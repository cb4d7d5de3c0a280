//! Tells whether the process that made a scratch directory still runs, by a lock on it.
//!
//! Numbers of processes are used again, and are others in another container: they say nothing.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::listing::{Kind, Links, Listing, list};
use super::removal::remove;

/// Puts a sign of life on a new directory of ours, for as long as the value is there; `None` when
/// somebody has taken it for a dead one's meanwhile, and removes it. Where the file system has no
/// such locks nobody can take it for dead either.
///
/// # Errors
/// When the directory cannot be looked at.
pub fn claim(dir: &Path) -> io::Result<Option<OwnedFd>> {
    let fd = match open(dir) {
        Err(Errno::NOENT) => return Ok(None),
        opened => opened?,
    };
    if let Err(Errno::WOULDBLOCK) = rustix::fs::flock(&fd, FlockOperation::NonBlockingLockExclusive)
    {
        return Ok(None);
    }
    let there = match rustix::fs::lstat(dir) {
        Err(Errno::NOENT) => return Ok(None),
        there => there?,
    };
    let here = rustix::fs::fstat(&fd)?;
    Ok(((here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)).then_some(fd))
}

/// Removes the directories in `home` that have a name of ours, belong to us, and show no sign of
/// life. What cannot be removed waits for the next time.
pub fn sweep(home: &Path, is_ours: impl Fn(&str) -> bool) {
    let Ok(Listing::Directory(entries)) = list(home, Links::Follow) else {
        return;
    };
    let names = entries.iter().filter(|entry| entry.kind == Kind::Directory);
    for name in names
        .filter_map(|entry| entry.name.to_str())
        .filter(|name| is_ours(name))
    {
        let path = home.join(name);
        if let Some(_lock) = dead(&path) {
            let _next_time = remove(&path);
        }
    }
}

/// A lock on a directory of ours that nobody else holds one on.
fn dead(path: &Path) -> Option<OwnedFd> {
    let fd = open(path).ok()?;
    let is_own =
        rustix::fs::fstat(&fd).is_ok_and(|stat| stat.st_uid == rustix::process::geteuid().as_raw());
    let locked = || rustix::fs::flock(&fd, FlockOperation::NonBlockingLockExclusive).is_ok();
    (is_own && locked()).then_some(fd)
}

fn open(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty())
}
