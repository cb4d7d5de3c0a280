//! Finds the commits of the range that descend from a given one.

use std::collections::BTreeSet;

use crate::decide::facts::CommitFacts;
use crate::model::ids::CommitId;

/// The descendants of a commit in the range, itself left out.
pub(super) fn descendants(commits: &[CommitFacts], of: CommitId) -> BTreeSet<CommitId> {
    let mut reached = BTreeSet::from([of]);
    for commit in commits {
        let stands = commit
            .parents
            .iter()
            .any(|parent| parent.id.is_some_and(|id| reached.contains(&id)));
        if stands {
            reached.insert(commit.id);
        }
    }
    reached.remove(&of);
    reached
}
