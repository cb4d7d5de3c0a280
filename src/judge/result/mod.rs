//! What does a result file say about the tests that ran?
//!
//! The file is written by the code under test: what is read here can only worsen an outcome. A
//! file that is not understood as a whole is unreadable, which is never a pass.

mod go;
mod jest;
mod jsonl;
mod junit;
mod tap;
#[cfg(test)]
mod tests;

use crate::decide::outcome::Counts;
use crate::policy::ResultFormat;

/// The largest result file that is read, in bytes.
pub const MAX_BYTES: usize = 32 << 20;

/// How results are written: what a policy can name, and what two presets know of their tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// JUnit XML: pytest, nextest, jest-junit, maven.
    Junit,
    /// Test Anything Protocol, 13 or 14.
    Tap,
    /// One JSON object a line, `{"seed": "7", "status": "pass"}`.
    Jsonl,
    /// The events of `go test -json`.
    Go,
    /// The report of `jest --json`.
    Jest,
}

impl From<ResultFormat> for Format {
    fn from(format: ResultFormat) -> Self {
        match format {
            ResultFormat::Junit => Self::Junit,
            ResultFormat::Tap => Self::Tap,
            ResultFormat::Jsonl => Self::Jsonl,
        }
    }
}

/// A result file that is not understood, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

impl Unreadable {
    fn because(fault: impl ToString) -> Self {
        Self(fault.to_string())
    }
}

/// Reads the results of one run with this seed.
///
/// # Errors
/// When the file is too large, or any part of it is not understood.
pub fn read(format: Format, bytes: &[u8], seed: &str) -> Result<Counts, Unreadable> {
    if bytes.len() > MAX_BYTES {
        return Err(Unreadable(format!(
            "{} bytes, more than {MAX_BYTES}",
            bytes.len()
        )));
    }
    match format {
        Format::Junit => junit::read(text(bytes)?),
        Format::Tap => tap::read(text(bytes)?),
        Format::Jsonl => jsonl::read(text(bytes)?, seed),
        Format::Go => go::read(text(bytes)?),
        Format::Jest => jest::read(bytes),
    }
}

fn text(bytes: &[u8]) -> Result<&str, Unreadable> {
    std::str::from_utf8(bytes).map_err(Unreadable::because)
}
