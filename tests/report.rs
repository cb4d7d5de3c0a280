//! What does a reviewer read, in every format, and do the readers of these formats take it?
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]

#[path = "support/schema.rs"]
mod schema;
#[path = "support/story.rs"]
#[expect(dead_code, reason = "what the tests of the gate ask for")]
mod story;
#[expect(dead_code, reason = "what the tests of the writing commands ask for")]
mod support;

mod report {
    use crate::story;

    mod consumers;
    mod forecast;
    mod formats;
    mod hostile;
    mod output;
    mod scenes;
    #[path = "../gate/trial.rs"]
    #[expect(dead_code, reason = "what the tests of the gate ask for")]
    mod trial;
}
