//! Which protected lines stand on the other side of a push, and which policy names them?

mod lines;

pub(super) use lines::Destination;

use std::collections::BTreeSet;

use lines::{Known, Witness};

use super::GateError;
use super::range_context::{NAME_THE_RANGE, read_policy};
use crate::git::object::Peeled;
use crate::git::refs::Line;
use crate::git::remotes::Side;
use crate::git::{GitError, Repo};
use crate::model::ids::{CommitId, ObjectId};
use crate::model::path::shown;
use crate::model::push::Update;
use crate::model::shell::word;
use crate::policy::Policy;

/// What is found on the other side.
pub(super) enum Found {
    /// Nothing yet, and no policy arrives.
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
/// What the push itself says about a line is newer than what this clone remembers: it replaces the
/// tracking ref. A remote of which no default branch was ever seen is judged like a place that is
/// none of the remotes, by what all of them say. The default branch says which policy governs; where
/// it has none, any other known line does whose policy protects a ref of this push. Local branches
/// come last, and bound a range only while no tracking ref is there at all. A push bootstraps a side
/// when nothing of it is known, no line of the push says that something stands there, and a line
/// that its own policy protects is among what it brings.
///
/// # Errors
/// When the repository cannot answer, or the default branch is not known.
pub(super) fn find(repo: &Repo, side: &Side, updates: &[Update]) -> Result<Found, GateError> {
    let is_known = *side == Side::Here || !repo.tracked_defaults(side)?.is_empty();
    let asked = if is_known {
        side.clone()
    } else {
        Side::Elsewhere
    };
    let has_seen = is_known || repo.has_seen(&asked)?;
    let push = Pushed {
        repo,
        side,
        asked,
        updates,
        has_seen,
    };
    let defaults = push.defaults()?;
    for default in &defaults {
        if let Stand::At(tip) = push.stand(default)?
            && let Some(policy) = read_policy(repo, tip)?
        {
            return push.under(policy, tip);
        }
    }
    if let Some((policy, tip)) = push.protecting(!defaults.is_empty())? {
        return push.under(policy, tip);
    }
    match defaults.into_iter().next() {
        Some(first) => Ok(Found::NotUnderReins { line: first.name }),
        None => push.unseen_side(),
    }
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
    /// The side whose refs answer.
    asked: Side,
    updates: &'a [Update],
    has_seen: bool,
}

impl Pushed<'_> {
    fn defaults(&self) -> Result<Vec<Line>, GateError> {
        Ok(match self.asked {
            Side::Here => self.repo.default_lines(&Side::Here)?,
            Side::Remote(_) | Side::Elsewhere => self.repo.tracked_defaults(&self.asked)?,
        })
    }

    /// The policy of any known line that protects a ref of this push.
    fn protecting(&self, has_default: bool) -> Result<Option<(Policy, CommitId)>, GateError> {
        let names: Vec<_> = self.updates.iter().map(Update::line).collect();
        let mut tips = Vec::new();
        for update in self.updates {
            tips.extend(self.told(&update.text())?);
        }
        let lines = match has_default {
            true => self.repo.tracked_named(&self.asked, &names)?,
            false => self.repo.tracked_lines(&self.asked)?,
        };
        tips.extend(lines.into_iter().map(|line| line.tip));
        let mut read = BTreeSet::new();
        for tip in tips.into_iter().filter(|tip| read.insert(*tip)) {
            if let Some(policy) = read_policy(self.repo, tip)?
                && policy.protect.base.iter().any(|line| names.contains(line))
            {
                return Ok(Some((policy, tip)));
            }
        }
        Ok(None)
    }

