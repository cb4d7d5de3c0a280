//! Starts a job: streams, process group and tracing.
#![expect(clippy::disallowed_methods, reason = "sandbox::start starts jobs")]

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::process::Pid;

use super::trace::{Means, TracedSpawn, Tracing};
use crate::model::run::End;
use crate::model::trial::Trace;

/// A job that has begun.
pub(super) struct StartedJob {
    pub pid: Pid,
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
    /// What sees the files that it opens.
    pub tracing: Option<Tracing>,
}

/// A job that begins as soon as it is let.
pub(super) struct PreparedJob {
    spawn: Spawn,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

/// Who becomes the job.
enum Spawn {
    /// A process that is yet to be made.
    Untraced(Box<Command>),
    /// One that waits.
    Traced(TracedSpawn),
}

impl PreparedJob {
    /// A job with nothing to read and its own process group, that is traced by this means.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn make(argv: &[OsString], trace: Trace) -> io::Result<Self> {
        let (program, args) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let nothing = rustix::fs::openat(
            CWD,
            "/dev/null",
            OFlags::RDONLY | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        let (stdout, stdout_end) = stream()?;
        let (stderr, stderr_end) = stream()?;
        let mut command = Box::new(Command::new(program));
        command
            .args(args)
            .process_group(0)
            .stdin(nothing)
            .stdout(stdout_end)
            .stderr(stderr_end);
        let spawn = match trace {
            Trace::Ptrace => Spawn::Traced(TracedSpawn::make(&mut command, Means::Ptrace)?),
            Trace::Notify => Spawn::Traced(TracedSpawn::make(&mut command, Means::Notify)?),
            Trace::None => Spawn::Untraced(command),
        };
        Ok(Self {
            spawn,
            stdout,
            stderr,
        })
    }

    /// Lets the job begin. The ends of its streams are its own from here on.
    pub fn go(self) -> Result<StartedJob, End> {
        let Self {
            spawn,
            stdout,
            stderr,
        } = self;
        let began = match spawn {
            Spawn::Untraced(mut command) => command.spawn().map(|child| (number(child.id()), None)),
            Spawn::Traced(held) => held.go().map(|(pid, tracing)| (pid, Some(tracing))),
        };
        let (pid, tracing) = began.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => End::Missing(error.to_string()),
            _ => End::NotStarted(error.to_string()),
        })?;
        Ok(StartedJob {
            pid,
            stdout,
            stderr,
            tracing,
        })
    }
}

fn number(of: u32) -> Pid {
    i32::try_from(of)
        .ok()
        .and_then(Pid::from_raw)
        .expect("a child has a number")
}

/// Our end of a stream, which never waits, and the job's.
fn stream() -> io::Result<(OwnedFd, Stdio)> {
    let (ours, theirs) = io::pipe()?;
    rustix::fs::fcntl_setfl(&ours, OFlags::NONBLOCK)?;
    Ok((ours.into(), theirs.into()))
}
