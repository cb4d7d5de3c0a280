//! `git reins supervise`: how does this program watch one job, started again by itself?

use std::ffi::OsString;

use clap::Args;
use serde::de::DeserializeOwned;

use super::{Answer, Failure};
use crate::sandbox::attempt::{Attempt, attempt};
use crate::sandbox::plan::Plan;
use crate::sandbox::supervise::supervise;

/// Runs one job and ends everything that it started; git reins starts this itself
#[derive(Debug, Args)]
#[command(hide = true)]
pub struct Supervise {
    /// What to do, in JSON
    #[arg(long, value_name = "JSON", value_parser = read::<Plan>, required_unless_present = "attempt")]
    plan: Option<Plan>,
    /// What to try as a job, in JSON
    #[arg(long, value_name = "JSON", value_parser = read::<Attempt>, conflicts_with = "plan")]
    attempt: Option<Attempt>,
    /// The job
    #[arg(last = true, required_unless_present = "attempt", value_name = "ARGV")]
    argv: Vec<OsString>,
}

fn read<T: DeserializeOwned>(orders: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(orders)
}

impl Supervise {
    /// Supervises. The report is printed on the way, since its reader waits for the first line.
    ///
    /// # Errors
    /// When this process cannot be made fit for it.
    pub fn run(&self) -> Result<Answer, Failure> {
        if let Some(plan) = &self.plan {
            let done = supervise(plan, &self.argv);
            done.map_err(|error| Failure::new(format!("the job cannot be watched: {error}")))?;
        }
        let reached = self.attempt.as_ref().map(|orders| serde_json::to_string(&attempt(orders)));
        let reached = reached.transpose().map_err(|error| Failure::new(error.to_string()))?;
        Ok(Answer::done(reached.unwrap_or_default(), ""))
    }
}
