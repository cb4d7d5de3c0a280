//! Do we work beside GitReins in one repository? An unmodified one from its registry writes verdicts
//! without a model; we adjudicate and fold them, and what is its own stays as it was, byte for byte.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene fails")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]

#[path = "support/pushes.rs"]
mod pushes;
#[expect(dead_code, reason = "this story needs a part of it")]
mod support;
#[path = "support/tools.rs"]
mod tools;

mod beside {
    mod folds;
    mod installers;
    mod scene;
}
