//! Merges the two versions in a ledger file with conflict markers.
//!
//! Less is known than when the versions are whole ([`merge`]): a line outside the markers may be
//! what either side wrote, so a conflict that cuts through a row is refused.

use super::file::LedgerName;
use super::merge::{MergeFault, Mergeable, Merged, merge};
use super::object::Object;
use super::scan::scan;

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
    /// There are no rows to merge.
    #[error(transparent)]
    Merge(Box<MergeFault>),
    /// Rows that each side changed in its own way.
    #[error("both sides changed {}, each in its own way: keep one of the two by hand", rows.join(", "))]
    Rows {
        /// The rows by name, in the order of the file.
        rows: Vec<String>,
    },
    /// Each side pinned the fixtures in its own way.
    #[error("both sides pinned the fixtures, each in its own way: take one side and pin anew")]
    Fixture,
}

impl From<MergeFault> for ConflictFault {
    fn from(fault: MergeFault) -> Self {
        Self::Merge(Box::new(fault))
    }
}

impl ConflictFault {
    /// The fault for rows that each side changed in its own way.
    pub fn contested(ledger: LedgerName, rows: Vec<String>) -> Self {
        match ledger {
            LedgerName::Oracle | LedgerName::Freezes => Self::Rows { rows },
            LedgerName::Fixture => Self::Fixture,
        }
    }
}

/// Merges the two sides of a text with conflict markers; one without markers is only read.
///
/// The base is `base`, or else what the sections of git's `diff3` style say. What git merged
/// outside the markers is taken as it stands.
///
/// # Errors
/// With every row that cannot be merged, with the side that cannot be read, and for markers out of
/// order or around parts of rows.
pub fn resolve<L: Mergeable>(text: &str, base: Option<&str>) -> Result<L, ConflictFault> {
    let sides = split(text, is_whole_rows::<L>)?;
    if let (Some(line), false) = (sides.torn, sides.common.trim().is_empty()) {
        return Err(ConflictFault::Torn { line });
    }
    let sections = sides.base.as_deref().filter(|text| !text.trim().is_empty());
    match merge(base.or(sections), &sides.ours, &sides.theirs)? {
        Merged::Whole(ledger) => Ok(ledger),
        Merged::Contested(contest) => Err(ConflictFault::contested(L::NAME, contest.names())),
    }
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
            line.strip_prefix(text)
                .is_some_and(|rest| rest.trim_end().is_empty() || rest.starts_with(' '))
        });
        found.map(|(marker, _, name)| (marker, name))
    }
}

fn split(text: &str, is_whole: fn(&str) -> bool) -> Result<Sides, ConflictFault> {
    let mut sides = Sides {
        base: Some(String::new()),
        ..Sides::default()
    };
    let (mut region, mut opened, mut section) = (Region::Common, 0, String::new());
    let mut lines = 0;
    for line in text.split_inclusive('\n') {
        lines += 1;
        let Some((marker, observed)) = Marker::of(line) else {
            section.push_str(line);
            continue;
        };
        let fault = ConflictFault::Markers {
            line: lines,
            observed,
            expected: region.expected(),
        };
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
            Err(ConflictFault::Markers {
                line: lines,
                observed,
                expected: region.expected(),
            })
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
    let list = format!(
        "[{}]",
        section.trim_matches(|c: char| c == ',' || c.is_ascii_whitespace())
    );
    scan(list.as_bytes()).is_ok() && serde_json::from_str::<Vec<Object<L::Row>>>(&list).is_ok()
}

#[cfg(test)]
mod tests;
