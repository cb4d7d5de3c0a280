//! Which lines are protected, which policy judges, and which commits are in the range?

use std::path::Path;

use super::GateError;
use crate::decide::admit::UnreadablePolicy;
use crate::git::Repo;
use crate::git::history::Range;
use crate::git::remotes::Side;
use crate::model::ids::{CommitId, EntryState};
use crate::model::shell::word;
use crate::policy::{POLICY_PATH, Policy, PolicyFault, parse};

/// The range that somebody asks about.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// The base as it was given.
    pub base: Option<&'a str>,
    /// The candidate as it was given; HEAD when it was not.
    pub tip: Option<&'a str>,
}

/// The lines, the policy and the range of a candidate.
#[derive(Clone, Debug)]
pub struct RangeContext {
    /// The policy that judges.
    pub policy: Policy,
    /// The commit that it was read from.
    pub policy_at: CommitId,
    /// The protected tip that the candidate would land on.
    pub landing: CommitId,
    /// The given base and the protected tips that do not contain the candidate.
    pub protected: Vec<CommitId>,
    /// The candidate.
    pub tip: CommitId,
    /// Its range.
    pub range: Range,
}

/// Something that rests on the policy of a line, where the line has one.
#[derive(Clone, Debug)]
pub enum Governed<T> {
    /// The line that the candidate would land on has no policy.
    NoPolicy {
        /// The line.
        line: String,
    },
    /// It has one.
    Under(Box<T>),
}

/// Finds the protected lines, the range and the policy that judges it.
///
/// Which lines are protected is read from the given base, else from the default branch. The
/// policy that judges is the one on the nearest protected tip: never the candidate's, nor that
/// of the older commit where the branch forked.
///
/// # Errors
/// When the repository cannot answer, a policy cannot be read, or no line is known.
pub fn find(repo: &Repo, request: &Request<'_>) -> Result<Governed<RangeContext>, GateError> {
    let tip = match request.tip {
        Some(name) => repo.resolve(name)?,
        None => repo.head()?.ok_or(GateError::Unborn)?,
    };
    let base = request.base.map(|name| repo.resolve(name)).transpose()?;
    let Some((policy, from)) = bootstrap(repo, base)? else {
        let line = default_name(repo)?
            .unwrap_or_else(|| base.map_or_else(String::new, |base| base.to_string()));
        return Ok(Governed::NoPolicy { line });
    };
    let lines = protected_tips(repo, &policy)?;
    if base.is_none() && lines.is_empty() {
        return Err(no_line(&repo.usual_side(), &policy));
    }
    let (range, lines) = range_of(repo, tip, base, lines)?;
    let serving = serving(repo, base, &lines)?;
    let landing = nearest(repo, tip, &serving)?.or(base).unwrap_or(from);
    let mut protected = lines;
    protected.extend(base.filter(|base| !protected.contains(base)));
    let judging = if landing == from {
        Some(policy.clone())
    } else {
        read_policy(repo, landing)?
    };
    // a line without a policy does not unbind a range whose base has one
    let judging = judging
        .map(|policy| (policy, landing))
        .or(base.map(|_| (policy, from)));
    match judging {
        Some((policy, policy_at)) => Ok(Governed::Under(Box::new(RangeContext {
            policy,
            policy_at,
            landing,
            protected,
            tip,
            range,
        }))),
        None => Ok(Governed::NoPolicy {
            line: landing.to_string(),
        }),
    }
}

/// The lines that a candidate could land on: with a base given, those that hold it.
fn serving(
    repo: &Repo,
    base: Option<CommitId>,
    lines: &[CommitId],
) -> Result<Vec<CommitId>, GateError> {
    let Some(base) = base else {
        return Ok(lines.to_vec());
    };
    let mut serving = Vec::new();
    for line in lines {
        if repo.is_ancestor(base, *line)? {
            serving.push(*line);
        }
    }
    Ok(if serving.is_empty() {
        lines.to_vec()
    } else {
        serving
    })
}

/// None of the lines that a policy protects is in this clone.
pub(super) fn no_line(side: &Side, policy: &Policy) -> GateError {
    let names = policy.protect.base.join(", ");
    let names = if names.is_empty() { "nothing" } else { &names };
    let looked_for = format!("protect.base names {names}, not in this clone");
    GateError::NoLine {
        looked_for,
        fix: fetch(side, policy),
    }
}

/// How a missing protected line comes into this clone.
fn fetch(side: &Side, policy: &Policy) -> String {
    let branch = policy
        .protect
        .base
        .iter()
        .find_map(|name| name.strip_prefix("refs/heads/"));
    match (side, branch) {
        (Side::Remote(remote), Some(branch)) => {
            let (remote, branch) = (word(remote), word(branch));
            format!("git fetch {remote} +refs/heads/{branch}:refs/remotes/{remote}/{branch}")
        }
        (Side::Remote(_) | Side::Elsewhere | Side::Here, _) => NAME_THE_RANGE.to_owned(),
    }
}

/// How the default branch of a side comes into a clone that holds another one alone.
pub fn fetch_default(side: &Side) -> String {
    match side {
        Side::Remote(remote) => format!(
            "git fetch {remote} {} && git remote set-head {remote} --auto",
            word(&format!("+refs/heads/*:refs/remotes/{remote}/*")),
            remote = word(remote),
        ),
        Side::Elsewhere | Side::Here => NAME_THE_RANGE.to_owned(),
    }
}

pub(super) const NAME_THE_RANGE: &str = "name the range: git reins check BASE..TIP";

