//! Which numbers does the command leave with?

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
