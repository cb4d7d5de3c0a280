//! What keeps a job from what it may not touch, and by which means?

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::plan::spelled;
use crate::model::trial::{Enforced, FixtureGuard, KillGuard, NetworkGuard, Trace};
use crate::policy::Network;

/// The fence around one job. It stands by exactly the means that are named here, or the job does
/// not begin: to fall back is the matter of the probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fence {
    /// By which means it stands.
    pub means: Enforced,
    /// What nobody may change, absolute: fixtures and property files in the tree of the run, the
    /// pristine trees. Each of them is there, and none is a link.
    #[serde(with = "spelled::list")]
    pub read_only: Vec<PathBuf>,
    /// The directories that the job may write to, absolute: its tree, its home, its place for
    /// temporary files, the one of the result. Each of them is there.
    #[serde(with = "spelled::list")]
    pub writable: Vec<PathBuf>,
    /// Whether the job may reach the network.
    pub network: Network,
}

impl Fence {
    /// No means at all.
    pub const OPEN: Enforced = Enforced {
        fixtures: FixtureGuard::None,
        network: NetworkGuard::None,
        kill: KillGuard::Pgrp,
        trace: Trace::None,
    };

    /// Leaves the world that is shared with others, before a layer is mounted.
    ///
    /// # Errors
    /// Why that is not possible. Then this process is of no further use.
    pub(super) fn enter(&self) -> Result<(), String> {
        Ok(())
    }

    /// Raises it around this process and what it will start.
    ///
    /// # Errors
    /// Why it does not stand. Then this process is of no further use.
    pub(super) fn raise(&self) -> Result<(), String> {
        let open = Enforced { kill: self.means.kill, trace: self.means.trace, ..Self::OPEN };
        if self.means == open { Ok(()) } else { Err("no such means".to_owned()) }
    }
}
