//! Lists the paths of a tree that checks must not find as committed: material and bytecode.

use super::tree::{joined, too_deep};
use super::{GitError, Repo};
use crate::model::ids::{EntryState, ObjectId};
use crate::policy::path_class::Territory;

/// Where Python keeps what it compiled. It takes that for the source beside it, unseen when the file
/// says so, and whoever reads the source reads something else.
const BYTECODE: &[u8] = b"__pycache__";

impl Repo {
    /// Every entry of a tree that is material or bytecode, by its raw path.
    ///
    /// # Errors
    /// When a tree is absent, unreadable or nested too deeply.
    pub fn unlaid_paths(
        &self,
        tree: ObjectId,
        territory: &Territory,
    ) -> Result<Vec<Vec<u8>>, GitError> {
        let (mut found, mut left) = (Vec::new(), vec![(Vec::new(), tree, territory.root(), 0)]);
        while let Some((path, tree, spot, depth)) = left.pop() {
            too_deep(tree, depth)?;
            for (name, entry) in self.directory(tree)? {
                let spot = spot.child(&name);
                let path = joined(&path, &name);
                if spot.marks().material || name == BYTECODE {
                    self.leaves(entry, &path, &mut |path, _| found.push(path.to_vec()))?;
                } else if entry.mode == EntryState::TREE {
                    left.push((path, entry.id, spot, depth + 1));
                }
            }
        }
        Ok(found)
    }
}
