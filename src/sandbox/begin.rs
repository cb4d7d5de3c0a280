//! How does a job begin?
#![expect(clippy::disallowed_methods, reason = "sandbox::begin starts jobs")]

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::process::Pid;

use crate::model::run::End;

/// A job that has begun.
pub(super) struct Begun {
    pub pid: Pid,
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
}

/// Starts the job, with nothing to read and its own process group.
pub(super) fn start(argv: &[OsString]) -> Result<Begun, End> {
    let (program, args) = argv.split_first().ok_or_else(|| End::NotStarted("the command is empty".into()))?;
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => End::Missing(error.to_string()),
        _ => End::NotStarted(error.to_string()),
    })?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a child has a number");
    let stdout = child.stdout.take().expect("the stream is piped").into();
    let stderr = child.stderr.take().expect("the stream is piped").into();
    for stream in [&stdout, &stderr] {
        rustix::fs::fcntl_setfl(stream, rustix::fs::OFlags::NONBLOCK)
            .map_err(|errno| End::NotStarted(errno.to_string()))?;
    }
    Ok(Begun { pid, stdout, stderr })
}
