//! Finds the commits of a range that made a row, a field or a file what it is at tip.

use std::sync::Arc;

use super::{fixture, freeze, oracle};
use crate::decide::facts::{CommitFacts, Material, Reading};
use crate::ledger::freeze::FreezeRow;
use crate::ledger::oracle::OracleRow;
use crate::model::change::{Area, Change, Kind, Reason};
use crate::model::ids::CommitId;

/// So many states are looked at; a range with more changes is told without their makers.
const LOOKS: usize = 200_000;

/// The commits that moved some material, by what they moved.
pub(super) struct Origins<'a> {
    oracle: Vec<&'a CommitFacts>,
    freezes: Vec<&'a CommitFacts>,
    fixture: Vec<&'a CommitFacts>,
    properties: Vec<&'a CommitFacts>,
    policy: Vec<&'a CommitFacts>,
}

/// What a change is about, in one material: none where there is nothing.
type State = Option<String>;

impl<'a> Origins<'a> {
    pub(super) fn of(commits: &'a [CommitFacts]) -> Self {
        let moved = |differs: fn(&Material, &Material) -> bool| {
            let moves = |commit: &&CommitFacts| {
                commit.parents.iter().all(|parent| {
                    !Arc::ptr_eq(&parent.material, &commit.material)
                        && differs(&parent.material, &commit.material)
                })
            };
            commits.iter().filter(moves).collect::<Vec<_>>()
        };
        Self {
            oracle: moved(|a, b| !same(&a.oracle, &b.oracle)),
            freezes: moved(|a, b| !same(&a.freezes, &b.freezes)),
            fixture: moved(|a, b| !same(&a.fixture, &b.fixture)),
            properties: moved(|a, b| !Arc::ptr_eq(&a.properties, &b.properties)),
            policy: moved(|a, b| a.policy != b.policy),
        }
    }

    fn in_area(&self, area: Area) -> &[&'a CommitFacts] {
        match area {
            Area::Policy => &self.policy,
            Area::Oracle => &self.oracle,
            Area::Freezes => &self.freezes,
            Area::Fixture => &self.fixture,
            Area::Properties => &self.properties,
        }
    }

    /// Whether the makers of so many changes can be looked for.
    pub(super) fn can_tell(&self, changes: &[Change]) -> bool {
        let looks = changes.iter().map(|change| self.in_area(change.area).len());
        looks.sum::<usize>() <= LOOKS
    }

    /// The commits that made a change. Of the policy, those that changed it at all.
    pub(super) fn makers(
        &self,
        change: &Change,
        key: (&str, &str),
        tip: &Material,
    ) -> Vec<CommitId> {
        let wanted = state(change, key, tip);
        let is_new = change.kind == Kind::Added;
        let makes = |commit: &&&CommitFacts| {
            let is_there = |material: &Material| state(change, key, material);
            let now = is_there(&commit.material);
            let mut parents = commit
                .parents
                .iter()
                .map(|parent| is_there(&parent.material));
            match now == wanted {
                true => parents.all(|before| before != wanted),
                false => is_new && now.is_some() && parents.all(|before| before.is_none()),
            }
        };
        let commits = self.in_area(change.area).iter();
        match change.area {
            Area::Policy => commits.map(|commit| commit.id).collect(),
            Area::Oracle | Area::Freezes | Area::Fixture | Area::Properties => {
                commits.filter(makes).map(|commit| commit.id).collect()
            }
        }
    }

    /// The commits that moved the fixture ledger, for a closer look.
    pub(super) fn of_fixture(&self) -> &[&'a CommitFacts] {
        &self.fixture
    }
}

fn same<L>(one: &Reading<L>, other: &Reading<L>) -> bool {
    match (one, other) {
        (Reading::Valid(one), Reading::Valid(other)) => Arc::ptr_eq(one, other),
        (Reading::Missing, Reading::Missing) => true,
        (Reading::Missing | Reading::Invalid(_) | Reading::Valid(_), _) => false,
    }
}

/// The state of what a change is about; the row and the key of a freeze name it.
fn state(change: &Change, key: (&str, &str), material: &Material) -> State {
    let whole = change.reason == Reason::FileAdded || change.reason == Reason::FileRemoved;
    match change.area {
        Area::Policy => None,
        Area::Oracle if whole => present(&material.oracle),
        Area::Freezes if whole => present(&material.freezes),
        Area::Fixture if whole => present(&material.fixture),
        Area::Oracle => {
            let row = oracle_row(material, &change.row)?;
            match (change.reason, &change.field) {
                (Reason::ScoreLost | Reason::ScoreGained, _) => Some(row.scores().to_string()),
                (_, field) => joined(oracle::members(row), field.as_deref()),
            }
        }
        Area::Freezes => joined(
            freeze::members(freeze_row(material, key)?),
            change.field.as_deref(),
        ),
        Area::Fixture => {
            let ledger = material.fixture.valid()?;
            match &change.field {
                Some(field) => joined(fixture::members(ledger), Some(field)),
                None => {
                    let path = change.row.as_str();
                    let at = ledger
                        .files
                        .binary_search_by(|file| file.path.as_str().cmp(path))
                        .ok()?;
                    Some(fixture::pin(&ledger.files[at]))
                }
            }
        }
        Area::Properties => material
            .properties
            .get(&change.row)
            .map(|entry| format!("{entry:?}")),
    }
}

fn present<L>(reading: &Reading<L>) -> State {
    (!matches!(reading, Reading::Missing)).then(String::new)
}

/// One member, or all of them but the hint that no decision trusts.
fn joined(members: Vec<super::member::Member>, field: Option<&str>) -> State {
    let wanted = members.into_iter().filter(|member| match field {
        Some(field) => member.name == field,
        None => member.name != "authored_commit",
    });
    let mut texts =
        wanted.map(|member| member.text.map(|text| format!("{}\0{text}\0", member.name)));
    match field {
        Some(_) => texts.next().flatten(),
        None => Some(texts.flatten().collect()),
    }
}

/// The oracle row of an id; rows are sorted by it.
pub(super) fn oracle_row<'m>(material: &'m Material, id: &str) -> Option<&'m OracleRow> {
    let rows = material.oracle_rows();
    rows.binary_search_by(|row| row.oracle_id.as_str().cmp(id))
        .ok()
        .map(|at| &rows[at])
}

/// The freeze of a property and seed; rows are sorted by both.
pub(super) fn freeze_row<'m>(material: &'m Material, key: (&str, &str)) -> Option<&'m FreezeRow> {
    let rows = material.freeze_rows();
    rows.binary_search_by(|row| row.key().cmp(&key))
        .ok()
        .map(|at| &rows[at])
}
