//! The runner that `judge`, `try` and `replay` share: where and when trials run.

use std::path::PathBuf;

use crate::git::Repo;
use crate::model::day::Day;
use crate::sandbox::interrupt::Interrupt;

/// Runs trials, replays and single properties.
pub struct TrialRunner<'a> {
    /// The repository.
    pub repo: &'a Repo,
    /// The directory in which git is asked.
    pub dir: PathBuf,
    /// The git directory, when one was named.
    pub git_dir: Option<PathBuf>,
    /// The day.
    pub today: Day,
    /// Tells when a signal asks to stop.
    pub interrupt: &'a Interrupt,
    /// Whether base runs now, also where an earlier trial told what comes of it.
    pub is_anew: bool,
}
