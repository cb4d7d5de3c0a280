//! Reads what is judged, and by what, once and before anything runs.

use std::collections::BTreeMap;

use super::fault::TrialError;
use super::image;
use crate::decide::admit;
use crate::decide::diff::is_blank;
use crate::decide::evaluation::Evaluation;
use crate::decide::trial::Draft;
use crate::decide::trial_key::Bound;
use crate::evidence::range_context::{self, Governed, RangeContext, Request};
use crate::evidence::{Evidence, GateError, collect};
use crate::git::Repo;
use crate::git::apply::{Entries, ScratchRepo};
use crate::git::owned::Go;
use crate::model::day::Day;
use crate::model::decision::Outcome;
use crate::model::ids::{CommitId, ObjectId};
use crate::model::refusal::Code;
use crate::model::trial::{Epoch, Image};
use crate::policy::path_class::Territory;

/// What is to be judged.
#[derive(Clone, Debug, Default)]
pub struct TrialRequest<'a> {
    /// The bytes of a patch, instead of a range.
    pub patch: Option<Vec<u8>>,
    /// The base as it was given.
    pub base: Option<&'a str>,
    /// The candidate as it was given; HEAD when it was not.
    pub tip: Option<&'a str>,
    /// The line that the operator names.
    pub line: Option<&'a str>,
    /// The runner image as it was given.
    pub image: Option<&'a str>,
    /// Whether the draft channel failed.
    pub is_infra: bool,
}

/// Everything that a trial is judged by.
#[derive(Debug)]
pub struct TrialInputs {
    /// Lines, policy, range.
    pub context: RangeContext,
    /// The facts of the range, evaluated.
    pub evaluation: Evaluation,
    /// The base commit.
    pub base: CommitId,
    /// Its whole tree.
    pub base_root: ObjectId,
    /// Its code tree.
    pub base_tree: ObjectId,
    /// The digests that bind the record.
    pub bound: Bound,
    /// The fixture epoch.
    pub epoch: Epoch,
    /// The image of this machine.
    pub image: Image,
    /// What was handed in, in the words of a trial.
    pub draft: Draft,
    /// The candidate.
    pub candidate: Candidate,
}

/// The candidate.
#[derive(Clone, Debug)]
pub enum Candidate {
    /// The bytes of a patch; none when the draft channel brought none.
    Patch(Vec<u8>),
    /// A range: where it changes something that is no material.
    Range(Entries),
}

impl Candidate {
    /// Whether nothing is changed.
    fn is_blank(&self) -> bool {
        match self {
            Self::Patch(bytes) => is_blank(bytes),
            Self::Range(changes) => changes.is_empty(),
        }
    }

    /// The bytes of the patch: those that were handed in, or the difference that the range makes
    /// to base, without its material and in one form.
    ///
    /// # Errors
    /// When git cannot make the difference.
    pub fn bytes(
        &self,
        scratch_repo: &ScratchRepo,
        base_root: ObjectId,
    ) -> Result<Vec<u8>, TrialError> {
        Ok(match self {
            Self::Patch(bytes) => bytes.clone(),
            Self::Range(changes) => {
                scratch_repo.diff(base_root, scratch_repo.compose(base_root, changes)?)?
            }
        })
    }
}

