//! What does a freeze row exclude, until when, and on whose account?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::field::Field;

/// `ledger/freezes.json`: the seeds that are excluded for a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FreezeLedger {
    /// Always `git-reins/freezes/1`.
    pub schema: String,
    /// The rows, sorted by property and seed.
    pub freezes: Vec<FreezeRow>,
}

/// One seed of one property, unstable on base.
///
/// Every member is optional here, because a missing one is a refusal with a code of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FreezeRow {
    /// The oracle row that is excluded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub property_id: Option<Field<String>>,
    /// The seed that disagreed across runs, as an opaque text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub seed: Option<Field<String>>,
    /// The revision where it was observed: the fixture ledger's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub base_rev: Option<Field<String>>,
    /// The epoch of the observation: the fixture ledger's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub fixture_epoch: Option<Field<String>>,
    /// Always `base`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub observed_on: Option<Field<String>>,
    /// The last day on which the row counts, `YYYY-MM-DD`, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub expires_at: Option<Field<String>>,
    /// The person or ticket that has to remove the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub owner: Option<Field<String>>,
    /// The code paths whose change may meet the instability; needed for a hit to be held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
    /// `true` lets a miss be held; without it the miss stays a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub quarantine_eligible: Option<Field<bool>>,
    /// The replay that showed the instability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<FreezeEvidence>,
}

/// What a replay on base showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FreezeEvidence {
    /// How many runs there were.
    pub runs: u64,
    /// The outcome of each run.
    pub outcomes: Vec<String>,
    /// The paths that the runs opened; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<Vec<String>>,
}

impl FreezeLedger {
    /// The name in the `schema` member.
    pub const SCHEMA: &'static str = "git-reins/freezes/1";
}

impl FreezeRow {
    /// Property and seed, `""` where absent: what makes two rows the same row.
    pub fn key(&self) -> (&str, &str) {
        (super::field::text(&self.property_id), super::field::text(&self.seed))
    }

    /// Whether two rows are the same state: all but `base_rev` and `fixture_epoch` agrees, since
    /// those follow the fixture ledger.
    pub fn same_state(&self, other: &Self) -> bool {
        let bare = |row: &Self| Self { base_rev: None, fixture_epoch: None, ..row.clone() };
        bare(self) == bare(other)
    }
}
