//! What does an oracle row claim, and does it score?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::field::Field;
use crate::model::ids::OracleId;

/// `ledger/oracle.json`: every property that was selected before a diff existed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OracleLedger {
    /// Always `git-reins/oracle/1`.
    pub schema: String,
    /// The rows, sorted by id.
    pub oracles: Vec<OracleRow>,
}

/// One property: where it was selected from, which bytes it is made of, what it names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OracleRow {
    /// The id: a letter or digit, then at most 63 letters, digits, `.`, `_` or `-`; unique
    /// under ASCII case folding.
    pub oracle_id: String,
    /// Where it was selected from: `path#anchor`, `issue:...` or a URL.
    pub source: String,
    /// Literally `false` when nobody who wrote the row saw the diff. Anything else refuses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub sees_diff: Option<Field<bool>>,
    /// The name of the property, as the check calls it.
    pub property: String,
    /// The declared check that runs it; the only property check when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The files that the property is made of; the first one holds it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub property_files: Vec<PinnedFile>,
    /// What the property is tried on. Without it the row is smoke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<String>,
    /// What must hold. Without it the row is smoke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
    /// What a failure looks like. Without it the row is smoke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<String>,
    /// `false` keeps the row as smoke: it runs and never scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<bool>,
    /// A known-bad diff that the property must catch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness_patch: Option<PinnedFile>,
    /// Who drafted the row, a model's name for example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drafted_by: Option<String>,
    /// Who read the row against the cited text and cleared `sees_diff`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleared_by: Option<String>,
    /// A hint for people; never trusted, since a rebase makes it stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authored_commit: Option<String>,
}

/// A file and the digest of its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinnedFile {
    /// The path from the root of the repository.
    pub path: String,
    /// SHA-256 of the bytes, 64 lower-case hex digits.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    pub sha256: String,
}

/// Where a row was selected from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// A heading in a file of the repository.
    Text {
        /// The file.
        path: &'a str,
        /// The heading, as links to it are written.
        anchor: &'a str,
    },
    /// An issue or a URL: recorded, not verified.
    Elsewhere(&'a str),
    /// None of the declared forms.
    Malformed(&'a str),
}

impl OracleLedger {
    /// The name in the `schema` member.
    pub const SCHEMA: &'static str = "git-reins/oracle/1";

    /// The row with this id.
    pub fn row(&self, id: &str) -> Option<&OracleRow> {
        self.oracles.iter().find(|row| row.oracle_id == id)
    }
}

impl OracleRow {
    /// The id as a newtype; strict reading has refused every row for which this is `None`.
    pub fn id(&self) -> Option<OracleId> {
        self.oracle_id.parse().ok()
    }

    /// Whether the row names inputs, relation and witness and does not opt out of the score.
    pub fn scores(&self) -> bool {
        self.score != Some(false) && self.missing_for_score().is_empty()
    }

    /// The members that `scores` misses, by name.
    pub fn missing_for_score(&self) -> Vec<&'static str> {
        let named = |member: &Option<String>| member.as_ref().is_some_and(|text| !text.trim().is_empty());
        let members = [("inputs", &self.inputs), ("relation", &self.relation), ("witness", &self.witness)];
        members.iter().filter(|(_, member)| !named(member)).map(|(name, _)| *name).collect()
    }

    /// Whether `sees_diff` is literally `false`.
    pub fn is_independent(&self) -> bool {
        self.sees_diff == Some(Field::Value(false))
    }

    /// Whether two rows are the same state: all but `authored_commit` agrees.
    pub fn same_state(&self, other: &Self) -> bool {
        let bare = |row: &Self| Self { authored_commit: None, ..row.clone() };
        bare(self) == bare(other)
    }

    /// Where the row was selected from.
    pub fn source(&self) -> Source<'_> {
        let source = self.source.as_str();
        if source.strip_prefix("issue:").is_some_and(|rest| !rest.trim().is_empty()) || source.contains("://")
        {
            return Source::Elsewhere(source);
        }
        match source.split_once('#') {
            Some((path, anchor)) if !path.is_empty() && !anchor.is_empty() => Source::Text { path, anchor },
            _ => Source::Malformed(source),
        }
    }
}

/// The text of an optional member that has to be named, for messages.
pub fn observed_sees_diff(field: &Option<Field<bool>>) -> String {
    field.as_ref().map_or_else(|| "absent or null".to_owned(), Field::shown)
}
