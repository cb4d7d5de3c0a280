//! Keeps the record of a trial in the history directory.

use std::collections::BTreeMap;

use super::fault::TrialError;
use super::trial::TrialResult;
use crate::decide::admit;
use crate::decide::fold::VERDICT;
use crate::decide::score::Scores;
use crate::evidence::GateError;
use crate::model::day::Day;
use crate::model::decision::{Decision, VerdictEvidence};
use crate::model::path::{RepoPath, visible};
use crate::model::record;
use crate::model::trial::{CheckRun, Trial};
use crate::sys::atomic_dir::{DirWrite, write_dir};
use crate::sys::files::Root;

/// Puts the record into `<history>/<day>/<name>`, whole or not at all; where it is, and whether it
/// is new. A record of the same trial that lies there stays as it is.
///
/// # Errors
/// When the disk says no, or something else lies there.
pub fn keep(
    result: &TrialResult,
    root: &Root,
    day: Day,
    beside: BTreeMap<RepoPath, Vec<u8>>,
) -> Result<(RepoPath, DirWrite), TrialError> {
    let history = &result.inputs.context.policy.paths.history;
    let name = result.trial.directory_name();
    let dir: RepoPath = format!("{history}/{day}/{name}")
        .parse()
        .expect("a day and hex digits make a safe path");
    let mut files = beside;
    files.insert(file(VERDICT), record::print(&result.trial).into_bytes());
    for (at, run) in result.trial.checks.iter().enumerate() {
        let text = log(run);
        if !text.is_empty() {
            files.insert(
                file(&format!("logs/{at:03}-{}.log", run.subject())),
                text.into_bytes(),
            );
        }
    }
    let written_dir = write_dir(root, history, &dir, &files)?;
    match written_dir {
        DirWrite::Kept if !holds(root, &dir, &result.trial)? => Err(TrialError::Occupied(dir)),
        DirWrite::Kept | DirWrite::New => Ok((dir, written_dir)),
    }
}

/// Whether a directory holds the record of a trial, whatever the clock said.
fn holds(root: &Root, dir: &RepoPath, trial: &Trial) -> Result<bool, TrialError> {
    let verdict = format!("{dir}/{VERDICT}")
        .parse()
        .expect("a safe path and a name of ours");
    let there = root
        .read(&verdict)?
        .and_then(|bytes| record::parse::<Trial>(&bytes).ok());
    Ok(there.is_some_and(|there| there.digest() == trial.digest()))
}

/// A file of the directory.
pub fn file(name: &str) -> RepoPath {
    name.parse()
        .expect("names of ours, ids of checks and of rows make safe paths")
}

/// What a run printed, below what it was and what is known of it.
fn log(run: &CheckRun) -> String {
    let details = &run.details;
    let unknown = match details.untraced.is_empty() {
        true => String::new(),
        false => format!(
            "which files it opened is not known: {}\n",
            visible(&details.untraced)
        ),
    };
    if details.output.is_empty() && details.note.is_empty() && unknown.is_empty() {
        return String::new();
    }
    let seed = run
        .seed
        .as_ref()
        .map(|seed| format!(", seed {}", visible(seed)))
        .unwrap_or_default();
    format!(
        "check {}{seed}, {:?}: {:?} {}\n{unknown}\n{}",
        run.id,
        run.revision,
        run.outcome,
        visible(&details.note),
        details.output
    )
}

/// What `admit` says of the candidate with this trial, as if it were folded.
///
/// # Errors
/// When nothing refuses and tip brings a policy that cannot be read.
pub fn decision(result: &TrialResult, evidence: VerdictEvidence) -> Result<Decision, TrialError> {
    let scores = Scores::Trial(&result.trial, evidence);
    Ok(admit::admit(&result.inputs.evaluation, scores).map_err(GateError::from)?)
}
