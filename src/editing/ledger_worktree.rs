//! Opens a worktree for editing: its policy, its ledgers and the paths in it.

use std::path::{Component, Path, PathBuf};

use super::Refused;
use super::plan::Write;
use crate::evidence::GateError;
use crate::exit::{Explained, Explanation};
use crate::git::plumbing::{GitPlace, PlumbingError};
use crate::ledger::file::{FaultKind, Ledger, LedgerFault, LedgerName, parse, print};
use crate::model::path::{PathError, RepoPath, shown};
use crate::model::refusal::Code;
use crate::policy::{POLICY_PATH, Policy, PolicyFault, parse as parse_policy};
use crate::sys::files::{FileError, Root};

/// A worktree and the policy that stands in it.
#[derive(Debug)]
pub struct LedgerWorktree {
    /// The repository.
    pub place: GitPlace,
    /// The top level of the worktree.
    pub root: Root,
    /// The worktree's own policy: it says where to write, it decides nothing.
    pub policy: Policy,
    here: PathBuf,
}

/// A ledger of the worktree and the bytes it was read from.
#[derive(Clone, Debug)]
pub struct Opened<L> {
    /// The file.
    pub path: RepoPath,
    /// Its bytes; none when it is missing.
    pub bytes: Option<Vec<u8>>,
    /// The rows; none when it is missing.
    pub ledger: Option<L>,
}

impl<L: Ledger> Opened<L> {
    /// The write that makes the file say `after`.
    ///
    /// # Errors
    /// When strict reading would not take it back: nobody writes a ledger that refuses.
    pub fn becomes(&self, after: &L) -> Result<Write, LedgerWorktreeError> {
        let text = print(after).into_bytes();
        parse::<L>(&text).map_err(|fault| {
            let message = format!("{} would not be valid: {fault}", self.path);
            Refused::new(message).code(Code::LedgerInvalid)
        })?;
        Ok(Write {
            path: self.path.clone(),
            before: self.bytes.clone(),
            after: text,
        })
    }

    /// The ledger, which has to be there.
    ///
    /// # Errors
    /// When the file is missing.
    pub fn required(&self) -> Result<&L, LedgerWorktreeError> {
        self.ledger
            .as_ref()
            .ok_or_else(|| LedgerWorktreeError::NoLedger(self.path.clone(), L::NAME))
    }
}

