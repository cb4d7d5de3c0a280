//! Finds the refusals, holds and remarks that a recorded trial leads to.

use serde::Serialize;

use super::bind::differences;
use super::case::{Candidate, Case, directory};
use super::derive::{self, derive};
use super::unwitnessed::unwitnessed;
use crate::decide::facts::Facts;
use crate::decide::ledgers::Findings;
use crate::decide::next::FOLD;
use crate::decide::score::Scored;
use crate::decide::tool_config::steering;
use crate::decide::trial::{SeedVerdict, TrialDecision, failure_counts};
use crate::model::decision::{Detail, Standing};
use crate::model::ids::OracleId;
use crate::model::path::visible;
use crate::model::record::word;
use crate::model::refusal::Code;
use crate::model::shell;
use crate::model::trial::{CheckRun, Trial, TrialVerdict};

/// What makes a trial of the present candidate.
const JUDGE: &str = "git reins judge && git reins reconcile";

/// Judges one trial of the candidate.
pub(super) fn judge(case: &Case<'_>, one: &Candidate<'_>) -> Scored {
    let trial = one.trial;
    let decision = derive(case.evaluation, trial, case.facts.today);
    let mut scored = Scored {
        power: decision
            .power
            .iter()
            .map(|one| (one.property_id.clone(), one.power))
            .collect(),
        weak: decision.weak.iter().map(|(id, _)| id.clone()).collect(),
        blob: trial.blob,
        evidence: Some(one.evidence),
        ..Scored::default()
    };
    if trial.verdict == TrialVerdict::Reject {
        scored.findings.add(
            about(case, one, Code::VerdictRejected, "rejected", one.name()).saw(
                format!("rejected: {}", words(&trial.reasons)),
                "a trial that admits the candidate",
            ),
        );
    }
    on_other_ground(case, one, &mut scored.findings);
    for canary in &decision.canary_bad {
        scored.findings.add(missed_canary(case, one, canary));
    }
    for (id, standing) in case.standings {
        let worst = worst(case, trial, id);
        if let Some(run) = worst {
            scored.statuses.insert(id.to_string(), word(&run.outcome));
        }
        judge_property(
            case,
            one,
            (id, *standing, worst),
            &decision,
            &mut scored.findings,
        );
    }
    scored.held = held(case, trial, &decision);
    remarks(case, trial, &decision, &mut scored.findings);
    scored
}

fn about(
    case: &Case<'_>,
    one: &Candidate<'_>,
    code: Code,
    reason: &'static str,
    subject: impl Into<String>,
) -> Detail {
    let detail = Detail::new(code, reason, subject).commit(case.facts.tip.id);
    match one.path {
        Some(path) => detail.path(path),
        None => detail,
    }
}

fn words(values: &[impl Serialize]) -> String {
    values.iter().map(word).collect::<Vec<_>>().join(", ")
}

fn worst<'a>(case: &Case<'_>, trial: &'a Trial, id: &OracleId) -> Option<&'a CheckRun> {
    let row = case.facts.tip.material.oracle.valid()?.row(id.as_str())?;
    let check = case.facts.policy.check_of(row.check.as_deref())?;
    derive::worst(trial, id, &check.id)
}

/// A trial of this epoch that ran on another image, or opened other fixture bytes than tip holds.
fn on_other_ground(case: &Case<'_>, one: &Candidate<'_>, found: &mut Findings) {
    let pinned = &case.bound.image_id;
    if one.trial.image.id != *pinned {
        let detail = about(
            case,
            one,
            Code::FixtureEpochUnpinned,
            "trial-on-other-image",
            one.name(),
        );
        found.add(
            detail
                .field("image.id")
                .saw(one.trial.image.id.as_str(), pinned.as_str())
                .fix(JUDGE),
        );
    }
    let opened = one
        .trial
        .checks
        .iter()
        .filter_map(|run| run.opened.as_ref())
        .flatten();
    let fixtures = &case.facts.policy.paths.fixtures;
    let is_fixture = |path: &str| fixtures.iter().any(|prefix| prefix.covers(path));
    for file in opened.filter(|file| is_fixture(file.path.as_str())) {
        let there = case
            .facts
            .tip
            .files
            .get(file.path.as_str())
            .and_then(|facts| facts.sha256);
        if there != Some(file.sha256) {
            let detail = about(
                case,
                one,
                Code::FixtureDigestMismatch,
                "trial-on-other-bytes",
                file.path.as_str(),
            );
            let expected =
                there.map_or_else(|| "no such fixture".to_owned(), |digest| digest.to_string());
            found.add(
                detail
                    .field("checks.opened")
                    .saw(file.sha256.to_string(), expected)
                    .fix(JUDGE),
            );
        }
    }
}

