//! Reads files a second time and checks that they still have the bytes that were scanned.

use std::collections::BTreeMap;

use super::{VerdictStore, VerdictsError};
use crate::decide::fold::{FileFact, Fold, Source};
use crate::model::ids::{ObjectId, Sha256};
use crate::model::path::RepoPath;
use crate::sys::files::{FileError, READ_CAP};
use crate::sys::untrusted_dir::UntrustedDir;

/// Reads the files of a plan a recheck time; each has to have the digest that was scanned.
pub struct Recheck<'a> {
    verdicts: &'a VerdictStore<'a>,
    files: BTreeMap<&'a RepoPath, (&'a FileFact, Option<ObjectId>)>,
    open: Option<(String, UntrustedDir)>,
}

impl<'a> Recheck<'a> {
    /// Gets ready for the files of these directories.
    ///
    /// # Errors
    /// When a ref that some of them lie in cannot be read.
    pub fn new(verdicts: &'a VerdictStore<'a>, folds: &'a [Fold]) -> Result<Self, VerdictsError> {
        let mut files = BTreeMap::new();
        for fold in folds {
            let tree = match &fold.source {
                Source::Disk => None,
                Source::Ref(name) => match verdicts.repo.line(name)? {
                    Some(line) => Some(verdicts.repo.commit(line.tip)?.tree),
                    None => return Err(gone(&verdicts.path(&fold.dir)).into()),
                },
            };
            for file in &fold.files {
                let blob = match tree {
                    None => None,
                    Some(tree) => match verdicts.repo.entry(tree, file.path.as_str())? {
                        Some(entry) => Some(entry.id),
                        None => return Err(gone(file.path.as_str()).into()),
                    },
                };
                files.insert(&file.path, (file, blob));
            }
        }
        Ok(Self {
            verdicts,
            files,
            open: None,
        })
    }

    /// The bytes of one file of the plan.
    ///
    /// # Errors
    /// When they are no longer those that were scanned.
    pub fn bytes(&mut self, path: &RepoPath) -> Result<Vec<u8>, FileError> {
        let Some((fact, blob)) = self.files.get(path) else {
            return Err(gone(path.as_str()));
        };
        let bytes = match blob {
            Some(id) => self.verdicts.repo.blob(*id, READ_CAP).ok().flatten(),
            None => {
                let parent = path
                    .as_str()
                    .rsplit_once('/')
                    .map_or("", |(parent, _)| parent);
                if self.open.as_ref().is_none_or(|(open, _)| open != parent) {
                    let folder = parent
                        .parse()
                        .ok()
                        .map(|parent| self.verdicts.root.folder(&parent));
                    self.open = folder
                        .transpose()?
                        .flatten()
                        .map(|folder| (parent.to_owned(), folder));
                }
                let name = path.components().last().unwrap_or_default();
                match &self.open {
                    Some((_, folder)) => folder.read_alone(name)?,
                    None => None,
                }
            }
        };
        match bytes {
            Some(bytes) if Sha256::of(&bytes) == fact.sha256 => Ok(bytes),
            _ => Err(gone(path.as_str())),
        }
    }
}

fn gone(path: &str) -> FileError {
    FileError::Changed {
        path: path.to_owned(),
    }
}
