//! Merges three versions of a ledger row by row and leaves contested rows to a person.
//!
//! Rows are matched by key and compared by their canonical text. A row goes by the side that
//! changed it; one that both sides changed, each in its own way, is contested, and no side is ever
//! picked for it: neither the later date nor the longer text.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeOwned;

use super::file::{Ledger, LedgerFault, parse, print};
use super::fixture::{FixtureFile, FixtureLedger};
use super::freeze::{FreezeLedger, FreezeRow};
use super::oracle::{OracleLedger, OracleRow};

mod contest;

use contest::Version;
pub(super) use contest::named;
pub use contest::{Contest, Marks, RowKey, open_rows};

/// One of the versions that are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The one that is merged into.
    Ours,
    /// The one that is merged.
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

/// Why there are no rows to merge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeFault {
    /// One of the texts is no ledger.
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
    /// The rows agree one by one, but together they are no ledger: too many of them, say.
    #[error("the merged rows are no valid ledger: {0}")]
    Merged(LedgerFault),
}

/// A ledger that can be taken apart into rows.
pub trait Mergeable: Ledger {
    /// One row.
    type Row: DeserializeOwned;

    /// The member that holds the rows.
    const LIST: &'static str;

    /// The names of the rows, in their order.
    fn names(&self) -> Vec<RowKey>;

    /// The key behind a name.
    fn key(name: &RowKey) -> RowKey {
        name.clone()
    }

    /// Whether the parts belong together.
    fn coheres(&self) -> bool {
        true
    }
}

impl Mergeable for OracleLedger {
    type Row = OracleRow;
    const LIST: &'static str = "oracles";

    fn names(&self) -> Vec<RowKey> {
        self.oracles
            .iter()
            .map(|row| (row.oracle_id.clone(), String::new()))
            .collect()
    }

    /// Ids that differ in case alone are one row, since no ledger holds both.
    fn key((id, _): &RowKey) -> RowKey {
        (id.to_ascii_lowercase(), String::new())
    }
}

impl Mergeable for FreezeLedger {
    type Row = FreezeRow;
    const LIST: &'static str = "freezes";

    fn names(&self) -> Vec<RowKey> {
        let name = |row: &FreezeRow| {
            let (property, seed) = row.key();
            (property.to_owned(), seed.to_owned())
        };
        self.freezes.iter().map(name).collect()
    }
}

/// A snapshot is pinned as a whole: files go by path, and what comes out is one side's snapshot or
/// contested.
impl Mergeable for FixtureLedger {
    type Row = FixtureFile;
    const LIST: &'static str = "files";

    fn names(&self) -> Vec<RowKey> {
        self.files
            .iter()
            .map(|file| (file.path.clone(), String::new()))
            .collect()
    }

    fn coheres(&self) -> bool {
        self.digest_sha256
            .as_ref()
            .and_then(|digest| digest.value())
            == Some(&self.listed_digest())
    }
}

/// What three versions say together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged<L> {
    /// No row is contested.
    Whole(L),
    /// Some are.
    Contested(Box<Contest>),
}

/// Merges two versions of a ledger. Without a base the rows of either side are kept.
///
/// # Errors
/// When one of them cannot be read, or nothing readable comes out.
pub fn merge<L: Mergeable>(
    base: Option<&str>,
    ours: &str,
    theirs: &str,
) -> Result<Merged<L>, MergeFault> {
    let base = base
        .map(|text| Version::read::<L>(Side::Base, text))
        .transpose()?;
    let (ours, theirs) = (
        Version::read::<L>(Side::Ours, ours)?,
        Version::read::<L>(Side::Theirs, theirs)?,
    );
    let mut contest = Contest::new(L::LIST, base.as_ref(), &ours, &theirs);
    if contest.is_settled() {
        let ledger: L = parse(contest.whole().as_bytes()).map_err(MergeFault::Merged)?;
        let text = print(&ledger);
        if text == ours.text || text == theirs.text || ledger.coheres() {
            return Ok(Merged::Whole(ledger));
        }
        contest.reopen(base.as_ref(), &ours, &theirs);
    }
    Ok(Merged::Contested(Box::new(contest)))
}

impl Version {
    fn read<L: Mergeable>(side: Side, text: &str) -> Result<Self, MergeFault> {
        let ledger: L = parse(text.as_bytes()).map_err(|fault| MergeFault::Side { side, fault })?;
        let text = print(&ledger);
        let (head, body, tail) = cut(&text, L::LIST);
        let mut rows = BTreeMap::new();
        for (name, row) in ledger.names().into_iter().zip(body) {
            if let Some((name, _)) = rows.insert(L::key(&name), (name, row)) {
                return Err(MergeFault::Nameless {
                    side,
                    row: named(&name),
                });
            }
        }
        let lines = head
            .match_indices('\n')
            .nth(1)
            .map_or(head.len(), |(at, _)| at + 1);
        let (opening, head, tail) = (
            head[..lines].to_owned(),
            head[lines..].to_owned(),
            tail.to_owned(),
        );
        Ok(Self {
            opening,
            head,
            rows,
            tail,
            text,
        })
    }
}

/// The text before the list, its rows, and the members behind it.
///
/// No string of JSON holds a line break, so that the indent says what a line is.
pub(super) fn cut<'t>(text: &'t str, list: &str) -> (&'t str, Vec<String>, &'t str) {
    let opening = format!("\n  \"{list}\": [");
    let (head, rest) = text
        .split_once(&opening)
        .expect("a printed ledger has its list");
    let head = &text[..=head.len()];
    let (body, rest) = match rest.strip_prefix(']') {
        Some(rest) => ("", rest),
        None => rest.split_once("\n  ]").expect("a printed list ends"),
    };
    let rows = body
        .strip_prefix("\n    {")
        .map(|body| body.split(",\n    {"))
        .into_iter()
        .flatten();
    let rows = rows.map(|row| format!("    {{{row}"));
    let tail = rest.trim_start_matches(',').trim_start_matches('\n');
    (
        head,
        rows.collect(),
        tail.strip_suffix("}\n")
            .expect("a printed ledger ends with a brace"),
    )
}

#[cfg(test)]
mod tests;
