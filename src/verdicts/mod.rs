//! What becomes of verdict directories: which are run again, and what is written beside them?

pub mod past;
pub mod reverify;
