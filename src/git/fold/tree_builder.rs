//! Builds the tree that is HEAD's tree with some files added.

use std::collections::BTreeMap;

use gix::objs::Kind;

use super::error::FoldError;
use super::pack::Pack;
use crate::git::Repo;
use crate::git::tree::{Directory, Entry, tree_order};
use crate::model::ids::{EntryState, ObjectId};
use crate::model::path::RepoPath;

const REGULAR: u32 = 0o100_644;

/// The blobs of the additions, by path.
pub(super) type Blobs = BTreeMap<RepoPath, ObjectId>;

/// Writes the trees that change and says which is the root. Nothing outside the given paths changes;
/// a file is never taken for a directory, nor the other way round.
pub(super) fn build_tree(
    repo: &Repo,
    pack: &mut Pack<'_>,
    base: Option<ObjectId>,
    blobs: &Blobs,
) -> Result<ObjectId, FoldError> {
    let files: Vec<File<'_>> = blobs
        .iter()
        .map(|(path, id)| (path.as_str(), *id))
        .collect();
    TreeBuilder { repo, pack }.tree(base, &files, 0)
}

type File<'f> = (&'f str, ObjectId);

struct TreeBuilder<'a, 'p> {
    repo: &'a Repo,
    pack: &'a mut Pack<'p>,
}

impl TreeBuilder<'_, '_> {
    /// The tree of the directory whose name, with its slash, is the first `at` bytes of each path.
    fn tree(
        &mut self,
        base: Option<ObjectId>,
        files: &[File<'_>],
        at: usize,
    ) -> Result<ObjectId, FoldError> {
        let mut directory = base.map_or(Ok(Directory::new()), |base| self.repo.directory(base))?;
        for group in files.chunk_by(|one, other| name(one, at) == name(other, at)) {
            let name = name(&group[0], at);
            let old = directory.get(name.as_bytes()).copied();
            let new = self.entry(old, group, at + name.len())?;
            directory.insert(name.as_bytes().to_vec(), new);
        }
        self.pack.add(Kind::Tree, &tree_bytes(&directory))
    }

    /// What stands at the first `end` bytes of each path.
    fn entry(
        &mut self,
        old: Option<EntryState>,
        group: &[File<'_>],
        end: usize,
    ) -> Result<EntryState, FoldError> {
        let (path, id) = group[0];
        let is_file = path.len() == end;
        let stands_in_way = old.is_some_and(|old| (old.mode == EntryState::TREE) == is_file);
        if stands_in_way || (is_file && group.len() > 1) {
            return Err(FoldError::InTheWay {
                path: path[..end].to_owned(),
                holder: "HEAD",
            });
        }
        match is_file {
            true => Ok(EntryState { mode: REGULAR, id }),
            false => {
                let id = self.tree(old.map(|old| old.id), group, end + 1)?;
                Ok(EntryState {
                    mode: EntryState::TREE,
                    id,
                })
            }
        }
    }
}

fn name<'f>(file: &File<'f>, at: usize) -> &'f str {
    file.0[at..].split('/').next().unwrap_or_default()
}

fn tree_bytes(directory: &Directory) -> Vec<u8> {
    let mut entries: Vec<Entry<'_>> = directory
        .iter()
        .map(|(name, state)| (name.as_slice(), *state))
        .collect();
    entries.sort_by(tree_order);
    let mut bytes = Vec::new();
    for (name, state) in entries {
        bytes.extend_from_slice(format!("{:o} ", state.mode).as_bytes());
        bytes.extend_from_slice(name);
        bytes.push(0);
        bytes.extend_from_slice(state.id.as_bytes());
    }
    bytes
}
