//! Mounts a writable overlay above a tree that stays as it is, for one job.
//!
//! Its supervisor enters a mount namespace of its own and mounts an overlay there. Nobody else sees
//! the mount, and it is gone with the last process of the namespace, however that one ends.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::serde_path;

/// A tree below, and the directory that holds what one run adds to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overlay {
    /// The tree that is only read.
    #[serde(with = "serde_path")]
    pub lower: PathBuf,
    /// Where the parts of the overlay are: `tree`, `upper`, `work` and `lower`.
    #[serde(with = "serde_path")]
    pub run: PathBuf,
}

impl Overlay {
    /// The parts. `lower` is where the tree below is bound while the overlay is mounted.
    const PARTS: [&str; 3] = ["work", "lower", "tree"];

    /// Makes the directories of an overlay. `upper` stands for the root of the tree, and looks
    /// like the root below.
    ///
    /// # Errors
    /// When they cannot be made.
    #[expect(
        clippy::disallowed_methods,
        reason = "sandbox::overlay makes its own directories"
    )]
    pub fn create(&self) -> io::Result<()> {
        for part in Self::PARTS {
            let made = std::fs::create_dir(self.run.join(part));
            made.or_else(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => Ok(()),
                _ => Err(error),
            })?;
        }
        std::fs::create_dir(self.upper())?;
        super::replica::like(&self.lower, &self.upper())
    }

    /// Where the tree is while the overlay is mounted; outside of the job it is empty.
    pub fn tree(&self) -> PathBuf {
        self.run.join("tree")
    }

    /// What the job changed, as the kernel writes it down.
    pub fn upper(&self) -> PathBuf {
        self.run.join("upper")
    }

    /// Mounts the overlay for this process and what it starts, and goes to `dir`.
    ///
    /// # Errors
    /// When the system does not let us. Then this process is of no further use.
    pub fn enter(&self, dir: &Path) -> io::Result<()> {
        mounted::enter(self)?;
        std::env::set_current_dir(dir)
    }
}

/// An overlay to run a job on, and the directory where the job begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobLayer {
    /// The overlay.
    pub overlay: Overlay,
    /// The working directory of the job.
    #[serde(with = "serde_path")]
    pub dir: PathBuf,
}

#[cfg(target_os = "linux")]
mod mounted {
    use std::io;

    use rustix::mount::{MountFlags, UnmountFlags};
    use rustix::thread::UnshareFlags;

    use super::Overlay;
    use crate::sandbox::namespace;

    /// Names relative to the directory of the run, so that no path has to be escaped. `userxattr`
    /// is what a user namespace may use; `volatile` because nothing of a run outlives a power cut.
    const OPTIONS: &std::ffi::CStr =
        c"lowerdir=lower,upperdir=upper,workdir=work,userxattr,volatile";

    pub fn enter(overlay: &Overlay) -> io::Result<()> {
        namespace::leave(UnshareFlags::NEWNS)?;
        std::env::set_current_dir(&overlay.run)?;
        rustix::mount::mount_bind(&overlay.lower, "lower")?;
        rustix::mount::mount(
            "overlay",
            "tree",
            "overlay",
            MountFlags::empty(),
            Some(OPTIONS),
        )?;
        Ok(rustix::mount::unmount("lower", UnmountFlags::DETACH)?)
    }
}

#[cfg(not(target_os = "linux"))]
mod mounted {
    pub fn enter(_: &super::Overlay) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}
