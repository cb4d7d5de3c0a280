//! Sets up the parts of a fence in their order.
//!
//! First the namespaces, in one go. Then, once a layer is mounted, the mounts; after them what only
//! takes away: Landlock, capabilities, system calls. All of it binds the supervisor too, so that
//! nothing has to happen between the fork and the exec of a job.

use std::io;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use nix::unistd::ForkResult;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions};
use rustix::thread::UnshareFlags;

use super::paths::FencePaths;
use super::{EnteredFence, Fence, FenceError, FixtureGuard, KillGuard, NetworkGuard, Trace};
use super::{capabilities, filter, mounts, rules};
use crate::policy::Network;
use crate::sandbox::namespace;
use crate::sandbox::overlay::JobLayer;

/// Leaves the world that is shared with others, before a layer is mounted. `None` when another
/// process did so in our place, and has ended.
///
/// # Errors
/// Why that is not possible. Then this process is of no further use.
pub fn enter(fence: &Fence) -> Result<Option<EnteredFence<'_>>, FenceError> {
    if fence.means.fixtures == FixtureGuard::ModeOnly {
        return Err(FenceError::Means(
            "permission bits keep nobody away who owns the file",
        ));
    }
    if fence.means.kill == KillGuard::PtraceTree && fence.means.trace != Trace::Ptrace {
        return Err(FenceError::Means(
            "who is not traced is not known to be ended",
        ));
    }
    let sockets = if fence.is_cut_off() {
        mounts::sockets()?
    } else {
        Vec::new()
    };
    let flags = fence.namespaces();
    if !flags.is_empty() {
        namespace::leave(flags).map_err(FenceError::when("no namespaces"))?;
    }
    if flags.contains(UnshareFlags::NEWNET) {
        raise_loopback().map_err(FenceError::when("no loopback device"))?;
    }
    let is_inside = !flags.contains(UnshareFlags::NEWPID)
        || be_first().map_err(FenceError::when("no first process"))?;
    Ok(is_inside.then_some(EnteredFence { fence, sockets }))
}

/// Raises the fence around this process and what it will start.
///
/// # Errors
/// Why it does not stand. Then this process is of no further use.
pub fn raise(entered: &EnteredFence<'_>, layer: Option<&JobLayer>) -> Result<(), FenceError> {
    let fence = entered.fence;
    if fence.is_open() {
        return Ok(());
    }
    // a working directory below what gets mounted over would be a way around it
    let dir = std::env::current_dir().map_err(FenceError::when("no working directory"))?;
    let paths = FencePaths::resolve(fence, layer, &dir)?;
    if fence.namespaces().contains(UnshareFlags::NEWNS) {
        mounts::build(entered, &paths)?;
        std::env::set_current_dir(&dir).map_err(FenceError::when(dir.display().to_string()))?;
    }
    if fence.means.fixtures == FixtureGuard::Landlock {
        rules::restrict(&paths)?;
    }
    capabilities::drop_all()?;
    match fence.means.network {
        NetworkGuard::NetnsLo if fence.is_cut_off() => filter::only_namespaced_sockets(),
        NetworkGuard::Seccomp if fence.network == Network::Deny => filter::only_socket_pairs(),
        NetworkGuard::NetnsLo | NetworkGuard::Seccomp | NetworkGuard::None => Ok(()),
    }
}

impl Fence {
    /// Whether the job gets a network of its own.
    pub(super) fn is_cut_off(&self) -> bool {
        self.network == Network::Deny && self.means.network == NetworkGuard::NetnsLo
    }

    fn namespaces(&self) -> UnshareFlags {
        let mut flags = UnshareFlags::empty();
        if self.means.fixtures == FixtureGuard::BindRo {
            flags |= UnshareFlags::NEWNS;
        }
        if self.is_cut_off() {
            flags |= UnshareFlags::NEWNS | UnshareFlags::NEWNET;
        }
        if self.means.kill == KillGuard::Pidns {
            flags |= UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC;
        }
        flags
    }
}

/// Goes on as the first process of the new namespace, which ends with it. The other half waits, and
/// gets to know that it is not the one: `false`.
fn be_first() -> io::Result<bool> {
    let (ours, theirs) = UnixStream::pair()?;
    match fork()? {
        ForkResult::Parent { child } => {
            drop(theirs);
            let child = Pid::from_raw(child.as_raw());
            while let Err(Errno::INTR) = rustix::process::waitpid(child, WaitOptions::empty()) {}
            Ok(false)
        }
        ForkResult::Child => {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            drop(ours);
            // who died before the line above sends no signal, but his end of the pair is gone
            let mut fds = [PollFd::new(&theirs, PollFlags::IN)];
            match rustix::event::poll(
                &mut fds,
                Some(&Timespec {
                    tv_sec: 0,
                    tv_nsec: 0,
                }),
            )? {
                0 => Ok(true),
                _ => Err(io::ErrorKind::BrokenPipe.into()),
            }
        }
    }
}

#[expect(unsafe_code, reason = "the call has no safe form")]
fn fork() -> nix::Result<ForkResult> {
    // SAFETY: the supervisor has one thread, so no lock of another one is copied while it is held,
    // and the child may go on as its parent would have
    unsafe { nix::unistd::fork() }
}

/// A network namespace begins with a loopback device that is down.
#[expect(unsafe_code, reason = "the call has no safe form")]
fn raise_loopback() -> io::Result<()> {
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    let mut request = libc::ifreq {
        ifr_name: [0; libc::IFNAMSIZ],
        ifr_ifru: libc::__c_anonymous_ifr_ifru {
            ifru_flags: libc::IFF_UP as libc::c_short,
        },
    };
    for (to, from) in request.ifr_name.iter_mut().zip(c"lo".to_bytes()) {
        *to = libc::c_char::from_ne_bytes([*from]);
    }
    // SAFETY: the descriptor is open, and the request is a whole `ifreq` that outlives the call,
    // which only reads it
    let answer = unsafe {
        libc::ioctl(
            socket.as_raw_fd(),
            libc::SIOCSIFFLAGS as _,
            &raw const request,
        )
    };
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
