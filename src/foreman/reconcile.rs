//! Plans a fold and commits it, and plans it again when HEAD has moved meanwhile.

use super::find::find;
use super::named::choose;
use super::read::Reader;
use super::recheck::Recheck;
use super::rules::Rules;
use super::stat_cache::StatCache;
use super::{VerdictStore, VerdictsError, complete};
use crate::decide::fold::{Facts, Plan, plan};
use crate::decide::secret::Scanner;
use crate::git::GitError;
use crate::git::fold::{self, Addition, FoldError};
use crate::model::ids::{CommitId, ObjectId};
use crate::sys::files::{FileError, Root};

/// A fold that lost this many races waits for a calmer moment.
const ATTEMPTS: usize = 8;

/// What somebody asks for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Names of verdicts; all unfolded ones when there is none.
    pub ids: &'a [String],
    /// Whether logs and patches stay out.
    pub compact: bool,
    /// What becomes of the plan.
    pub act: Act,
}

/// What becomes of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// It is printed.
    Print,
    /// Its files are staged for the next commit.
    Stage,
    /// It is committed.
    Commit,
}

/// What was done.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The plan; with refusals, nothing was done.
    pub plan: Plan,
    /// The commit, when one was made.
    pub commit: Option<CommitId>,
    /// The ref that it stands on; `None` for a detached HEAD.
    pub branch: Option<String>,
    /// The commands that were run for completed tasks.
    pub completed: Vec<complete::Completion>,
}

/// Finds, plans, acts, and runs the foreman's command for tasks that are complete.
///
/// # Errors
/// When something cannot be read, a lock is held, or HEAD keeps moving.
pub fn reconcile(
    verdicts: &VerdictStore<'_>,
    rules: &Rules,
    request: &Request<'_>,
) -> Result<Outcome, VerdictsError> {
    let lock = if request.act == Act::Print {
        None
    } else {
        Some(fold::lock(verdicts.place)?)
    };
    let mut outcome = settled(verdicts, rules, request)?;
    drop(lock); // the command may take long, and may fold itself
    if request.act == Act::Commit && outcome.plan.refusals.is_empty() {
        let head = match outcome.commit {
            Some(commit) => Some(commit),
            None => verdicts.repo.head()?,
        };
        let tree = head
            .map(|head| verdicts.repo.commit(head))
            .transpose()?
            .map(|commit| commit.tree);
        let common = Root::open(verdicts.repo.common_dir())?;
        if let (Some(tree), false) = (tree, rules.on_complete.is_empty()) {
            complete::note_held(&common, &outcome.plan.held, verdicts, tree)?;
        }
        outcome.completed = complete::complete(&common, &rules.on_complete, verdicts, tree)?;
    }
    Ok(outcome)
}

fn settled(
    verdicts: &VerdictStore<'_>,
    rules: &Rules,
    request: &Request<'_>,
) -> Result<Outcome, VerdictsError> {
    let mut why = String::new();
    for _ in 0..ATTEMPTS {
        match attempt(verdicts, rules, request) {
            Err(
                error @ (VerdictsError::Fold(
                    FoldError::Moved | FoldError::File(FileError::Changed { .. }),
                )
                | VerdictsError::File(FileError::Changed { .. })),
            ) => why = error.to_string(),
            done => return done,
        }
    }
    Err(VerdictsError::Busy(why, ATTEMPTS))
}

fn attempt(
    verdicts: &VerdictStore<'_>,
    rules: &Rules,
    request: &Request<'_>,
) -> Result<Outcome, VerdictsError> {
    let start = fold::head_state(verdicts.place)?;
    let head = start
        .head
        .map(|head| verdicts.repo.commit(head))
        .transpose()?
        .map(|commit| commit.tree);
    let plan = plan(&facts(verdicts, rules, request, head)?);
    let mut outcome = Outcome {
        plan,
        commit: None,
        branch: start.branch.clone(),
        completed: Vec::new(),
    };
    let (plan, act) = (&outcome.plan, request.act);
    if plan.folds.is_empty() || act == Act::Print {
        return Ok(outcome);
    }
    if !rules.on_complete.is_empty() {
        complete::note(&Root::open(verdicts.repo.common_dir())?, plan, verdicts)?;
    }
    let files = plan.folds.iter().flat_map(|fold| &fold.files);
    let additions: Vec<_> = files
        .map(|file| Addition {
            path: file.path.clone(),
            size: file.size,
        })
        .collect();
    let mut recheck = Recheck::new(verdicts, &plan.folds)?;
    let mut bytes = |path: &_| recheck.bytes(path);
    if act == Act::Stage {
        fold::stage(verdicts.place, &start, &additions, &mut bytes)?;
    } else {
        let made = fold::land(
            verdicts.place,
            &start,
            &additions,
            &mut bytes,
            &plan.message(),
        )?;
        outcome.commit = Some(made);
    }
    Ok(outcome)
}

/// What is known about the directories that were asked for.
fn facts(
    verdicts: &VerdictStore<'_>,
    rules: &Rules,
    request: &Request<'_>,
    head: Option<ObjectId>,
) -> Result<Facts, VerdictsError> {
    let judge = &rules.policy.judge;
    let scanner = Scanner::new(&judge.secret_markers, &judge.secret_allow);
    let scanner = scanner.map_err(|bad| GitError::Other {
        what: "the policy".to_owned(),
        why: bad.to_string(),
    })?;
    let is_named = !request.ids.is_empty();
    let reader = Reader {
        verdicts,
        scanner: &scanner,
        compact: request.compact,
        is_named,
    };
    let found = find(verdicts, head)?;
    let git_dir = Root::open(&verdicts.place.git_dir)?;
    let mut cache = StatCache::load(&git_dir);
    let mut facts = Facts {
        history: verdicts.history.to_string(),
        is_named,
        ..Facts::default()
    };
    if !is_named {
        (facts.missing, facts.clutter) = (found.missing, found.clutter.clone());
        facts.strays = found.strays.clone();
        for seen in found.open(verdicts, &mut cache) {
            facts.candidates.extend(reader.on_disk(seen, &mut cache)?);
        }
        let _slower = cache.save(&git_dir);
        return Ok(facts);
    }
    let chosen = choose(request.ids, &found, verdicts, head)?;
    facts.held = chosen.held;
    for seen in chosen.disk {
        match reader.on_disk(seen, &mut cache)? {
            Some(candidate) => facts.candidates.push(candidate),
            None => facts.held.push(seen.dir.clone()),
        }
    }
    for (dir, name, tree, held) in chosen.refs {
        match reader.in_ref(&dir, (name, tree), held)? {
            Some(candidate) => facts.candidates.push(candidate),
            None => facts.held.push(dir),
        }
    }
    facts
        .candidates
        .sort_by(|one, other| one.dir.cmp(&other.dir));
    Ok(facts)
}
