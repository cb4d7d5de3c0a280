//! Reads and writes the repository, with gix or the git binary. No other module does.
//!
//! Everything is read from raw objects: replace refs, grafts and the commit-graph file are local
//! data that anybody can forge. The first two are not looked at, the third may end a walk sooner.

pub mod apply;
pub mod attributes;
mod author;
mod bases;
pub mod blobs;
pub mod checkout;
mod code_tree;
pub mod config;
pub mod fold;
mod graph;
pub mod history;
pub mod hooks;
mod material;
pub mod object;
pub mod owned;
pub mod plumbing;
pub mod refs;
pub mod remotes;
pub mod textmerge;
pub mod tree;
pub mod worktree;

use std::path::Path;

use crate::exit::{Explained, Explanation};
use crate::model::ids::ObjectId;
use crate::model::refusal::Code;

/// The oldest git that has every option used here: `rev-parse --path-format` came with 2.31.
pub const OLDEST_GIT: (u32, u32) = (2, 31);

/// A repository, opened for reading.
pub struct Repo {
    inner: gix::Repository,
    shallow: Vec<gix::ObjectId>,
}

/// Why the repository cannot answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no repository, or it cannot be opened.
    #[error("the repository at {place} cannot be opened: {why}")]
    Open {
        /// Where it was looked for.
        place: String,
        /// What stands in the way.
        why: String,
        /// The command that helps.
        fix: Option<String>,
    },
    /// A name that means no commit.
    #[error("\"{name}\" names no commit: {why}")]
    Name {
        /// The name as it was given.
        name: String,
        /// What was found instead.
        why: String,
    },
    /// An object that a walk needs is not in this clone.
    #[error("object {id} is not in this clone")]
    Absent {
        /// The object.
        id: ObjectId,
        /// Whether the clone is partial, so that the object may be fetched.
        is_partial: bool,
    },
    /// The history is cut off where the walk has to go on.
    #[error("the clone is shallow and cuts the history at commit {id}, which is needed")]
    Shallow {
        /// The commit whose parents are cut off.
        id: ObjectId,
    },
    /// An object that is there and cannot be read.
    #[error("object {id} cannot be read: {why}")]
    Unreadable {
        /// The object.
        id: ObjectId,
        /// What is wrong with it.
        why: String,
    },
    /// A reference or another file of the repository that cannot be read.
    #[error("{what} cannot be read: {why}")]
    Other {
        /// What was read.
        what: String,
        /// What went wrong.
        why: String,
    },
}

impl Explained for GitError {
    fn explain(&self) -> Explanation {
        let explanation = Explanation::undecided();
        match self {
            Self::Shallow { .. } => explanation
                .code(Code::HistoryIncomplete)
                .fix("git fetch --unshallow"),
            Self::Absent {
                is_partial: true, ..
            } => explanation
                .code(Code::HistoryIncomplete)
                .fix("git fetch --refetch --no-filter"),
            Self::Absent { .. } | Self::Unreadable { .. } => explanation.fix("git fsck --full"),
            Self::Open { fix, .. } => Explanation {
                fix: fix.clone(),
                ..explanation
            },
            Self::Name { .. } | Self::Other { .. } => explanation,
        }
    }
}

impl GitError {
    /// Whether there is no repository at all, for those who can do without one.
    pub fn is_nowhere(&self) -> bool {
        matches!(self, Self::Open { why, .. } if why == NOWHERE)
    }
}

impl Repo {
    /// Opens the repository at `git_dir`, or the one around `dir` (as git finds it: `GIT_DIR`
    /// first, then upwards).
    ///
    /// # Errors
    /// When there is none, when another user owns it, or when its format is not supported.
    pub fn open(dir: &Path, git_dir: Option<&Path>) -> Result<Self, GitError> {
        let options = || {
            let mut permissions = gix::open::Permissions::all();
            permissions.config.env = false; // no environment variable changes a decision
            gix::open::Options::default()
                .permissions(permissions)
                .bail_if_untrusted(true)
        };
        let opened = match git_dir {
            Some(path) => options().open_path_as_is(true).open(dir.join(path)),
            None => {
                let trust = gix::sec::trust::Mapping {
                    full: options(),
                    reduced: options(),
                };
                gix::ThreadSafeRepository::discover_with_environment_overrides_opts(
                    dir,
                    gix::discover::upwards::Options {
                        match_ceiling_dir_or_error: false,
                        ..Default::default()
                    },
                    trust,
                )
            }
        };
        let mut inner = opened
            .map_err(|error| open_error(git_dir.unwrap_or(dir), &error))?
            .to_thread_local();
        let other = |error: gix::Error| GitError::Other {
            what: "the shallow file".to_owned(),
            why: chain(&error),
        };
        // gix lets a key, and GIT_SHALLOW_FILE through it, say where the shallow file is
        let mut config = inner.config_snapshot_mut();
        config
            .set_value(&gix::config::tree::gitoxide::Core::SHALLOW_FILE, "shallow")
            .map_err(other)?;
        config.commit().map_err(other)?;
        let shallow = inner.shallow_commits().map_err(other)?;
        let shallow = shallow
            .map(|commits| commits.iter().copied().collect())
            .unwrap_or_default();
        Ok(Self::over(inner, shallow))
    }

