//! Reads trees: one path, everything below a path, and the difference of two trees.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{GitError, Repo};
use crate::model::ids::{EntryState, ObjectId};

/// Trees nested deeper than this are refused: git itself stops at 2,048.
pub(super) const MAX_DEPTH: usize = 512;

/// The entries of one directory by raw name.
pub type Directory = BTreeMap<Vec<u8>, EntryState>;

/// What two directories say about one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sides {
    pub(super) new: Option<EntryState>,
    pub(super) old: Option<EntryState>,
}

/// An entry by its raw name.
pub(super) type Entry<'b> = (&'b [u8], EntryState);

/// What is left to read of a tree, and the entry before it.
struct TreeCursor<'b> {
    tree: ObjectId,
    bytes: &'b [u8],
    last: Option<Entry<'b>>,
}

/// The names in which two directories differ.
pub(super) type Differing = BTreeMap<Vec<u8>, Sides>;

/// A name on the way to the paths that [`Repo::entries_at`] looks up.
#[derive(Default)]
struct Wanted<'p> {
    /// The paths that end here, by number.
    ends: Vec<usize>,
    below: BTreeMap<&'p [u8], Wanted<'p>>,
    /// What stood here in the tree before.
    seen: Option<Option<EntryState>>,
}

impl Repo {
    /// The entries of a tree.
    ///
    /// # Errors
    /// When the tree is absent or unreadable.
    pub fn directory(&self, tree: ObjectId) -> Result<Directory, GitError> {
        let bytes = self.tree_bytes(tree)?;
        let mut entries = Directory::new();
        for entry in self.entries(tree, &bytes) {
            let (name, state) = entry?;
            if entries.insert(name.to_vec(), state).is_some() {
                return Err(named_twice(tree));
            }
        }
        Ok(entries)
    }

    /// The entries of a tree as they stand in it, the way its id counts them.
    pub(super) fn directory_in_order(
        &self,
        tree: ObjectId,
    ) -> Result<Vec<(Vec<u8>, EntryState)>, GitError> {
        let bytes = self.tree_bytes(tree)?;
        self.entries(tree, &bytes)
            .map(|entry| entry.map(|(name, state)| (name.to_vec(), state)))
            .collect()
    }

