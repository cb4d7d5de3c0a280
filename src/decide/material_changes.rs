//! Says what a range does to the material that judges it: deferred, held for a person, or new.
//!
//! The material that judges stays in force while the range is judged. A change that only adds is
//! deferred: it takes effect for the next range. A change that could weaken a check is held. See
//! the table in section 3 of the contract.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Contents, Listing, Material};
use crate::ledger::oracle::{OracleRow, PinnedFile, Source};
use crate::model::ids::EntryState;

/// One change of the material.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// An oracle row is another one, or gone.
    Row {
        /// Its id.
        id: String,
        /// How it changed.
        change: RowChange,
    },
    /// A file that rows name is another one, or gone.
    Property {
        /// Its path.
        path: String,
        /// The rows that name it.
        rows: BTreeSet<String>,
        /// How it changed.
        change: FileChange,
    },
    /// A file under `paths.properties` that no row names.
    Harness {
        /// Its path.
        path: String,
        /// How it changed.
        change: HarnessChange,
    },
    /// A file under `paths.specs`.
    Spec {
        /// Its path.
        path: String,
        /// How it changed.
        change: SpecChange,
    },
    /// A new file under `paths.fixtures`.
    Fixture {
        /// Its path.
        path: String,
    },
}

/// How an oracle row changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowChange {
    /// Only the digests of its files, or the name of a file that was renamed.
    PinnedAgain,
    /// A witness patch was added.
    WitnessAdded,
    /// Another field.
    Edited {
        /// The first field that differs.
        field: &'static str,
    },
    /// It no longer scores.
    MadeSmoke,
    /// It is gone.
    Removed,
}

/// How a file that rows name changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileChange {
    /// Every line stays, in its order, and lines are added.
    Extended,
    /// The same bytes under another name in the same directory, and the rows follow.
    Renamed {
        /// The new path.
        to: String,
    },
    /// Lines were edited or taken away.
    Edited,
    /// Another mode: executable, link.
    Mode,
    /// It is gone.
    Gone,
}

/// How a file that no row names changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HarnessChange {
    /// It is new.
    New {
        /// Whether a tool loads a file of this name by itself, for checks that base holds.
        is_picked_up: bool,
    },
    /// It has other bytes or another mode.
    Edited,
    /// It is gone.
    Gone,
    /// A row of the range begins to name it.
    Named {
        /// The row.
        row: String,
    },
    /// A row that named it no longer does, and no other row names it.
    Unnamed {
        /// The row.
        row: String,
    },
}

/// How a file that rows may cite changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpecChange {
    /// It is new, and no row cites it.
    New,
    /// Only sections that no row cites.
    Uncited,
    /// A section that a row cites.
    Cited {
        /// The row.
        row: String,
    },
    /// A file without headings, or another mode.
    Whole,
    /// It is gone.
    Gone,
}

/// What a change amounts to before anything has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It takes effect for the next range.
    Deferred,
    /// A person has to look.
    Held,
}

impl Change {
    /// What the change amounts to where nothing has run: the trial may hold what is deferred here.
    pub fn standing(&self) -> Standing {
        match self {
            Self::Row { change, .. } => match change {
                RowChange::PinnedAgain | RowChange::WitnessAdded => Standing::Deferred,
                RowChange::Edited { .. } | RowChange::MadeSmoke | RowChange::Removed => {
                    Standing::Held
                }
            },
            Self::Property { change, .. } => match change {
                FileChange::Extended | FileChange::Renamed { .. } => Standing::Deferred,
                FileChange::Edited | FileChange::Mode | FileChange::Gone => Standing::Held,
            },
            Self::Harness { change, .. } => match change {
                HarnessChange::New { .. } | HarnessChange::Edited | HarnessChange::Gone => {
                    Standing::Deferred
                }
                HarnessChange::Named { .. } | HarnessChange::Unnamed { .. } => Standing::Held,
            },
            Self::Spec { change, .. } => match change {
                SpecChange::New | SpecChange::Uncited => Standing::Deferred,
                SpecChange::Cited { .. } | SpecChange::Whole | SpecChange::Gone => Standing::Held,
            },
            Self::Fixture { .. } => Standing::Deferred,
        }
    }

