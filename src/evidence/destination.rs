//! Finds the protected lines on the other side of a push, and the policy that names them.

use std::collections::{BTreeMap, BTreeSet};

use super::GateError;
use super::range_context::{Protected, add_line, nearest, no_default, no_line, read_policy};
use crate::git::object::Peeled;
use crate::git::refs::Line;
use crate::git::remotes::Side;
use crate::git::{GitError, Repo};
use crate::model::ids::{CommitId, ObjectId};
use crate::model::path::shown;
use crate::model::push::{RemoteRefs, Update};
use crate::model::shell::word;
use crate::policy::{Policy, refname};

/// What is found on the other side.
pub(super) enum Found {
    /// No branch at all.
    NoRefs,
    /// A default branch without a policy.
    NotUnderReins {
        /// The branch.
        line: String,
    },
    /// Protected lines.
    Under(Box<Destination>),
}

/// The other side of a push.
#[derive(Clone, Debug)]
pub(super) struct Destination {
    /// The policy on its default branch: it says which lines are protected.
    pub policy: Policy,
    /// The default branch.
    default: Protected,
    /// The protected lines that are there.
    pub lines: Vec<Protected>,
}

/// Looks at the other side.
///
/// What the remote answered and what the push says about a ref count more than what this clone
/// remembers. The remote's HEAD names the default branch, else the symbolic HEAD of its tracking
/// refs does. Local branches and other remotes say nothing about a remote.
///
/// # Errors
/// When the repository cannot answer, or the default branch is not known.
pub(super) fn find(
    repo: &Repo,
    side: &Side,
    there: Option<&RemoteRefs>,
    updates: &[Update],
) -> Result<Found, GateError> {
    if there.is_some_and(|there| there.branches.is_empty()) {
        return Ok(Found::NoRefs);
    }
    let push = Pushed {
        repo,
        side,
        there,
        updates,
    };
    let default = push.default()?;
    let Some(policy) = read_policy(repo, default.tip)? else {
        return Ok(Found::NotUnderReins { line: default.name });
    };
    let lines = push.lines(&policy, &default.name)?;
    Ok(Found::Under(Box::new(Destination {
        policy,
        default,
        lines,
    })))
}

/// A push and where it goes.
struct Pushed<'a> {
    repo: &'a Repo,
    side: &'a Side,
    there: Option<&'a RemoteRefs>,
    updates: &'a [Update],
}

impl Pushed<'_> {
    fn default(&self) -> Result<Protected, GateError> {
        let told = self.there.and_then(|there| there.head.clone());
        let name = match told {
            Some(name) => name,
            None => {
                let line = self.repo.default_of(self.side)?;
                let line = line.ok_or_else(|| no_default(self.repo, self.side))?;
                self.repo.name_there(self.side, &line)
            }
        };
        let tip = self.tip(&name)?.ok_or_else(|| unseen(self.side, &name))?;
        Ok(Protected {
            name,
            tip,
            is_default: true,
            is_from_pattern: false,
        })
    }

    fn lines(&self, policy: &Policy, default: &str) -> Result<Vec<Protected>, GateError> {
        let (mut lines, mut is_there) = (Vec::new(), false);
        for pattern in &policy.protect.base {
            for name in self.names(pattern)? {
                is_there = true;
                if let Some(tip) = self.tip(&name)? {
                    add_line(&mut lines, default, pattern, Line { name, tip });
                }
            }
        }
        match lines.is_empty() && is_there {
            true => Err(no_line(self.side, policy)),
            false => Ok(lines),
        }
    }

    /// The refs on the other side that a name or a pattern of the policy means.
    fn names(&self, pattern: &str) -> Result<BTreeSet<String>, GateError> {
        let mut names = BTreeSet::new();
        match self.there {
            Some(there) => names.extend(there.branches.keys().cloned()),
            None => {
                let known = self.repo.lines_of(self.side, pattern)?;
                names.extend(known.into_iter().map(|line| line.name));
            }
        }
        let told = self.updates.iter().filter(|update| update.old.is_some());
        names.extend(told.map(Update::text));
        names.retain(|name| refname::matches(pattern, name));
        Ok(names)
    }

    /// Where a branch of the other side stands, as far as this clone holds that commit.
    fn tip(&self, name: &str) -> Result<Option<CommitId>, GateError> {
        let update = self.updates.iter().find(|update| update.text() == name);
        let told = update.and_then(|update| update.old);
        let answered = self.there.and_then(|there| there.branches.get(name));
        for id in told.into_iter().chain(answered.copied()) {
            if let Some(Peeled::Commit(tip)) = known(self.repo, id)? {
                return Ok(Some(tip));
            }
        }
        let remembered = self.repo.lines_of(self.side, name)?;
        Ok(remembered.into_iter().next().map(|line| line.tip))
    }
}

impl Destination {
    /// Whether a ref is a protected line.
    pub fn protects(&self, name: &str) -> bool {
        protects(&self.policy, name)
    }

    /// The line that a candidate would land on: the ref that is pushed to, where that is one and
    /// exists, else the nearest.
    ///
    /// # Errors
    /// When several are equally near, or an object is absent.
    pub fn landing(&self, repo: &Repo, name: &str, tip: CommitId) -> Result<&Protected, GateError> {
        if let Some(line) = self.lines.iter().find(|line| line.name == name) {
            return Ok(line);
        }
        let mut open = Vec::new();
        for line in &self.lines {
            if self.lines.len() == 1 || !repo.contains(line.tip, tip)? {
                open.push(line);
            }
        }
        if open.is_empty() {
            return Ok(&self.default);
        }
        nearest(repo, tip, &open)
    }

    /// The tips of the lines.
    pub fn tips(&self) -> Vec<CommitId> {
        self.lines.iter().map(|line| line.tip).collect()
    }
}

/// Whether the policy names a ref as a protected line.
pub(super) fn protects(policy: &Policy, name: &str) -> bool {
    let mut patterns = policy.protect.base.iter();
    patterns.any(|pattern| refname::matches(pattern, name))
}

/// Reads what `git ls-remote --symref URL HEAD 'refs/heads/*'` prints.
pub fn remote_refs(printed: &[u8]) -> RemoteRefs {
    let (mut head, mut branches) = (None, BTreeMap::new());
    for line in String::from_utf8_lossy(printed).lines() {
        let Some((left, name)) = line.split_once('\t') else {
            continue;
        };
        if let Some(target) = left.strip_prefix("ref: ") {
            if name == "HEAD" && target.starts_with("refs/heads/") {
                head = Some(target.to_owned());
            }
        } else if name.starts_with("refs/heads/") {
            branches.extend(left.parse().ok().map(|id: ObjectId| (name.to_owned(), id)));
        }
    }
    RemoteRefs { head, branches }
}

fn unseen(side: &Side, name: &str) -> GateError {
    GateError::NoLine {
        looked_for: format!("{} of the remote is not in this clone", shown(name)),
        fix: match side {
            Side::Remote(name) => format!("git fetch {}", word(name)),
            Side::Elsewhere | Side::Here => "git remote add NAME URL && git fetch NAME".to_owned(),
        },
    }
}

/// What an object of the other side leads to; `None` where this clone does not hold it.
pub(super) fn known(repo: &Repo, id: ObjectId) -> Result<Option<Peeled>, GateError> {
    match repo.peeled(id) {
        Ok(peeled) => Ok(Some(peeled)),
        Err(GitError::Absent { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
