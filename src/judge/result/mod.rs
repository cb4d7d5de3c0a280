//! Reads what a result file says about the tests that ran.
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
use crate::presets::ResultFormat;

/// The largest result file that is read, in bytes.
pub const MAX_BYTES: usize = 32 << 20;

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
pub fn read(format: ResultFormat, bytes: &[u8], seed: &str) -> Result<Counts, Unreadable> {
    if bytes.len() > MAX_BYTES {
        return Err(Unreadable(format!(
            "{} bytes, more than {MAX_BYTES}",
            bytes.len()
        )));
    }
    match format {
        ResultFormat::Junit => junit::read(text(bytes)?),
        ResultFormat::Tap => tap::read(text(bytes)?),
        ResultFormat::Jsonl => jsonl::read(text(bytes)?, seed),
        ResultFormat::Go => go::read(text(bytes)?),
        ResultFormat::Jest => jest::read(bytes),
    }
}

fn text(bytes: &[u8]) -> Result<&str, Unreadable> {
    std::str::from_utf8(bytes).map_err(Unreadable::because)
}
