//! What do two versions of a ledger say together, merged row by row?
//!
//! A text merge knows lines, and two people who add rows side by side conflict although no row
//! does. Both versions are read strictly and merged by row; a row that each side changed in its
//! own way is left to a person.
//!
//! [`merge_sides`] takes the versions as git's index keeps them. Of a text with conflict markers
//! alone ([`resolve`]) less is known: a line outside the markers may be what either side wrote, so
//! a conflict that cuts through a row is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::DeserializeOwned;

use super::file::{Ledger, LedgerFault, parse};
use super::fixture::FixtureLedger;
use super::freeze::{FreezeLedger, FreezeRow};
use super::object::Object;
use super::oracle::{OracleLedger, OracleRow};
use super::scan::scan;

/// One of the texts between the markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Above `=======`.
    Ours,
    /// Below `=======`.
    Theirs,
    /// What both sides started from.
    Base,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ours => "our side",
            Self::Theirs => "their side",
            Self::Base => "the common base",
        })
    }
}

/// Why a conflict is left to a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConflictFault {
    /// The markers do not come in the order in which git writes them.
    #[error("line {line}: conflict markers out of order, read {observed}, expected {expected}")]
    Markers {
        /// The line, from 1.
        line: usize,
        /// What was read.
        observed: &'static str,
        /// What was expected instead.
        expected: &'static str,
    },
    /// Between the markers stand parts of rows.
    #[error(
        "line {line}: the conflict cuts through a row, so either side may have written the rest of it: \
         merge the versions that git's index keeps"
    )]
    Torn {
        /// The line that opens the conflict, from 1.
        line: usize,
    },
    /// One of the texts is no ledger, often for a comma that the text merge lost.
    #[error("{side} is no valid ledger: {fault}")]
    Side {
        /// Which text.
        side: Side,
        /// What is wrong with it, by its own lines.
        fault: LedgerFault,
    },
    /// Two rows of one text have the same key, which only rows without one can.
    #[error("{side} has two rows named '{row}', expected property_id and seed in each")]
    Nameless {
        /// Which text.
        side: Side,
        /// What can be read of the name.
        row: String,
    },
    /// Rows that each side changed in its own way.
    #[error("both sides changed {}, each in its own way: keep one of the two by hand", rows.join(", "))]
    Rows {
        /// The rows by name, sorted.
        rows: Vec<String>,
    },
    /// Each side pinned the fixtures in its own way.
    #[error("both sides pinned the fixtures, each in its own way: take one side and pin anew")]
    Fixture,
    /// The rows agree one by one, but not with each other.
    #[error("the merged rows are no valid ledger: {0}")]
    Merged(LedgerFault),
}

/// What makes two rows of two texts the same row.
pub type RowKey = (String, String);

/// A ledger that can be taken apart into rows and put together again.
pub trait Mergeable: Ledger {
    /// One row.
    type Row: Clone + PartialEq + DeserializeOwned;

    /// The rows with their keys.
    fn into_keyed_rows(self) -> Vec<(RowKey, Self::Row)>;

    /// The ledger of these rows; `None` when there can be no such ledger.
    fn from_rows(rows: Vec<Self::Row>) -> Option<Self>;

    /// The fault for rows that each side changed in its own way.
    fn contested(rows: Vec<String>) -> ConflictFault {
        ConflictFault::Rows { rows }
    }
}

impl Mergeable for OracleLedger {
    type Row = OracleRow;

    fn into_keyed_rows(self) -> Vec<(RowKey, OracleRow)> {
        self.oracles.into_iter().map(|row| ((row.oracle_id.clone(), String::new()), row)).collect()
    }

    fn from_rows(oracles: Vec<OracleRow>) -> Option<Self> {
        Some(Self { schema: Self::SCHEMA.to_owned(), oracles })
    }
}

impl Mergeable for FreezeLedger {
    type Row = FreezeRow;

    fn into_keyed_rows(self) -> Vec<(RowKey, FreezeRow)> {
        let keyed = |row: FreezeRow| {
            let (property, seed) = row.key();
            ((property.to_owned(), seed.to_owned()), row)
        };
        self.freezes.into_iter().map(keyed).collect()
    }