    /// No tracking ref and no line of the push leads to a policy.
    fn unseen_side(&self) -> Result<Found, GateError> {
        if let Some(update) = self.updates.iter().find(|update| self.is_absent(update)) {
            return Err(unseen(self.side, &update.text()));
        }
        if let Some(line) = self.repo.local_default()? {
            match self.stand(&line)? {
                Stand::Nowhere => {}
                Stand::Unknown => return Err(unseen(self.side, &line.name)),
                Stand::At(tip) => {
                    return match read_policy(self.repo, tip)? {
                        Some(policy) => self.under(policy, tip),
                        None => Ok(Found::NotUnderReins { line: line.name }),
                    };
                }
            }
        }
        if self.has_seen || self.updates.iter().any(|update| update.old.is_some()) {
            return Err(no_default(self.side));
        }
        self.bootstrap()
    }

    /// Nothing is known of the other side and nothing stands there: the pushed lines come first.
    fn bootstrap(&self) -> Result<Found, GateError> {
        let mut unheld = None;
        for update in self.updates {
            let Some(tip) = self.brings(update)? else {
                continue;
            };
            let Some(policy) = read_policy(self.repo, tip)? else {
                continue;
            };
            if policy.protect.base.contains(&update.line()) {
                let note = Some(format!("no base: bootstrap, {NOTHING_KNOWN}"));
                let lines = self.first_lines(&policy)?;
                return Ok(Found::Under(Box::new(Destination {
                    policy,
                    note,
                    from: tip,
                    lines,
                    upstream: Vec::new(),
                })));
            }
            unheld = unheld.or(policy.protect.base.first().cloned());
        }
        unheld.map_or(Ok(Found::Bootstrap), |line| {
            Err(line_first(self.side, &line))
        })
    }

    /// The protected lines that the push itself brings.
    fn first_lines(&self, policy: &Policy) -> Result<Vec<Known>, GateError> {
        let mut lines = Vec::new();
        for update in self.updates {
            let name = update.text();
            if policy.protect.base.contains(&name) {
                lines.extend(self.brings(update)?.map(|tip| Known {
                    name,
                    tip,
                    witness: Witness::Seen,
                }));
            }
        }
        Ok(lines)
    }

    fn under(&self, policy: Policy, from: CommitId) -> Result<Found, GateError> {
        let lines = self.lines(&policy)?;
        let note = match (&self.asked, self.side) {
            (Side::Elsewhere, _) if lines.iter().any(|line| line.witness == Witness::Local) => {
                Some(format!("{NOTHING_KNOWN}: judged by the local branches"))
            }
            (Side::Elsewhere, Side::Elsewhere) if self.has_seen => {
                Some(format!("the place is no remote of this clone: {BY_ALL}"))
            }
            (Side::Elsewhere, Side::Remote(_)) if self.has_seen => {
                Some(format!("{NOTHING_KNOWN}: {BY_ALL}"))
            }
            (Side::Elsewhere | Side::Remote(_) | Side::Here, _) => None,
        };
        let upstream = self.upstream(&lines)?;
        Ok(Found::Under(Box::new(Destination {
            policy,
            note,
            from,
            lines,
            upstream,
        })))
    }

    fn stand(&self, line: &Line) -> Result<Stand, GateError> {
        let name = self.repo.name_there(&self.asked, line);
        let Some(update) = self.of(&name) else {
            return Ok(Stand::At(line.tip));
        };
        if let Some(tip) = self.told(&name)? {
            return Ok(Stand::At(tip));
        }
        let is_seen = line.is_tracking() || *self.side == Side::Here;
        Ok(match (is_seen, update.old) {
            (true, _) => Stand::At(line.tip),
            (false, None) => Stand::Nowhere,
            (false, Some(_)) => Stand::Unknown,
        })
    }

    fn lines(&self, policy: &Policy) -> Result<Vec<Known>, GateError> {
        let mut lines = Vec::new();
        for name in &policy.protect.base {
            let known = |tip, witness| Known {
                name: name.clone(),
                tip,
                witness,
            };
            if let Some(tip) = self.told(name)? {
                lines.push(known(tip, Witness::Told));
                continue;
            }
            for line in self.repo.lines(&self.asked, name)? {
                if line.is_tracking() || *self.side == Side::Here {
                    lines.push(known(line.tip, Witness::Seen));
                } else if !self.has_seen && self.of(name).is_none() {
                    lines.push(known(line.tip, Witness::Local));
                }
            }
        }
        Ok(lines)
    }

