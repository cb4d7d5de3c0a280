//! How does a program that nobody trusts run, what may it reach, and how is it ended?

mod begin;
mod descendants;
mod difference;
pub mod environment;
pub mod escape_probe;
pub mod fence;
pub mod interrupt;
pub mod layer;
#[cfg(target_os = "linux")]
mod namespace;
pub mod overlay;
pub mod plan;
pub mod probe;
mod replica;
pub mod run;
pub mod supervise;
pub mod trace;
mod watch;
