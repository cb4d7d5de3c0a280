//! Describes one run of one check: what ran, how it ended, what it opened. Records, replays, trials and
//! the cache hold runs in this form and in no other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SHA256;
use crate::model::ids::{OracleId, Sha256};
use crate::model::path::RepoPath;
use crate::model::serde_str;

/// One run of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckRun {
    /// The check: a declared one or a canary.
    pub id: String,
    /// The property that it ran; null for a canary.
    #[serde(with = "serde_str::optional")]
    #[schemars(with = "Option<String>")]
    pub property: Option<OracleId>,
    /// What the check is for.
    pub kind: CheckKind,
    /// The seed; null where there is none.
    pub seed: Option<String>,
    /// Which tree it ran on.
    pub revision: Revision,
    /// What came out.
    pub outcome: Outcome,
    /// What it amounts to; null for a run that decides nothing.
    pub class: Option<Class>,
    /// Which case of the outcome, where it has several.
    pub reason: Option<RunReason>,
    /// The exit code, when it exited.
    pub exit: Option<i32>,
    /// The signal, when one ended it.
    pub signal: Option<i32>,
    /// The paths that it opened, sorted; null when unknown, never an empty list for unknown.
    pub opened: Option<Vec<Opened>>,
    /// What no record holds.
    #[serde(skip)]
    pub details: RunDetails,
}

/// What is known of a run besides the record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunDetails {
    /// What was seen, for people; empty for a plain pass.
    pub note: String,
    /// What it printed.
    pub output: String,
    /// How long it took, in milliseconds.
    pub wall_ms: u64,
    /// The state that its seed led to, where the tool says so.
    pub echo: Option<String>,
    /// Why it is not known what it opened; empty where that is known or nothing ran.
    pub untraced: String,
}

impl CheckRun {
    /// The name that lists of the record give it: the property, else the check.
    pub fn subject(&self) -> &str {
        self.property
            .as_ref()
            .map_or(self.id.as_str(), OracleId::as_str)
    }

    /// Whether it is a canary that is anything but a pass, and that has a command.
    pub fn is_missed_canary(&self) -> bool {
        self.kind == CheckKind::Canary
            && self.outcome != Outcome::Pass
            && self.reason != Some(RunReason::NotConfigured)
    }
}

/// A path that a run opened, with the bytes that it held.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Opened {
    /// The path in the tree.
    #[serde(with = "serde_str")]
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// SHA-256 of its bytes.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub sha256: Sha256,
}

words! {
    /// What a check is for.
    CheckKind {
        /// Runs a property.
        Property,
        /// Must be a hard pass before any property runs.
        Canary,
    }
}

words! {
    /// Which tree a check ran on.
    Revision {
        /// The base.
        Base,
        /// The base with the patch.
        Candidate,
        /// The base with a known-bad patch.
        Witness,
    }
}

words! {
    /// The outcome of one run; only a pass is a pass.
    Outcome {
        /// It exited with a code that means pass, and nothing speaks against it.
        Pass,
        /// It passed after it had not.
        FlakyPass,
        /// It exited with a code that means fail.
        Fail,
        /// Its budget ran out.
        Timeout,
        /// A signal ended it that was not ours.
        Signal,
        /// It was killed for its memory.
        Oom,
        /// It passed and left processes behind.
        Leak,
        /// It wrote more than it may.
        OutputLimit,
        /// It changed bytes that it may not.
        Tamper,
        /// Nothing was graded: see the reason.
        Error,
        /// It did not run: see the reason.
        NotRun,
    }
}

words! {
    /// Which case of an outcome.
    RunReason {
        /// The program could not be started.
        Spawn,
        /// It ran no test.
        NoTests,
        /// Its exit code means neither pass nor fail.
        Exit,
        /// Its result file contradicts its exit code.
        ResultMismatch,
        /// It did not use the seed that it was given.
        SeedNotHonoured,
        /// A mechanism that the policy requires is missing.
        Unenforced,
        /// A canary missed before it.
        CanaryMissed,
        /// A check before it changed bytes that nobody may change.
        Tampered,
        /// The policy declares no command for it.
        NotConfigured,
    }
}

impl Outcome {
    /// Whether the product is to blame: not its clock, its machine or its tools.
    pub fn is_product_failure(self) -> bool {
        match self {
            Self::Fail | Self::FlakyPass | Self::Leak | Self::OutputLimit | Self::Tamper => true,
            Self::Pass | Self::Timeout | Self::Signal | Self::Oom | Self::Error | Self::NotRun => {
                false
            }
        }
    }
}

/// What a run amounts to, as people are shown it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(missing_docs, reason = "the words of the contract")]
pub enum Class {
    BlobOk,
    Infra,
    CanaryFail,
    PropFail,
    PropPass,
    FreezeHit,
}
