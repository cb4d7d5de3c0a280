//! Reads a ledger file strictly and prints it in canonical form.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use super::fault::{FaultKind, LedgerFault};
use super::object::Object;
use super::scan::{Scan, Top, scan};

const MIB: u64 = 1024 * 1024;

/// No ledger is longer than this.
pub const HARD_CAP: u64 = 64 * MIB;

/// No ledger has more rows than this: a row of three bytes takes hundreds once it is read.
pub const MAX_ROWS: usize = 250_000;

/// One of the three ledgers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LedgerName {
    /// The properties that were selected before a diff existed.
    Oracle,
    /// The pinned fixture bytes.
    Fixture,
    /// The seeds that are excluded for a while.
    Freezes,
}

impl LedgerName {
    /// All three, in the order in which they are reported.
    pub const ALL: [Self; 3] = [Self::Oracle, Self::Fixture, Self::Freezes];

    /// The name of the file in the ledger directory.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Oracle => "oracle.json",
            Self::Fixture => "fixture.json",
            Self::Freezes => "freezes.json",
        }
    }
}

/// A ledger as it stands in a file.
pub trait Ledger: Serialize + DeserializeOwned + Clone {
    /// Which of the three it is.
    const NAME: LedgerName;
    /// The text of its `schema` member.
    const SCHEMA: &str;

    /// The text that was read as its `schema` member.
    fn schema_member(&self) -> &str;

    /// Puts the rows into canonical order.
    fn sort(&mut self);

    /// Whether the rows are in canonical order.
    fn is_sorted(&self) -> bool;

    /// Looks at everything that the types leave open: ids, paths, digests, repeated rows.
    ///
    /// # Errors
    /// With the first fault.
    fn check(&self) -> Result<(), LedgerFault>;
}

/// Reads a ledger strictly, checks it and sorts its rows.
///
/// # Errors
/// With the first fault, in the order size, JSON, shape, `schema` member, [`Ledger::check`].
pub fn parse<L: Ledger>(bytes: &[u8]) -> Result<L, LedgerFault> {
    parse_in_order(bytes).map(|(ledger, _)| ledger)
}

/// The same, and whether the rows were sorted before.
///
/// # Errors
/// As [`parse`].
pub fn parse_in_order<L: Ledger>(bytes: &[u8]) -> Result<(L, bool), LedgerFault> {
    let scanned = scanned(bytes)?;
    let mut ledger = read_ledger::<L>(&scanned)?;
    ledger.check()?;
    let is_sorted = ledger.is_sorted();
    ledger.sort();
    Ok((ledger, is_sorted))
}

fn read_ledger<L: Ledger>(scanned: &Scan<'_>) -> Result<L, LedgerFault> {
    let expected = || {
        format!(
            "an object with the schema {}; git reins fmt --upgrade rewrites bare shapes",
            L::SCHEMA
        )
    };
    if scanned.top != Top::Object {
        return Err(LedgerFault::new("a list", expected()));
    }
    let ledger = read::<Object<L>>(scanned.text)?.0;
    if ledger.schema_member() != L::SCHEMA {
        return Err(LedgerFault::member(
            "schema",
            ledger.schema_member(),
            format!("\"{}\"", L::SCHEMA),
        ));
    }
    Ok(ledger)
}

/// Prints a ledger in canonical form, so that `parse(print(x)) == x`.
pub fn print<L: Ledger>(ledger: &L) -> String {
    let mut sorted = Cow::Borrowed(ledger);
    if !ledger.is_sorted() {
        sorted.to_mut().sort();
    }
    let text = serde_json::to_string_pretty(sorted.as_ref())
        .expect("a ledger has string keys and no number but integers");
    text + "\n"
}

/// How long a file with so many rows may be: 1 MiB for every 1,000 rows begun.
pub fn size_limit(rows: usize) -> u64 {
    let thousands = u64::try_from(rows.div_ceil(1000)).unwrap_or(u64::MAX);
    thousands.max(1).saturating_mul(MIB).min(HARD_CAP)
}

/// The text of a file that is short enough and JSON of the narrow kind.
pub(super) fn scanned(bytes: &[u8]) -> Result<Scan<'_>, LedgerFault> {
    refuse_size(bytes, HARD_CAP, "")?;
    let scanned = scan(bytes).map_err(|fault| match marker_line(bytes) {
        Some(line) => LedgerFault {
            line: Some(line),
            ..LedgerFault::new("a conflict marker", "merged rows: git reins fmt --resolve")
        },
        None => fault.into(),
    })?;
    if scanned.rows > MAX_ROWS {
        let expected = format!("at most {MAX_ROWS} rows");
        return Err(LedgerFault::new(format!("{} rows", scanned.rows), expected));
    }
    refuse_size(
        bytes,
        size_limit(scanned.rows),
        &format!(" for {} rows", scanned.rows),
    )?;
    Ok(scanned)
}

fn refuse_size(bytes: &[u8], limit: u64, reason: &str) -> Result<(), LedgerFault> {
    let len = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if len <= limit {
        return Ok(());
    }
    Err(LedgerFault::new(
        format!("{len} bytes"),
        format!("at most {limit} bytes{reason}"),
    ))
}

/// The first line that opens a conflict, from 1.
fn marker_line(bytes: &[u8]) -> Option<usize> {
    bytes
        .split(|byte| *byte == b'\n')
        .position(|line| line.starts_with(b"<<<<<<< "))
        .map(|at| at + 1)
}

/// Builds a value from a text that passed the scan.
///
/// The path of a fault costs an allocation for every member, so it is looked for only when the
/// plain reading failed.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, LedgerFault> {
    serde_json::from_str(text).map_err(|plain| {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        match serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
            Ok(_) => LedgerFault::new(plain.to_string(), "one JSON value"),
            Err(error) => super::fault::from_serde(text, error.path(), error.inner()),
        }
    })
}

#[cfg(test)]
mod tests;
