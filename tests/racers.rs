//! Do folds that race each other and the person, or are killed at any moment, ever lose a verdict?
//!
//! The usual run is a short one. `cargo test --release --test racers -- --ignored --nocapture` runs
//! the full counts and prints what came out.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]
#![expect(clippy::print_stdout, reason = "the full counts say what came out")]

#[expect(dead_code, reason = "nobody here writes ledgers")]
mod support;

mod racers {
    mod folds;
    mod ground;
    mod kills;
    mod person;
    mod reverify;
}
