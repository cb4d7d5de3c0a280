//! Defines the freeze ledger: excluded seeds, their expiry and their owner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{COMMIT_PATTERN, ID_PATTERN, LedgerFault, safe_path};
use super::field::{Field, text};
use super::file::{Ledger, LedgerName};
use super::object;

/// `ledger/freezes.json`: the seeds that are excluded for a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FreezeLedger {
    /// Always `git-reins/freezes/1`.
    #[schemars(extend("const" = FreezeLedger::SCHEMA))]
    pub schema: String,
    /// The rows, sorted by property and seed.
    #[serde(deserialize_with = "object::list")]
    pub freezes: Vec<FreezeRow>,
}

/// One seed of one property, unstable on base.
// Every member is optional here, because a missing one is a refusal with a code of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("required" = ["property_id", "seed", "base_rev", "fixture_epoch", "observed_on", "expires_at", "owner"]))]
pub struct FreezeRow {
    /// The oracle row that is excluded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = ID_PATTERN))]
    pub property_id: Option<Field<String>>,
    /// The seed that disagreed across runs, as an opaque text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = r"\S"))]
    pub seed: Option<Field<String>>,
    /// The revision where it was observed: the fixture ledger's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = COMMIT_PATTERN))]
    pub base_rev: Option<Field<String>>,
    /// The epoch of the observation: the fixture ledger's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = r"\S"))]
    pub fixture_epoch: Option<Field<String>>,
    /// Always `base`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("const" = "base"))]
    pub observed_on: Option<Field<String>>,
    /// The last day on which the row counts, `YYYY-MM-DD`, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))]
    pub expires_at: Option<Field<String>>,
    /// The person or ticket that has to remove the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = r"\S"))]
    pub owner: Option<Field<String>>,
    /// The code paths whose change may meet the instability; needed for a hit to be held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
    /// `true` lets a miss be held; without it the miss stays a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub quarantine_eligible: Option<Field<bool>>,
    /// The replay that showed the instability.
    #[serde(
        default,
        deserialize_with = "object::optional",
        skip_serializing_if = "Option::is_none"
    )]
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

impl Ledger for FreezeLedger {
    const NAME: LedgerName = LedgerName::Freezes;
    const SCHEMA: &str = Self::SCHEMA;

    fn schema_member(&self) -> &str {
        &self.schema
    }

    fn sort(&mut self) {
        self.freezes.sort_by(|a, b| a.key().cmp(&b.key()));
    }

    fn is_sorted(&self) -> bool {
        self.freezes.is_sorted_by(|a, b| a.key() <= b.key())
    }

    fn check(&self) -> Result<(), LedgerFault> {
        for (at, row) in self.freezes.iter().enumerate() {
            check_paths(row).map_err(|fault| fault.in_row(&row.name(at)))?;
        }
        check_keys(&self.freezes)
    }
}

fn check_paths(row: &FreezeRow) -> Result<(), LedgerFault> {
    let opened = row
        .evidence
        .as_ref()
        .and_then(|evidence| evidence.opened.as_ref());
    for (field, paths) in [("paths", row.paths.as_ref()), ("evidence.opened", opened)] {
        for (at, path) in paths.into_iter().flatten().enumerate() {
            safe_path(format_args!("{field}[{at}]"), path)?;
        }
    }
    Ok(())
}

/// Refuses two rows of the same property and seed; a row without them is refused elsewhere.
fn check_keys(rows: &[FreezeRow]) -> Result<(), LedgerFault> {
    let mut keys: Vec<_> = rows.iter().map(FreezeRow::key).collect();
    keys.retain(|(property, seed)| !property.is_empty() && !seed.is_empty());
    keys.sort_unstable();
    match keys.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => {
            let (property, seed) = pair[0];
            let fault = LedgerFault::member("seed", seed, "one row for each property and seed");
            Err(fault.in_row(&format!("{property} {seed}")))
        }
    }
}

impl FreezeRow {
    /// Property and seed, `""` where absent: what makes two rows the same row.
    pub fn key(&self) -> (&str, &str) {
        (text(&self.property_id), text(&self.seed))
    }

    /// Property and seed for messages, the place where either is absent.
    pub fn name(&self, at: usize) -> String {
        match self.key() {
            ("", _) => format!("freezes[{at}]"),
            (property, "") => property.to_owned(),
            (property, seed) => format!("{property} {seed}"),
        }
    }

    /// Whether two rows are the same state: all but `base_rev` and `fixture_epoch` agrees, since
    /// those follow the fixture ledger.
    pub fn same_state(&self, other: &Self) -> bool {
        let bare = |row: &Self| Self {
            base_rev: None,
            fixture_epoch: None,
            ..row.clone()
        };
        bare(self) == bare(other)
    }
}
