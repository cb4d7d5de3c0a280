//! Reads a patch: the paths it changes, the kind of each change and the lines it adds.
//!
//! Git alone decides whether a patch applies. This reader is stricter than git: a line that git
//! would take for the start of another change, and that is none here, refuses the patch, so
//! nothing is applied that was not read.

mod body;
mod change;
mod fault;
mod header;
mod lines;
mod name;
mod parse;
#[cfg(test)]
mod tests;

pub use change::{AddedLine, Change, ChangeKind, Diff, Mode, Side};
pub use fault::{DiffFault, Problem};
pub use parse::parse;

/// Whether a patch is empty or nothing but white space: there is nothing to judge.
pub fn is_blank(patch: &[u8]) -> bool {
    patch.iter().all(u8::is_ascii_whitespace)
}
