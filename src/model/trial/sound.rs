//! Tells whether a record of a trial contradicts itself.

use super::{
    CheckKind, CheckRun, Outcome, RunReason, TRIAL_SCHEMA, Trial, TrialReason, TrialVerdict,
};
use crate::model::image::RunnerImage;
use crate::model::record::{Record, RecordFault};

impl Record for Trial {
    const SCHEMA: &'static str = TRIAL_SCHEMA;

    fn schema_member(&self) -> &str {
        &self.schema
    }

    fn check(&self) -> Result<(), RecordFault> {
        let id = &self.image.id;
        id.parse::<RunnerImage>()
            .map_err(|error| RecordFault::of("image.id", id, error.fault))?;
        sorted("touched", &self.touched)?;
        sorted("reasons", &self.reasons)?;
        let lists = [
            ("online", &self.online),
            ("unwitnessed", &self.unwitnessed),
            ("held", &self.held),
            ("illegal_freeze", &self.illegal_freeze),
            ("uncovered_fail", &self.uncovered_fail),
        ];
        lists
            .into_iter()
            .try_for_each(|(field, list)| sorted(field, list))?;
        for (at, run) in self.checks.iter().enumerate() {
            let field = format!("checks[{at}].opened");
            run.opened
                .as_ref()
                .map_or(Ok(()), |opened| sorted(&field, opened))?;
            if run.signal.is_some() && (run.exit.is_some() || run.outcome == Outcome::Pass) {
                let ended = format!(
                    "{:?}, exit {:?}, signal {:?}",
                    run.outcome, run.exit, run.signal
                );
                return Err(RecordFault::of(
                    &format!("checks[{at}]"),
                    ended,
                    "one end, and a signal of no pass",
                ));
            }
        }
        self.check_verdict()
    }
}

impl Trial {
    /// Refuses a verdict that its own lists contradict.
    fn check_verdict(&self) -> Result<(), RecordFault> {
        let refuse = |observed, expected: &str| Err(RecordFault::of("verdict", observed, expected));
        let has = |reason| self.reasons.contains(&reason);
        let ran_nothing = has(TrialReason::Infra) || has(TrialReason::EmptyBlob);
        let reasons = [
            (TrialReason::CanaryBad, &self.canary_bad),
            (TrialReason::IllegalFreeze, &self.illegal_freeze),
            (TrialReason::UncoveredFail, &self.uncovered_fail),
        ];
        for (reason, list) in reasons {
            if has(reason) == list.is_empty() {
                return Err(RecordFault::of(
                    "reasons",
                    format!("{reason:?}"),
                    "the reasons of its own lists",
                ));
            }
        }
        match self.verdict {
            TrialVerdict::Reject
                if self
                    .reasons
                    .iter()
                    .all(|reason| *reason == TrialReason::FreezeHit) =>
            {
                refuse("reject", "a reason for it")
            }
            TrialVerdict::Reject if ran_nothing && !self.checks.is_empty() => {
                refuse("reject", "no run after a fault of the draft channel")
            }
            TrialVerdict::Reject => Ok(()),
            TrialVerdict::Hold
                if self.held.is_empty() || self.reasons != [TrialReason::FreezeHit] =>
            {
                refuse("hold", "a held property and no other reason")
            }
            TrialVerdict::Admit if !self.reasons.is_empty() || !self.held.is_empty() => {
                refuse("admit", "no reason and nothing held")
            }
            TrialVerdict::Hold | TrialVerdict::Admit if self.misses() || self.missed_canary() => {
                refuse("no reject", "reject, since something missed")
            }
            TrialVerdict::Hold | TrialVerdict::Admit if self.blob.is_none() => {
                refuse("no reject", "reject, since there is no patch")
            }
            TrialVerdict::Hold => Ok(()),
            TrialVerdict::Admit => self.check_pass(),
        }
    }

    /// Nothing is admitted without a property that passed on the candidate.
    fn check_pass(&self) -> Result<(), RecordFault> {
        let passed =
            |run: &CheckRun| run.kind == CheckKind::Property && run.outcome == Outcome::Pass;
        match self.candidate_tree.is_some() && self.candidate_runs().any(passed) {
            true => Ok(()),
            false => Err(RecordFault::of(
                "verdict",
                "admit",
                "a property that passed on the candidate",
            )),
        }
    }

    fn misses(&self) -> bool {
        [&self.canary_bad, &self.illegal_freeze, &self.uncovered_fail]
            .iter()
            .any(|list| !list.is_empty())
    }

    /// A canary that is anything but a pass; one without a command is shown and counts nothing.
    fn missed_canary(&self) -> bool {
        self.candidate_runs().any(|run| {
            run.kind == CheckKind::Canary
                && run.outcome != Outcome::Pass
                && (run.outcome, run.reason) != (Outcome::NotRun, Some(RunReason::NotConfigured))
        })
    }
}

fn sorted<T: Ord>(field: &str, list: &[T]) -> Result<(), RecordFault> {
    match list.is_sorted_by(|a, b| a < b) {
        true => Ok(()),
        false => Err(RecordFault::of(
            field,
            "another order",
            "each element once, in order",
        )),
    }
}
