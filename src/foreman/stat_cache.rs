//! Remembers which folded directories were read before, to skip those that have not changed.
//!
//! A key is a digest of the directory's path, what HEAD holds of it, and the stamps of the directory
//! and its verdict when their bytes were found equal. While the key is known, the bytes are not read
//! again: with a hundred thousand folded directories this saves about a minute. The file holds
//! nothing else; deleting it costs time only.

use std::collections::BTreeSet;

use sha2::Digest as _;

use crate::decide::fold::VerdictDir;
use crate::model::ids::EntryState;
use crate::model::path::RepoPath;
use crate::sys::files::{FileError, Root};
use crate::sys::untrusted_dir::Stamp;

/// Half a SHA-256: enough to tell a few million states apart.
pub type Key = [u8; 16];

/// Names the form of the cache; another form is read as none.
const HEAD: &[u8] = b"git-reins seals 1\n";
/// A stamp younger than this, in seconds, does not show a change that follows at once.
const SETTLED: i64 = 3;

/// The cache of a worktree.
#[derive(Debug, Default)]
pub struct StatCache {
    known: BTreeSet<Key>,
    used: BTreeSet<Key>,
    now: i64,
}

/// The key of a folded directory in this state.
pub fn key(history: &RepoPath, dir: &VerdictDir, tree: EntryState, stamps: &[Stamp; 2]) -> Key {
    let mut hash = sha2::Sha256::new();
    hash.update(history.as_str());
    hash.update([0]);
    hash.update(dir.day.to_string());
    hash.update(&dir.hash);
    hash.update([0]);
    hash.update(tree.id.as_bytes());
    for part in stamps.iter().flat_map(|stamp| stamp.parts) {
        hash.update(part.to_le_bytes());
    }
    let digest: [u8; 32] = hash.finalize().into();
    let mut key = Key::default();
    key.copy_from_slice(&digest[..16]);
    key
}

impl StatCache {
    /// Reads the cache below the git directory of a worktree. What cannot be read is none.
    pub fn load(git_dir: &Root) -> Self {
        let bytes = git_dir.read(&path()).ok().flatten().unwrap_or_default();
        let body = bytes
            .strip_prefix(HEAD)
            .filter(|body| body.len().is_multiple_of(16))
            .unwrap_or_default();
        let known = body.as_chunks().0.iter().copied().collect();
        Self {
            known,
            used: BTreeSet::new(),
            now: git_dir.touched().unwrap_or(i64::MIN),
        }
    }

    /// Whether a directory is as it was when it was sealed.
    pub fn holds(&mut self, key: &Key) -> bool {
        let known = self.known.contains(key);
        if known {
            self.used.insert(*key);
        }
        known
    }

    /// StatCache a directory whose bytes were read after its stamps.
    pub fn add(&mut self, key: Key, stamps: &[Stamp; 2]) {
        let settled = self.now.saturating_sub(SETTLED);
        if stamps.iter().all(|stamp| stamp.changed() < settled) {
            self.used.insert(key);
        }
    }

    /// Writes the cache that still hold, when they are others than before.
    ///
    /// # Errors
    /// When they cannot be written, which costs time and nothing else.
    pub fn save(&self, git_dir: &Root) -> Result<(), FileError> {
        if self.used == self.known {
            return Ok(());
        }
        let bytes = HEAD
            .iter()
            .chain(self.used.iter().flatten())
            .copied()
            .collect::<Vec<_>>();
        git_dir.replace(&path(), &bytes)
    }
}

fn path() -> RepoPath {
    "reins/cache".parse().expect("a constant path is safe")
}