/// Why there is nothing to work on.
#[derive(Debug, thiserror::Error)]
pub enum LedgerWorktreeError {
    /// Git finds no repository, or does not trust it.
    #[error(transparent)]
    Git(#[from] PlumbingError),
    /// The gate cannot say where the branch stands.
    #[error(transparent)]
    Gate(#[from] Box<GateError>),
    /// The repository is bare.
    #[error("this repository has no worktree to write in")]
    Bare,
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The repository is not under reins.
    #[error("there is no {POLICY_PATH} in this worktree")]
    NoPolicy,
    /// The policy cannot be read.
    #[error(transparent)]
    Policy(#[from] PolicyFault),
    /// A ledger cannot be read.
    #[error("{0}: {1}")]
    Ledger(RepoPath, Box<LedgerFault>),
    /// A ledger that is needed does not exist.
    #[error("{0} is missing")]
    NoLedger(RepoPath, LedgerName),
    /// A path is not safe.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A path lies outside.
    #[error("'{0}' is outside this worktree")]
    Outside(String),
    /// A rule stands against the edit.
    #[error(transparent)]
    Refused(#[from] Refused),
}

impl Explained for LedgerWorktreeError {
    fn explain(&self) -> Explanation {
        match self {
            Self::Refused(refused) => refused.explain(),
            Self::Gate(error) => error.explain(),
            Self::Ledger(_, fault) => {
                let code = match fault.kind {
                    FaultKind::Invalid => Code::LedgerInvalid,
                    FaultKind::PathUnsafe => Code::PathUnsafe,
                };
                let resolve = Some("git reins fmt --resolve")
                    .filter(|command| fault.expected.contains(command));
                let fix = resolve.unwrap_or(code.entry().remedy);
                Explanation::refused().code(code).fix(fix)
            }
            Self::NoLedger(_, name) => {
                let fix = match name.file_name() {
                    "fixture.json" => "git reins fixture pin --epoch NEW --runner-image auto",
                    _ => "git reins init",
                };
                Explanation::refused().code(Code::LedgerMissing).fix(fix)
            }
            Self::Path(_) => Explanation::refused().code(Code::PathUnsafe),
            Self::Outside(_) | Self::File(FileError::NotRegular { .. }) => Explanation::refused(),
            Self::NoPolicy => Explanation::undecided().fix("git reins init"),
            Self::Policy(_) => Explanation::undecided()
                .code(Code::PolicyInvalid)
                .fix("correct the named key"),
            Self::Git(_) | Self::Bare | Self::File(_) => Explanation::undecided(),
        }
    }
}

/// The worktree that `dir` lies in, opened.
///
/// # Errors
/// When there is none.
pub fn worktree(
    dir: &Path,
    git_dir: Option<&Path>,
) -> Result<(GitPlace, Root), LedgerWorktreeError> {
    let place = GitPlace::find(dir, git_dir)?;
    let root = Root::open(place.worktree.as_ref().ok_or(LedgerWorktreeError::Bare)?)?;
    Ok((place, root))
}

impl LedgerWorktree {
    /// Finds the worktree and reads its policy.
    ///
    /// # Errors
    /// When one of them is missing or cannot be read.
    pub fn open(dir: &Path, git_dir: Option<&Path>) -> Result<Self, LedgerWorktreeError> {
        let (place, root) = worktree(dir, git_dir)?;
        let path = POLICY_PATH.parse().expect("the policy's path is safe");
        let policy = parse_policy(&root.read(&path)?.ok_or(LedgerWorktreeError::NoPolicy)?)?;
        let here = dir.canonicalize().unwrap_or(dir.to_owned());
        Ok(Self {
            place,
            root,
            policy,
            here,
        })
    }

    /// Reads a ledger strictly.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn ledger<L: Ledger>(&self) -> Result<Opened<L>, LedgerWorktreeError> {
        let path = self.ledger_path(L::NAME)?;
        let bytes = self.root.read(&path)?;
        let ledger = bytes.as_deref().map(parse::<L>).transpose();
        let ledger =
            ledger.map_err(|fault| LedgerWorktreeError::Ledger(path.clone(), Box::new(fault)))?;
        Ok(Opened {
            path,
            bytes,
            ledger,
        })
    }

    /// Where a ledger stands.
    ///
    /// # Errors
    /// Never, since the names are safe paths.
    pub fn ledger_path(&self, name: LedgerName) -> Result<RepoPath, LedgerWorktreeError> {
        Ok(self.policy.paths.ledger.join(name.file_name())?)
    }

    /// The path from the top level that a person means by `given`, who stands where the command
    /// was called.
    ///
    /// # Errors
    /// When it leads out of the worktree or is not safe.
    pub fn path(&self, given: &str) -> Result<RepoPath, LedgerWorktreeError> {
        let outside = || LedgerWorktreeError::Outside(shown(given));
        let given_path = real(Path::new(given));
        let mut full = if given_path.is_absolute() {
            PathBuf::new()
        } else {
            self.here.clone()
        };
        for component in given_path.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => drop(full.pop()),
                Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                    full.push(component)
                }
            }
        }
        let inner = full.strip_prefix(self.root.path()).map_err(|_| outside())?;
        Ok(inner.to_str().ok_or_else(outside)?.parse()?)
    }
}

/// An absolute path with the links on the way resolved, as the worktree's own place is; the last
/// component stays, so that a link is still seen as one.
fn real(path: &Path) -> PathBuf {
    let real = path
        .parent()
        .filter(|_| path.is_absolute())
        .and_then(|parent| parent.canonicalize().ok());
    real.zip(path.file_name())
        .map_or(path.to_owned(), |(parent, name)| parent.join(name))
}