    /// What stands at a path below a tree; `None` when there is nothing.
    ///
    /// # Errors
    /// When a tree on the way is absent or unreadable.
    pub fn entry(&self, tree: ObjectId, path: &str) -> Result<Option<EntryState>, GitError> {
        let mut found = EntryState {
            mode: EntryState::TREE,
            id: tree,
        };
        for name in path.split('/') {
            if found.mode != EntryState::TREE {
                return Ok(None);
            }
            match self.child(found.id, name.as_bytes())? {
                Some(child) => found = child,
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    }

    /// What stands at some paths below each of many trees: a list for each path, in the order of the
    /// trees. What a tree shares with the one before it, as neighbours in a history do, is not read
    /// again.
    ///
    /// # Errors
    /// When a tree on the way is absent or unreadable.
    pub fn entries_at(
        &self,
        trees: impl IntoIterator<Item = ObjectId>,
        paths: &[&str],
    ) -> Result<Vec<Vec<Option<EntryState>>>, GitError> {
        let mut root = Wanted::default();
        for (at, path) in paths.iter().enumerate() {
            let names = path.split('/').map(str::as_bytes);
            let end = names.fold(&mut root, |wanted, name| {
                wanted.below.entry(name).or_default()
            });
            end.ends.push(at);
        }
        let mut now = vec![None; paths.len()];
        let mut all = vec![Vec::new(); paths.len()];
        for id in trees {
            let mode = EntryState::TREE;
            self.fill(&mut root, Some(EntryState { mode, id }), &mut now)?;
            for (states, state) in all.iter_mut().zip(&now) {
                states.push(*state);
            }
        }
        Ok(all)
    }

    /// Notes what stands at the wanted paths below an entry, where it is another one than before.
    fn fill(
        &self,
        wanted: &mut Wanted<'_>,
        entry: Option<EntryState>,
        now: &mut [Option<EntryState>],
    ) -> Result<(), GitError> {
        if wanted.seen == Some(entry) {
            return Ok(());
        }
        wanted.seen = Some(entry);
        for at in &wanted.ends {
            now[*at] = entry;
        }
        let mut found = BTreeMap::new();
        if let Some(tree) = entry.filter(|entry| entry.mode == EntryState::TREE)
            && !wanted.below.is_empty()
        {
            let bytes = self.tree_bytes(tree.id)?;
            for entry in self.entries(tree.id, &bytes) {
                let (name, state) = entry?;
                let is_wanted = wanted.below.contains_key(name);
                if is_wanted && found.insert(name.to_vec(), state).is_some() {
                    return Err(named_twice(tree.id));
                }
            }
        }
        for (name, below) in &mut wanted.below {
            self.fill(below, found.get(*name).copied(), now)?;
        }
        Ok(())
    }

    fn child(&self, tree: ObjectId, wanted: &[u8]) -> Result<Option<EntryState>, GitError> {
        let bytes = self.tree_bytes(tree)?;
        let mut found = None;
        for entry in self.entries(tree, &bytes) {
            let (name, state) = entry?;
            if name == wanted && found.replace(state).is_some() {
                return Err(named_twice(tree));
            }
        }
        Ok(found)
    }

    /// Every entry at or below a path that is no tree: `visit` gets its full path.
    ///
    /// # Errors
    /// When a tree is absent, unreadable or nested too deeply.
    pub fn leaves(
        &self,
        entry: EntryState,
        path: &[u8],
        visit: &mut dyn FnMut(&[u8], EntryState),
    ) -> Result<(), GitError> {
        let mut stack = vec![(path.to_vec(), entry, 0)];
        while let Some((path, entry, depth)) = stack.pop() {
            if entry.mode != EntryState::TREE {
                visit(&path, entry);
                continue;
            }
            too_deep(entry.id, depth)?;
            for (name, child) in self.directory(entry.id)? {
                stack.push((joined(&path, &name), child, depth + 1));
            }
        }
        Ok(())
    }

    /// The names in which two directories differ; an absent directory is empty.
    ///
    /// Both trees are read in step, so that the usual case, a handful of changes among hundreds of
    /// entries, allocates only for the changes.
    pub(super) fn differing(
        &self,
        new: Option<ObjectId>,
        old: Option<ObjectId>,
    ) -> Result<Differing, GitError> {
        let mut found = Differing::new();
        if new == old {
            return Ok(found);
        }
        let read =
            |tree: Option<ObjectId>| tree.map_or(Ok(Vec::new()), |tree| self.tree_bytes(tree));
        let (new_bytes, old_bytes) = (read(new)?, read(old)?);
        let name_of = |tree: Option<ObjectId>| {
            tree.unwrap_or_else(|| super::ours(gix::ObjectId::null(self.inner.object_hash())))
        };
        let mut news = TreeCursor {
            tree: name_of(new),
            bytes: &new_bytes,
            last: None,
        };
        let mut olds = TreeCursor {
            tree: name_of(old),
            bytes: &old_bytes,
            last: None,
        };
        loop {
            self.skip_shared(&mut news, &mut olds)?;
            let (new_head, old_head) = (self.next_entry(&news)?, self.next_entry(&olds)?);
            let order = match (&new_head, &old_head) {
                (None, None) => break,
                (Some(new), Some(old)) => tree_order(new, old),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
            };
            if let Some((name, state)) = new_head.filter(|_| order.is_le()) {
                let twice = found.entry(name.to_vec()).or_default().new.replace(state);
                twice.map_or(Ok(()), |_| Err(named_twice(news.tree)))?;
                self.advance(&mut news, (name, state));
            }
            if let Some((name, state)) = old_head.filter(|_| order.is_ge()) {
                let twice = found.entry(name.to_vec()).or_default().old.replace(state);
                twice.map_or(Ok(()), |_| Err(named_twice(olds.tree)))?;
                self.advance(&mut olds, (name, state));
            }
        }
        Ok(found)
    }

    /// Skips the entries that two trees share from here on, without parsing them.
    fn skip_shared<'b>(
        &self,
        news: &mut TreeCursor<'b>,
        olds: &mut TreeCursor<'b>,
    ) -> Result<(), GitError> {
        let mut shared = None;
        while let Some(len) = self
            .entry_len(news.bytes)
            .filter(|len| olds.bytes.starts_with(&news.bytes[..*len]))
        {
            shared = Some(&news.bytes[..len]);
            (news.bytes, olds.bytes) = (&news.bytes[len..], &olds.bytes[len..]);
        }
        if let Some(entry) = shared {
            let last = self.entries(news.tree, entry).next().transpose()?;
            (news.last, olds.last) = (last, last);
        }
        Ok(())
    }

    /// The next entry of a tree, which has to stand behind the one before it.
    fn next_entry<'b>(&self, rest: &TreeCursor<'b>) -> Result<Option<Entry<'b>>, GitError> {
        let head = self.entries(rest.tree, rest.bytes).next().transpose()?;
        match (&rest.last, &head) {
            (Some(last), Some(head)) if tree_order(last, head).is_ge() => {
                Err(out_of_order(rest.tree))
            }
            _ => Ok(head),
        }
    }

    fn advance<'b>(&self, rest: &mut TreeCursor<'b>, entry: Entry<'b>) {
        let len = self.entry_len(rest.bytes).unwrap_or(rest.bytes.len());
        rest.bytes = &rest.bytes[len..];
        rest.last = Some(entry);
    }

    /// The length of the first entry of a tree, when it is whole: mode, space, name, NUL, id.
    fn entry_len(&self, tree: &[u8]) -> Option<usize> {
        let nul = tree.iter().position(|byte| *byte == 0)?;
        Some(nul + 1 + self.inner.object_hash().len_in_bytes()).filter(|len| *len <= tree.len())
    }

    /// The entries of a tree in its own order.
    ///
    /// A second entry of a name, or a name that is a whole path, would stand on disk and not in
    /// what is judged: such a tree is not readable, nor one whose order could hide either.
    fn entries<'b>(
        &self,
        tree: ObjectId,
        bytes: &'b [u8],
    ) -> impl Iterator<Item = Result<Entry<'b>, GitError>> + use<'b> {
        let iter = gix::objs::TreeRefIter::from_bytes(bytes, self.inner.object_hash());
        let fault = move |why: String| GitError::Unreadable { id: tree, why };
        let mut last = None;
        iter.map(move |entry| {
            let entry = entry.map_err(|error| fault(super::chain(&error)))?;
            let id = ObjectId::from_bytes(entry.oid.as_bytes())
                .expect("git object ids have 20 or 32 bytes");
            let name: &[u8] = entry.filename.as_ref();
            if name.is_empty() || name.contains(&b'/') {
                return Err(fault(
                    "an entry has no name, or one with a slash".to_owned(),
                ));
            }
            let entry = (
                name,
                EntryState {
                    mode: mode(entry.mode),
                    id,
                },
            );
            match last.replace(entry) {
                Some(last) if tree_order(&last, &entry).is_ge() => Err(out_of_order(tree)),
                _ => Ok(entry),
            }
        })
    }

    /// The empty tree's id in this repository.
    pub fn empty_tree(&self) -> ObjectId {
        super::ours(gix::ObjectId::empty_tree(self.inner.object_hash()))
    }
}

