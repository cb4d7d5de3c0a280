//! Reaches the machine other than git: files, digests, clock, invocation, runner image, output.

pub mod atomic_dir;
pub mod clock;
pub mod dir_lease;
pub mod files;
pub mod folder;
pub mod hash;
pub mod image;
pub mod invocation;
pub mod listing;
pub mod memory;
pub mod out;
pub mod process;
pub mod removal;
pub mod scratch;
pub mod tree_snapshot;
pub mod untrusted_dir;
