//! Finds the parents of patch commits that have to hold the state of tip.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::view::{View, Views};
use crate::decide::facts::{CommitFacts, Facts, Held, Material};

/// What every part of the order decision looks at.
pub(super) struct Case<'a> {
    pub(super) facts: &'a Facts,
    pub(super) views: &'a Views<'a>,
    pub(super) pairs: &'a Pairs<'a>,
}

impl<'a> Case<'a> {
    pub(super) fn tip(&self) -> &View<'a> {
        self.views.get(&self.facts.tip.material)
    }

    /// Whether a protected tip holds something as tip does, so that it landed there.
    pub(super) fn landed(&self, holds: impl Fn(&View<'a>, &Material) -> bool) -> bool {
        let protected = self.facts.protected.iter();
        protected
            .map(|held: &Held| &held.material)
            .any(|material| holds(self.views.get(material), material))
    }

    /// The first patch commit with a parent that does not hold something as tip does.
    pub(super) fn broken_by(
        &self,
        holds: impl Fn(&View<'a>, &Material) -> bool,
    ) -> Option<&'a CommitFacts> {
        self.pairs
            .broken_by(|material| holds(self.views.get(material), material))
    }
}

/// The patch commits, grouped by the material that one of their parents holds.
pub(super) struct Pairs<'a> {
    pub(super) groups: Vec<Group<'a>>,
}

/// Patch commits whose parents hold the same material.
pub(super) struct Group<'a> {
    pub(super) material: &'a Arc<Material>,
    pub(super) commits: Vec<&'a CommitFacts>,
}

impl<'a> Pairs<'a> {
    pub(super) fn of(patches: &[&'a CommitFacts]) -> Self {
        let mut positions = BTreeMap::new();
        let mut groups: Vec<Group<'a>> = Vec::new();
        for commit in patches {
            for material in bound_parents(commit) {
                let at = *positions
                    .entry(Arc::as_ptr(material) as usize)
                    .or_insert_with(|| {
                        groups.push(Group {
                            material,
                            commits: Vec::new(),
                        });
                        groups.len() - 1
                    });
                groups[at].commits.push(commit);
            }
        }
        Self { groups }
    }

    /// The first patch commit with a parent whose material does not hold something.
    pub(super) fn broken_by(
        &self,
        holds: impl Fn(&Arc<Material>) -> bool,
    ) -> Option<&'a CommitFacts> {
        let broken = self.groups.iter().find(|group| !holds(group.material));
        broken.and_then(|group| group.commits.first().copied())
    }
}

/// The parents that have to hold the state of tip: all, but in a merge those on a protected
/// line, as long as another parent is not on one.
fn bound_parents(commit: &CommitFacts) -> impl Iterator<Item = &Arc<Material>> {
    let spares =
        commit.parents.len() > 1 && commit.parents.iter().any(|parent| !parent.is_protected);
    let bound = commit
        .parents
        .iter()
        .filter(move |parent| !(spares && parent.is_protected));
    bound.map(|parent| &parent.material)
}
