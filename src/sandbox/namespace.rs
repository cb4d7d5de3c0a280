//! Moves this process into namespaces of its own.

use std::io;

use rustix::io::Errno;
use rustix::mount::MountPropagationFlags;
use rustix::thread::UnshareFlags;

/// Enters namespaces of its own; who may not, enters a user namespace where he may. What is mounted
/// from here on is seen by nobody else.
pub fn leave(flags: UnshareFlags) -> io::Result<()> {
    let (user, group) = (
        rustix::process::geteuid().as_raw(),
        rustix::process::getegid().as_raw(),
    );
    match unshare(flags) {
        Err(Errno::PERM) => {
            unshare(UnshareFlags::NEWUSER | flags)?;
            // everybody keeps his number, and a job that is not root gets no rights by this
            write("/proc/self/setgroups", "deny")?;
            write("/proc/self/uid_map", &format!("{user} {user} 1"))?;
            write("/proc/self/gid_map", &format!("{group} {group} 1"))?;
        }
        entered => entered?,
    }
    if flags.contains(UnshareFlags::NEWNS) {
        rustix::mount::mount_change(
            "/",
            MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
        )?;
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the kernel takes the mapping in a file"
)]
fn write(file: &str, text: &str) -> io::Result<()> {
    std::fs::write(file, text)
}

#[expect(unsafe_code, reason = "the call has no safe form")]
fn unshare(flags: UnshareFlags) -> Result<(), Errno> {
    // SAFETY: unsharing is unsafe for descriptor tables that other threads use. No flag here is
    // about those, and the supervisor has one thread.
    unsafe { rustix::thread::unshare_unsafe(flags) }
}