    /// Whether base holds the item; the rest is new.
    pub fn is_of_base(&self) -> bool {
        !matches!(
            self,
            Self::Harness {
                change: HarnessChange::New { .. },
                ..
            } | Self::Spec {
                change: SpecChange::New,
                ..
            } | Self::Fixture { .. }
        )
    }
}

/// The changes from the material that judges to tip's, sorted.
pub fn of(judging: &Material, tip: &Material, contents: &Contents) -> Vec<Change> {
    let sides = Sides {
        judging,
        tip,
        contents,
        named: named(judging),
        tip_named: named(tip),
    };
    let mut changes = sides.rows();
    for path in differing(&judging.properties, &tip.properties) {
        changes.extend(sides.property(path));
    }
    changes.extend(sides.newly_named());
    changes.extend(sides.no_longer_named());
    for path in differing(&judging.specs, &tip.specs) {
        changes.extend(sides.spec(path));
    }
    let new = tip
        .fixtures
        .keys()
        .filter(|path| !judging.fixtures.contains_key(*path));
    changes.extend(new.map(|path| Change::Fixture { path: path.clone() }));
    changes.sort();
    changes.dedup();
    changes
}

/// What the range does to the material that a row of base runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OfRow {
    /// Nothing.
    Nothing,
    /// Its files gain lines, and nothing else changes.
    Extended,
    /// Its row or its files are edited, or a file that every row finds is another one.
    Edited,
}

/// What changes do to the material of one row.
pub fn of_row(changes: &[Change], id: &str) -> OfRow {
    let of = |change: &Change| match change {
        Change::Row {
            id: changed,
            change,
        } if changed == id => match change {
            RowChange::PinnedAgain | RowChange::WitnessAdded => OfRow::Nothing,
            RowChange::Edited { .. } | RowChange::MadeSmoke | RowChange::Removed => OfRow::Edited,
        },
        Change::Property { rows, change, .. } if rows.contains(id) => match change {
            FileChange::Extended => OfRow::Extended,
            FileChange::Renamed { .. } => OfRow::Nothing,
            FileChange::Edited | FileChange::Mode | FileChange::Gone => OfRow::Edited,
        },
        Change::Harness { .. } | Change::Spec { .. } => OfRow::Edited,
        Change::Row { .. } | Change::Property { .. } | Change::Fixture { .. } => OfRow::Nothing,
    };
    changes.iter().map(of).max().unwrap_or(OfRow::Nothing)
}

/// The paths whose state differs between two listings.
pub fn differing<'a>(one: &'a Listing, other: &'a Listing) -> BTreeSet<&'a str> {
    if std::ptr::eq(one, other) {
        return BTreeSet::new();
    }
    let differs = |path: &&String| one.get(*path) != other.get(*path);
    one.keys()
        .chain(other.keys())
        .filter(differs)
        .map(String::as_str)
        .collect()
}

/// The rows that name each property file.
pub fn named(material: &Material) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut named: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in material.oracle_rows() {
        for file in &row.property_files {
            named.entry(&file.path).or_default().insert(&row.oracle_id);
        }
    }
    named
}

/// Whether a row of tip is new: the judging material lacks it, or keeps it as smoke while tip
/// scores it.
pub fn is_new(judging: Option<&OracleRow>, tip: &OracleRow) -> bool {
    judging.is_none_or(|row| !row.scores() && tip.scores())
}

