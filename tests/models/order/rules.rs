//! What does the contract say about the order of commits? Predicates over a boolean matrix.

use std::collections::BTreeSet;

use git_reins::decide::order;
use git_reins::model::refusal::Code;

use super::super::parts::commit;
use super::super::world::{FIXTURES, PROPS, ROWS, Row, SPECS, State, World};
use super::facts::shown_image;

/// Code, reason and subject of one finding.
pub type Finding = (Code, &'static str, String);

/// A world and everything that a predicate may ask about it.
pub struct Model<'w> {
    /// The history.
    pub world: &'w World,
    /// `reaches[new][old]`.
    pub reaches: Vec<Vec<bool>>,
}

/// One patch commit and one of its parents that is not exempt; `None` is the empty tree.
type Step = (usize, Option<usize>);

impl<'w> Model<'w> {
    /// A world with its matrix.
    pub fn of(world: &'w World) -> Self {
        Self {
            world,
            reaches: world.matrix(),
        }
    }

    fn all(&self) -> impl Iterator<Item = usize> + use<> {
        0..self.world.commits.len()
    }

    /// Whether a hidden tip reaches a commit.
    pub fn is_landed(&self, at: usize) -> bool {
        self.world.hidden.iter().any(|line| self.reaches[*line][at])
    }

    /// Range R.
    pub fn range(&self) -> BTreeSet<usize> {
        self.all()
            .filter(|at| self.reaches[self.world.tip][*at] && !self.is_landed(*at))
            .collect()
    }

    /// The maximal commits that tip shares with the hidden tips.
    pub fn bases(&self) -> BTreeSet<usize> {
        let shared: Vec<_> = self
            .all()
            .filter(|at| self.reaches[self.world.tip][*at] && self.is_landed(*at))
            .collect();
        let is_below = |at: usize| {
            shared
                .iter()
                .any(|other| *other != at && self.reaches[*other][at])
        };
        shared.iter().copied().filter(|at| !is_below(*at)).collect()
    }

    /// The state at a commit.
    pub fn at(&self, commit: usize) -> State {
        self.world.commits[commit].state
    }

    fn at_parent(&self, parent: Option<usize>) -> State {
        parent.map_or_else(State::default, |parent| self.at(parent))
    }

    /// The state at the candidate.
    pub fn tip(&self) -> State {
        self.at(self.world.tip)
    }

    /// How many commits lie between one line and tip.
    pub fn distance(&self, line: usize) -> usize {
        self.all()
            .filter(|at| self.reaches[self.world.tip][*at] && !self.reaches[line][*at])
            .count()
    }

    /// A commit, its first parent, and so on.
    pub fn first_parents(&self, from: usize) -> Vec<usize> {
        let above = |at: &usize| self.world.commits[*at].parents.first().copied();
        std::iter::successors(Some(from), above).collect()
    }

    /// The parents of a commit; `None` is the empty tree above a root.
    pub fn parents(&self, commit: usize) -> Vec<Option<usize>> {
        let parents = &self.world.commits[commit].parents;
        if parents.is_empty() {
            vec![None]
        } else {
            parents.iter().copied().map(Some).collect()
        }
    }

    /// Whether an item differs from every parent.
    pub(super) fn owns<T: PartialEq>(&self, commit: usize, item: impl Fn(&State) -> T) -> bool {
        self.parents(commit)
            .iter()
            .all(|parent| item(&self.at_parent(*parent)) != item(&self.at(commit)))
    }

    /// Whether a commit owns a path that is neither material nor exempt.
    pub fn owns_code(&self, commit: usize) -> bool {
        let has = |item: fn(&State) -> u8| self.owns(commit, item) || self.takes_back(commit, item);
        has(|s| s.code[0]) || has(|s| s.code[1]) || self.owns_auth(commit)
    }

    /// Whether a commit owns a path that is for people only.
    pub fn owns_auth(&self, commit: usize) -> bool {
        self.owns(commit, |s| s.auth) || self.takes_back(commit, |s| s.auth)
    }

