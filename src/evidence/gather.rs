//! Gathers the facts that a decision needs from the commits of a range.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::GateError;
use super::evil_merge;
use super::material::Reader;
use super::range_context::{RangeContext, policy_bytes, read_policy};
use super::reverts;
use super::trials;
use super::unexpected_paths;
use crate::decide::admit::UnreadablePolicy;
use crate::decide::facts::{
    BaseRev, CommitFacts, Facts, FileFacts, Held, Material, Own, ParentFacts, Pins, Tip,
};
use crate::git::object::RawCommit;
use crate::git::owned::{Go, Step};
use crate::git::{GitError, Repo};
use crate::ledger::field::text;
use crate::ledger::oracle::Source;
use crate::model::day::Day;
use crate::model::heading::anchors;
use crate::model::ids::{CommitId, EntryState, ObjectId, Sha256};
use crate::policy::PolicyFault;
use crate::policy::path_class::{Marks, Spot, Territory};

/// A cited text larger than this has no headings that anybody looks for.
const TEXT_CAP: u64 = 8 << 20;

/// Reads everything that `check` and `admit` decide on.
///
/// # Errors
/// When an object is absent or unreadable.
pub fn gather(repo: &Repo, context: &RangeContext, today: Day) -> Result<Facts, GateError> {
    let territory = Territory::of(&context.policy);
    let mut reader = Reader::new(repo, &context.policy);
    let (mut commits, folding) = commits(repo, context, &territory, &mut reader)?;
    reverts::mark(repo, context, &mut commits)?;
    let bases = held(repo, &context.range.bases, &mut reader)?;
    let protected = held(repo, &beside_bases(repo, context)?, &mut reader)?;
    let tip = tip(repo, context, &territory, &bases, &mut reader)?;
    let pins = pins(repo, context, &territory)?;
    let trials = trials::read(repo, context, &folding)?;
    Ok(Facts {
        policy: context.policy.clone(),
        today,
        bases,
        protected,
        tip,
        commits,
        pins,
        trials,
        line: context.line.clone(),
    })
}

fn pins(repo: &Repo, context: &RangeContext, territory: &Territory) -> Result<Pins, GateError> {
    let code = |commit: &CommitId| repo.code_tree(repo.commit(*commit)?.tree, territory);
    Ok(Pins {
        base_tree: context.range.bases.first().map(code).transpose()?,
        candidate_tree: code(&context.tip)?,
        policy_sha256: Sha256::of(policy_bytes(repo, context.policy_at)?.unwrap_or_default()),
    })
}

/// The commits of a range alone, with what they own.
///
/// # Errors
/// When an object is absent or unreadable.
pub fn range_facts(repo: &Repo, context: &RangeContext) -> Result<Vec<CommitFacts>, GateError> {
    Ok(commits(
        repo,
        context,
        &Territory::of(&context.policy),
        &mut Reader::new(repo, &context.policy),
    )?
    .0)
}

/// The protected tips that no base reaches: an older state of a line never lands anything.
fn beside_bases(repo: &Repo, context: &RangeContext) -> Result<Vec<CommitId>, GateError> {
    let mut beside = Vec::new();
    for line in &context.protected {
        let mut is_older = false;
        for base in &context.range.bases {
            is_older |= repo.is_ancestor(*line, *base)?;
        }
        if !is_older {
            beside.push(*line);
        }
    }
    Ok(beside)
}

fn held(repo: &Repo, ids: &[CommitId], reader: &mut Reader<'_>) -> Result<Vec<Held>, GateError> {
    let one = |id: &CommitId| {
        Ok(Held {
            id: *id,
            material: reader.read(Some(repo.commit(*id)?.tree))?,
        })
    };
    ids.iter().map(one).collect()
}

