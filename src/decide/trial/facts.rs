//! What has to be known of a trial before it is decided? Owned plain data, from its runs.

use std::collections::BTreeSet;

use crate::ledger::field::{Field, text};
use crate::ledger::freeze::FreezeRow;
use crate::model::day::Day;
use crate::model::ids::OracleId;
use crate::model::path::RepoPath;
use crate::model::trial::Outcome;
use crate::policy::Power as PowerRule;

/// Everything that a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialFacts {
    /// What the draft channel brought.
    pub draft: Draft,
    /// The canaries that have to pass, in their order; those built in have to be among them.
    pub canaries: Vec<CanaryFacts>,
    /// The properties, each once.
    pub properties: Vec<PropertyFacts>,
    /// The paths that the patch touches.
    pub touched: BTreeSet<RepoPath>,
    /// Whether fixture, property or base bytes changed while checks ran.
    pub bytes_changed: bool,
    /// What a row has to show for itself to score.
    pub power: PowerRule,
    /// The day of the trial.
    pub today: Day,
}

/// What the draft channel brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draft {
    /// A patch.
    Patch,
    /// Nothing, or nothing but white space.
    Blank,
    /// A fault of the channel.
    Infra,
}

/// One canary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanaryFacts {
    /// Its name.
    pub id: String,
    /// How it ended.
    pub answer: CanaryAnswer,
}

/// How a canary ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CanaryAnswer {
    /// It ran, or was kept from it.
    Ended(Outcome),
    /// The policy has no command for it. Counts for `public_signature` alone.
    NotConfigured,
}

/// One property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyFacts {
    /// Its oracle row.
    pub id: OracleId,
    /// Whether it scores by its row, its order and its check: not smoke, not late, no network.
    pub scores: bool,
    /// Whether its check lets a frozen seed be held.
    pub eligible: bool,
    /// Every seed of its check and of its freeze rows, each once.
    pub seeds: Vec<SeedFacts>,
    /// The runs on base with the row's known-bad patch; `None` when the row has none.
    pub witness: Option<Vec<Outcome>>,
    /// Its freeze rows.
    pub freezes: Vec<FreezeFacts>,
}

/// The runs of one seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedFacts {
    /// The seed.
    pub seed: String,
    /// On base: one, or as many as there are replays.
    pub base: Vec<Outcome>,
    /// On the candidate: one, or as many as there are replays. None is no pass.
    pub candidate: Vec<Outcome>,
}

/// What a freeze row says about one seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreezeFacts {
    /// The seed.
    pub seed: String,
    /// The last day on which it counts; `None` is never.
    pub expires_at: Option<Day>,
    /// Whether it says that a miss can be held.
    pub eligible: bool,
    /// The paths whose change may meet the instability.
    pub paths: Vec<RepoPath>,
    /// Whether `check` has nothing against it: owner, base, epoch, horizon, no canary.
    pub sound: bool,
}

impl FreezeFacts {
    /// What a row says; `sound` is the word of `check`.
    pub fn of(row: &FreezeRow, sound: bool) -> Self {
        let paths = row.paths.as_deref().unwrap_or_default();
        Self {
            seed: text(&row.seed).to_owned(),
            expires_at: text(&row.expires_at).parse().ok(),
            eligible: row.quarantine_eligible == Some(Field::Value(true)),
            paths: paths.iter().filter_map(|path| path.parse().ok()).collect(),
            sound,
        }
    }
}
