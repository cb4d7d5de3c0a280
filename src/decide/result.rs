//! Reads a `verdict.json` and the `reverify.json` beside it.

use super::adjudicate::{adjudicate, settle, tiers_of_trial, tiers_of_verdict};
use crate::gitreins::verdict::{Entry, EntryFault, Verdict, read as read_entry};
use crate::model::adjudication::{ADJUDICATION_SCHEMA, Adjudicated, Finding, Tier1, Tier2};
use crate::model::ids::Sha256;
use crate::model::path::shown;
use crate::model::record::{self, RecordFault};
use crate::model::reverification::{Budget, REVERIFY_FILE, Reverification};
use crate::model::trial::{TRIAL_SCHEMA, Trial};

/// Whose record it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// GitReins wrote it.
    GitReins(Box<Verdict>),
    /// Our own judge wrote it.
    Trial(Box<Trial>),
}

/// A judge's result, read and adjudicated.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeResult {
    /// The record.
    pub source: Source,
    /// The digest of the bytes of `verdict.json`.
    pub sha256: Sha256,
    /// What tier 1 showed when it was judged.
    pub tier1: Tier1,
    /// What tier 2 showed.
    pub tier2: Tier2,
    /// What running tier 1 again showed, when that is about these very bytes.
    pub rerun: Option<Reverification>,
    /// What all of it amounts to.
    pub finding: Finding,
    /// Why what lies beside the verdict was not taken into account.
    pub warning: Option<String>,
}

/// What stands in a file called `verdict.json`.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// A judge's result.
    Result(Box<JudgeResult>),
    /// A record of GitReins' resolution gate, which is no verdict.
    Resolution,
}

/// Why a file says nothing; the caller knows the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResultFault {
    /// It is no verdict of GitReins, nor a record with a schema.
    #[error(transparent)]
    Entry(#[from] EntryFault),
    /// It is no trial record.
    #[error(transparent)]
    Trial(#[from] RecordFault),
}

/// Reads and adjudicates.
///
/// # Errors
/// When `verdict` is no record that is known.
pub fn read(verdict: &[u8], reverify: Option<&[u8]>) -> Result<Reading, ResultFault> {
    let (source, (tier1, tier2)) = match read_entry(verdict)? {
        Entry::Resolution => return Ok(Reading::Resolution),
        Entry::Verdict(verdict) => {
            let tiers = tiers_of_verdict(&verdict);
            (Source::GitReins(verdict), tiers)
        }
        Entry::Schema(schema) if schema == TRIAL_SCHEMA => {
            let trial: Trial = record::parse(verdict)?;
            let tiers = tiers_of_trial(&trial);
            (Source::Trial(Box::new(trial)), tiers)
        }
        Entry::Schema(schema) => return Err(RecordFault::of("schema", schema, TRIAL_SCHEMA).into()),
    };
    let sha256 = Sha256::of(verdict);
    let rerun = reverify
        .map(|bytes| usable(bytes, sha256, &source))
        .transpose();
    let (rerun, warning) = match rerun {
        Ok(rerun) => (rerun, None),
        Err(why) => (
            None,
            Some(format!("{REVERIFY_FILE} is not taken into account: {why}")),
        ),
    };
    let finding = match &rerun {
        Some(rerun) => settle(tier1, tier2, rerun.result),
        None => adjudicate(tier1, tier2),
    };
    let result = JudgeResult {
        source,
        sha256,
        tier1,
        tier2,
        rerun,
        finding,
        warning,
    };
    Ok(Reading::Result(Box::new(result)))
}

/// The record of another run, when it is about these bytes and what they name.
fn usable(bytes: &[u8], sha256: Sha256, source: &Source) -> Result<Reverification, String> {
    let rerun: Reverification = record::parse(bytes).map_err(|fault| fault.to_string())?;
    let Source::GitReins(verdict) = source else {
        return Err("a trial of our own is judged again as a whole".to_owned());
    };
    if rerun.verdict_sha256 != sha256 {
        return Err(format!(
            "it is about a verdict.json with the digest {}",
            rerun.verdict_sha256
        ));
    }
    if rerun.task_id != verdict.task_id {
        return Err("it names another task".to_owned());
    }
    match verdict.commit {
        None => Err("the verdict names no commit, so that nobody knows what was graded".to_owned()),
        Some(graded) if graded != rerun.commit => Err(format!("it ran commit {}", rerun.commit)),
        Some(_) => Ok(rerun),
    }
}

impl JudgeResult {
    /// The result where `command` is tier 1: what another command showed is not taken into account.
    #[must_use]
    pub fn under(self, command: &[String]) -> Self {
        match &self.rerun {
            Some(rerun) if rerun.command != command => {
                let ran = shown(&rerun.command.join(" "));
                let why = format!(
                    "it ran {ran}, which is not tier1.command of the policy on the protected line"
                );
                let warning = Some(format!("{REVERIFY_FILE} is not taken into account: {why}"));
                Self {
                    finding: adjudicate(self.tier1, self.tier2),
                    rerun: None,
                    warning,
                    ..self
                }
            }
            Some(_) | None => self,
        }
    }

    /// The task; `None` for a trial of our own, which knows none.
    pub fn task_id(&self) -> Option<&str> {
        match &self.source {
            Source::GitReins(verdict) => Some(&verdict.task_id),
            Source::Trial(_) => None,
        }
    }

    /// The result as an element of an answer.
    pub fn answer(&self, id: String, path: String, budget: &Budget) -> Adjudicated {
        let superseded_by = match &self.source {
            Source::GitReins(verdict) => verdict.superseded_by.clone(),
            Source::Trial(_) => None,
        };
        Adjudicated {
            schema: ADJUDICATION_SCHEMA,
            id,
            task_id: self.task_id().map(str::to_owned),
            path,
            tier1: self.tier1,
            reason: self.tier1.reason(),
            tier2: self.tier2,
            verdict: self.finding.verdict,
            regression: self.finding.regression,
            complete: self.finding.complete,
            reverified: self.rerun.as_ref().map(|rerun| rerun.result),
            superseded_by,
            budget: budget.clone(),
        }
    }
}