    fn from_rows(freezes: Vec<FreezeRow>) -> Option<Self> {
        Some(Self { schema: Self::SCHEMA.to_owned(), freezes })
    }
}

/// One row: a snapshot is pinned as a whole, and half of one is none.
impl Mergeable for FixtureLedger {
    type Row = Self;

    fn into_keyed_rows(self) -> Vec<(RowKey, Self)> {
        vec![(RowKey::default(), self)]
    }

    fn from_rows(rows: Vec<Self>) -> Option<Self> {
        rows.into_iter().next()
    }

    fn contested(_rows: Vec<String>) -> ConflictFault {
        ConflictFault::Fixture
    }
}

/// Merges two versions of a ledger.
///
/// With a base a row is taken from the side that changed or removed it. Without one, rows of
/// either side are kept.
///
/// # Errors
/// With every row that cannot be merged, or with the side that cannot be read.
pub fn merge_sides<L: Mergeable>(base: Option<&str>, ours: &str, theirs: &str) -> Result<L, ConflictFault> {
    let base = base.map(|text| rows::<L>(Side::Base, text)).transpose()?;
    let (ours, theirs) = (rows::<L>(Side::Ours, ours)?, rows::<L>(Side::Theirs, theirs)?);
    let merged = merge(base.as_ref(), &ours, &theirs).map_err(L::contested)?;
    let mut ledger = L::from_rows(merged).ok_or_else(|| L::contested(Vec::new()))?;
    ledger.check().map_err(ConflictFault::Merged)?;
    ledger.sort();
    Ok(ledger)
}

/// Merges the two sides of a text with conflict markers; one without markers is only read.
///
/// The base is `base`, or else what the sections of git's `diff3` style say. What git merged
/// outside the markers is taken as it stands.
///
/// # Errors
/// As [`merge_sides`], and for markers out of order or around parts of rows.
pub fn resolve<L: Mergeable>(text: &str, base: Option<&str>) -> Result<L, ConflictFault> {
    let sides = split(text, is_whole_rows::<L>)?;
    if let (Some(line), false) = (sides.torn, sides.common.trim().is_empty()) {
        return Err(ConflictFault::Torn { line });
    }
    let sections = sides.base.as_deref().filter(|text| !text.trim().is_empty());
    merge_sides(base.or(sections), &sides.ours, &sides.theirs)
}

type Rows<L> = BTreeMap<RowKey, <L as Mergeable>::Row>;

fn rows<L: Mergeable>(side: Side, text: &str) -> Result<Rows<L>, ConflictFault> {
    let ledger: L = parse(text.as_bytes()).map_err(|fault| ConflictFault::Side { side, fault })?;
    let mut rows = BTreeMap::new();
    for (key, row) in ledger.into_keyed_rows() {
        let name = shown(&key);
        if rows.insert(key, row).is_some() {
            return Err(ConflictFault::Nameless { side, row: name });
        }
    }
    Ok(rows)
}

/// The merged rows in order of key, or the names of the contested ones.
fn merge<R: Clone + PartialEq>(
    base: Option<&BTreeMap<RowKey, R>>,
    ours: &BTreeMap<RowKey, R>,
    theirs: &BTreeMap<RowKey, R>,
) -> Result<Vec<R>, Vec<String>> {
    let keys: BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
    let mut merged = Vec::new();
    let mut contested = Vec::new();
    for key in keys {
        let (our, their) = (ours.get(key), theirs.get(key));
        match (base.map(|base| base.get(key)), our, their) {
            _ if our == their => merged.extend(our),
            (Some(before), _, _) if our == before => merged.extend(their),
            (Some(before), _, _) if their == before => merged.extend(our),
            (None, Some(row), None) | (None, None, Some(row)) => merged.push(row),
            (Some(_), _, _) | (None, Some(_), Some(_)) | (None, None, None) => contested.push(shown(key)),
        }
    }
    if contested.is_empty() { Ok(merged.into_iter().cloned().collect()) } else { Err(contested) }
}

fn shown((first, second): &RowKey) -> String {
    crate::model::path::shown(format!("{first} {second}").trim())
}

