//! How does a decision read, for a person and for a program?

pub mod adjudications;
pub mod changes;
pub mod json;
pub mod markdown;
pub mod push;
pub mod replays;
pub mod text;
pub mod trials;