    /// Whether a merge keeps the state that a protected parent and another one started from, although
    /// one of them has moved on.
    fn takes_back<T: PartialEq>(&self, commit: usize, item: impl Fn(&State) -> T) -> bool {
        let own = item(&self.at(commit));
        let parents = &self.world.commits[commit].parents;
        let is_line = |parent: &usize| self.is_outside(Some(*parent));
        parents.iter().any(|line| {
            let others = parents
                .iter()
                .filter(|other| *other != line && (is_line(line) || is_line(other)));
            item(&self.at(*line)) != own
                && others.into_iter().any(|other| {
                    let bases = self.merge_bases(*other, *line);
                    !bases.is_empty() && bases.iter().all(|base| item(&self.at(*base)) == own)
                })
        })
    }

    /// The common ancestors of two commits that no other common ancestor reaches.
    fn merge_bases(&self, one: usize, other: usize) -> Vec<usize> {
        let common: Vec<_> = self
            .all()
            .filter(|at| self.reaches[one][*at] && self.reaches[other][*at])
            .collect();
        let is_maximal = |at: &usize| {
            !common
                .iter()
                .any(|new| new != at && self.reaches[*new][*at])
        };
        common.iter().copied().filter(is_maximal).collect()
    }

    /// Only what carries code can be a revert that matters.
    pub(super) fn is_revert(&self, at: usize) -> bool {
        self.world.commits[at].reverts && self.owns_code(at)
    }

    /// The commits that carry the patch.
    pub fn patches(&self) -> BTreeSet<usize> {
        let is_patch = |at: &usize| self.owns_code(*at) && !self.is_revert(*at);
        self.range().into_iter().filter(is_patch).collect()
    }

    pub(super) fn is_outside(&self, parent: Option<usize>) -> bool {
        parent.is_some_and(|parent| self.is_landed(parent))
    }

