//! Runs the canaries in their order, up to the first that does not pass.

use std::collections::BTreeSet;
use std::fmt::Display;

use super::command::Subject;
use super::fault::TrialError;
use super::run::{Executor, RunSpec};
use super::tree_plan::TreePlan;
use super::unrun;
use crate::decide::canary::{self, Miss};
use crate::decide::diff::{Diff, Side};
use crate::decide::outcome::RunVerdict;
use crate::decide::secret::Scanner;
use crate::git::Repo;
use crate::git::apply::{ApplyError, ScratchRepo};
use crate::git::owned::Go;
use crate::model::ids::ObjectId;
use crate::model::path::{RepoPath, visible};
use crate::model::trial::{CheckRun, Class, Outcome, Revision, RunReason};
use crate::policy::{BUILT_IN_CANARIES, Kind, Policy};

/// What the canaries that need no process said.
pub struct Read {
    /// What was read of the patch; none when it was not read.
    pub diff: Option<Diff>,
    /// The whole tree of the candidate; none when the patch does not apply.
    pub root: Option<ObjectId>,
    /// The run of each canary.
    pub runs: Vec<CheckRun>,
}

/// Runs the first three canaries.
///
/// # Errors
/// When git cannot be asked, or a marker of the policy is none.
pub fn read(
    policy: &Policy,
    patch: &[u8],
    scratch_repo: &ScratchRepo,
    base_root: ObjectId,
) -> Result<Read, TrialError> {
    let mut read = Read {
        diff: None,
        root: None,
        runs: Vec::new(),
    };
    match canary::parse_diff(patch) {
        Ok(diff) => read.diff = Some(diff),
        Err(miss) => read.runs.push(missed(&miss)),
    }
    let Some(diff) = &read.diff else {
        return Ok(read);
    };
    read.runs
        .push(passed(BUILT_IN_CANARIES[0], Some(Class::BlobOk)));
    match applied(diff, patch, scratch_repo, base_root)? {
        Ok(root) => read.root = Some(root),
        Err(miss) => {
            read.runs.push(missed(&miss));
            return Ok(read);
        }
    }
    read.runs.push(passed(BUILT_IN_CANARIES[1], None));
    let roots = [Some(base_root), read.root];
    read.runs
        .push(match secrets(policy, diff, &scratch_repo.repo()?, roots)? {
            None => passed(BUILT_IN_CANARIES[2], None),
            Some(miss) => missed(&miss),
        });
    Ok(read)
}

/// The tree that git makes of base with the patch, when it changed what was read and no more.
fn applied(
    diff: &Diff,
    patch: &[u8],
    scratch_repo: &ScratchRepo,
    base_root: ObjectId,
) -> Result<Result<ObjectId, Miss>, TrialError> {
    let root = match scratch_repo.apply(base_root, patch) {
        Ok(root) => root,
        Err(ApplyError::Refused(words)) => {
            return Ok(Err(Miss {
                canary: BUILT_IN_CANARIES[1],
                unsafe_path: false,
                note: words,
            }));
        }
        Err(error) => return Err(error.into()),
    };
    let changed = match changed(&scratch_repo.repo()?, base_root, root)? {
        Ok(changed) => changed,
        Err(path) => {
            let note = format!("git changed {path}, which is no safe path");
            return Ok(Err(Miss {
                canary: BUILT_IN_CANARIES[1],
                unsafe_path: true,
                note,
            }));
        }
    };
    Ok(canary::apply_check(diff, &changed).map(|()| root))
}

/// The paths in which two trees differ; the inner error is one that is not safe.
fn changed(
    repo: &Repo,
    old: ObjectId,
    new: ObjectId,
) -> Result<Result<BTreeSet<RepoPath>, String>, TrialError> {
    let (mut changed, mut odd) = (BTreeSet::new(), None);
    repo.owned(Some(new), &[Some(old)], &mut |step| {
        if !step.is_directory {
            match std::str::from_utf8(step.path)
                .ok()
                .and_then(|path| path.parse().ok())
            {
                Some(path) => drop(changed.insert(path)),
                None => odd = Some(crate::git::plumbing::shown_path(step.path)),
            }
        }
        Go::Enter
    })?;
    Ok(odd.map_or(Ok(changed), Err))
}

