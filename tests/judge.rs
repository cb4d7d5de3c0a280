//! `git reins judge` and `try`: real suites on real repositories, end to end.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at files and processes by themselves"
)]

#[cfg(all(target_os = "linux", feature = "sandbox"))]
#[path = "support/refusing.rs"]
mod refusing;
#[path = "support/suites.rs"]
mod suites;
#[expect(dead_code, reason = "other tests use the rest")]
mod support;

mod judge {
    mod before;
    mod bench;
    mod canaries;
    mod evidence;
    mod first;
    mod kills;
    mod pytest;
    mod recompute;
    mod replay;
    mod runs;
    mod scenarios;
    mod suites;
    mod verdicts;
    mod witness;
}
