//! Finds the protected lines, the policy that judges, and the commits of a range.

use std::path::Path;

use super::GateError;
use crate::decide::admit::UnreadablePolicy;
use crate::decide::facts::LineFacts;
use crate::git::Repo;
use crate::git::history::Range;
use crate::git::object::RawCommit;
use crate::git::refs::Line;
use crate::git::remotes::Side;
use crate::model::ids::{CommitId, EntryState};
use crate::model::path::shown;
use crate::model::shell::word;
use crate::policy::{POLICY_PATH, Policy, PolicyFault, parse};

/// The range that somebody asks about.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// The base as it was given.
    pub base: Option<&'a str>,
    /// The candidate as it was given; HEAD when it was not.
    pub tip: Option<&'a str>,
    /// The line that the candidate would land on, where the operator names it.
    pub line: Option<&'a str>,
}

/// The lines, the policy and the range of a candidate.
#[derive(Clone, Debug)]
pub struct RangeContext {
    /// The policy that judges.
    pub policy: Policy,
    /// The commit that it was read from.
    pub policy_at: CommitId,
    /// The commit that the range is judged against: the tip of the line that the candidate would
    /// land on, or the given base of a range that has landed.
    pub landing: CommitId,
    /// The commits whose ancestors are no part of the range.
    pub protected: Vec<CommitId>,
    /// The candidate.
    pub tip: CommitId,
    /// Its range.
    pub range: Range,
    /// How the line was found, and what the range has to do with other lines.
    pub line: LineFacts,
}

/// Something that rests on the policy of a line, where the line has one.
#[derive(Clone, Debug)]
pub enum Governed<T> {
    /// Neither the line that the candidate would land on nor the candidate has a policy.
    NoPolicy {
        /// The line.
        line: String,
    },
    /// It has one.
    Under(Box<T>),
}

/// A protected line and where it stands.
#[derive(Clone, Debug)]
pub struct Protected {
    /// Its name on its own side, `refs/heads/...`; what the operator wrote, where one named it.
    pub name: String,
    /// The commit.
    pub tip: CommitId,
    /// Whether it is the default branch.
    pub is_default: bool,
    /// Whether only a pattern of the policy names it, so that anybody may have created it.
    pub is_from_pattern: bool,
}

/// Finds the protected lines, the range and the policy that judges it.
///
/// The policy on the default branch says which lines are protected, the one on the line that the
/// candidate would land on judges: never the candidate's, nor that of the older commit where the
/// branch forked. Where no line has a policy yet, the first one that the candidate brings says
/// what is material, and the answer is a hold.
///
/// # Errors
/// When the repository cannot answer, a policy cannot be read, or no line is known.
pub fn find(repo: &Repo, request: &Request<'_>) -> Result<Governed<RangeContext>, GateError> {
    let tip = match request.tip {
        Some(name) => repo.resolve(name)?,
        None => repo.head()?.ok_or(GateError::Unborn)?,
    };
    let base = request.base.map(|name| repo.resolve(name)).transpose()?;
    let lines = match request.line {
        Some(name) => vec![named(repo, name)?],
        None => known_lines(repo)?,
    };
    let line = landing_line(repo, tip, base.is_some(), &lines)?;
    let is_named = request.line.is_some();
    let mut facts = LineFacts {
        name: line.name.clone(),
        is_named,
        is_guessed: !is_named && line.is_from_pattern && !line.is_default,
        ..LineFacts::default()
    };
    let (mut landing, mut protected) = (line.tip, vec![line.tip]);
    if let Some(base) = base {
        if !repo.is_ancestor(base, line.tip)? {
            facts.unlanded_base = Some(base);
        } else if base == tip {
            protected = vec![base];
        } else if repo.range(tip, &[line.tip])?.commits.is_empty() {
            (landing, protected) = (base, vec![base]);
        }
    }
    let range = range_on(repo, tip, &protected, &lines, &mut facts)?;
    let (policy, policy_at) = match read_policy(repo, landing)? {
        Some(policy) => (policy, landing),
        None => match read_policy(repo, tip)? {
            Some(policy) => {
                facts.is_adoption = true;
                (policy, tip)
            }
            None => return Ok(Governed::NoPolicy { line: facts.name }),
        },
    };
    Ok(Governed::Under(Box::new(RangeContext {
        policy,
        policy_at,
        landing,
        protected,
        tip,
        range,
        line: facts,
    })))
}

