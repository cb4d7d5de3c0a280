//! Is every file that a job opens seen, and nothing told that is not known? With real programs under
//! the real supervisor, by both means, and against another tracer.
#![cfg(all(feature = "sandbox", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests make files and programs by themselves"
)]

#[path = "tracing/against.rs"]
mod against;
#[path = "tracing/around.rs"]
mod around;
#[path = "tracing/opens.rs"]
mod opens;
#[path = "tracing/processes.rs"]
mod processes;
#[path = "tracing/scene.rs"]
mod scene;
