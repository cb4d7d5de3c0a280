//! Runs an untrusted program: its tree, its environment, its fence and its end.

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
mod start;
pub mod supervise;
pub mod trace;
mod watch;
