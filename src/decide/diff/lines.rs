//! Steps through the lines of a patch and counts them.

use super::fault::{DiffFault, Problem};

/// The lines of a patch, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(patch: &'a [u8]) -> Self {
        Self {
            rest: patch,
            number: 1,
        }
    }

    /// The next line without its newline, and left where it is.
    pub(super) fn peek(&self) -> Option<&'a [u8]> {
        (!self.rest.is_empty()).then(|| {
            self.rest
                .split(|byte| *byte == b'\n')
                .next()
                .unwrap_or_default()
        })
    }

    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        let line = self.peek()?;
        self.rest = &self.rest[(line.len() + 1).min(self.rest.len())..];
        self.number += 1;
        Some(line)
    }

    /// The next line when it starts with `prefix`: what follows the prefix.
    pub(super) fn next_after(&mut self, prefix: &str) -> Option<&'a [u8]> {
        let rest = self.peek()?.strip_prefix(prefix.as_bytes())?;
        self.next();
        Some(rest)
    }

    /// Something is wrong with the next line.
    pub(super) fn fault(&self, problem: Problem) -> DiffFault {
        DiffFault {
            line: self.number,
            problem,
        }
    }

    /// Something is wrong with the line that was just read.
    pub(super) fn fault_before(&self, problem: Problem) -> DiffFault {
        DiffFault {
            line: self.number - 1,
            problem,
        }
    }
}