/// The texts that were put together from the markers.
#[derive(Default)]
struct Sides {
    ours: String,
    theirs: String,
    /// Known when every conflict has a section for it.
    base: Option<String>,
    /// What stands outside the markers.
    common: String,
    /// The line that opens the first conflict whose sections are not made of whole rows.
    torn: Option<usize>,
}

/// Where a line stands with respect to the markers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Region {
    Common,
    Ours,
    Base,
    Theirs,
}

impl Region {
    /// The region after `marker`; `None` when it may not stand here.
    fn after(self, marker: Marker) -> Option<Self> {
        match (self, marker) {
            (Self::Common, Marker::Open) => Some(Self::Ours),
            (Self::Ours, Marker::Base) => Some(Self::Base),
            (Self::Ours | Self::Base, Marker::Divider) => Some(Self::Theirs),
            (Self::Theirs, Marker::Close) => Some(Self::Common),
            (Self::Common, Marker::Base | Marker::Divider | Marker::Close)
            | (Self::Ours, Marker::Open | Marker::Close)
            | (Self::Base, Marker::Open | Marker::Base | Marker::Close)
            | (Self::Theirs, Marker::Open | Marker::Base | Marker::Divider) => None,
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Common => "'<<<<<<<'",
            Self::Ours => "'|||||||' or '======='",
            Self::Base => "'======='",
            Self::Theirs => "'>>>>>>>'",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Marker {
    Open,
    Base,
    Divider,
    Close,
}

impl Marker {
    const ALL: [(Self, &str, &str); 4] = [
        (Self::Open, "<<<<<<<", "'<<<<<<<'"),
        (Self::Base, "|||||||", "'|||||||'"),
        (Self::Divider, "=======", "'======='"),
        (Self::Close, ">>>>>>>", "'>>>>>>>'"),
    ];

    /// The marker on a line, with its name for messages; longer ones belong to nested merges.
    fn of(line: &str) -> Option<(Self, &'static str)> {
        let found = Self::ALL.into_iter().find(|(_, text, _)| {
            line.strip_prefix(text).is_some_and(|rest| rest.trim_end().is_empty() || rest.starts_with(' '))
        });
        found.map(|(marker, _, name)| (marker, name))
    }
}

fn split(text: &str, is_whole: fn(&str) -> bool) -> Result<Sides, ConflictFault> {
    let mut sides = Sides { base: Some(String::new()), ..Sides::default() };
    let (mut region, mut opened, mut section) = (Region::Common, 0, String::new());
    let mut lines = 0;
    for line in text.split_inclusive('\n') {
        lines += 1;
        let Some((marker, observed)) = Marker::of(line) else {
            section.push_str(line);
            continue;
        };
        let fault = ConflictFault::Markers { line: lines, observed, expected: region.expected() };
        let next = region.after(marker).ok_or(fault)?;
        sides.take(region, &section);
        if region != Region::Common && !is_whole(&section) {
            sides.torn.get_or_insert(opened);
        }
        if (region, next) == (Region::Ours, Region::Theirs) {
            sides.base = None;
        }
        opened = if next == Region::Ours { lines } else { opened };
        region = next;
        section.clear();
    }
    sides.take(region, &section);
    match region {
        Region::Common => Ok(sides),
        Region::Ours | Region::Base | Region::Theirs => {
            let observed = "the end of the file";
            Err(ConflictFault::Markers { line: lines, observed, expected: region.expected() })
        }
    }
}

impl Sides {
    fn take(&mut self, region: Region, section: &str) {
        if matches!(region, Region::Common | Region::Ours) {
            self.ours.push_str(section);
        }
        if matches!(region, Region::Common | Region::Theirs) {
            self.theirs.push_str(section);
        }
        if let (Region::Common | Region::Base, Some(base)) = (region, &mut self.base) {
            base.push_str(section);
        }
        if region == Region::Common {
            self.common.push_str(section);
        }
    }
}

/// Whether a section holds rows from their first to their last byte, with the commas around them.
fn is_whole_rows<L: Mergeable>(section: &str) -> bool {
    let list = format!("[{}]", section.trim_matches(|c: char| c == ',' || c.is_ascii_whitespace()));
    scan(list.as_bytes()).is_ok() && serde_json::from_str::<Vec<Object<L::Row>>>(&list).is_ok()
}

#[cfg(test)]
mod tests;
