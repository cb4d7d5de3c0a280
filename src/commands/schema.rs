//! `git reins schema`

use clap::Args;

use super::{Answer, Failure};
use crate::authoring::Refused;
use crate::ledger::schema::{NAMES, schema};

/// Print the JSON Schema of a file or an answer
#[derive(Debug, Args)]
pub struct Schema {
    /// The schema; a list of names when none is given
    name: Option<String>,
}

impl Schema {
    /// Prints it.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn run(&self) -> Result<Answer, Failure> {
        let Some(name) = &self.name else { return Ok(Answer::done(NAMES.join("\n") + "\n", "")) };
        let fix = format!("one of {}", NAMES.join(", "));
        let text =
            schema(name).ok_or_else(|| Refused::new(format!("there is no schema '{name}'")).fix(fix))?;
        Ok(Answer::done(text, ""))
    }
}
