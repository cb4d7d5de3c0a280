//! Reads the short ledgers of the articles and rewrites them in the full form.
//!
//! The articles show one oracle object, a list of freezes and a fixture without files. Each reader
//! takes that shape or the full one, which the `schema` member tells apart.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::fault::LedgerFault;
use super::field::{Field, text};
use super::file::{Ledger, parse, read, scanned};
use super::fixture::FixtureLedger;
use super::freeze::{FreezeLedger, FreezeRow};
use super::object::Object;
use super::oracle::{OracleLedger, OracleRow};
use super::scan::{Scan, Top};
use crate::model::ids::ObjectId;

/// The three ledgers as the articles' rules read them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleLedgers {
    /// The rows, one in the bare shape; an id, source or property that it lacks is blank.
    pub oracles: Vec<OracleRow>,
    /// The pinned snapshot.
    pub fixture: ArticleFixture,
    /// The freezes.
    pub freezes: Vec<FreezeRow>,
}

/// A fixture ledger without files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ArticleFixture {
    /// The name of the snapshot.
    pub epoch_id: Option<Field<String>>,
    /// The base revision.
    pub base_rev: Option<Field<String>>,
    /// The digest that was published.
    pub digest_sha256: Option<Field<String>>,
    /// The image that loads the bytes.
    pub runner_image_id: Option<Field<String>>,
    /// The digest that was seen; for a full ledger the one over its own list of files.
    pub observed_digest: Option<Field<String>>,
    /// What the digest does not see.
    pub residual_risk: Vec<String>,
}

/// A ledger in the full shape, and what a person still has to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upgrade<L> {
    /// The rewritten ledger; strict reading may refuse it as long as something is missing.
    pub ledger: L,
    /// What is missing, `ROW: MEMBER`.
    pub missing: Vec<String>,
}

/// Reads the oracle rows of either shape.
///
/// # Errors
/// With the first fault.
pub fn read_oracles(bytes: &[u8]) -> Result<Vec<OracleRow>, LedgerFault> {
    let scanned = scanned(bytes)?;
    if is_full(&scanned)? {
        return parse::<OracleLedger>(bytes).map(|ledger| ledger.oracles);
    }
    bare_oracle(&scanned).map(|row| vec![row])
}

/// Reads the fixture of either shape.
///
/// # Errors
/// With the first fault.
pub fn read_fixture(bytes: &[u8]) -> Result<ArticleFixture, LedgerFault> {
    let scanned = scanned(bytes)?;
    if !is_full(&scanned)? {
        return read::<Object<ArticleFixture>>(scanned.text).map(|object| object.0);
    }
    let ledger: FixtureLedger = parse(bytes)?;
    let observed = ledger.listed_digest();
    Ok(ArticleFixture {
        epoch_id: ledger.epoch_id,
        base_rev: ledger.base_rev,
        digest_sha256: ledger.digest_sha256,
        runner_image_id: ledger.runner_image_id,
        observed_digest: Some(Field::Value(observed)),
        residual_risk: ledger.residual_risk,
    })
}

/// Reads the freezes of either shape.
///
/// # Errors
/// With the first fault.
pub fn read_freezes(bytes: &[u8]) -> Result<Vec<FreezeRow>, LedgerFault> {
    let scanned = scanned(bytes)?;
    match scanned.top {
        Top::Object => parse::<FreezeLedger>(bytes).map(|ledger| ledger.freezes),
        Top::Array => {
            let rows = read::<Vec<Object<FreezeRow>>>(scanned.text)?;
            Ok(rows.into_iter().map(|object| object.0).collect())
        }
    }
}

