//! What do chosen seeds show on base, run several times over, and on a candidate?
//!
//! The runs are those of a trial: frozen seeds, or seeds that are run as if they were frozen.

mod choice;
mod kept;

use std::collections::BTreeSet;

pub use kept::{keep, kept};

use choice::{choose, planned};

use super::budgets::Budgets;
use super::canaries;
use super::fault::TrialError;
use super::image;
use super::lines::{Line, Lines};
use super::pin::{Candidate, Handed, Pinned, pin};
use super::properties::{self, Property, Session};
use super::trial::{Court, candidate_tree, refuse_material};
use super::workspace::{Ground, Scene};
use crate::decide::replay::{on_candidate, properties_sha256, row_sha256, shows};
use crate::decide::trial::{Draft, PropertyFacts, SeedFacts, TrialFacts};
use crate::model::day::Day;
use crate::model::ids::{ObjectId, OracleId, Sha256};
use crate::model::path::{RepoPath, shown, visible};
use crate::model::record;
use crate::model::refusal::Code;
use crate::model::replay::{REPLAY_SCHEMA, Replay, ReplayedCandidate, ReplayedSeed};
use crate::model::trial::{Class, Revision, RunReason};
use crate::policy::{Judge, Policy};

/// What somebody wants to be replayed.
#[derive(Clone, Debug, Default)]
pub struct Asked<'a> {
    /// The range or the patch; without a candidate only its base counts.
    pub handed: Handed<'a>,
    /// Whether the candidate is run, too.
    pub has_candidate: bool,
    /// The row; every frozen one when none is named.
    pub property: Option<&'a OracleId>,
    /// The seed, frozen or not; those that are frozen when none is named.
    pub seed: Option<&'a str>,
    /// How often each seed runs on each tree; as often as in a trial when no number is named.
    pub times: Option<u64>,
}

/// A replay, and what its runs printed.
#[derive(Debug)]
pub struct Replayed {
    /// The record.
    pub replay: Replay,
    /// The runs, in its order.
    pub lines: Lines,
}

/// A patch that applies.
struct Patched {
    blob: Sha256,
    touched: BTreeSet<RepoPath>,
    root: ObjectId,
}

/// What the runs gave.
struct Seen {
    lines: Lines,
    /// Properties for which a seed does nothing.
    ignoring: BTreeSet<OracleId>,
    candidate: Option<ReplayedCandidate>,
}

impl Court<'_> {
    /// Replays seeds. Nothing is written: the record is the caller's to keep.
    ///
    /// # Errors
    /// When the ledgers disagree, there is no such row, or it is not known how a run ended.
    pub fn replay(&self, asked: &Asked<'_>) -> Result<Replayed, TrialError> {
        let pinned = pin(self.repo, &asked.handed, self.today)?;
        image::expect(&pinned.image, &pinned.bound.image_id)?;
        if asked.has_candidate && pinned.draft != Draft::Patch {
            return Err(empty());
        }
        let policy = policy_of(&pinned, asked);
        let choice = choose(&policy, &pinned, asked)?;
        let mut properties = choice.properties(&policy, &pinned)?;
        let ground = self.ground()?;
        let patched = asked
            .has_candidate
            .then(|| patched(&pinned, &policy, &ground))
            .transpose()?;
        let seen = self.run_all(&policy, &pinned, (&ground, patched.as_ref()), &properties)?;
        properties
            .iter_mut()
            .for_each(|property| choice.only_real(property));
        let touched = patched.map(|patched| patched.touched).unwrap_or_default();
        let trial = facts(&policy, &properties, &seen.lines, (touched, self.today));
        record(&pinned, &policy, seen, (&properties, &trial))
    }

    fn run_all(
        &self,
        policy: &Policy,
        pinned: &Pinned,
        (ground, patched): (&Ground, Option<&Patched>),
        properties: &[Property<'_>],
    ) -> Result<Seen, TrialError> {
        let budgets = Budgets::on(self.repo, policy, pinned.base, &pinned.image)?;
        for property in properties {
            budgets.of(property.check)?; // told before anything runs
        }
        let all = planned(policy, pinned, &[])?;
        let mut roots = vec![(Revision::Base, pinned.base_root)];
        roots.extend(patched.map(|patched| (Revision::Candidate, patched.root)));
        let material = &pinned.evaluation.facts.tip.material;
        let scene = Scene {
            policy,
            material,
            apart: properties::apart(&all),
            budgets,
            roots,
        };
        self.on_stage(ground, scene, |session| {
            session.bench.source.jail().require(policy)?;
            let candidate = patched.map(|patched| {
                let tree = candidate_tree(session.trees, policy, patched.root, pinned)?;
                Ok::<_, TrialError>(ReplayedCandidate {
                    blob: patched.blob,
                    tree,
                })
            });
            let candidate = candidate.transpose()?;
            let (lines, ignoring) = run(session, properties, candidate.is_some())?;
            match session.bench.source.broken_at_all().first() {
                None => Ok(Seen {
                    lines,
                    ignoring,
                    candidate,
                }),
                Some(path) => Err(changed(path)),
            }
        })
    }
}

