//! Records the files that a job has opened, with ptrace.
//!
//! The filter stops a thread at a call that opens, and it is stopped again when the call is over:
//! then the descriptor is there, and its link says what the kernel found. Everything that a traced
//! process starts is traced from its first instruction; what asks to be left out (`CLONE_UNTRACED`)
//! still has the filter, and its calls fail. When this process ends, so does everything traced.
//!
//! Not seen: descriptors that come over a socket from outside, and one that another thread closes
//! or replaces before its number was told to anybody.

use std::collections::BTreeMap;
use std::io;

use nix::sys::ptrace::{self, Options};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{Pid, WaitStatus};

use super::touches::{Access, Start, Touches, truncated};

/// The request of `linux/ptrace.h` that neither crate has for every C library.
const GET_SYSCALL_INFO: u16 = 0x420e;

/// The size of its answer in words: three of the place, and at most eight of the call.
const INFO: usize = 11;

/// What a stop of a seized process is about, above the signal (`linux/ptrace.h`).
const EVENT_EXEC: i32 = libc::PTRACE_EVENT_EXEC;
const EVENT_SECCOMP: i32 = libc::PTRACE_EVENT_SECCOMP;
const EVENT_STOP: i32 = 128;

/// What marks the stop at the end of a call.
const CALL_IS_OVER: i32 = libc::SIGTRAP | 0x80;

/// A call that has begun.
#[derive(Clone, Copy, Debug)]
struct Call {
    start: Start,
    name: u64,
    opens: Opens,
}

/// What a call gives when it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opens {
    /// A descriptor, for what the call says.
    Known(Access),
    /// A descriptor; for what the kernel says.
    Asked,
    /// Another program, which has an event of its own.
    Program,
}

/// The calls that are being made, by the thread that makes them.
#[derive(Debug)]
pub struct Tracer {
    calls: BTreeMap<i32, Call>,
    /// Whether any process has become another program yet.
    pub has_begun: bool,
}

impl Tracer {
    /// Begins to trace a process that waits for it.
    ///
    /// # Errors
    /// When the system does not let us.
    pub fn seize(pid: Pid) -> io::Result<Self> {
        let options = Options::PTRACE_O_TRACECLONE
            | Options::PTRACE_O_TRACEFORK
            | Options::PTRACE_O_TRACEVFORK
            | Options::PTRACE_O_TRACEEXEC
            | Options::PTRACE_O_TRACESECCOMP
            | Options::PTRACE_O_TRACESYSGOOD
            | Options::PTRACE_O_EXITKILL;
        ptrace::seize(nix::unistd::Pid::from_raw(pid.as_raw_pid()), options)?;
        Ok(Self {
            calls: BTreeMap::new(),
            has_begun: false,
        })
    }

    /// A thread has stopped: looks why, and lets it go on.
    pub fn stopped(&mut self, pid: Pid, status: WaitStatus, touches: &mut Touches) {
        let (signal, event) = ((status.as_raw() >> 8) & 0xff, status.as_raw() >> 16);
        let (request, signal) = match (event, signal) {
            (EVENT_SECCOMP, _) => (self.begins(pid, touches), 0),
            (EVENT_EXEC, _) => (self.executes(pid, touches), 0),
            (EVENT_STOP, libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU) => {
                (libc::PTRACE_LISTEN, 0)
            }
            (0, CALL_IS_OVER) => (self.returns(pid, touches), 0),
            (0, signal) => (libc::PTRACE_CONT, signal),
            (_, _) => (libc::PTRACE_CONT, 0),
        };
        match go_on(request, pid, signal) {
            Ok(()) | Err(Errno::SRCH) => {} // killed meanwhile
            Err(errno) => touches.give_up(|| format!("a process cannot be traced on: {errno}")),
        }
    }

    /// A thread is gone, and its number may come again.
    pub fn ended(&mut self, pid: Pid) {
        self.calls.remove(&pid.as_raw_pid());
    }

    fn begins(&mut self, pid: Pid, touches: &mut Touches) -> Request {
        let call = match info(pid) {
            Ok(info) => call(&info),
            Err(Errno::SRCH) => None,
            Err(errno) => {
                touches.give_up(|| format!("a call cannot be looked at: {errno}"));
                None
            }
        };
        let Some(call) = call else {
            return libc::PTRACE_CONT;
        };
        self.calls.insert(pid.as_raw_pid(), call);
        libc::PTRACE_SYSCALL
    }

