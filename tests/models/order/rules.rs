//! What does the contract say about the order of commits? Predicates over a boolean matrix.

use std::collections::BTreeSet;

use git_reins::decide::order;
use git_reins::model::refusal::Code;

use super::super::parts::commit;
use super::super::world::{Epoch, FIXTURES, PROPS, ROWS, Row, SPECS, State, World};
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

    /// The commits that carry the patch; a revert does.
    pub fn patches(&self) -> BTreeSet<usize> {
        let is_patch = |at: &usize| self.owns_code(*at);
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

    /// The protected tip that the candidate would land on, where it is no base.
    pub(super) fn line(&self) -> Option<usize> {
        let hidden = self.world.hidden.iter().copied();
        let nearest = hidden.min_by_key(|line| self.distance(*line));
        nearest.filter(|line| !self.bases().contains(line))
    }

    /// The protected tips that no base reaches.
    pub(super) fn beside_bases(&self) -> Vec<usize> {
        let bases = self.bases();
        let is_older = |line: &usize| bases.iter().any(|base| self.reaches[*base][*line]);
        let hidden = self.world.hidden.iter().copied();
        hidden.filter(|line| !is_older(line)).collect()
    }

    /// The state that judges an item: what tip holds as the line does has landed there.
    fn judging<T: PartialEq>(&self, base: usize, item: impl Fn(&State) -> T) -> T {
        let tip = item(&self.tip());
        let has_landed = self.line().is_some_and(|line| item(&self.at(line)) == tip);
        if has_landed {
            tip
        } else {
            item(&self.at(base))
        }
    }

    /// The oracle rows that judge.
    fn judging_row(&self, base: usize, row: usize) -> Option<Row> {
        self.judging(base, |s| bare(s, row))
    }

    /// The row in force, as the nearest base says: the one that judges, or one that the range
    /// brings.
    pub fn row_in_force(&self, row: usize) -> Option<Row> {
        let tip = bare(&self.tip(), row);
        let nearest = self
            .bases()
            .into_iter()
            .min_by_key(|base| self.distance(*base));
        let judging = nearest.and_then(|base| self.judging_row(base, row));
        judging
            .filter(|held| held.scored || !tip.is_some_and(|tip| tip.scored))
            .or(tip)
    }

    fn judging_scored(&self, base: usize, row: usize) -> Option<Row> {
        self.judging_row(base, row).filter(|row| row.scored)
    }

    /// The steps at which an item does not yet have the state it has at tip.
    fn misses<T: PartialEq>(&self, item: impl Fn(&State) -> T) -> Vec<Step> {
        let lacks = |step: &Step| item(&self.at_parent(step.1)) != item(&self.tip());
        self.steps().into_iter().filter(lacks).collect()
    }

    fn is_new_row(&self, base: usize, row: usize) -> bool {
        self.judging_scored(base, row).is_none() && scored(&self.tip(), row).is_some()
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
        self.misses(|s| scored(s, row))
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
            (0..2).for_each(|row| self.hold_row(base, row, &mut found));
            (0..4).for_each(|file| self.hold_prop(base, file, &mut found));
            (0..2).for_each(|spec| self.hold_spec(base, spec, &mut found));
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
        if !self.is_new_row(base, row) {
            return;
        }
        for (patch, parent) in self.misses(|s| scored(s, row)) {
            if scored(&self.at_parent(parent), row).is_some() {
                if !self.is_revert(patch) {
                    say("changed-after-patch");
                }
            } else if self.owns_row(patch, row) {
                say("same-commit");
            }
        }
    }

    /// Whether a row has to come first: the range brings it, and it scores.
    fn has_to_precede(&self, base: usize, row: usize, late: &BTreeSet<usize>) -> bool {
        self.is_new_row(base, row) && !late.contains(&row)
    }

    fn judge_prop(
        &self,
        base: usize,
        file: usize,
        late: &BTreeSet<usize>,
        found: &mut BTreeSet<Finding>,
    ) {
        let names = |row: usize| scored(&self.tip(), row).is_some_and(|row| row.names[file]);
        let is_named = (0..2).any(|row| names(row) && self.has_to_precede(base, row, late));
        let is_brought = self.judging(base, |s| s.props[file]) != self.tip().props[file];
        if is_named && is_brought && !self.misses(|s| s.props[file]).is_empty() {
            found.insert((
                Code::OracleNotIndependent,
                "property-changed",
                PROPS[file].to_owned(),
            ));
        }
    }

    fn judge_freeze(&self, base: usize, at: usize, found: &mut BTreeSet<Finding>) {
        let item = |s: &State| s.freezes[at].map(|freeze| freeze.version);
        let (before, now) = (self.judging(base, item), item(&self.tip()));
        let reason = match before {
            _ if now.is_none() || before == now || self.patches().is_empty() => return,
            Some(_) => "edited",
            None if self.misses(item).is_empty() => return,
            None => "added",
        };
        let subject = format!("{} seed 7", ROWS[at]);
        found.insert((Code::FreezeAddedWithPatch, reason, subject));
    }

    fn judge_spec(
        &self,
        base: usize,
        spec: usize,
        late: &BTreeSet<usize>,
        found: &mut BTreeSet<Finding>,
    ) {
        let is_brought =
            section(self.judging(base, |s| s.specs[spec])) != section(self.tip().specs[spec]);
        let is_changed = !self.misses(|s| section(s.specs[spec])).is_empty();
        if self.has_to_precede(base, spec, late) && is_brought && is_changed {
            found.insert((
                Code::SpecChangedByPatch,
                "text-changed",
                SPECS[spec].to_owned(),
            ));
        }
    }

    /// An item that base holds is held for a person; as a backport where another line holds it so.
    fn hold<T: PartialEq>(
        &self,
        reason: &'static str,
        subject: &str,
        item: impl Fn(&State) -> Option<T>,
        found: &mut BTreeSet<Finding>,
    ) {
        let now = item(&self.tip());
        let holds = |line: &usize| item(&self.at(*line)) == now;
        let is_backport = now.is_some() && self.beside_bases().iter().any(holds);
        let reason = if is_backport { "backport" } else { reason };
        found.insert((Code::NeedsHuman, reason, subject.to_owned()));
    }

    fn hold_row(&self, base: usize, row: usize, found: &mut BTreeSet<Finding>) {
        let (Some(before), now) = (self.judging_row(base, row), bare(&self.tip(), row)) else {
            return;
        };
        let is_kept = now.is_some_and(|now| {
            let is_new = !before.scored && now.scored;
            let pins = before.pins;
            is_new || Row { pins, ..now } == before
        });
        if !is_kept {
            self.hold("row-edited", ROWS[row], |s| bare(s, row), found);
        }
    }

    fn hold_prop(&self, base: usize, file: usize, found: &mut BTreeSet<Finding>) {
        let names = |row: Option<Row>| row.is_some_and(|row| row.names[file]);
        let was_named = (0..2).any(|row| names(self.judging_row(base, row)));
        let is_named = (0..2).any(|row| names(self.tip().rows[row]));
        let (before, now) = (
            self.judging(base, |s| s.props[file]),
            self.tip().props[file],
        );
        if before == 0 {
            return;
        }
        let item = |s: &State| Some(s.props[file]).filter(|version| *version != 0);
        let is_extended = (before, now) == (1, 2);
        if was_named && before != now && !is_extended {
            self.hold("property-edited", PROPS[file], item, found);
        }
        let tip = self.tip().rows;
        let begins = (0..2).find(|row| !was_named && names(tip[*row]));
        let drops = |row: &usize| names(self.judging_row(base, *row)) && tip[*row].is_some();
        let stops = (0..2).find(|row| now != 0 && !is_named && drops(row));
        if let Some(row) = begins.or(stops) {
            self.hold("harness-changed", PROPS[file], |s| bare(s, row), found);
        }
    }

    fn hold_spec(&self, base: usize, spec: usize, found: &mut BTreeSet<Finding>) {
        let (before, now) = (
            self.judging(base, |s| s.specs[spec]),
            self.tip().specs[spec],
        );
        let is_cited = self.judging_row(base, spec).is_some();
        let is_changed = now == 0 || (is_cited && section(before) != section(now));
        if before != 0 && before != now && is_changed {
            let item = |s: &State| Some(s.specs[spec]).filter(|version| *version != 0);
            self.hold("spec-changed", SPECS[spec], item, found);
        }
    }

    fn judge_fixtures(&self, base: usize, found: &mut BTreeSet<Finding>) {
        let mut say = |reason, subject: &str| {
            found.insert((Code::FixtureMigrationMixed, reason, subject.to_owned()));
        };
        let has_patch = !self.patches().is_empty();
        let before = self.judging(base, |s| s.epoch);
        let image = |s: &State| s.epoch.map(|epoch| epoch.image);
        let is_other = match before {
            Some(before) => has_patch && image(&self.tip()) != Some(before.image),
            None => !self.misses(image).is_empty(),
        };
        if let Some(now) = image(&self.tip()).filter(|_| is_other) {
            say("image-changed", &shown_image(now));
        }
        let name = |epoch: Option<Epoch>| epoch.map_or(0, |epoch| epoch.name);
        let is_renamed = name(before) != name(self.tip().epoch);
        for (file, path) in FIXTURES.iter().enumerate() {
            let version = self.judging(base, |s| s.fixtures[file]);
            if version == self.tip().fixtures[file] {
                continue;
            }
            if has_patch && version != 0 {
                say("migration-with-patch", path);
            }
            let is_early = |at: &usize| {
                let owns = self.owns(*at, |s| s.fixtures[file]);
                let renames = self.owns(*at, |s| name(s.epoch));
                owns && (renames || name(self.at(*at).epoch) == name(self.tip().epoch))
            };
            let is_pinned = before.is_some_and(|epoch| epoch.pins[file] != 0);
            if is_pinned && !has_patch && is_renamed && self.range().iter().any(is_early) {
                say("bytes-with-ledger", path);
            }
        }
    }

    fn judge_policy(&self, base: usize, found: &mut BTreeSet<Finding>) {
        if self.judging(base, |s| s.policy) == self.tip().policy {
            return;
        }
        let (code, reason) = if self.patches().is_empty() {
            (Code::NeedsHuman, "policy-changed")
        } else {
            (Code::PolicyChangedByPatch, "policy-with-patch")
        };
        found.insert((code, reason, ".gitreins/reins.toml".to_owned()));
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
            .any(|base| self.judging_scored(*base, row).is_some());
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
            if self.is_revert(at) && self.owns_material(at) {
                found.insert((Code::NeedsHuman, "revert", commit(at).short()));
            }
        }
    }

    /// Whether a commit owns a path of material.
    fn owns_material(&self, at: usize) -> bool {
        (0..4).any(|file| self.owns(at, |s| s.props[file]))
            || (0..2).any(|file| self.owns(at, |s| s.fixtures[file]))
            || (0..2).any(|file| self.owns(at, |s| s.specs[file]))
            || self.owns(at, |s| s.rows)
            || self.owns(at, |s| s.freezes)
            || self.owns(at, |s| s.epoch)
            || self.owns(at, |s| s.policy)
    }
}

/// A row; `authored_commit` is no part of its state.
fn bare(state: &State, row: usize) -> Option<Row> {
    state.rows[row].map(|row| Row { hint: 0, ..row })
}

/// The cited section of a text: the second version has that of the first.
fn section(version: u8) -> u8 {
    if version == 2 { 1 } else { version }
}

/// A row that scores; `authored_commit` is no part of its state.
pub fn scored(state: &State, row: usize) -> Option<Row> {
    bare(state, row).filter(|row| row.scored)
}
