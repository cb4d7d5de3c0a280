//! Records the files that a job asks to open, with a seccomp listener, where tracing is not
//! possible.
//!
//! A thread waits at a call that opens until we have read the name and looked for the file. Then the
//! kernel goes on with the call itself, so that this sees less than tracing: not whether the call
//! worked, and another thread may have changed the name meanwhile. Only what is a regular file when
//! it is asked for counts, or when all is over if it was to be made. What the kernel opens by
//! itself, the loader of a program and the interpreter of a script, is not asked for.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::Pid;

use super::touches::{Start, Touches, truncated};

/// How many calls are answered before somebody else has his turn.
const TURN: usize = 64;

/// The end of a filter where its calls are shown.
#[derive(Debug)]
pub struct Listener {
    fd: OwnedFd,
    is_open: bool,
}

impl Listener {
    /// Serves the filter of this listener.
    pub fn new(fd: OwnedFd) -> Self {
        Self { fd, is_open: true }
    }

    /// Whether anybody is left who could ask.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Answers the calls that wait, but not so many that nobody else has his turn.
    pub fn serve(&mut self, touches: &mut Touches) {
        for _ in 0..TURN {
            let mut fds = [PollFd::new(&self.fd, PollFlags::IN)];
            let ready = rustix::event::poll(
                &mut fds,
                Some(&Timespec {
                    tv_sec: 0,
                    tv_nsec: 0,
                }),
            );
            let events = fds[0].revents();
            if !ready.is_ok_and(|count| count > 0) {
                return;
            }
            if !events.contains(PollFlags::IN) {
                self.is_open = false; // the last process with the filter has ended
                return;
            }
            match self.answer(touches) {
                Ok(()) | Err(Errno::NOENT | Errno::INTR) => {} // killed meanwhile
                Err(errno) => {
                    touches.give_up(|| format!("calls of the job cannot be read: {errno}"))
                }
            }
        }
    }

    /// Looks at one call, and lets the kernel go on with it in any case: a call that waits for good
    /// would be a job that never ends.
    fn answer(&self, touches: &mut Touches) -> Result<(), Errno> {
        let asked = self.receive()?;
        let looked = self.look(&asked, touches);
        // what was read is worth nothing when the thread was gone by then, and its number another's
        if self.is_valid(asked.id)
            && let Err(error) = looked
        {
            touches.give_up(|| format!("what a process asked for cannot be read: {error}"));
        }
        self.go_on(asked.id)
    }

    fn look(&self, asked: &libc::seccomp_notif, touches: &mut Touches) -> io::Result<()> {
        let pid = i32::try_from(asked.pid).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("the process is not in sight"))?;
        let [a, b, c, _, e, _] = asked.data.args;
        let flags = |flags| OFlags::from_bits_retain(truncated(flags).cast_unsigned());
        let (start, name, flags) = match libc::c_long::from(asked.data.nr) {
            #[cfg(target_arch = "x86_64")]
            libc::SYS_open => (Start::Cwd, a, flags(b)),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_creat => (
                Start::Cwd,
                a,
                OFlags::CREATE | OFlags::WRONLY | OFlags::TRUNC,
            ),
            libc::SYS_openat => (Start::argument(a), b, flags(c)),
            libc::SYS_openat2 => (Start::argument(a), b, flags(touches.word(pid, c)?)),
            libc::SYS_execve => (Start::Cwd, a, OFlags::RDONLY),
            libc::SYS_execveat => (Start::argument(a), b, program(e)),
            libc::SYS_open_by_handle_at => {
                return Err(io::Error::other("it is asked for by a handle"));
            }
            _ => return Ok(()), // of another filter
        };
        let name = match touches.name(pid, name) {
            Err(error) if is_bad_address(&error) => return Ok(()), // the kernel cannot read it either
            name => name?,
        };
        if !self.is_valid(asked.id) {
            return Ok(());
        }
        touches.named(pid, start, &name, flags)
    }

    #[expect(unsafe_code, reason = "the request has no safe form")]
    fn receive(&self) -> Result<libc::seccomp_notif, Errno> {
        // SAFETY: the type is numbers only, for which zero is a value; the kernel wants zeroes
        let mut asked: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        // SAFETY: the kernel writes one value of the type that the request is defined with
        let done = unsafe {
            libc::ioctl(
                self.fd.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_RECV,
                &raw mut asked,
            )
        };
        if done < 0 {
            Err(last_errno())
        } else {
            Ok(asked)
        }
    }

    #[expect(unsafe_code, reason = "the request has no safe form")]
    fn is_valid(&self, id: u64) -> bool {
        // SAFETY: the kernel reads one number
        unsafe {
            libc::ioctl(
                self.fd.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_ID_VALID,
                &raw const id,
            ) == 0
        }
    }

    #[expect(unsafe_code, reason = "the request has no safe form")]
    fn go_on(&self, id: u64) -> Result<(), Errno> {
        let flags = u32::try_from(libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE).unwrap_or_default();
        let mut answer = libc::seccomp_notif_resp {
            id,
            val: 0,
            error: 0,
            flags,
        };
        // SAFETY: the kernel reads one value of the type that the request is defined with
        let done = unsafe {
            libc::ioctl(
                self.fd.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_SEND,
                &raw mut answer,
            )
        };
        if done < 0 { Err(last_errno()) } else { Ok(()) }
    }
}

impl AsFd for Listener {
    /// Readable while a call waits.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// A program that is run by a descriptor has an empty name.
fn program(flags: u64) -> OFlags {
    match truncated(flags) & libc::AT_SYMLINK_NOFOLLOW {
        0 => OFlags::RDONLY,
        _ => OFlags::NOFOLLOW,
    }
}

fn is_bad_address(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::EFAULT | libc::EIO | libc::ENAMETOOLONG)
    )
}

fn last_errno() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}
