//! Tells how long a run of a check may take. Decided before it runs, and from base only.

use std::collections::BTreeMap;

use super::fault::TrialError;
use crate::decide::budget::{HISTORY, budget};
use crate::evidence::trials::landed;
use crate::git::Repo;
use crate::model::ids::CommitId;
use crate::model::image::RunnerImage;
use crate::model::trial::{Image, Outcome, Revision, Trial};
use crate::policy::{Check, Policy, Tier1};

/// At most this many verdicts of base are read for it.
const MOST_READ: usize = 1000;

/// What every check may use, from what is stated and from what landed trials took.
#[derive(Clone, Debug, Default)]
pub struct Budgets {
    /// For each check the durations of runs that passed, in milliseconds, newest first.
    past: BTreeMap<String, Vec<u64>>,
}

impl Budgets {
    /// With the runs that passed in the trials that base holds, on an image of the same basis.
    ///
    /// # Errors
    /// When base cannot be read.
    pub fn on(
        repo: &Repo,
        policy: &Policy,
        base: CommitId,
        image: &Image,
    ) -> Result<Self, TrialError> {
        let trials = landed(repo, &policy.paths.history, base, MOST_READ)?;
        let mut budgets = Self::default();
        for trial in trials
            .iter()
            .filter(|trial| basis(&trial.image) == basis(image))
        {
            budgets.learn(trial);
        }
        Ok(budgets)
    }

    /// Newer trials come first, and those that ran out of time teach nothing.
    fn learn(&mut self, trial: &Trial) {
        let Some(timing) = trial
            .timing
            .as_ref()
            .filter(|timing| timing.checks_ms.len() == trial.checks.len())
        else {
            return;
        };
        for (run, ms) in trial.checks.iter().zip(&timing.checks_ms) {
            let past = self.past.entry(run.id.clone()).or_default();
            if run.outcome == Outcome::Pass
                && run.revision != Revision::Witness
                && past.len() < HISTORY
            {
                past.push(*ms);
            }
        }
    }

    /// How long one run of a check may take, in seconds.
    ///
    /// # Errors
    /// When it needs more than the policy lets it have.
    pub fn of(&self, check: &Check) -> Result<u64, TrialError> {
        self.raised(check, &[])
    }

    /// The same with durations of this trial that passed on base, in milliseconds.
    ///
    /// # Errors
    /// As above; what this trial showed alone never is one.
    pub fn raised(&self, check: &Check, passed_ms: &[u64]) -> Result<u64, TrialError> {
        let timeout = &check.timeout;
        let seen_s = passed_ms.iter().max().map(|ms| *ms as f64 / 1000.0);
        let tier1 = Tier1 {
            command: Vec::new(),
            tool_budget_s: timeout.budget_s,
            suite_runtime_s: timeout
                .measured_s
                .into_iter()
                .chain(seen_s)
                .reduce(f64::max),
            margin: timeout.margin,
            max_s: timeout.max_s,
        };
        match budget(&tier1, self.past.get(&check.id).map_or(&[], Vec::as_slice)) {
            Ok(budget) => Ok(budget.budget_s),
            Err(_) if !passed_ms.is_empty() => Ok(timeout.max_s),
            Err(fault) => Err(TrialError::Budget(format!(
                "check {} needs {} s (timeout.measured_s or the runs that passed before, and timeout.margin), \
                 more than timeout.max_s, {} s",
                check.id, fault.need_s, fault.max_s
            ))),
        }
    }
}

/// What an image id rests on; an id that is none rests on nothing known.
fn basis(image: &Image) -> Option<crate::model::image::Basis> {
    image
        .id
        .parse::<RunnerImage>()
        .ok()
        .map(|image| image.basis())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check() -> Check {
        let text = "schema = 1\n[[check]]\nid = \"props\"\nrun = [\"true\"]\n\
                    timeout = { budget_s = 4, margin = 0.25, max_s = 9 }\n";
        crate::policy::parse(text.as_bytes())
            .unwrap()
            .checks
            .remove(0)
    }

    fn known(past_ms: &[u64]) -> Budgets {
        Budgets {
            past: BTreeMap::from([("props".to_owned(), past_ms.to_vec())]),
        }
    }

    #[test]
    fn who_runs_out_of_time_has_once_more_what_base_needed_and_a_margin() {
        let raised = |passed_ms: &[u64]| Budgets::default().raised(&check(), passed_ms).unwrap();
        assert_eq!(Budgets::default().of(&check()).unwrap(), 4);
        assert_eq!(
            (
                raised(&[]),
                raised(&[3_000]),
                raised(&[100, 3_900]),
                raised(&[60_000])
            ),
            (4, 4, 5, 9)
        );
    }

    #[test]
    fn landed_runs_raise_a_budget_once_there_are_enough_of_them() {
        assert_eq!(known(&[5_000; 4]).of(&check()).unwrap(), 4);
        assert_eq!(known(&[5_000; 5]).of(&check()).unwrap(), 7);
        let fault = known(&[8_000; 5]).of(&check()).unwrap_err().to_string();
        assert!(
            fault.contains("needs 10 s") && fault.contains("timeout.max_s, 9 s"),
            "{fault}"
        );
    }
}
