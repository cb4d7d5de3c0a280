//! How does every run get a tree of its own: cloned from one that nobody runs in, else laid anew?

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::fault::TrialError;
use super::lay::Laid;
use crate::git::Repo;
use crate::git::checkout::CheckoutError;
use crate::model::ids::{EntryState, ObjectId};
use crate::model::path::RepoPath;
use crate::sandbox::interrupt::Interrupt;
use crate::sandbox::run::RunError;
use crate::sys::clone;
use crate::sys::files::Root;
use crate::sys::scratch::Scratch;
use crate::sys::seal::Seal;

/// Where fresh trees come from.
pub struct Source<'a> {
    repo: &'a Repo,
    interrupt: &'a Interrupt,
    /// A directory of our own for trees that nobody runs in; none where clones are impossible.
    pristine: Option<PathBuf>,
    laid: RefCell<BTreeMap<ObjectId, Pristine>>,
}

/// A tree that nobody runs in. What runs beside it could still write there.
struct Pristine {
    dir: PathBuf,
    /// Its property and fixture files.
    pinned: Seal,
    /// All of its files.
    whole: Seal,
}

/// The tree of one run.
pub struct Fresh {
    pinned: Seal,
}

impl Fresh {
    /// The pinned paths that are no longer what they were.
    pub fn broken(&self) -> Vec<String> {
        self.pinned.broken()
    }
}

impl<'a> Source<'a> {
    /// Trees of `repo`, with room below `scratch`.
    ///
    /// # Errors
    /// When no directory can be made.
    pub fn new(repo: &'a Repo, scratch: &Path, interrupt: &'a Interrupt) -> Result<Self, TrialError> {
        let pristine = scratch.join("pristine");
        let clones = clone::is_possible(scratch);
        let pristine = if clones { Some(Scratch::kept(&pristine)?.path().to_owned()) } else { None };
        Ok(Self { repo, interrupt, pristine, laid: RefCell::default() })
    }

    /// Puts a tree into the empty directory `dir`: no `.git`, and nothing that a write could carry
    /// into another tree.
    ///
    /// # Errors
    /// When an object or the disk says no, or somebody asked us to stop.
    pub fn fresh(&self, laid: &Laid, dir: &Path) -> Result<Fresh, TrialError> {
        match &self.pristine {
            None => self.checkout(laid.tree, dir)?,
            Some(home) => {
                if !self.laid.borrow().contains_key(&laid.tree) {
                    let pristine = self.lay(laid, home)?;
                    self.laid.borrow_mut().insert(laid.tree, pristine);
                }
                clone::directory(&self.laid.borrow()[&laid.tree].dir, dir)?;
            }
        }
        Ok(Fresh { pinned: Seal::new(Root::open(dir)?, &laid.sealed)? })
    }

    /// The pinned paths of the trees that nobody runs in that are no longer what they were.
    pub fn broken(&self) -> Vec<String> {
        self.laid.borrow().values().flat_map(|pristine| pristine.pinned.broken()).collect()
    }

    /// The same for all their paths: what runs cannot reach is looked at once, at the end.
    pub fn broken_at_all(&self) -> Vec<String> {
        self.laid.borrow().values().flat_map(|pristine| pristine.whole.broken()).collect()
    }

    fn lay(&self, laid: &Laid, home: &Path) -> Result<Pristine, TrialError> {
        let dir = home.join(laid.tree.to_string());
        Scratch::kept(&dir)?;
        self.checkout(laid.tree, &dir)?;
        let mut paths: Vec<RepoPath> = Vec::new();
        let root = EntryState { mode: EntryState::TREE, id: laid.tree };
        self.repo.leaves(root, b"", &mut |path, entry| {
            let path = std::str::from_utf8(path).ok().and_then(|path| path.parse().ok());
            paths.extend(path.filter(|_| entry.is_file()));
        })?;
        let pinned = Seal::new(Root::open(&dir)?, &laid.sealed)?;
        let whole = Seal::as_found(Root::open(&dir)?, paths)?;
        Ok(Pristine { dir, pinned, whole })
    }

    fn checkout(&self, tree: ObjectId, dir: &Path) -> Result<(), TrialError> {
        match self.repo.checkout(tree, dir, &|| self.interrupt.caught().is_none()) {
            Ok(_) => Ok(()),
            Err(CheckoutError::CalledOff) => {
                Err(RunError::Interrupted(self.interrupt.caught().unwrap_or_default()).into())
            }
            Err(error) => Err(TrialError::Checkout(error)),
        }
    }
}
