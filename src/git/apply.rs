//! Which tree does a patch make of another one? No worktree and no byte of the user's repository is
//! touched.

use std::io;
use std::path::{Path, PathBuf};

use super::plumbing::{Git, GitPlace, PlumbingError};
use super::{GitError, Repo};
use crate::model::ids::ObjectId;
use crate::model::path::shown;

/// Why there is no such tree.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The patch does not fit the tree, or is no patch: git's own words.
    #[error("the patch does not apply: {0}")]
    Refused(String),
    /// Git could not be asked.
    #[error(transparent)]
    Plumbing(#[from] PlumbingError),
    /// What was made cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The borrowing repository cannot be made.
    #[error("{path} cannot be written: {source}")]
    Io {
        /// Where.
        path: String,
        /// The reason.
        source: io::Error,
    },
}

/// A bare repository of our own that reads every object of another one and keeps what it makes to
/// itself. It has none of the other one's configuration, refs, hooks or attributes.
pub struct Borrower {
    place: GitPlace,
}

impl Borrower {
    /// Makes one in the new directory `dir`; `hex_len` is the length of the lender's object ids.
    ///
    /// # Errors
    /// When git or the disk says no.
    pub fn new(lender: &GitPlace, hex_len: usize, dir: &Path) -> Result<Self, ApplyError> {
        let asked = ["rev-parse", "--path-format=absolute", "--git-path", "objects"];
        let objects = Git::at(lender).args(asked).line()?;
        let format = if hex_len == 64 { "sha256" } else { "sha1" };
        let place = GitPlace { git_dir: dir.to_owned(), worktree: None };
        let io = |source| ApplyError::Io { path: dir.display().to_string(), source };
        rustix::fs::mkdir(dir, rustix::fs::Mode::RWXU).map_err(|errno| io(errno.into()))?;
        let init = ["init", "--quiet", "--bare", "--template=", "--object-format", format];
        Git::at(&place).isolated("git-reins", None).args(init).run()?;
        let alternates = PathBuf::from("objects/info/alternates");
        write_new(&dir.join(alternates), format!("{objects}\n").as_bytes()).map_err(io)?;
        Ok(Self { place })
    }

    /// The id of the tree that `patch` makes of `tree`. Reading it takes [`Borrower::repo`].
    ///
    /// # Errors
    /// With git's own words when the patch does not apply.
    pub fn apply(&self, tree: ObjectId, patch: &[u8]) -> Result<ObjectId, ApplyError> {
        self.git(&["read-tree", &tree.to_string()]).run()?;
        let apply = ["apply", "--cached", "--whitespace=nowarn", "-"];
        self.git(&apply).input(patch.to_vec()).run().map_err(|error| match error {
            PlumbingError::Failed { code: Some(_), stderr, .. } => {
                let lines = stderr.lines().map(|line| line.trim_start_matches("error: "));
                ApplyError::Refused(shown(&lines.collect::<Vec<_>>().join("; ")))
            }
            other => other.into(),
        })?;
        let id = self.git(&["write-tree"]).line()?;
        id.parse().map_err(|_| PlumbingError::Answer { command: "git write-tree".to_owned() }.into())
    }

    /// The repository, which holds both what was lent and what was made.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn repo(&self) -> Result<Repo, GitError> {
        Repo::open(&self.place.git_dir, Some(&self.place.git_dir))
    }

    fn git(&self, args: &[&str]) -> Git {
        Git::at(&self.place).isolated("git-reins", None).args(args)
    }
}

#[expect(clippy::disallowed_methods, reason = "the list of lenders is written by git::apply")]
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, bytes)
}
