//! Holds the files that would change, shows them as a diff, and writes them.

use similar::TextDiff;

use crate::exit::{Explained, Explanation};
use crate::model::path::RepoPath;
use crate::sys::files::{FileError, Root};

/// One file as it was read and as it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The file.
    pub path: RepoPath,
    /// The bytes that were read; none when the file is new.
    pub before: Option<Vec<u8>>,
    /// The bytes that replace them.
    pub after: Vec<u8>,
}

/// Everything that a command is about to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    writes: Vec<Write>,
}

/// Why a plan was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The file changed between reading and writing.
    #[error("{0} has changed meanwhile")]
    Changed(RepoPath),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Explained for PlanError {
    fn explain(&self) -> Explanation {
        match self {
            Self::Changed(_) => Explanation::refused().fix("run the command again"),
            Self::File(_) => Explanation::undecided(),
        }
    }
}

impl Plan {
    /// A plan; files that stay as they are fall out of it.
    pub fn new(writes: impl IntoIterator<Item = Write>) -> Self {
        let differs = |write: &Write| write.before.as_deref() != Some(&write.after);
        Self {
            writes: writes.into_iter().filter(differs).collect(),
        }
    }

    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The files that would change.
    pub fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.writes.iter().map(|write| &write.path)
    }

    /// The plan as a unified diff, as `git apply` reads it.
    pub fn diff(&self) -> String {
        self.writes.iter().map(Write::diff).collect()
    }

    /// Replaces each file, whole or not at all.
    ///
    /// # Errors
    /// When a file is no longer as it was read: nothing is written then.
    pub fn carry_out(&self, root: &Root) -> Result<(), PlanError> {
        root.hold();
        for write in &self.writes {
            if root.read(&write.path)? != write.before {
                return Err(PlanError::Changed(write.path.clone()));
            }
        }
        for write in &self.writes {
            root.replace(&write.path, &write.after)?;
        }
        Ok(())
    }
}

impl Write {
    fn diff(&self) -> String {
        let old = String::from_utf8_lossy(self.before.as_deref().unwrap_or_default());
        let new = String::from_utf8_lossy(&self.after);
        let from = self
            .before
            .as_ref()
            .map_or("/dev/null".to_owned(), |_| format!("a/{}", self.path));
        let diff = TextDiff::from_lines(old.as_ref(), new.as_ref());
        diff.unified_diff()
            .context_radius(3)
            .header(&from, &format!("b/{}", self.path))
            .to_string()
    }
}
