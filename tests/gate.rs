//! The commands that judge, `check` and `admit`, on real repositories with the real binary.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]

#[path = "support/schema.rs"]
mod schema;
#[path = "support/story.rs"]
mod story;
#[expect(dead_code, reason = "what the tests of the writing commands ask for")]
mod support;

mod gate {
    use crate::story;

    mod again;
    mod articles;
    mod broken;
    mod crafted;
    mod evasions;
    mod fixes;
    mod healthy;
    mod odd;
    mod places;
    mod refusals;
    mod shapes;
    mod trial;
    mod trials;
}
