//! Gives every run a tree of its own: a layer over a pristine one.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use super::fault::TrialError;
use super::isolation::Isolation;
use super::tree_plan::LaidTree;
use crate::git::Repo;
use crate::git::checkout::CheckoutError;
use crate::model::ids::{EntryState, ObjectId, Sha256};
use crate::model::path::RepoPath;
use crate::model::run::Ran;
use crate::sandbox::interrupt::Interrupt;
use crate::sandbox::layer::{Layer, Layers, Tree};
use crate::sandbox::run::{Job, RunError, Runner};
use crate::sys::files::Root;
use crate::sys::scratch::Scratch;
use crate::sys::tree_snapshot::{Shape, TreeSnapshot};

/// Where fresh trees come from.
pub struct Workdirs<'a> {
    repo: &'a Repo,
    interrupt: &'a Interrupt,
    isolation: Isolation<'a>,
    /// A directory of our own for pristine trees.
    home: PathBuf,
    /// For trees that one job runs on.
    layers: Layers,
    /// For trees that are there before a job.
    standing: Layers,
    laid: RefCell<BTreeMap<ObjectId, Rc<Pristine>>>,
}

/// A tree in which nothing runs. What runs beside it could still write there.
struct Pristine {
    dir: PathBuf,
    /// Its property and fixture files.
    pinned: TreeSnapshot,
    /// All of its files.
    whole: TreeSnapshot,
    /// What they held when they were laid out.
    digests: BTreeMap<RepoPath, Sha256>,
    /// All of its names.
    shape: Shape,
}

/// The tree of one run.
pub struct Workdir {
    tree: Tree,
    pristine: Rc<Pristine>,
    sealed: BTreeSet<PathBuf>,
}

impl Workdir {
    /// Where the tree is for the job.
    pub fn path(&self) -> &Path {
        self.tree.path()
    }

    /// What a file of the tree held before the run; none for anything else.
    pub fn digest(&self, path: &RepoPath) -> Option<Sha256> {
        self.pristine.digests.get(path).copied()
    }

    /// Whether anything stood at a path before the run.
    pub fn held(&self, inner: &Path) -> bool {
        self.pristine.shape.has(&self.pristine.dir.join(inner))
    }

    /// Runs a job on it.
    ///
    /// # Errors
    /// When it is not known how the job ended.
    pub fn run(
        &mut self,
        runner: &Runner,
        job: &Job<'_>,
        tick: &mut dyn FnMut(Duration),
    ) -> Result<Ran, RunError> {
        self.tree.run(runner, job, tick)
    }

    /// Where we find a file that the job left at `path`, as the job named it; `None` when nothing
    /// is there, or only what stood there before.
    ///
    /// # Errors
    /// When it cannot be looked for.
    pub fn left(&self, path: &Path) -> Result<Option<PathBuf>, TrialError> {
        let Ok(inner) = path.strip_prefix(self.tree.path()) else {
            return Ok(Some(path.to_owned()));
        };
        let is_of_the_job = self.tree.changed()?.contains(inner);
        if is_of_the_job {
            Ok(self.tree.find(inner)?)
        } else {
            Ok(None)
        }
    }

    /// The pinned paths that are no longer what they were, bytes or mode.
    ///
    /// # Errors
    /// When that is not known.
    pub fn broken(&self) -> Result<Vec<String>, TrialError> {
        let changed = self.tree.changed()?;
        Ok(changed
            .intersection(&self.sealed)
            .map(|path| path.display().to_string())
            .collect())
    }
}

impl<'a> Workdirs<'a> {
    /// Trees of `repo` for isolated jobs, by the cheapest layers that work there.
    ///
    /// # Errors
    /// When no directory can be made, or no layer can be tried.
    pub fn new(
        repo: &'a Repo,
        isolation: Isolation<'a>,
        interrupt: &'a Interrupt,
    ) -> Result<Self, TrialError> {
        let home = Scratch::kept(&isolation.scratch.join("pristine"))?
            .path()
            .to_owned();
        let layers = Layers::probe(isolation.scratch, isolation.runner)?;
        let standing = Layers::starting_with(Layer::Reflink, isolation.scratch);
        Ok(Self {
            repo,
            interrupt,
            isolation,
            home,
            layers,
            standing,
            laid: RefCell::default(),
        })
    }

