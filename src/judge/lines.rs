//! What has run so far, in order?

use super::run::Measured;
use crate::decide::outcome::RunVerdict;
use crate::model::ids::OracleId;
use crate::model::trial::{CheckKind, CheckRun, Class, Outcome, Revision, RunReason};

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The check or canary.
    pub id: String,
    /// The property; none for a canary.
    pub property: Option<OracleId>,
    /// The seed, where there is one.
    pub seed: Option<String>,
    /// The tree.
    pub revision: Revision,
    /// What it showed.
    pub measured: Measured,
    /// What it amounts to.
    pub class: Option<Class>,
}

impl Line {
    /// A run of a canary; one that missed is classed so.
    pub fn canary(id: &str, seed: Option<&str>, revision: Revision, measured: Measured) -> Self {
        let ended = &measured.ended;
        let is_miss = !matches!(ended.outcome, Outcome::Pass | Outcome::NotRun);
        let class = is_miss.then_some(Class::CanaryFail);
        Self {
            id: id.to_owned(),
            property: None,
            seed: seed.map(str::to_owned),
            revision,
            measured,
            class,
        }
    }

    /// What it is in a record.
    pub fn record(&self) -> CheckRun {
        let kind = if self.property.is_some() {
            CheckKind::Property
        } else {
            CheckKind::Canary
        };
        CheckRun {
            id: self.id.clone(),
            property: self.property.clone(),
            kind,
            seed: self.seed.clone(),
            revision: self.revision,
            outcome: self.measured.ended.outcome,
            class: self.class,
            reason: self.measured.ended.reason,
            exit: self.measured.exit,
            signal: self.measured.signal,
            opened: self.measured.opened.clone().ok(),
        }
    }
}

impl Measured {
    /// What needed no process.
    pub fn of(ended: RunVerdict) -> Self {
        Self {
            ended,
            exit: None,
            signal: None,
            wall_ms: 0,
            echo: None,
            opened: Err(String::new()),
            talk: String::new(),
        }
    }

    /// What did not run because a canary missed before it.
    pub fn after_canary() -> Self {
        Self::kept_back(RunReason::CanaryMissed, "a canary missed before it")
    }

    /// What did not run because a check before it changed pinned bytes.
    pub fn after_tamper() -> Self {
        Self::kept_back(
            RunReason::Tampered,
            "a check before it changed bytes that nobody may change",
        )
    }

    fn kept_back(reason: RunReason, note: &str) -> Self {
        Self::of(RunVerdict {
            outcome: Outcome::NotRun,
            reason: Some(reason),
            note: note.to_owned(),
        })
    }
}

/// Every run of a trial, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines(pub Vec<Line>);

impl Lines {
    /// Adds a run.
    pub fn push(&mut self, line: Line) {
        self.0.push(line);
    }

    /// The runs of canaries.
    pub fn canaries(&self) -> impl Iterator<Item = &Line> {
        self.0.iter().filter(|line| line.property.is_none())
    }

    /// Whether a canary is anything but a pass, or has no command.
    pub fn has_missed_canary(&self) -> bool {
        self.canaries().any(|line| {
            let ended = &line.measured.ended;
            ended.outcome != Outcome::Pass && ended.reason != Some(RunReason::NotConfigured)
        })
    }

    /// Whether a run changed bytes that it may not: what comes after it would say nothing.
    pub fn has_tamper(&self) -> bool {
        self.0
            .iter()
            .any(|line| line.measured.ended.outcome == Outcome::Tamper)
    }

    /// The outcomes of a property's seed on one tree; of all its seeds when none is named.
    pub fn outcomes(
        &self,
        property: &OracleId,
        seed: Option<&str>,
        revision: Revision,
    ) -> Vec<Outcome> {
        let is_meant = |line: &&Line| {
            line.property.as_ref() == Some(property)
                && seed.is_none_or(|seed| line.seed.as_deref() == Some(seed))
                && line.revision == revision
        };
        self.0
            .iter()
            .filter(is_meant)
            .map(|line| line.measured.ended.outcome)
            .collect()
    }
}
