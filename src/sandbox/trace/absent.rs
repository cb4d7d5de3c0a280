//! Stands in for tracing in a build or on a system without it.

use std::convert::Infallible;
use std::io;
use std::os::fd::BorrowedFd;
use std::process::Command;

use rustix::process::{Pid, WaitOptions, WaitStatus};

use crate::model::run::Touch;

/// How the supervisor waits.
pub const WAIT: WaitOptions = WaitOptions::NOHANG;

/// By what a job is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// By a tracer.
    Ptrace,
    /// By a listener.
    Notify,
}

/// There is none.
#[derive(Debug)]
pub struct TracedSpawn(Infallible);

impl TracedSpawn {
    /// Makes none.
    ///
    /// # Errors
    /// Always.
    pub fn make(_: &mut Command, _: Means) -> io::Result<Self> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this build sees no paths",
        ))
    }

    /// Is not reached.
    ///
    /// # Errors
    /// Never.
    pub fn go(self) -> io::Result<(Pid, Tracing)> {
        match self.0 {}
    }
}

/// There is none.
#[derive(Debug)]
pub struct Tracing(Infallible);

impl Tracing {
    /// Is not reached.
    pub fn stopped(&mut self, _: Pid, _: WaitStatus) {
        match self.0 {}
    }

    /// Is not reached.
    pub fn ended(&mut self, _: Pid) {
        match self.0 {}
    }

    /// Is not reached.
    pub fn sleep<T>(&self, _: impl FnOnce() -> T) -> T {
        match self.0 {}
    }

    /// Is not reached.
    pub fn listener(&self) -> Option<BorrowedFd<'_>> {
        match self.0 {}
    }

    /// Is not reached.
    pub fn serve(&mut self) {
        match self.0 {}
    }

    /// Is not reached.
    ///
    /// # Errors
    /// Never.
    pub fn told(self) -> Result<Vec<Touch>, String> {
        match self.0 {}
    }
}
