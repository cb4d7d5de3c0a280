//! Names the reason why a patch is not read, and the line.

use crate::model::path::PathError;

/// A patch that is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the patch: {problem}")]
pub struct DiffFault {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It says nothing.
    #[error("nothing is changed")]
    NoChange,
    /// A merge's diff, which cannot be applied.
    #[error("a combined diff of a merge cannot be applied")]
    Combined,
    /// Something that git takes for a change, outside a `diff --git` section.
    #[error("a change outside a 'diff --git' section")]
    Stray,
    /// `Binary files differ`, without the bytes.
    #[error("a binary change without its bytes (make the patch with --binary)")]
    BinaryWithoutBytes,
    /// The bytes of a binary change are not in git's form.
    #[error("binary bytes that are not in git's form")]
    BinaryShape,
    /// A header with a carriage return.
    #[error("a header line that ends in CR LF: the patch was rewritten on its way")]
    HeaderCrLf,
    /// A header that is no such header, stands twice, or contradicts another.
    #[error("{0}")]
    Header(&'static str),
    /// A name that is not written as git writes names.
    #[error("{0}")]
    Name(&'static str),
    /// A name that is no safe path.
    #[error(transparent)]
    UnsafePath(#[from] PathError),
    /// A hunk whose header or lines are not what they have to be.
    #[error("{0}")]
    Hunk(&'static str),
}
