//! Describes what a job must not touch and the means that enforce it.
//!
//! | means | stops | does not stop |
//! |---|---|---|
//! | `bind-ro` | every write outside of the writable directories, and in them every change of bytes, names, modes, times and attributes of what is read-only; disks and machine settings, also for root | reading, and pipes by a path. It stops more than it has to: to rename from one directory to another where one of both is above a fixture (`EXDEV`) |
//! | `landlock` | the same for bytes and names | chmod, utimes, setxattr: to be looked at afterwards; what is in `/dev/shm`, which stays the one of all. Nothing new can be made in a directory above a fixture |
//! | `netns-lo` | TCP, UDP, abstract sockets, sockets of virtual machines; those by path that are listened on when the job begins, what is beside them, and all in /run; keyrings | elsewhere than in /run: a socket that somebody outside binds later, binds by a relative path, moves to another directory, or listens on in another network |
//! | `seccomp` | every socket but a connected pair, so loopback, too; io_uring; keyrings | |
//! | `pidns` | seeing, signalling or outliving anybody outside; all ends with the supervisor, even a killed one; memory and queues of System V | |
//! | `pgrp` | outliving the supervisor's rounds of killing | a job whose supervisor is killed lives on |
//!
//! Behind every fence a job has no capabilities, and setuid programs give it none. So root is only
//! the owner of files: it reads no one else's that are shut, and changes to no other user.
//!
//! A job may make namespaces, as browsers do to shut in a page. In one it can lay other bytes over a
//! path for itself and its children; so it can by a patch of what reads the file, which no fence sees.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::serde_path;
use crate::model::trial::{Enforced, FixtureGuard, KillGuard, NetworkGuard, Trace};
use crate::policy::Network;

#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod capabilities;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod filter;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod mounts;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod paths;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod rules;
#[cfg_attr(
    not(all(target_os = "linux", feature = "sandbox")),
    path = "fence/absent.rs"
)]
pub(super) mod setup;

/// The fence around one job. It stands by exactly the means that are named here, or the job does
/// not begin: to fall back is the matter of the probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fence {
    /// By which means it stands.
    pub means: Enforced,
    /// What nobody may change, absolute: fixtures and property files in the tree of the run, the
    /// pristine trees. Each of them is there, and none is a link or reached by one.
    #[serde(with = "serde_path::list")]
    pub read_only: Vec<PathBuf>,
    /// The directories that the job may write to, absolute: its tree, its home, its place for
    /// temporary files, the one of the result. Each of them is there.
    #[serde(with = "serde_path::list")]
    pub writable: Vec<PathBuf>,
    /// Whether the job may reach the network.
    pub network: Network,
}

/// Why a fence does not stand.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(
    not(all(target_os = "linux", feature = "sandbox")),
    expect(dead_code, reason = "nothing is tried")
)]
pub(super) enum FenceError {
    /// The system says no.
    #[error("{action}: {source}")]
    Refused {
        /// What it does not do.
        action: String,
        /// The reason.
        source: io::Error,
    },
    /// What is to be fenced in is not what it has to be.
    #[error("{} {is}", .path.display())]
    Place {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        is: &'static str,
    },
    /// There are no such means here.
    #[error("{0}")]
    Means(&'static str),
}

#[cfg(all(target_os = "linux", feature = "sandbox"))]
impl FenceError {
    /// For `map_err`: what the system did not do.
    fn when<E: Into<io::Error>>(action: impl Into<String>) -> impl FnOnce(E) -> Self {
        move |source| Self::Refused {
            action: action.into(),
            source: source.into(),
        }
    }
}

/// Inside of a fence that does not stand yet.
#[derive(Debug)]
pub(super) struct EnteredFence<'a> {
    fence: &'a Fence,
    /// The sockets that others listen on.
    #[cfg_attr(
        not(all(target_os = "linux", feature = "sandbox")),
        expect(dead_code, reason = "nothing is hidden")
    )]
    sockets: Vec<PathBuf>,
}

impl Fence {
    /// No means at all.
    pub const OPEN: Enforced = Enforced {
        fixtures: FixtureGuard::None,
        network: NetworkGuard::None,
        kill: KillGuard::Pgrp,
        trace: Trace::None,
    };

    /// Whether anything is to be done at all.
    fn is_open(&self) -> bool {
        Enforced {
            trace: Trace::None,
            ..self.means
        } == Self::OPEN
    }
}