fn default_name(repo: &Repo) -> Result<Option<String>, GateError> {
    Ok(repo.default_branch()?.map(|line| line.name))
}

/// The policy that says which lines are protected, and where it stands.
fn bootstrap(repo: &Repo, base: Option<CommitId>) -> Result<Option<(Policy, CommitId)>, GateError> {
    if let Some(base) = base
        && let Some(policy) = read_policy(repo, base)?
    {
        return Ok(Some((policy, base)));
    }
    let Some(line) = repo.default_branch()? else {
        return match base {
            Some(_) => Ok(None),
            None => Err(GateError::NoLine {
                looked_for: "no remote HEAD and no local main, master or trunk".to_owned(),
                fix: fetch_default(&repo.usual_side()),
            }),
        };
    };
    Ok(read_policy(repo, line.tip)?.map(|policy| (policy, line.tip)))
}

/// The policy on the default branch of the remote, else on the local one, whatever the range;
/// `None` where no line is known or it has no policy.
///
/// # Errors
/// When the repository cannot answer, or the policy cannot be read.
pub fn standing_policy(repo: &Repo) -> Result<Option<Policy>, GateError> {
    let Some(line) = repo.default_branch()? else {
        return Ok(None);
    };
    read_policy(repo, line.tip)
}

/// The tips of the lines that a policy protects, as far as this clone knows them.
///
/// # Errors
/// When a ref cannot be read.
pub fn protected_tips(repo: &Repo, policy: &Policy) -> Result<Vec<CommitId>, GateError> {
    let mut tips = Vec::new();
    for name in &policy.protect.base {
        let line = repo.protected_line(name)?;
        tips.extend(line.map(|line| line.tip).filter(|tip| !tips.contains(tip)));
    }
    Ok(tips)
}

/// The range, and the protected tips that bound it.
///
/// With a base given, the tips that already contain the candidate are left out, so that a landed
/// decision can be computed again.
fn range_of(
    repo: &Repo,
    tip: CommitId,
    base: Option<CommitId>,
    lines: Vec<CommitId>,
) -> Result<(Range, Vec<CommitId>), GateError> {
    let hidden: Vec<_> = lines.iter().copied().chain(base).collect();
    let range = repo.range(tip, &hidden)?;
    if base.is_none() || !range.commits.is_empty() {
        return Ok((range, lines));
    }
    let mut left = Vec::new();
    for line in lines {
        if !repo.contains(line, tip)? {
            left.push(line);
        }
    }
    let hidden: Vec<_> = left.iter().copied().chain(base).collect();
    Ok((repo.range(tip, &hidden)?, left))
}

/// The protected tip with the fewest commits between it and the candidate, then the one that is
/// the fewest commits ahead.
///
/// Of several that are equally near, any does while they hold one policy; otherwise nobody knows
/// which one judges.
pub(super) fn nearest(
    repo: &Repo,
    tip: CommitId,
    lines: &[CommitId],
) -> Result<Option<CommitId>, GateError> {
    if let [only] = lines {
        return Ok(Some(*only));
    }
    let mut distances = Vec::new();
    for line in lines {
        let between = repo.range(tip, &[*line])?.commits.len();
        let ahead = repo.range(*line, &[tip])?.commits.len();
        distances.push(((between, ahead), *line));
    }
    let shortest = distances.iter().map(|(distance, _)| *distance).min();
    let mut tied = distances
        .into_iter()
        .filter(|(distance, _)| Some(*distance) == shortest);
    let Some((_, first)) = tied.next() else {
        return Ok(None);
    };
    let policy = |line: CommitId| -> Result<_, GateError> {
        Ok(repo.entry(repo.commit(line)?.tree, POLICY_PATH)?)
    };
    for (_, other) in tied {
        if policy(other)? != policy(first)? {
            let looked_for = format!(
                "{} and {} are equally near, with two policies",
                first.short(),
                other.short()
            );
            return Err(GateError::NoLine {
                looked_for,
                fix: NAME_THE_RANGE.to_owned(),
            });
        }
    }
    Ok(Some(first))
}

/// The policy in the tree of a commit; `None` when there is none.
///
/// # Errors
/// When it is no regular file, too large, or breaks a rule of its form.
pub fn read_policy(repo: &Repo, commit: CommitId) -> Result<Option<Policy>, GateError> {
    let Some(bytes) = policy_bytes(repo, commit)? else {
        return Ok(None);
    };
    parse(&bytes).map(Some).map_err(|fault| {
        UnreadablePolicy {
            commit,
            fault: Box::new(fault),
        }
        .into()
    })
}

/// The bytes of the policy in the tree of a commit; `None` when there is none.
pub(super) fn policy_bytes(repo: &Repo, commit: CommitId) -> Result<Option<Vec<u8>>, GateError> {
    const CAP: u64 = 1 << 20;
    let fault = |observed: &str, expected: &str| {
        GateError::from(UnreadablePolicy {
            commit,
            fault: Box::new(PolicyFault {
                key: Path::new(POLICY_PATH).display().to_string(),
                line: None,
                observed: observed.to_owned(),
                expected: expected.to_owned(),
            }),
        })
    };
    let tree = repo.commit(commit)?.tree;
    let Some(entry) = repo.entry(tree, POLICY_PATH)? else {
        return Ok(None);
    };
    if entry.mode != EntryState::PLAIN {
        return Err(fault(entry.kind(), "a regular file that is not executable"));
    }
    repo.blob(entry.id, CAP)?
        .map(Some)
        .ok_or_else(|| fault("more than 1 MiB", "at most 1 MiB"))
}