/// The commits of the range, and which of them own something in the history directory.
///
/// A commit that touches no material shares its parent's.
pub(super) fn commits(
    repo: &Repo,
    context: &RangeContext,
    territory: &Territory,
    reader: &mut Reader<'_>,
) -> Result<(Vec<CommitFacts>, Vec<CommitId>), GateError> {
    let range = &context.range.commits;
    let trees = trees(repo, range)?;
    let in_range: BTreeSet<CommitId> = range.iter().map(|(id, _)| *id).collect();
    let mut seen = looks(repo, territory, range, &trees)?;
    for ((_, raw), seen) in range
        .iter()
        .zip(&mut seen)
        .filter(|((_, raw), _)| raw.parents.len() > 1)
    {
        evil_merge::note(repo, territory, raw, (&trees, &in_range), &mut seen.own)?;
    }
    let mut known: BTreeMap<CommitId, Arc<Material>> = BTreeMap::new();
    let mut facts = Vec::with_capacity(range.len());
    let folding = range
        .iter()
        .zip(&seen)
        .filter(|(_, seen)| seen.has_history)
        .map(|((id, _), _)| *id);
    let folding = folding.collect();
    for ((id, raw), seen) in range.iter().zip(seen) {
        let mut parents = Vec::with_capacity(raw.parents.len());
        for id in &raw.parents {
            if !known.contains_key(id) {
                known.insert(*id, reader.read(Some(trees[id]))?);
            }
            let material = Arc::clone(&known[id]);
            parents.push(ParentFacts {
                id: Some(*id),
                material,
                is_protected: !in_range.contains(id),
            });
        }
        if parents.is_empty() {
            parents.push(ParentFacts {
                id: None,
                material: reader.read(None)?,
                is_protected: false,
            });
        }
        let same = parents
            .iter()
            .all(|parent| Arc::ptr_eq(&parent.material, &parents[0].material));
        let material = match same && !seen.has_material {
            true => Arc::clone(&parents[0].material),
            false => reader.read(Some(raw.tree))?,
        };
        known.insert(*id, Arc::clone(&material));
        facts.push(CommitFacts {
            id: *id,
            parents,
            material,
            own: seen.own,
            reverts: None,
        });
    }
    Ok((facts, folding))
}

/// The trees of the commits of a range and of all their parents.
fn trees(
    repo: &Repo,
    range: &[(CommitId, RawCommit)],
) -> Result<BTreeMap<CommitId, ObjectId>, GateError> {
    let mut trees: BTreeMap<_, _> = range.iter().map(|(id, raw)| (*id, raw.tree)).collect();
    for parent in range.iter().flat_map(|(_, raw)| &raw.parents) {
        if !trees.contains_key(parent) {
            trees.insert(*parent, repo.commit(*parent)?.tree);
        }
    }
    Ok(trees)
}

/// What each commit owns, in the order of the range.
///
/// Newest first: a pack keeps an older tree as its difference from a newer one.
fn looks(
    repo: &Repo,
    territory: &Territory,
    range: &[(CommitId, RawCommit)],
    trees: &BTreeMap<CommitId, ObjectId>,
) -> Result<Vec<Seen>, GateError> {
    let mut seen = Vec::with_capacity(range.len());
    for (_, raw) in range.iter().rev() {
        let mut olds: Vec<_> = raw
            .parents
            .iter()
            .map(|parent| Some(trees[parent]))
            .collect();
        if olds.is_empty() {
            olds.push(None);
        }
        seen.push(look(repo, territory, raw.tree, &olds)?);
    }
    seen.reverse();
    Ok(seen)
}

/// What a walk over the owned paths of a commit saw.
#[derive(Default)]
struct Seen {
    own: Own,
    has_material: bool,
    has_history: bool,
}

/// Looks at what a commit owns, no deeper than the rules ask for.
fn look(
    repo: &Repo,
    territory: &Territory,
    tree: ObjectId,
    olds: &[Option<ObjectId>],
) -> Result<Seen, GateError> {
    let mut seen = Seen::default();
    repo.owned(Some(tree), olds, &mut |step| {
        let spot = spot(territory, step.path);
        let marks = spot.marks();
        if !spot.is_uniform() && step.is_directory {
            return Go::Enter;
        }
        seen.has_material |= marks.material;
        seen.has_history |= marks.history;
        if !step.is_certain {
            return if seen.own.wants(marks) {
                Go::Enter
            } else {
                Go::Skip
            };
        }
        seen.own.note(marks, &step);
        Go::Skip
    })?;
    Ok(seen)
}

/// Where a raw path lies in the territory.
pub(super) fn spot<'t>(territory: &'t Territory, path: &[u8]) -> Spot<'t> {
    path.split(|byte| *byte == b'/')
        .fold(territory.root(), |spot, name| spot.child(name))
}

impl Own {
    /// Whether a path with these marks would say something new.
    pub(super) fn wants(&self, marks: Marks) -> bool {
        (marks.is_code() && self.code.is_none())
            || (marks.exempt && !marks.material && self.exempt.is_none())
            || (marks.human_only && self.human_only.is_none())
    }

    /// Notes a path with these marks.
    pub(super) fn note(&mut self, marks: Marks, step: &Step<'_>) {
        let path = || {
            Some(crate::model::path::shown(&String::from_utf8_lossy(
                step.path,
            )))
        };
        if marks.is_code() && self.code.is_none() {
            self.code = path();
        }
        if marks.exempt && !marks.material && self.exempt.is_none() {
            self.exempt = path();
        }
        if marks.human_only && self.human_only.is_none() {
            self.human_only = path();
        }
    }
}