    /// Raw objects and the refs of nobody's namespace only (`GIT_NAMESPACE` and a key of gix could
    /// hide every line), and caches for walks.
    fn over(mut inner: gix::Repository, shallow: Vec<gix::ObjectId>) -> Self {
        inner.objects.ignore_replacements = true;
        inner.clear_namespace();
        inner.object_cache_size_if_unset(4 << 20);
        inner
            .objects
            .set_pack_cache(|| Box::new(bases::Bases::default()));
        Self { inner, shallow }
    }

    /// The worktree; `None` in a bare repository.
    pub fn worktree(&self) -> Option<&Path> {
        self.inner.workdir()
    }

    /// The git directory that all worktrees share.
    /// Where git has to be run for this repository.
    ///
    /// # Errors
    /// When its directory is gone.
    pub fn place(&self) -> Result<plumbing::GitPlace, GitError> {
        let absolute = |path: &Path| {
            let what = || path.display().to_string();
            path.canonicalize().map_err(|error| GitError::Other {
                what: what(),
                why: error.to_string(),
            })
        };
        let worktree = self.worktree().map(absolute).transpose()?;
        Ok(plumbing::GitPlace {
            git_dir: absolute(self.inner.git_dir())?,
            worktree,
        })
    }

    /// The directory that all worktrees of the repository share.
    pub fn common_dir(&self) -> &Path {
        self.inner.common_dir()
    }

    /// The name that a blob of these bytes has or would have.
    pub fn blob_id(&self, bytes: &[u8]) -> Option<ObjectId> {
        let id = gix::objs::compute_hash(self.inner.object_hash(), gix::objs::Kind::Blob, bytes);
        id.ok().map(ours)
    }

    /// Length of an object id in hex digits: 40 or 64.
    pub fn hex_len(&self) -> usize {
        self.inner.object_hash().len_in_hex()
    }

    /// Whether some history is cut off.
    pub fn is_shallow(&self) -> bool {
        !self.shallow.is_empty()
    }

    fn is_partial(&self) -> bool {
        let config = self.inner.config_snapshot();
        let promisor = config
            .plumbing()
            .sections_by_name("remote")
            .into_iter()
            .flatten();
        config.string("extensions.partialClone").is_some()
            || promisor
                .into_iter()
                .any(|section| section.value("promisor").is_some())
    }
}

/// That there is no repository, in the words of git.
const NOWHERE: &str = "not a git repository, nor is any directory above it";

fn open_error(place: &Path, error: &gix::Error) -> GitError {
    let mut why = chain(error);
    if why.starts_with("Could not find a git repository") {
        why = NOWHERE.to_owned();
    }
    let fix = if why.contains("owned") || why.contains("trust") {
        why = "dubious ownership: another user owns it".to_owned();
        Some(format!(
            "git config --global --add safe.directory {}",
            crate::model::shell::word(&place.display().to_string())
        ))
    } else if why.contains("reftable") || why.contains("refStorage") || why.contains("refstorage") {
        Some("git refs migrate --ref-format=files".to_owned())
    } else {
        None
    };
    GitError::Open {
        place: place.display().to_string(),
        why,
        fix,
    }
}

/// An error of gix with its causes, on one line.
fn chain(error: &gix::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text.replace('\n', " ")
}

fn ours(id: gix::ObjectId) -> ObjectId {
    ObjectId::from_bytes(id.as_slice()).expect("git object ids have 20 or 32 bytes")
}

fn theirs(id: ObjectId) -> gix::ObjectId {
    gix::ObjectId::from_bytes_or_panic(id.as_bytes())
}
