//! Describes what is wrong with a ledger: row, field, text and what was expected.

use std::fmt::{Display, Write as _};

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use super::scan::ScanFault;
use crate::model::ids::Sha256;
use crate::model::path::{RepoPath, shown};

/// The form of an [`OracleId`](crate::model::ids::OracleId) in words.
pub(super) const ID_FORM: &str =
    "a letter or digit, then at most 63 letters, digits, '.', '_' or '-'";
/// The form of an [`OracleId`](crate::model::ids::OracleId) as schemas write it.
pub(super) const ID_PATTERN: &str = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";
/// The form of a SHA-256 digest as schemas write it.
pub(super) const SHA256_PATTERN: &str = "^[0-9a-f]{64}$";

/// The form of a full commit id as schemas write it.
pub(super) const COMMIT_PATTERN: &str = "^([0-9a-f]{40}|[0-9a-f]{64})$";

/// Which refusal a fault amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// LEDGER_INVALID (or RESULTS_INVALID).
    Invalid,
    /// PATH_UNSAFE: a member that names a path holds none that is safe.
    PathUnsafe,
}

/// The first thing that is wrong with a ledger; the caller knows the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}read {observed}, expected {expected}", self.place())]
pub struct LedgerFault {
    /// The row as a person would name it, when the fault lies in one.
    pub row: Option<String>,
    /// The member, from the row down: `property_files[0].sha256`.
    pub field: Option<String>,
    /// The line, from 1, when the fault was found in the text.
    pub line: Option<usize>,
    /// What was read, safe to print.
    pub observed: String,
    /// What was expected instead.
    pub expected: String,
    /// Which refusal it amounts to.
    pub kind: FaultKind,
}

impl LedgerFault {
    /// A fault without a place.
    pub(super) fn new(observed: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            row: None,
            field: None,
            line: None,
            observed: observed.into(),
            expected: expected.into(),
            kind: FaultKind::Invalid,
        }
    }

    /// A member that holds `text` where `expected` has to stand.
    pub(super) fn member(field: impl Display, text: &str, expected: impl Into<String>) -> Self {
        let fault = Self::new(format!("\"{}\"", shown(text)), expected);
        Self {
            field: Some(field.to_string()),
            ..fault
        }
    }

    /// Names the row.
    pub(super) fn in_row(mut self, row: &str) -> Self {
        self.row = Some(shown(row));
        self
    }

    fn place(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.row.as_ref().map(|row| format!("row {row}")));
        parts.extend(self.field.as_ref().map(|field| format!("field {field}")));
        parts.extend(self.line.map(|line| format!("line {line}")));
        if parts.is_empty() {
            String::new()
        } else {
            parts.join(", ") + ": "
        }
    }
}

impl From<ScanFault> for LedgerFault {
    fn from(fault: ScanFault) -> Self {
        let observed = format!("{} at column {}", fault.observed, fault.column);
        Self {
            line: Some(fault.line),
            ..Self::new(observed, fault.expected)
        }
    }
}

/// Refuses a text that is no safe path.
///
/// # Errors
/// With [`FaultKind::PathUnsafe`].
pub(super) fn safe_path(field: impl Display, path: &str) -> Result<(), LedgerFault> {
    if is_plain(path) {
        return Ok(());
    }
    match path.parse::<RepoPath>() {
        Ok(_) => Ok(()),
        Err(error) => {
            let expected = format!("a safe path inside the repository, without {}", error.fault);
            Err(LedgerFault {
                kind: FaultKind::PathUnsafe,
                ..LedgerFault::member(field, path, expected)
            })
        }
    }
}

/// Whether nothing about a path needs the slow look: hundreds of thousands of rows have such ones.
fn is_plain(path: &str) -> bool {
    path.split('/').all(|name| {
        name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
    })
}

/// Refuses a text that is no digest.
///
/// # Errors
/// With the member and its text.
pub(super) fn sha256_shape(field: impl Display, text: &str) -> Result<(), LedgerFault> {
    if text.parse::<Sha256>().is_ok() {
        return Ok(());
    }
    Err(LedgerFault::member(field, text, "64 lower-case hex digits"))
}

/// The fault behind an error of serde, found at `path` of `text`.
pub(super) fn from_serde(text: &str, path: &Path, error: &serde_json::Error) -> LedgerFault {
    let message = error.to_string();
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&suffix).unwrap_or(&message);
    let place = Place::of(path);
    let (member, observed, expected) = phrases(message);
    LedgerFault {
        row: place.row.map(|(list, index)| row_name(text, list, index)),
        field: joined(&place.field, member),
        line: Some(error.line()),
        ..LedgerFault::new(shown(&observed), expected)
    }
}

