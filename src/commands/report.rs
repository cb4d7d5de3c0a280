//! `git reins report`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{Answer, Context, Failure, admit, evaluate};
use crate::decide::evaluation::Evaluation;
use crate::decide::facts::Facts;
use crate::evidence::range_context::{Governed, RangeContext};
use crate::evidence::{self, GateError, change};
use crate::exit::ExitStatus;
use crate::git::Repo;
use crate::ledger::file::{HARD_CAP, LedgerName};
use crate::ledger::results::parse_results;
use crate::model::day::Day;
use crate::model::ids::{CommitId, Sha256};
use crate::model::path::RepoPath;
use crate::model::report::{Answered, Pinned, Report as Document};
use crate::model::shell::word;
use crate::policy::POLICY_PATH;
use crate::report::summary::{self, Obstacle, Sources};
use crate::report::{comment, github, gitlab, json, junit, review, sarif};
use crate::sys::files::{FileError, Root};

/// Say for a reviewer what was decided, why, what fixes it, and how to compute it again
///
/// The decision is that of `git reins admit`, and so is the exit code, whatever the format and
/// wherever it is written: 0 admitted, 1 refused, 3 held, 128 nothing can be decided. A report is
/// written in each of these cases; when nothing can be decided it says so and why.
#[derive(Debug, Args)]
pub struct Report {
    /// The range, or the candidate alone [default: HEAD against the protected line]
    #[arg(value_name = "BASE..TIP")]
    range: Option<String>,
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Write the report to FILE, whole or not at all, instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The line that the range would land on [default: found by the default branch of the remote]
    #[arg(long, value_name = "REF")]
    line: Option<String>,
    /// The results, a list of {"property_id", "status", "canary"?}; - reads standard input
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Decide as of this day, to compute a past decision again [default: today, UTC]
    #[arg(long, value_name = "YYYY-MM-DD")]
    today: Option<Day>,
}

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// For programs: git-reins/report/1
    Json,
    /// For a comment on a pull request, of at most 60,000 characters
    Markdown,
    /// Workflow commands: annotations beside the lines of a pull request on GitHub
    Github,
    /// SARIF 2.1.0, for code scanners
    Sarif,
    /// GitLab's code quality
    Gitlab,
    /// JUnit XML
    Junit,
}