fn missed_canary(case: &Case<'_>, one: &Candidate<'_>, canary: &str) -> Detail {
    let runs = one
        .trial
        .candidate_runs()
        .filter(|run| run.property.is_none() && run.id == canary);
    let observed: Vec<_> = runs.map(|run| word(&run.outcome)).collect();
    let observed = if observed.is_empty() {
        "did not run".to_owned()
    } else {
        observed.join(", ")
    };
    about(case, one, Code::CanaryFailed, "canary", canary).saw(observed, "pass")
}

/// What the seeds of one property say.
fn judge_property(
    case: &Case<'_>,
    one: &Candidate<'_>,
    (id, standing, worst): (&OracleId, Standing, Option<&CheckRun>),
    decision: &TrialDecision,
    found: &mut Findings,
) {
    if !failure_counts(case.evaluation, id) {
        return;
    }
    let name = id.as_str();
    let lists = |list: &[String]| list.iter().any(|listed| listed == name);
    let says = |wanted| {
        decision
            .seeds
            .iter()
            .filter(move |(of, _, verdict)| of == id && *verdict == wanted)
    };
    for (_, seed, _) in says(SeedVerdict::StableFailure) {
        found.add(
            about(
                case,
                one,
                Code::FreezeStableFailure,
                "replay",
                format!("{name} seed {seed}"),
            )
            .saw(
                "never passes on base",
                "at least one pass on base: an instability",
            ),
        );
    }
    for (_, seed, _) in says(SeedVerdict::Regression) {
        found.add(
            about(
                case,
                one,
                Code::FrozenRegression,
                "replay",
                format!("{name} seed {seed}"),
            )
            .saw(
                "passes sometimes on base, never on the candidate",
                "the instability that its row records",
            ),
        );
    }
    let bad = says(SeedVerdict::Uncovered)
        .chain(says(SeedVerdict::Illegal))
        .next();
    if bad.is_none() && !lists(&decision.uncovered_fail) && !lists(&decision.illegal_freeze) {
        return;
    }
    // of a frozen property only the seeds count that no row covers
    let of_seed = |seed: &str| {
        let mut runs = one
            .trial
            .candidate_runs()
            .filter(|run| run.property.as_ref() == Some(id));
        runs.find(|run| run.seed.as_deref() == Some(seed) && word(&run.outcome) != "pass")
    };
    let worst = match (standing, bad) {
        (Standing::Frozen, Some((_, seed, _))) => of_seed(seed),
        (Standing::Frozen | Standing::Scored | Standing::Late | Standing::Smoke, _) => worst,
    };
    let passed = worst.filter(|run| word(&run.outcome) != "pass");
    let observed = match (passed, bad) {
        (Some(run), _) => {
            let seed = run
                .seed
                .as_ref()
                .map(|seed| format!(" (seed {seed})"))
                .unwrap_or_default();
            format!("{}{seed}", word(&run.outcome))
        }
        (None, Some((_, seed, _))) => format!("no result of seed {seed}"),
        (None, None) => "no result".to_owned(),
    };
    let reason = if passed.is_some() {
        "failed"
    } else {
        "no-result"
    };
    found.add(match standing {
        Standing::Scored | Standing::Late | Standing::Smoke => {
            about(case, one, Code::UnfrozenPropertyFailed, reason, name).saw(observed, "pass")
        }
        Standing::Frozen => about(case, one, Code::FrozenRegression, "not-covered", name).saw(
            observed,
            "pass of every seed, or a fail of a frozen one that its row covers",
        ),
    });
}

/// The frozen properties that failed and are held, by the runs or by the word of the record.
fn held(case: &Case<'_>, trial: &Trial, decision: &TrialDecision) -> Vec<OracleId> {
    let names = |list: &[String], id: &OracleId| list.iter().any(|name| name == id.as_str());
    let is_held = |id: &&OracleId| names(&decision.held, id) || names(&trial.held, id);
    case.standings.keys().filter(is_held).cloned().collect()
}

