//! Decides whether a replay is evidence for a freeze: it has to show instability, here and now.

use std::collections::BTreeSet;

use super::Refused;
use crate::decide::replay::{properties_sha256, row_sha256, shows};
use crate::evidence::range_context::{Governed, Request};
use crate::evidence::{Evidence, GateError, collect};
use crate::git::Repo;
use crate::ledger::field::text;
use crate::ledger::fixture::FixtureLedger;
use crate::ledger::freeze::FreezeEvidence;
use crate::ledger::oracle::OracleRow;
use crate::model::day::Day;
use crate::model::ids::{CommitId, ObjectId, Sha256};
use crate::model::path::{RepoPath, shown};
use crate::model::record;
use crate::model::refusal::Code;
use crate::model::replay::{Replay, ReplayedSeed, Shows};
use crate::model::shell::word;
use crate::model::trial::{CheckRun, Revision};
use crate::policy::Policy;
use crate::policy::path_class::Territory;

/// What a replay is held against.
#[derive(Clone, Debug)]
pub struct Now {
    /// The policy that judges.
    policy: Policy,
    policy_sha256: Sha256,
    /// Everything under `paths.properties` at HEAD.
    properties_sha256: Sha256,
    /// The code tree of the revision that the fixture ledger pins.
    pinned_tree: Option<ObjectId>,
}

impl Now {
    /// What HEAD is judged by, and the code that the fixture ledger pins.
    ///
    /// # Errors
    /// When the repository cannot answer; the inner error is the line that has no policy.
    pub fn at_head(
        repo: &Repo,
        fixture: &FixtureLedger,
        today: Day,
    ) -> Result<Result<Self, String>, GateError> {
        let Evidence { context, facts } = match collect(repo, &Request::default(), today)? {
            Governed::Under(evidence) => *evidence,
            Governed::NoPolicy { line } => return Ok(Err(line)),
        };
        let policy = context.policy;
        let pinned = text(&fixture.base_rev).parse::<CommitId>().ok();
        let code = |commit| repo.code_tree(repo.commit(commit)?.tree, &Territory::of(&policy));
        let pinned_tree = pinned.map(code).transpose()?;
        Ok(Ok(Self {
            pinned_tree,
            policy_sha256: facts.pins.policy_sha256,
            properties_sha256: properties_sha256(&facts.tip.material),
            policy,
        }))
    }
}

/// What a freeze row takes over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The runs.
    pub evidence: FreezeEvidence,
    /// The code that they opened; none when that is unknown.
    pub code: Option<Vec<RepoPath>>,
}

/// What a replay of the seed of a row says for a freeze.
///
/// # Errors
/// When it shows anything but instability, or something else than what stands here now.
pub fn of(
    replay: &Replay,
    (row, seed): (&OracleRow, &str),
    fixture: &FixtureLedger,
    now: &Now,
) -> Result<Carried, Refused> {
    let id = row.oracle_id.as_str();
    let again = format!(
        "git reins replay --property {} --seed {}",
        word(id),
        word(seed)
    );
    let is_meant = |known: &&ReplayedSeed| known.property_id.as_str() == id && known.seed == seed;
    let Some(known) = replay.seeds.iter().find(is_meant) else {
        let message = format!(
            "the replay has no run of seed {} of {}",
            shown(seed),
            shown(id)
        );
        return Err(Refused::new(message).fix(again));
    };
    unstable(replay, known, &again)?;
    current(replay, known, row, now).map_err(|changed| {
        let message = format!("{changed} since the replay");
        Refused::new(message).fix(again.clone())
    })?;
    in_place(replay, fixture, now, &again)?;
    eligible(known, now)?;
    let runs: Vec<_> = replay.runs_of(known, Revision::Base).collect();
    let opened = opened(&runs);
    let outcomes = runs.iter().map(|run| spelled(run)).collect();
    let evidence = FreezeEvidence {
        runs: replay.times,
        outcomes,
        opened: opened
            .as_ref()
            .map(|opened| opened.iter().map(RepoPath::to_string).collect()),
    };
    let territory = Territory::of(&now.policy);
    let is_code = |path: &RepoPath| territory.marks(path.as_str()).is_code();
    let code = opened.map(|opened| opened.into_iter().filter(is_code).collect());
    Ok(Carried { evidence, code })
}

