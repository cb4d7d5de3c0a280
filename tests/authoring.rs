//! The commands that write ledgers, one story for each, on real repositories.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]

#[path = "support/naming.rs"]
mod naming;
mod support;

mod authoring {
    mod door;
    mod fixture;
    mod fmt;
    mod freeze;
    mod init;
    mod landing;
    mod oracle;
    mod status;
}