    /// What its jobs are kept from, and how.
    pub fn isolation(&self) -> &Isolation<'a> {
        &self.isolation
    }

    /// Where the pristine trees are.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// A tree for one job: no `.git`, and nothing that a write could carry into another tree.
    ///
    /// # Errors
    /// When an object or the disk says no, or a signal asks to stop.
    pub fn fresh(&self, laid: &LaidTree) -> Result<Workdir, TrialError> {
        self.layered(laid, &self.layers)
    }

    /// The same, and it is there already: for a job that looks at two trees at a time.
    ///
    /// # Errors
    /// As [`Workdirs::fresh`].
    pub fn standing(&self, laid: &LaidTree) -> Result<Workdir, TrialError> {
        self.layered(laid, &self.standing)
    }

    /// The pinned paths of the pristine trees that are no longer what they were.
    pub fn broken(&self) -> Vec<String> {
        self.laid
            .borrow()
            .values()
            .flat_map(|pristine| pristine.pinned.broken())
            .collect()
    }

    /// The same for everything in them: what runs cannot reach is looked at once, at the end.
    pub fn broken_at_all(&self) -> Vec<String> {
        let broken = |pristine: &Rc<Pristine>| {
            let other = pristine
                .shape
                .differs(&pristine.dir)
                .then(|| pristine.dir.display().to_string());
            pristine
                .whole
                .broken()
                .into_iter()
                .chain(other)
                .collect::<Vec<_>>()
        };
        self.laid.borrow().values().flat_map(broken).collect()
    }

    fn layered(&self, laid: &LaidTree, layers: &Layers) -> Result<Workdir, TrialError> {
        let pristine = self.pristine(laid)?;
        let sealed = laid
            .sealed
            .iter()
            .map(|(path, _)| PathBuf::from(path.as_str()))
            .collect();
        Ok(Workdir {
            tree: layers.fresh(&pristine.dir)?,
            pristine,
            sealed,
        })
    }

    fn pristine(&self, laid: &LaidTree) -> Result<Rc<Pristine>, TrialError> {
        if let Some(known) = self.laid.borrow().get(&laid.tree) {
            return Ok(Rc::clone(known));
        }
        let pristine = Rc::new(self.lay(laid)?);
        self.laid
            .borrow_mut()
            .insert(laid.tree, Rc::clone(&pristine));
        Ok(pristine)
    }

    fn lay(&self, laid: &LaidTree) -> Result<Pristine, TrialError> {
        let dir = self.home.join(laid.tree.to_string());
        Scratch::kept(&dir)?;
        self.checkout(laid.tree, &dir)?;
        let mut paths: Vec<RepoPath> = Vec::new();
        let root = EntryState {
            mode: EntryState::TREE,
            id: laid.tree,
        };
        self.repo.leaves(root, b"", &mut |path, entry| {
            let path = std::str::from_utf8(path)
                .ok()
                .and_then(|path| path.parse().ok());
            paths.extend(path.filter(|_| entry.is_file()));
        })?;
        let pinned = TreeSnapshot::new(Root::open(&dir)?, &laid.sealed)?;
        let whole = TreeSnapshot::as_found(Root::open(&dir)?, paths)?;
        let (digests, shape) = (whole.digests().collect(), Shape::of(&dir)?);
        Ok(Pristine {
            dir,
            pinned,
            whole,
            digests,
            shape,
        })
    }

    fn checkout(&self, tree: ObjectId, dir: &Path) -> Result<(), TrialError> {
        match self
            .repo
            .checkout(tree, dir, &|| self.interrupt.caught().is_none())
        {
            Ok(_) => Ok(()),
            Err(CheckoutError::CalledOff) => {
                Err(RunError::Interrupted(self.interrupt.caught().unwrap_or_default()).into())
            }
            Err(error) => Err(TrialError::Checkout(error)),
        }
    }
}
