//! Gives every run a tree of its own that starts as the pristine one and cannot change it.
//!
//! By an overlay where the system lets us mount one, which is tried by doing; else by a copy that
//! shares bytes where the file system can; else by a copy. Which one it was changes no outcome.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::difference::{self, Second};
use super::environment::Environment;
use super::overlay::Overlay;
use super::plan::{Limits, PATIENCE};
use super::replica::{self, ReplicaError, Way, replicate};
use super::run::{Job, RunError, Runner};
use crate::model::run::{End, Ran};
use crate::sys::files::FileError;
use crate::sys::removal::remove;

/// A way to a tree of one's own, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// A layer above the pristine tree, mounted for one job.
    Overlay,
    /// A copy that shares bytes until one is written.
    Reflink,
    /// A copy.
    Copy,
}

impl Layer {
    /// Its word in a record.
    pub fn word(self) -> &'static str {
        match self {
            Self::Overlay => "overlay",
            Self::Reflink => "reflink",
            Self::Copy => "copy",
        }
    }

    /// What is tried when this one does not work.
    fn next(self) -> Option<Self> {
        match self {
            Self::Overlay => Some(Self::Reflink),
            Self::Reflink => Some(Self::Copy),
            Self::Copy => None,
        }
    }
}

/// Why there is no tree. It is never a pass.
#[derive(Debug, thiserror::Error)]
pub enum LayerError {
    /// A directory cannot be made.
    #[error("{} cannot be made: {source}", .path.display())]
    Make {
        /// The directory.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The pristine tree cannot be copied.
    #[error(transparent)]
    Replica(#[from] ReplicaError),
    /// What a run left cannot be looked at.
    #[error(transparent)]
    File(#[from] FileError),
    /// The try of the layer could not be made.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// The cheapest layer that works, and why those before it do not.
#[derive(Debug)]
struct Best {
    layer: Layer,
    failed: Vec<(Layer, String)>,
}

/// Makes trees below one scratch directory.
#[derive(Clone, Debug)]
pub struct Layers {
    scratch: PathBuf,
    best: Arc<Mutex<Best>>,
}

impl Layers {
    /// Takes the cheapest layer that works below `scratch`: an overlay is tried with a job.
    ///
    /// # Errors
    /// When the try cannot be made, or somebody interrupts it.
    pub fn probe(scratch: &Path, runner: &Runner) -> Result<Self, LayerError> {
        let layers = Self::starting_with(Layer::Overlay, scratch);
        let trial = layers.directory()?;
        let done = layers.try_overlay(&trial, runner);
        let _left = remove(&trial);
        if let Some(why) = done? {
            layers.fail(Layer::Overlay, why);
        }
        Ok(layers)
    }

    /// Tries this layer first, and those behind it when it fails.
    pub fn starting_with(layer: Layer, scratch: &Path) -> Self {
        let best = Arc::new(Mutex::new(Best {
            layer,
            failed: Vec::new(),
        }));
        Self {
            scratch: scratch.to_owned(),
            best,
        }
    }

    /// The layers that did not work, and why.
    pub fn failed(&self) -> Vec<(Layer, String)> {
        self.best
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .failed
            .clone()
    }

    /// A tree that equals `pristine`, with a path of its own.
    ///
    /// # Errors
    /// When no layer makes one.
    pub fn fresh(&self, pristine: &Path) -> Result<Tree, LayerError> {
        let absolute = |path: &Path| {
            let found = std::path::absolute(path);
            found.map_err(|source| LayerError::Make {
                path: path.to_owned(),
                source,
            })
        };
        let overlay = Overlay {
            lower: absolute(pristine)?,
            run: absolute(&self.directory()?)?,
        };
        let path = overlay.tree();
        let mut tree = Tree {
            layers: self.clone(),
            layer: self.best(),
            overlay,
            path,
        };
        tree.fill()?;
        Ok(tree)
    }

    fn best(&self) -> Layer {
        self.best
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .layer
    }

    /// Remembers that a layer does not work; the next one, if there is one.
    fn fail(&self, layer: Layer, why: String) -> Option<Layer> {
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        let next = layer.next()?;
        if best.layer <= layer {
            best.failed.push((layer, why));
            best.layer = next;
        }
        Some(best.layer)
    }

    /// A new directory below the scratch one.
    fn directory(&self) -> Result<PathBuf, LayerError> {
        let made = tempfile::Builder::new()
            .prefix("tree-")
            .tempdir_in(&self.scratch);
        made.map(tempfile::TempDir::keep)
            .map_err(|source| LayerError::Make {
                path: self.scratch.clone(),
                source,
            })
    }

    /// Why an overlay does not do here what it is for; `None` when it does.
    #[expect(
        clippy::disallowed_methods,
        reason = "sandbox::layer looks at its own try"
    )]
    fn try_overlay(&self, trial: &Path, runner: &Runner) -> Result<Option<String>, LayerError> {
        let fault = |source| LayerError::Make {
            path: trial.to_owned(),
            source,
        };
        let below = trial.join("below");
        make(&below)?;
        make(&below.join("directory"))?;
        for name in ["kept", "written", "directory/file"] {
            std::fs::write(below.join(name), "below\n").map_err(fault)?;
        }
        let inner = Self::starting_with(Layer::Overlay, trial);
        let mut tree = inner.fresh(&below)?;
        let script = "echo above >>written && rm -r directory && mkdir directory && ln kept new";
        let argv = ["/bin/sh", "-c", script].map(OsString::from);
        let environment = Environment::clean(trial).map_err(fault)?;
        let limits = Limits {
            budget: PATIENCE,
            output: 1 << 16,
        };
        let job = Job {
            argv: &argv,
            dir: &tree.path.clone(),
            environment: &environment,
            limits,
            fence: None,
        };
        let ran = tree.run(runner, &job, &mut |_| ())?;
        if let Some((_, why)) = inner.failed().pop() {
            return Ok(Some(why));
        }
        let wanted = ["directory/file", "new", "written"].map(PathBuf::from);
        let is_right = ran.end == End::Exit(0) && tree.changed()? == BTreeSet::from(wanted);
        let is_kept = std::fs::read(below.join("written")).is_ok_and(|bytes| bytes == b"below\n");
        let why = || {
            format!(
                "a job could not write on it: {}",
                ran.stderr.text().trim_end()
            )
        };
        Ok((!is_right || !is_kept).then(why))
    }
}

/// A tree for one run. It is removed with the value.
#[derive(Debug)]
pub struct Tree {
    layers: Layers,
    layer: Layer,
    overlay: Overlay,
    path: PathBuf,
}

impl Tree {
    /// Where the tree is for the job. Nobody else may look for it here: see [`Tree::find`].
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How it was made, or with an overlay is about to be.
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// Runs a job on the tree. When an overlay cannot be mounted, the tree is made otherwise, and
    /// only then the job begins.
    ///
    /// # Errors
    /// When it is not known how the job ended.
    pub fn run(
        &mut self,
        runner: &Runner,
        job: &Job<'_>,
        tick: &mut dyn FnMut(Duration),
    ) -> Result<Ran, RunError> {
        if self.layer == Layer::Overlay {
            match runner.run_on(Some(&self.overlay), job, tick) {
                Err(RunError::NoLayer(why)) => {
                    self.fall(why).map_err(|error| self.no_tree(error))?
                }
                ran => return ran,
            }
        }
        runner.run(job, tick)
    }

    /// Where a path of the tree is for us; `None` when it is not there, or is reached by a link only.
    ///
    /// # Errors
    /// When it cannot be looked for.
    pub fn find(&self, path: &Path) -> Result<Option<PathBuf>, LayerError> {
        let names: Vec<_> = path.components().collect();
        if names
            .iter()
            .any(|name| !matches!(name, Component::Normal(_)))
        {
            return Ok(None);
        }
        let found = match self.layer {
            Layer::Overlay => find_over(&self.overlay, &names),
            Layer::Reflink | Layer::Copy => find_in(&self.path, &names),
        };
        found.map_err(|source| {
            let path = path.display().to_string();
            FileError::Io {
                action: "look for",
                path,
                source,
            }
            .into()
        })
    }

    /// The paths that differ from the pristine tree, once the job is over.
    ///
    /// # Errors
    /// When that is not known.
    pub fn changed(&self) -> Result<BTreeSet<PathBuf>, LayerError> {
        let (second, is) = match self.layer {
            Layer::Overlay => (self.overlay.upper(), Second::Upper),
            Layer::Reflink | Layer::Copy => (self.path.clone(), Second::Whole),
        };
        Ok(difference::between(&self.overlay.lower, &second, is)?)
    }

    /// Makes the tree by its layer, else by the next one.
    fn fill(&mut self) -> Result<(), LayerError> {
        loop {
            let failed = match self.layer {
                Layer::Overlay => self.overlay.create().map_err(|error| error.to_string()),
                Layer::Reflink => match self.copy(Way::Reflink) {
                    Err(LayerError::Replica(ReplicaError::NoReflink(why))) => Err(why.to_string()),
                    copied => return copied,
                },
                Layer::Copy => return self.copy(Way::Bytes),
            };
            match failed {
                Ok(()) => return Ok(()),
                Err(why) => self.layer = self.layers.fail(self.layer, why).unwrap_or(Layer::Copy),
            }
        }
    }

    /// Makes the tree anew by the next layer.
    fn fall(&mut self, why: String) -> Result<(), LayerError> {
        self.layer = self.layers.fail(self.layer, why).unwrap_or(Layer::Copy);
        self.fill()
    }

    fn copy(&self, way: Way) -> Result<(), LayerError> {
        let _absent = remove(&self.path);
        make(&self.path)?;
        Ok(replicate(&self.overlay.lower, &self.path, way)?)
    }

    fn no_tree(&self, error: LayerError) -> RunError {
        RunError::Supervisor {
            dir: self.path.clone(),
            source: io::Error::other(error),
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _left = remove(&self.overlay.run);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "sandbox::layer makes its own directories"
)]
fn make(path: &Path) -> Result<(), LayerError> {
    std::fs::create_dir(path).map_err(|source| LayerError::Make {
        path: path.to_owned(),
        source,
    })
}

/// What stands at a path, no link followed; `None` when there is nothing.
fn look(path: &Path) -> io::Result<Option<std::fs::Metadata>> {
    match replica::seen(path) {
        Ok(meta) => Ok(Some(meta)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn find_in(root: &Path, names: &[Component<'_>]) -> io::Result<Option<PathBuf>> {
    let mut path = root.to_owned();
    for (at, name) in names.iter().enumerate() {
        path.push(name);
        match look(&path)? {
            Some(meta) if at + 1 == names.len() || meta.is_dir() => {}
            Some(_) | None => return Ok(None),
        }
    }
    Ok(Some(path))
}

/// In the upper layer if it is there, else below, unless the upper layer hides it.
fn find_over(overlay: &Overlay, names: &[Component<'_>]) -> io::Result<Option<PathBuf>> {
    let (mut upper, mut is_hidden) = (overlay.upper(), false);
    for (at, name) in names.iter().enumerate() {
        upper.push(name);
        let is_last = at + 1 == names.len();
        match look(&upper)? {
            None if is_hidden => return Ok(None),
            None => return find_in(&overlay.lower, names),
            Some(meta) if difference::is_whiteout(&meta) => return Ok(None),
            Some(_) if is_last => {}
            Some(meta) if meta.is_dir() => is_hidden |= difference::is_opaque(&upper)?,
            Some(_) => return Ok(None),
        }
    }
    Ok(Some(upper))
}
