//! How does a program that nobody trusts run, and how is it ended? No isolation yet: what it may
//! reach, it reaches.

mod begin;
mod descendants;
mod difference;
pub mod environment;
pub mod fence;
pub mod interrupt;
pub mod layer;
pub mod overlay;
pub mod plan;
pub mod probe;
mod replica;
pub mod run;
pub mod supervise;
pub mod trace;
mod watch;
