//! Installs hooks, removes them, and checks that git runs them.
//!
//! The files of `hooks/` are installed verbatim. A hook that was there before is kept beside ours
//! and runs first.

pub mod attributes;
pub mod carry_out;
pub mod doctor;
pub mod managers;
pub mod manifest;
pub mod messages;
pub mod plan;
pub mod previous_hook;
pub mod probe;
pub mod setup;
pub mod shim_dir;
pub mod site;
pub mod status;

/// An event for which git runs a hook of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// Before a push sends anything.
    PrePush,
}

impl Event {
    /// Every event.
    pub const ALL: [Self; 1] = [Self::PrePush];

    /// Its name, which is that of the hook file.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrePush => "pre-push",
        }
    }

    /// The hook file, as it is installed.
    pub fn file(self) -> &'static [u8] {
        match self {
            Self::PrePush => include_bytes!("../../hooks/pre-push"),
        }
    }

    /// The name under which a hook that stood there before is kept.
    pub fn kept(self) -> String {
        format!("{}.reins-orig", self.name())
    }

    /// The name under which a hook of ours that somebody edited is set aside.
    pub fn edited(self) -> String {
        format!("{}.reins-edited", self.name())
    }

    /// The name under which ours is written before it is moved to its place.
    pub fn temporary(self) -> String {
        format!("{}.reins-new", self.name())
    }

    /// The event of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }
}
