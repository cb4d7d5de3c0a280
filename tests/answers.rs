//! Shows every answer of every command as one whole text for each state of a repository: a change of
//! a message is seen in each place where a user reads it.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]

#[path = "support/naming.rs"]
mod naming;
#[path = "support/story.rs"]
#[expect(dead_code, reason = "the other tests use the rest of it")]
mod story;
#[expect(dead_code, reason = "the other tests use the rest of it")]
mod support;

mod answers {
    mod help;
    mod states;
    mod transcript;
}
