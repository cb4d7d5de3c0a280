//! Records the files that a job opens, while its threads open them.

mod fd_passing;
mod filter;
mod notify;
mod ptrace;
mod touches;
mod traced_spawn;
mod tracing;

pub use filter::Means;
pub use traced_spawn::TracedSpawn;
pub use tracing::{Tracing, WAIT};
