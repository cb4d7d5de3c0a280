//! Which protected lines stand on the other side of a push, and which policy names them?

use super::GateError;
use super::survey::{NAME_THE_RANGE, nearest, read_policy};
use crate::git::object::Peeled;
use crate::git::refs::Line;
use crate::git::remotes::Side;
use crate::git::{GitError, Repo};
use crate::model::ids::{CommitId, ObjectId};
use crate::model::push::Update;
use crate::model::shell::word;
use crate::policy::Policy;

/// The other side of a push, as far as this clone and the push itself know it.
#[derive(Clone, Debug)]
pub(super) struct Destination {
    /// The policy on its default branch: it says which lines are protected.
    pub policy: Policy,
    /// The commit that this policy was read from.
    from: CommitId,
    lines: Vec<Known>,
}

/// A protected line and where it stands.
#[derive(Clone, Debug)]
struct Known {
    name: String,
    tip: CommitId,
    /// Whether the other side said so in this very push.
    is_told: bool,
}

/// What is found on the other side.
pub(super) enum Found {
    /// Nothing yet: the push brings the first line.
    Bootstrap,
    /// A default branch without a policy.
    NotUnderReins {
        /// The branch.
        line: String,
    },
    /// Protected lines.
    Under(Box<Destination>),
}

/// Looks at the other side.
///
/// What the push itself says about a line is newer than what this clone remembers. A local branch
/// speaks for a line only while nothing better does, and never for one that is pushed to: it may
/// be the candidate.
///
/// # Errors
/// When the repository cannot answer, or the default branch is not known.
pub(super) fn find(repo: &Repo, side: &Side, updates: &[Update]) -> Result<Found, GateError> {
    let push = Pushed { repo, side, updates };
    let defaults = repo.default_lines(side)?;
    let Some(first) = defaults.first() else {
        return if repo.has_seen(side)? { Err(no_default(side)) } else { Ok(Found::Bootstrap) };
    };
    for default in &defaults {
        let from = match push.stand(default)? {
            Stand::At(tip) => tip,
            Stand::Nowhere => return Ok(Found::Bootstrap),
            Stand::Unknown => return Err(unseen(side, default)),
        };
        if let Some(policy) = read_policy(repo, from)? {
            let lines = push.lines(&policy)?;
            return Ok(Found::Under(Box::new(Destination { policy, from, lines })));
        }
    }
    Ok(Found::NotUnderReins { line: first.name.clone() })
}

/// Where a line stands on the other side.
enum Stand {
    At(CommitId),
    /// The push creates it.
    Nowhere,
    /// At a commit that is not in this clone.
    Unknown,
}

/// A push and where it goes.
struct Pushed<'a> {
    repo: &'a Repo,
    side: &'a Side,
    updates: &'a [Update],
}

impl Pushed<'_> {
    fn stand(&self, line: &Line) -> Result<Stand, GateError> {
        let name = self.repo.name_there(self.side, line);
        let Some(update) = self.of(&name) else { return Ok(Stand::At(line.tip)) };
        if let Some(tip) = self.told(&name)? {
            return Ok(Stand::At(tip));
        }
        Ok(match (self.may_speak(line), update.old) {
            (true, _) => Stand::At(line.tip),
            (false, None) => Stand::Nowhere,
            (false, Some(_)) => Stand::Unknown,
        })
    }

    fn lines(&self, policy: &Policy) -> Result<Vec<Known>, GateError> {
        let mut lines = Vec::new();
        for name in &policy.protect.base {
            let known = |tip, is_told| Known { name: name.clone(), tip, is_told };
            let found = self.repo.lines(self.side, name)?.into_iter().filter(|line| self.may_speak(line));
            lines.extend(found.map(|line| known(line.tip, false)));
            lines.extend(self.told(name)?.map(|tip| known(tip, true)));
        }
        Ok(lines)
    }

    fn of(&self, name: &str) -> Option<&Update> {
        self.updates.iter().find(|update| update.text() == name)
    }

    /// What the push says about a line, where this clone holds that commit.
    fn told(&self, name: &str) -> Result<Option<CommitId>, GateError> {
        let old = self.of(name).and_then(|update| update.old);
        Ok(match old.map(|old| known(self.repo, old)).transpose()?.flatten() {
            Some(Peeled::Commit(tip)) => Some(tip),
            Some(Peeled::Other(_)) | None => None,
        })
    }

    fn may_speak(&self, line: &Line) -> bool {
        line.is_tracking() || *self.side == Side::Here || self.of(&line.name).is_none()
    }
}

fn unseen(side: &Side, line: &Line) -> GateError {
    let looked_for = format!("{} stands at a commit that is not in this clone", line.name);
    let fix = match side {
        Side::Remote(name) => format!("git fetch {}", word(name)),
        Side::Elsewhere | Side::Here => NAME_THE_RANGE.to_owned(),
    };
    GateError::NoLine { looked_for, fix }
}

/// What an object of the other side leads to; `None` where this clone does not hold it.
pub(super) fn known(repo: &Repo, id: ObjectId) -> Result<Option<Peeled>, GateError> {
    match repo.peeled(id) {
        Ok(peeled) => Ok(Some(peeled)),
        Err(GitError::Absent { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn no_default(side: &Side) -> GateError {
    let (whose, fix) = match side {
        Side::Remote(name) => (
            format!("the default branch of {name} is not known in this clone"),
            format!("git remote set-head {} --auto", word(name)),
        ),
        Side::Elsewhere | Side::Here => {
            ("no local main, master or trunk".to_owned(), NAME_THE_RANGE.to_owned())
        }
    };
    GateError::NoLine { looked_for: whose, fix }
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
    pub fn tips_beside(&self, repo: &Repo, name: &str, tip: CommitId) -> Result<Vec<CommitId>, GateError> {
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
        let told = of_line().find(|line| line.is_told);
        let landing = match told {
            Some(line) => line.tip,
            None => {
                let own: Vec<_> = of_line().map(|line| line.tip).collect();
                nearest(repo, tip, &if own.is_empty() { self.tips() } else { own })?.unwrap_or(self.from)
            }
        };
        let policy =
            if landing == self.from { Some(self.policy.clone()) } else { read_policy(repo, landing)? };
        Ok((landing, policy))
    }

    /// Whether any line is known to bound what is pushed to a ref.
    pub fn bounds(&self, name: &str) -> bool {
        !self.lines.is_empty() || self.protects(name)
    }
}
