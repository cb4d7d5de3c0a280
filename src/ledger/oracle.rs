//! Defines the oracle ledger, its rows and the members a row needs to score.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{ID_FORM, ID_PATTERN, LedgerFault, SHA256_PATTERN, safe_path, sha256_shape};
use super::field::Field;
use super::file::{Ledger, LedgerName};
use super::object;
use crate::model::ids::OracleId;

/// `ledger/oracle.json`: every property that was selected before a diff existed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OracleLedger {
    /// Always `git-reins/oracle/1`.
    #[schemars(extend("const" = OracleLedger::SCHEMA))]
    pub schema: String,
    /// The rows, sorted by id.
    #[serde(deserialize_with = "object::list")]
    pub oracles: Vec<OracleRow>,
}

/// One property: where it was selected from, which bytes it is made of, what it names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("required" = ["oracle_id", "source", "sees_diff", "property", "property_files"]))]
pub struct OracleRow {
    /// The id: a letter or digit, then at most 63 letters, digits, `.`, `_` or `-`; unique
    /// under ASCII case folding.
    #[schemars(regex(pattern = ID_PATTERN))]
    pub oracle_id: String,
    /// Where it was selected from: `path#anchor`, `issue:...` or a URL.
    #[schemars(regex(pattern = r"^(issue:|[A-Za-z][A-Za-z0-9+.-]*://|[^#]+#).*\S"))]
    pub source: String,
    /// Literally `false` when nobody who wrote the row saw the diff. Anything else refuses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub sees_diff: Option<Field<bool>>,
    /// The name of the property, as the check calls it.
    #[schemars(regex(pattern = r"\S"))]
    pub property: String,
    /// The declared check that runs it; the only property check when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The files that the property is made of; the first one holds it.
    #[serde(
        default,
        deserialize_with = "object::list",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[schemars(length(min = 1))]
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
    #[serde(
        default,
        deserialize_with = "object::optional",
        skip_serializing_if = "Option::is_none"
    )]
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
    #[schemars(regex(pattern = SHA256_PATTERN))]
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

impl Ledger for OracleLedger {
    const NAME: LedgerName = LedgerName::Oracle;
    const SCHEMA: &str = Self::SCHEMA;

    fn schema_member(&self) -> &str {
        &self.schema
    }

    fn sort(&mut self) {
        self.oracles.sort_by(|a, b| a.oracle_id.cmp(&b.oracle_id));
    }

    fn is_sorted(&self) -> bool {
        self.oracles.is_sorted_by(|a, b| a.oracle_id <= b.oracle_id)
    }

    fn check(&self) -> Result<(), LedgerFault> {
        for row in &self.oracles {
            check_row(row).map_err(|fault| fault.in_row(&row.oracle_id))?;
        }
        check_ids(&self.oracles)
    }
}

fn check_row(row: &OracleRow) -> Result<(), LedgerFault> {
    if row.id().is_none() {
        return Err(LedgerFault::member("oracle_id", &row.oracle_id, ID_FORM));
    }
    if row.property.trim().is_empty() {
        return Err(LedgerFault::member(
            "property",
            &row.property,
            "the name of a property",
        ));
    }
    match row.source() {
        Source::Text { path, .. } => safe_path("source", path)?,
        Source::Elsewhere(_) => {}
        Source::Malformed(text) => {
            return Err(LedgerFault::member(
                "source",
                text,
                "path#anchor, issue:NAME or a URL",
            ));
        }
    }
    for (at, file) in row.property_files.iter().enumerate() {
        check_file(format_args!("property_files[{at}]"), file)?;
    }
    row.witness_patch
        .as_ref()
        .map_or(Ok(()), |patch| check_witness(&row.oracle_id, patch))
}

fn check_witness(id: &str, patch: &PinnedFile) -> Result<(), LedgerFault> {
    check_file(format_args!("witness_patch"), patch)?;
    let expected = format!("/witness/{id}.diff");
    if patch.path.ends_with(&expected) {
        return Ok(());
    }
    Err(LedgerFault::member(
        "witness_patch.path",
        &patch.path,
        format!("a path that ends with {expected}"),
    ))
}

/// The name of the member is put together only for a fault.
fn check_file(field: fmt::Arguments<'_>, file: &PinnedFile) -> Result<(), LedgerFault> {
    safe_path(format_args!("{field}.path"), &file.path)?;
    sha256_shape(format_args!("{field}.sha256"), &file.sha256)
}

/// The bytes of an id without case, compared without building a text for each of many rows.
fn folded(row: &OracleRow) -> impl Iterator<Item = u8> + '_ {
    row.oracle_id.bytes().map(|byte| byte.to_ascii_lowercase())
}

/// Refuses two ids that are equal when case is folded.
fn check_ids(rows: &[OracleRow]) -> Result<(), LedgerFault> {
    let mut ids: Vec<_> = rows.iter().collect();
    ids.sort_by(|a, b| folded(a).cmp(folded(b)));
    match ids
        .windows(2)
        .find(|pair| folded(pair[0]).eq(folded(pair[1])))
    {
        None => Ok(()),
        Some(pair) => {
            let (first, second) = (&pair[0].oracle_id, &pair[1].oracle_id);
            let expected = format!("an id that differs from the row {first} in more than case");
            Err(LedgerFault::member("oracle_id", second, expected).in_row(second))
        }
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
        let named =
            |member: &Option<String>| member.as_ref().is_some_and(|text| !text.trim().is_empty());
        let members = [
            ("inputs", &self.inputs),
            ("relation", &self.relation),
            ("witness", &self.witness),
        ];
        members
            .iter()
            .filter(|(_, member)| !named(member))
            .map(|(name, _)| *name)
            .collect()
    }

    /// Whether `sees_diff` is literally `false`.
    pub fn is_independent(&self) -> bool {
        self.sees_diff == Some(Field::Value(false))
    }

    /// Whether two rows are the same state: all but `authored_commit` agrees.
    pub fn same_state(&self, other: &Self) -> bool {
        let bare = |row: &Self| Self {
            authored_commit: None,
            ..row.clone()
        };
        self == other || self.authored_commit != other.authored_commit && bare(self) == bare(other)
    }

    /// Where the row was selected from.
    pub fn source(&self) -> Source<'_> {
        let source = self.source.as_str();
        if source
            .strip_prefix("issue:")
            .is_some_and(|rest| !rest.trim().is_empty())
            || is_url(source)
        {
            return Source::Elsewhere(source);
        }
        match source.split_once('#') {
            Some((path, anchor)) if !path.trim().is_empty() && !anchor.trim().is_empty() => {
                Source::Text { path, anchor }
            }
            _ => Source::Malformed(source),
        }
    }
}

/// Whether a text starts with a scheme: a `://` further on, in an anchor, makes no URL.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let tail = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(tail)
        && !rest.trim().is_empty()
}

/// The text of an optional member that has to be named, for messages.
pub fn observed_sees_diff(field: &Option<Field<bool>>) -> String {
    field
        .as_ref()
        .map_or_else(|| "absent or null".to_owned(), Field::shown)
}
