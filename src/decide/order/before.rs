//! Tells whether something stands before every patch commit in the state that it has at tip.

use std::sync::Arc;

use super::delta::Pairs;
use crate::decide::facts::{CommitFacts, Material};
use crate::model::ids::CommitId;

/// The patch commits of a range, asked about one thing after another.
pub struct Before<'a> {
    pairs: Pairs<'a>,
    landed: &'a [Arc<Material>],
    /// Whether there is a patch at all.
    pub has_patch: bool,
}

impl<'a> Before<'a> {
    /// `landed` is what protected tips hold: what they hold as tip does landed there, and is never
    /// held against a branch that merged it.
    pub fn of(commits: &'a [CommitFacts], landed: &'a [Arc<Material>]) -> Self {
        let patches: Vec<_> = commits.iter().filter(|commit| commit.is_patch()).collect();
        Self {
            pairs: Pairs::of(&patches),
            landed,
            has_patch: !patches.is_empty(),
        }
    }

    /// The first patch commit with a parent that does not hold it so; none when it stands before
    /// every patch commit.
    pub fn broken_by(&self, holds: impl Fn(&Material) -> bool) -> Option<CommitId> {
        if self.landed.iter().any(|material| holds(material)) {
            return None;
        }
        self.pairs
            .broken_by(|material| holds(material))
            .map(|commit| commit.id)
    }
}
