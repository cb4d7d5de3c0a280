//! Runs the hook that was there before ours.
//!
//! It is kept as `pre-push.reins-orig`, and run by a path that ends in `/pre-push`: see [`shim_dir`].

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::manifest::{Manifest, ManifestError};
use super::{Event, shim_dir};
use crate::model::path::shown;
use crate::model::run::End;
use crate::sys::files::FileError;
use crate::sys::folder::{self, Folder, Standing};
use crate::sys::process::{self, ProcessError, Program};

/// How git called our hook.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The event.
    pub event: Event,
    /// The hook file that git runs, `--hook` of `hook run`; its arguments are those after `--`.
    pub hook: &'a Path,
    /// What git gave it: the remote and its URL for a push.
    pub args: &'a [OsString],
    /// Standard input, byte for byte.
    pub input: &'a [u8],
}

/// What became of the hook that stood there before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chained {
    /// There was none.
    Nothing,
    /// It may not be executed: git would not have run it either.
    NotExecutable,
    /// It ran; anything but `Exit(0)` refuses.
    Ended(End),
}

/// Why the kept hook could not answer: the push is refused.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    /// Recorded, and gone.
    #[error("the hook that was kept as {} is gone, and nobody knows what it would say", shown(&.0.display().to_string()))]
    Gone(PathBuf),
    /// What was kept is a hook of ours: it would call itself without end.
    #[error("the hook that was kept is one of ours, which would call itself without end")]
    Circle,
    /// The record cannot be read.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The directory cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It could not be started.
    #[error(transparent)]
    Run(#[from] ProcessError),
}

impl ChainError {
    /// The command that helps.
    pub fn fix(&self) -> &'static str {
        match self {
            Self::Gone(_) | Self::Circle => "git reins hooks uninstall && git reins hooks install",
            Self::Manifest(_) | Self::File(_) | Self::Run(_) => "git reins doctor",
        }
    }
}

/// Runs the hook that was kept when ours was installed, as git would have run it: the same
/// arguments, input, directory and environment. `common` is the common git directory, `dir` the
/// one that git runs hooks in.
///
/// It is looked for beside the file that git runs, so that nothing is run twice when a manager of
/// hooks runs us on its own.
///
/// # Errors
/// When it is recorded and cannot be run: nobody knows what it would have said.
pub fn run(call: &Call<'_>, common: &Path, dir: &Path) -> Result<Chained, ChainError> {
    let beside = call.hook.parent().unwrap_or(Path::new(""));
    let beside = dir.join(beside);
    let kept = call.event.kept();
    let path = beside.join(&kept);
    if call
        .hook
        .file_name()
        .is_some_and(|name| name == kept.as_str())
    {
        return Err(ChainError::Circle);
    }
    let standing = match Folder::open(&beside)? {
        Some(folder) => folder.look(&kept)?,
        None => Standing::Nothing,
    };
    let manifest = Manifest::read(common)?.unwrap_or_default();
    let recorded = manifest
        .record(common, &beside, call.event)
        .map(|record| record.original.is_some());
    match (standing, recorded) {
        (Standing::Nothing, Some(true)) => Err(ChainError::Gone(path)),
        (Standing::Nothing, _) | (_, Some(false)) => Ok(Chained::Nothing),
        _ if !folder::executable(&path) => Ok(Chained::NotExecutable),
        _ => Ok(Chained::Ended(process::run(Program {
            path: &shim_dir::path(&beside, call.event)?,
            args: call.args,
            dir,
            input: call.input,
        })?)),
    }
}
