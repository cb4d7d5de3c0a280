//! `git reins doctor`

use clap::Args;

use super::{Answer, Context, Failure};
use crate::exit::ExitStatus;
use crate::git::plumbing::GitPlace;
use crate::install::doctor::examine;
use crate::install::site::{InstallError, Site};
use crate::report::json;

/// Prove that a push from this clone is judged: run the real hook with empty input, look for faults
///
/// Leaves with 0 only when there is no fault. Each finding says what was seen, what was expected
/// and what mends it. Nothing is changed and nothing is pushed.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Answer in JSON
    #[arg(long)]
    pub json: bool,
}

impl Doctor {
    /// Looks.
    ///
    /// # Errors
    /// When there is no repository, or it does not say.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let place =
            GitPlace::find(&context.dir, context.git_dir.as_deref()).map_err(InstallError::from)?;
        let health = examine(&Site::look(&place)?)?;
        let status = if health.healthy {
            ExitStatus::Done
        } else {
            ExitStatus::Refused
        };
        let stdout = if self.json {
            json::print(&health)
        } else {
            health.text()
        };
        Ok(Answer {
            status,
            stdout,
            stderr: String::new(),
        })
    }
}
