//! `git reins recompute`

use std::path::Path;

use clap::Args;
use serde::Serialize;

use super::{Answer, Context, Failure};
use crate::decide::facts::Facts;
use crate::decide::recorded::{self, Difference};
use crate::exit::ExitStatus;
use crate::gate::survey::{Request, Survey, survey};
use crate::gate::{GateError, gather, trials};
use crate::git::Repo;
use crate::model::day::Day;
use crate::model::path::visible;
use crate::model::record::RecordFault;
use crate::model::trial::Trial;
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
    /// Print a list of objects
    #[arg(long)]
    pub json: bool,
}

/// What came of one record.
#[derive(Serialize)]
struct Recomputed {
    schema: &'static str,
    path: String,
    same: bool,
    field: Option<String>,
    recorded: Option<String>,
    derived: Option<String>,
}

impl Recompute {
    /// Derives the verdicts anew.
    ///
    /// # Errors
    /// When there is no record, or its commits cannot be read.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let repo = Repo::open(&context.dir, context.git_dir.as_deref()).map_err(GateError::from)?;
        let file = context.dir.join(&self.what).join("verdict.json");
        let on_disk = files::read(&file).ok().flatten();
        let all = match on_disk {
            Some(bytes) => vec![of_directory(&repo, &file, &bytes, context.today)?],
            None => of_commit(&repo, &self.what, context.today)?,
        };
        if all.is_empty() {
            return Err(Failure::new(format!("{} holds no trial record", visible(&self.what))));
        }
        let status = if all.iter().all(|one| one.same) { ExitStatus::Done } else { ExitStatus::Refused };
        let stdout = if self.json { json::print(&all) } else { all.iter().map(told).collect() };
        Ok(Answer { status, stdout, stderr: String::new() })
    }
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

/// The record in a directory on disk: of HEAD when that is its candidate, else of a patch on its base.
fn of_directory(repo: &Repo, file: &Path, bytes: &[u8], today: Day) -> Result<Recomputed, Failure> {
    let path = file.display().to_string();
    let full = file.parent().and_then(|dir| dir.canonicalize().ok());
    let name = full.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let reading = recorded::read(bytes).ok_or_else(|| Failure::new(format!("{path} is no trial record")))?;
    let name = name.unwrap_or_default();
    let trial = match reading {
        Ok(trial) => trial,
        Err(fault) => return Ok(answer(path, Some(unreadable(fault)))),
    };
    let base = trial.base_rev.to_string();
    let head = facts(repo, &base, "HEAD", today)?;
    let is_head = trial.candidate_tree == Some(head.pins.candidate_tree) || trial.directory_name() != name;
    let facts = if is_head { head } else { facts(repo, &base, &base, today)? };
    Ok(answer(path, difference(&facts, &trial, &name, today)))
}

/// The records that a commit holds and its parents do not; all that it holds when there are none.
fn of_commit(repo: &Repo, commit: &str, today: Day) -> Result<Vec<Recomputed>, Failure> {
    let mut all = Vec::new();
    for (path, bytes) in trials::of_commit(repo, commit)? {
        let Some(reading) = recorded::read(&bytes) else { continue };
        let found = match reading {
            Err(fault) => Some(unreadable(fault)),
            Ok(trial) => {
                let facts = facts(repo, &trial.base_rev.to_string(), commit, today)?;
                difference(&facts, &trial, recorded::directory(&path).unwrap_or_default(), today)
            }
        };
        all.push(answer(path, found));
    }
    Ok(all)
}

fn facts(repo: &Repo, base: &str, tip: &str, today: Day) -> Result<Facts, Failure> {
    match survey(repo, &Request { base: Some(base), tip: Some(tip) })? {
        Survey::Under(ground) => Ok(gather::gather(repo, &ground, today)?),
        Survey::NotUnderReins { line } => Err(Failure::new(format!("{line} has no policy"))),
    }
}

/// The first difference; the name of the directory comes last, since it only says that there is one.
fn difference(facts: &Facts, trial: &Trial, name: &str, today: Day) -> Option<Difference> {
    let started = trial.timing.as_ref().and_then(|timing| timing.started_at.get(..10));
    let day = started.and_then(|day| day.parse().ok()).unwrap_or(today);
    let misnamed = || {
        (trial.directory_name() != name).then(|| Difference {
            field: "(the name of its directory)".to_owned(),
            recorded: name.to_owned(),
            derived: trial.directory_name(),
        })
    };
    recorded::recompute(facts, trial, day).or_else(misnamed)
}

fn unreadable(fault: RecordFault) -> Difference {
    let field = fault.field.unwrap_or_else(|| "(the whole record)".to_owned());
    Difference { field, recorded: fault.observed, derived: fault.expected }
}

fn answer(path: String, difference: Option<Difference>) -> Recomputed {
    let same = difference.is_none();
    let (field, recorded, derived) = match difference {
        Some(one) => (Some(one.field), Some(one.recorded), Some(one.derived)),
        None => (None, None, None),
    };
    Recomputed { schema: "git-reins/recompute/1", path, same, field, recorded, derived }
}
