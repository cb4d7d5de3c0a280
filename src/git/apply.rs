//! Computes the tree that a patch makes of another tree, in a scratch repository. The worktree and
//! the user's repository are not touched.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::plumbing::{Git, GitPlace, PlumbingError};
use super::{GitError, Repo};
use crate::model::ids::{EntryState, ObjectId};
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

/// Entries by their raw paths; `None` is none.
pub type Entries = BTreeMap<Vec<u8>, Option<EntryState>>;

/// A bare repository of our own that reads every object of another one and keeps what it makes to
/// itself. It has none of the other one's configuration, refs, hooks or attributes.
pub struct ScratchRepo {
    place: GitPlace,
}

impl ScratchRepo {
    /// Makes one in the new directory `dir`; `hex_len` is the length of the source_place's object ids.
    ///
    /// # Errors
    /// When git or the disk says no.
    pub fn new(source_place: &GitPlace, hex_len: usize, dir: &Path) -> Result<Self, ApplyError> {
        let asked = [
            "rev-parse",
            "--path-format=absolute",
            "--git-path",
            "objects",
        ];
        let objects = Git::at(source_place).args(asked).line()?;
        let format = if hex_len == 64 { "sha256" } else { "sha1" };
        let place = GitPlace {
            git_dir: dir.to_owned(),
            worktree: None,
        };
        let io = |source| ApplyError::Io {
            path: dir.display().to_string(),
            source,
        };
        rustix::fs::mkdir(dir, rustix::fs::Mode::RWXU).map_err(|errno| io(errno.into()))?;
        let init = [
            "init",
            "--quiet",
            "--bare",
            "--template=",
            "--object-format",
            format,
        ];
        Git::at(&place)
            .isolated("git-reins", None)
            .args(init)
            .run()?;
        let alternates = PathBuf::from("objects/info/alternates");
        write_new(&dir.join(alternates), format!("{objects}\n").as_bytes()).map_err(io)?;
        Ok(Self { place })
    }

    /// The id of the tree that `patch` makes of `tree`. Reading it takes [`ScratchRepo::repo`].
    ///
    /// # Errors
    /// With git's own words when the patch does not apply.
    pub fn apply(&self, tree: ObjectId, patch: &[u8]) -> Result<ObjectId, ApplyError> {
        self.git(&["read-tree", &tree.to_string()]).run()?;
        let apply = ["apply", "--cached", "--whitespace=nowarn", "-"];
        self.git(&apply)
            .input(patch.to_vec())
            .run()
            .map_err(|error| match error {
                PlumbingError::Failed {
                    code: Some(_),
                    stderr,
                    ..
                } => {
                    let lines = stderr
                        .lines()
                        .map(|line| line.trim_start_matches("error: "));
                    ApplyError::Refused(shown(&lines.collect::<Vec<_>>().join("; ")))
                }
                other => other.into(),
            })?;
        self.written()
    }

    /// The id of `tree` with other entries at some paths; `None` takes a path away. What is taken
    /// away goes first, so that a file may stand where a directory was.
    ///
    /// # Errors
    /// When git refuses a path, or has no such object.
    pub fn compose(&self, tree: ObjectId, entries: &Entries) -> Result<ObjectId, ApplyError> {
        let mut lines = Vec::new();
        let mut line = |path: &[u8], mode: u32, id: &str| {
            lines.extend_from_slice(format!("{mode:o} {id}\t").as_bytes());
            lines.extend_from_slice(path);
            lines.push(0);
        };
        let none = "0".repeat(tree.hex_len());
        entries
            .iter()
            .filter(|(_, entry)| entry.is_none())
            .for_each(|(path, _)| line(path, 0, &none));
        for (path, entry) in entries {
            entry
                .iter()
                .for_each(|entry| line(path, entry.mode, &entry.id.to_string()));
        }
        self.git(&["read-tree", &tree.to_string()]).run()?;
        self.git(&["update-index", "-z", "--index-info"])
            .input(lines)
            .run()?;
        self.written()
    }

    /// The difference of two trees as a patch, in one form whatever anybody has configured.
    ///
    /// # Errors
    /// When git cannot read a tree.
    pub fn diff(&self, old: ObjectId, new: ObjectId) -> Result<Vec<u8>, ApplyError> {
        let form = [
            "diff-tree",
            "-r",
            "-p",
            "--binary",
            "--full-index",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-relative",
            "--no-indent-heuristic",
            "--diff-algorithm=myers",
            "--unified=3",
            "--inter-hunk-context=0",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "--submodule=short",
            "--ignore-submodules=none",
        ];
        Ok(self
            .git(&form)
            .args([old.to_string(), new.to_string()])
            .run()?)
    }

    fn written(&self) -> Result<ObjectId, ApplyError> {
        let id = self.git(&["write-tree"]).line()?;
        id.parse().map_err(|_| {
            PlumbingError::Answer {
                command: "git write-tree".to_owned(),
            }
            .into()
        })
    }

    /// The repository, which holds both what was in the source and what was made.
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

#[expect(
    clippy::disallowed_methods,
    reason = "the list of lenders is written by git::apply"
)]
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, bytes)
}
