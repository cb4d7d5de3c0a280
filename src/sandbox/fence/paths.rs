//! Resolves the paths of a fence: writable ones, and read-only ones below them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Fence, FenceError};
use crate::sandbox::overlay::JobLayer;

/// The paths of a fence as the kernel knows them: no link in any of them.
#[derive(Debug)]
pub struct FencePaths {
    /// The directories that may be written to.
    pub writable: BTreeSet<PathBuf>,
    /// The directories between a writable one and something in it that is not. Who renamed one
    /// would take what is in it away from its path.
    pub between: BTreeSet<PathBuf>,
    /// What may not be written to, as far as it is in a writable directory.
    pub read_only: BTreeSet<PathBuf>,
    /// Where the job begins.
    pub dir: PathBuf,
}

impl FencePaths {
    /// Looks up every path of a fence.
    ///
    /// # Errors
    /// When one is missing, or is a link.
    pub fn resolve(
        fence: &Fence,
        layer: Option<&JobLayer>,
        dir: &Path,
    ) -> Result<Self, FenceError> {
        let writable: BTreeSet<_> = fence
            .writable
            .iter()
            .map(|path| real(path))
            .collect::<Result<_, _>>()?;
        let (between, read_only) = (BTreeSet::new(), BTreeSet::new());
        let mut paths = Self {
            writable,
            between,
            read_only,
            dir: real(dir)?,
        };
        for path in &fence.read_only {
            paths.keep(fence, path)?;
        }
        // what an overlay is made of is a second way to every file in it
        if let Some(layer) = layer {
            let parts = [
                layer.overlay.lower.clone(),
                layer.overlay.upper(),
                layer.overlay.run.join("work"),
            ];
            parts.iter().try_for_each(|path| paths.keep(fence, path))?;
        }
        Ok(paths)
    }

    /// Every path that has to be a mount of its own, those above before those below.
    pub fn mounts(&self) -> BTreeSet<&PathBuf> {
        self.writable
            .iter()
            .chain(&self.between)
            .chain(&self.read_only)
            .collect()
    }

    /// The writable directories and those between.
    pub fn open(&self) -> impl Iterator<Item = &PathBuf> {
        self.writable
            .iter()
            .chain(&self.between)
            .filter(|path| !self.read_only.contains(*path))
    }

    fn keep(&mut self, fence: &Fence, path: &Path) -> Result<(), FenceError> {
        let real = real(path)?;
        for root in &fence.writable {
            let Ok(rest) = path.strip_prefix(root) else {
                continue;
            };
            if self::real(root)?.join(rest) != real {
                return Err(FenceError::Place {
                    path: path.to_owned(),
                    is: "is reached by a link",
                });
            }
        }
        let Some(root) = real
            .ancestors()
            .find(|above| self.writable.contains(*above))
        else {
            return Ok(()); // outside of what may be written to
        };
        let between = real.ancestors().skip(1).take_while(|above| *above != root);
        self.between.extend(between.map(Path::to_owned));
        self.read_only.insert(real);
        Ok(())
    }
}

fn real(path: &Path) -> Result<PathBuf, FenceError> {
    if !path.is_absolute() {
        return Err(FenceError::Place {
            path: path.to_owned(),
            is: "is no absolute path",
        });
    }
    std::fs::canonicalize(path).map_err(FenceError::when(path.display().to_string()))
}
