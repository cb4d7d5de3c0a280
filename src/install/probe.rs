//! Answers the question of `git reins doctor` whether a hook leads to this program.

use super::Event;
use crate::sys::{invocation, out};

/// The variable that asks a hook to say that it is ours; it changes nothing else.
pub const VARIABLE: &str = "GIT_REINS_PROBE";

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Says who answers when `doctor` asks; `hook run` does so first.
pub fn answer(event: Event) {
    if let Some(word) = invocation::probe(VARIABLE) {
        out::say(&(line(&word, event) + "\n"));
    }
}

/// The line that answers the question `word`.
pub fn line(word: &str, event: Event) -> String {
    format!("git-reins {VERSION} answers {word} for {}", event.name())
}
