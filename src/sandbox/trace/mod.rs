//! Records the files that a job opens. Unknown is never reported as none.
//!
//! A job is held before its program runs, and watched from there to its end. It begins by the
//! means that is wanted or not at all: to fall back is the matter of the probe.

#[cfg(not(all(
    feature = "sandbox",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
mod absent;
#[cfg(all(
    feature = "sandbox",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod linux;
pub mod probe;

#[cfg(not(all(
    feature = "sandbox",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
pub(super) use absent::{Means, TracedSpawn, Tracing, WAIT};
#[cfg(all(
    feature = "sandbox",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
pub(super) use linux::{Means, TracedSpawn, Tracing, WAIT};
