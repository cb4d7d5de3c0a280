//! Does the order of every small history get the answer that a boolean matrix gives?

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use git_reins::decide::facts::{CommitFacts, Facts, Held, Listing, Material, Own, ParentFacts, Reading, Tip};
use git_reins::decide::order;
use git_reins::ledger::field::Field;
use git_reins::ledger::fixture::{FixtureFile, FixtureLedger};
use git_reins::ledger::freeze::{FreezeLedger, FreezeRow};
use git_reins::ledger::oracle::{OracleLedger, OracleRow, PinnedFile};
use git_reins::model::ids::CommitId;
use git_reins::model::refusal::Code;
use git_reins::policy::Policy;
use proptest::strategy::{Strategy as _, ValueTree};

use super::dice::runner;
use super::parts::{commit, plain, policy};
use super::words::{member, sha};
use super::world::{Epoch, FIXTURES, Freeze, PROPS, ROWS, Row, SPECS, State, World};

// -- what the contract says ------------------------------------------------------------------

/// Code, reason and subject of one finding.
pub type Finding = (Code, &'static str, String);

/// A world and everything that a predicate may ask about it.
pub struct Model<'w> {
    pub world: &'w World,
    pub reaches: Vec<Vec<bool>>,
}

/// One patch commit and one of its parents that is not exempt; `None` is the empty tree.
type Step = (usize, Option<usize>);

impl<'w> Model<'w> {
    pub fn of(world: &'w World) -> Self {
        Self { world, reaches: world.matrix() }
    }

    fn all(&self) -> impl Iterator<Item = usize> + use<> {
        0..self.world.commits.len()
    }

    pub fn is_landed(&self, at: usize) -> bool {
        self.world.hidden.iter().any(|line| self.reaches[*line][at])
    }

    /// Range R.
    pub fn range(&self) -> BTreeSet<usize> {
        self.all().filter(|at| self.reaches[self.world.tip][*at] && !self.is_landed(*at)).collect()
    }

    /// The maximal commits that tip shares with the hidden tips.
    pub fn bases(&self) -> BTreeSet<usize> {
        let shared: Vec<_> =
            self.all().filter(|at| self.reaches[self.world.tip][*at] && self.is_landed(*at)).collect();
        let is_below = |at: usize| shared.iter().any(|other| *other != at && self.reaches[*other][at]);
        shared.iter().copied().filter(|at| !is_below(*at)).collect()
    }

    pub fn at(&self, commit: usize) -> State {
        self.world.commits[commit].state
    }

    fn at_parent(&self, parent: Option<usize>) -> State {
        parent.map_or_else(State::default, |parent| self.at(parent))
    }

    pub fn tip(&self) -> State {
        self.at(self.world.tip)
    }

    /// How many commits lie between one line and tip.
    pub fn distance(&self, line: usize) -> usize {
        self.all().filter(|at| self.reaches[self.world.tip][*at] && !self.reaches[line][*at]).count()
    }

    /// A commit, its first parent, and so on.
    pub fn first_parents(&self, from: usize) -> Vec<usize> {
        let above = |at: &usize| self.world.commits[*at].parents.first().copied();
        std::iter::successors(Some(from), above).collect()
    }

    pub fn parents(&self, commit: usize) -> Vec<Option<usize>> {
        let parents = &self.world.commits[commit].parents;
        if parents.is_empty() { vec![None] } else { parents.iter().copied().map(Some).collect() }
    }

    /// Whether an item differs from every parent.
    fn owns<T: PartialEq>(&self, commit: usize, item: impl Fn(&State) -> T) -> bool {
        self.parents(commit).iter().all(|parent| item(&self.at_parent(*parent)) != item(&self.at(commit)))
    }

    pub fn owns_code(&self, commit: usize) -> bool {
        self.owns(commit, |s| s.code[0]) || self.owns(commit, |s| s.code[1]) || self.owns_auth(commit)
    }

    pub fn owns_auth(&self, commit: usize) -> bool {
        self.owns(commit, |s| s.auth)
    }

