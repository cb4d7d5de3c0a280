//! `git reins adjudicate`

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Answer, Context, Failure};
use crate::decide::budget::budget;
use crate::decide::result::{JudgeResult, Reading, Source, read};
use crate::evidence::GateError;
use crate::evidence::range_context::standing_policy;
use crate::exit::ExitStatus;
use crate::foreman::durations;
use crate::git::Repo;
use crate::git::plumbing::GitPlace;
use crate::model::adjudication::Verdict;
use crate::model::path::visible;
use crate::model::reverification::Budget;
use crate::policy::Policy;
use crate::report::{adjudications, json};

mod again;
pub(super) mod find;

use find::{Found, Place};

/// Say what a judge's results amount to: a product failure, the clock, or nothing graded
///
/// Reads the verdicts of GitReins and the records of trials. A DIR is a verdict directory, or one
/// above any number of `<date>/<hash>/verdict.json`; a FILE is a verdict.json.
///
/// Exit 0 when all of them PASS, 3 when something waits (ARTIFACT, UNRESOLVED, TIMEOUT_CONFIRMED, a
/// verdict directory without verdict.json), 1 when one is FAIL, whatever else there is; else 128 when one
/// could not be read, or none was found.
///
/// A verdict that a later one of the same job replaces, when both are read and each names the other,
/// is shown and counted apart: it decides neither the exit code nor the totals.
#[derive(Debug, Args)]
pub struct Adjudicate {
    /// Verdict directories, directories above them, or verdict.json files
    #[arg(required = true, value_name = "DIR|FILE")]
    named: Vec<PathBuf>,
    /// Run tier 1 again for each ARTIFACT, with the raised budget, and write reverify.json beside it
    #[arg(long)]
    reverify: bool,
    /// Print a list of objects, sorted by id
    #[arg(long)]
    pub json: bool,
}

impl Adjudicate {
    /// Adjudicates.
    ///
    /// # Errors
    /// When nothing could be read, or the policy asks for more time than it gives.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let named: Vec<_> = self
            .named
            .iter()
            .map(|path| context.dir.join(path))
            .collect();
        let mut results = Results::read(Found::at(&named));
        if results.all.is_empty() {
            return Err(results.nothing());
        }
        let policy = policy(context)?.unwrap_or_default();
        results.bind(&policy.tier1.command);
        let budget = budget(&policy.tier1, &past(context, &policy)?)?;
        if self.reverify {
            again::reverify(context, &policy.tier1, &budget, &mut results)?;
        }
        Ok(results.answer(&context.dir, &budget, self.json))
    }
}

/// The policy on the protected line; `None` where there is none, or no repository.
fn policy(context: &Context) -> Result<Option<Policy>, Failure> {
    match Repo::open(&context.dir, context.git_dir.as_deref()) {
        Ok(repo) => Ok(standing_policy(&repo)?),
        Err(error) if error.is_nowhere() && context.git_dir.is_none() => Ok(None),
        Err(error) => Err(GateError::from(error).into()),
    }
}

/// How long past runs took that passed, from the history of the worktree.
fn past(context: &Context, policy: &Policy) -> Result<Vec<u64>, Failure> {
    let Ok(place) = GitPlace::find(&context.dir, context.git_dir.as_deref()) else {
        return Ok(Vec::new());
    };
    let Some(worktree) = place.worktree else {
        return Ok(Vec::new());
    };
    let history = worktree.join(policy.paths.history.as_str());
    durations::durations(&history, &policy.tier1.command)
        .map_err(|error| Failure::new(error.to_string()))
}

/// The results that were read, and what was not.
struct Results {
    all: Vec<(Place, JudgeResult)>,
    troubles: Vec<String>,
    notes: Vec<String>,
    unfinished: Vec<String>,
}

impl Results {
    fn read(found: Found) -> Self {
        let Found {
            places,
            troubles,
            notes,
            unfinished,
        } = found;
        let mut results = Self {
            all: Vec::new(),
            troubles,
            notes,
            unfinished,
        };
        for place in places {
            let file = place.file().display().to_string();
            match result(&place) {
                Err(why) => results.troubles.push(format!("{file}: {why}")),
                Ok((Reading::Resolution, _)) => {
                    results
                        .notes
                        .push(format!("{file} is a resolution record, no verdict"));
                }
                Ok((Reading::Result(result), unread)) => {
                    results
                        .notes
                        .extend(unread.map(|why| format!("{file}: {why}")));
                    results.all.push((place, *result));
                }
            }
        }
        results
    }

