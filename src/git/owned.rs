//! Finds the paths at which a commit differs from every parent.

use std::collections::BTreeMap;

use super::tree::{joined, too_deep};
use super::{GitError, Repo};
use crate::model::ids::{EntryState, ObjectId};

/// One path at which a tree differs from every other tree that it is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Step<'p> {
    /// The path, raw.
    pub path: &'p [u8],
    /// What the tree holds there, when that is no directory.
    pub leaf: Option<EntryState>,
    /// Whether this is a directory on some side, and its inside comes next.
    pub is_directory: bool,
    /// Whether a differing leaf is certain: at a leaf, or when there is one other tree only.
    pub is_certain: bool,
}

/// What to do with a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// Look inside.
    Enter,
    /// Its inside does not matter.
    Skip,
}

/// Trees that are compared at one path.
struct Place {
    path: Vec<u8>,
    new: Option<ObjectId>,
    olds: Vec<Option<ObjectId>>,
    depth: usize,
}

impl Repo {
    /// Walks the paths at which `new` differs from every tree of `olds`, in no particular order.
    ///
    /// With one old tree this is the plain difference of two trees. `None` is the empty tree.
    ///
    /// # Errors
    /// When a tree is absent, unreadable or nested too deeply.
    pub fn owned(
        &self,
        new: Option<ObjectId>,
        olds: &[Option<ObjectId>],
        visit: &mut dyn FnMut(Step<'_>) -> Go,
    ) -> Result<(), GitError> {
        let mut stack = vec![Place {
            path: Vec::new(),
            new,
            olds: olds.to_vec(),
            depth: 0,
        }];
        while let Some(place) = stack.pop() {
            let root = place.new.or_else(|| place.olds.iter().find_map(|old| *old));
            too_deep(root.unwrap_or_else(|| self.empty_tree()), place.depth)?;
            for (name, new, olds) in self.owned_names(&place)? {
                let path = joined(&place.path, &name);
                if let Some(inside) = step(path, new, &olds, place.depth, visit) {
                    stack.push(inside);
                }
            }
        }
        Ok(())
    }

    /// The names at one place whose entry differs on every side.
    fn owned_names(&self, place: &Place) -> Result<Vec<OwnedName>, GitError> {
        let mut sides = place.olds.iter().map(|old| self.differing(place.new, *old));
        let Some(first) = sides.next().transpose()? else {
            return Ok(Vec::new());
        };
        let mut names: BTreeMap<_, _> = first
            .into_iter()
            .map(|(name, side)| (name, (side.new, vec![side.old])))
            .collect();
        for other in sides {
            let mut other = other?;
            names.retain(|name, (_, olds)| {
                other.remove(name).map(|side| olds.push(side.old)).is_some()
            });
        }
        Ok(names
            .into_iter()
            .map(|(name, (new, olds))| (name, new, olds))
            .collect())
    }
}

type OwnedName = (Vec<u8>, Option<EntryState>, Vec<Option<EntryState>>);

/// Visits one owned name; returns its inside when that has to be walked.
fn step(
    path: Vec<u8>,
    new: Option<EntryState>,
    olds: &[Option<EntryState>],
    depth: usize,
    visit: &mut dyn FnMut(Step<'_>) -> Go,
) -> Option<Place> {
    let tree = |entry: &Option<EntryState>| {
        entry
            .filter(|entry| entry.mode == EntryState::TREE)
            .map(|entry| entry.id)
    };
    let leaf = |entry: &Option<EntryState>| entry.filter(|entry| entry.mode != EntryState::TREE);
    let new_leaf = leaf(&new);
    if olds.iter().all(|old| leaf(old) != new_leaf) {
        visit(Step {
            path: &path,
            leaf: new_leaf,
            is_directory: false,
            is_certain: true,
        });
    }
    let inside = Place {
        new: tree(&new),
        olds: olds.iter().map(tree).collect(),
        depth: depth + 1,
        path,
    };
    if inside.new.is_none() && inside.olds.iter().all(Option::is_none) {
        return None;
    }
    let is_certain = olds.len() == 1;
    let go = visit(Step {
        path: &inside.path,
        leaf: None,
        is_directory: true,
        is_certain,
    });
    (go == Go::Enter).then_some(inside)
}
