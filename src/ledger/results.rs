//! Reads the results that `--results` hands in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{ID_FORM, ID_PATTERN, LedgerFault};
use super::file::{read, scanned};
use super::object::Object;
use super::scan::Top;
use crate::model::ids::OracleId;

/// One result of `--results FILE`, a list of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultRow {
    /// The oracle row or the canary.
    #[schemars(regex(pattern = ID_PATTERN))]
    pub property_id: String,
    /// What came out; only `pass` is a pass.
    #[schemars(regex(pattern = r"\S"))]
    pub status: String,
    /// Whether it is a canary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<bool>,
}

/// Reads a list of results; the same property may come up more than once.
///
/// # Errors
/// With the first fault of the text, its shape, an id or a blank status.
pub fn parse_results(bytes: &[u8]) -> Result<Vec<ResultRow>, LedgerFault> {
    let scanned = scanned(bytes)?;
    if scanned.top != Top::Array {
        return Err(LedgerFault::new(
            "an object",
            "a list of {property_id, status, canary?}",
        ));
    }
    let rows = read::<Vec<Object<ResultRow>>>(scanned.text)?;
    rows.into_iter().map(|Object(row)| checked(row)).collect()
}

fn checked(row: ResultRow) -> Result<ResultRow, LedgerFault> {
    let fault = |field, text, expected| {
        Err(LedgerFault::member(field, text, expected).in_row(&row.property_id))
    };
    if row.property_id.parse::<OracleId>().is_err() {
        return fault("property_id", &row.property_id, ID_FORM);
    }
    if row.status.trim().is_empty() {
        return fault("status", &row.status, "a status such as pass");
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        parse_results(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn results_are_a_strict_list() {
        let text = r#"[{"property_id": "a", "status": "pass"}, {"status": "fail", "property_id": "a", "canary": true}]"#;
        let rows = parse_results(text.as_bytes()).unwrap();
        let read: Vec<_> = rows
            .iter()
            .map(|row| (row.status.as_str(), row.canary))
            .collect();
        assert_eq!(read, [("pass", None), ("fail", Some(true))]);
        assert_eq!(parse_results(b"[]"), Ok(Vec::new()));
    }

    #[test]
    fn faulty_results_are_refused() {
        for (text, expected) in [
            (
                "{}",
                "read an object, expected a list of {property_id, status, canary?}",
            ),
            (
                r#"[["a", "pass"]]"#,
                "row [0], line 1: read sequence, expected an object",
            ),
            (
                r#"[{"property_id": "a"}]"#,
                "row a, field status, line 1: read no such member, expected a value",
            ),
            (
                r#"[{"property_id": "a", "status": true}]"#,
                "row a, field status, line 1: read boolean `true`, expected a string",
            ),
            (
                r#"[{"property_id": "a", "status": "pass", "canary": "yes"}]"#,
                "row a, field canary, line 1: read string \"yes\", expected a boolean",
            ),
            (
                r#"[{"property_id": "a", "status": " "}]"#,
                "row a, field status: read \" \", expected a status such as pass",
            ),
            (
                r#"[{"property_id": "a", "status": "pass",}]"#,
                "line 1: read '}' at column 40, expected a member name",
            ),
        ] {
            assert_eq!(fault(text), expected);
        }
        assert!(
            fault(r#"[{"property_id": "a b", "status": "pass"}]"#)
                .starts_with("row a b, field property_id: ")
        );
        assert!(
            fault(r#"[{"property_id": "a", "status": "pass", "x": 1}]"#)
                .starts_with("row a, field x")
        );
    }
}
