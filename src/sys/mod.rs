//! The windows to the machine other than git: files, digests, clock, caller, runner image, output.

pub mod caller;
pub mod clock;
pub mod deposit;
pub mod files;
pub mod folder;
pub mod foreign;
pub mod hash;
pub mod image;
pub mod life;
pub mod listing;
pub mod memory;
pub mod out;
pub mod process;
pub mod removal;
pub mod scratch;
pub mod seal;
