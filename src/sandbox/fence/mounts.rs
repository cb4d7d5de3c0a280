//! Mounts what a job sees of the file system, read-only but for its writable directories.
//!
//! Everything is read-only but the writable directories, and in them what is fenced off is a
//! read-only mount again. A job has no capability over this namespace, and in one that it makes
//! itself the kernel locks every mount that it finds.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::mem::size_of;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::CWD;
use rustix::io::Errno;
use rustix::mount::{MountFlags, MoveMountFlags, OpenTreeFlags};

use super::paths::FencePaths;
use super::{EnteredFence, FenceError, FixtureGuard, KillGuard};
use crate::sandbox::replica::seen;

/// Where services keep the sockets that people talk to them by.
const SERVICES: [&str; 2] = ["/run", "/var/run"];

/// What of the devices a job is left with.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// What of /proc belongs to the machine and not to a process.
const MACHINE: [&str; 7] = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi"];

/// Mounts all that the means ask for.
pub fn build(entered: &EnteredFence<'_>, paths: &FencePaths) -> Result<(), FenceError> {
    let means = entered.fence.means;
    let is_shut = means.fixtures == FixtureGuard::BindRo;
    if is_shut {
        paths
            .mounts()
            .into_iter()
            .try_for_each(|path| bind(path, path))?;
    }
    if entered.fence.is_cut_off() {
        hide(paths, &entered.sockets)?;
    }
    if means.kill == KillGuard::Pidns {
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        let mounted = rustix::mount::mount("proc", "/proc", "proc", flags, None);
        mounted.map_err(FenceError::when("no /proc of its own"))?;
    }
    if is_shut {
        lay_devices().map_err(FenceError::when("no /dev of its own"))?;
        if means.kill == KillGuard::Pidns {
            let shared = MACHINE.map(|name| Path::new("/proc").join(name));
            shared
                .iter()
                .filter(|path| seen(path).is_ok())
                .try_for_each(|path| bind(path, path))?;
        }
        shut(paths, means.kill)?;
    }
    Ok(())
}

fn bind(from: &Path, to: &Path) -> Result<(), FenceError> {
    rustix::mount::mount_bind(from, to).map_err(FenceError::when(to.display().to_string()))
}

/// Makes everything read-only, and then again writable what is to be.
fn shut(paths: &FencePaths, kill: KillGuard) -> Result<(), FenceError> {
    let read_only = libc::MOUNT_ATTR_RDONLY;
    let all = libc::AT_RECURSIVE as libc::c_uint;
    set(Path::new("/"), all, [read_only, 0]).map_err(FenceError::when("no read-only mounts"))?;
    let own = ["/dev/shm", "/dev/pts", "/proc"].map(PathBuf::from);
    let own = if kill == KillGuard::Pidns {
        &own[..]
    } else {
        &own[..2]
    };
    for path in paths.open().chain(own) {
        set(path, 0, [0, read_only]).map_err(FenceError::when(path.display().to_string()))?;
    }
    Ok(())
}

/// Sets the first flags of a mount and clears the second ones.
#[expect(unsafe_code, reason = "the call has no safe form")]
fn set(path: &Path, flags: libc::c_uint, [set, clear]: [u64; 2]) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let change = libc::mount_attr {
        attr_set: set,
        attr_clr: clear,
        propagation: 0,
        userns_fd: 0,
    };
    // SAFETY: the path ends with NUL, and the size is the one of the structure that is passed; both
    // outlive the call, which only reads them
    let answer = unsafe {
        let (path, change) = (path.as_ptr(), &raw const change);
        let size = size_of::<libc::mount_attr>();
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path,
            flags,
            change,
            size,
        )
    };
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// The paths of the sockets that are listened on, in the network that this process leaves, and those
/// that are mounted: who listens on one of these may be in another network.
#[expect(
    clippy::disallowed_methods,
    reason = "the kernel lists its sockets in a file"
)]
pub fn sockets() -> Result<Vec<PathBuf>, FenceError> {
    let list =
        std::fs::read("/proc/self/net/unix").map_err(FenceError::when("no list of sockets"))?;
    // seven columns without a slash in them, then the path, if there is one
    let paths = list.split(|byte| *byte == b'\n').filter_map(|line| {
        let start = line.iter().position(|byte| *byte == b'/')?;
        Some(PathBuf::from(std::ffi::OsString::from_vec(
            line[start..].to_vec(),
        )))
    });
    let mounts =
        std::fs::read("/proc/self/mountinfo").map_err(FenceError::when("no list of mounts"))?;
    let sockets = mounted(&mounts).into_iter().filter(|path| is_socket(path));
    Ok(paths.chain(sockets).collect())
}