struct Sides<'a> {
    judging: &'a Material,
    tip: &'a Material,
    contents: &'a Contents,
    named: BTreeMap<&'a str, BTreeSet<&'a str>>,
    tip_named: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Sides<'a> {
    fn rows(&self) -> Vec<Change> {
        let now: BTreeMap<_, _> = self
            .tip
            .oracle_rows()
            .iter()
            .map(|row| (row.oracle_id.as_str(), row))
            .collect();
        let mut changes = Vec::new();
        for row in self.judging.oracle_rows() {
            let id = row.oracle_id.clone();
            let mut add = |change| {
                changes.push(Change::Row {
                    id: id.clone(),
                    change,
                })
            };
            match now.get(row.oracle_id.as_str()) {
                None => add(RowChange::Removed),
                Some(other) if row.same_state(other) || is_new(Some(row), other) => {}
                Some(other) if row.scores() && !other.scores() => add(RowChange::MadeSmoke),
                Some(other) => {
                    if row.witness_patch.is_none() && other.witness_patch.is_some() {
                        add(RowChange::WitnessAdded);
                    }
                    match self.edited_field(row, other) {
                        Some(field) => add(RowChange::Edited { field }),
                        None if row.property_files != other.property_files => {
                            add(RowChange::PinnedAgain);
                        }
                        None => {}
                    }
                }
            }
        }
        changes
    }

    /// The first field that differs in more than a digest, a followed rename or a new witness.
    fn edited_field(&self, row: &OracleRow, other: &OracleRow) -> Option<&'static str> {
        let paths = |files: &[PinnedFile]| -> Vec<String> {
            files.iter().map(|file| file.path.clone()).collect()
        };
        let follow = |path: &String| self.renamed(path).unwrap_or_else(|| path.clone());
        let before = paths(&row.property_files);
        let followed: Vec<_> = before.iter().map(follow).collect();
        let now = paths(&other.property_files);
        let witness = row.witness_patch.is_some() && row.witness_patch != other.witness_patch;
        let fields = [
            ("source", row.source != other.source),
            ("sees_diff", row.sees_diff != other.sees_diff),
            ("property", row.property != other.property),
            ("check", row.check != other.check),
            ("property_files", now != before && now != followed),
            ("inputs", row.inputs != other.inputs),
            ("relation", row.relation != other.relation),
            ("witness", row.witness != other.witness),
            ("score", row.score != other.score),
            ("witness_patch", witness),
            ("drafted_by", row.drafted_by != other.drafted_by),
            ("cleared_by", row.cleared_by != other.cleared_by),
        ];
        fields
            .into_iter()
            .find(|(_, differs)| *differs)
            .map(|(name, _)| name)
    }

    /// Where a file went that tip lacks: the same state under a new name in the same directory,
    /// with the same extension, named by every row that named it.
    fn renamed(&self, path: &str) -> Option<String> {
        let state = self.judging.properties.get(path)?;
        if self.tip.properties.contains_key(path) {
            return None;
        }
        let rows = self.named.get(path)?;
        let fits = |to: &&String| {
            place(to) == place(path)
                && self.tip.properties.get(*to) == Some(state)
                && !self.judging.properties.contains_key(*to)
                && self
                    .tip_named
                    .get(to.as_str())
                    .is_some_and(|now| rows.is_subset(now))
        };
        self.tip.properties.keys().find(fits).cloned()
    }

    fn property(&self, path: &str) -> Option<Change> {
        let (before, now) = (
            self.judging.properties.get(path),
            self.tip.properties.get(path),
        );
        let Some(rows) = self.named.get(path) else {
            return self.harness(path, before, now);
        };
        let before = before?; // a row that names a file that was not there
        let change = match now {
            None => match self.renamed(path) {
                Some(to) => FileChange::Renamed { to },
                None => FileChange::Gone,
            },
            Some(now) if now.mode != before.mode => FileChange::Mode,
            Some(now) if self.contents.extends(before.id, now.id) => FileChange::Extended,
            Some(_) => FileChange::Edited,
        };
        let rows = rows.iter().map(|id| (*id).to_owned()).collect();
        Some(Change::Property {
            path: path.to_owned(),
            rows,
            change,
        })
    }

    fn harness(
        &self,
        path: &str,
        before: Option<&EntryState>,
        now: Option<&EntryState>,
    ) -> Option<Change> {
        let change = match (before, now) {
            (None, _) if self.tip_named.contains_key(path) => return None, // a row of the range
            (None, _) => HarnessChange::New {
                is_picked_up: self.is_picked_up(path),
            },
            (Some(_), None) => HarnessChange::Gone,
            (Some(_), Some(_)) => HarnessChange::Edited,
        };
        Some(Change::Harness {
            path: path.to_owned(),
            change,
        })
    }

    /// Whether a tool loads a new file of this name by itself, for a check whose files lie at or
    /// below its directory.
    fn is_picked_up(&self, path: &str) -> bool {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let directory = directory.strip_suffix(".cargo").unwrap_or(directory);
        let is_below = |other: &&String| other.starts_with(directory);
        picked_up(path) && self.judging.properties.keys().any(|other| is_below(&other))
    }

    /// Harness files that a row of tip begins to name. Where no row judges yet, no check loses one.
    fn newly_named(&self) -> Vec<Change> {
        if self.judging.oracle_rows().is_empty() {
            return Vec::new();
        }
        let is_harness = |path: &str| {
            self.judging.properties.contains_key(path) && !self.named.contains_key(path)
        };
        let begins = self.tip_named.iter().filter(|(path, _)| is_harness(path));
        begins
            .filter_map(|(path, rows)| {
                let row = (*rows.first()?).to_owned();
                let change = HarnessChange::Named { row };
                Some(Change::Harness {
                    path: (*path).to_owned(),
                    change,
                })
            })
            .collect()
    }

    /// Files that become harness: a row that named one is there still, and names it no longer.
    fn no_longer_named(&self) -> Vec<Change> {
        let becomes_harness = |path: &str| {
            self.judging.properties.contains_key(path)
                && self.tip.properties.contains_key(path)
                && !self.tip_named.contains_key(path)
        };
        let rows = self.tip.oracle_rows();
        let is_kept = |id: &str| rows.iter().any(|row| row.oracle_id == id);
        let ends = self.named.iter().filter(|(path, _)| becomes_harness(path));
        ends.filter_map(|(path, named)| {
            let row = (*named.iter().find(|id| is_kept(id))?).to_owned();
            let change = HarnessChange::Unnamed { row };
            Some(Change::Harness {
                path: (*path).to_owned(),
                change,
            })
        })
        .collect()
    }

    fn spec(&self, path: &str) -> Option<Change> {
        let (before, now) = (self.judging.specs.get(path), self.tip.specs.get(path));
        let change = match (before, now) {
            (None, _) => {
                if citing(self.tip, path).next().is_some() {
                    return None; // a row of the range cites it
                }
                SpecChange::New
            }
            (Some(_), None) => SpecChange::Gone,
            (Some(before), Some(now)) if before.mode != now.mode => SpecChange::Whole,
            (Some(before), Some(now)) => {
                let differs = |(_, anchor): &(&str, &str)| {
                    self.contents.section(before.id, anchor)
                        != self.contents.section(now.id, anchor)
                };
                match citing(self.judging, path).find(differs) {
                    Some((row, _)) => SpecChange::Cited {
                        row: row.to_owned(),
                    },
                    None if self.contents.has_headings(before.id)
                        && self.contents.has_headings(now.id) =>
                    {
                        SpecChange::Uncited
                    }
                    None => SpecChange::Whole,
                }
            }
        };
        Some(Change::Spec {
            path: path.to_owned(),
            change,
        })
    }
}

