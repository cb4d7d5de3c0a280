//! Real pushes between real repositories: which of them does the hook let through, and what does it say?
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]

#[path = "support/pushing.rs"]
mod pushing;
#[path = "support/story.rs"]
#[expect(dead_code, reason = "what the tests of the judging commands ask for")]
mod story;
#[expect(dead_code, reason = "what the tests of the writing commands ask for")]
mod support;

mod hooks {
    mod by_hand;
    mod clones;
    mod lines;
    mod policy;
    mod refs;
    mod shapes;
    mod unseen;
}
