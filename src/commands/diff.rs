//! `git reins diff`

use clap::{Args, ValueEnum};

use super::{Answer, Context, Failure};
use crate::evidence::change::{Span, of_span};
use crate::exit::ExitStatus;
use crate::model::change::Changes;
use crate::report::{changes, json};

/// Show what changed in the ledgers and in the policy in meaning, what is weaker first
///
/// A..B compares two commits, A...B what B changed since it left A, as in git diff. One REV is
/// compared with where it left the protected line, as check looks at it; without one, HEAD is. An
/// empty side means HEAD. Commits are read, never the worktree.
///
/// What weakens what a patch is held to comes first, marked with !: sees_diff cleared, an expiry
/// extended, a freeze added, a property removed or edited, an owner, digest or image changed, a
/// setting of the policy relaxed. A change of which nobody can say the direction counts as one.
///
/// Exit 0, with --exit-code 1 when something is weaker, 128 when a side cannot be read.
#[derive(Debug, Args)]
pub struct Diff {
    /// What is compared [default: HEAD with where it left the protected line]
    #[arg(value_name = "A..B|A...B|REV")]
    range: Option<String>,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "json")]
    format: Format,
    /// Print the changes as JSON
    #[arg(long)]
    pub json: bool,
    /// Leave with 1 when something is weaker
    #[arg(long)]
    exit_code: bool,
}

/// How the changes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// For a comment on a forge
    Markdown,
}

impl Diff {
    /// Compares.
    ///
    /// # Errors
    /// When the repository cannot answer, or a side cannot be read.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let repo = context.repo()?;
        let changes = of_span(&repo, span(self.range.as_deref()))?;
        let status = match self.exit_code && changes.weakened > 0 {
            true => ExitStatus::Refused,
            false => ExitStatus::Done,
        };
        Ok(Answer {
            status,
            stdout: self.told(&changes),
            stderr: String::new(),
        })
    }

    fn told(&self, changes: &Changes) -> String {
        match (self.json, self.format) {
            (true, _) => json::print(changes),
            (false, Format::Text) => changes::text(changes),
            (false, Format::Markdown) => changes::markdown(changes),
        }
    }
}

/// What was asked for; an empty side means HEAD, as in git.
fn span(range: Option<&str>) -> Span<'_> {
    fn side(name: &str) -> &str {
        if name.is_empty() { "HEAD" } else { name }
    }
    let Some(range) = range else {
        return Span::Candidate(None);
    };
    if let Some((one, other)) = range.split_once("...") {
        return Span::Fork(side(one), side(other));
    }
    match range.split_once("..") {
        Some((one, other)) => Span::Ends(side(one), side(other)),
        None => Span::Candidate(Some(side(range))),
    }
}