    /// Takes only those runs into account that are of `command`, and says what is not.
    fn bind(&mut self, command: &[String]) {
        let bound = |(place, result): (Place, JudgeResult)| (place, result.under(command));
        self.all = std::mem::take(&mut self.all)
            .into_iter()
            .map(bound)
            .collect();
        for (place, result) in &self.all {
            self.notes.extend(
                result
                    .warning
                    .iter()
                    .map(|why| format!("{}: {why}", place.file().display())),
            );
        }
    }

    /// That there is nothing to adjudicate.
    fn nothing(&self) -> Failure {
        let unfinished: Vec<_> = self
            .unfinished
            .iter()
            .map(|path| unfinished(path))
            .collect();
        let lines = self.troubles.iter().chain(&unfinished).chain(&self.notes);
        let lines: Vec<_> = lines.map(|line| visible(line)).collect();
        match lines.is_empty() {
            true => Failure::new("there is no <date>/<hash>/verdict.json in what was named"),
            false => Failure::new(lines.join("\n")),
        }
    }

    fn answer(&self, dir: &Path, budget: &Budget, as_json: bool) -> Answer {
        let answer = |(place, result): &(Place, JudgeResult)| {
            let file = place.file();
            let path = file
                .strip_prefix(dir)
                .unwrap_or(&file)
                .display()
                .to_string();
            result.answer(place.id.clone(), path, budget)
        };
        let all: Vec<_> = self.all.iter().map(answer).collect();
        let decides: Vec<_> = self
            .all
            .iter()
            .map(|one| !self.is_superseded(one))
            .collect();
        let stdout = if as_json {
            json::print(&all)
        } else {
            adjudications::adjudications(&all, &decides)
        };
        let mut stderr = String::new();
        self.troubles.iter().for_each(|why| {
            stderr.push_str(&format!("git-reins: cannot adjudicate: {}\n", visible(why)))
        });
        self.notes
            .iter()
            .for_each(|note| stderr.push_str(&format!("note: {}\n", visible(note))));
        let waiting = self
            .unfinished
            .iter()
            .map(|path| visible(&unfinished(path)));
        waiting.for_each(|line| stderr.push_str(&format!("note: {line}\n")));
        let deciding = all
            .iter()
            .zip(decides)
            .filter(|(_, decides)| *decides)
            .map(|(one, _)| one.verdict);
        Answer {
            status: self.status(&deciding.collect::<Vec<_>>()),
            stdout,
            stderr,
        }
    }

    /// Whether another result that was read replaces this one. Both have to name each other and the
    /// same job, and the other one has to be later, so that of two at least one decides.
    fn is_superseded(&self, (place, result): &(Place, JudgeResult)) -> bool {
        let Source::GitReins(old) = &result.source else {
            return false;
        };
        self.all.iter().any(|(by, other)| {
            let Source::GitReins(new) = &other.source else {
                return false;
            };
            old.superseded_by
                .as_ref()
                .is_some_and(|path| by.is_at(path))
                && new
                    .supersedes
                    .as_ref()
                    .is_some_and(|path| place.is_at(path))
                && (old.job_id.is_some() && old.job_id == new.job_id && old.task_id == new.task_id)
                && old.evaluated_at < new.evaluated_at
        })
    }

    /// A failure that was seen stands whatever else could not be read.
    fn status(&self, deciding: &[Verdict]) -> ExitStatus {
        if deciding.contains(&Verdict::Fail) {
            ExitStatus::Refused
        } else if !self.troubles.is_empty() {
            ExitStatus::Undecided
        } else if !self.unfinished.is_empty()
            || deciding.iter().any(|verdict| *verdict != Verdict::Pass)
        {
            ExitStatus::Held
        } else {
            ExitStatus::Done
        }
    }
}

fn unfinished(path: &str) -> String {
    format!("{path} has no verdict.json: unfinished")
}

/// The result at a place, and why the record beside it could not be read.
fn result(place: &Place) -> Result<(Reading, Option<String>), String> {
    let verdict = place.verdict().map_err(|error| error.to_string())?;
    let (reverify, unread) = match place.reverify() {
        Ok(reverify) => (reverify, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let reading = read(&verdict, reverify.as_deref()).map_err(|fault| fault.to_string())?;
    Ok((reading, unread))
}
