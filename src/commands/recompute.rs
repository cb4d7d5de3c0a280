//! `git reins recompute`

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, Context, Failure};
use crate::decide::evaluation::Evaluation;
use crate::decide::fold::VERDICT;
use crate::decide::recorded::{self, Difference};
use crate::evidence::GateError;
use crate::evidence::range_context::{self, Governed, RangeContext, Request};
use crate::evidence::{gather, trials};
use crate::exit::ExitStatus;
use crate::git::Repo;
use crate::model::day::Day;
use crate::model::ids::{CommitId, ObjectId};
use crate::model::path::visible;
use crate::model::record::{self, RecordFault};
use crate::model::trial::Trial;
use crate::policy::path_class::Territory;
use crate::report::json;
use crate::sys::files;

/// Derive the verdict of a trial again, from its record and the committed ledgers
///
/// Shows the first member of the record that says something else than its runs and the ledgers do.
///
/// Exit 0 when everything agrees, 1 when something differs, 128 when it cannot be told.
#[derive(Debug, Args)]
pub struct Recompute {
    /// A verdict directory, or a commit that holds verdicts
    #[arg(value_name = "DIR|COMMIT")]
    what: String,
    /// The line that the range would land on [default: found by the default branch of the remote]
    #[arg(long, value_name = "REF")]
    line: Option<String>,
    /// Print a list of objects
    #[arg(long)]
    pub json: bool,
}

const SCHEMA: &str = "git-reins/recompute/1";

/// What came of one record.
#[derive(Serialize, JsonSchema)]
pub(super) struct Recomputed {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Where the record lies.
    path: String,
    /// Whether everything agrees.
    same: bool,
    /// The first member that differs; null when none does, like the two that follow.
    field: Option<String>,
    /// What it says.
    recorded: Option<String>,
    /// What it has to say.
    derived: Option<String>,
}

impl Recompute {
    /// Derives the verdicts anew.
    ///
    /// # Errors
    /// When there is no record, or its commits cannot be read.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let repo = context.repo()?;
        let asked = Asked {
            repo: &repo,
            line: self.line.as_deref(),
            today: context.today,
        };
        let file = context.dir.join(&self.what).join(VERDICT);
        let on_disk = files::read(&file).ok().flatten();
        let all = match on_disk {
            Some(bytes) => vec![of_directory(&asked, &file, &bytes)?],
            None => of_commit(&asked, &self.what)?,
        };
        if all.is_empty() {
            return Err(Failure::new(format!(
                "{} holds no trial record",
                visible(&self.what)
            )));
        }
        let status = if all.iter().all(|one| one.same) {
            ExitStatus::Done
        } else {
            ExitStatus::Refused
        };
        let stdout = if self.json {
            json::print(&all)
        } else {
            all.iter().map(told).collect()
        };
        Ok(Answer {
            status,
            stdout,
            stderr: String::new(),
        })
    }
}

/// What every record is read with.
struct Asked<'a> {
    repo: &'a Repo,
    line: Option<&'a str>,
    today: Day,
}

fn told(one: &Recomputed) -> String {
    let path = visible(&one.path);
    match (&one.field, &one.recorded, &one.derived) {
        (Some(field), Some(recorded), Some(derived)) => format!(
            "differs: {path}\n  field    {}\n  recorded {}\n  derived  {}\n",
            visible(field),
            visible(recorded),
            visible(derived)
        ),
        _ => format!("same: {path}\n"),
    }
}

/// The record in a directory on disk, of what HEAD holds or has held.
fn of_directory(asked: &Asked<'_>, file: &Path, bytes: &[u8]) -> Result<Recomputed, Failure> {
    let path = file.display().to_string();
    let full = file.parent().and_then(|dir| dir.canonicalize().ok());
    let name = full
        .as_deref()
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy().into_owned());
    let found = difference(asked, bytes, (&name.unwrap_or_default(), "HEAD"))?;
    let found = found.ok_or_else(|| Failure::new(format!("{path} is no trial record")))?;
    Ok(answer(path, found))
}

/// The records that a commit holds and its parents do not; all that it holds when there are none.
fn of_commit(asked: &Asked<'_>, commit: &str) -> Result<Vec<Recomputed>, Failure> {
    let mut all = Vec::new();
    for (path, bytes) in trials::of_commit(asked.repo, commit, asked.line)? {
        let name = recorded::directory(&path).unwrap_or_default();
        let found = difference(asked, &bytes, (name, commit))?;
        all.extend(found.map(|found| answer(path, found)));
    }
    Ok(all)
}