/// The fifth column of each line, where the kernel writes space, tab, newline and `\\` in octal digits.
fn mounted(list: &[u8]) -> Vec<PathBuf> {
    let column = |line: &[u8]| line.split(|byte| *byte == b' ').nth(4).map(<[u8]>::to_vec);
    let paths = list
        .split(|byte| *byte == b'\n')
        .filter_map(column)
        .map(|mut path| {
            for byte in [b' ', b'\t', b'\n', b'\\'] {
                let spelled = format!("\\{byte:03o}").into_bytes();
                while let Some(at) = path.windows(spelled.len()).position(|part| part == spelled) {
                    path.splice(at..at + spelled.len(), [byte]);
                }
            }
            PathBuf::from(std::ffi::OsString::from_vec(path))
        });
    paths.collect()
}

fn is_socket(path: &Path) -> bool {
    seen(path).is_ok_and(|meta| meta.file_type().is_socket())
}

/// These paths, and every socket beside one of them: a name that was bound may have been moved since,
/// as ssh does with the socket of a connection that is shared.
#[expect(
    clippy::disallowed_methods,
    reason = "sandbox::fence looks at what it hides"
)]
fn around(sockets: &[PathBuf]) -> BTreeSet<PathBuf> {
    let places: BTreeSet<_> = sockets.iter().filter_map(|path| path.parent()).collect();
    let entries = places
        .into_iter()
        .filter_map(|place| std::fs::read_dir(place).ok())
        .flatten()
        .flatten();
    let beside = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_socket()));
    sockets
        .iter()
        .cloned()
        .chain(beside.map(|entry| entry.path()))
        .collect()
}

/// Takes away every way to a service: the places where their sockets are, and each one elsewhere.
fn hide(paths: &FencePaths, sockets: &[PathBuf]) -> Result<(), FenceError> {
    for place in SERVICES.map(Path::new) {
        if !seen(place).is_ok_and(|meta| meta.is_dir()) {
            continue; // there is none, or it is a link to the other one
        }
        let used = paths
            .mounts()
            .into_iter()
            .chain([&paths.dir])
            .find(|path| path.starts_with(place));
        if let Some(path) = used {
            let is = "is among the sockets of services, which a job may not see";
            return Err(FenceError::Place {
                path: path.clone(),
                is,
            });
        }
        empty(place).map_err(FenceError::when(place.display().to_string()))?;
    }
    for path in around(sockets).iter().filter(|path| is_socket(path)) {
        match rustix::mount::mount_bind("/dev/null", path) {
            Ok(()) | Err(Errno::NOENT) => {} // its owner may be gone by now
            Err(errno) => return Err(FenceError::when(path.display().to_string())(errno)),
        }
    }
    Ok(())
}

/// Mounts an empty directory. Links are left: where programs are is said by links in /run, too.
#[expect(
    clippy::disallowed_methods,
    reason = "sandbox::fence looks at what it hides"
)]
fn empty(place: &Path) -> io::Result<()> {
    let entries = std::fs::read_dir(place)?
        .flatten()
        .map(|entry| entry.path());
    let links: Vec<_> = entries
        .filter_map(|path| Some((std::fs::read_link(&path).ok()?, path)))
        .collect();
    tmpfs(place, c"mode=755")?;
    links
        .into_iter()
        .try_for_each(|(target, path)| symlink(target, path))
}

fn tmpfs(place: &Path, options: &std::ffi::CStr) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(rustix::mount::mount(
        "tmpfs",
        place,
        "tmpfs",
        flags,
        Some(options),
    )?)
}

/// Devices without the disks: root owns those, and needs no capability to write to them.
#[expect(
    clippy::disallowed_methods,
    reason = "sandbox::fence makes its own directory"
)]
fn lay_devices() -> io::Result<()> {
    let dev = Path::new("/dev");
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    let nodes = DEVICES.map(|name| {
        (
            dev.join(name),
            rustix::mount::open_tree(CWD, dev.join(name), flags),
        )
    });
    tmpfs(dev, c"mode=755")?;
    for (path, node) in nodes {
        let Ok(node) = node else { continue };
        File::create(&path)?;
        rustix::mount::move_mount(
            node,
            "",
            CWD,
            &path,
            MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH,
        )?;
    }
    for name in ["pts", "shm"] {
        std::fs::create_dir(dev.join(name))?;
    }
    tmpfs(&dev.join("shm"), c"mode=1777")?;
    let options = c"newinstance,ptmxmode=0666,mode=620";
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    rustix::mount::mount("devpts", dev.join("pts"), "devpts", flags, Some(options))?;
    let links = [
        ("ptmx", "pts/ptmx"),
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
    ];
    let more = [("stdout", "/proc/self/fd/1"), ("stderr", "/proc/self/fd/2")];
    links
        .into_iter()
        .chain(more)
        .try_for_each(|(name, target)| symlink(target, dev.join(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mounted_is_read_as_it_is_named() {
        let list = b"22 1 254:0 / / rw - ext4 /dev/vda rw\n23 22 0:4 /run/s.sock /a\\040b\\134.sock ro - tmpfs t rw\n";
        assert_eq!(mounted(list), ["/", "/a b\\.sock"].map(PathBuf::from));
    }
}
