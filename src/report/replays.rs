//! Prints a replay for a terminal of 80 columns, without colour.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::text::fold;
use super::trials::outcome;
use crate::model::path::{shown, visible};
use crate::model::refusal::Code;
use crate::model::replay::{OnCandidate, Replay, ReplayedSeed, Shows};
use crate::model::shell::word;
use crate::model::trial::Revision;

/// A replay as text: what stands against it first, then seed by seed what was seen, what that
/// means, and the next command.
pub fn replay(replay: &Replay) -> String {
    let mut out = String::new();
    fold(&mut out, "replay: ", "        ", &headline(replay));
    let trees = if replay.candidate.is_some() {
        "base and candidate"
    } else {
        "base"
    };
    let _infallible = writeln!(
        out,
        "  base {}, {} runs of each seed on {trees}",
        replay.base_rev.short(),
        replay.times
    );
    replay
        .seeds
        .iter()
        .for_each(|seed| section(&mut out, replay, seed));
    out
}

fn headline(replay: &Replay) -> String {
    if replay.seeds.is_empty() {
        return "nothing is frozen; name a seed that is not: --property ID --seed SEED".to_owned();
    }
    let against: BTreeSet<&str> = replay.seeds.iter().flat_map(against).collect();
    let holds = replay
        .seeds
        .iter()
        .any(|seed| seed.on_candidate == Some(OnCandidate::Held));
    match (against.is_empty(), holds) {
        (false, _) => against.into_iter().collect::<Vec<_>>().join(", "),
        (true, true) => "a frozen seed fails as it does on base: a trial would hold it".to_owned(),
        (true, false) => {
            let unstable = replay
                .seeds
                .iter()
                .filter(|seed| seed.shows == Shows::Unstable)
                .count();
            format!(
                "nothing stands against it; {unstable} of {} unstable on base",
                replay.seeds.len()
            )
        }
    }
}

/// What stands against a seed: codes where there are some.
fn against(seed: &ReplayedSeed) -> Vec<&'static str> {
    let base = match seed.shows {
        Shows::StableFailure => Some(Code::FreezeStableFailure.as_str()),
        Shows::NoEvidence => Some("no evidence"),
        Shows::Unstable | Shows::Passes => None,
    };
    let candidate = match seed.on_candidate {
        Some(OnCandidate::FrozenRegression) => Some(Code::FrozenRegression.as_str()),
        Some(OnCandidate::IllegalFreeze | OnCandidate::Uncovered) => {
            Some(Code::UnfrozenPropertyFailed.as_str())
        }
        Some(OnCandidate::StableFailure | OnCandidate::Passes | OnCandidate::Held) | None => None,
    };
    base.into_iter().chain(candidate).collect()
}

fn section(out: &mut String, replay: &Replay, seed: &ReplayedSeed) {
    let frozen = if seed.frozen { ", frozen" } else { "" };
    let _infallible = writeln!(
        out,
        "\n{} seed {}{frozen}",
        seed.property_id,
        shown(&seed.seed)
    );
    for (label, revision) in [("base", Revision::Base), ("candidate", Revision::Candidate)] {
        let runs: Vec<_> = replay.runs_of(seed, revision).map(outcome).collect();
        if !runs.is_empty() {
            entry(out, label, &runs.join(", "));
        }
    }
    let of_seed = replay.runs.iter().filter(|run| {
        run.property.as_ref() == Some(&seed.property_id) && run.seed.as_deref() == Some(&seed.seed)
    });
    let why: BTreeSet<_> = of_seed
        .map(|run| visible(&run.details.note))
        .filter(|note| !note.is_empty())
        .collect();
    why.iter().for_each(|note| entry(out, "why", note));
    means(out, on_base(seed));
    seed.on_candidate
        .into_iter()
        .for_each(|word| means(out, on_candidate(word)));
    if let Some(next) = next(seed) {
        let _infallible = writeln!(out, "  next       {next}");
    }
}

fn entry(out: &mut String, label: &str, text: &str) {
    fold(out, &format!("  {label:<11}"), &" ".repeat(13), text);
}

fn means(out: &mut String, (code, text): (Option<Code>, &str)) {
    match code {
        Some(code) => entry(out, "means", &format!("{code}: {text}")),
        None => entry(out, "means", text),
    }
}

/// What the runs on base mean.
fn on_base(seed: &ReplayedSeed) -> (Option<Code>, &'static str) {
    let code = (seed.shows == Shows::StableFailure).then_some(Code::FreezeStableFailure);
    let text = match (seed.shows, seed.frozen) {
        (Shows::Unstable, true) => "unstable on base: that confirms the freeze",
        (Shows::Unstable, false) => "unstable on base: that is evidence for a freeze",
        (Shows::StableFailure, _) => {
            "never passes on base: a known defect, not a flake, and no freeze covers it"
        }
        (Shows::Passes, true) => {
            "unconfirmed: always passes on base, its instability was not seen again"
        }
        (Shows::Passes, false) => "unconfirmed: always passes on base, there is nothing to freeze",
        (Shows::NoEvidence, _) if seed.ignores_seed => {
            "no evidence: two seeds drew the same, the seed does nothing (seed-not-honoured)"
        }
        (Shows::NoEvidence, _) => {
            "no evidence: a timeout, a kill or a missing tool on base says nothing about the property"
        }
    };
    (code, text)
}

/// What the runs on the candidate mean.
fn on_candidate(word: OnCandidate) -> (Option<Code>, &'static str) {
    match word {
        OnCandidate::Passes => (None, "passes on the candidate"),
        OnCandidate::Held => (
            None,
            "fails on the candidate as it does on base: a trial would hold it",
        ),
        OnCandidate::IllegalFreeze => (
            None,
            "fails on the candidate, and its freeze cannot be used for that",
        ),
        OnCandidate::FrozenRegression => (
            Some(Code::FrozenRegression),
            "passes sometimes on base, never on the candidate",
        ),
        OnCandidate::StableFailure => (None, "whatever the candidate does, base always fails"),
        OnCandidate::Uncovered => (
            Some(Code::UnfrozenPropertyFailed),
            "misses on the candidate, and no freeze covers that",
        ),
    }
}

/// The next command.
fn next(seed: &ReplayedSeed) -> Option<String> {
    let id = &seed.property_id;
    let named = format!(
        "--property {} --seed {}",
        word(id.as_str()),
        word(&seed.seed)
    );
    match (seed.shows, seed.frozen) {
        (Shows::Unstable, true) => None,
        (Shows::Unstable, false) => Some(format!(
            "git reins freeze add --from-replay {named} --owner NAME --expires +14 --paths PATH"
        )),
        (Shows::StableFailure, true) => Some(format!(
            "git reins freeze rm {named} && git reins freeze commit"
        )),
        (Shows::StableFailure | Shows::NoEvidence, _) => {
            Some(format!("git reins try {}", word(id.as_str())))
        }
        (Shows::Passes, _) => Some(format!("git reins replay {named} --times 20")),
    }
}
