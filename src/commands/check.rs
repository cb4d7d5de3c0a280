//! `git reins check`

use clap::Args;

use super::{Answer, Context, Failure, evaluate};
use crate::decide::admit;

/// Check whether the ledgers of a range agree: form, pins, and order before the patch
///
/// Reads commits only, never the worktree. Exit 0 when nothing stands against the range, 1 when a
/// rule is broken, 3 when a person has to look, 128 when nothing can be decided.
#[derive(Debug, Args)]
pub struct Check {
    /// The candidate, or a range [default: HEAD against the protected line]
    #[arg(value_name = "REV|BASE..TIP")]
    range: Option<String>,
    /// The line that the range would land on [default: found by the default branch of the remote]
    #[arg(long, value_name = "REF")]
    line: Option<String>,
    /// Print the decision as JSON
    #[arg(long)]
    pub json: bool,
}

impl Check {
    /// Decides.
    ///
    /// # Errors
    /// When nothing can be decided.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let range = evaluate::Range::parse(self.range.as_deref())?.on(self.line.as_deref());
        let form = evaluate::Form {
            admitted: "agree",
            as_json: self.json,
        };
        let evaluation = evaluate::evaluation(context, &range, context.today)?;
        Ok(evaluate::answer(&admit::check(&evaluation)?, form))
    }
}
