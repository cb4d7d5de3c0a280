//! Starts a job so that its first call that opens a file is already seen.
//!
//! A child of this process waits until it is traced or until its listener is served, with the
//! filter on, and becomes the program when it is told to. Until then nothing of the job has run.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::unistd::ForkResult;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Pid, WaitOptions};

use super::fd_passing;
use super::filter::{self, Means};
use super::notify::Listener;
use super::ptrace::Tracer;
use super::touches::Touches;
use super::tracing::{Mechanism, Tracing, WAIT};

/// What the child says once it has the filter on. Anything else is why it has not.
const READY: u8 = b'+';

/// What it is told when it may go on.
const GO: u8 = b'g';

/// A child that waits to become the program.
#[derive(Debug)]
pub struct TracedSpawn {
    pid: Pid,
    socket: UnixStream,
    tracing: Tracing,
}

impl TracedSpawn {
    /// Makes the child, whose streams are those of the command. What runs in it before the program
    /// does is ours, and nobody else may hold on to `command`'s descriptors.
    ///
    /// # Errors
    /// When the system does not let us trace in this way, or nobody can be asked.
    pub fn make(command: &mut Command, means: Means) -> io::Result<Self> {
        let touches = Touches::new()?;
        let (socket, theirs) = UnixStream::pair()?;
        let pid = match fork()? {
            ForkResult::Parent { child } => child,
            ForkResult::Child => {
                drop(socket);
                become_program(command, means, &theirs);
            }
        };
        drop(theirs);
        let pid = Pid::from_raw(pid.as_raw()).ok_or(Errno::SRCH)?;
        let mechanism = ready(pid, means, &socket).inspect_err(|_| end(pid))?;
        Ok(Self {
            pid,
            socket,
            tracing: Tracing { mechanism, touches },
        })
    }

    /// Lets it become the program.
    ///
    /// # Errors
    /// When it cannot.
    pub fn go(mut self) -> io::Result<(Pid, Tracing)> {
        fd_passing::send(&self.socket, GO, None)?;
        match self.tracing.mechanism {
            Mechanism::Tracer(_) => self.follow()?,
            Mechanism::Listener(_) => self.serve()?,
        }
        let mut errno = [0; 4];
        match self.socket.read(&mut errno)? {
            0 => Ok((self.pid, self.tracing)),
            _ => {
                if matches!(self.tracing.mechanism, Mechanism::Listener(_)) {
                    end(self.pid);
                }
                Err(io::Error::from_raw_os_error(i32::from_ne_bytes(errno)))
            }
        }
    }

    /// Traces it until it is the program, or has ended because it cannot be. There is no other child.
    fn follow(&mut self) -> io::Result<()> {
        loop {
            match rustix::process::wait(WAIT.difference(WaitOptions::NOHANG)) {
                Ok(Some((pid, status))) if status.stopped() => self.tracing.stopped(pid, status),
                Ok(Some((pid, _))) if pid == self.pid => {
                    return match rustix::io::ioctl_fionread(&self.socket)? {
                        0 => Err(io::Error::other("it was ended before it began")),
                        _ => Ok(()),
                    };
                }
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
            if matches!(&self.tracing.mechanism, Mechanism::Tracer(tracer) if tracer.has_begun) {
                return Ok(());
            }
        }
    }

    /// Serves it until the socket says how it went: it ends when the child is the program.
    fn serve(&mut self) -> io::Result<()> {
        loop {
            let mut fds = vec![PollFd::new(&self.socket, PollFlags::IN)];
            fds.extend(
                self.tracing
                    .listener()
                    .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)),
            );
            match rustix::event::poll(&mut fds, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
            if !fds[0].revents().is_empty() {
                return Ok(());
            }
            self.tracing.serve();
        }
    }
}

#[expect(unsafe_code, reason = "a process can only be made by an unsafe call")]
fn fork() -> io::Result<ForkResult> {
    // SAFETY: the supervisor has one thread, so that the child may do all that it could do
    Ok(unsafe { nix::unistd::fork() }?)
}

/// Waits until the child has its filter on, and takes what it hands over.
fn ready(pid: Pid, means: Means, socket: &UnixStream) -> io::Result<Mechanism> {
    let tracer = match means {
        Means::Ptrace => {
            let (READY, _) = heard(socket)? else {
                return Err(refusal(socket));
            };
            let tracer = Tracer::seize(pid)?;
            fd_passing::send(socket, GO, None)?;
            Some(tracer)
        }
        Means::Notify => None,
    };
    let (READY, listener) = heard(socket)? else {
        return Err(refusal(socket));
    };
    match (tracer, listener) {
        (Some(tracer), _) => Ok(Mechanism::Tracer(tracer)),
        (None, Some(listener)) => Ok(Mechanism::Listener(Listener::new(listener))),
        (None, None) => Err(io::Error::other("no listener came")),
    }
}

fn heard(socket: &UnixStream) -> io::Result<(u8, Option<OwnedFd>)> {
    fd_passing::receive(socket)?.ok_or_else(|| io::Error::other("the child is gone"))
}

fn refusal(mut socket: &UnixStream) -> io::Error {
    let mut errno = [0; 4];
    match socket.read_exact(&mut errno) {
        Ok(()) => io::Error::from_raw_os_error(i32::from_ne_bytes(errno)),
        Err(error) => error,
    }
}

/// Ends a child that has not become the program.
fn end(pid: Pid) {
    let _gone = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    let _reaped = rustix::process::waitpid(Some(pid), WaitOptions::empty());
}

/// The life of the child until it is the program.
fn become_program(command: &mut Command, means: Means, socket: &UnixStream) -> ! {
    let error = match prepare(means, socket) {
        Ok(()) => command.exec(),
        Err(error) => {
            let _nobody = fd_passing::send(socket, b'-', None);
            error
        }
    };
    let errno = error.raw_os_error().unwrap_or(libc::EINVAL);
    let mut socket = socket;
    let _nobody = socket.write_all(&errno.to_ne_bytes());
    leave()
}

fn prepare(means: Means, socket: &UnixStream) -> io::Result<()> {
    // the supervisor lets nobody look into itself, and so far this is a copy of it
    rustix::process::set_dumpable_behavior(DumpableBehavior::Dumpable)?;
    if means == Means::Ptrace {
        fd_passing::send(socket, READY, None)?;
        told(socket)?;
    }
    let listener = filter::install(means)?;
    fd_passing::send(socket, READY, listener.as_ref())?;
    told(socket)
}

fn told(socket: &UnixStream) -> io::Result<()> {
    match fd_passing::receive(socket)? {
        Some((GO, _)) => Ok(()),
        Some(_) | None => leave(),
    }
}

#[expect(
    unsafe_code,
    reason = "a copy of this process may not run what this one does at its end"
)]
fn leave() -> ! {
    // SAFETY: it ends the process and nothing else
    unsafe { libc::_exit(127) }
}
