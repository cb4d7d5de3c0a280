//! Edits oracle rows. Each edit is a function from rows to rows.

use std::collections::BTreeMap;

use super::Refused;
use super::ledger_worktree::{LedgerWorktree, LedgerWorktreeError};
use crate::ledger::field::Field;
use crate::ledger::file::Ledger as _;
use crate::ledger::oracle::{OracleLedger, OracleRow, PinnedFile, Source};
use crate::model::heading;
use crate::model::ids::{OracleId, Sha256};
use crate::model::path::{RepoPath, shown};
use crate::model::refusal::Code;
use crate::model::shell::word;
use crate::policy::{Kind, Policy};

/// What a person said about a row; what was not said stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Where it was selected from, verified.
    pub source: Option<String>,
    /// The name of the property.
    pub property: Option<String>,
    /// The check that runs it.
    pub check: Option<String>,
    /// The property's files, pinned.
    pub files: Option<Vec<PinnedFile>>,
    /// What it is tried on.
    pub inputs: Option<String>,
    /// What must hold.
    pub relation: Option<String>,
    /// What a failure looks like.
    pub witness: Option<String>,
    /// Whether it may score.
    pub score: Option<bool>,
    /// Who drafted it: somebody who may have seen the diff.
    pub drafted_by: Option<String>,
}

impl Said {
    fn onto(self, row: OracleRow) -> OracleRow {
        let drafted = self.drafted_by.is_some();
        OracleRow {
            source: self.source.unwrap_or(row.source),
            property: self.property.unwrap_or(row.property),
            check: self.check.or(row.check),
            property_files: self.files.unwrap_or(row.property_files),
            inputs: self.inputs.or(row.inputs),
            relation: self.relation.or(row.relation),
            witness: self.witness.or(row.witness),
            // `true` is the default and is not written.
            score: self
                .score
                .map_or(row.score, |score| Some(score).filter(|score| !score)),
            sees_diff: if drafted {
                Some(Field::Value(true))
            } else {
                row.sees_diff
            },
            cleared_by: if drafted { None } else { row.cleared_by },
            drafted_by: self.drafted_by.or(row.drafted_by),
            ..row
        }
    }
}

/// A ledger without rows.
pub fn empty() -> OracleLedger {
    OracleLedger {
        schema: OracleLedger::SCHEMA.to_owned(),
        oracles: Vec::new(),
    }
}

/// Adds a row.
///
/// # Errors
/// When the id is taken under ASCII case folding.
pub fn add(
    mut ledger: OracleLedger,
    id: &OracleId,
    said: Said,
    authored: Option<String>,
) -> Result<OracleLedger, Refused> {
    let taken = ledger
        .oracles
        .iter()
        .find(|row| row.oracle_id.eq_ignore_ascii_case(id.as_str()));
    if let Some(row) = taken {
        let fix = format!(
            "git reins oracle edit {}, or choose another id",
            row.oracle_id
        );
        return Err(Refused::new(format!("the id '{}' is taken", row.oracle_id)).fix(fix));
    }
    let row = said.onto(OracleRow {
        oracle_id: id.to_string(),
        authored_commit: authored,
        ..blank()
    });
    ledger.oracles.push(row);
    ledger.sort();
    Ok(ledger)
}

fn blank() -> OracleRow {
    OracleRow {
        oracle_id: String::new(),
        source: String::new(),
        sees_diff: Some(Field::Value(false)),
        property: String::new(),
        check: None,
        property_files: Vec::new(),
        inputs: None,
        relation: None,
        witness: None,
        score: None,
        witness_patch: None,
        drafted_by: None,
        cleared_by: None,
        authored_commit: None,
    }
}

/// Changes a row by `change`.
///
/// # Errors
/// When there is no such row.
pub fn change(
    mut ledger: OracleLedger,
    id: &OracleId,
    change: impl FnOnce(OracleRow) -> OracleRow,
) -> Result<OracleLedger, Refused> {
    let row = ledger
        .oracles
        .iter_mut()
        .find(|row| row.oracle_id == id.as_str())
        .ok_or_else(|| unknown(id))?;
    *row = change(row.clone());
    Ok(ledger)
}