/// The line that the operator names: a revision, as a rule a tracking ref.
fn named(repo: &Repo, name: &str) -> Result<Protected, GateError> {
    Ok(Protected {
        name: name.to_owned(),
        tip: repo.resolve(name)?,
        is_default: true,
        is_from_pattern: false,
    })
}

/// The lines that the policy on the default branch protects; the default branch alone while it has
/// no policy.
fn known_lines(repo: &Repo) -> Result<Vec<Protected>, GateError> {
    let side = repo.usual_side();
    let default = repo
        .default_branch()?
        .ok_or_else(|| no_default(repo, &side))?;
    let name = repo.name_there(&side, &default);
    let default = Protected {
        name,
        tip: default.tip,
        is_default: true,
        is_from_pattern: false,
    };
    let Some(policy) = read_policy(repo, default.tip)? else {
        return Ok(vec![default]);
    };
    let mut lines: Vec<Protected> = Vec::new();
    for pattern in &policy.protect.base {
        for line in repo.lines_of(&side, pattern)? {
            add_line(&mut lines, &default.name, pattern, line);
        }
    }
    if lines.is_empty() {
        return Err(no_line(&side, &policy));
    }
    Ok(lines)
}

/// Adds a line that an entry of `protect.base` means; a name counts more than a pattern.
pub(super) fn add_line(lines: &mut Vec<Protected>, default: &str, pattern: &str, line: Line) {
    let is_from_pattern = pattern.contains('*');
    match lines.iter_mut().find(|known| known.name == line.name) {
        Some(known) => known.is_from_pattern &= is_from_pattern,
        None => lines.push(Protected {
            is_default: line.name == default,
            name: line.name,
            tip: line.tip,
            is_from_pattern,
        }),
    }
}

/// The line that a candidate would land on: the nearest. One that holds the candidate already is
/// none while another does not, unless a base is given and the range may have landed there.
fn landing_line<'l>(
    repo: &Repo,
    tip: CommitId,
    has_base: bool,
    lines: &'l [Protected],
) -> Result<&'l Protected, GateError> {
    let mut open = Vec::new();
    for line in lines {
        if has_base || lines.len() == 1 || !repo.contains(line.tip, tip)? {
            open.push(line);
        }
    }
    if open.is_empty() {
        open.extend(lines);
    }
    nearest(repo, tip, &open)
}

/// The line with the fewest commits between it and the candidate. Of several, the default branch,
/// else the one that contains the others.
///
/// # Errors
/// When none of them contains the others, or an object is absent.
pub(super) fn nearest<'l>(
    repo: &Repo,
    tip: CommitId,
    lines: &[&'l Protected],
) -> Result<&'l Protected, GateError> {
    if let [only] = lines {
        return Ok(only);
    }
    let mut distances = Vec::new();
    for line in lines {
        distances.push((repo.range(tip, &[line.tip])?.commits.len(), *line));
    }
    let shortest = distances.iter().map(|(distance, _)| *distance).min();
    distances.retain(|(distance, _)| Some(*distance) == shortest);
    let tied: Vec<_> = distances.into_iter().map(|(_, line)| line).collect();
    if let Some(line) = tied.iter().find(|line| line.is_default) {
        return Ok(line);
    }
    for line in &tied {
        if contains_all(repo, line, &tied)? {
            return Ok(line);
        }
    }
    let names: Vec<_> = tied.iter().map(|line| shown(&line.name)).collect();
    Err(GateError::NoLine {
        looked_for: format!("{} are equally near", names.join(" and ")),
        fix: NAME_THE_LINE.to_owned(),
    })
}

