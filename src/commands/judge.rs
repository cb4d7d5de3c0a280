//! `git reins judge`

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;

use super::evaluate::{self, Given};
use super::{Answer, Context, Failure, interrupt};
use crate::decide::tool_config::steering;
use crate::exit::ExitStatus;
use crate::judge::fault::TrialError;
use crate::judge::pin::TrialRequest;
use crate::judge::record::{decision, file, keep};
use crate::judge::trial::TrialResult;
use crate::model::decision::VerdictEvidence;
use crate::model::path::{RepoPath, visible};
use crate::model::record;
use crate::model::trial::{TrialReason, TrialVerdict};
use crate::report::{json, text, trials};
use crate::sandbox::run::RunError;
use crate::sys::atomic_dir::DirWrite;
use crate::sys::files::{self, Root};

/// Judge a patch on fresh trees and write one record of it
///
/// Canaries first, then every property on base and on the candidate, freezes last. The patch is the
/// range of HEAD, a range, or a file; a file touches no material.
///
/// Exit 0 when the trial admits, 1 when it rejects or the ledgers disagree, 3 when it holds, 128 when
/// there is no verdict.
#[derive(Debug, Args)]
pub struct Judge {
    /// The patch, or the range [default: HEAD against the protected line]
    #[arg(value_name = "PATCH.diff|BASE..TIP")]
    candidate: Option<String>,
    /// The commit that the patch is judged against [default: the protected line]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The line that the range would land on [default: found by the default branch of the remote]
    #[arg(long, value_name = "REF")]
    line: Option<String>,
    /// Record that the draft channel failed, and why; nothing runs
    #[arg(long, value_name = "REASON")]
    infra: Option<String>,
    /// The image that runs this, <basis>:<value>, or auto
    #[arg(long, value_name = "ID")]
    runner_image: Option<String>,
    /// A file to keep beside the record, such as the transcript of the draft
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Answer as admit does with this trial, which this process has run itself: for CI
    #[arg(long, conflicts_with = "infra")]
    admit: bool,
    /// Print the record, or the decision with --admit
    #[arg(long)]
    pub json: bool,
}