    fn returns(&mut self, pid: Pid, touches: &mut Touches) -> Request {
        let Some(Call { start, name, opens }) = self.calls.remove(&pid.as_raw_pid()) else {
            return libc::PTRACE_CONT;
        };
        let seen = info(pid).map_err(io::Error::from).and_then(|info| {
            let value = i64::from_ne_bytes(info[3].to_ne_bytes());
            match (opens, value) {
                (Opens::Known(access), 0..) => touches.opened(pid, value, Some(access)),
                (Opens::Asked, 0..) => touches.opened(pid, value, None),
                (Opens::Program, 0..) => Ok(()),
                (_, ..0)
                    if [libc::EACCES, libc::EROFS]
                        .map(|errno| -i64::from(errno))
                        .contains(&value) =>
                {
                    touches.refused(pid, start, name);
                    Ok(())
                }
                (_, ..0) => Ok(()),
            }
        });
        check(pid, seen, touches);
        libc::PTRACE_CONT
    }

    /// Of all threads only the one that ran the program is left, and it has the first one's number.
    fn executes(&mut self, pid: Pid, touches: &mut Touches) -> Request {
        self.has_begun = true;
        self.calls.remove(&pid.as_raw_pid());
        if let Ok(former) = ptrace::getevent(nix::unistd::Pid::from_raw(pid.as_raw_pid())) {
            let former = i32::try_from(former).ok();
            former.map(|former| self.calls.remove(&former));
        }
        let seen = touches.ran(pid);
        check(pid, seen, touches);
        libc::PTRACE_CONT
    }
}

/// A thread that is no longer stopped was killed: it gets nothing out of what it opened.
fn check(pid: Pid, seen: io::Result<()>, touches: &mut Touches) {
    if let Err(error) = seen
        && info(pid) != Err(Errno::SRCH)
    {
        touches.give_up(|| format!("what a process opened cannot be looked at: {error}"));
    }
}

/// A call that is shown; another filter may show others.
fn call(info: &[u64; INFO]) -> Option<Call> {
    let [_, _, _, number, a, b, c, ..] = *info;
    let number = libc::c_long::try_from(number).ok()?;
    let known = |flags| {
        Access::asked(OFlags::from_bits_retain(truncated(flags).cast_unsigned())).map(Opens::Known)
    };
    let (start, name, opens) = match number {
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => (Start::Cwd, a, known(b)?),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_creat => (Start::Cwd, a, Opens::Known(Access::WROTE)),
        libc::SYS_openat => (Start::argument(a), b, known(c)?),
        libc::SYS_openat2 => (Start::argument(a), b, Opens::Asked),
        // there is no name, and the descriptor is one of the file system
        libc::SYS_open_by_handle_at => (Start::argument(a), 0, known(c)?),
        libc::SYS_execve => (Start::Cwd, a, Opens::Program),
        libc::SYS_execveat => (Start::argument(a), b, Opens::Program),
        _ => return None,
    };
    Some(Call { start, name, opens })
}

/// The type of a request, which C libraries do not agree on.
#[cfg(target_env = "gnu")]
type Request = libc::c_uint;
#[cfg(not(target_env = "gnu"))]
type Request = libc::c_int;

/// The call at which a thread has stopped: the fourth word is its number, or its value at the end.
#[expect(
    unsafe_code,
    reason = "the request has no safe form for every C library"
)]
fn info(pid: Pid) -> Result<[u64; INFO], Errno> {
    let mut info = [0_u64; INFO];
    // SAFETY: the kernel writes at most as many bytes as we say, and the array has them
    let done = unsafe {
        libc::ptrace(
            Request::from(GET_SYSCALL_INFO),
            pid.as_raw_pid(),
            size_of_val(&info),
            info.as_mut_ptr(),
        )
    };
    if done < 0 {
        Err(last_errno())
    } else {
        Ok(info)
    }
}

/// Lets a stopped thread go on.
#[expect(
    unsafe_code,
    reason = "the safe forms know no real-time signals, and one request is missing"
)]
fn go_on(request: Request, pid: Pid, signal: i32) -> Result<(), Errno> {
    // SAFETY: requests that let a thread go on touch no memory of ours
    let done = unsafe {
        libc::ptrace(
            request,
            pid.as_raw_pid(),
            0_usize,
            libc::c_long::from(signal),
        )
    };
    if done < 0 { Err(last_errno()) } else { Ok(()) }
}

fn last_errno() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}
