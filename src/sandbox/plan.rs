//! Defines what the parent tells a supervisor, and the words that the supervisor answers.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::fence::Fence;
use super::overlay::JobLayer;

/// What the parent reads first when the job has a fence, and this process is alone inside of it.
pub const APART: &str = "apart\n";

/// What the parent reads next when the job has a layer to run on, and the layer is there.
pub const LAYERED: &str = "layered\n";

/// What the parent reads next when the job has a fence, and all of the fence stands.
pub const FENCED: &str = "fenced\n";

/// What the parent reads once the job runs, or has failed to: set-up is over.
pub const STARTED: &str = "started\n";

/// How long a job that is told to stop may take for it.
pub const STOP_GRACE: Duration = Duration::from_millis(500);

/// How long what a job started may outlive it: pipes are flushed, children are waited for.
pub const LEAK_GRACE: Duration = Duration::from_millis(200);

/// How long killing is tried.
pub const KILL_LIMIT: Duration = Duration::from_secs(5);

/// How long a try may take, and a job to begin: nothing is lost by waiting on a machine that is busy,
/// and what hangs for ever is found out.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What a job may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// How long it may run.
    pub budget: Duration,
    /// How many bytes it may print on both streams together.
    pub output: u64,
}

/// The orders of one supervisor, handed over in JSON. Every path is absolute.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// What the job may use.
    pub limits: Limits,
    /// The layer that the job runs on.
    pub layer: Option<JobLayer>,
    /// What keeps it from what it may not touch.
    pub fence: Option<Fence>,
}

impl Plan {
    /// The parts of a written plan as arguments: Linux takes no argument of 128 KiB.
    pub(super) fn pieces(plan: &str) -> Vec<String> {
        let chars: Vec<char> = plan.chars().collect();
        chars
            .chunks(32 << 10)
            .map(|piece| piece.iter().collect())
            .collect()
    }

    /// Reads the parts.
    ///
    /// # Errors
    /// When they are no plan.
    pub fn read(pieces: &[String]) -> Result<Self, serde_json::Error> {
        serde_json::from_str(&pieces.concat())
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::PathBuf;

    use super::*;
    use crate::sandbox::overlay::Overlay;

    #[test]
    fn a_plan_is_read_as_it_was_written_whatever_its_paths_are() {
        let dir = PathBuf::from(OsStr::from_bytes(b"/n\xff\n\"\xc3\xa4"));
        let overlay = Overlay {
            lower: dir.clone(),
            run: dir.join("x".repeat(100_000)),
        };
        let limits = Limits {
            budget: Duration::from_millis(1),
            output: 2,
        };
        let plan = Plan {
            limits,
            layer: Some(JobLayer {
                overlay: overlay.clone(),
                dir: dir.clone(),
            }),
            fence: None,
        };
        let pieces = Plan::pieces(&serde_json::to_string(&plan).unwrap());
        assert!(pieces.len() > 1 && pieces.iter().all(|piece| piece.len() < 128 << 10));
        let layer = Plan::read(&pieces).unwrap().layer.unwrap();
        assert_eq!((layer.overlay, layer.dir), (overlay, dir));
        assert!(Plan::read(&pieces[1..]).is_err());
    }
}
