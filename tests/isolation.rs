//! What can a job touch behind each kind of fence? Real attempts under the real supervisor, as root
//! and as nobody, and where the system lacks what the fence is made of.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at files and processes by themselves"
)]
#![expect(clippy::print_stdout, reason = "what is skipped is said")]

#[cfg(feature = "sandbox")]
#[path = "support/nobody.rs"]
mod nobody;
#[cfg(feature = "sandbox")]
#[path = "support/refusing.rs"]
mod refusing;

mod isolation {
    #[cfg_attr(
        not(feature = "sandbox"),
        expect(dead_code, reason = "there is nothing to look at")
    )]
    mod bench;
    #[cfg(feature = "sandbox")]
    mod files;
    #[cfg(feature = "sandbox")]
    mod network;
    #[cfg(feature = "sandbox")]
    mod probed;
    #[cfg(feature = "sandbox")]
    mod processes;
    #[cfg(feature = "sandbox")]
    mod traced;
    mod weaker;
}