fn out_of_order(tree: ObjectId) -> GitError {
    GitError::Unreadable {
        id: tree,
        why: "its entries are not in order, each once".to_owned(),
    }
}

/// A file and a directory of one name are in order and still two entries.
fn named_twice(tree: ObjectId) -> GitError {
    GitError::Unreadable {
        id: tree,
        why: "it names one entry twice".to_owned(),
    }
}

/// The mode of an entry: git takes every directory for the same, whatever its permission bits;
/// those of a file are kept, since material has to be plain.
fn mode(raw: gix::objs::tree::EntryMode) -> u32 {
    if raw.is_tree() {
        EntryState::TREE
    } else {
        u32::from(raw.value())
    }
}

/// How trees are sorted: by name, directories as if a slash stood behind theirs.
pub(super) fn tree_order(one: &Entry<'_>, other: &Entry<'_>) -> Ordering {
    let end = |entry: &(&[u8], EntryState)| {
        if entry.1.mode == EntryState::TREE {
            b'/'
        } else {
            0
        }
    };
    let shared = one.0.len().min(other.0.len());
    let next = |entry: &(&[u8], EntryState)| entry.0.get(shared).copied().unwrap_or(end(entry));
    one.0[..shared]
        .cmp(&other.0[..shared])
        .then(next(one).cmp(&next(other)))
}

pub(super) fn joined(path: &[u8], name: &[u8]) -> Vec<u8> {
    if path.is_empty() {
        name.to_vec()
    } else {
        [path, b"/", name].concat()
    }
}

pub(super) fn too_deep(tree: ObjectId, depth: usize) -> Result<(), GitError> {
    if depth <= MAX_DEPTH {
        return Ok(());
    }
    Err(GitError::Unreadable {
        id: tree,
        why: format!("it is nested more than {MAX_DEPTH} trees deep"),
    })
}
