//! `git reins textconv`: prints a ledger line by line for `git diff`.

use std::path::PathBuf;

use clap::Args;

use super::{Answer, Failure};
use crate::install::setup::SAID_TEXT;
use crate::ledger::lines::lines;
use crate::sys::{files, invocation};

/// Print a ledger line by line; git runs this when `git reins setup --textconv` told it to
#[derive(Debug, Args)]
#[command(hide = true)]
pub struct Textconv {
    /// The ledger
    #[arg(value_name = "FILE", allow_hyphen_values = true)]
    file: PathBuf,
}

impl Textconv {
    /// Prints it, and the word behind which nothing is missing.
    ///
    /// # Errors
    /// When it is no ledger: it is shown as it is then.
    pub fn run(&self) -> Result<Answer, Failure> {
        // git runs it in the top level, whatever GIT_PREFIX says
        let here = invocation::here().map_err(|error| Failure::new(error.to_string()))?;
        let read =
            files::read(&here.join(&self.file)).map_err(|error| Failure::new(error.to_string()))?;
        let lines = read
            .as_deref()
            .and_then(lines)
            .ok_or_else(|| Failure::new("this is no ledger"))?;
        Ok(Answer::done(lines + SAID_TEXT, ""))
    }
}
