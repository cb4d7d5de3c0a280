//! Runs the property of one row at HEAD, seed by seed. Nothing is decided or written.

use std::collections::{BTreeMap, BTreeSet};

use super::budgets::Budgets;
use super::fault::TrialError;
use super::properties::{Property, plan};
use super::runner::TrialRunner;
use super::workspace::RunInputs;
use crate::decide::enforced::online;
use crate::decide::facts::Material;
use crate::evidence::range_context::read_policy;
use crate::evidence::{GateError, at_head};
use crate::model::ids::OracleId;
use crate::model::refusal::Code;
use crate::model::trial::{CheckRun, Enforced, Revision};
use crate::policy::Policy;

/// What was tried.
#[derive(Debug)]
pub struct Attempt {
    /// The row.
    pub id: OracleId,
    /// The check that ran it.
    pub check: String,
    /// Every run.
    pub runs: Vec<CheckRun>,
    /// Whether two seeds led to the same draws, where the tool says so.
    pub ignores_seed: bool,
    /// What was enforced while it ran.
    pub enforced: Enforced,
    /// The check, when it ran with the network open.
    pub online: Vec<String>,
}

impl TrialRunner<'_> {
    /// Runs the property of a row at HEAD, under HEAD's own policy, once for each seed of its check.
    ///
    /// # Errors
    /// When HEAD holds no such row, or it is not known how a run ended.
    pub fn try_property(&self, id: &OracleId) -> Result<Attempt, TrialError> {
        let head = self.repo.head()?.ok_or(GateError::Unborn)?;
        let line = || GateError::NoPolicy {
            line: "HEAD".to_owned(),
        };
        let policy = read_policy(self.repo, head)?.ok_or_else(line)?;
        let material = at_head(self.repo)?.ok_or_else(line)?;
        let row = material
            .oracle_rows()
            .iter()
            .filter(|row| row.oracle_id == id.as_str());
        let rows: Vec<_> = row.cloned().collect();
        let properties = plan(&policy, &rows, &[], &BTreeMap::new())?;
        let property = properties.first().ok_or_else(|| unknown(id))?;
        self.try_at_head(&policy, &material, property)
    }

    fn try_at_head(
        &self,
        policy: &Policy,
        material: &Material,
        property: &Property<'_>,
    ) -> Result<Attempt, TrialError> {
        let head = self.repo.head()?.ok_or(GateError::Unborn)?;
        let roots = vec![(Revision::Base, self.repo.commit(head)?.tree)];
        let run_inputs = RunInputs {
            policy,
            material,
            apart: BTreeSet::new(),
            budgets: Budgets::default(),
            roots,
            witnesses: BTreeMap::new(),
            cache: None,
        };
        let workspace = self.workspace()?;
        let isolation = workspace.isolation()?;
        self.with_trees(&workspace, isolation, run_inputs, |runner| {
            let mut runs = Vec::new();
            runner.on_base(property, &mut runs)?;
            Ok(Attempt {
                id: property.id.clone(),
                check: property.check.id.clone(),
                ignores_seed: runner.ignores_seed(property, &runs)?,
                enforced: runner.executor.workdirs.isolation().enforced(),
                online: online(policy, &runs),
                runs,
            })
        })
    }
}

fn unknown(id: &OracleId) -> TrialError {
    TrialError::Refused {
        code: Code::OracleNotIndependent,
        message: format!("HEAD holds no oracle row {id}"),
        fix: "git reins oracle list; a row that is not committed is committed first: git reins oracle commit"
            .to_owned(),
    }
}
