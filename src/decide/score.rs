//! Judges results that were handed in.

use std::collections::{BTreeMap, BTreeSet};

use super::evaluation::Evaluation;
use super::facts::Facts;
use super::freeze::is_unfreezable;
use super::ledgers::{Findings, ledger_path};
use super::standings::count;
use crate::ledger::field::{Field, text};
use crate::ledger::file::{LedgerFault, LedgerName};
use crate::ledger::freeze::FreezeRow;
use crate::ledger::results::ResultRow;
use crate::model::decision::{Detail, PropertyStanding, Standing, VerdictEvidence};
use crate::model::ids::{OracleId, Sha256};
use crate::model::path::RepoPath;
use crate::model::refusal::Code;
use crate::model::trial::{Power, Trial};

/// What a score is made from.
#[derive(Clone, Copy, Debug)]
pub enum Scores<'a> {
    /// Nothing was handed in: the recorded trial has to say it. With the path of a trial of the
    /// candidate that lies in the worktree and in no commit yet.
    Recorded(Option<&'a str>),
    /// A trial that is not folded yet counts as if it were, beside those that are.
    Trial(&'a Trial, VerdictEvidence),
    /// The results that were handed in.
    Given(&'a [ResultRow]),
    /// A results file that cannot be read.
    Unreadable(&'a LedgerFault),
}

/// What the results add to a decision.
#[derive(Clone, Debug, Default)]
pub struct Scored {
    /// Refusals and remarks.
    pub findings: Findings,
    /// The status of each property that has one: `pass` only when every entry says so.
    pub statuses: BTreeMap<String, String>,
    /// Frozen properties whose failure a row covers.
    pub held: Vec<OracleId>,
    /// What shows that each property of a trial can fail.
    pub power: BTreeMap<OracleId, Power>,
    /// Rows that are smoke in this trial although they score by themselves.
    pub weak: BTreeSet<OracleId>,
    /// SHA-256 of the patch bytes of the trial that counts.
    pub blob: Option<Sha256>,
    /// What the scores rest on.
    pub evidence: Option<VerdictEvidence>,
}

/// Judges results that were handed in.
pub(super) fn judge(evaluation: &Evaluation, results: &[ResultRow]) -> Scored {
    let (facts, standings) = (&evaluation.facts, &evaluation.standings);
    let mut scored = Scored {
        evidence: Some(VerdictEvidence::Itself),
        ..Scored::default()
    };
    sort_results(facts, standings, results, &mut scored);
    for (id, standing) in standings {
        // an oracle that a patch commit stands on may leave the score, its failure may not
        let is_faced = evaluation
            .order
            .late
            .get(id.as_str())
            .is_some_and(|late| late.is_faced);
        let weighed = if is_faced {
            Standing::Scored
        } else {
            *standing
        };
        judge_property(facts, id, weighed, evaluation.has_patch(), &mut scored);
    }
    scored
}

/// The refusal of a patch that no property with a result scores for.
pub(super) fn judge_complement(
    evaluation: &Evaluation,
    scores: Scores<'_>,
    scored: &Scored,
) -> Option<Detail> {
    let (facts, standings) = (&evaluation.facts, &evaluation.standings);
    let is_left = |(id, standing): (&OracleId, &Standing)| {
        *standing == Standing::Scored && !scored.weak.contains(id)
    };
    let complement = standings.iter().any(is_left);
    let unanswered = matches!(scores, Scores::Given(_)) && scored.statuses.is_empty();
    let readable =
        facts.tip.material.oracle.valid().is_some() && facts.tip.material.freezes.valid().is_some();
    (evaluation.has_patch() && readable && (!complement || unanswered))
        .then(|| no_complement(facts, standings, complement))
}

/// The refusal of a results file that cannot be read.
pub(super) fn unreadable(fault: &LedgerFault) -> Detail {
    let subject = fault.row.clone().unwrap_or_else(|| "results".to_owned());
    let mut detail = Detail::new(Code::ResultsInvalid, "unreadable", subject);
    detail.field = fault.field.clone();
    detail.saw(fault.observed.clone(), fault.expected.clone())
}

fn no_complement(
    facts: &Facts,
    standings: &BTreeMap<OracleId, Standing>,
    complement: bool,
) -> Detail {
    let count = |wanted| count(standings, wanted);
    let observed = if complement {
        "no result of any property".to_owned()
    } else {
        format!(
            "0 scored of {} rows: {} frozen, {} late, {} smoke",
            standings.len(),
            count(Standing::Frozen),
            count(Standing::Late),
            count(Standing::Smoke)
        )
    };
    Detail::new(Code::NoUnfrozenProperties, "empty-complement", "score")
        .path(ledger_path(facts, LedgerName::Oracle))
        .commit(facts.tip.id)
        .saw(
            observed,
            "at least one scored property that no freeze names, with its result",
        )
        .fix(if complement {
            "hand in the result of every property: git reins oracle list"
        } else {
            Code::NoUnfrozenProperties.entry().remedy
        })
}

/// Takes the entries apart: canaries, properties, and names that nobody knows.
fn sort_results(
    facts: &Facts,
    standings: &BTreeMap<OracleId, Standing>,
    results: &[ResultRow],
    scored: &mut Scored,
) {
    let rows_are_known = facts.tip.material.oracle.valid().is_some();
    for result in results {
        let name = result.property_id.as_str();
        let is_row = name
            .parse::<OracleId>()
            .is_ok_and(|id| standings.contains_key(&id));
        let is_canary = result.canary == Some(true) || facts.policy.is_canary(name);
        match (is_row, is_canary) {
            (true, true) => scored.findings.add(invalid(
                name,
                "a row of the oracle ledger",
                "a canary with a name of its own",
            )),
            (false, true) if result.status != "pass" => scored.findings.add(
                Detail::new(Code::CanaryFailed, "canary", name).saw(result.status.clone(), "pass"),
            ),
            (false, true) => {}
            (true, false) => {
                let status = scored
                    .statuses
                    .entry(name.to_owned())
                    .or_insert_with(|| result.status.clone());
                if result.status != "pass" {
                    status.clone_from(&result.status);
                }
            }
            (false, false) if !rows_are_known => {} // the ledger is to blame, not the results
            (false, false) => scored.findings.add(invalid(
                name,
                "no row of the oracle ledger and no canary",
                "an oracle_id, or canary: true",
            )),
        }
    }
}

fn invalid(name: &str, observed: &str, expected: &str) -> Detail {
    Detail::new(Code::ResultsInvalid, "unknown-property", name)
        .field("property_id")
        .saw(observed, expected)
}

fn judge_property(
    facts: &Facts,
    id: &OracleId,
    standing: Standing,
    has_patch: bool,
    scored: &mut Scored,
) {
    let status = scored.statuses.get(id.as_str()).cloned();
    let failed = |code, reason, expected: &str| {
        let observed = status.clone().unwrap_or_else(|| "no result".to_owned());
        Detail::new(code, reason, id.as_str()).saw(observed, expected)
    };
    match (standing, status.as_deref()) {
        (_, Some("pass")) => {}
        (Standing::Scored, Some(_)) => {
            scored.findings.add(failed(Code::UnfrozenPropertyFailed, "failed", "pass"))
        }
        (Standing::Scored, None) if has_patch => {
            scored.findings.add(failed(Code::UnfrozenPropertyFailed, "no-result", "pass"));
        }
        (Standing::Frozen, Some("fail")) if is_covered(facts, id) => scored.held.push(id.clone()),
        (Standing::Frozen, Some(_)) => scored.findings.add(failed(
            Code::FrozenRegression,
            "not-covered",
            "pass, or a fail that a freeze row covers: quarantine_eligible true, and paths that meet the patch",
        )),
        (Standing::Frozen, None) if has_patch => {
            scored.findings.warn(format!("{id} is frozen and has no result: a failure would not be seen"));
        }
        (Standing::Late | Standing::Smoke, Some(status)) => {
            scored.findings.warn(format!("{id} does not score and says {status}"));
        }
        (Standing::Scored | Standing::Frozen | Standing::Late | Standing::Smoke, None) => {}
    }
}

/// Whether a usable row covers a failure of a frozen property.
///
/// Results carry no seed, so one usable row of the property is enough here; a trial asks for the
/// same seed.
fn is_covered(facts: &Facts, id: &OracleId) -> bool {
    let rows = facts.tip.material.freeze_rows();
    rows.iter()
        .filter(|row| text(&row.property_id) == id.as_str())
        .any(|row| !is_unfreezable(facts, id.as_str()) && is_usable(row) && overlaps(facts, row))
}

fn is_usable(row: &FreezeRow) -> bool {
    row.quarantine_eligible == Some(Field::Value(true))
}

fn overlaps(facts: &Facts, row: &FreezeRow) -> bool {
    let paths = row.paths.as_deref().unwrap_or_default();
    let prefixes = paths
        .iter()
        .filter_map(|path| path.parse::<RepoPath>().ok()); // strict reading took safe ones
    prefixes.into_iter().any(|prefix| {
        facts
            .tip
            .touched
            .iter()
            .any(|touched| prefix.covers(touched))
    })
}

/// The standings as the answer lists them.
pub fn listed(standings: &BTreeMap<OracleId, Standing>, scored: &Scored) -> Vec<PropertyStanding> {
    let one = |(id, state): (&OracleId, &Standing)| PropertyStanding {
        property_id: id.clone(),
        state: *state,
        status: scored.statuses.get(id.as_str()).cloned(),
        power: scored.power.get(id).copied().unwrap_or(Power::Claimed),
    };
    standings.iter().map(one).collect()
}
