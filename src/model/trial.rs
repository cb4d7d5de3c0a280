//! The record of one trial, and the name of its directory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ids::{CommitId, ObjectId, Sha256};
use super::path::RepoPath;
use super::record::print;
use super::serde_str;

/// Written as a word in kebab case, closed: an unknown word is a fault.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// Every word.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];
        }
    };
}

mod enforced;
mod run;
mod sound;
#[cfg(test)]
mod tests;
mod verdict;

pub use enforced::{Enforced, FixtureGuard, KillGuard, NetworkGuard, Trace};
pub use run::{CheckKind, CheckRun, Class, Opened, Outcome, Revision, RunDetails, RunReason};
pub use verdict::{Power, PropertyPower, TrialReason, TrialVerdict};

/// The name of the JSON form of a [`Trial`].
pub const TRIAL_SCHEMA: &str = "git-reins/trial/1";

const COMMIT: &str = "^([0-9a-f]{40}|[0-9a-f]{64})$";
const SHA256: &str = "^[0-9a-f]{64}$";

/// One judging of one content-addressed patch, `verdict.json`.
///
/// Two judges of the same trial write equal records but for `timing`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Always [`TRIAL_SCHEMA`].
    #[schemars(extend("const" = TRIAL_SCHEMA))]
    pub schema: String,
    /// SHA-256 of the patch bytes; null when the draft channel brought none.
    #[serde(with = "serde_str::optional")]
    #[schemars(with = "Option<String>", extend("pattern" = SHA256))]
    pub blob: Option<Sha256>,
    /// The commit that the candidate was judged against.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = COMMIT))]
    pub base_rev: CommitId,
    /// The code tree of base: its tree without material.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = COMMIT))]
    pub base_tree: ObjectId,
    /// The code tree of the candidate; null when there is none, because no patch was applied.
    #[serde(with = "serde_str::optional")]
    #[schemars(with = "Option<String>", extend("pattern" = COMMIT))]
    pub candidate_tree: Option<ObjectId>,
    /// The paths that the patch touches, sorted.
    #[serde(with = "serde_str::list")]
    #[schemars(with = "Vec<String>")]
    pub touched: Vec<RepoPath>,
    /// The seeds of each check, in the order of the policy.
    pub seeds: Vec<CheckSeeds>,
    /// SHA-256 of the canonical `seeds`.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub seeds_sha256: Sha256,
    /// SHA-256 of the policy's bytes.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub policy_sha256: Sha256,
    /// SHA-256 of the canonical rows in force.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub rows_sha256: Sha256,
    /// The fixture epoch.
    pub epoch: Epoch,
    /// The image that ran it.
    pub image: Image,
    /// What was enforced, and by which mechanism.
    pub enforced: Enforced,
    /// The checks that ran although the policy lets them reach the network, sorted: `enforced` says
    /// nothing of the network of their runs. Left out when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub online: Vec<String>,
    /// Every run, in order.
    pub checks: Vec<CheckRun>,
    /// What shows that a property can fail at all, by property.
    pub power: Vec<PropertyPower>,
    /// The passing checks that opened none of the touched paths, sorted.
    pub unwitnessed: Vec<String>,
    /// The frozen properties that failed and are held, sorted.
    pub held: Vec<String>,
    /// The canaries that missed.
    pub canary_bad: Vec<String>,
    /// The properties that failed under a freeze row that cannot be used, sorted.
    pub illegal_freeze: Vec<String>,
    /// The properties that failed and that no freeze row names, sorted.
    pub uncovered_fail: Vec<String>,
    /// What was decided.
    pub verdict: TrialVerdict,
    /// Why it was not admitted, sorted; empty for an admitted one.
    pub reasons: Vec<TrialReason>,
    /// The clock, outside the record's hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

/// The seeds of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckSeeds {
    /// The declared check.
    pub check: String,
    /// Its seeds, opaque texts.
    pub seeds: Vec<String>,
}

/// The fixture epoch of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Epoch {
    /// The name.
    pub epoch_id: String,
    /// The digest over the listed files.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub digest_sha256: Sha256,
}

/// The runner image of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// The id, `<basis>:<value>`.
    pub id: String,
    /// The measured fingerprint, whatever the id rests on.
    pub fingerprint: String,
}

/// When a trial ran, and how long its runs took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// When it began, `YYYY-MM-DDThh:mm:ssZ`.
    pub started_at: String,
    /// How long the whole trial took, in milliseconds.
    pub wall_ms: u64,
    /// How long each of the `checks` took, in milliseconds, in their order.
    pub checks_ms: Vec<u64>,
}

impl Trial {
    /// The digest of the canonical record without its clock.
    pub fn digest(&self) -> Sha256 {
        Sha256::of(print(&Self {
            timing: None,
            ..self.clone()
        }))
    }

    /// The name of its directory: the first 16 hex digits of the digest.
    pub fn directory_name(&self) -> String {
        self.digest().to_string()[..16].to_owned()
    }

    /// The runs on the candidate.
    pub fn candidate_runs(&self) -> impl Iterator<Item = &CheckRun> {
        self.checks
            .iter()
            .filter(|run| run.revision == Revision::Candidate)
    }
}