impl Report {
    /// Decides and reports.
    ///
    /// # Errors
    /// When the arguments make no sense, or the report cannot be written.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let today = self.today.unwrap_or(context.today);
        let (report, talk) = match self.decided(context, today) {
            Ok(report) => (report, String::new()),
            Err(failure) if failure.status == ExitStatus::Undecided => {
                let talk = failure.answer("decide", false).stderr;
                let obstacle = Obstacle {
                    code: failure.code,
                    message: failure.message,
                    fix: failure.fix,
                };
                (
                    summary::undecided(
                        &obstacle,
                        today,
                        self.recompute(self.range.as_deref(), today),
                    ),
                    talk,
                )
            }
            Err(failure) => return Err(failure),
        };
        let format = if self.json { Format::Json } else { self.format };
        let text = format.written(&report);
        let stdout = match &self.output {
            None => text,
            Some(file) => write(&context.dir.join(file), &text).map(|()| String::new())?,
        };
        Ok(Answer {
            status: status(report.decision),
            stdout,
            stderr: talk,
        })
    }

    /// Whether it answers in JSON.
    pub fn json(&self) -> bool {
        self.json || self.format == Format::Json
    }

    fn decided(&self, context: &Context, today: Day) -> Result<Document, Failure> {
        let range = evaluate::Range::parse(self.range.as_deref())?.on(self.line.as_deref());
        let results = self
            .results
            .as_ref()
            .map(|path| admit::read(&context.dir, path))
            .transpose()?;
        let results = results.map(|bytes| parse_results(&bytes));
        let repo = context.repo()?;
        let evidence = match evidence::collect(&repo, &range.request(), today)? {
            Governed::Under(evidence) => *evidence,
            Governed::NoPolicy { line } => return Err(GateError::NoPolicy { line }.into()),
        };
        let evaluation = Evaluation::of(evidence.facts);
        let decision = admit::decision(context, &evaluation, results.as_ref())?;
        let base = match &range.base {
            Some(name) => repo.resolve(name).map_err(GateError::from)?,
            None => evidence.context.landing,
        };
        let sources = self.sources(&repo, &evidence.context, &evaluation.facts, base)?;
        Ok(summary::report(&evaluation, &decision, sources))
    }

    fn sources(
        &self,
        repo: &Repo,
        context: &RangeContext,
        facts: &Facts,
        base: CommitId,
    ) -> Result<Sources, Failure> {
        let tip = facts.tip.id;
        let tree = repo.commit(tip)?.tree;
        let (mut ledgers, mut files) = (BTreeMap::new(), Vec::new());
        for name in LedgerName::ALL {
            let path = format!("{}/{}", facts.policy.paths.ledger, name.file_name());
            let entry = repo
                .entry(tree, &path)?
                .filter(|entry| entry.is_usual_file());
            let bytes = entry
                .map(|entry| repo.blob(entry.id, HARD_CAP))
                .transpose()?
                .flatten();
            let sha256 = bytes.as_ref().map(|bytes| Sha256::of(bytes).to_string());
            files.push(Pinned {
                path,
                commit: tip,
                sha256,
            });
            ledgers.extend(bytes.and_then(|bytes| Some((name, String::from_utf8(bytes).ok()?))));
        }
        let sha256 = Some(facts.pins.policy_sha256.to_string());
        files.push(Pinned {
            path: POLICY_PATH.to_owned(),
            commit: context.policy_at,
            sha256,
        });
        let recompute = self.recompute(Some(&format!("{base}..{tip}")), facts.today);
        let changes =
            change::over(repo, context, &facts.commits).map_err(|error| error.to_string());
        Ok(Sources {
            ledgers,
            files,
            changes,
            recompute,
        })
    }

    /// The command that computes the decision again, on any clone that has the commits.
    fn recompute(&self, range: Option<&str>, today: Day) -> String {
        let range = range
            .map(|range| format!(" {}", word(range)))
            .unwrap_or_default();
        let line = self
            .line
            .as_ref()
            .map(|line| format!(" --line {}", word(line)));
        let results = self
            .results
            .as_ref()
            .map(|path| format!(" --results {}", word(&path.display().to_string())));
        format!(
            "git reins admit{range}{} --today {today}{}",
            line.unwrap_or_default(),
            results.unwrap_or_default()
        )
    }
}

impl Format {
    fn written(self, report: &Document) -> String {
        match self {
            Self::Text => review::text(report),
            Self::Json => json::print(report),
            Self::Markdown => comment::markdown(report),
            Self::Github => github::commands(report),
            Self::Sarif => sarif::log(report),
            Self::Gitlab => gitlab::issues(report),
            Self::Junit => junit::document(report),
        }
    }
}

fn status(answer: Answered) -> ExitStatus {
    match answer {
        Answered::Admit => ExitStatus::Done,
        Answered::Hold => ExitStatus::Held,
        Answered::Refuse => ExitStatus::Refused,
        Answered::Undecided => ExitStatus::Undecided,
    }
}

/// Puts the report where a person asked for it; no link at its name is followed.
fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let trouble = |error: FileError| Failure::new(format!("the report cannot be written: {error}"));
    let name = file
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let path: RepoPath = name
        .parse()
        .map_err(|error| Failure::new(format!("the report cannot be written: {error}")))?;
    let dir = file
        .parent()
        .filter(|dir| !dir.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    Root::open(dir)
        .and_then(|root| root.replace(&path, text.as_bytes()))
        .map_err(trouble)
}
