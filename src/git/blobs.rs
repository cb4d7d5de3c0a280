//! Reads many files of a tree: digest, size, LFS pointer and attributes.

use std::collections::BTreeMap;

use super::attributes::{Attributes, ContentTraits};
use super::{GitError, Repo};
use crate::decide::facts::FileFacts;
use crate::model::ids::{EntryState, Sha256};

/// How a Git LFS pointer begins, by its present and its former name.
const LFS_MARKS: [&[u8]; 2] = [
    b"version https://git-lfs.github.com/spec/",
    b"version https://hawser.github.com/spec/",
];

/// Below this many files a second thread costs more than it saves.
const FILES_PER_THREAD: usize = 32;

impl Repo {
    /// Digests every file of a listing, on as many threads as the machine has.
    ///
    /// # Errors
    /// When a blob is absent or unreadable.
    pub fn file_facts(
        &self,
        files: &BTreeMap<String, EntryState>,
        attributes: &Attributes,
    ) -> Result<BTreeMap<String, FileFacts>, GitError> {
        let files: Vec<_> = files.iter().collect();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.min(files.len() / FILES_PER_THREAD).max(1);
        if threads == 1 {
            return self.facts_of(&files, attributes);
        }
        let shared = self.inner.clone().into_sync();
        let shallow = &self.shallow;
        std::thread::scope(|scope| {
            let mut parts = Vec::new();
            for first in 0..threads {
                // every n-th file, since large files tend to stand together
                let part: Vec<_> = files.iter().skip(first).step_by(threads).copied().collect();
                let shared = &shared;
                parts.push(scope.spawn(move || {
                    Repo::over(shared.to_thread_local(), shallow.clone())
                        .facts_of(&part, attributes)
                }));
            }
            let mut all = BTreeMap::new();
            for thread in parts {
                all.extend(
                    thread
                        .join()
                        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
                );
            }
            Ok(all)
        })
    }

    fn facts_of(
        &self,
        files: &[(&String, &EntryState)],
        attributes: &Attributes,
    ) -> Result<BTreeMap<String, FileFacts>, GitError> {
        let mut buffer = Vec::new();
        let mut all = BTreeMap::new();
        for (path, entry) in files {
            all.insert(
                (*path).clone(),
                self.facts(path, entry, attributes, &mut buffer)?,
            );
        }
        Ok(all)
    }

    fn facts(
        &self,
        path: &str,
        entry: &EntryState,
        attributes: &Attributes,
        buffer: &mut Vec<u8>,
    ) -> Result<FileFacts, GitError> {
        if !entry.is_usual_file() {
            return Ok(FileFacts {
                sha256: None,
                size: 0,
                is_lfs_pointer: false,
                changed_by: None,
            });
        }
        buffer.clear();
        let kind = self.find(entry.id, buffer)?.kind;
        if kind != gix::objs::Kind::Blob {
            return Err(GitError::Unreadable {
                id: entry.id,
                why: format!("it is a {kind}, no blob"),
            });
        }
        Ok(FileFacts {
            sha256: Some(Sha256::of(&*buffer)),
            size: buffer.len() as u64,
            is_lfs_pointer: LFS_MARKS.iter().any(|mark| buffer.starts_with(mark)),
            changed_by: attributes.change(path, ContentTraits::of(buffer)),
        })
    }
}
