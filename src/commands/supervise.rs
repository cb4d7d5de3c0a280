//! `git reins supervise`: watches one job; this program starts itself with it.

use std::ffi::OsString;

use clap::Args;

use super::{Answer, Failure};
use crate::sandbox::escape_probe::{Attempt, attempt};
use crate::sandbox::plan::Plan;
use crate::sandbox::supervise::supervise;

/// Runs one job and ends everything that it started; git reins starts this itself
#[derive(Debug, Args)]
#[command(hide = true)]
pub struct Supervise {
    /// What to do, in JSON, which may be in pieces
    #[arg(long, value_name = "JSON", required_unless_present = "attempt")]
    plan: Vec<String>,
    /// What to try as a job, in JSON
    #[arg(long, value_name = "JSON", value_parser = read, conflicts_with = "plan")]
    attempt: Option<Attempt>,
    /// The job
    #[arg(last = true, required_unless_present = "attempt", value_name = "ARGV")]
    argv: Vec<OsString>,
}

fn read(orders: &str) -> Result<Attempt, serde_json::Error> {
    serde_json::from_str(orders)
}

impl Supervise {
    /// Supervises. The report is printed on the way, since its reader waits for the first line.
    ///
    /// # Errors
    /// When this process cannot be made fit for it.
    pub fn run(&self) -> Result<Answer, Failure> {
        if let Some(orders) = &self.attempt {
            let reached = serde_json::to_string(&attempt(orders));
            return Ok(Answer::done(
                reached.map_err(|error| Failure::new(error.to_string()))?,
                "",
            ));
        }
        let plan =
            Plan::read(&self.plan).map_err(|error| Failure::new(format!("no plan: {error}")))?;
        let done = supervise(&plan, &self.argv);
        done.map_err(|error| Failure::new(format!("the job cannot be watched: {error}")))?;
        Ok(Answer::done("", ""))
    }
}