/// Changes what was said about a row.
///
/// # Errors
/// When there is no such row.
pub fn edit(ledger: OracleLedger, id: &OracleId, said: Said) -> Result<OracleLedger, Refused> {
    change(ledger, id, |row| said.onto(row))
}

/// Records that `name` read the row against the text it cites.
///
/// # Errors
/// When there is no such row, or `name` drafted it.
pub fn clear(ledger: OracleLedger, id: &OracleId, name: &str) -> Result<OracleLedger, Refused> {
    let drafted_by = ledger
        .row(id.as_str())
        .and_then(|row| row.drafted_by.as_deref());
    if drafted_by.is_some_and(|drafter| drafter.eq_ignore_ascii_case(name.trim())) {
        let message = format!("{name} drafted {id}: whoever drafted a row does not clear it");
        return Err(
            Refused::new(message).fix("name the person who read it against the text it cites")
        );
    }
    let cleared_by = Some(name.to_owned());
    change(ledger, id, |row| OracleRow {
        sees_diff: Some(Field::Value(false)),
        cleared_by,
        ..row
    })
}

/// Takes a row away.
///
/// # Errors
/// When there is no such row.
pub fn remove(mut ledger: OracleLedger, id: &OracleId) -> Result<OracleLedger, Refused> {
    let before = ledger.oracles.len();
    ledger.oracles.retain(|row| row.oracle_id != id.as_str());
    if ledger.oracles.len() == before {
        Err(unknown(id))
    } else {
        Ok(ledger)
    }
}

/// Pins the files of one row, or of all, to the bytes they have now.
///
/// # Errors
/// When there is no such row, or a file cannot be read.
pub fn pin(
    mut ledger: OracleLedger,
    id: Option<&OracleId>,
    worktree: &LedgerWorktree,
) -> Result<OracleLedger, LedgerWorktreeError> {
    if let Some(id) = id.filter(|id| ledger.row(id.as_str()).is_none()) {
        return Err(unknown(id).into());
    }
    let wanted = |row: &&mut OracleRow| id.is_none_or(|id| row.oracle_id == id.as_str());
    for row in ledger.oracles.iter_mut().filter(wanted) {
        let id = row.oracle_id.clone();
        for file in row.property_files.iter_mut().chain(&mut row.witness_patch) {
            let path = file.path.parse()?;
            let gone = || {
                let refused = Refused::new(format!(
                    "there is no file {path}, which oracle '{id}' names"
                ));
                refused.fix(format!("git reins oracle rm {}", word(&id)))
            };
            file.sha256 = digest(worktree, &path)?.ok_or_else(gone)?;
        }
    }
    Ok(ledger)
}

fn unknown(id: &OracleId) -> Refused {
    Refused::new(format!("there is no oracle '{id}'")).fix("git reins oracle list")
}

/// Pins property files that a person named.
///
/// # Errors
/// When one lies outside `paths.properties` or is no readable regular file.
pub fn property_files(
    worktree: &LedgerWorktree,
    given: &[String],
) -> Result<Vec<PinnedFile>, LedgerWorktreeError> {
    let pinned = given.iter().map(|given| {
        let path = worktree.path(given)?;
        inside(&path, &worktree.policy.paths.properties, "paths.properties")?;
        let gone = || Refused::new(format!("there is no file {path}"));
        let sha256 = digest(worktree, &path)?.ok_or_else(gone)?;
        Ok(PinnedFile {
            path: path.to_string(),
            sha256,
        })
    });
    pinned.collect()
}

fn digest(
    worktree: &LedgerWorktree,
    path: &RepoPath,
) -> Result<Option<String>, LedgerWorktreeError> {
    Ok(worktree
        .root
        .read(path)?
        .map(|bytes| Sha256::of(&bytes).to_string()))
}

fn inside(path: &RepoPath, prefixes: &[RepoPath], key: &str) -> Result<(), Refused> {
    if prefixes.iter().any(|prefix| prefix.covers(path.as_str())) {
        return Ok(());
    }
    let listed: Vec<_> = prefixes.iter().map(RepoPath::as_str).collect();
    let listed = if listed.is_empty() {
        "nothing".to_owned()
    } else {
        listed.join(", ")
    };
    let fix =
        format!("move the file there, or name its place under {key} in a policy range of its own");
    Err(Refused::new(format!("{path} is outside {key} ({listed})")).fix(fix))
}

