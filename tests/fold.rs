//! Files folded into one commit on HEAD: what comes in, and everything that stays as it was.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]

#[expect(dead_code, reason = "a fold needs no command of ours")]
mod support;

mod fold {
    mod bench;
    mod commits;
    mod held;
    mod indexes;
    mod places;
}