    /// Only what carries code can be a revert that matters.
    fn is_revert(&self, at: usize) -> bool {
        self.world.commits[at].reverts && self.owns_code(at)
    }

    pub fn patches(&self) -> BTreeSet<usize> {
        let is_patch = |at: &usize| self.owns_code(*at) && !self.is_revert(*at);
        self.range().into_iter().filter(is_patch).collect()
    }

    fn is_outside(&self, parent: Option<usize>) -> bool {
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
    fn came_by_a_line<T: PartialEq + Default>(&self, base: usize, item: impl Fn(&State) -> T) -> bool {
        let is_held = self.world.hidden.iter().any(|line| item(&self.at(*line)) == item(&self.tip()));
        item(&self.at(base)) == T::default() && item(&self.tip()) != T::default() && is_held
    }

    fn in_delta<T: PartialEq + Default>(&self, base: usize, item: impl Fn(&State) -> T) -> bool {
        item(&self.at(base)) != item(&self.tip()) && !self.came_by_a_line(base, &item)
    }

    /// The steps at which an item of the delta does not yet have the state it has at tip.
    fn misses<T: PartialEq + Default>(&self, base: usize, item: impl Fn(&State) -> T) -> Vec<Step> {
        let lacks = |step: &Step| item(&self.at_parent(step.1)) != item(&self.tip());
        if self.in_delta(base, &item) { self.steps().into_iter().filter(lacks).collect() } else { Vec::new() }
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
        self.misses(base, |s| scored(s, row)).into_iter().filter(is_late).collect()
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
        let is_late = |row: &usize| self.bases().iter().any(|base| !self.late_steps(*base, *row).is_empty());
        (0..2).filter(is_late).collect()
    }

    /// Whether a late row is late by that patch commit, and for that reason: somebody brought the
    /// row on top of the patch commit, or nobody did.
    fn is_late_by(&self, row: usize, late: &order::Late) -> bool {
        let steps = |base: &usize| self.late_steps(*base, row);
        let step = self.bases().iter().flat_map(steps).find(|step| commit(step.0) == late.patch);
        step.is_some_and(|(patch, _)| {
            let range = self.range();
            let later = |at: &usize| *at != patch && self.reaches[*at][patch];
            let brought =
                range.iter().any(|at| later(at) && self.owns_row(*at, row) && !self.edits_row(*at, row));
            late.reason == if brought { "after-patch" } else { "concurrent" }
        })
    }

    /// A property file that section 3 leaves alone: no row that scores names it, and it was kept
    /// for smoke at base, or is new and there for smoke or late rows.
    fn is_spared(&self, base: usize, file: usize, late: &BTreeSet<usize>) -> bool {
        let (before, after) = (self.at(base), self.tip());
        let names = |state: State, row: usize| state.rows[row].is_some_and(|row| row.names[file]);
        let any =
            |state: State, wanted: &dyn Fn(usize) -> bool| (0..2).any(|row| names(state, row) && wanted(row));
        let is_smoke = |state: State, row: usize| scored(&state, row).is_none();
        if any(before, &|row| !is_smoke(before, row))
            || any(after, &|row| !is_smoke(after, row) && !late.contains(&row))
        {
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
            found.insert((Code::HistoryUntrusted, "no-common-commit", commit(self.world.tip).to_string()));
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

    fn judge_prop(&self, base: usize, file: usize, late: &BTreeSet<usize>, found: &mut BTreeSet<Finding>) {
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
        let say = |reason| (Code::FreezeAddedWithPatch, reason, format!("{} seed 7", ROWS[at]));
        if item(&self.tip()).is_some() && is_edited && has_patch {
            found.insert(say("edited"));
        }
        if item(&self.tip()).is_some() && is_added {
            found.insert(say("added"));
        }
    }

    fn judge_spec(&self, base: usize, spec: usize, late: &BTreeSet<usize>, found: &mut BTreeSet<Finding>) {
        let is_cited = (scored(&self.tip(), spec).is_some() && !late.contains(&spec))
            || scored(&self.at(base), spec).is_some();
        let differs = self.in_delta(base, |s| s.specs[spec]);
        if is_cited && !self.misses(base, |s| s.specs[spec]).is_empty() {
            found.insert((Code::SpecChangedByPatch, "text-changed", SPECS[spec].to_owned()));
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
            let pinned = self.at(base).epoch.is_some_and(|epoch| epoch.pins[*file] != 0);
            let before = self.at(base).fixtures[*file];
            pinned && before != self.tip().fixtures[*file]
        };
        let moved: Vec<_> = (0..2).filter(is_moved).collect();
        for (file, path) in FIXTURES.iter().enumerate() {
            if moved.contains(&file) && !self.patches().is_empty() {
                say("migration-with-patch", path);
            }
            let lacks = |step: &Step| self.at_parent(step.1).fixtures[file] != self.tip().fixtures[file];
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
            (Code::NeedsHuman, "policy-changed", ".gitreins/reins.toml".to_owned())
        } else {
            (Code::PolicyChangedByPatch, "policy-with-patch", ".gitreins/reins.toml".to_owned())
        });
    }

    fn judge_removal(&self, row: usize, found: &mut BTreeSet<Finding>) {
        let introduces = |at: &usize| {
            let before = self.parents(*at).into_iter().any(|p| scored(&self.at_parent(p), row).is_some());
            scored(&self.at(*at), row).is_some() && !before
        };
        let is_introduced = self.range().iter().any(introduces);
        let parents = self.patches().into_iter().flat_map(|patch| self.parents(patch));
        let was_held = parents.into_iter().any(|parent| scored(&self.at_parent(parent), row).is_some());
        let is_weakened = self.bases().iter().any(|base| scored(&self.at(*base), row).is_some());
        if is_introduced && was_held && scored(&self.tip(), row).is_none() && !is_weakened {
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
    state.rows[row].filter(|row| row.scored).map(|row| Row { hint: 0, ..row })
}

// -- the same world as facts -----------------------------------------------------------------

fn oracle_row(at: usize, row: &Row) -> OracleRow {
    let named = (0..4).filter(|file| row.names[*file]);
    let pinned = |file: usize| PinnedFile {
        path: PROPS[file].to_owned(),
        sha256: sha(&bytes(PROPS[file], row.pins[file])).to_string(),
    };
    OracleRow {
        oracle_id: ROWS[at].to_owned(),
        source: format!("{}#rule", SPECS[at]),
        sees_diff: Some(Field::Value(false)),
        property: "p".to_owned(),
        check: None,
        property_files: named.map(pinned).collect(),
        inputs: Some(format!("inputs {}", row.version)),
        relation: Some("holds".to_owned()),
        witness: Some("breaks".to_owned()),
        score: (!row.scored).then_some(false),
        witness_patch: None,
        drafted_by: None,
        cleared_by: None,
        authored_commit: Some(format!("{:040}", row.hint)),
    }
}

fn freeze_row(at: usize, freeze: &Freeze, seed: &str) -> FreezeRow {
    FreezeRow {
        property_id: member(ROWS[at]),
        seed: member("7"),
        base_rev: member(seed),
        fixture_epoch: member(&format!("epoch-{}", freeze.base)),
        observed_on: member("base"),
        expires_at: member("2026-03-20"),
        owner: member(&format!("owner {}", freeze.version)),
        paths: None,
        quarantine_eligible: None,
        evidence: None,
    }
}

fn shown_image(image: u8) -> String {
    format!("nix:/nix/store/{image}")
}

pub fn fixture_ledger(epoch: &Epoch, seed: &str) -> FixtureLedger {
    let listed = (0..2).filter(|file| epoch.pins[*file] != 0);
    let file = |file: usize| FixtureFile {
        path: FIXTURES[file].to_owned(),
        sha256: sha(&bytes(FIXTURES[file], epoch.pins[file])).to_string(),
        size: 12,
    };
    let mut ledger = FixtureLedger {
        schema: FixtureLedger::SCHEMA.to_owned(),
        epoch_id: member(&format!("epoch-{}", epoch.name)),
        base_rev: member(seed),
        digest_sha256: None,
        runner_image_id: member(&shown_image(epoch.image)),
        files: listed.map(file).collect(),
        residual_risk: Vec::new(),
    };
    ledger.digest_sha256 = member(&ledger.listed_digest());
    ledger
}

/// The bytes of a property or fixture file.
pub fn bytes(path: &str, version: u8) -> String {
    format!("{path} {version}")
}

fn listing<const N: usize>(paths: [&str; N], versions: [u8; N]) -> Arc<Listing> {
    let present = paths.iter().zip(versions).filter(|(_, version)| *version != 0);
    Arc::new(present.map(|(path, version)| ((*path).to_owned(), plain(&bytes(path, version)))).collect())
}

/// The oracle ledger of a state.
pub fn oracle_ledger(state: &State) -> OracleLedger {
    let rows = state.rows.iter().enumerate();
    let oracles = rows.filter_map(|(at, row)| Some(oracle_row(at, row.as_ref()?))).collect();
    OracleLedger { schema: OracleLedger::SCHEMA.to_owned(), oracles }
}

/// The freeze ledger of a state; every row was observed on `seed`.
pub fn freeze_ledger(state: &State, seed: &str) -> FreezeLedger {
    let rows = state.freezes.iter().enumerate();
    let freezes = rows.filter_map(|(at, row)| Some(freeze_row(at, row.as_ref()?, seed))).collect();
    FreezeLedger { schema: FreezeLedger::SCHEMA.to_owned(), freezes }
}

fn material(state: &State) -> Arc<Material> {
    let seed = commit(0).to_string();
    Arc::new(Material {
        oracle: Reading::Valid(Arc::new(oracle_ledger(state))),
        fixture: match &state.epoch {
            Some(epoch) => Reading::Valid(Arc::new(fixture_ledger(epoch, &seed))),
            None => Reading::Missing,
        },
        freezes: Reading::Valid(Arc::new(freeze_ledger(state, &seed))),
        properties: listing(PROPS, state.props),
        fixtures: listing(FIXTURES, state.fixtures),
        specs: listing(SPECS, state.specs),
        policy: (state.policy != 0).then(|| plain(&format!("policy {}", state.policy))),
    })
}

fn facts(model: &Model<'_>, policy: &Policy) -> Facts {
    let world = model.world;
    let materials: Vec<_> = world.commits.iter().map(|commit| material(&commit.state)).collect();
    let empty = material(&State::default());
    let held = |at: usize| Held { id: commit(at), material: materials[at].clone() };
    let parent = |parent: Option<usize>| ParentFacts {
        id: parent.map(commit),
        material: parent.map_or_else(|| empty.clone(), |at| materials[at].clone()),
        is_protected: model.is_outside(parent),
    };
    let path = |wanted: bool, path: &str| wanted.then(|| path.to_owned());
    let of = |at: usize| CommitFacts {
        id: commit(at),
        parents: model.parents(at).into_iter().map(parent).collect(),
        material: materials[at].clone(),
        own: Own {
            code: path(model.owns_code(at), "src/x"),
            exempt: path(model.owns(at, |s| s.docs), "docs/d"),
            human_only: path(model.owns_auth(at), "src/auth/h"),
        },
        reverts: model.is_revert(at).then(|| commit(99)),
    };
    Facts {
        policy: policy.clone(),
        today: "2026-03-01".parse().unwrap(),
        bases: model.bases().into_iter().map(held).collect(),
        protected: world.hidden.iter().copied().map(held).collect(),
        tip: Tip {
            id: commit(world.tip),
            material: materials[world.tip].clone(),
            files: BTreeMap::new(),
            headings: BTreeMap::new(),
            strays: Vec::new(),
            base_rev: None,
            touched: BTreeSet::new(),
        },
        commits: model.range().into_iter().map(of).collect(),
    }
}

// -- the comparison --------------------------------------------------------------------------

/// The ways in which both answers differ for one world.
fn differences(world: &World, policy: &Policy) -> BTreeSet<String> {
    let model = Model::of(world);
    let order = order::judge(&facts(&model, policy));
    let mut ways = BTreeSet::new();
    let patches: BTreeSet<CommitId> = model.patches().into_iter().map(commit).collect();
    if BTreeSet::from_iter(order.patch.iter().copied()) != patches {
        ways.insert("patch commits".to_owned());
    }
    let late: BTreeSet<usize> = (0..2).filter(|row| order.late.contains_key(ROWS[*row])).collect();
    let mut expected = model.findings(&late);
    let mut found: BTreeSet<Finding> =
        order.findings.details.iter().map(|one| (one.code, one.reason, one.subject.clone())).collect();
    for (row, id) in ROWS.into_iter().enumerate() {
        let finding = |reason| (Code::OracleNotIndependent, reason, id.to_owned());
        let refusing = ["same-commit", "changed-after-patch", "weakened"].map(finding);
        // A row that refuses anyway may be called late as well or not, and for one reason or two.
        let is_refused = refusing.iter().any(|one| expected.contains(one));
        if !is_refused && order.late.get(id).is_some_and(|late| !model.is_late_by(row, late)) {
            ways.insert(format!("late {:?}", order.late[id].reason));
        }
        if !is_refused && late.contains(&row) != model.late().contains(&row) {
            ways.insert(format!("late {late:?}, expected {:?}", model.late()));
        }
        if expected.contains(&finding("changed-after-patch")) {
            expected.remove(&finding("same-commit"));
            found.remove(&finding("same-commit"));
        }
    }
    ways.extend(found.difference(&expected).map(|one| format!("too many: {one:?}")));
    ways.extend(expected.difference(&found).map(|one| format!("too few: {one:?}")));
    ways
}

/// How many histories are compared.
const CASES: usize = 2_000;

/// What every run has to come across at least ten times.
const REASONS: [&str; 20] = [
    "added",
    "after-patch",
    "bytes-with-ledger",
    "changed-after-patch",
    "concurrent",
    "edited",
    "fixture-changed",
    "human-only-path",
    "image-changed",
    "migration-with-patch",
    "no-common-commit",
    "policy-changed",
    "policy-with-patch",
    "property-changed",
    "removed",
    "revert",
    "same-commit",
    "spec-changed",
    "text-changed",
    "weakened",
];

/// The reasons that come up in one world.
fn reasons(world: &World, policy: &Policy) -> BTreeSet<&'static str> {
    let model = Model::of(world);
    let order = order::judge(&facts(&model, policy));
    let late = order.late.values().map(|late| late.reason);
    model.findings(&model.late()).into_iter().map(|one| one.1).chain(late).collect()
}

#[test]
fn every_small_history_is_judged_as_the_matrix_says() {
    let (policy, mut runner) = (policy(), runner(7));
    let tapes = proptest::collection::vec(proptest::num::u16::ANY, 160);
    let mut faults: BTreeMap<String, (usize, World)> = BTreeMap::new();
    let (mut counts, mut clean): (BTreeMap<&str, usize>, usize) = (BTreeMap::new(), 0);
    for _ in 0..CASES {
        let world = World::read(&tapes.new_tree(&mut runner).unwrap().current());
        for way in differences(&world, &policy) {
            faults.entry(way).or_insert_with(|| (0, world.clone())).0 += 1;
        }
        let reasons = reasons(&world, &policy);
        clean += usize::from(reasons.is_empty());
        reasons.into_iter().for_each(|reason| *counts.entry(reason).or_default() += 1);
    }
    let shown = |(way, (count, world)): (&String, &(usize, World))| {
        let smallest = smallest(world.clone(), |world| differences(world, &policy).contains(way));
        format!("{way} ({count} times)\n{}\n", smallest.shown())
    };
    assert!(faults.is_empty(), "{}", faults.iter().map(shown).collect::<String>());
    assert!(REASONS.iter().all(|reason| counts.get(reason) >= Some(&10)), "too rare: {counts:?}");
    assert!((CASES / 10..=CASES * 8 / 10).contains(&clean), "{clean} without a finding");
}

/// Makes a world plainer as long as it stays interesting.
fn smallest(mut world: World, is_interesting: impl Fn(&World) -> bool) -> World {
    while let Some(plainer) = world.plainer().into_iter().find(|world| is_interesting(world)) {
        world = plainer;
    }
    world
}
