//! A recorded trial, and the candidate that it is compared with.

use std::collections::BTreeMap;

use crate::decide::evaluation::Evaluation;
use crate::decide::facts::Facts;
use crate::decide::trial_key::Bound;
use crate::model::decision::{Standing, VerdictEvidence};
use crate::model::ids::OracleId;
use crate::model::trial::Trial;

/// The name of the directory that a verdict lies in.
pub fn directory(path: &str) -> Option<&str> {
    path.rsplit('/').nth(1)
}

/// A trial that may count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<'a> {
    pub(super) trial: &'a Trial,
    /// Where it is folded; `None` for one that lies beside.
    pub(super) path: Option<&'a str>,
    pub(super) evidence: VerdictEvidence,
}

impl Candidate<'_> {
    /// The name of its directory.
    pub(super) fn name(&self) -> String {
        self.trial.directory_name()
    }
}

/// What a trial is judged against.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) evaluation: &'a Evaluation,
    /// Everything that was gathered.
    pub(super) facts: &'a Facts,
    /// Where every row stands.
    pub(super) standings: &'a BTreeMap<OracleId, Standing>,
    /// What a trial has to be bound to.
    pub(super) bound: &'a Bound,
}
