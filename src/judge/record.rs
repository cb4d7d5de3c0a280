//! What does the record of a trial say, and where is it put?

use std::collections::BTreeMap;

use super::fault::TrialError;
use super::lines::{Line, Lines};
use super::pin::Pinned;
use super::trial::{Judged, Patch};
use crate::decide::admit;
use crate::decide::enforced::online;
use crate::decide::fold::VERDICT;
use crate::decide::recorded::unwitnessed;
use crate::decide::score::Scores;
use crate::decide::trial::{SeedVerdict, TrialDecision};
use crate::decide::trial_key::{seeds, seeds_sha256};
use crate::evidence::GateError;
use crate::model::day::Day;
use crate::model::decision::{Decision, VerdictEvidence};
use crate::model::path::{RepoPath, visible};
use crate::model::record;
use crate::model::trial::{Class, Outcome, Revision, TRIAL_SCHEMA, Timing, Trial};
use crate::sys::atomic_dir::{Deposited, deposit};
use crate::sys::files::Root;

/// What a run of a property on the candidate amounts to; none for any other run.
pub(super) fn class(line: &Line, decision: &TrialDecision) -> Option<Class> {
    let property = line.property.as_ref()?;
    let of_seed =
        |(id, seed, _): &&(_, String, _)| id == property && Some(seed) == line.seed.as_ref();
    let verdict = decision
        .seeds
        .iter()
        .find(of_seed)
        .map(|(_, _, verdict)| *verdict);
    match (line.revision, line.measured.ended.outcome) {
        (Revision::Base | Revision::Witness, _) | (Revision::Candidate, Outcome::NotRun) => None,
        (Revision::Candidate, Outcome::Pass) => Some(Class::PropPass),
        (Revision::Candidate, Outcome::Fail) if verdict == Some(SeedVerdict::Held) => {
            Some(Class::FreezeHit)
        }
        (Revision::Candidate, _) => Some(Class::PropFail),
    }
}

/// The record of a trial.
///
/// # Errors
/// When it would contradict itself.
pub(super) fn trial(
    pinned: &Pinned,
    patch: &Patch,
    lines: &Lines,
    decision: &TrialDecision,
    (started_at, wall_ms): (String, u64),
) -> Result<Trial, TrialError> {
    let seeds = seeds(&pinned.context.policy);
    let checks: Vec<_> = lines.0.iter().map(Line::record).collect();
    let touched: Vec<_> = patch.touched.iter().cloned().collect();
    let trial = Trial {
        schema: TRIAL_SCHEMA.to_owned(),
        blob: patch.blob,
        base_rev: pinned.base,
        base_tree: pinned.base_tree,
        candidate_tree: patch.candidate_tree,
        unwitnessed: unwitnessed(&checks, &touched),
        touched,
        seeds_sha256: seeds_sha256(&seeds),
        seeds,
        policy_sha256: pinned.bound.policy_sha256,
        rows_sha256: pinned.bound.rows_sha256,
        epoch: pinned.epoch.clone(),
        image: pinned.image.clone(),
        enforced: patch.enforced,
        online: online(&pinned.context.policy, &checks),
        checks,
        power: decision.power.clone(),
        held: decision.held.clone(),
        canary_bad: decision.canary_bad.clone(),
        illegal_freeze: decision.illegal_freeze.clone(),
        uncovered_fail: decision.uncovered_fail.clone(),
        verdict: decision.verdict,
        reasons: decision.reasons.clone(),
        timing: Some(Timing {
            started_at,
            wall_ms,
            checks_ms: lines.0.iter().map(|line| line.measured.wall_ms).collect(),
        }),
    };
    record::parse::<Trial>(record::print(&trial).as_bytes())?;
    Ok(trial)
}

/// Puts the record into `<history>/<day>/<name>`, whole or not at all; where it is, and whether it
/// is new. A record of the same trial that lies there stays as it is.
///
/// # Errors
/// When the disk says no, or something else lies there.
pub fn keep(
    judged: &Judged,
    root: &Root,
    day: Day,
    beside: BTreeMap<RepoPath, Vec<u8>>,
) -> Result<(RepoPath, Deposited), TrialError> {
    let history = &judged.pinned.context.policy.paths.history;
    let name = judged.trial.directory_name();
    let dir: RepoPath = format!("{history}/{day}/{name}")
        .parse()
        .expect("a day and hex digits make a safe path");
    let mut files = beside;
    files.insert(file(VERDICT), record::print(&judged.trial).into_bytes());
    for (at, line) in judged.lines.0.iter().enumerate() {
        let text = log(line);
        if !text.is_empty() {
            let subject = line
                .property
                .as_ref()
                .map_or(line.id.as_str(), |id| id.as_str());
            files.insert(
                file(&format!("logs/{at:03}-{subject}.log")),
                text.into_bytes(),
            );
        }
    }
    let deposited = deposit(root, history, &dir, &files)?;
    match deposited {
        Deposited::Kept if !holds(root, &dir, &judged.trial)? => Err(TrialError::Occupied(dir)),
        Deposited::Kept | Deposited::New => Ok((dir, deposited)),
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
fn log(line: &Line) -> String {
    let measured = &line.measured;
    let unknown = match &measured.opened {
        Err(why) if !why.is_empty() => {
            format!("which files it opened is not known: {}\n", visible(why))
        }
        Ok(_) | Err(_) => String::new(),
    };
    if measured.talk.is_empty() && measured.ended.note.is_empty() && unknown.is_empty() {
        return String::new();
    }
    let seed = line
        .seed
        .as_ref()
        .map(|seed| format!(", seed {}", visible(seed)))
        .unwrap_or_default();
    let note = visible(&measured.ended.note);
    format!(
        "check {}{seed}, {:?}: {:?} {note}\n{unknown}\n{}",
        line.id, line.revision, measured.ended.outcome, measured.talk
    )
}

/// What `admit` says of the candidate with this trial, as if it were folded.
///
/// # Errors
/// When nothing refuses and tip brings a policy that cannot be read.
pub fn decision(judged: &Judged, evidence: VerdictEvidence) -> Result<Decision, TrialError> {
    let scores = Scores::Trial(&judged.trial, evidence);
    Ok(admit::admit(&judged.pinned.evaluation, scores).map_err(GateError::from)?)
}
