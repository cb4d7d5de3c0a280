//! `git reins adjudicate` on verdicts of both generations, on trials, and on what is neither.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot build its verdicts fails"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]

#[expect(dead_code, reason = "what the tests of the other commands ask for")]
mod support;

mod adjudicating {
    mod answers;
    mod corpus;
    mod damage;
    mod forms;
    mod found;
    mod verdicts;
}