fn contains_all(repo: &Repo, line: &Protected, others: &[&Protected]) -> Result<bool, GateError> {
    for other in others {
        if !repo.is_ancestor(other.tip, line.tip)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The range above the hidden commits. What a merge of another line's tip brought is left out and
/// noted; what such a line holds otherwise stays in.
pub(super) fn range_on(
    repo: &Repo,
    tip: CommitId,
    hidden: &[CommitId],
    lines: &[Protected],
    facts: &mut LineFacts,
) -> Result<Range, GateError> {
    let mut range = repo.range(tip, hidden)?;
    let mut all = hidden.to_vec();
    for line in lines.iter().filter(|line| line.tip != tip) {
        let is_open = range.commits.iter().any(|(id, _)| *id == line.tip);
        let is_merge = |(_, commit): &&(CommitId, RawCommit)| {
            commit.parents.len() > 1 && commit.parents.contains(&line.tip)
        };
        if is_open && let Some((merge, _)) = range.commits.iter().find(is_merge) {
            facts.merged.push((line.name.clone(), *merge));
            all.push(line.tip);
        }
    }
    if all.len() > hidden.len() {
        range.commits = repo.range(tip, &all)?.commits;
    }
    Ok(range)
}

/// None of the lines that a policy protects is in this clone.
pub(super) fn no_line(side: &Side, policy: &Policy) -> GateError {
    let names = policy.protect.base.join(", ");
    let looked_for = match names.as_str() {
        "" => "protect.base of the policy on the default branch names none".to_owned(),
        _ => format!("protect.base names {names}, not in this clone"),
    };
    let fix = match side {
        Side::Remote(remote) if !names.is_empty() => {
            let refspec = format!("+refs/heads/*:refs/remotes/{remote}/*");
            format!("git fetch {} {}", word(remote), word(&refspec))
        }
        Side::Remote(_) | Side::Elsewhere | Side::Here => NAME_THE_LINE.to_owned(),
    };
    GateError::NoLine { looked_for, fix }
}

/// The default branch of a side is not known.
pub(super) fn no_default(repo: &Repo, side: &Side) -> GateError {
    let looked_for = match side {
        Side::Remote(remote) => format!(
            "refs/remotes/{} does not say which branch is the default",
            shown(&format!("{remote}/HEAD"))
        ),
        Side::Elsewhere => "this clone has several remotes, and none of them is meant".to_owned(),
        Side::Here => "there is not exactly one of the branches main, master and trunk".to_owned(),
    };
    GateError::NoLine {
        looked_for,
        fix: fetch_default(repo, side),
    }
}

/// How this clone learns which branch is the default; one of a single branch fetches the others.
pub fn fetch_default(repo: &Repo, side: &Side) -> String {
    let has_one = repo
        .lines_of(side, "refs/heads/**")
        .is_ok_and(|lines| lines.len() < 2);
    match side {
        Side::Remote(remote) if has_one => format!(
            "git fetch {} {} && git remote set-head {0} --auto",
            word(remote),
            word(&format!("+refs/heads/*:refs/remotes/{remote}/*")),
        ),
        Side::Remote(remote) => format!("git remote set-head {} --auto", word(remote)),
        Side::Elsewhere | Side::Here => NAME_THE_LINE.to_owned(),
    }
}

pub(super) const NAME_THE_LINE: &str = "name the line: git reins check --line REF";

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
    for pattern in &policy.protect.base {
        for line in repo.lines_of(&repo.usual_side(), pattern)? {
            tips.push(line.tip);
        }
    }
    tips.sort_unstable();
    tips.dedup();
    Ok(tips)
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
