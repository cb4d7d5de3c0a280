//! Prints the answer. No other module prints.

use std::io::{self, IsTerminal, Write};

/// Prints talk to stderr, then data to stdout, and flushes.
///
/// # Errors
/// When stdout takes less than all bytes (closed pipe, full disk): the caller has no answer then.
/// A stderr that is gone loses talk only.
pub fn print(stdout: &str, stderr: &str) -> io::Result<()> {
    say(stderr);
    let mut out = io::stdout().lock();
    out.write_all(stdout.as_bytes())?;
    out.flush()
}

/// Prints talk to stderr; a stderr that is gone loses it.
pub fn say(text: &str) {
    let _lost = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether somebody sees what is said while it is said.
pub fn is_watched() -> bool {
    io::stderr().is_terminal()
}