fn remarks(case: &Case<'_>, trial: &Trial, decision: &TrialDecision, found: &mut Findings) {
    for id in &decision.unscored_miss {
        if let Some(run) = worst(case, trial, id) {
            found.warn(format!(
                "{id} does not score and says {}",
                word(&run.outcome)
            ));
        }
    }
    for (id, seed) in &decision.unconfirmed {
        found.warn(format!(
            "the instability of {id} seed {seed} was not seen again: unconfirmed"
        ));
    }
    for (id, weakness) in &decision.weak {
        found.warn(format!("{id} is smoke: {}", weakness.words()));
    }
    for id in unwitnessed(&trial.checks, &trial.touched) {
        found.warn(format!(
            "{id} passed and opened none of the paths that the patch touches"
        ));
    }
    for words in steering(
        &case.facts.policy,
        case.facts.tip.touched.iter().map(String::as_str),
    ) {
        found.warn(words);
    }
    let is_row = |id: &OracleId| case.standings.contains_key(id);
    let strange = trial
        .checks
        .iter()
        .filter_map(|run| run.property.as_ref())
        .filter(|id| !is_row(id));
    for id in strange {
        found.warn(format!(
            "the trial ran {id}, which is no row of the oracle ledger: it counts nothing"
        ));
    }
}

/// What to say when no recorded trial is about the candidate.
pub(super) fn none_counts(
    case: &Case<'_>,
    all: &[Candidate<'_>],
    unfolded: Option<&str>,
) -> Findings {
    let mut found = Findings::default();
    let nearest = all
        .iter()
        .map(|one| (differences(one.trial, case.bound), one));
    let nearest =
        nearest.min_by_key(|(differences, one)| (differences.len(), std::cmp::Reverse(one.path)));
    let is_required = case.facts.policy.verdict.require;
    match nearest {
        Some((differences, one)) if is_required => {
            for difference in differences {
                let detail = about(case, one, Code::VerdictStale, "other-candidate", one.name());
                found.add(
                    detail
                        .field(difference.field)
                        .saw(difference.recorded, difference.derived)
                        .fix(JUDGE),
                );
            }
        }
        Some((_, one)) => {
            found.warn(format!(
                "the recorded trial {} is about another candidate",
                one.name()
            ));
            found.add(nothing_recorded(case.facts));
        }
        None => found.add(nothing_recorded(case.facts)),
    }
    for detail in found
        .details
        .iter_mut()
        .filter(|detail| matches!(detail.code, Code::VerdictMissing | Code::VerdictStale))
    {
        if let Some(path) = unfolded {
            let path = visible(path);
            detail
                .observed
                .push_str(&format!("; {path} lies unfolded in the worktree"));
            detail.fix = FOLD.to_owned();
        }
    }
    found
}

fn nothing_recorded(facts: &Facts) -> Detail {
    let (code, reason) = if facts.policy.verdict.require {
        (Code::VerdictMissing, "no-trial")
    } else {
        (Code::NoUnfrozenProperties, "no-results")
    };
    Detail::new(code, reason, facts.tip.id.short())
        .path(facts.policy.paths.history.to_string())
        .commit(facts.tip.id)
        .saw(
            "no recorded trial of this candidate",
            "a trial that admits it, or results of its properties",
        )
        .fix(JUDGE)
}

/// The trials that are no longer what was folded.
pub fn judge_changed(facts: &Facts) -> Findings {
    let mut found = Findings::default();
    for changed in &facts.trials.changed {
        let observed = if changed.is_gone {
            "gone"
        } else {
            "other bytes"
        };
        let detail = Detail::new(
            Code::VerdictRewritten,
            "bytes-changed",
            changed.path.as_str(),
        );
        let commit = changed.commit;
        let path = shell::word(&changed.path);
        found.add(
            detail
                .path(changed.path.as_str())
                .commit(facts.tip.id)
                .saw(
                    observed,
                    format!("the bytes that commit {} holds", commit.short()),
                )
                .fix(format!(
                    "git checkout {} -- {path} && git commit -m 'restore the verdict'",
                    commit.short()
                )),
        );
    }
    let is_changed = |path: &str| {
        facts
            .trials
            .changed
            .iter()
            .any(|changed| changed.path == path)
    };
    for folded in facts
        .trials
        .folded
        .iter()
        .filter(|folded| !is_changed(&folded.path))
    {
        let detail = |reason| {
            let path = shell::word(&folded.path);
            Detail::new(Code::VerdictRewritten, reason, folded.path.as_str())
                .path(folded.path.as_str())
                .commit(facts.tip.id)
                .fix(format!(
                    "git rm {path} && git commit -m 'take the record out' && {JUDGE}"
                ))
        };
        match &folded.reading {
            Err(fault) => {
                let mut detail = detail("unreadable");
                detail.field = fault.field.clone();
                found.add(detail.saw(fault.observed.as_str(), fault.expected.as_str()));
            }
            Ok(trial) => {
                let (is, name) = (
                    directory(&folded.path).unwrap_or_default(),
                    trial.directory_name(),
                );
                if is != name {
                    found.add(detail("other-digest").saw(
                        format!("a directory named {is}"),
                        format!("{name}, the digest of the record in it"),
                    ));
                }
            }
        }
    }
    found
}
