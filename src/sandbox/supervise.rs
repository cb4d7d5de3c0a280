//! Supervises one job from start to end, so that no process outlives it.
//!
//! The supervisor is a process of its own, this program started again for one job. It holds the
//! reading end of a pipe whose writing end only its parent has: when the parent dies, however it
//! dies, the pipe ends and so does the job. It adopts every orphan of the job, so that it knows
//! when nothing is left. Its environment and working directory are the job's.
//!
//! It says one line a stage: [`APART`], [`LAYERED`], [`FENCED`], [`STARTED`]. Whatever else it says in place
//! of one of them is the reason why it stopped there, and then the job was not begun.
#![expect(
    clippy::disallowed_methods,
    reason = "sandbox::supervise lists descriptors"
)]

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::BorrowedFd;
use std::time::Instant;

use rustix::io::Errno;

use super::descendants;
use super::fence;
use super::plan::{APART, FENCED, LAYERED, Plan, STARTED};
use super::start::PreparedJob;
use super::watch::{Signals, Watch};
use crate::model::run::{End, Kept, Ran};
use crate::model::trial::Trace;

/// Runs the job, and prints on stdout how it ended. Nothing is printed when the parent is gone.
/// A job whose layer cannot be laid, or whose fence does not stand, is not begun.
///
/// # Errors
/// When this process cannot be made fit to supervise.
pub fn supervise(plan: &Plan, argv: &[OsString]) -> io::Result<()> {
    let _leader = rustix::process::setsid(); // no terminal, and Ctrl-C reaches only our parent
    keep_descriptors()?;
    // before anything that would make a thread, or hide this process from itself
    match prepare(plan)? {
        Stage::Ready => watch(plan, argv),
        Stage::Over => Ok(()),
    }
}

/// How far a process has come.
enum Stage {
    /// The job can begin.
    Ready,
    /// It cannot, or did so under another process.
    Over,
}

/// Does all that has to stand before a job begins, and says so stage by stage.
fn prepare(plan: &Plan) -> io::Result<Stage> {
    let entered = match plan.fence.as_ref().map(fence::setup::enter).transpose() {
        Ok(Some(None)) => return Ok(Stage::Over),
        Ok(entered) => entered.flatten(),
        Err(error) => return say(&error.to_string()).map(|()| Stage::Over),
    };
    if entered.is_some() {
        say(APART)?;
    }
    if let Some(layer) = &plan.layer {
        match layer.overlay.enter(&layer.dir) {
            Ok(()) => say(LAYERED)?,
            Err(error) => return say(&error.to_string()).map(|()| Stage::Over),
        }
    }
    if let Some(entered) = entered {
        match fence::setup::raise(&entered, plan.layer.as_ref()) {
            Ok(()) => {} // it is said once the job is held, too
            Err(error) => return say(&error.to_string()).map(|()| Stage::Over),
        }
    }
    Ok(Stage::Ready)
}

/// Begins the job, and says how it ended.
fn watch(plan: &Plan, argv: &[OsString]) -> io::Result<()> {
    descendants::adopt()?;
    let signals = Signals::watch()?;
    let ready = PreparedJob::make(
        argv,
        plan.fence
            .as_ref()
            .map_or(Trace::None, |fence| fence.means.trace),
    );
    match &ready {
        Ok(_) if plan.fence.is_some() => say(FENCED)?,
        Err(error) if plan.fence.is_some() => {
            return say(&format!("the job cannot be traced: {error}"));
        }
        Ok(_) | Err(_) => {}
    }
    let began = Instant::now();
    let started = ready
        .map_err(|error| End::NotStarted(error.to_string()))
        .and_then(PreparedJob::go);
    say(STARTED)?;
    let ran = match started {
        Ok(job) => Watch::new(job, signals, plan.limits.output).run(began, plan.limits.budget)?,
        Err(end) => Some(Ran {
            end,
            leaked: 0,
            survivors: 0,
            stdout: Kept::default(),
            stderr: Kept::default(),
            wall_ms: 0,
            cpu_ms: None,
            opened: None,
            untraced: Some("it was not begun".to_owned()),
        }),
    };
    if let Some(ran) = ran {
        let mut report = io::stdout().lock();
        serde_json::to_writer(&mut report, &ran)?;
        report.flush()?;
    }
    Ok(())
}

/// Tells the parent at once.
fn say(words: &str) -> io::Result<()> {
    let mut report = io::stdout().lock();
    report.write_all(words.as_bytes())?;
    report.flush()
}

/// Nothing that our caller left open reaches the job, nor do our own pipes.
#[expect(
    unsafe_code,
    reason = "a descriptor that we did not open can only be named by its number"
)]
fn keep_descriptors() -> io::Result<()> {
    let dir = if cfg!(target_os = "linux") {
        "/proc/self/fd"
    } else {
        "/dev/fd"
    };
    let names: Vec<_> = std::fs::read_dir(dir)?
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    for number in names
        .iter()
        .filter_map(|name| name.to_str()?.parse::<i32>().ok())
    {
        // SAFETY: only a flag of an entry in our own table is set, and the borrow ends here; the
        // number of the listing itself, closed by now, is answered with EBADF
        let fd = unsafe { BorrowedFd::borrow_raw(number) };
        match rustix::io::fcntl_setfd(fd, rustix::io::FdFlags::CLOEXEC) {
            Ok(()) | Err(Errno::BADF) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}
