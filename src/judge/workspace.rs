//! Prepares what runs need: a directory, the trees, and the means that isolate them.

use std::collections::{BTreeMap, BTreeSet};

use super::budgets::Budgets;
use super::cache::Cache;
use super::fault::TrialError;
use super::isolation::Isolation;
use super::properties::PropertyRunner;
use super::run::Executor;
use super::runner::TrialRunner;
use super::tree_plan::TreePlan;
use super::workdir::Workdirs;
use crate::decide::facts::Material;
use crate::git::apply::ScratchRepo;
use crate::git::plumbing::GitPlace;
use crate::model::ids::{ObjectId, OracleId};
use crate::model::trial::Revision;
use crate::policy::Policy;
use crate::policy::path_class::Territory;
use crate::sandbox::run::Runner;
use crate::sys::scratch::Scratch;

/// A directory of our own, a store for objects in it that borrows from the repository, and what
/// starts and ends processes.
pub(super) struct Workspace {
    pub(super) place: GitPlace,
    pub(super) scratch_repo: ScratchRepo,
    runner: Runner,
    scratch: Scratch,
}

/// What runs are made from.
pub(super) struct RunInputs<'a> {
    /// The policy that judges.
    pub(super) policy: &'a Policy,
    /// The material that is laid over every tree.
    pub(super) material: &'a Material,
    /// The property files of rows that do not score.
    pub(super) apart: BTreeSet<String>,
    /// How long runs may take.
    pub(super) budgets: Budgets,
    /// The whole tree of each revision.
    pub(super) roots: Vec<(Revision, ObjectId)>,
    /// The whole trees of known-bad patches.
    pub(super) witnesses: BTreeMap<OracleId, ObjectId>,
    /// What is known of base; none when everything is to be run.
    pub(super) cache: Option<&'a Cache>,
}

impl TrialRunner<'_> {
    /// A place to run in; gone when it is dropped.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn workspace(&self) -> Result<Workspace, TrialError> {
        let scratch = Scratch::temporary()?;
        let place = GitPlace::find(&self.dir, self.git_dir.as_deref())?;
        let scratch_repo =
            ScratchRepo::new(&place, self.repo.hex_len(), &scratch.path().join("objects"))?;
        Ok(Workspace {
            place,
            scratch_repo,
            runner: Runner::new(self.interrupt.clone())?,
            scratch,
        })
    }

    /// Lets `act` run checks on the trees of these inputs.
    ///
    /// # Errors
    /// Those of `act`, and when the trees cannot be made.
    pub(super) fn with_trees<T>(
        &self,
        workspace: &Workspace,
        isolation: Isolation<'_>,
        inputs: RunInputs<'_>,
        act: impl FnOnce(&PropertyRunner<'_>) -> Result<T, TrialError>,
    ) -> Result<T, TrialError> {
        let territory = Territory::of(inputs.policy);
        let mut trees = TreePlan::new(
            &workspace.scratch_repo,
            territory,
            inputs.material,
            inputs.apart,
        )?;
        for (revision, root) in inputs.roots {
            trees.add(revision, root);
        }
        trees.add_witnesses(inputs.witnesses);
        let workdirs = Workdirs::new(trees.repo(), isolation, self.interrupt)?;
        let executor = Executor {
            policy: inputs.policy,
            budgets: &inputs.budgets,
            workdirs: &workdirs,
            runner: &workspace.runner,
            scratch: workspace.scratch.path(),
        };
        act(&PropertyRunner {
            executor: &executor,
            trees: &trees,
            cache: inputs.cache,
        })
    }
}

impl Workspace {
    /// Tries which means isolate runs here.
    ///
    /// # Errors
    /// When the try cannot be made, or a signal interrupts it.
    pub(super) fn isolation(&self) -> Result<Isolation<'_>, TrialError> {
        Isolation::probe(&self.runner, self.scratch.path())
    }
}
