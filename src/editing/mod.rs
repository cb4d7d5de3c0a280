//! Edits the ledgers of a worktree: pure edits, a printable plan, a person's commit.
//!
//! No verdict is made here: what is written is judged later, from commits.

pub mod evidence;
pub mod fixture;
pub mod freeze;
pub mod judged;
pub mod landing;
pub mod ledger_worktree;
pub mod oracle;
pub mod plan;
pub mod start;
pub mod witness;

use crate::exit::{Explained, Explanation};
use crate::model::refusal::Code;

/// An edit that is not made, why, and what would help.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// Why not.
    pub message: String,
    /// The code of the rule that the result would break, when there is one.
    pub code: Option<Code>,
    /// A command or edit that helps.
    pub fix: Option<String>,
}

impl Refused {
    /// A refusal without a code and without a fix.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: None,
            fix: None,
        }
    }

    /// Names the rule.
    pub fn code(mut self, code: Code) -> Self {
        self.code = Some(code);
        self
    }

    /// Says what helps.
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}

impl Explained for Refused {
    fn explain(&self) -> Explanation {
        Explanation {
            code: self.code,
            fix: self.fix.clone(),
            ..Explanation::refused()
        }
    }
}
