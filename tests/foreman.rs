//! What happens to verdict directories under `git reins reconcile`, told on real repositories?
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]

#[path = "support/naming.rs"]
mod naming;
#[expect(dead_code, reason = "the foreman writes no ledgers")]
mod support;

mod foreman {
    mod complete;
    mod faults;
    mod fold;
    mod named;
    mod places;
    mod rivals;
    mod verdicts;
}