/// The first added line that looks like a secret. The text itself is not carried along.
fn secrets(
    policy: &Policy,
    diff: &Diff,
    repo: &Repo,
    roots: [Option<ObjectId>; 2],
) -> Result<Option<Miss>, TrialError> {
    let scanner = Scanner::new(&policy.judge.secret_markers, &policy.judge.secret_allow)?;
    let miss = |place: &dyn Display, text: &[u8]| {
        let finding = scanner.scan(text).into_iter().next()?;
        let note = format!("{place} looks like a secret ({})", finding.marker);
        Some(Miss {
            canary: BUILT_IN_CANARIES[2],
            unsafe_path: false,
            note,
        })
    };
    let mut lines = diff.added();
    let found = lines
        .find_map(|(path, line)| miss(&format_args!("{path} line {}", line.number), &line.text));
    if found.is_some() {
        return Ok(found);
    }
    // one zero byte, or an attribute where the patch was made, is all that a binary change takes
    for change in diff.changes.iter().filter(|change| change.binary) {
        let Some(side) = &change.after else { continue };
        let [before, after] = [(roots[0], &change.before), (roots[1], &change.after)];
        let (before, after) = (bytes(repo, before)?, bytes(repo, after)?);
        let old: BTreeSet<_> = before.split(|byte| *byte == b'\n').collect();
        let new: Vec<_> = after
            .split(|byte| *byte == b'\n')
            .filter(|line| !old.contains(line))
            .collect();
        if let Some(found) = miss(&side.path, &new.join(&b'\n')) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The bytes of one side of a change; none where there is no file.
fn bytes(
    repo: &Repo,
    (root, side): (Option<ObjectId>, &Option<Side>),
) -> Result<Vec<u8>, TrialError> {
    let Some((root, side)) = root.zip(side.as_ref()) else {
        return Ok(Vec::new());
    };
    let Some(entry) = repo.entry(root, side.path.as_str())? else {
        return Ok(Vec::new());
    };
    Ok(repo.blob(entry.id, u64::MAX)?.unwrap_or_default())
}

fn passed(canary: &str, class: Option<Class>) -> CheckRun {
    let verdict = RunVerdict {
        outcome: Outcome::Pass,
        reason: None,
        note: String::new(),
    };
    CheckRun {
        class,
        ..unrun::canary(canary, verdict)
    }
}

fn missed(miss: &Miss) -> CheckRun {
    let verdict = RunVerdict {
        outcome: Outcome::Fail,
        reason: None,
        note: visible(&miss.note),
    };
    unrun::canary(miss.canary, verdict)
}

/// Runs the canaries that are processes: public signatures, then the policy's own.
///
/// # Errors
/// When it is not known how a run ended.
pub fn run(
    executor: &Executor<'_>,
    trees: &TreePlan<'_>,
    runs: &mut Vec<CheckRun>,
) -> Result<(), TrialError> {
    let name = BUILT_IN_CANARIES[3];
    runs.push(match &executor.policy.judge.public_signature {
        None => unrun::canary(
            name,
            RunVerdict {
                outcome: Outcome::NotRun,
                reason: Some(RunReason::NotConfigured),
                note: String::new(),
            },
        ),
        Some(argv) => {
            let before = trees.laid(Revision::Base, None)?;
            let after = trees.laid(Revision::Candidate, None)?;
            executor.compare(argv, [&before, &after], name)?
        }
    });
    for spec in specs(executor, trees)? {
        if unrun::has_missed_canary(runs) {
            return Ok(());
        }
        runs.push(executor.run(&spec)?);
    }
    Ok(())
}

/// The runs of the canaries that the policy declares, in its order.
fn specs<'a>(
    executor: &Executor<'a>,
    trees: &TreePlan<'_>,
) -> Result<Vec<RunSpec<'a>>, TrialError> {
    let mut specs = Vec::new();
    let declared = executor.policy.checks.iter();
    for check in declared.filter(|check| check.kind == Kind::Canary) {
        let budget_s = executor.budgets.of(check)?;
        for seed in &check.seeds {
            specs.push(RunSpec {
                check,
                id: None,
                subject: Subject {
                    property: None,
                    seed,
                },
                revision: Revision::Candidate,
                tree: trees.laid(Revision::Candidate, None)?,
                budget_s,
            });
        }
    }
    Ok(specs)
}
