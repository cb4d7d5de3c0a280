//! `git reins supervise`: how does this program watch one job, started again by itself?

use std::ffi::OsString;
use std::time::Duration;

use clap::Args;

use super::{Answer, Failure};
use crate::sandbox::supervise::{Limits, supervise};

/// Runs one job and ends everything that it started; git reins starts this itself
#[derive(Debug, Args)]
#[command(hide = true)]
pub struct Supervise {
    /// How long the job may run, in milliseconds
    #[arg(long, value_name = "MS")]
    budget_ms: u64,
    /// How many bytes it may print
    #[arg(long, value_name = "BYTES")]
    output: u64,
    /// The job
    #[arg(last = true, required = true, value_name = "ARGV")]
    argv: Vec<OsString>,
}

impl Supervise {
    /// Supervises. The report is printed on the way, since its reader waits for the first line.
    ///
    /// # Errors
    /// When this process cannot be made fit for it.
    pub fn run(&self) -> Result<Answer, Failure> {
        let limits = Limits { budget: Duration::from_millis(self.budget_ms), output: self.output };
        let done = supervise(limits, &self.argv);
        done.map_err(|error| Failure::new(format!("the job cannot be watched: {error}")))?;
        Ok(Answer::done("", ""))
    }
}