/// Rewrites oracle rows of either shape.
///
/// # Errors
/// When the file is of neither shape, or has a fault that is more than something missing.
pub fn upgrade_oracle(bytes: &[u8]) -> Result<Upgrade<OracleLedger>, LedgerFault> {
    let oracles = read_oracles(bytes)?;
    let missing = oracles.iter().flat_map(missing_in_oracle).collect();
    let has_blank = |row: &OracleRow| {
        naming_members(row)
            .iter()
            .any(|(_, text)| text.trim().is_empty())
    };
    let is_checkable = !oracles.iter().any(has_blank);
    let ledger = OracleLedger {
        schema: OracleLedger::SCHEMA.to_owned(),
        oracles,
    };
    if is_checkable {
        ledger.check()?;
    }
    Ok(Upgrade { ledger, missing })
}

/// Rewrites a fixture of either shape; `observed_digest` has no place in the full one.
///
/// # Errors
/// When the file is of neither shape.
pub fn upgrade_fixture(bytes: &[u8]) -> Result<Upgrade<FixtureLedger>, LedgerFault> {
    let bare = !is_full(&scanned(bytes)?)?;
    let ledger = if bare {
        full_fixture(read_fixture(bytes)?)
    } else {
        parse(bytes)?
    };
    let files = bare.then(|| "fixture.json: files".to_owned());
    let missing = files
        .into_iter()
        .chain(missing_in_fixture(&ledger))
        .collect();
    Ok(Upgrade { ledger, missing })
}

/// Rewrites freezes of either shape.
///
/// # Errors
/// When the file is of neither shape, or two rows are about the same property and seed.
pub fn upgrade_freezes(bytes: &[u8]) -> Result<Upgrade<FreezeLedger>, LedgerFault> {
    let mut ledger = FreezeLedger {
        schema: FreezeLedger::SCHEMA.to_owned(),
        freezes: read_freezes(bytes)?,
    };
    ledger.check()?;
    ledger.sort();
    let rows = ledger.freezes.iter().enumerate();
    let missing = rows
        .flat_map(|(at, row)| missing_in_freeze(at, row))
        .collect();
    Ok(Upgrade { ledger, missing })
}

fn is_full(scanned: &Scan<'_>) -> Result<bool, LedgerFault> {
    #[derive(Deserialize)]
    struct Probe {
        schema: Option<IgnoredAny>,
    }
    if scanned.top == Top::Array {
        return Err(LedgerFault::new("a list", "an object"));
    }
    read::<Object<Probe>>(scanned.text).map(|Object(probe)| probe.schema.is_some())
}

/// Reads one row whose id, source and property may be absent.
fn bare_oracle(scanned: &Scan<'_>) -> Result<OracleRow, LedgerFault> {
    let mut members: Map<String, Value> = read(scanned.text)?;
    for name in ["oracle_id", "source", "property"] {
        members.entry(name).or_insert_with(|| Value::from(""));
    }
    let row = read::<Object<OracleRow>>(&Value::Object(members).to_string());
    row.map(|object| object.0).map_err(|fault| LedgerFault {
        line: None,
        ..fault
    })
}

fn full_fixture(bare: ArticleFixture) -> FixtureLedger {
    FixtureLedger {
        schema: FixtureLedger::SCHEMA.to_owned(),
        epoch_id: bare.epoch_id,
        base_rev: bare.base_rev,
        digest_sha256: bare.digest_sha256,
        runner_image_id: bare.runner_image_id,
        files: Vec::new(),
        residual_risk: bare.residual_risk,
    }
}