/// The rows that cite a file, with the anchor.
pub fn citing<'a>(material: &'a Material, path: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    material
        .oracle_rows()
        .iter()
        .filter_map(move |row| match row.source() {
            Source::Text {
                path: cited,
                anchor,
            } if cited == path => Some((row.oracle_id.as_str(), anchor)),
            Source::Text { .. } | Source::Elsewhere(_) | Source::Malformed(_) => None,
        })
}

/// Directory and extension of a path.
fn place(path: &str) -> (&str, &str) {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    (
        directory,
        name.rsplit_once('.').map_or("", |(_, extension)| extension),
    )
}

/// Whether a tool loads a file of this name without being told to.
fn picked_up(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let known = [
        "__init__.py",
        "conftest.py",
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        "tox.ini",
        "setup.cfg",
        "pyproject.toml",
        "sitecustomize.py",
        "usercustomize.py",
        "package.json",
        ".babelrc",
        "tsconfig.json",
        "nextest.toml",
        "Cargo.toml",
        "build.rs",
        "go.mod",
    ];
    let begins = ["jest.", "vitest.", "babel.config."];
    known.contains(&name)
        || begins.iter().any(|start| name.starts_with(start))
        || directory
            .split('/')
            .any(|part| matches!(part, ".cargo" | ".config" | "node_modules" | "__mocks__"))
}