impl Judge {
    /// Judges, and keeps the record.
    ///
    /// # Errors
    /// When there is no verdict.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let repo = context.repo()?;
        let worktree = repo.worktree().ok_or(TrialError::Bare);
        let root = Root::open(worktree?).map_err(TrialError::from)?;
        let beside = self.beside(context)?;
        let given = Given::read(self.candidate.as_deref(), self.base.as_deref(), context)?;
        if given.patch.is_some() && self.admit {
            let message = "a patch file is no commit that could be admitted";
            return Err(Failure {
                status: ExitStatus::Usage,
                ..Failure::new(message)
            });
        }
        let request = TrialRequest {
            patch: given.patch,
            base: given.range.base.as_deref(),
            tip: given.range.tip.as_deref(),
            line: self.line.as_deref(),
            image: self.runner_image.as_deref(),
            is_infra: self.infra.is_some(),
        };
        let interrupt = interrupt()?;
        // the word of this process rests on no file that an earlier one left
        let is_anew = self.admit;
        let runner = context.runner(&repo, &interrupt, is_anew);
        let judged = match runner.judge(&request) {
            Err(TrialError::Checked(refused)) => return Ok(self.unjudged(&refused)),
            judged => judged.map_err(|error| match interrupt.caught() {
                Some(signal) => stopped(signal),
                None => error.into(),
            })?,
        };
        let mut files = beside;
        if request.patch.is_none() {
            files.insert(
                file("decision.json"),
                json::print(&decision(&judged, VerdictEvidence::Itself)?).into_bytes(),
            );
        }
        if let Some(signal) = interrupt.caught() {
            return Err(stopped(signal));
        }
        let kept = keep(&judged, &root, context.today, files)?;
        if self.admit {
            let form = evaluate::Form {
                admitted: "admit",
                as_json: self.json,
            };
            return Ok(evaluate::answer(
                &decision(&judged, VerdictEvidence::Rerun)?,
                form,
            ));
        }
        Ok(self.answer(&judged, kept))
    }

    /// What is kept beside the record.
    fn beside(&self, context: &Context) -> Result<BTreeMap<RepoPath, Vec<u8>>, Failure> {
        let mut files = BTreeMap::new();
        if let Some(path) = &self.transcript {
            let read = files::read_unlinked(&context.dir.join(path));
            let bytes = read.map_err(|error| Failure::new(error.to_string()))?;
            let missing = || {
                Failure::new(format!(
                    "there is no file {}",
                    visible(&path.display().to_string())
                ))
            };
            files.insert(file("transcript"), bytes.ok_or_else(missing)?);
        }
        if let Some(reason) = &self.infra {
            files.insert(
                file("logs/infra.log"),
                format!("{}\n", visible(reason)).into_bytes(),
            );
        }
        Ok(files)
    }

    /// The answer where `check` refuses: its codes, and no trial.
    fn unjudged(&self, refused: &crate::model::decision::Decision) -> Answer {
        let form = evaluate::Form {
            admitted: "agree",
            as_json: self.json,
        };
        let answer = evaluate::answer(refused, form);
        Answer {
            status: ExitStatus::Refused,
            ..answer
        }
        .note("no trial: it would be judged by ledgers that disagree")
    }

    fn answer(&self, judged: &TrialResult, (dir, written_dir): (RepoPath, DirWrite)) -> Answer {
        let status = match judged.trial.verdict {
            TrialVerdict::Admit => ExitStatus::Done,
            TrialVerdict::Hold => ExitStatus::Held,
            TrialVerdict::Reject => ExitStatus::Refused,
        };
        let mut stderr = String::new();
        judged
            .notes
            .iter()
            .for_each(|note| stderr.push_str(&format!("note: {}\n", visible(note))));
        if self.json {
            return Answer {
                status,
                stdout: record::print(&judged.trial),
                stderr,
            };
        }
        let mut stdout = trials::trial(&judged.trial);
        warnings(&mut stdout, judged);
        stdout.push_str(&match written_dir {
            DirWrite::New => format!("\nrecord {dir}\n"),
            DirWrite::Kept => {
                format!("\nrecord {dir}, which is there already and stays as it is\n")
            }
        });
        stdout.push_str("next   git reins reconcile && git reins admit\n");
        Answer {
            status,
            stdout,
            stderr,
        }
    }
}

/// What decides nothing, but should be known.
fn warnings(out: &mut String, judged: &TrialResult) {
    let decision = &judged.decision;
    let mut notes = Vec::new();
    if judged.trial.reasons.contains(&TrialReason::EmptyBlob) {
        notes.push("what is judged has to be committed, or stand in a patch file".to_owned());
    }
    notes.extend(
        decision
            .unscored_miss
            .iter()
            .map(|id| format!("{id} does not score, and missed")),
    );
    let unconfirmed = decision.unconfirmed.iter();
    notes.extend(
        unconfirmed.map(|(id, seed)| format!("{id} seed {seed} is frozen and was stable on base")),
    );
    notes.extend(
        decision
            .weak
            .iter()
            .map(|(id, weakness)| format!("{id} is smoke: {}", weakness.words())),
    );
    let touched = judged.trial.touched.iter().map(RepoPath::as_str);
    notes.extend(steering(&judged.inputs.context.policy, touched));
    if !notes.is_empty() {
        out.push('\n');
    }
    notes
        .iter()
        .for_each(|note| text::fold(out, "note: ", "      ", note));
}

/// The end of a command that somebody asked to stop.
pub(super) fn stopped(signal: i32) -> Failure {
    TrialError::Run(RunError::Interrupted(signal)).into()
}
