//! How does an abstract history look as facts, and its states as ledgers?

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use git_reins::decide::facts::{
    CommitFacts, Facts, Held, LineFacts, Listing, Material, Own, ParentFacts, Reading, Tip, Trials,
};
use git_reins::ledger::field::Field;
use git_reins::ledger::fixture::{FixtureFile, FixtureLedger};
use git_reins::ledger::freeze::{FreezeLedger, FreezeRow};
use git_reins::ledger::oracle::{OracleLedger, OracleRow, PinnedFile};
use git_reins::policy::Policy;

use super::super::parts::{commit, pins, plain};
use super::super::words::{member, sha};
use super::super::world::{Epoch, FIXTURES, Freeze, PROPS, ROWS, Row, SPECS, State};
use super::rules::Model;

fn oracle_row(at: usize, row: &Row) -> OracleRow {
    let named = (0..4).filter(|file| row.names[*file]);
    let pinned = |file: usize| PinnedFile {
        path: PROPS[file].to_owned(),
        sha256: sha(&bytes(PROPS[file], row.pins[file])).to_string(),
    };
    OracleRow {
        oracle_id: ROWS[at].to_owned(),
        source: format!("{}#rule", SPECS[at]),
        sees_diff: Some(Field::Value(false)),
        property: "p".to_owned(),
        check: None,
        property_files: named.map(pinned).collect(),
        inputs: Some(format!("inputs {}", row.version)),
        relation: Some("holds".to_owned()),
        witness: Some("breaks".to_owned()),
        score: (!row.scored).then_some(false),
        witness_patch: None,
        drafted_by: None,
        cleared_by: None,
        authored_commit: Some(format!("{:040}", row.hint)),
    }
}

fn freeze_row(at: usize, freeze: &Freeze, seed: &str) -> FreezeRow {
    FreezeRow {
        property_id: member(ROWS[at]),
        seed: member("7"),
        base_rev: member(seed),
        fixture_epoch: member(&format!("epoch-{}", freeze.base)),
        observed_on: member("base"),
        expires_at: member("2026-03-20"),
        owner: member(&format!("owner {}", freeze.version)),
        paths: None,
        quarantine_eligible: None,
        evidence: None,
    }
}

pub(super) fn shown_image(image: u8) -> String {
    format!("nix:/nix/store/{image}")
}

pub fn fixture_ledger(epoch: &Epoch, seed: &str) -> FixtureLedger {
    let listed = (0..2).filter(|file| epoch.pins[*file] != 0);
    let file = |file: usize| FixtureFile {
        path: FIXTURES[file].to_owned(),
        sha256: sha(&bytes(FIXTURES[file], epoch.pins[file])).to_string(),
        size: 12,
    };
    let mut ledger = FixtureLedger {
        schema: FixtureLedger::SCHEMA.to_owned(),
        epoch_id: member(&format!("epoch-{}", epoch.name)),
        base_rev: member(seed),
        digest_sha256: None,
        runner_image_id: member(&shown_image(epoch.image)),
        files: listed.map(file).collect(),
        residual_risk: Vec::new(),
    };
    ledger.digest_sha256 = member(&ledger.listed_digest());
    ledger
}

/// The bytes of a property or fixture file.
pub fn bytes(path: &str, version: u8) -> String {
    format!("{path} {version}")
}

fn listing<const N: usize>(paths: [&str; N], versions: [u8; N]) -> Arc<Listing> {
    let present = paths
        .iter()
        .zip(versions)
        .filter(|(_, version)| *version != 0);
    Arc::new(
        present
            .map(|(path, version)| ((*path).to_owned(), plain(&bytes(path, version))))
            .collect(),
    )
}

/// The oracle ledger of a state.
pub fn oracle_ledger(state: &State) -> OracleLedger {
    let rows = state.rows.iter().enumerate();
    let oracles = rows
        .filter_map(|(at, row)| Some(oracle_row(at, row.as_ref()?)))
        .collect();
    OracleLedger {
        schema: OracleLedger::SCHEMA.to_owned(),
        oracles,
    }
}

/// The freeze ledger of a state; every row was observed on `seed`.
pub fn freeze_ledger(state: &State, seed: &str) -> FreezeLedger {
    let rows = state.freezes.iter().enumerate();
    let freezes = rows
        .filter_map(|(at, row)| Some(freeze_row(at, row.as_ref()?, seed)))
        .collect();
    FreezeLedger {
        schema: FreezeLedger::SCHEMA.to_owned(),
        freezes,
    }
}

fn material(state: &State) -> Arc<Material> {
    let seed = commit(0).to_string();
    Arc::new(Material {
        oracle: Reading::Valid(Arc::new(oracle_ledger(state))),
        fixture: match &state.epoch {
            Some(epoch) => Reading::Valid(Arc::new(fixture_ledger(epoch, &seed))),
            None => Reading::Missing,
        },
        freezes: Reading::Valid(Arc::new(freeze_ledger(state, &seed))),
        properties: listing(PROPS, state.props),
        fixtures: listing(FIXTURES, state.fixtures),
        specs: listing(SPECS, state.specs),
        policy: (state.policy != 0).then(|| plain(&format!("policy {}", state.policy))),
    })
}

pub(super) fn facts(model: &Model<'_>, policy: &Policy) -> Facts {
    let world = model.world;
    let materials: Vec<_> = world
        .commits
        .iter()
        .map(|commit| material(&commit.state))
        .collect();
    let empty = material(&State::default());
    let held = |at: usize| Held {
        id: commit(at),
        material: materials[at].clone(),
    };
    let parent = |parent: Option<usize>| ParentFacts {
        id: parent.map(commit),
        material: parent.map_or_else(|| empty.clone(), |at| materials[at].clone()),
        is_protected: model.is_outside(parent),
    };
    let path = |wanted: bool, path: &str| wanted.then(|| path.to_owned());
    let of = |at: usize| CommitFacts {
        id: commit(at),
        parents: model.parents(at).into_iter().map(parent).collect(),
        material: materials[at].clone(),
        own: Own {
            code: path(model.owns_code(at), "src/x"),
            exempt: path(model.owns(at, |s| s.docs), "docs/d"),
            human_only: path(model.owns_auth(at), "src/auth/h"),
        },
        reverts: model.is_revert(at).then(|| commit(99)),
    };
    Facts {
        policy: policy.clone(),
        today: "2026-03-01".parse().unwrap(),
        bases: model.bases().into_iter().map(held).collect(),
        protected: world.hidden.iter().copied().map(held).collect(),
        tip: Tip {
            id: commit(world.tip),
            material: materials[world.tip].clone(),
            files: BTreeMap::new(),
            headings: BTreeMap::new(),
            strays: Vec::new(),
            base_rev: None,
            touched: BTreeSet::new(),
            unsorted: BTreeSet::new(),
            policy_fault: None,
        },
        commits: model.range().into_iter().map(of).collect(),
        pins: pins(),
        trials: Trials::default(),
        line: LineFacts::default(),
    }
}