fn tip(
    repo: &Repo,
    context: &RangeContext,
    territory: &Territory,
    bases: &[Held],
    reader: &mut Reader<'_>,
) -> Result<Tip, GateError> {
    let tree = repo.commit(context.tip)?.tree;
    let material = reader.read(Some(tree))?;
    let mut base_trees = Vec::new();
    for base in bases {
        base_trees.push(repo.commit(base.id)?.tree);
    }
    let changes = unexpected_paths::changes(repo, territory, &context.policy, tree, &base_trees)?;
    let mut strays = changes.strays;
    strays.extend(unexpected_paths::ledger_directory(
        repo,
        &context.policy,
        tree,
    )?);
    Ok(Tip {
        id: context.tip,
        files: files(repo, context, tree, &material)?,
        headings: headings(repo, &material)?,
        strays,
        base_rev: base_rev(repo, &material, &context.range.bases)?,
        touched: changes.touched,
        unsorted: reader.unsorted(tree)?,
        policy_fault: policy_fault(repo, context.tip, material.policy, bases)?,
        material,
    })
}

/// What is wrong with the policy of tip, where it is another one than that of a base.
fn policy_fault(
    repo: &Repo,
    tip: CommitId,
    policy: Option<EntryState>,
    bases: &[Held],
) -> Result<Option<PolicyFault>, GateError> {
    if bases.iter().all(|base| base.material.policy == policy) {
        return Ok(None);
    }
    match read_policy(repo, tip) {
        Err(GateError::Policy(UnreadablePolicy { fault, .. })) => Ok(Some(*fault)),
        read => read.map(|_| None),
    }
}

/// The bytes of every fixture, and of every property and witness file that a row names.
fn files(
    repo: &Repo,
    context: &RangeContext,
    tree: ObjectId,
    material: &Material,
) -> Result<BTreeMap<String, FileFacts>, GateError> {
    let mut wanted: BTreeMap<String, EntryState> = (*material.fixtures).clone();
    for row in material.oracle_rows() {
        for file in &row.property_files {
            let entry = material.properties.get(&file.path);
            wanted.extend(entry.map(|entry| (file.path.clone(), *entry)));
        }
        if let Some(patch) = row
            .witness_patch
            .as_ref()
            .filter(|patch| context.policy.paths.ledger.covers(&patch.path))
        {
            let entry = repo.entry(tree, &patch.path)?;
            wanted.extend(entry.map(|entry| (patch.path.clone(), entry)));
        }
    }
    let attributes = repo.attributes(tree, wanted.keys())?;
    Ok(repo.file_facts(&wanted, &attributes)?)
}

fn headings(
    repo: &Repo,
    material: &Material,
) -> Result<BTreeMap<String, BTreeSet<String>>, GateError> {
    let mut found = BTreeMap::new();
    for row in material.oracle_rows() {
        let Source::Text { path, .. } = row.source() else {
            continue;
        };
        let Some(entry) = material
            .specs
            .get(path)
            .filter(|_| !found.contains_key(path))
        else {
            continue;
        };
        if entry.is_usual_file() {
            let bytes = repo.blob(entry.id, TEXT_CAP)?.unwrap_or_default();
            found.insert(path.to_owned(), anchors(&String::from_utf8_lossy(&bytes)));
        }
    }
    Ok(found)
}

fn base_rev(
    repo: &Repo,
    material: &Material,
    bases: &[CommitId],
) -> Result<Option<BaseRev>, GateError> {
    let given = material
        .fixture
        .valid()
        .map(|ledger| text(&ledger.base_rev))
        .unwrap_or_default();
    if given.is_empty() {
        return Ok(None);
    }
    let Ok(id) = given.parse::<CommitId>() else {
        return Ok(Some(BaseRev::Malformed));
    };
    if id.0.hex_len() != repo.hex_len() {
        return Ok(Some(BaseRev::Malformed));
    }
    match repo.commit(id) {
        Ok(_) => {}
        Err(GitError::Absent {
            is_partial: false, ..
        }) if repo.is_shallow() => {
            return Err(GitError::Shallow { id: id.0 }.into());
        }
        Err(
            GitError::Absent {
                is_partial: false, ..
            }
            | GitError::Unreadable { .. },
        ) => {
            return Ok(Some(BaseRev::Unknown));
        }
        Err(error) => return Err(error.into()),
    }
    for base in bases {
        if !repo.is_ancestor(id, *base)? {
            return Ok(Some(BaseRev::NotAncestor));
        }
    }
    Ok(Some(BaseRev::Ancestor))
}
