//! Prints a trial for a terminal of 80 columns, without colour.

use std::fmt::Write as _;

use super::phrases::enforced;
use super::text::fold;
use crate::model::path::{shown, visible};
use crate::model::trial::{
    CheckKind, CheckRun, Class, Outcome, Power, Revision, RunReason, Trial, TrialReason,
    TrialVerdict,
};

/// A trial as text: the verdict first, then what it rests on.
pub fn trial(trial: &Trial) -> String {
    let mut out = headline(trial);
    section(&mut out, trial, "canaries", |run| {
        run.kind == CheckKind::Canary
    });
    section(&mut out, trial, "properties", |run| {
        run.kind == CheckKind::Property
    });
    if !trial.unwitnessed.is_empty() {
        out.push('\n');
        let text = format!(
            "{} passed and opened none of the touched paths",
            trial.unwitnessed.join(", ")
        );
        fold(&mut out, "note: ", "      ", &text);
    }
    if !trial.held.is_empty() {
        out.push('\n');
        fold(
            &mut out,
            "held: ",
            "      ",
            &format!("{}: frozen and failing", trial.held.join(", ")),
        );
    }
    out
}

fn headline(trial: &Trial) -> String {
    let (word, why) = match trial.verdict {
        TrialVerdict::Admit => (
            "admit",
            "every canary and every scored property passes".to_owned(),
        ),
        TrialVerdict::Hold => (
            "hold",
            "a frozen seed fails: not mergeable before a person looks".to_owned(),
        ),
        TrialVerdict::Reject => (
            "reject",
            trial
                .reasons
                .iter()
                .map(|reason| because(*reason))
                .collect::<Vec<_>>()
                .join("; "),
        ),
    };
    let mut out = String::new();
    fold(
        &mut out,
        &format!("{word}: "),
        &" ".repeat(word.len() + 2),
        &why,
    );
    let blob = trial.blob.map_or_else(
        || "none".to_owned(),
        |blob| blob.to_string()[..16].to_owned(),
    );
    let _infallible = writeln!(
        out,
        "  base {}, patch {blob}, {} touched",
        trial.base_rev.short(),
        match trial.touched.len() {
            1 => "1 path".to_owned(),
            count => format!("{count} paths"),
        }
    );
    let _infallible = writeln!(
        out,
        "  enforced: {}",
        enforced(&trial.enforced, &trial.online)
    );
    out
}

/// A reason in words.
fn because(reason: TrialReason) -> &'static str {
    match reason {
        TrialReason::Infra => "the draft channel failed, nothing ran",
        TrialReason::EmptyBlob => "the patch is empty, nothing ran",
        TrialReason::CanaryBad => "a canary missed, nothing ran after it",
        TrialReason::IllegalFreeze => "a frozen seed failed under a row that cannot be used",
        TrialReason::UncoveredFail => "a property failed that no freeze covers",
        TrialReason::FrozenRegression => "a frozen seed passes sometimes on base, never here",
        TrialReason::FreezeStableFailure => "a frozen seed always fails on base",
        TrialReason::BytesChanged => "pinned bytes changed while a check ran",
        TrialReason::NothingScored => "no property is left that scores",
        TrialReason::FreezeHit => "a frozen seed failed",
    }
}

fn section(out: &mut String, trial: &Trial, title: &str, belongs: impl Fn(&CheckRun) -> bool) {
    let mut runs = trial.checks.iter().filter(|run| belongs(run)).peekable();
    if runs.peek().is_none() {
        return;
    }
    let _infallible = write!(out, "\n{title}\n");
    for run in runs {
        line(out, trial, run);
    }
}

fn line(out: &mut String, trial: &Trial, run: &CheckRun) {
    let seed = run.seed.as_ref().filter(|_| run.property.is_some());
    let seed = seed
        .map(|seed| format!(" seed {}", shown(seed)))
        .unwrap_or_default();
    let tree = match run.revision {
        Revision::Base => " on base",
        Revision::Witness => " on its witness",
        Revision::Candidate => "",
    };
    let power = trial
        .power
        .iter()
        .find(|power| Some(&power.property_id) == run.property.as_ref());
    let power =
        power.filter(|_| run.revision == Revision::Candidate && run.outcome == Outcome::Pass);
    let power = match power.map(|power| power.power) {
        Some(Power::BaseFail) => ", fails on base",
        Some(Power::Witness) => ", fails on its witness",
        Some(Power::Claimed) | None => "",
    };
    let note = match run.details.note.as_str() {
        "" => String::new(),
        note => format!(": {}", visible(note)),
    };
    let text = format!("{}{seed}{tree}{power}{note}", run.subject());
    fold(out, &format!("  {:<15}", word(run)), &" ".repeat(17), &text);
}

fn word(run: &CheckRun) -> &'static str {
    if run.class == Some(Class::FreezeHit) {
        "freeze hit"
    } else {
        outcome(run)
    }
}

/// How a run ended, in words.
pub(super) fn outcome(run: &CheckRun) -> &'static str {
    match (run.outcome, run.reason) {
        (Outcome::NotRun, Some(RunReason::NotConfigured)) => "not configured",
        (Outcome::Pass, _) => "pass",
        (Outcome::FlakyPass, _) => "flaky pass",
        (Outcome::Fail, _) => "fail",
        (Outcome::Timeout, _) => "timeout",
        (Outcome::Signal, _) => "signal",
        (Outcome::Oom, _) => "out of memory",
        (Outcome::Leak, _) => "leak",
        (Outcome::OutputLimit, _) => "output limit",
        (Outcome::Tamper, _) => "tamper",
        (Outcome::Error, _) => "error",
        (Outcome::NotRun, _) => "not run",
    }
}
