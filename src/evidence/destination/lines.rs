//! What bounds a push, and what would it land on, once the other side is known?

use super::{NOTHING_KNOWN, fetched};
use crate::evidence::GateError;
use crate::evidence::range_context::{nearest, read_policy};
use crate::git::Repo;
use crate::git::remotes::Side;
use crate::model::ids::CommitId;
use crate::model::path::shown;
use crate::policy::Policy;

/// The other side of a push, as far as this clone and the push itself know it.
#[derive(Clone, Debug)]
pub(in crate::evidence) struct Destination {
    /// The policy on its default branch: it says which lines are protected.
    pub policy: Policy,
    /// What a reader should know about where the lines come from.
    pub note: Option<String>,
    /// The commit that this policy was read from.
    pub(super) from: CommitId,
    pub(super) lines: Vec<Known>,
    /// The lines that these are merely behind.
    pub(super) upstream: Vec<Known>,
}

/// A protected line and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub name: String,
    pub tip: CommitId,
    pub witness: Witness,
}

/// Who says where a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Witness {
    /// The other side, in this very push.
    Told,
    /// A tracking ref, or the ref itself where the push stays in the repository.
    Seen,
    /// A local branch, while nothing better speaks.
    Local,
}

impl Destination {
    /// Whether a ref is a protected line.
    pub fn protects(&self, name: &str) -> bool {
        self.policy.protect.base.iter().any(|line| line == name)
    }

    /// The tips that bound a range. A first protected line is bounded by the default branch.
    pub fn tips(&self) -> Vec<CommitId> {
        let mut tips = Vec::new();
        for line in &self.lines {
            if !tips.contains(&line.tip) {
                tips.push(line.tip);
            }
        }
        if tips.is_empty() {
            tips.push(self.from);
        }
        tips
    }

    /// The tips that bound a range where a line already holds the candidate: those of the line that
    /// is pushed to, and of the others that do not hold it. None where that line is new.
    ///
    /// What one line took is not landed on another, which may ask for more.
    ///
    /// # Errors
    /// When an object is absent or unreadable.
    pub fn tips_beside(
        &self,
        repo: &Repo,
        name: &str,
        tip: CommitId,
    ) -> Result<Vec<CommitId>, GateError> {
        if self.lines.iter().all(|line| line.name != name) {
            return Ok(Vec::new());
        }
        let mut tips = Vec::new();
        for line in &self.lines {
            if !tips.contains(&line.tip) && (line.name == name || !repo.contains(line.tip, tip)?) {
                tips.push(line.tip);
            }
        }
        Ok(tips)
    }

    /// The tip that a candidate would land on, and the policy that stands there: of the line that
    /// is pushed to, where that is one, else of the nearest.
    ///
    /// # Errors
    /// When nobody knows, or the policy cannot be read.
    pub fn landing(
        &self,
        repo: &Repo,
        name: &str,
        tip: CommitId,
    ) -> Result<(CommitId, Option<Policy>), GateError> {
        let of_line = || self.lines.iter().filter(|line| line.name == name);
        let told = of_line().find(|line| line.witness == Witness::Told);
        let landing = match told {
            Some(line) => line.tip,
            None => {
                let own: Vec<_> = of_line().map(|line| line.tip).collect();
                nearest(repo, tip, &if own.is_empty() { self.tips() } else { own })?
                    .unwrap_or(self.from)
            }
        };
        let policy = if landing == self.from {
            Some(self.policy.clone())
        } else {
            read_policy(repo, landing)?
        };
        Ok((landing, policy))
    }

    /// Local branches that speak for lines of the other side speak for no commit that they hold:
    /// nobody has seen it there.
    ///
    /// # Errors
    /// When one of them holds the candidate, or an object is absent.
    pub fn ask_local(&self, repo: &Repo, side: &Side, tip: CommitId) -> Result<(), GateError> {
        for line in self
            .lines
            .iter()
            .filter(|line| line.witness == Witness::Local)
        {
            if repo.contains(line.tip, tip)? {
                let looked_for = format!(
                    "{NOTHING_KNOWN} but the local {}, which holds what is pushed",
                    shown(&line.name)
                );
                return Err(GateError::NoLine {
                    looked_for,
                    fix: fetched(side),
                });
            }
        }
        Ok(())
    }

    /// What bounds a ref that is no protected line: those lines, and the ones that they are behind.
    pub fn tips_beyond(&self) -> Vec<CommitId> {
        self.tips()
            .into_iter()
            .chain(self.upstream.iter().map(|line| line.tip))
            .collect()
    }

    /// Whether the line of that name holds a commit where this one is merely behind it.
    ///
    /// # Errors
    /// When an object is absent or unreadable.
    pub fn is_upstream(&self, repo: &Repo, name: &str, tip: CommitId) -> Result<bool, GateError> {
        for line in self.upstream.iter().filter(|line| line.name == name) {
            if repo.is_ancestor(tip, line.tip)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether any line is known to bound what is pushed to a ref.
    pub fn bounds(&self, name: &str) -> bool {
        !self.lines.is_empty() || self.protects(name)
    }
}
