//! `git reins replay`

use clap::Args;

use super::evaluate::{self, Given};
use super::judge::stopped;
use super::{Answer, Context, Failure, interrupt};
use crate::exit::ExitStatus;
use crate::judge::fault::TrialError;
use crate::judge::pin::TrialRequest;
use crate::judge::replay::{ReplayRequest, keep};
use crate::model::ids::OracleId;
use crate::model::path::visible;
use crate::model::replay::{OnCandidate, ReplayedSeed, Shows};
use crate::model::{self, record};
use crate::report::replays;
use crate::sys::files::FileError;

/// Run frozen seeds several times on base, and on a candidate when one is named
///
/// Each run is a process of its own on a fresh tree, as in a trial. A seed that is not frozen yet is
/// named with --property and --seed: that is how one gets the evidence for a freeze. A property that
/// has no frozen seed runs with those of its check.
///
/// Nothing is decided. The record is kept in the git directory, below reins/replays, where
/// `git reins freeze add --from-replay` finds it; --json prints it.
///
/// Exit 0 when nothing stands against a seed, 1 when it always fails on base, shows no evidence, or
/// fails on the candidate where no freeze covers it, 3 when a trial would hold it, 128 when it
/// cannot be run.
#[derive(Debug, Args)]
pub struct Replay {
    /// The candidate, a patch or a range [default: base alone, where HEAD left the protected line]
    #[arg(value_name = "PATCH.diff|BASE..TIP")]
    candidate: Option<String>,
    /// The row [default: every frozen one]
    #[arg(long, value_name = "ID")]
    property: Option<OracleId>,
    /// The seed, frozen or not [default: the frozen ones]
    #[arg(
        long,
        value_name = "SEED",
        requires = "property",
        allow_hyphen_values = true
    )]
    seed: Option<String>,
    /// How often each seed runs on each tree, 2 to 100 [default: judge.replays of the policy]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(2..=100))]
    times: Option<u64>,
    /// The commit that the candidate is judged against [default: the protected line]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The image that runs this, <basis>:<value>, or auto
    #[arg(long, value_name = "ID")]
    runner_image: Option<String>,
    /// Print the record
    #[arg(long)]
    pub json: bool,
}

impl Replay {
    /// Replays, and keeps the record.
    ///
    /// # Errors
    /// When nothing can be replayed.
    pub fn run(&self, context: &Context) -> Result<Answer, Failure> {
        let repo = context.repo()?;
        let given = Given::read(self.candidate.as_deref(), self.base.as_deref(), context)?;
        let trial = TrialRequest {
            patch: given.patch,
            base: given.range.base.as_deref(),
            tip: given.range.tip.as_deref(),
            line: None,
            image: self.runner_image.as_deref(),
            is_infra: false,
        };
        let request = ReplayRequest {
            trial,
            has_candidate: self.candidate.is_some(),
            property: self.property.as_ref(),
            seed: self.seed.as_deref(),
            times: self.times,
        };
        let interrupt = interrupt()?;
        let runner = context.runner(&repo, &interrupt, true);
        let replayed = match (runner.replay(&request), interrupt.caught()) {
            (_, Some(signal)) => return Err(stopped(signal)),
            (Err(TrialError::Checked(refused)), None) => {
                let form = evaluate::Form {
                    admitted: "agree",
                    as_json: self.json,
                };
                let answer = evaluate::answer(&refused, form);
                let answer = Answer {
                    status: ExitStatus::Refused,
                    ..answer
                };
                return Ok(answer.note("no replay: nobody knows by which rows"));
            }
            (replayed, None) => replayed?,
        };
        Ok(self.answer(&replayed, keep(repo.common_dir(), &replayed).err()))
    }

    fn answer(&self, replay: &model::replay::Replay, unkept: Option<FileError>) -> Answer {
        let stdout = if self.json {
            record::print(replay)
        } else {
            replays::replay(replay)
        };
        let all: Vec<_> = replay.seeds.iter().map(status).collect();
        let severest = [ExitStatus::Refused, ExitStatus::Held]
            .into_iter()
            .find(|status| all.contains(status));
        let status = severest.unwrap_or(ExitStatus::Done);
        let answer = Answer {
            status,
            stdout,
            stderr: String::new(),
        };
        match unkept {
            Some(error) => answer.note(&format!(
                "the record is not kept: {}",
                visible(&error.to_string())
            )),
            None => answer,
        }
    }
}

/// What a seed does to the answer.
fn status(seed: &ReplayedSeed) -> ExitStatus {
    let on_base = match seed.shows {
        Shows::Unstable | Shows::Passes => None,
        Shows::StableFailure | Shows::NoEvidence => Some(ExitStatus::Refused),
    };
    on_base.unwrap_or(match seed.on_candidate {
        None | Some(OnCandidate::Passes) => ExitStatus::Done,
        Some(OnCandidate::Held) => ExitStatus::Held,
        Some(
            OnCandidate::IllegalFreeze
            | OnCandidate::FrozenRegression
            | OnCandidate::StableFailure
            | OnCandidate::Uncovered,
        ) => ExitStatus::Refused,
    })
}
