//! Computes the tree of a commit without its material.

use gix::objs::Kind;

use super::tree::too_deep;
use super::{GitError, Repo, chain, ours};
use crate::model::ids::{EntryState, ObjectId};
use crate::policy::path_class::{Spot, Territory};

impl Repo {
    /// The code tree of a tree: the tree that git would write of what is no material, exempt paths
    /// included. It is hashed and never stored.
    ///
    /// Only the directories above the material are read, so a commit that touches nothing but
    /// material (ledgers, a folded verdict) has the code tree of its parent.
    ///
    /// # Errors
    /// When a tree above the material is absent, unreadable or nested too deeply.
    pub fn code_tree(&self, tree: ObjectId, territory: &Territory) -> Result<ObjectId, GitError> {
        let left = self.without_material(tree, territory.root(), 0)?;
        Ok(left.unwrap_or_else(|| self.empty_tree()))
    }

    /// What is left of one directory; `None` when nothing is, since git keeps no empty directory.
    fn without_material(
        &self,
        tree: ObjectId,
        spot: Spot<'_>,
        depth: usize,
    ) -> Result<Option<ObjectId>, GitError> {
        if spot.is_uniform() {
            return Ok((!spot.marks().material).then_some(tree));
        }
        too_deep(tree, depth)?;
        let mut left = Vec::new();
        for (name, state) in self.directory_in_order(tree)? {
            let inside = spot.child(&name);
            let id = match state.mode == EntryState::TREE {
                true => self.without_material(state.id, inside, depth + 1)?,
                false => (!inside.marks().material).then_some(state.id),
            };
            if let Some(id) = id {
                left.extend(format!("{:o} ", state.mode).into_bytes());
                left.extend(name);
                left.push(0);
                left.extend(id.as_bytes());
            }
        }
        if left.is_empty() {
            return Ok(None);
        }
        let hashed = gix::objs::compute_hash(self.inner.object_hash(), Kind::Tree, &left);
        let id = hashed.map_err(|error| GitError::Unreadable {
            id: tree,
            why: chain(&error),
        })?;
        Ok(Some(ours(id)))
    }
}