/// What differs in a record, if it is one: nothing when it agrees with a commit that it may be about.
fn difference(
    asked: &Asked<'_>,
    bytes: &[u8],
    (name, tip): (&str, &str),
) -> Result<Option<Option<Difference>>, Failure> {
    let Some(reading) = recorded::read(bytes) else {
        return Ok(None);
    };
    let trial: Trial = match record::parse_shape(bytes) {
        Ok(trial) => trial,
        Err(fault) => return Ok(Some(Some(unreadable(fault)))),
    };
    let fault = reading.err();
    let mut first = None;
    for commit in about(asked, &trial, (name, tip))? {
        let ground = ground(asked, &trial, &commit)?;
        let evaluation = Evaluation::of(gather::gather(asked.repo, &ground, asked.today)?);
        let Some(found) =
            first_difference(&evaluation, &trial, (fault.as_ref(), name), asked.today)
        else {
            return Ok(Some(None));
        };
        first.get_or_insert(found);
    }
    Ok(Some(first))
}

/// The commits, up to a tip, that a record may be about, newest first: those with the code of its
/// candidate; for a patch that no commit holds, those with the code of its base; else the tip.
fn about(
    asked: &Asked<'_>,
    trial: &Trial,
    (name, tip): (&str, &str),
) -> Result<Vec<String>, Failure> {
    let (repo, ground) = (asked.repo, ground(asked, trial, tip)?);
    let territory = Territory::of(&ground.policy);
    let range = repo.range(ground.tip, &[trial.base_rev])?;
    let mut trees = Vec::new();
    for (id, commit) in range.commits.iter().rev() {
        trees.push((*id, repo.code_tree(commit.tree, &territory)?));
    }
    trees.push((trial.base_rev, trial.base_tree));
    let with = |wanted: Option<ObjectId>| -> Vec<String> {
        let is_meant = |(_, tree): &&(CommitId, ObjectId)| Some(*tree) == wanted;
        trees
            .iter()
            .filter(is_meant)
            .map(|(id, _)| id.to_string())
            .collect()
    };
    let candidates = with(trial.candidate_tree);
    if !candidates.is_empty() {
        return Ok(candidates);
    }
    // an edited record may name another candidate than the one that it is about
    let is_edited = trial.candidate_tree.is_some() && trial.directory_name() != name;
    Ok(if is_edited {
        vec![tip.to_owned()]
    } else {
        with(Some(trial.base_tree))
    })
}

fn ground(asked: &Asked<'_>, trial: &Trial, tip: &str) -> Result<Box<RangeContext>, Failure> {
    match range_context::find(
        asked.repo,
        &Request {
            base: Some(&trial.base_rev.to_string()),
            tip: Some(tip),
            line: asked.line,
        },
    )? {
        Governed::Under(ground) => Ok(ground),
        Governed::NoPolicy { line } => Err(GateError::NoPolicy { line }.into()),
    }
}

/// The first difference. What the record contradicts itself in comes after what its runs and the
/// ledgers say, and the name of the directory last, since it only says that there is one.
fn first_difference(
    evaluation: &Evaluation,
    trial: &Trial,
    (fault, name): (Option<&RecordFault>, &str),
    today: Day,
) -> Option<Difference> {
    let started = trial
        .timing
        .as_ref()
        .and_then(|timing| timing.started_at.get(..10));
    let day = started.and_then(|day| day.parse().ok()).unwrap_or(today);
    let misnamed = || {
        (trial.directory_name() != name).then(|| Difference {
            field: "(the name of its directory)".to_owned(),
            recorded: name.to_owned(),
            derived: trial.directory_name(),
        })
    };
    recorded::recompute(evaluation, trial, day)
        .or_else(|| fault.cloned().map(unreadable))
        .or_else(misnamed)
}

fn unreadable(fault: RecordFault) -> Difference {
    let field = fault
        .field
        .unwrap_or_else(|| "(the whole record)".to_owned());
    Difference {
        field,
        recorded: fault.observed,
        derived: fault.expected,
    }
}

fn answer(path: String, difference: Option<Difference>) -> Recomputed {
    let same = difference.is_none();
    let (field, recorded, derived) = match difference {
        Some(one) => (Some(one.field), Some(one.recorded), Some(one.derived)),
        None => (None, None, None),
    };
    Recomputed {
        schema: SCHEMA,
        path,
        same,
        field,
        recorded,
        derived,
    }
}