/// Pins a trial. A range that `check` refuses is not judged: its ledgers contradict each other.
///
/// # Errors
/// When the repository cannot answer, or something refuses before anything runs.
pub fn pin(repo: &Repo, request: &TrialRequest<'_>, today: Day) -> Result<TrialInputs, TrialError> {
    let Evidence { context, facts } = match request.patch {
        Some(_) => beside_patch(repo, (request.base, request.line), today)?,
        None => evidence(
            repo,
            &Request {
                base: request.base,
                tip: request.tip,
                line: request.line,
            },
            today,
        )?,
    };
    let evaluation = Evaluation::of(facts);
    let check = admit::check(&evaluation).map_err(GateError::from)?;
    if check.decision == Outcome::Refuse || context.line.is_adoption {
        return Err(TrialError::Checked(Box::new(check)));
    }
    let bound = Bound::of(&evaluation);
    let base = evaluation.facts.bases.first().map(|base| base.id);
    let (Some(base), Some(base_tree)) = (base, bound.base_tree) else {
        return Err(TrialError::Checked(Box::new(check)));
    };
    let base_root = repo.commit(base)?.tree;
    let candidate = match &request.patch {
        Some(bytes) => Candidate::Patch(bytes.clone()),
        None => Candidate::Range(changes(repo, &context, base_root)?),
    };
    let draft = match (request.is_infra, candidate.is_blank()) {
        (true, _) => Draft::Infra,
        (false, true) => Draft::Blank,
        (false, false) => Draft::Patch,
    };
    let epoch = bound.epoch.clone().ok_or_else(no_epoch)?;
    let image = image::of_machine(request.image)?;
    if draft == Draft::Patch {
        image::expect(&image, &bound.image_id)?;
    }
    Ok(TrialInputs {
        base,
        base_root,
        base_tree,
        bound,
        epoch,
        image,
        draft,
        candidate,
        context,
        evaluation,
    })
}

fn no_epoch() -> TrialError {
    TrialError::Refused {
        code: Code::LedgerMissing,
        message: "there is no fixture ledger, and so no epoch to judge in".to_owned(),
        fix: "git reins fixture pin --epoch ID --runner-image auto && git reins fixture commit"
            .to_owned(),
    }
}

fn evidence(repo: &Repo, range: &Request<'_>, today: Day) -> Result<Evidence, TrialError> {
    match collect(repo, range, today)? {
        Governed::Under(evidence) => Ok(*evidence),
        Governed::NoPolicy { line } => Err(GateError::NoPolicy { line }.into()),
    }
}

/// The material for a patch that no commit has: that of HEAD when HEAD only adds material to base,
/// else that of base.
fn beside_patch(
    repo: &Repo,
    (base, line): (Option<&str>, Option<&str>),
    today: Day,
) -> Result<Evidence, TrialError> {
    let request = Request {
        line,
        ..Request::default()
    };
    let base = match base {
        Some(name) => repo.resolve(name)?,
        None => match range_context::find(repo, &request)? {
            Governed::Under(ground) => ground.landing,
            Governed::NoPolicy { line } => return Err(GateError::NoPolicy { line }.into()),
        },
    };
    let name = base.to_string();
    if repo.head()?.is_some() {
        let ahead = evidence(
            repo,
            &Request {
                base: Some(&name),
                ..request
            },
            today,
        )?;
        let is_above = ahead.context.range.bases == [base];
        if is_above && !ahead.facts.has_patch() {
            return Ok(ahead);
        }
    }
    evidence(
        repo,
        &Request {
            base: Some(&name),
            tip: Some(&name),
            line,
        },
        today,
    )
}

/// Where the tip of a range differs from base in what is no material.
fn changes(
    repo: &Repo,
    context: &RangeContext,
    base_root: ObjectId,
) -> Result<Entries, TrialError> {
    let territory = Territory::of(&context.policy);
    let tip = repo.commit(context.tip)?.tree;
    let mut changes = BTreeMap::new();
    repo.owned(Some(tip), &[Some(base_root)], &mut |step| {
        let spot = step
            .path
            .split(|byte| *byte == b'/')
            .fold(territory.root(), |spot, name| spot.child(name));
        let is_material = spot.marks().material;
        if !step.is_directory && !is_material {
            let gone = changes.get(step.path).is_none_or(Option::is_none);
            if gone {
                changes.insert(step.path.to_vec(), step.leaf);
            }
        }
        if is_material { Go::Skip } else { Go::Enter }
    })?;
    Ok(changes)
}
