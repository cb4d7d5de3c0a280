//! Makes the trees that checks run in: code of one revision, with the pinned material laid over it.
//!
//! Ledgers, policy and history are not laid: a check that read them would judge itself. Nor is what
//! Python compiled. Files that only late and smoke rows name are laid for those rows alone.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::fault::TrialError;
use crate::decide::facts::{FileFacts, Material};
use crate::git::Repo;
use crate::git::apply::{Entries, ScratchRepo};
use crate::ledger::oracle::OracleRow;
use crate::model::ids::{EntryState, ObjectId, OracleId, Sha256};
use crate::model::path::{RepoPath, shown};
use crate::model::refusal::Code;
use crate::model::trial::Revision;
use crate::policy::path_class::Territory;

/// A tree that checks run in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaidTree {
    /// The tree.
    pub tree: ObjectId,
    /// The property files in it.
    pub properties: BTreeSet<RepoPath>,
    /// The property and fixture files in it, and their bytes: nobody may change them.
    pub sealed: Vec<(RepoPath, Sha256)>,
}

/// The trees of a trial.
pub struct TreePlan<'a> {
    scratch_repo: &'a ScratchRepo,
    repo: Repo,
    territory: Territory,
    roots: BTreeMap<Revision, ObjectId>,
    /// Base with the known-bad patch of a row.
    witnesses: BTreeMap<OracleId, ObjectId>,
    /// Material that every row finds, by path.
    common: Entries,
    properties: BTreeMap<String, EntryState>,
    fixtures: BTreeMap<String, EntryState>,
    /// Property files that only rows name which do not score.
    apart: BTreeSet<String>,
    laid: RefCell<BTreeMap<Key, Rc<LaidTree>>>,
}

/// A whole tree, and the property files that are laid over it for one row alone.
type Key = (ObjectId, BTreeSet<String>);

impl<'a> TreePlan<'a> {
    /// The trees over some roots; `apart` are the property files of rows that do not score.
    ///
    /// # Errors
    /// When the material has a path that is not safe to lay out.
    pub fn new(
        scratch_repo: &'a ScratchRepo,
        territory: Territory,
        material: &Material,
        apart: BTreeSet<String>,
    ) -> Result<Self, TrialError> {
        let mut common = Entries::new();
        for (path, entry) in material.specs.iter().chain(material.fixtures.iter()) {
            common.insert(safe(path)?.as_str().as_bytes().to_vec(), Some(*entry));
        }
        material
            .properties
            .keys()
            .try_for_each(|path| safe(path).map(drop))?;
        Ok(Self {
            repo: scratch_repo.repo()?,
            scratch_repo,
            territory,
            roots: BTreeMap::new(),
            witnesses: BTreeMap::new(),
            common,
            properties: (*material.properties).clone(),
            fixtures: (*material.fixtures).clone(),
            apart,
            laid: RefCell::default(),
        })
    }

    /// Names the whole tree of a revision.
    pub fn add(&mut self, revision: Revision, root: ObjectId) {
        self.roots.insert(revision, root);
    }

    /// Names base with the known-bad patches of rows.
    pub fn add_witnesses(&mut self, roots: BTreeMap<OracleId, ObjectId>) {
        self.witnesses.extend(roots);
    }

    /// The repository that has all of them.
    pub fn repo(&self) -> &Repo {
        &self.repo
    }

    /// The tree of a revision for a row; for no row, what scored rows find.
    ///
    /// # Errors
    /// When git cannot make it.
    pub fn laid(
        &self,
        revision: Revision,
        row: Option<&OracleRow>,
    ) -> Result<Rc<LaidTree>, TrialError> {
        let root = *self
            .roots
            .get(&revision)
            .expect("a revision is named before it is laid");
        self.laid_over(root, row)
    }

    /// The tree of a row's known-bad patch; none where it has no such patch.
    ///
    /// # Errors
    /// When git cannot make it.
    pub fn witness(
        &self,
        id: &OracleId,
        row: &OracleRow,
    ) -> Result<Option<Rc<LaidTree>>, TrialError> {
        self.witnesses
            .get(id)
            .map(|root| self.laid_over(*root, Some(row)))
            .transpose()
    }

    fn laid_over(
        &self,
        root: ObjectId,
        row: Option<&OracleRow>,
    ) -> Result<Rc<LaidTree>, TrialError> {
        let named = row
            .into_iter()
            .flat_map(|row| &row.property_files)
            .map(|file| file.path.clone());
        let own: BTreeSet<String> = named.filter(|path| self.apart.contains(path)).collect();
        let key = (root, own);
        if let Some(laid) = self.laid.borrow().get(&key) {
            return Ok(Rc::clone(laid));
        }
        let laid = Rc::new(self.lay(root, &key.1)?);
        self.laid.borrow_mut().insert(key, Rc::clone(&laid));
        Ok(laid)
    }

    fn lay(&self, root: ObjectId, own: &BTreeSet<String>) -> Result<LaidTree, TrialError> {
        let mut entries: Entries = self
            .repo
            .unlaid_paths(root, &self.territory)?
            .into_iter()
            .map(|path| (path, None))
            .collect();
        entries.extend(self.common.clone());
        let is_laid = |path: &str| own.contains(path) || !self.apart.contains(path);
        let properties = self.properties.iter().filter(|(path, _)| is_laid(path));
        let properties: BTreeMap<_, _> = properties
            .map(|(path, entry)| (path.clone(), *entry))
            .collect();
        entries.extend(
            properties
                .iter()
                .map(|(path, entry)| (path.clone().into_bytes(), Some(*entry))),
        );
        let tree = self.scratch_repo.compose(root, &entries)?;
        let mut files = self.fixtures.clone();
        files.extend(properties.clone());
        files.retain(|_, entry| entry.is_file());
        let facts = self
            .repo
            .file_facts(&files, &self.repo.attributes(tree, files.keys())?)?;
        let bytes =
            |(path, facts): (&String, &FileFacts)| Some((path.parse().ok()?, facts.sha256?));
        let properties = properties
            .keys()
            .filter_map(|path| path.parse().ok())
            .collect();
        Ok(LaidTree {
            tree,
            properties,
            sealed: facts.iter().filter_map(bytes).collect(),
        })
    }
}

fn safe(path: &str) -> Result<RepoPath, TrialError> {
    let parsed = path.parse::<RepoPath>();
    parsed
        .ok()
        .filter(|_| !path.contains('\u{fffd}'))
        .ok_or_else(|| TrialError::Refused {
            code: Code::PathUnsafe,
            message: format!(
                "the material holds {}, which cannot be laid out safely",
                shown(path)
            ),
            fix: "rename it, in a range of its own".to_owned(),
        })
}