/// Refuses anything but instability. What the record says is looked at again: its runs decide.
fn unstable(replay: &Replay, known: &ReplayedSeed, again: &str) -> Result<(), Refused> {
    let runs: Vec<_> = replay.runs_of(known, Revision::Base).map(spelled).collect();
    let runs = runs.join(", ");
    match shows(&replay.outcomes(known, Revision::Base), known.ignores_seed) {
        Shows::Unstable => Ok(()),
        Shows::StableFailure => {
            let message = format!("it never passes on base ({runs}): a known defect, not a flake");
            Err(Refused::new(message)
                .code(Code::FreezeStableFailure)
                .fix("mend base or the property"))
        }
        Shows::Passes => {
            let message = format!("it always passes on base ({runs}): there is nothing to freeze");
            Err(Refused::new(message).fix(format!("{again} --times 20")))
        }
        Shows::NoEvidence if known.ignores_seed => {
            let message = "two seeds drew the same: the seed does nothing, so that there is no seed to freeze";
            Err(Refused::new(message).fix(format!(
                "git reins try {}",
                word(known.property_id.as_str())
            )))
        }
        Shows::NoEvidence => {
            let message = format!(
                "the runs on base are no evidence ({runs}): a timeout, a kill or a missing tool says nothing of it"
            );
            Err(Refused::new(message).fix(format!(
                "git reins try {}",
                word(known.property_id.as_str())
            )))
        }
    }
}

/// How a run ended, as records spell it.
fn spelled(run: &CheckRun) -> String {
    record::word(&run.outcome)
}

/// Whether policy, row and property bytes are still those of the replay; else what changed.
fn current(
    replay: &Replay,
    known: &ReplayedSeed,
    row: &OracleRow,
    now: &Now,
) -> Result<(), &'static str> {
    if replay.policy_sha256 != now.policy_sha256 {
        Err("the policy that judges has changed")
    } else if known.row_sha256 != row_sha256(row) {
        Err("the oracle row has changed")
    } else if replay.properties_sha256 != now.properties_sha256 {
        Err("a file under paths.properties has changed")
    } else {
        Ok(())
    }
}

/// Whether it ran on the base, epoch and image that the fixture ledger pins.
fn in_place(
    replay: &Replay,
    fixture: &FixtureLedger,
    now: &Now,
    again: &str,
) -> Result<(), Refused> {
    let pin = "git reins fixture pin --epoch NEW --runner-image auto && git reins fixture commit";
    let pinned = |code: Code, message: String| {
        Refused::new(message)
            .code(code)
            .fix(format!("{pin}, then {again}"))
    };
    let (epoch, image) = (text(&fixture.epoch_id), text(&fixture.runner_image_id));
    let is_epoch = replay.epoch.epoch_id == epoch
        && replay.epoch.digest_sha256.to_string() == text(&fixture.digest_sha256);
    if replay.image.id != image {
        let message = format!(
            "the replay ran on {}, and the fixture ledger pins {}",
            replay.image.id,
            shown(image)
        );
        Err(pinned(Code::FixtureEpochUnpinned, message))
    } else if !is_epoch {
        let ran = shown(&replay.epoch.epoch_id);
        let message = format!(
            "the replay is of epoch {ran}, and the fixture ledger pins {}",
            shown(epoch)
        );
        Err(Refused::new(message)
            .code(Code::FixtureEpochUnpinned)
            .fix(again))
    } else if now.pinned_tree != Some(replay.base_tree) {
        let message = format!(
            "the replay ran on the code of {}, which is not that of the base that the fixture ledger pins, {}",
            replay.base_rev,
            shown(text(&fixture.base_rev))
        );
        Err(pinned(Code::FreezeReplayNotOnBase, message))
    } else {
        Ok(())
    }
}

/// Whether the check lets a miss be held: a freeze that holds nothing only hides.
fn eligible(known: &ReplayedSeed, now: &Now) -> Result<(), Refused> {
    match now.policy.check(&known.check) {
        Some(check) if check.quarantine_eligible => Ok(()),
        Some(_) | None => {
            let message = format!(
                "the check {} is not quarantine_eligible: no miss would be held",
                shown(&known.check)
            );
            let fix = "state quarantine_eligible = true for it in .gitreins/reins.toml, in a policy range of its own";
            Err(Refused::new(message).fix(fix))
        }
    }
}

/// Every path that a run opened; none when one of them does not know.
fn opened(runs: &[&CheckRun]) -> Option<Vec<RepoPath>> {
    let mut paths = BTreeSet::new();
    for run in runs {
        paths.extend(
            run.opened
                .as_ref()?
                .iter()
                .map(|opened| opened.path.clone()),
        );
    }
    Some(paths.into_iter().collect())
}

#[cfg(test)]
mod tests;
