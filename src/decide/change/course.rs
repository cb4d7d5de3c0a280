//! Attributes changes to commits: which commits made them, before the patch or not, and how often
//! before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::origin::{Origins, freeze_row, oracle_row};
use super::{fixture, freeze, sort};
use crate::decide::facts::{CommitFacts, Material};
use crate::decide::order::before::Before;
use crate::model::change::{Area, Change, Kind, Maker, Order, Reason};
use crate::model::ids::CommitId;

/// What lies between the two sides.
#[derive(Clone, Copy, Debug)]
pub struct Course<'a> {
    /// The commits in between, parents before children.
    pub commits: &'a [CommitFacts],
    /// What protected tips hold.
    pub landed: &'a [Arc<Material>],
    /// Who wrote each commit that moved material.
    pub authors: &'a BTreeMap<CommitId, String>,
    /// How often the expiry of each freeze was extended up to tip, by property and seed; none
    /// when the history is cut off.
    pub extensions: Option<&'a BTreeMap<(String, String), usize>>,
}

/// The freezes, by property and seed, of whose expiry the history matters.
pub fn extended(changes: &[Change], tip: &Material) -> BTreeSet<(String, String)> {
    let names: BTreeSet<&str> = changes
        .iter()
        .filter(|change| change.reason == Reason::ExpiryExtended)
        .map(|change| change.row.as_str())
        .collect();
    let keys = tip.freeze_rows().iter().map(|row| row.key());
    let wanted = keys.filter(|key| names.contains(freeze::name(*key).as_str()));
    wanted
        .map(|(property, seed)| (property.to_owned(), seed.to_owned()))
        .collect()
}

impl Course<'_> {
    /// Tells of each change how it came about; what only the commits show is added. Says whether the
    /// makers could be looked for: too many changes in too many commits are told without them.
    pub fn tell(&self, changes: &mut Vec<Change>, before: &Material, tip: &Material) -> bool {
        let origins = Origins::of(self.commits);
        let has_freezes = changes.iter().any(|change| change.area == Area::Freezes);
        let rows = [before, tip]
            .into_iter()
            .filter(|_| has_freezes)
            .flat_map(Material::freeze_rows);
        let keys: BTreeMap<String, (&str, &str)> = rows
            .map(|row| (freeze::name(row.key()), row.key()))
            .collect();
        let key = |change: &Change| keys.get(&change.row).copied().unwrap_or_default();
        let can_tell = origins.can_tell(changes);
        let patch = Before::of(self.commits, self.landed);
        for change in changes.iter_mut() {
            if can_tell {
                change.made_by = self.makers(&origins.makers(change, key(change), tip));
            }
            if patch.has_patch {
                place(&patch, change, key(change), tip);
            }
            self.count(change, key(change));
        }
        changes.extend(self.pinned_with_bytes(&origins, before));
        sort(changes);
        can_tell
    }

    fn makers(&self, commits: &[CommitId]) -> Vec<Maker> {
        let author = |commit: &CommitId| self.authors.get(commit).cloned().unwrap_or_default();
        commits
            .iter()
            .map(|commit| Maker {
                commit: *commit,
                author: author(commit),
            })
            .collect()
    }

    fn count(&self, change: &mut Change, key: (&str, &str)) {
        let Some(extensions) = self.extensions else {
            return;
        };
        if change.reason == Reason::ExpiryExtended {
            let counted = extensions
                .get(&(key.0.to_owned(), key.1.to_owned()))
                .copied();
            change.extension = Some(counted.unwrap_or_default().max(1));
        }
    }

    /// A commit that moves the fixture ledger together with bytes that base pins hides the drift
    /// which the ledger is there to show.
    fn pinned_with_bytes(&self, origins: &Origins<'_>, before: &Material) -> Option<Change> {
        let pinned = &before.fixture.valid()?.files;
        let is_migration = |commit: &&&CommitFacts| {
            let moved = |path: &str| {
                let there = commit.material.fixtures.get(path);
                commit
                    .parents
                    .iter()
                    .all(|parent| parent.material.fixtures.get(path) != there)
            };
            pinned.iter().any(|file| moved(&file.path))
        };
        let found: Vec<_> = origins
            .of_fixture()
            .iter()
            .filter(is_migration)
            .map(|one| one.id)
            .collect();
        if found.is_empty() {
            return None;
        }
        let change = Change::new(
            Area::Fixture,
            fixture::EPOCH,
            Kind::Changed,
            Reason::PinnedWithBytes,
        );
        Some(Change {
            made_by: self.makers(&found),
            ..change
        })
    }
}

/// Says whether the state at tip stands before every patch commit, where that is a question: for
/// rows that score, freezes and property files.
fn place(patch: &Before<'_>, change: &mut Change, key: (&str, &str), tip: &Material) {
    if change.kind == Kind::Removed {
        return;
    }
    let broken_by = match change.area {
        Area::Oracle => {
            let Some(row) = oracle_row(tip, &change.row).filter(|row| row.scores()) else {
                return;
            };
            patch.broken_by(|there| {
                oracle_row(there, &change.row).is_some_and(|it| it.same_state(row))
            })
        }
        Area::Freezes => {
            let Some(row) = freeze_row(tip, key) else {
                return;
            };
            patch.broken_by(|there| freeze_row(there, key).is_some_and(|it| it.same_state(row)))
        }
        Area::Properties => {
            let state = tip.properties.get(&change.row);
            patch.broken_by(|there| there.properties.get(&change.row) == state)
        }
        Area::Policy | Area::Fixture => return,
    };
    change.order = Some(if broken_by.is_some() {
        Order::NotBeforePatch
    } else {
        Order::BeforeEveryPatch
    });
    change.patch_commit = broken_by;
}
