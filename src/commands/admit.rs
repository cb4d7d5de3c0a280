//! `git reins admit`

use std::path::{Path, PathBuf};

use clap::Args;

use super::adjudicate::find::{Found, Place};
use super::{Answer, Context, Failure, evaluate};
use crate::decide::evaluation::Evaluation;
use crate::decide::score::Scores;
use crate::decide::{admit, article, recorded};
use crate::git::plumbing::GitPlace;
use crate::ledger::article::{ArticleLedgers, read_fixture, read_freezes, read_oracles};
use crate::ledger::file::{LedgerFault, LedgerName};
use crate::ledger::results::{ResultRow, parse_results};
use crate::model::day::Day;
use crate::model::decision::{Decision, Detail};
use crate::model::refusal::Code;
use crate::sys::files;

/// Decide whether a patch is admitted: the ledgers agree and its score stands
///
/// Exit 0 when it is admitted, 1 when it is refused, 3 when it is held for a person or a later
/// trial, 128 when nothing can be decided.
#[derive(Debug, Args)]
pub struct Admit {
    /// The range, or the candidate alone [default: HEAD against the protected line]
    #[arg(value_name = "BASE..TIP")]
    range: Option<String>,
    /// The line that the range would land on [default: found by the default branch of the remote]
    #[arg(long, value_name = "REF")]
    line: Option<String>,
    /// The results, a list of {"property_id", "status", "canary"?}; - reads standard input
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Judge the bare ledgers in DIR by the articles' rules alone, without a repository
    #[arg(
        long,
        value_name = "DIR",
        requires = "results",
        conflicts_with_all = ["range", "line"]
    )]
    ledger: Option<PathBuf>,
    /// Decide as of this day, to compute a past decision again [default: today, UTC]
    #[arg(long, value_name = "YYYY-MM-DD")]
    today: Option<Day>,
    /// Print the decision as JSON
    #[arg(long)]
    pub json: bool,
}

impl Admit {
    /// Decides.
    ///
    /// # Errors
    /// When nothing can be decided.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let today = self.today.unwrap_or(context.today);
        let results = self
            .results
            .as_ref()
            .map(|path| read(&context.dir, path))
            .transpose()?;
        let results = results.map(|bytes| parse_results(&bytes));
        if let (Some(dir), Some(results)) = (&self.ledger, &results) {
            return self.by_article(&context.dir.join(dir), results, today);
        }
        let range = evaluate::Range::parse(self.range.as_deref())?.on(self.line.as_deref());
        let evaluation = evaluate::evaluation(context, &range, today)?;
        let decision = decision(context, &evaluation, results.as_ref())?;
        Ok(evaluate::answer(&decision, self.form()))
    }

    fn form(&self) -> evaluate::Form {
        evaluate::Form {
            admitted: "admit",
            as_json: self.json,
        }
    }

    fn by_article(
        &self,
        dir: &Path,
        results: &Result<Vec<ResultRow>, LedgerFault>,
        today: Day,
    ) -> Result<Answer, Failure> {
        let mut faults = Vec::new();
        let oracles = bare(dir, LedgerName::Oracle, read_oracles, &mut faults)?;
        let fixture = bare(dir, LedgerName::Fixture, read_fixture, &mut faults)?;
        let freezes = bare(dir, LedgerName::Freezes, read_freezes, &mut faults)?;
        let results = results
            .as_ref()
            .map_err(|fault| faults.push(unreadable(Code::ResultsInvalid, "results", fault)));
        let decision = match (oracles, fixture, freezes, results) {
            (Some(oracles), Some(fixture), Some(freezes), Ok(results)) => article::admit(
                &ArticleLedgers {
                    oracles,
                    fixture,
                    freezes,
                },
                results,
                today,
            ),
            _ => article::refuse(faults, today),
        };
        Ok(evaluate::answer(&decision, self.form()))
    }
}

/// What `admit` says, by results that were handed in, else by the recorded trial.
pub(super) fn decision(
    context: &Context,
    evaluation: &Evaluation,
    results: Option<&Result<Vec<ResultRow>, LedgerFault>>,
) -> Result<Decision, Failure> {
    let unfolded = match results {
        None => unfolded(context, evaluation),
        Some(_) => None,
    };
    let scores = match results {
        None => Scores::Recorded(unfolded.as_deref()),
        Some(Ok(rows)) => Scores::Given(rows),
        Some(Err(fault)) => Scores::Unreadable(fault),
    };
    Ok(admit::admit(evaluation, scores)?)
}

/// Where a trial of the candidate lies that is in no commit yet; looked for only when no folded
/// trial counts for a patch.
fn unfolded(context: &Context, evaluation: &Evaluation) -> Option<String> {
    if !evaluation.has_patch() || recorded::is_judged(evaluation) {
        return None;
    }
    let facts = &evaluation.facts;
    let worktree = GitPlace::find(&context.dir, context.git_dir.as_deref())
        .ok()?
        .worktree?;
    let history = worktree.join(facts.policy.paths.history.as_str());
    let is_meant = |place: &Place| {
        let trial = place
            .verdict()
            .ok()
            .and_then(|bytes| recorded::read(&bytes)?.ok());
        trial.is_some_and(|trial| trial.candidate_tree == Some(facts.pins.candidate_tree))
    };
    let found = Found::at(&[history]).places.into_iter().find(is_meant)?;
    let file = found.file();
    let shown = file.strip_prefix(&worktree).unwrap_or(&file);
    Some(shown.display().to_string())
}

/// The file of `--results`; `-` is standard input.
pub(super) fn read(dir: &Path, path: &Path) -> Result<Vec<u8>, Failure> {
    if path == Path::new("-") {
        return files::read_stdin().map_err(|error| Failure::new(error.to_string()));
    }
    let path = dir.join(path);
    let bytes = files::read(&path).map_err(|error| Failure::new(error.to_string()))?;
    bytes.ok_or_else(|| Failure::new(format!("{} does not exist", path.display())))
}

/// One bare ledger; what is wrong with it goes to the faults.
fn bare<T>(
    dir: &Path,
    name: LedgerName,
    reader: fn(&[u8]) -> Result<T, LedgerFault>,
    faults: &mut Vec<Detail>,
) -> Result<Option<T>, Failure> {
    let path = dir.join(name.file_name());
    let bytes = files::read(&path).map_err(|error| Failure::new(error.to_string()))?;
    let Some(bytes) = bytes else {
        let detail =
            Detail::new(Code::LedgerMissing, "absent", name.file_name()).path(name.file_name());
        faults.push(
            detail
                .saw("no such file", "a ledger, if only an empty list")
                .fix(format!("write {}", path.display())),
        );
        return Ok(None);
    };
    Ok(reader(&bytes)
        .map_err(|fault| faults.push(unreadable(Code::LedgerInvalid, name.file_name(), &fault)))
        .ok())
}

fn unreadable(code: Code, file: &str, fault: &LedgerFault) -> Detail {
    let subject = fault.row.clone().unwrap_or_else(|| file.to_owned());
    let mut detail = Detail::new(code, "unreadable", subject).path(file);
    detail.field = fault.field.clone();
    detail
        .saw(fault.observed.clone(), fault.expected.clone())
        .fix(format!("correct {file}"))
}
