//! Says which material lies in the trees that the checks run in.
//!
//! A file that rows name is laid for those rows and for no other. A file under `paths.properties`
//! that no row names is harness: it is laid for every row. Rows that judge run on the bytes that
//! judge. A row that the range brings runs on tip's bytes of the files that it names, on the
//! harness that judges, and sees tip's new fixtures.

use std::collections::BTreeMap;

use super::facts::{Listing, Material};
use super::judging;
use super::material_changes::named;
use crate::ledger::oracle::OracleRow;
use crate::model::ids::Sha256;

/// The material of the trees of one trial, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Laying {
    /// The property files that no row names: laid for every row.
    pub harness: Listing,
    /// The fixtures that every row sees.
    pub fixtures: Listing,
    /// The fixtures that only rows of the range see.
    pub new_fixtures: Listing,
    /// The texts.
    pub specs: Listing,
    /// The property files of each row.
    pub rows: BTreeMap<String, RowFiles>,
}

/// The property files that are laid for one row and for no other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowFiles {
    /// The files, by path.
    pub files: Listing,
    /// Whether the range brings the row.
    pub is_new: bool,
}

impl Laying {
    /// What is laid to judge `tip` by the material that judges.
    pub fn of(judging: &Material, tip: &Material) -> Self {
        let owned = named(judging);
        let mut harness = (*judging.properties).clone();
        harness.retain(|path, _| !owned.contains_key(path.as_str()));
        let mut new_fixtures = (*tip.fixtures).clone();
        new_fixtures.retain(|path, _| !judging.fixtures.contains_key(path));
        let files = |row: &OracleRow, from: &Material| -> Listing {
            let entry = |path: &String| Some((path.clone(), *from.properties.get(path)?));
            row.property_files
                .iter()
                .filter_map(|file| entry(&file.path))
                .collect()
        };
        let rows = judging::rows(judging, tip)
            .into_iter()
            .map(|(id, (row, is_new))| {
                let files = files(row, if is_new { tip } else { judging });
                (id.to_owned(), RowFiles { files, is_new })
            });
        Self {
            harness,
            fixtures: (*judging.fixtures).clone(),
            new_fixtures,
            specs: (*judging.specs).clone(),
            rows: rows.collect(),
        }
    }

    /// Every path that is laid for anybody.
    pub fn paths(&self) -> impl Iterator<Item = &String> {
        let of_rows = self.rows.values().map(|row| &row.files);
        let common = [
            &self.harness,
            &self.fixtures,
            &self.new_fixtures,
            &self.specs,
        ];
        common
            .into_iter()
            .chain(of_rows)
            .flat_map(|listing| listing.keys())
    }

    /// The property files that a row finds; the harness alone where no row is meant.
    pub fn properties(&self, row: Option<&str>) -> Listing {
        let mut found = self.harness.clone();
        found.extend(
            self.of_row(row)
                .map(|row| row.files.clone())
                .unwrap_or_default(),
        );
        found
    }

    /// The fixtures that a row finds.
    pub fn fixtures(&self, row: Option<&str>) -> Listing {
        let mut found = self.fixtures.clone();
        if self.of_row(row).is_some_and(|row| row.is_new) {
            found.extend(self.new_fixtures.clone());
        }
        found
    }

    fn of_row(&self, row: Option<&str>) -> Option<&RowFiles> {
        self.rows.get(row?)
    }

    /// SHA-256 over what is laid for the rows that `counts` names: a line `row mode id path` for
    /// each file, with an empty row for what every row finds and `+` for the new fixtures.
    pub fn digest(&self, counts: impl Fn(&str) -> bool) -> Sha256 {
        let mut lines = String::new();
        let mut add = |row: &str, listing: &Listing| {
            for (path, state) in listing {
                lines.push_str(&format!("{row} {:o} {} {path}\n", state.mode, state.id));
            }
        };
        for listing in [&self.harness, &self.fixtures, &self.specs] {
            add("", listing);
        }
        add("+", &self.new_fixtures);
        for (id, row) in self.rows.iter().filter(|(id, _)| counts(id)) {
            add(id, &row.files);
        }
        Sha256::of(lines)
    }
}
