//! Computes SHA-256 digests of bytes and of many files.

use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use sha2::Digest;

use super::files::{FileError, Root, open_in};
use crate::model::ids::Sha256;
use crate::model::path::RepoPath;

/// Digesting is bound by the processor: two threads keep a small machine busy, and more would
/// only fight over the disk.
const THREADS: usize = 2;
const BUFFER: usize = 256 << 10;
const BATCH: usize = 16;

/// One file below a root, digested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digested {
    /// The file.
    pub path: RepoPath,
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// The number of bytes that were digested.
    pub size: u64,
    /// Whether anybody may execute it.
    pub executable: bool,
    /// Its permission bits.
    pub mode: u32,
}

/// The digest and number of bytes of a stream, read through `buffer`.
///
/// # Errors
/// When the stream does.
pub fn stream(mut from: impl Read, buffer: &mut [u8]) -> io::Result<(Sha256, u64)> {
    let (mut hash, mut size) = (sha2::Sha256::new(), 0);
    loop {
        match from.read(buffer) {
            Ok(0) => return Ok((Sha256(hash.finalize().into()), size)),
            Ok(count) => {
                hash.update(&buffer[..count]);
                size += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Digests regular files below `root`, in the order given; a missing file is `None`.
///
/// # Errors
/// The first file (in that order) that cannot be read as a regular file.
pub fn files(root: &Root, paths: &[RepoPath]) -> Result<Vec<Option<Digested>>, FileError> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut worker = Worker {
            root,
            buffer: vec![0; BUFFER],
            dir: None,
        };
        let mut done = Vec::new();
        while let Some((at, batch)) = claim(&next, paths) {
            done.push((
                at,
                batch
                    .iter()
                    .map(|path| worker.file(path))
                    .collect::<Vec<_>>(),
            ));
        }
        done
    };
    let mut all: Vec<_> = thread::scope(|scope| {
        let helpers: Vec<_> = (1..THREADS).map(|_| scope.spawn(work)).collect();
        let mine = work();
        let theirs = helpers
            .into_iter()
            .flat_map(|one| one.join().expect("digesting does not panic"));
        mine.into_iter().chain(theirs).collect()
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().flat_map(|(_, batch)| batch).collect()
}

fn claim<'a>(next: &AtomicUsize, paths: &'a [RepoPath]) -> Option<(usize, &'a [RepoPath])> {
    let at = next.fetch_add(BATCH, Ordering::Relaxed);
    let rest = paths.get(at..).filter(|rest| !rest.is_empty())?;
    Some((at, &rest[..BATCH.min(rest.len())]))
}

/// Keeps the directory of the last file open, since neighbours share it.
struct Worker<'a> {
    root: &'a Root,
    buffer: Vec<u8>,
    dir: Option<(String, OwnedFd)>,
}

impl Worker<'_> {
    fn file(&mut self, path: &RepoPath) -> Result<Option<Digested>, FileError> {
        let parent = path
            .as_str()
            .rsplit_once('/')
            .map_or("", |(parent, _)| parent);
        if self.dir.as_ref().is_none_or(|(open, _)| open != parent) {
            self.dir = self
                .root
                .dir(path, false)?
                .map(|dir| (parent.to_owned(), dir));
        }
        let Some((_, dir)) = &self.dir else {
            return Ok(None);
        };
        let Some(plain) = open_in(dir, path)? else {
            return Ok(None);
        };
        let (executable, mode) = (plain.executable(), plain.mode.as_raw_mode());
        let read = stream(plain.file, &mut self.buffer);
        let (sha256, size) = read.map_err(|source| FileError::Io {
            action: "read",
            path: path.to_string(),
            source,
        })?;
        Ok(Some(Digested {
            path: path.clone(),
            sha256,
            size,
            executable,
            mode,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_back_in_the_order_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let paths: Vec<RepoPath> = (0..50)
            .map(|at| format!("f{at}").parse().unwrap())
            .collect();
        for path in paths.iter().skip(1) {
            root.replace(path, path.as_str().as_bytes()).unwrap();
        }
        let all = files(&root, &paths).unwrap();
        assert!(all[0].is_none());
        for (digested, path) in all.iter().flatten().zip(&paths[1..]) {
            assert_eq!(
                (&digested.path, digested.sha256),
                (path, Sha256::of(path.as_str().as_bytes()))
            );
        }
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Sha256::of(b"abc").to_string(), abc);
    }
}
