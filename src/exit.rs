//! The exit status of a command, and what an error says about it: code, fix and status.

use std::error::Error;

use crate::model::refusal::Code;

/// The exit status of a command; the numbers are part of the contract.
///
/// | number | status | when |
/// |---|---|---|
/// | 0 | done | admitted, or what was asked for is done |
/// | 1 | refused | a rule is broken, or a command would not do what was asked; nothing has changed |
/// | 3 | held | nothing refuses, but a person or a later trial has to say more |
/// | 128 | undecided | no repository, unreadable object, shallow history, I/O, closed pipe |
/// | 129 | usage | the arguments make no sense |
/// | 130 | interrupted | Ctrl-C; what was running is ended, nothing is half done |
/// | 143 | terminated | the same, by SIGTERM or SIGHUP |
///
/// 101 is left to panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitStatus {
    /// Admitted, or done.
    Done = 0,
    /// Refused; nothing has changed.
    Refused = 1,
    /// Held: not mergeable yet.
    Held = 3,
    /// Nothing can be said; never 0.
    Undecided = 128,
    /// The arguments make no sense.
    Usage = 129,
    /// Ctrl-C.
    Interrupted = 130,
    /// Asked to end, or the terminal is gone.
    Terminated = 143,
}

impl ExitStatus {
    /// The status after a signal that asked us to stop.
    pub fn stopped_by(signal: i32) -> Self {
        if signal == signal_hook::consts::SIGINT {
            Self::Interrupted
        } else {
            Self::Terminated
        }
    }

    /// The number that the process leaves with.
    pub fn number(self) -> i32 {
        self as i32
    }
}

/// An error of an operation, with what a command answers when it ends with it.
pub trait Explained: Error {
    /// Code, fix and exit status.
    fn explain(&self) -> Explanation;

    /// The code of the rule, when there is one.
    fn code(&self) -> Option<Code> {
        self.explain().code
    }

    /// The command or edit that helps.
    fn fix(&self) -> Option<String> {
        self.explain().fix
    }

    /// The exit status.
    fn exit(&self) -> ExitStatus {
        self.explain().exit
    }
}

/// What a command answers when it ends with an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The message, when it is not that of the error.
    pub message: Option<String>,
    /// The code of the rule, when there is one.
    pub code: Option<Code>,
    /// The command or edit that helps.
    pub fix: Option<String>,
    /// The exit status.
    pub exit: ExitStatus,
}

impl Explanation {
    /// Nothing can be said: 128.
    pub fn undecided() -> Self {
        Self {
            message: None,
            code: None,
            fix: None,
            exit: ExitStatus::Undecided,
        }
    }

    /// Nothing is done: 1.
    pub fn refused() -> Self {
        Self {
            exit: ExitStatus::Refused,
            ..Self::undecided()
        }
    }

    /// Stopped by a signal.
    pub fn stopped(signal: i32, message: &str) -> Self {
        Self {
            message: Some(message.to_owned()),
            exit: ExitStatus::stopped_by(signal),
            ..Self::undecided()
        }
    }

    /// Names the rule.
    pub fn code(mut self, code: Code) -> Self {
        self.code = Some(code);
        self
    }

    /// Names what helps.
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}
