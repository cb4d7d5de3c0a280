//! `git reins supervise`: how does this program watch one job, started again by itself?

use std::ffi::OsString;

use clap::Args;

use super::{Answer, Failure};
use crate::sandbox::plan::Plan;
use crate::sandbox::supervise::supervise;

/// Runs one job and ends everything that it started; git reins starts this itself
#[derive(Debug, Args)]
#[command(hide = true)]
pub struct Supervise {
    /// What to do, in JSON
    #[arg(long, value_name = "JSON", value_parser = read)]
    plan: Plan,
    /// The job
    #[arg(last = true, required = true, value_name = "ARGV")]
    argv: Vec<OsString>,
}

fn read(plan: &str) -> Result<Plan, serde_json::Error> {
    serde_json::from_str(plan)
}

impl Supervise {
    /// Supervises. The report is printed on the way, since its reader waits for the first line.
    ///
    /// # Errors
    /// When this process cannot be made fit for it.
    pub fn run(&self) -> Result<Answer, Failure> {
        let done = supervise(&self.plan, &self.argv);
        done.map_err(|error| Failure::new(format!("the job cannot be watched: {error}")))?;
        Ok(Answer::done("", ""))
    }
}