fn naming_members(row: &OracleRow) -> [(&'static str, &str); 3] {
    [
        ("oracle_id", &row.oracle_id),
        ("source", &row.source),
        ("property", &row.property),
    ]
}

fn missing_in_oracle(row: &OracleRow) -> Vec<String> {
    let blank = naming_members(row)
        .into_iter()
        .filter(|(_, text)| text.trim().is_empty());
    let mut missing: Vec<_> = blank.map(|(name, _)| name).collect();
    missing.extend(row.sees_diff.is_none().then_some("sees_diff"));
    missing.extend(row.property_files.is_empty().then_some("property_files"));
    missing.extend(row.missing_for_score());
    let name = if row.oracle_id.trim().is_empty() {
        "oracle.json"
    } else {
        &row.oracle_id
    };
    missing
        .into_iter()
        .map(|member| format!("{name}: {member}"))
        .collect()
}

fn missing_in_fixture(ledger: &FixtureLedger) -> Vec<String> {
    let is_image = |image: &str| {
        image
            .split_once(':')
            .is_some_and(|(basis, value)| !basis.trim().is_empty() && !value.trim().is_empty())
    };
    let (base, digest) = (text(&ledger.base_rev), text(&ledger.digest_sha256));
    let members = [
        ("epoch_id", !text(&ledger.epoch_id).is_empty()),
        (
            "base_rev as a full commit id",
            base.parse::<ObjectId>().is_ok(),
        ),
        (
            "digest_sha256 over the listed files",
            digest == ledger.listed_digest(),
        ),
        (
            "runner_image_id as BASIS:VALUE",
            is_image(text(&ledger.runner_image_id)),
        ),
    ];
    members
        .iter()
        .filter(|(_, given)| !given)
        .map(|(name, _)| format!("fixture.json: {name}"))
        .collect()
}

fn missing_in_freeze(at: usize, row: &FreezeRow) -> Vec<String> {
    let members = [
        ("property_id", &row.property_id),
        ("seed", &row.seed),
        ("base_rev", &row.base_rev),
        ("fixture_epoch", &row.fixture_epoch),
        ("observed_on", &row.observed_on),
        ("expires_at", &row.expires_at),
        ("owner", &row.owner),
    ];
    let blank = members.iter().filter(|(_, member)| text(member).is_empty());
    blank
        .map(|(name, _)| format!("{}: {name}", row.name(at)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::file::print;

    const ORACLE: &str = r#"{
        "oracle_id": "bal-nonneg-01", "source": "spec/accounts.md#invariants", "authored_commit": "base-or-earlier",
        "sees_diff": false, "property": "balance_never_negative"
    }"#;
    const FIXTURE: &str = r#"{
        "epoch_id": "epoch-3", "base_rev": "a11ce", "digest_sha256": "abc", "runner_image_id": "img-1",
        "observed_digest": "abc"
    }"#;
    const FREEZES: &str = r#"[{
        "property_id": "bal-nonneg-01", "seed": "0x9c1e", "base_rev": "a11ce", "fixture_epoch": "epoch-3",
        "observed_on": "base", "expires_at": "2026-10-10", "owner": "patch-review-queue"
    }]"#;

    #[test]
    fn the_articles_objects_are_read() {
        let rows = read_oracles(ORACLE.as_bytes()).unwrap();
        assert_eq!(
            (
                rows.len(),
                rows[0].oracle_id.as_str(),
                rows[0].is_independent()
            ),
            (1, "bal-nonneg-01", true)
        );
        let rows = read_oracles(br#"{"sees_diff": "false"}"#).unwrap();
        assert_eq!(
            (rows[0].oracle_id.as_str(), rows[0].is_independent()),
            ("", false)
        );
        let fixture = read_fixture(FIXTURE.as_bytes()).unwrap();
        assert_eq!(
            (text(&fixture.epoch_id), text(&fixture.observed_digest)),
            ("epoch-3", "abc")
        );
        let rows = read_freezes(FREEZES.as_bytes()).unwrap();
        assert_eq!(rows[0].key(), ("bal-nonneg-01", "0x9c1e"));
        assert_eq!(read_freezes(b"[]"), Ok(Vec::new()));
    }

    #[test]
    fn full_ledgers_are_read_by_the_same_readers() {
        let oracles = upgrade_oracle(ORACLE.as_bytes()).unwrap().ledger;
        assert_eq!(
            read_oracles(print(&oracles).as_bytes()),
            Ok(oracles.oracles)
        );
        let freezes = upgrade_freezes(FREEZES.as_bytes()).unwrap().ledger;
        assert_eq!(
            read_freezes(print(&freezes).as_bytes()),
            Ok(freezes.freezes)
        );
        let fixture = upgrade_fixture(FIXTURE.as_bytes()).unwrap().ledger;
        let read = read_fixture(print(&fixture).as_bytes()).unwrap();
        assert_eq!(text(&read.observed_digest), fixture.listed_digest());
        assert_eq!(text(&read.digest_sha256), "abc");
    }

    #[test]
    fn an_upgrade_says_what_is_missing() {
        let missing = |text: &str| upgrade_oracle(text.as_bytes()).unwrap().missing;
        let score = ["inputs", "relation", "witness"];
        let expected = |row: &str, members: &[&str]| -> Vec<_> {
            members
                .iter()
                .chain(&score)
                .map(|member| format!("{row}: {member}"))
                .collect()
        };
        assert_eq!(
            missing(ORACLE),
            expected("bal-nonneg-01", &["property_files"])
        );
        assert_eq!(
            missing(r#"{"sees_diff": false}"#),
            expected(
                "oracle.json",
                &["oracle_id", "source", "property", "property_files"]
            )
        );
        assert_eq!(
            missing(r#"{"oracle_id": "a", "source": "issue:1", "property": "p"}"#),
            expected("a", &["sees_diff", "property_files"])
        );
        let upgrade = upgrade_freezes(br#"[{"property_id": "a", "owner": " "}]"#).unwrap();
        let members = [
            "seed",
            "base_rev",
            "fixture_epoch",
            "observed_on",
            "expires_at",
            "owner",
        ];
        assert_eq!(
            upgrade.missing,
            members.map(|member| format!("a: {member}"))
        );
        assert_eq!(
            upgrade_freezes(FREEZES.as_bytes()).unwrap().missing,
            [""; 0]
        );
        let members = [
            "files",
            "base_rev as a full commit id",
            "digest_sha256 over the listed files",
            "runner_image_id as BASIS:VALUE",
        ];
        assert_eq!(
            upgrade_fixture(FIXTURE.as_bytes()).unwrap().missing,
            members.map(|member| format!("fixture.json: {member}"))
        );
    }

    #[test]
    fn an_upgraded_ledger_is_read_strictly_once_nothing_names_it_is_blank() {
        let ledger = upgrade_oracle(ORACLE.as_bytes()).unwrap().ledger;
        assert_eq!(parse(print(&ledger).as_bytes()), Ok(ledger.clone()));
        assert_eq!(
            upgrade_oracle(print(&ledger).as_bytes()).unwrap().ledger,
            ledger
        );
        let nameless = upgrade_oracle(br#"{"sees_diff": false}"#).unwrap().ledger;
        assert!(parse::<OracleLedger>(print(&nameless).as_bytes()).is_err());
    }

    #[test]
    fn neither_shape_is_refused() {
        let oracle = |text: &str| read_oracles(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(oracle("[]"), "read a list, expected an object");
        assert_eq!(
            oracle(r#"{"source": 5}"#),
            "field source: read integer `5`, expected a string"
        );
        assert_eq!(
            oracle(r#"{"property_files": [{"path": 1}]}"#),
            "field property_files[0].path: read integer `1`, expected a string"
        );
        assert!(oracle(r#"{"sees_diff": false, "sees_diff": true}"#).contains("a second member"));
        assert!(oracle(r#"{"schema": null}"#).starts_with("field schema: read an unknown member"));
        assert!(upgrade_oracle(br#"{"oracle_id": "a", "source": "x", "property": "p"}"#).is_err());
        assert!(read_fixture(br#"{"files": []}"#).is_err());
        assert!(read_fixture(b"[]").is_err());
        assert!(read_freezes(br#"[{"property": "a"}]"#).is_err());
        assert!(read_freezes(br#"[["a"]]"#).is_err());
        assert!(read_freezes(b"{}").is_err());
        assert!(
            upgrade_freezes(
                br#"[{"property_id": "a", "seed": "1"}, {"property_id": "a", "seed": "1"}]"#
            )
            .is_err()
        );
    }
}