/// Splits serde's message into the member it names, what was read and what was expected.
fn phrases(message: &str) -> (Option<&str>, String, String) {
    let quoted = |rest: &'static str| message.strip_prefix(rest)?.split('`').next();
    if let Some(member) = quoted("missing field `") {
        return (
            Some(member),
            "no such member".to_owned(),
            "a value".to_owned(),
        );
    }
    let (observed, expected) = message
        .rsplit_once(", expected ")
        .unwrap_or((message, "the declared shape"));
    if let Some(member) = quoted("unknown field `") {
        return (
            Some(member),
            "an unknown member".to_owned(),
            expected.to_owned(),
        );
    }
    let observed = observed.strip_prefix("invalid type: ").unwrap_or(observed);
    (None, observed.to_owned(), expected.to_owned())
}

fn joined(field: &str, member: Option<&str>) -> Option<String> {
    let member = member.map(shown).unwrap_or_default();
    let is_named = member.is_empty() || field == member || field.ends_with(&format!(".{member}"));
    match (field, is_named) {
        ("", true) if member.is_empty() => None,
        (_, true) => Some(field.to_owned()),
        ("", false) => Some(member),
        (_, false) => Some(format!("{field}.{member}")),
    }
}

/// The members that hold rows; other lists are members of one.
const ROW_LISTS: [&str; 3] = ["oracles", "freezes", "files"];

/// A path of serde, cut after the row.
#[derive(Default)]
struct Place<'a> {
    row: Option<(Option<&'a str>, usize)>,
    field: String,
}

impl<'a> Place<'a> {
    fn of(path: &'a Path) -> Self {
        let segments: Vec<_> = path.iter().collect();
        let (row, rest) = match segments.as_slice() {
            [Segment::Seq { index }, rest @ ..] => (Some((None, *index)), rest),
            [Segment::Map { key }, Segment::Seq { index }, rest @ ..]
                if ROW_LISTS.contains(&key.as_str()) =>
            {
                (Some((Some(key.as_str()), *index)), rest)
            }
            rest => (None, rest),
        };
        let mut field = String::new();
        for segment in rest {
            match segment {
                Segment::Seq { index } => write!(field, "[{index}]").unwrap_or_default(),
                Segment::Map { key } | Segment::Enum { variant: key } => {
                    let dot = if field.is_empty() { "" } else { "." };
                    write!(field, "{dot}{}", shown(key)).unwrap_or_default();
                }
                Segment::Unknown => {}
            }
        }
        Self { row, field }
    }
}

/// Names a row by its id; by its place when the id cannot be read.
fn row_name(text: &str, list: Option<&str>, index: usize) -> String {
    let names = match list {
        None => serde_json::from_str(text).unwrap_or_default(),
        Some(list) => {
            let lists: NamedLists = serde_json::from_str(text).unwrap_or_default();
            match list {
                "oracles" => lists.oracles,
                "freezes" => lists.freezes,
                _ => lists.files,
            }
        }
    };
    let name = names.into_iter().nth(index).and_then(|RowName(name)| name);
    name.unwrap_or_else(|| format!("{}[{index}]", list.map(shown).unwrap_or_default()))
}

/// The names of all rows, read leniently from a text that passed the scan.
#[derive(Default, Deserialize)]
#[serde(default)]
struct NamedLists {
    oracles: Vec<RowName>,
    freezes: Vec<RowName>,
    files: Vec<RowName>,
}

struct RowName(Option<String>);

impl<'de> Deserialize<'de> for RowName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let row = Value::deserialize(deserializer)?;
        let member = |name: &str| {
            row.get(name)?
                .as_str()
                .map(shown)
                .filter(|text| !text.is_empty())
        };
        let name = match (member("oracle_id"), member("property_id"), member("seed")) {
            (Some(id), _, _) | (None, Some(id), None) => Some(id),
            (None, Some(id), Some(seed)) => Some(format!("{id} {seed}")),
            (None, None, _) => member("path"),
        };
        Ok(Self(name))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn plain_paths_are_safe(path in "[a-bgitGIT.~_/\\\\ -]{0,9}") {
            prop_assert!(!is_plain(&path) || path.parse::<RepoPath>().is_ok(), "{path:?}");
        }
    }
}
