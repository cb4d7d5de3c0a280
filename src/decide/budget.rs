//! Computes how long a re-run of tier 1 may take.

use crate::exit::{Explained, Explanation};
use crate::model::refusal::Code;
use crate::model::reverification::{Budget, BudgetSource};
use crate::policy::Tier1;

/// How many past runs count, newest first.
pub const HISTORY: usize = 20;
/// With fewer past runs than this, they say nothing.
pub const ENOUGH: usize = 5;

/// More is needed than the policy lets a run have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tier 1 needs {need_s} s ({basis}, and {margin} of it), more than tier1.max_s, {max_s} s")]
pub struct BudgetFault {
    /// What is needed.
    pub need_s: u64,
    /// What the need rests on, with the key of the policy.
    pub basis: String,
    /// The key and value of the margin.
    pub margin: String,
    /// The most there is.
    pub max_s: u64,
}

impl Explained for BudgetFault {
    fn explain(&self) -> Explanation {
        Explanation::undecided()
            .code(Code::PolicyInvalid)
            .fix(format!(
                "raise tier1.max_s to {} or more, or state a shorter runtime",
                self.need_s
            ))
    }
}

/// The budget: max(tool budget, max(stated runtime, p95 of past durations) x (1 + margin)).
///
/// `past_ms` holds the durations of past runs that passed, in milliseconds, newest first. Those
/// that ran out of time teach nothing but the cap.
///
/// # Errors
/// When that is above the cap: a mistake of the policy, to be told before the run and not by a
/// timeout after it.
pub fn budget(tier1: &Tier1, past_ms: &[u64]) -> Result<Budget, BudgetFault> {
    let stated_ms = (tier1.suite_runtime_s.unwrap_or(0.0) * 1000.0).round() as u64;
    let past_ms = p95(past_ms).unwrap_or(0);
    let (runtime_ms, source) = match past_ms > stated_ms {
        true => (past_ms, BudgetSource::History),
        false => (stated_ms, BudgetSource::Manifest),
    };
    let need_s = with_margin(runtime_ms, tier1.margin);
    if need_s > tier1.max_s {
        let stated = match source {
            BudgetSource::History => "the p95 of past runs",
            BudgetSource::Manifest | BudgetSource::Default => "tier1.suite_runtime_s",
        };
        let basis = format!("{stated} = {}.{:03}", runtime_ms / 1000, runtime_ms % 1000);
        let margin = format!("tier1.margin = {}", tier1.margin);
        return Err(BudgetFault {
            need_s,
            basis,
            margin,
            max_s: tier1.max_s,
        });
    }
    let tool_budget_s = tier1.tool_budget_s;
    let raised = need_s > tool_budget_s;
    let source = if raised {
        source
    } else {
        BudgetSource::Default
    };
    Ok(Budget {
        tool_budget_s,
        budget_s: need_s.max(tool_budget_s),
        source,
        raised,
    })
}

/// Whole seconds, rounded up; in integers, so that 100 s and a tenth are 110 s and not 111.
fn with_margin(runtime_ms: u64, margin: f64) -> u64 {
    let millionths = ((1.0 + margin) * 1e6).round() as u128;
    let need = (u128::from(runtime_ms) * millionths).div_ceil(1_000_000_000);
    u64::try_from(need).unwrap_or(u64::MAX)
}

/// The nearest-rank 95th percentile of the newest [`HISTORY`]; `None` of fewer than [`ENOUGH`].
fn p95(newest_first: &[u64]) -> Option<u64> {
    let mut recent = newest_first
        .iter()
        .copied()
        .take(HISTORY)
        .collect::<Vec<_>>();
    recent.sort_unstable();
    let rank = (recent.len() * 95).div_ceil(100);
    if recent.len() < ENOUGH {
        None
    } else {
        recent.get(rank - 1).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tier1(suite_runtime_s: Option<f64>) -> Tier1 {
        Tier1 {
            suite_runtime_s,
            ..Tier1::default()
        }
    }

    fn of(suite_runtime_s: Option<f64>, past_s: &[u64]) -> (u64, BudgetSource, bool) {
        let past: Vec<_> = past_s.iter().map(|seconds| seconds * 1000).collect();
        let budget = budget(&tier1(suite_runtime_s), &past).unwrap();
        (budget.budget_s, budget.source, budget.raised)
    }

    #[test]
    fn the_stated_runtime_and_its_margin_raise_the_budget() {
        assert_eq!(of(Some(390.0), &[]), (488, BudgetSource::Manifest, true));
        assert_eq!(of(None, &[]), (120, BudgetSource::Default, false));
        assert_eq!(of(Some(96.0), &[]), (120, BudgetSource::Default, false));
        assert_eq!(of(Some(96.1), &[]), (121, BudgetSource::Manifest, true));
        assert_eq!(of(Some(960.0), &[]), (1200, BudgetSource::Manifest, true));
    }

    #[test]
    fn sums_are_exact() {
        let tenth = Tier1 {
            margin: 0.1,
            tool_budget_s: 1,
            ..tier1(Some(100.0))
        };
        assert_eq!(budget(&tenth, &[]).unwrap().budget_s, 110);
        let none = Tier1 {
            margin: 0.0,
            tool_budget_s: 1,
            ..tier1(Some(100.001))
        };
        assert_eq!(budget(&none, &[]).unwrap().budget_s, 101);
    }

    #[test]
    fn past_runs_count_when_there_are_enough() {
        assert_eq!(of(None, &[400; 4]), (120, BudgetSource::Default, false));
        assert_eq!(of(None, &[400; 5]), (500, BudgetSource::History, true));
        assert_eq!(
            of(Some(390.0), &[400; 5]),
            (500, BudgetSource::History, true)
        );
        assert_eq!(
            of(Some(400.0), &[390; 5]),
            (500, BudgetSource::Manifest, true)
        );
        // the 19th of 20, so that one outlier says nothing and two do
        let with = |outliers: usize| [vec![800; outliers], vec![200; 20 - outliers]].concat();
        assert_eq!(of(None, &with(1)).0, 250);
        assert_eq!(of(None, &with(2)).0, 1000);
        // only the newest 20
        assert_eq!(of(None, &[vec![200; 20], vec![800; 20]].concat()).0, 250);
    }

    #[test]
    fn a_need_above_the_cap_is_told_with_the_keys() {
        let fault = budget(&tier1(Some(961.0)), &[]).unwrap_err().to_string();
        assert_eq!(
            fault,
            "tier 1 needs 1202 s (tier1.suite_runtime_s = 961.000, and tier1.margin = 0.25 of it), \
             more than tier1.max_s, 1200 s"
        );
        let fault = budget(&tier1(None), &[u64::MAX; 5]).unwrap_err();
        assert!(fault.need_s > 1200 && fault.max_s == 1200);
        assert!(fault.basis.contains("past runs"), "{fault}");
        assert!(budget(&tier1(Some(f64::MAX)), &[]).is_err());
    }
}