/// The source as the row records it, and a note when it could not be verified.
///
/// # Errors
/// When it names a file outside `paths.specs`, one that is not there, or a heading it lacks.
pub fn source(
    worktree: &LedgerWorktree,
    given: &str,
) -> Result<(String, Option<String>), LedgerWorktreeError> {
    match (OracleRow {
        source: given.to_owned(),
        ..blank()
    })
    .source()
    {
        Source::Elsewhere(source) => Ok((
            source.to_owned(),
            Some(format!(
                "the source '{}' is recorded, not verified",
                shown(source)
            )),
        )),
        Source::Malformed(source) => {
            let message = format!(
                "'{}' is no source: PATH#HEADING, issue:ID or a URL",
                shown(source)
            );
            Err(Refused::new(message).code(Code::LedgerInvalid).into())
        }
        Source::Text { path, anchor } => {
            let path = worktree.path(path)?;
            inside(&path, &worktree.policy.paths.specs, "paths.specs")?;
            cited(worktree, &path, anchor)?;
            Ok((format!("{path}#{anchor}"), None))
        }
    }
}

fn cited(
    worktree: &LedgerWorktree,
    path: &RepoPath,
    anchor: &str,
) -> Result<(), LedgerWorktreeError> {
    let bytes = worktree
        .root
        .read(path)?
        .ok_or_else(|| Refused::new(format!("there is no file {path}")))?;
    let anchors = heading::anchors(&String::from_utf8_lossy(&bytes));
    if anchors.contains(anchor) {
        return Ok(());
    }
    let known: Vec<_> = anchors
        .iter()
        .filter(|name| !name.contains(' '))
        .map(|name| shown(name))
        .collect();
    let fix = format!("name one of its headings: {}", known.join(", "));
    Err(
        Refused::new(format!("{path} has no heading '{}'", shown(anchor)))
            .code(Code::LedgerInvalid)
            .fix(fix)
            .into(),
    )
}

/// Refuses a check that the policy does not declare, and a row that leaves open which one it means.
///
/// # Errors
/// As said.
pub fn check(policy: &Policy, named: Option<&str>) -> Result<(), Refused> {
    let declared: Vec<_> = policy
        .property_checks()
        .map(|check| check.id.as_str())
        .collect();
    let listed = declared.join(", ");
    match named {
        Some(name)
            if policy
                .check(name)
                .is_some_and(|check| check.kind == Kind::Property) =>
        {
            Ok(())
        }
        Some(name) => Err(Refused::new(format!(
            "the policy declares no property check '{}'",
            shown(name)
        ))
        .fix(format!("name a declared one: {listed}"))),
        None if declared.len() > 1 => Err(Refused::new(
            "the policy declares several property checks",
        )
        .fix(format!(
            "say which one runs it: --check with one of {listed}"
        ))),
        None => Ok(()),
    }
}

/// What two ledgers have in common and not: the ids that are new, changed and gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Ids that only the later one has.
    pub added: Vec<String>,
    /// Ids whose rows differ.
    pub changed: Vec<String>,
    /// Ids that only the earlier one has.
    pub removed: Vec<String>,
}

/// Compares two ledgers by id.
pub fn changes(before: &OracleLedger, after: &OracleLedger) -> Changes {
    let rows = |ledger: &OracleLedger| -> BTreeMap<String, OracleRow> {
        ledger
            .oracles
            .iter()
            .map(|row| (row.oracle_id.clone(), row.clone()))
            .collect()
    };
    let (old, new) = (rows(before), rows(after));
    let lacking = |from: &BTreeMap<String, OracleRow>, other: &BTreeMap<String, OracleRow>| {
        from.keys()
            .filter(|id| !other.contains_key(*id))
            .cloned()
            .collect()
    };
    let changed = new
        .iter()
        .filter(|(id, row)| old.get(*id).is_some_and(|old| !old.same_state(row)));
    Changes {
        added: lacking(&new, &old),
        changed: changed.map(|(id, _)| id.clone()).collect(),
        removed: lacking(&old, &new),
    }
}
