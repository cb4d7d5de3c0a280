//! Reads the state of the worktree and commits some of its paths in the person's name.
#![expect(
    clippy::disallowed_methods,
    reason = "git::worktree reads and restores the index file"
)]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use super::plumbing::{Git, GitPlace, PlumbingError, shown_path, split_nul};
use crate::exit::{Explained, Explanation};
use crate::model::ids::CommitId;

/// One path that differs between HEAD, index and worktree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusEntry {
    /// The path from the top level, as bytes.
    pub path: Vec<u8>,
    /// How it differs.
    pub change: Change,
}

/// How a path differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Known to git.
    Tracked {
        /// The index differs from HEAD.
        staged: bool,
        /// The worktree differs from the index.
        unstaged: bool,
    },
    /// A merge left it in conflict.
    Unmerged,
    /// Not known to git and not ignored.
    Untracked,
}

impl StatusEntry {
    /// The path as text; none when it is no UTF-8.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.path).ok()
    }

    /// The path made safe to print.
    pub fn shown(&self) -> String {
        shown_path(&self.path)
    }
}

/// Why a person's commit was not made.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The repository is bare.
    #[error("this repository has no worktree")]
    Bare,
    /// A merge, rebase, cherry-pick, revert or bisect is open.
    #[error("a {0} is open")]
    Open(&'static str),
    /// Another process holds the index, or died holding it.
    #[error("another process holds {} (made {} ago)", .path.display(), elapsed(.age))]
    Locked {
        /// The lock.
        path: PathBuf,
        /// How old it is.
        age: Option<Duration>,
    },
    /// The index could not be read or put back.
    #[error("the index {}: {source}", .path.display())]
    Index {
        /// The index.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Git said no, and the index could not be put back either.
    #[error("{refused}; and the index still knows the new files: {trouble}")]
    NotPutBack {
        /// What git said.
        refused: PlumbingError,
        /// What stood in the way.
        trouble: Box<CommitError>,
    },
    /// Git said no: a hook, signing, identity.
    #[error(transparent)]
    Git(#[from] PlumbingError),
}

impl Explained for CommitError {
    fn explain(&self) -> Explanation {
        match self {
            Self::Open(open) => {
                Explanation::refused().fix(format!("finish or abort the {open} first"))
            }
            Self::Locked { .. } => Explanation::refused()
                .fix("wait for the other process; remove the lock only when it is dead"),
            Self::Git(PlumbingError::Failed { .. }) => Explanation::refused(),
            Self::Bare | Self::Index { .. } | Self::NotPutBack { .. } | Self::Git(_) => {
                Explanation::undecided()
            }
        }
    }
}

fn elapsed(age: &Option<Duration>) -> String {
    age.map_or("some time".to_owned(), |age| format!("{} s", age.as_secs()))
}

/// Everything that differs, untracked files one by one, ignored ones left out.
///
/// # Errors
/// When git fails or answers in an unknown form.
pub fn status(place: &GitPlace) -> Result<Vec<StatusEntry>, PlumbingError> {
    let asked = [
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--no-renames",
        "--ignore-submodules=dirty",
    ];
    let answer = Git::at(place).args(asked).run()?;
    let unexpected = || PlumbingError::Answer {
        command: "git status".to_owned(),
    };
    split_nul(&answer)
        .map(|line| status_entry(line).ok_or_else(unexpected))
        .collect()
}

fn status_entry(line: &[u8]) -> Option<StatusEntry> {
    let field = |count| {
        line.splitn(count, |byte| *byte == b' ')
            .nth(count - 1)
            .map(<[u8]>::to_vec)
    };
    let (path, change) = match line.first()? {
        b'1' => {
            let differs = |at: usize| line.get(at).map(|byte| *byte != b'.');
            (
                field(9)?,
                Change::Tracked {
                    staged: differs(2)?,
                    unstaged: differs(3)?,
                },
            )
        }
        b'u' => (field(11)?, Change::Unmerged),
        b'?' => (field(2)?, Change::Untracked),
        _ => return None,
    };
    Some(StatusEntry { path, change })
}

/// The operation that is under way, if any: until it is over nothing is committed.
pub fn open_operation(place: &GitPlace) -> Option<&'static str> {
    const MARKS: [(&str, &str); 8] = [
        ("MERGE_HEAD", "merge"),
        ("rebase-merge", "rebase"),
        ("rebase-apply/applying", "git am"),
        ("rebase-apply", "rebase"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("sequencer", "cherry-pick or revert"),
        ("BISECT_LOG", "bisect"),
    ];
    let open = MARKS
        .iter()
        .find(|(mark, _)| fs::symlink_metadata(place.git_dir.join(mark)).is_ok());
    open.map(|(_, name)| *name)
}

/// The commit that HEAD names; none on an unborn branch.
///
/// # Errors
/// When git fails.
pub fn head(place: &GitPlace) -> Result<Option<CommitId>, PlumbingError> {
    commit_id(place, "HEAD")
}

/// The commit that `revision` names; none when there is no such commit.
///
/// # Errors
/// When git fails.
pub fn commit_id(place: &GitPlace, revision: &str) -> Result<Option<CommitId>, PlumbingError> {
    let wanted = format!("{revision}^{{commit}}");
    let asked = [
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &wanted,
    ];
    Ok(Git::at(place)
        .args(asked)
        .maybe_line()?
        .and_then(|line| line.parse().ok()))
}

/// A person's commit of exactly some paths.
#[derive(Clone, Copy, Debug)]
pub struct PersonsCommit<'a> {
    /// The paths: new, changed or deleted.
    pub entries: &'a [StatusEntry],
    /// The message, handed to the editor first when `edit` is set.
    pub message: &'a str,
    /// Whether the person's editor is opened on the message.
    pub edit: bool,
}

/// A commit that was made, and what git and the hooks said meanwhile.
#[derive(Clone, Debug)]
pub struct Committed {
    /// The new commit.
    pub id: CommitId,
    /// Their words, often none.
    pub words: String,
}

/// Commits exactly the given paths, as the worktree has them, with hooks, signing and identity as
/// configured; what else is staged stays staged. When git refuses, the index is as it was, byte
/// for byte.
///
/// # Errors
/// Before anything is touched: an open operation, a held lock. After: git's own words.
pub fn commit_only(place: &GitPlace, commit: PersonsCommit<'_>) -> Result<Committed, CommitError> {
    if place.worktree.is_none() {
        return Err(CommitError::Bare);
    }
    if let Some(open) = open_operation(place) {
        return Err(CommitError::Open(open));
    }
    let index = Index {
        path: place.git_dir.join("index"),
        lock: place.git_dir.join("index.lock"),
    };
    index.check_free()?;
    let before = index.bytes()?;
    let announced = announce(place, commit.entries);
    let between = index.bytes()?;
    match announced.and_then(|()| run_commit(place, commit)) {
        Ok(words) => {
            let id = head(place)?.ok_or(PlumbingError::Answer {
                command: "git commit".to_owned(),
            })?;
            Ok(Committed { id, words })
        }
        Err(refused) => match index.put_back(before.as_deref(), between.as_deref()) {
            Ok(()) => Err(refused.into()),
            Err(trouble) => Err(CommitError::NotPutBack {
                refused,
                trouble: Box::new(trouble),
            }),
        },
    }
}

/// Makes new files known to git, without their bytes: a commit of named paths takes known paths only.
fn announce(place: &GitPlace, entries: &[StatusEntry]) -> Result<(), PlumbingError> {
    let new = entries
        .iter()
        .filter(|entry| entry.change == Change::Untracked);
    let new: Vec<&[u8]> = new.map(|entry| entry.path.as_slice()).collect();
    match new.is_empty() {
        true => Ok(()),
        false => Git::at(place)
            .args(["add", "--intent-to-add", "--sparse"])
            .paths(new)
            .run()
            .map(drop),
    }
}

fn run_commit(place: &GitPlace, commit: PersonsCommit<'_>) -> Result<String, PlumbingError> {
    // The list goes through a file, since an editor needs standard input for itself.
    let mut list = tempfile::NamedTempFile::new().map_err(PlumbingError::Start)?;
    for entry in commit.entries {
        let line = [b":(top,literal)", entry.path.as_slice(), b"\0"].concat();
        list.write_all(&line).map_err(PlumbingError::Start)?;
    }
    let git =
        Git::for_person(place).args(["commit", "--only", "--quiet", "--message", commit.message]);
    let git = git.args([
        "--pathspec-file-nul".as_ref(),
        "--pathspec-from-file".as_ref(),
        list.path().as_os_str(),
    ]);
    match commit.edit {
        true => git.args(["--edit"]).interactive().map(|()| String::new()),
        false => git.words(),
    }
}

/// The index file and its lock.
struct Index {
    path: PathBuf,
    lock: PathBuf,
}

impl Index {
    fn bytes(&self) -> Result<Option<Vec<u8>>, CommitError> {
        match fs::read(&self.path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(self.trouble(source)),
        }
    }

    /// Says who is in the way before anything is tried; a lock is never removed for somebody else.
    fn check_free(&self) -> Result<(), CommitError> {
        match fs::symlink_metadata(&self.lock) {
            Ok(_) => Err(self.locked()),
            Err(_) => Ok(()),
        }
    }

    /// Puts `before` back while the index is what we left, `between`. When another process has
    /// written it since, its work counts more than the marks that we left.
    fn put_back(&self, before: Option<&[u8]>, between: Option<&[u8]>) -> Result<(), CommitError> {
        if before == between {
            return Ok(());
        }
        let lock = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&self.lock);
        let lock = lock.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => self.locked(),
            _ => self.trouble(error),
        })?;
        let done = match before {
            _ if self.bytes()?.as_deref() != between => fs::remove_file(&self.lock),
            Some(bytes) => {
                write_through(lock, bytes).and_then(|()| fs::rename(&self.lock, &self.path))
            }
            None => fs::remove_file(&self.path).and_then(|()| fs::remove_file(&self.lock)),
        };
        done.map_err(|source| self.trouble(source))
    }

    fn locked(&self) -> CommitError {
        let made = fs::symlink_metadata(&self.lock).and_then(|lock| lock.modified());
        let age = made.ok().and_then(|made| made.elapsed().ok());
        CommitError::Locked {
            path: self.lock.clone(),
            age,
        }
    }

    fn trouble(&self, source: io::Error) -> CommitError {
        CommitError::Index {
            path: self.path.clone(),
            source,
        }
    }
}

fn write_through(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}