    /// Every patch commit with each of its parents, but for the protected ones of a merge that
    /// has another.
    fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for patch in self.patches() {
            let parents = self.parents(patch);
            let is_mixed = parents.iter().any(|parent| !self.is_outside(*parent));
            for parent in parents {
                if !(is_mixed && self.is_outside(parent)) {
                    steps.push((patch, parent));
                }
            }
        }
        steps
    }

    /// Whether base lacks an item that a protected tip holds as tip does.
    fn came_by_a_line<T: PartialEq + Default>(
        &self,
        base: usize,
        item: impl Fn(&State) -> T,
    ) -> bool {
        let is_held = self
            .world
            .hidden
            .iter()
            .any(|line| item(&self.at(*line)) == item(&self.tip()));
        item(&self.at(base)) == T::default() && item(&self.tip()) != T::default() && is_held
    }

    fn in_delta<T: PartialEq + Default>(&self, base: usize, item: impl Fn(&State) -> T) -> bool {
        item(&self.at(base)) != item(&self.tip()) && !self.came_by_a_line(base, &item)
    }

    /// The steps at which an item of the delta does not yet have the state it has at tip.
    fn misses<T: PartialEq + Default>(&self, base: usize, item: impl Fn(&State) -> T) -> Vec<Step> {
        let lacks = |step: &Step| item(&self.at_parent(step.1)) != item(&self.tip());
        if self.in_delta(base, &item) {
            self.steps().into_iter().filter(lacks).collect()
        } else {
            Vec::new()
        }
    }

    fn is_new_row(&self, base: usize, row: usize) -> bool {
        scored(&self.at(base), row).is_none() && scored(&self.tip(), row).is_some()
    }

    /// The steps at which a new row is not there at all, and the patch commit did not bring it.
    fn late_steps(&self, base: usize, row: usize) -> Vec<Step> {
        let is_late = |step: &Step| {
            let absent = scored(&self.at_parent(step.1), row).is_none();
            absent && !self.owns_row(step.0, row)
        };
        if !self.is_new_row(base, row) {
            return Vec::new();
        }
        self.misses(base, |s| scored(s, row))
            .into_iter()
            .filter(is_late)
            .collect()
    }

    fn owns_row(&self, commit: usize, row: usize) -> bool {
        scored(&self.at(commit), row).is_some() && self.owns(commit, |s| scored(s, row))
    }

    /// Whether a parent of a commit holds a row that the commit owns.
    fn edits_row(&self, commit: usize, row: usize) -> bool {
        let holds = |parent: Option<usize>| scored(&self.at_parent(parent), row).is_some();
        self.owns_row(commit, row) && self.parents(commit).into_iter().any(holds)
    }

    /// The late rows.
    pub fn late(&self) -> BTreeSet<usize> {
        let is_late = |row: &usize| {
            self.bases()
                .iter()
                .any(|base| !self.late_steps(*base, *row).is_empty())
        };
        (0..2).filter(is_late).collect()
    }

    /// Whether a late row is late by that patch commit, and for that reason: somebody brought the
    /// row on top of the patch commit, or nobody did.
    pub(super) fn is_late_by(&self, row: usize, late: &order::Late) -> bool {
        let steps = |base: &usize| self.late_steps(*base, row);
        let step = self
            .bases()
            .iter()
            .flat_map(steps)
            .find(|step| commit(step.0) == late.patch);
        step.is_some_and(|(patch, _)| {
            let range = self.range();
            let later = |at: &usize| *at != patch && self.reaches[*at][patch];
            let brought = range
                .iter()
                .any(|at| later(at) && self.owns_row(*at, row) && !self.edits_row(*at, row));
            late.reason == if brought { "after-patch" } else { "concurrent" }
        })
    }

    /// A property file that section 3 leaves alone: no row that scores names it, and it was kept
    /// for smoke at base, or is new and there for smoke or late rows.
    fn is_spared(&self, base: usize, file: usize, late: &BTreeSet<usize>) -> bool {
        let (before, after) = (self.at(base), self.tip());
        let names = |state: State, row: usize| state.rows[row].is_some_and(|row| row.names[file]);
        let any = |state: State, wanted: &dyn Fn(usize) -> bool| {
            (0..2).any(|row| names(state, row) && wanted(row))
        };
        let is_smoke = |state: State, row: usize| scored(&state, row).is_none();
        if any(before, &|row| !is_smoke(before, row))
            || any(after, &|row| !is_smoke(after, row) && !late.contains(&row))
        {
            return false;
        }
        // a file that a patch met in another state, kept for no smoke row there, was a helper
        let was_helper = self.steps().into_iter().any(|(_, parent)| {
            let met = self.at_parent(parent);
            let is_other = met.props[file] != 0 && met.props[file] != after.props[file];
            is_other && !any(met, &|row| is_smoke(met, row))
        });
        if was_helper {
            return false;
        }
        if before.props[file] != 0 {
            any(before, &|row| is_smoke(before, row))
        } else {
            any(after, &|row| is_smoke(after, row) || late.contains(&row))
        }
    }

    /// Everything that the order of the commits refuses or holds, once it is known which rows are
    /// late.
    pub fn findings(&self, late: &BTreeSet<usize>) -> BTreeSet<Finding> {
        let mut found = BTreeSet::new();
        if self.bases().is_empty() {
            found.insert((
                Code::HistoryUntrusted,
                "no-common-commit",
                commit(self.world.tip).to_string(),
            ));
            return found;
        }
        for base in self.bases() {
            (0..2).for_each(|row| self.judge_row(base, row, &mut found));
            (0..4).for_each(|file| self.judge_prop(base, file, late, &mut found));
            (0..2).for_each(|freeze| self.judge_freeze(base, freeze, &mut found));
            (0..2).for_each(|spec| self.judge_spec(base, spec, late, &mut found));
            self.judge_fixtures(base, &mut found);
            self.judge_policy(base, &mut found);
        }
        (0..2).for_each(|row| self.judge_removal(row, &mut found));
        self.judge_holds(&mut found);
        found
    }

    fn judge_row(&self, base: usize, row: usize, found: &mut BTreeSet<Finding>) {
        let mut say = |reason| {
            found.insert((Code::OracleNotIndependent, reason, ROWS[row].to_owned()));
        };
        let changed = scored(&self.at(base), row) != scored(&self.tip(), row);
        if scored(&self.at(base), row).is_some() && changed && !self.patches().is_empty() {
            say("weakened");
        }
        for (patch, parent) in self.misses(base, |s| scored(s, row)) {
            if scored(&self.tip(), row).is_none() {
                continue;
            }
            if scored(&self.at_parent(parent), row).is_some() || !self.is_new_row(base, row) {
                say("changed-after-patch");
            } else if self.owns_row(patch, row) {
                say("same-commit");
            }
        }
    }

    fn judge_prop(
        &self,
        base: usize,
        file: usize,
        late: &BTreeSet<usize>,
        found: &mut BTreeSet<Finding>,
    ) {
        let say = |reason| (Code::OracleNotIndependent, reason, PROPS[file].to_owned());
        let (before, after) = (self.at(base).props[file], self.tip().props[file]);
        if self.is_spared(base, file, late) {
            return;
        }
        if before != 0 && before != after && !self.patches().is_empty() {
            found.insert(say("weakened"));
        }
        if !self.misses(base, |s| s.props[file]).is_empty() {
            found.insert(say("property-changed"));
        }
    }

    fn judge_freeze(&self, base: usize, at: usize, found: &mut BTreeSet<Finding>) {
        let item = |s: &State| s.freezes[at].map(|freeze| freeze.version);
        let is_edited = item(&self.at(base)).is_some() && item(&self.at(base)) != item(&self.tip());
        let is_added = !self.misses(base, item).is_empty();
        let has_patch = !self.patches().is_empty();
        let say = |reason| {
            (
                Code::FreezeAddedWithPatch,
                reason,
                format!("{} seed 7", ROWS[at]),
            )
        };
        if item(&self.tip()).is_some() && is_edited && has_patch {
            found.insert(say("edited"));
        }
        if item(&self.tip()).is_some() && is_added {
            found.insert(say("added"));
        }
    }

    fn judge_spec(
        &self,
        base: usize,
        spec: usize,
        late: &BTreeSet<usize>,
        found: &mut BTreeSet<Finding>,
    ) {
        let is_cited = (scored(&self.tip(), spec).is_some() && !late.contains(&spec))
            || scored(&self.at(base), spec).is_some();
        let differs = self.in_delta(base, |s| s.specs[spec]);
        if is_cited && !self.misses(base, |s| s.specs[spec]).is_empty() {
            found.insert((
                Code::SpecChangedByPatch,
                "text-changed",
                SPECS[spec].to_owned(),
            ));
        } else if differs && scored(&self.at(base), spec).is_some() && !self.patches().is_empty() {
            found.insert((Code::NeedsHuman, "spec-changed", SPECS[spec].to_owned()));
        }
    }

    fn judge_fixtures(&self, base: usize, found: &mut BTreeSet<Finding>) {
        let mut say = |reason, subject: &str| {
            found.insert((Code::FixtureMigrationMixed, reason, subject.to_owned()));
        };
        let image = |s: &State| s.epoch.map(|epoch| epoch.image);
        if let Some(now) = image(&self.tip()).filter(|_| !self.misses(base, image).is_empty()) {
            say("image-changed", &shown_image(now));
        }
        let is_moved = |file: &usize| {
            let pinned = self
                .at(base)
                .epoch
                .is_some_and(|epoch| epoch.pins[*file] != 0);
            let before = self.at(base).fixtures[*file];
            pinned && before != self.tip().fixtures[*file]
        };
        let moved: Vec<_> = (0..2).filter(is_moved).collect();
        for (file, path) in FIXTURES.iter().enumerate() {
            if moved.contains(&file) && !self.patches().is_empty() {
                say("migration-with-patch", path);
            }
            let lacks =
                |step: &Step| self.at_parent(step.1).fixtures[file] != self.tip().fixtures[file];
            let is_moved = moved.contains(&file) && self.steps().iter().any(lacks);
            if is_moved || !self.misses(base, |s| s.fixtures[file]).is_empty() {
                say("fixture-changed", path);
            }
        }
        let name = |s: &State| s.epoch.map_or(0, |epoch| epoch.name);
        let is_renamed = name(&self.at(base)) != name(&self.tip());
        for file in moved {
            let is_early = |at: &usize| {
                let owns = self.owns(*at, |s| s.fixtures[file]);
                owns && name(&self.at(*at)) == name(&self.tip()) && !self.is_revert(*at)
            };
            if self.patches().is_empty() && is_renamed && self.range().iter().any(is_early) {
                say("bytes-with-ledger", FIXTURES[file]);
            }
        }
    }

    fn judge_policy(&self, base: usize, found: &mut BTreeSet<Finding>) {
        if !self.in_delta(base, |s| s.policy) {
            return;
        }
        found.insert(if self.patches().is_empty() {
            (
                Code::NeedsHuman,
                "policy-changed",
                ".gitreins/reins.toml".to_owned(),
            )
        } else {
            (
                Code::PolicyChangedByPatch,
                "policy-with-patch",
                ".gitreins/reins.toml".to_owned(),
            )
        });
    }

    fn judge_removal(&self, row: usize, found: &mut BTreeSet<Finding>) {
        let introduced = |state: &Row| {
            self.range().iter().any(|at| {
                let mut before = self
                    .parents(*at)
                    .into_iter()
                    .map(|p| scored(&self.at_parent(p), row));
                scored(&self.at(*at), row).as_ref() == Some(state)
                    && !before.any(|old| old.as_ref() == Some(state))
            })
        };
        let parents = self
            .patches()
            .into_iter()
            .flat_map(|patch| self.parents(patch));
        let mut held = parents.filter_map(|parent| scored(&self.at_parent(parent), row));
        let was_held = held.any(|state| introduced(&state));
        let is_weakened = self
            .bases()
            .iter()
            .any(|base| scored(&self.at(*base), row).is_some());
        let drops = |at: &usize| {
            let mut before = self
                .parents(*at)
                .into_iter()
                .map(|parent| scored(&self.at_parent(parent), row));
            scored(&self.at(*at), row).is_none() && before.all(|old| old.is_some())
        };
        let range = self.range();
        let mut dropped = range.iter().filter(|at| drops(at));
        let was_gone = dropped.any(|at| {
            self.patches()
                .into_iter()
                .any(|patch| self.reaches[patch][*at])
        });
        let is_gone = scored(&self.tip(), row).is_none() || was_gone;
        if was_held && is_gone && !is_weakened {
            found.insert((Code::OracleNotIndependent, "removed", ROWS[row].to_owned()));
        }
    }

    fn judge_holds(&self, found: &mut BTreeSet<Finding>) {
        for at in self.range() {
            if self.owns_auth(at) {
                found.insert((Code::NeedsHuman, "human-only-path", "src/auth/h".to_owned()));
            }
            let parent = self.at_parent(self.parents(at)[0]);
            let row = |s: &State, at: usize| s.rows[at].map(|row| Row { hint: 0, ..row });
            let freeze = |s: &State, at: usize| s.freezes[at].map(|freeze| freeze.version);
            let takes_away = |one: usize| {
                let now = self.at(at);
                (row(&parent, one).is_some() && row(&parent, one) != row(&now, one))
                    || (freeze(&parent, one).is_some() && freeze(&parent, one) != freeze(&now, one))
            };
            if self.is_revert(at) && (0..2).any(takes_away) {
                found.insert((Code::NeedsHuman, "revert", commit(at).short()));
            }
        }
    }
}

/// A row that scores; `authored_commit` is no part of its state.
pub fn scored(state: &State, row: usize) -> Option<Row> {
    state.rows[row]
        .filter(|row| row.scored)
        .map(|row| Row { hint: 0, ..row })
}