/// The policy that judges, with as many replays as were asked for.
fn policy_of(pinned: &Pinned, asked: &Asked<'_>) -> Policy {
    let policy = &pinned.context.policy;
    let judge = policy.judge.clone();
    Policy {
        judge: Judge {
            replays: asked.times.unwrap_or(judge.replays),
            ..judge
        },
        ..policy.clone()
    }
}

/// The candidate, when it applies and nothing in its text stands against it.
fn patched(pinned: &Pinned, policy: &Policy, ground: &Ground) -> Result<Patched, TrialError> {
    let bytes = pinned.candidate.bytes(&ground.borrower, pinned.base_root)?;
    let read = canaries::read(policy, &bytes, &ground.borrower, pinned.base_root)?;
    let (Some(diff), Some(root), false) = (&read.diff, read.root, read.lines.has_missed_canary())
    else {
        return Err(missed(&read.lines));
    };
    if let Candidate::Patch(_) = &pinned.candidate {
        refuse_material(diff, policy)?;
    }
    let touched = diff.touched().into_iter().cloned().collect();
    Ok(Patched {
        blob: Sha256::of(&bytes),
        touched,
        root,
    })
}

/// Every run, and the properties for which a seed does nothing.
fn run(
    session: &Session<'_>,
    properties: &[Property<'_>],
    has_candidate: bool,
) -> Result<(Lines, BTreeSet<OracleId>), TrialError> {
    let (mut lines, mut ignoring) = (Lines::default(), BTreeSet::new());
    if has_candidate {
        session.run(properties, &mut lines)?;
        let idle = |line: &&Line| line.measured.ended.reason == Some(RunReason::SeedNotHonoured);
        ignoring.extend(
            lines
                .0
                .iter()
                .filter(idle)
                .filter_map(|line| line.property.clone()),
        );
        return Ok((lines, ignoring));
    }
    for property in properties {
        let first = lines.0.len();
        session.on_base(property, &mut lines)?;
        if session.ignores_seed(property, &lines.0[first..])? {
            ignoring.insert(property.id.clone());
        }
    }
    Ok((lines, ignoring))
}

fn facts(
    policy: &Policy,
    properties: &[Property<'_>],
    lines: &Lines,
    (touched, today): (BTreeSet<RepoPath>, Day),
) -> TrialFacts {
    TrialFacts {
        draft: Draft::Patch,
        canaries: Vec::new(),
        properties: properties::facts(properties, lines),
        touched,
        bytes_changed: false,
        power: policy.judge.power,
        today,
    }
}

fn record(
    pinned: &Pinned,
    policy: &Policy,
    seen: Seen,
    (properties, trial): (&[Property<'_>], &TrialFacts),
) -> Result<Replayed, TrialError> {
    let has_candidate = seen.candidate.is_some();
    let of = |(property, facts): (&Property<'_>, &PropertyFacts)| {
        let ignores_seed = seen.ignoring.contains(&property.id);
        let one = |seed: &SeedFacts| ReplayedSeed {
            property_id: property.id.clone(),
            row_sha256: row_sha256(property.row),
            check: property.check.id.clone(),
            seed: seed.seed.clone(),
            frozen: property.freezes.iter().any(|row| row.key().1 == seed.seed),
            ignores_seed,
            shows: shows(&seed.base, ignores_seed),
            on_candidate: has_candidate.then(|| on_candidate(trial, facts, seed)),
        };
        facts.seeds.iter().map(one).collect::<Vec<_>>()
    };
    let seeds = properties
        .iter()
        .zip(&trial.properties)
        .flat_map(of)
        .collect();
    let mut replay = Replay {
        schema: REPLAY_SCHEMA.to_owned(),
        base_rev: pinned.base,
        base_tree: pinned.base_tree,
        candidate: seen.candidate,
        policy_sha256: pinned.bound.policy_sha256,
        properties_sha256: properties_sha256(&pinned.evaluation.facts.tip.material),
        epoch: pinned.epoch.clone(),
        image: pinned.image.clone(),
        times: policy.judge.replays,
        seeds,
        runs: seen.lines.0.iter().map(Line::record).collect(),
        sha256: Sha256([0; 32]),
    };
    replay.sha256 = replay.digest();
    record::parse::<Replay>(record::print(&replay).as_bytes())?;
    Ok(Replayed {
        replay,
        lines: seen.lines,
    })
}

fn empty() -> TrialError {
    TrialError::Refused {
        code: Code::EmptyPatch,
        message: "the candidate changes nothing that is run: there is no other tree than base"
            .to_owned(),
        fix: "git reins replay, without a candidate".to_owned(),
    }
}

fn missed(lines: &Lines) -> TrialError {
    let missed = lines
        .canaries()
        .find(|line| line.class == Some(Class::CanaryFail));
    let why = missed
        .map(|line| format!("{}: {}", line.id, line.measured.ended.note))
        .unwrap_or_default();
    TrialError::Refused {
        code: Code::CanaryFailed,
        message: format!(
            "the candidate is not run, a canary missed: {}",
            visible(&why)
        ),
        fix: "fix the patch, or replay on base alone: git reins replay".to_owned(),
    }
}

fn changed(path: &str) -> TrialError {
    TrialError::Refused {
        code: Code::FixtureDigestMismatch,
        message: format!(
            "{} was changed while checks ran, so nothing is shown",
            shown(path)
        ),
        fix: "keep the checks from writing outside of their tree, and replay again".to_owned(),
    }
}
