//! Follows a running job and collects the files that its threads open.

use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::signal::{SigSet, Signal};
use rustix::process::{Pid, WaitOptions, WaitStatus};

use super::notify::Listener;
use super::ptrace::Tracer;
use super::touches::Touches;
use crate::model::run::Touch;

/// How the supervisor waits: for threads too (`__WALL`), which stop one by one.
pub const WAIT: WaitOptions =
    WaitOptions::from_bits_retain(WaitOptions::NOHANG.bits() | 0x4000_0000);

/// A job that is watched while it opens files.
#[derive(Debug)]
pub struct Tracing {
    pub(super) mechanism: Mechanism,
    pub(super) touches: Touches,
}

/// The way in which opened files are seen.
#[derive(Debug)]
pub(super) enum Mechanism {
    Tracer(Tracer),
    Listener(Listener),
}

impl Tracing {
    /// A thread has stopped.
    pub fn stopped(&mut self, pid: Pid, status: WaitStatus) {
        match &mut self.mechanism {
            Mechanism::Tracer(tracer) => tracer.stopped(pid, status, &mut self.touches),
            Mechanism::Listener(_) => {} // nobody else's children are waited for while they stop
        }
    }

    /// A thread or process has ended.
    pub fn ended(&mut self, pid: Pid) {
        match &mut self.mechanism {
            Mechanism::Tracer(tracer) => tracer.ended(pid),
            Mechanism::Listener(_) => {}
        }
    }

    /// Sleeps. Only meanwhile a signal says that a thread has stopped: whoever is awake asks, and a signal
    /// for each stop would cost more than that. One that came before is not lost.
    pub fn sleep<T>(&self, sleep: impl FnOnce() -> T) -> T {
        let Mechanism::Tracer(_) = &self.mechanism else {
            return sleep();
        };
        let stops = SigSet::from(Signal::SIGCHLD);
        let _only_bad_numbers_fail = stops.thread_unblock();
        let slept = sleep();
        let _only_bad_numbers_fail = stops.thread_block();
        slept
    }

    /// What to sleep on beside the signals.
    pub fn listener(&self) -> Option<BorrowedFd<'_>> {
        match &self.mechanism {
            Mechanism::Tracer(_) => None,
            Mechanism::Listener(listener) => listener.is_open().then(|| listener.as_fd()),
        }
    }

    /// Answers what waits at the listener.
    pub fn serve(&mut self) {
        match &mut self.mechanism {
            Mechanism::Tracer(_) => {}
            Mechanism::Listener(listener) => listener.serve(&mut self.touches),
        }
    }

    /// What was opened, sorted, or why that is not known.
    ///
    /// # Errors
    /// When it is not known.
    pub fn told(self) -> Result<Vec<Touch>, String> {
        self.touches.told()
    }
}
