//! Defines what the parent tells a supervisor, and the words that the supervisor answers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::fence::Fence;
use super::overlay::Overlay;
use super::supervise::Limits;
use crate::model::serde_path;

/// The orders of one supervisor, handed over in JSON. Every path is absolute.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// What the job may use.
    pub limits: Limits,
    /// The layer that the job runs on.
    pub ground: Option<Ground>,
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

/// An overlay to run a job on, and the directory where the job begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ground {
    /// The overlay.
    pub overlay: Overlay,
    /// The working directory of the job.
    #[serde(with = "serde_path")]
    pub dir: PathBuf,
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::time::Duration;

    use super::*;

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
            ground: Some(Ground {
                overlay: overlay.clone(),
                dir: dir.clone(),
            }),
            fence: None,
        };
        let pieces = Plan::pieces(&serde_json::to_string(&plan).unwrap());
        assert!(pieces.len() > 1 && pieces.iter().all(|piece| piece.len() < 128 << 10));
        let ground = Plan::read(&pieces).unwrap().ground.unwrap();
        assert_eq!((ground.overlay, ground.dir), (overlay, dir));
        assert!(Plan::read(&pieces[1..]).is_err());
    }
}
