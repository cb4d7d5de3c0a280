//! Shared by the commands that judge: the range, the evaluation, the answer.

use std::sync::Arc;

use super::{Answer, Context, Failure};
use crate::decide::evaluation::Evaluation;
use crate::decide::facts::{Material, Reading};
use crate::evidence::range_context::{Governed, Request};
use crate::evidence::{self, GateError};
use crate::exit::ExitStatus;
use crate::ledger::file::LedgerName;
use crate::model::day::Day;
use crate::model::decision::{Decision, Outcome};
use crate::model::path::visible;
use crate::model::refusal::Code;
use crate::report::{json, text};
use crate::sys::files;

/// A range as it is written on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The base.
    pub base: Option<String>,
    /// The candidate.
    pub tip: Option<String>,
    /// The line that the operator names.
    pub line: Option<String>,
}

impl Range {
    /// The same range, on the line that the operator names.
    pub fn on(self, line: Option<&str>) -> Self {
        Self {
            line: line.map(str::to_owned),
            ..self
        }
    }

    /// Reads `TIP`, `BASE..TIP`, `BASE..` or nothing; an empty side means HEAD, as in git.
    ///
    /// # Errors
    /// When it is a symmetric difference, which is no range to land.
    pub fn parse(given: Option<&str>) -> Result<Self, Failure> {
        let Some(given) = given else {
            return Ok(Self::default());
        };
        if given.contains("...") {
            let message = format!("{given:?} is a symmetric difference, no range");
            let fix = Some("write BASE..TIP with two dots".to_owned());
            return Err(Failure {
                fix,
                status: ExitStatus::Usage,
                ..Failure::new(message)
            });
        }
        let side = |name: &str| {
            if name.is_empty() {
                "HEAD".to_owned()
            } else {
                name.to_owned()
            }
        };
        Ok(match given.split_once("..") {
            Some((base, tip)) => Self {
                base: Some(side(base)),
                tip: Some(side(tip)),
                line: None,
            },
            None => Self {
                base: None,
                tip: Some(side(given)),
                line: None,
            },
        })
    }

    /// The range to find.
    pub fn request(&self) -> Request<'_> {
        Request {
            base: self.base.as_deref(),
            tip: self.tip.as_deref(),
            line: self.line.as_deref(),
        }
    }
}

/// What is judged, as it is named on the command line: a patch file or a range, and a base.
#[derive(Clone, Debug)]
pub struct Given {
    /// The bytes of a patch file, when one is meant.
    pub patch: Option<Vec<u8>>,
    /// The range, else only the base.
    pub range: Range,
}

impl Given {
    /// Reads the candidate, and the base that an option names.
    ///
    /// # Errors
    /// When a patch file cannot be read, it is no range, or both name a base.
    pub fn read(
        candidate: Option<&str>,
        base: Option<&str>,
        context: &Context,
    ) -> Result<Self, Failure> {
        let patch = patch(candidate, context)?;
        let mut range = Range::parse(candidate.filter(|_| patch.is_none()))?;
        if range.base.is_some() && base.is_some() {
            let message = "--base and a range both name a base";
            return Err(Failure {
                status: ExitStatus::Usage,
                ..Failure::new(message)
            });
        }
        range.base = range.base.or(base.map(str::to_owned));
        Ok(Self { patch, range })
    }
}

/// The bytes of a patch, when a file is meant: a name that ends like one, or that is there and is
/// no range.
///
/// # Errors
/// When a file is meant and cannot be read.
fn patch(candidate: Option<&str>, context: &Context) -> Result<Option<Vec<u8>>, Failure> {
    let Some(name) = candidate else {
        return Ok(None);
    };
    let is_named = [".diff", ".patch"]
        .iter()
        .any(|ending| name.ends_with(ending));
    if !is_named && (name.contains("..") || !name.contains(['/', '.'])) {
        return Ok(None);
    }
    match files::read_unlinked(&context.dir.join(name)) {
        Ok(Some(bytes)) => Ok(Some(bytes)),
        Ok(None) if is_named => Err(Failure::new(format!("there is no file {}", visible(name)))),
        Ok(None) => Ok(None),
        Err(error) => Err(Failure::new(error.to_string())),
    }
}

/// How an answer is written.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The word for an answer without findings.
    pub admitted: &'static str,
    /// JSON instead of text.
    pub as_json: bool,
}

/// Opens the repository, gathers the facts of the range and evaluates them.
///
/// # Errors
/// When the repository cannot answer.
pub fn evaluation(context: &Context, range: &Range, today: Day) -> Result<Evaluation, Failure> {
    let repo = context.repo()?;
    match evidence::collect(&repo, &range.request(), today)? {
        Governed::Under(evidence) => Ok(Evaluation::of(evidence.facts)),
        Governed::NoPolicy { line } => Err(GateError::NoPolicy { line }.into()),
    }
}

/// The material at HEAD of a bare repository; `None` where there is a worktree to read instead.
///
/// # Errors
/// When the repository cannot answer, or has no policy at HEAD.
pub fn bare(context: &Context) -> Result<Option<Arc<Material>>, Failure> {
    let repo = context.repo()?;
    if repo.worktree().is_some() {
        return Ok(None);
    }
    let no_policy = || Failure::new("there is no policy at HEAD: it is not under reins");
    evidence::at_head(&repo)?.ok_or_else(no_policy).map(Some)
}

/// The rows of a ledger that was read from a commit.
///
/// # Errors
/// When it is missing or cannot be read.
pub fn rows<L>(reading: &Reading<L>, name: LedgerName) -> Result<&L, Failure> {
    match reading {
        Reading::Valid(ledger) => Ok(ledger),
        Reading::Missing => Err(Failure::refused(
            format!("{} is missing at HEAD", name.file_name()),
            Some(Code::LedgerMissing),
            None,
        )),
        Reading::Invalid(fault) => Err(Failure::refused(
            format!("{}: {fault}", name.file_name()),
            Some(Code::LedgerInvalid),
            None,
        )),
    }
}

/// A decision as an answer.
pub fn answer(decision: &Decision, form: Form) -> Answer {
    let status = match decision.decision {
        Outcome::Admit => ExitStatus::Done,
        Outcome::Hold => ExitStatus::Held,
        Outcome::Refuse => ExitStatus::Refused,
    };
    let stdout = if form.as_json {
        json::print(decision)
    } else {
        text::decision(decision, form.admitted)
    };
    Answer {
        status,
        stdout,
        stderr: String::new(),
    }
}
