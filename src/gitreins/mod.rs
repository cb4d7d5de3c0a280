//! Reads the verdict files of GitReins leniently.
//!
//! Read leniently means: what is unknown is left out, and what has another shape than expected is
//! kept as exactly that. Nothing here calls anything a pass.

pub mod json;
pub mod verdict;
