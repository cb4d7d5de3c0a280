//! `git reins supervise`: how does this program watch one job, started again by itself?

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{Answer, Failure};
use crate::sandbox::overlay::Overlay;
use crate::sandbox::supervise::{Ground, Limits, supervise};

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
    /// The directory of an overlay to mount for the job
    #[arg(long, value_name = "DIR", requires_all = ["lower", "dir"])]
    overlay: Option<PathBuf>,
    /// The tree below the overlay
    #[arg(long, value_name = "DIR", requires = "overlay")]
    lower: Option<PathBuf>,
    /// Where the job begins, once the overlay is mounted
    #[arg(long, value_name = "DIR", requires = "overlay")]
    dir: Option<PathBuf>,
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
        let ground = match (&self.overlay, &self.lower, &self.dir) {
            (Some(run), Some(lower), Some(dir)) => {
                let overlay = Overlay { lower: lower.clone(), run: run.clone() };
                Some(Ground { overlay, dir: dir.clone() })
            }
            _ => None, // the arguments are required together
        };
        let done = supervise(limits, ground.as_ref(), &self.argv);
        done.map_err(|error| Failure::new(format!("the job cannot be watched: {error}")))?;
        Ok(Answer::done("", ""))
    }
}
