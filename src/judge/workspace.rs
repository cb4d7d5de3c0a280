//! Where do runs take place that are no trial: which trees, and who starts and ends processes?

use std::collections::BTreeSet;

use super::budgets::Budgets;
use super::fault::TrialError;
use super::isolation::Jail;
use super::properties::Session;
use super::run::Bench;
use super::tree_plan::Trees;
use super::trial::Court;
use super::workdir::Source;
use crate::decide::facts::Material;
use crate::git::apply::Borrower;
use crate::git::plumbing::GitPlace;
use crate::model::ids::ObjectId;
use crate::model::trial::Revision;
use crate::policy::Policy;
use crate::policy::path_class::Territory;
use crate::sandbox::run::Runner;
use crate::sys::scratch::Scratch;

/// A directory of our own, and a store for objects in it that borrows from the repository.
pub(super) struct Ground {
    pub(super) borrower: Borrower,
    scratch: Scratch,
}

/// What runs are made from.
pub(super) struct Scene<'a> {
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
}

impl Court<'_> {
    /// A place to run in; gone when it is dropped.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn ground(&self) -> Result<Ground, TrialError> {
        let scratch = Scratch::temporary()?;
        let place = GitPlace::find(&self.dir, self.git_dir.as_deref())?;
        let borrower = Borrower::new(&place, self.repo.hex_len(), &scratch.path().join("objects"))?;
        Ok(Ground { borrower, scratch })
    }

    /// Lets `act` run properties in a scene. Nothing is taken from a cache.
    ///
    /// # Errors
    /// Those of `act`, and when the scene cannot be set.
    pub(super) fn on_stage<T>(
        &self,
        ground: &Ground,
        scene: Scene<'_>,
        act: impl FnOnce(&Session<'_>) -> Result<T, TrialError>,
    ) -> Result<T, TrialError> {
        let territory = Territory::of(scene.policy);
        let mut trees = Trees::new(&ground.borrower, territory, scene.material, scene.apart)?;
        scene
            .roots
            .into_iter()
            .for_each(|(revision, root)| trees.add(revision, root));
        let runner = Runner::new(self.interrupt.clone())?;
        let scratch = ground.scratch.path();
        let jail = Jail::probe(&runner, scratch)?;
        let source = Source::new(trees.repo(), jail, self.interrupt)?;
        let bench = Bench {
            policy: scene.policy,
            budgets: &scene.budgets,
            source: &source,
            runner: &runner,
            scratch,
        };
        act(&Session {
            bench: &bench,
            trees: &trees,
            cache: None,
        })
    }
}
