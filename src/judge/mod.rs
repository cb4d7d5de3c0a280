//! One trial: how a check is run, and what it left behind.

pub mod command;
pub mod harness;
pub mod result;