    /// The lines of the same name that `upstream` or `origin` has, where the line of another remote
    /// is an ancestor of them: a fork that is merely behind. Its rules are older rules of theirs, and
    /// what they hold has landed under review there. Remotes of other names excuse nothing, since
    /// anybody's work may stand there, nor do local branches.
    fn upstream(&self, lines: &[Known]) -> Result<Vec<Known>, GateError> {
        let Side::Remote(remote) = &self.asked else {
            return Ok(Vec::new());
        };
        let mut upstream = Vec::new();
        for above in self.repo.before(remote) {
            let above = Side::Remote(above);
            for Known { name, tip, .. } in lines {
                for line in self
                    .repo
                    .lines(&above, name)?
                    .iter()
                    .filter(|line| line.is_tracking())
                {
                    let has_rules = read_policy(self.repo, line.tip)?
                        .is_some_and(|policy| policy.protect.base.contains(name));
                    if has_rules && self.repo.is_ancestor(*tip, line.tip)? {
                        upstream.push(Known {
                            name: name.clone(),
                            tip: line.tip,
                            witness: Witness::Seen,
                        });
                    }
                }
            }
        }
        Ok(upstream)
    }

    fn of(&self, name: &str) -> Option<&Update> {
        self.updates.iter().find(|update| update.text() == name)
    }

    /// What the push says about a line, where this clone holds that commit.
    fn told(&self, name: &str) -> Result<Option<CommitId>, GateError> {
        self.commit(self.of(name).and_then(|update| update.old))
    }

    fn brings(&self, update: &Update) -> Result<Option<CommitId>, GateError> {
        self.commit(update.new)
    }

    fn commit(&self, id: Option<ObjectId>) -> Result<Option<CommitId>, GateError> {
        Ok(
            match id.map(|id| known(self.repo, id)).transpose()?.flatten() {
                Some(Peeled::Commit(tip)) => Some(tip),
                Some(Peeled::Other(_)) | None => None,
            },
        )
    }

    /// Whether the other side names an object that is not in this clone.
    fn is_absent(&self, update: &Update) -> bool {
        update
            .old
            .is_some_and(|old| matches!(known(self.repo, old), Ok(None)))
    }
}

const NOTHING_KNOWN: &str = "nothing on that side is known";
const BY_ALL: &str = "judged by the protected lines of every remote";

fn unseen(side: &Side, name: &str) -> GateError {
    let looked_for = format!(
        "{} stands at a commit that is not in this clone",
        shown(name)
    );
    GateError::NoLine {
        looked_for,
        fix: fetched(side),
    }
}

/// A side without lines takes a protected one first.
fn line_first(side: &Side, line: &str) -> GateError {
    let looked_for = format!(
        "{NOTHING_KNOWN}, and this push does not bring {}, which its policy protects",
        shown(line)
    );
    let fix = format!(
        "push that line first; where it is there already: {}",
        fetched(side)
    );
    GateError::NoLine { looked_for, fix }
}

/// How the lines of a side come into this clone.
fn fetched(side: &Side) -> String {
    match side {
        Side::Remote(name) => format!("git fetch {}", word(name)),
        Side::Elsewhere | Side::Here => "git remote add NAME URL && git fetch NAME".to_owned(),
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

fn no_default(side: &Side) -> GateError {
    let (whose, fix) = match side {
        Side::Remote(name) => (
            format!("the default branch of {name} is not known in this clone"),
            format!("git remote set-head {} --auto", word(name)),
        ),
        Side::Elsewhere | Side::Here => (
            "no local main, master or trunk".to_owned(),
            NAME_THE_RANGE.to_owned(),
        ),
    };
    GateError::NoLine {
        looked_for: whose,
        fix,
    }
}
