//! What does the property of one row show at HEAD, seed by seed? Nothing is decided or written.

use std::collections::BTreeSet;

use super::budgets::Budgets;
use super::fault::TrialError;
use super::lines::{Line, Lines};
use super::properties::{Property, plan};
use super::trial::Court;
use super::workspace::Scene;
use crate::decide::enforced::online;
use crate::decide::facts::Material;
use crate::evidence::range_context::read_policy;
use crate::evidence::{GateError, at_head};
use crate::model::ids::OracleId;
use crate::model::refusal::Code;
use crate::model::trial::{Enforced, Revision};
use crate::policy::Policy;

/// What was tried.
#[derive(Debug)]
pub struct Attempt {
    /// The row.
    pub id: OracleId,
    /// The check that ran it.
    pub check: String,
    /// Every run.
    pub lines: Lines,
    /// Whether two seeds led to the same draws, where the tool says so.
    pub ignores_seed: bool,
    /// What was enforced while it ran.
    pub enforced: Enforced,
    /// The check, when it ran with the network open.
    pub online: Vec<String>,
}

impl Court<'_> {
    /// Runs the property of a row at HEAD, under HEAD's own policy, once for each seed of its check.
    ///
    /// # Errors
    /// When HEAD holds no such row, or it is not known how a run ended.
    pub fn attempt(&self, id: &OracleId) -> Result<Attempt, TrialError> {
        let head = self.repo.head()?.ok_or(GateError::Unborn)?;
        let line = || TrialError::NotUnderReins {
            line: "HEAD".to_owned(),
        };
        let policy = read_policy(self.repo, head)?.ok_or_else(line)?;
        let material = at_head(self.repo)?.ok_or_else(line)?;
        let row = material
            .oracle_rows()
            .iter()
            .filter(|row| row.oracle_id == id.as_str());
        let rows: Vec<_> = row.cloned().collect();
        let properties = plan(&policy, &rows, &[], &std::collections::BTreeMap::new())?;
        let property = properties.first().ok_or_else(|| unknown(id))?;
        self.attempt_property(&policy, &material, property)
    }

    fn attempt_property(
        &self,
        policy: &Policy,
        material: &Material,
        property: &Property<'_>,
    ) -> Result<Attempt, TrialError> {
        let head = self.repo.head()?.ok_or(GateError::Unborn)?;
        let roots = vec![(Revision::Base, self.repo.commit(head)?.tree)];
        let scene = Scene {
            policy,
            material,
            apart: BTreeSet::new(),
            budgets: Budgets::default(),
            roots,
        };
        let (lines, ignores_seed, enforced) = self.on_stage(&self.ground()?, scene, |session| {
            let mut lines = Lines::default();
            session.on_base(property, &mut lines)?;
            let ignores_seed = session.ignores_seed(property, &lines.0)?;
            Ok((lines, ignores_seed, session.bench.source.jail().enforced()))
        })?;
        let (id, check) = (property.id.clone(), property.check.id.clone());
        let runs: Vec<_> = lines.0.iter().map(Line::record).collect();
        Ok(Attempt {
            id,
            check,
            online: online(policy, &runs),
            lines,
            ignores_seed,
            enforced,
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
