//! Computes what a trial is bound to: once for the judge that writes it and the decision that reads it.
//!
//! A trial counts for one base and one candidate code tree, one policy, one set of rows in force,
//! one fixture epoch and one image. Nothing here names a commit, so neither a rebase onto the same
//! code nor the commit that folds the verdict makes a trial stale.

use std::collections::BTreeSet;

use serde::Serialize;

use super::evaluation::Evaluation;
use super::facts::Held;
use crate::ledger::field::text;
use crate::ledger::freeze::FreezeRow;
use crate::ledger::oracle::OracleRow;
use crate::model::decision::Standing;
use crate::model::ids::{ObjectId, Sha256};
use crate::model::record::print;
use crate::model::trial::{CheckSeeds, Epoch};
use crate::policy::{Check, Mechanism, Policy};

/// Everything that a trial has to agree with to count for a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The code tree of base; none without a common history, and then no trial counts.
    pub base_tree: Option<ObjectId>,
    /// The code tree of the candidate.
    pub candidate_tree: ObjectId,
    /// SHA-256 of the bytes of the policy that judges.
    pub policy_sha256: Sha256,
    /// SHA-256 of the rows in force, see [`rows_sha256`].
    pub rows_sha256: Sha256,
    /// The fixture epoch; none when the ledger names none, and then no trial counts.
    pub epoch: Option<Epoch>,
    /// The runner image that the fixture ledger pins, as it is written.
    pub image_id: String,
    /// The mechanisms that the policy requires.
    pub require: Vec<Mechanism>,
}

impl Bound {
    /// What a trial of the candidate is bound to.
    pub fn of(evaluation: &Evaluation) -> Self {
        let facts = &evaluation.facts;
        let fixture = facts.tip.material.fixture.valid();
        let pins = &facts.pins;
        Self {
            base_tree: pins.base_tree,
            candidate_tree: pins.candidate_tree,
            policy_sha256: pins.policy_sha256,
            rows_sha256: rows_sha256(evaluation),
            epoch: fixture.and_then(|ledger| {
                let digest_sha256 = text(&ledger.digest_sha256).parse().ok()?;
                Some(Epoch {
                    epoch_id: text(&ledger.epoch_id).to_owned(),
                    digest_sha256,
                })
            }),
            image_id: fixture
                .map(|ledger| text(&ledger.runner_image_id).to_owned())
                .unwrap_or_default(),
            require: facts.policy.judge.require.clone(),
        }
    }
}

/// The seeds of each property check, in the order of the policy.
pub fn seeds(policy: &Policy) -> Vec<CheckSeeds> {
    let of = |check: &Check| CheckSeeds {
        check: check.id.clone(),
        seeds: check.seeds.clone(),
    };
    policy.property_checks().map(of).collect()
}

/// SHA-256 of the canonical print of seeds.
pub fn seeds_sha256(seeds: &[CheckSeeds]) -> Sha256 {
    digest(&seeds)
}

/// The rows in force, as they are printed for the digest.
#[derive(Serialize)]
struct InForce<'a> {
    oracles: Vec<OracleRow>,
    freezes: Vec<FreezeRow>,
    properties: Vec<(&'a str, String)>,
}

/// SHA-256 of the canonical print of the rows in force at tip:
///
/// * the oracle rows that score or are frozen, and the late ones that a patch commit stands on
///   (their failure may not disappear), without `authored_commit`;
/// * every freeze row, without `base_rev` and `fixture_epoch`, which follow the fixture ledger: the
///   epoch stands in the record by itself;
/// * mode and id of everything under `paths.properties`, which is what else a property may load,
///   but for the files that only rows out of force name, when base lacks them or keeps them for
///   smoke: a smoke row added today says nothing about a file that properties may have loaded.
///
/// Late and smoke rows are no part of it: they never score, so they may come and go.
pub fn rows_sha256(evaluation: &Evaluation) -> Sha256 {
    let Evaluation {
        facts,
        order,
        standings,
        ..
    } = evaluation;
    let is_in_force = |row: &&OracleRow| {
        let standing = row.id().and_then(|id| standings.get(&id).copied());
        match standing {
            Some(Standing::Scored | Standing::Frozen) => true,
            Some(Standing::Late) => order
                .late
                .get(&row.oracle_id)
                .is_some_and(|late| late.is_faced),
            Some(Standing::Smoke) | None => false,
        }
    };
    let material = &facts.tip.material;
    let (inside, outside): (Vec<_>, Vec<_>) = material.oracle_rows().iter().partition(is_in_force);
    let (ours, theirs) = (files(&inside), files(&outside));
    let spares = |base: &Held, path: &&str| {
        let smoke = base
            .material
            .oracle_rows()
            .iter()
            .filter(|row| !row.scores())
            .collect::<Vec<_>>();
        !base.material.properties.contains_key(*path) || files(&smoke).contains(path)
    };
    let is_spared = |path: &&str| facts.bases.iter().all(|base| spares(base, path));
    let counts = |path: &&str| ours.contains(path) || !theirs.contains(path) || !is_spared(path);
    let properties = material
        .properties
        .iter()
        .map(|(path, entry)| (path.as_str(), entry));
    let bare = |row: &FreezeRow| FreezeRow {
        base_rev: None,
        fixture_epoch: None,
        ..row.clone()
    };
    let oracle = |row: &OracleRow| OracleRow {
        authored_commit: None,
        ..row.clone()
    };
    digest(&InForce {
        oracles: inside.into_iter().map(oracle).collect(),
        freezes: material.freeze_rows().iter().map(bare).collect(),
        properties: properties
            .filter(|(path, _)| counts(path))
            .map(|(path, entry)| (path, format!("{:o} {}", entry.mode, entry.id)))
            .collect(),
    })
}

fn files<'a>(rows: &[&'a OracleRow]) -> BTreeSet<&'a str> {
    rows.iter()
        .flat_map(|row| row.property_files.iter().map(|file| file.path.as_str()))
        .collect()
}

fn digest(value: &impl Serialize) -> Sha256 {
    Sha256::of(print(value))
}
