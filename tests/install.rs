//! Hooks: put in place, taken away, run first, proven; on real repositories with real pushes.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot build its clone fails"
)]

mod support;

mod install {
    mod chained;
    mod clone;
    mod doctor;
    mod interrupted;
    mod kinds;
    mod names;
    mod others;
    mod places;
    mod shim;
    mod talk;
}
