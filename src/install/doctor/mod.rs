//! Checks whether a push of this clone is judged. Each check says what was seen, what was expected
//! and what fixes it.

mod file;
mod hook;
mod machine;
mod repository;

use schemars::JsonSchema;
use serde::Serialize;

use super::site::{InstallError, Site};
use crate::evidence::GateError;
use crate::exit::{Explained, Explanation};
use crate::model::path::shown;

const SCHEMA: &str = "git-reins/doctor/1";

/// The answer of `doctor`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Health {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Whether there is no fault.
    pub healthy: bool,
    /// Everything found, faults first.
    pub findings: Vec<Finding>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// A name that does not change.
    pub name: &'static str,
    /// Whether it keeps the clone from being healthy.
    pub weight: Weight,
    /// What was seen.
    pub seen: String,
    /// What was expected.
    pub expected: String,
    /// One command or edit that mends it.
    pub fix: String,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// It has to be mended.
    Fault,
    /// It is good to know.
    Note,
}

/// Why nothing can be said.
#[derive(Debug, thiserror::Error)]
pub enum DoctorError {
    /// The hooks cannot be looked at.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The repository cannot be read.
    #[error(transparent)]
    Gate(#[from] Box<GateError>),
}

impl From<GateError> for DoctorError {
    fn from(error: GateError) -> Self {
        Self::Gate(Box::new(error))
    }
}

impl Explained for DoctorError {
    fn explain(&self) -> Explanation {
        match self {
            Self::Install(error) => error.explain(),
            Self::Gate(error) => error.explain(),
        }
    }
}

impl Finding {
    fn fault(
        name: &'static str,
        seen: impl Into<String>,
        expected: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            name,
            weight: Weight::Fault,
            seen: seen.into(),
            expected: expected.into(),
            fix: fix.into(),
        }
    }

    fn note(self) -> Self {
        Self {
            weight: Weight::Note,
            ..self
        }
    }
}

/// Looks at everything and runs the hook with empty input.
///
/// # Errors
/// When the repository does not say.
pub fn examine(site: &Site) -> Result<Health, DoctorError> {
    let mut findings = machine::findings(site)?;
    findings.extend(hook::findings(site)?);
    findings.extend(repository::findings(site)?);
    findings.sort_by_key(|finding| finding.weight);
    let healthy = findings
        .iter()
        .all(|finding| finding.weight == Weight::Note);
    Ok(Health {
        schema: SCHEMA,
        healthy,
        findings,
    })
}

impl Health {
    /// The answer for people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            let weight = match finding.weight {
                Weight::Fault => "fault",
                Weight::Note => "note",
            };
            text.push_str(&format!(
                "{weight}: {}: {}\n",
                finding.name,
                shown(&finding.seen)
            ));
            text.push_str(&format!(
                "  expected: {}\n  fix: {}\n",
                finding.expected, finding.fix
            ));
        }
        let faults = self
            .findings
            .iter()
            .filter(|finding| finding.weight == Weight::Fault)
            .count();
        text + &match faults {
            0 => "healthy: git runs the hook, and git-reins answers\n".to_owned(),
            1 => "1 fault\n".to_owned(),
            more => format!("{more} faults\n"),
        }
    }
}
