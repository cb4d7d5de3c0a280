//! How is a fold carried out: planned, committed, and planned again when HEAD moved meanwhile?

use super::find::find;
use super::named::choose;
use super::read::Reader;
use super::rules::Rules;
use super::second::Second;
use super::stat_cache::Seals;
use super::{Ground, VerdictsError, complete};
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
    ground: &Ground<'_>,
    rules: &Rules,
    request: &Request<'_>,
) -> Result<Outcome, VerdictsError> {
    let lock = if request.act == Act::Print {
        None
    } else {
        Some(fold::lock(ground.place)?)
    };
    let mut outcome = settled(ground, rules, request)?;
    drop(lock); // the command may take long, and may fold itself
    if request.act == Act::Commit && outcome.plan.refusals.is_empty() {
        let head = match outcome.commit {
            Some(commit) => Some(commit),
            None => ground.repo.head()?,
        };
        let tree = head
            .map(|head| ground.repo.commit(head))
            .transpose()?
            .map(|commit| commit.tree);
        let common = Root::open(ground.repo.common_dir())?;
        if let (Some(tree), false) = (tree, rules.on_complete.is_empty()) {
            complete::note_held(&common, &outcome.plan.held, ground, tree)?;
        }
        outcome.completed = complete::complete(&common, &rules.on_complete, ground, tree)?;
    }
    Ok(outcome)
}

fn settled(
    ground: &Ground<'_>,
    rules: &Rules,
    request: &Request<'_>,
) -> Result<Outcome, VerdictsError> {
    let mut why = String::new();
    for _ in 0..ATTEMPTS {
        match attempt(ground, rules, request) {
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
    ground: &Ground<'_>,
    rules: &Rules,
    request: &Request<'_>,
) -> Result<Outcome, VerdictsError> {
    let start = fold::ground(ground.place)?;
    let head = start
        .head
        .map(|head| ground.repo.commit(head))
        .transpose()?
        .map(|commit| commit.tree);
    let plan = plan(&facts(ground, rules, request, head)?);
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
        complete::note(&Root::open(ground.repo.common_dir())?, plan, ground)?;
    }
    let files = plan.folds.iter().flat_map(|fold| &fold.files);
    let additions: Vec<_> = files
        .map(|file| Addition {
            path: file.path.clone(),
            size: file.size,
        })
        .collect();
    let mut second = Second::new(ground, &plan.folds)?;
    let mut bytes = |path: &_| second.bytes(path);
    if act == Act::Stage {
        fold::stage(ground.place, &start, &additions, &mut bytes)?;
    } else {
        let made = fold::land(
            ground.place,
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
    ground: &Ground<'_>,
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
        ground,
        scanner: &scanner,
        compact: request.compact,
        is_named,
    };
    let found = find(ground, head)?;
    let git_dir = Root::open(&ground.place.git_dir)?;
    let mut seals = Seals::load(&git_dir);
    let mut facts = Facts {
        history: ground.history.to_string(),
        is_named,
        ..Facts::default()
    };
    if !is_named {
        (facts.missing, facts.clutter) = (found.missing, found.clutter.clone());
        facts.strays = found.strays.clone();
        for seen in found.open(ground, &mut seals) {
            facts.candidates.extend(reader.on_disk(seen, &mut seals)?);
        }
        let _slower = seals.save(&git_dir);
        return Ok(facts);
    }
    let chosen = choose(request.ids, &found, ground, head)?;
    facts.held = chosen.held;
    for seen in chosen.disk {
        match reader.on_disk(seen, &mut seals)? {
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
