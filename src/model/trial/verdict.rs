//! Describes what a trial decides, why, and on what evidence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::ids::OracleId;
use crate::model::serde_str;

/// What shows that a property can fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PropertyPower {
    /// The property.
    #[serde(with = "serde_str")]
    #[schemars(with = "String")]
    pub property_id: OracleId,
    /// The evidence.
    pub power: Power,
}

words! {
    /// The evidence that a property can fail.
    Power {
        /// It failed on base.
        BaseFail,
        /// It failed on a known-bad patch.
        Witness,
        /// Nothing but its row.
        Claimed,
    }
}

words! {
    /// What a trial decides.
    TrialVerdict {
        /// Nothing stands against it.
        Admit,
        /// A frozen property failed; not mergeable.
        Hold,
        /// Something missed.
        Reject,
    }
}

/// Why a trial did not admit.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TrialReason {
    /// The draft channel failed; nothing ran.
    Infra,
    /// The patch is empty; nothing ran.
    EmptyBlob,
    /// A canary missed.
    CanaryBad,
    /// A freeze row was hit that cannot be used.
    IllegalFreeze,
    /// A property failed that no freeze row names.
    UncoveredFail,
    /// A frozen seed passes sometimes on base and always fails on the candidate.
    FrozenRegression,
    /// A frozen seed always fails on base.
    FreezeStableFailure,
    /// Fixture, property or base bytes changed during the run.
    BytesChanged,
    /// No property is left that scores.
    NothingScored,
    /// A frozen property failed and is held.
    FreezeHit,
}
