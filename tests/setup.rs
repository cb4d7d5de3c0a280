//! Does git show and merge ledgers by row when it was told to, and as text when the program that it
//! was told to run is gone? With the pages and completions that go with it.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene fails")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]

mod support;

#[path = "models/dice.rs"]
mod dice;
#[path = "support/story.rs"]
#[expect(dead_code, reason = "a part of it is told here")]
mod story;

mod setup {
    mod clone;
    mod lost;
    mod merges;
    mod model;
    mod pages;
    mod programs;
    mod reading;
}
