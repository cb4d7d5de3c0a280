//! Does what is stored still have the bytes that were scanned?

use std::collections::BTreeMap;

use super::{Ground, VerdictsError};
use crate::decide::fold::{FileFact, Fold, Source};
use crate::model::ids::{ObjectId, Sha256};
use crate::model::path::RepoPath;
use crate::sys::files::{FileError, READ_CAP};
use crate::sys::untrusted_dir::ForeignFolder;

/// Reads the files of a plan a second time; each has to have the digest that was scanned.
pub struct Second<'a> {
    ground: &'a Ground<'a>,
    files: BTreeMap<&'a RepoPath, (&'a FileFact, Option<ObjectId>)>,
    open: Option<(String, ForeignFolder)>,
}

impl<'a> Second<'a> {
    /// Gets ready for the files of these directories.
    ///
    /// # Errors
    /// When a ref that some of them lie in cannot be read.
    pub fn new(ground: &'a Ground<'a>, folds: &'a [Fold]) -> Result<Self, VerdictsError> {
        let mut files = BTreeMap::new();
        for fold in folds {
            let tree = match &fold.source {
                Source::Disk => None,
                Source::Ref(name) => match ground.repo.line(name)? {
                    Some(line) => Some(ground.repo.commit(line.tip)?.tree),
                    None => return Err(gone(&ground.path(&fold.dir)).into()),
                },
            };
            for file in &fold.files {
                let blob = match tree {
                    None => None,
                    Some(tree) => match ground.repo.entry(tree, file.path.as_str())? {
                        Some(entry) => Some(entry.id),
                        None => return Err(gone(file.path.as_str()).into()),
                    },
                };
                files.insert(&file.path, (file, blob));
            }
        }
        Ok(Self {
            ground,
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
            Some(id) => self.ground.repo.blob(*id, READ_CAP).ok().flatten(),
            None => {
                let parent = path
                    .as_str()
                    .rsplit_once('/')
                    .map_or("", |(parent, _)| parent);
                if self.open.as_ref().is_none_or(|(open, _)| open != parent) {
                    let folder = parent
                        .parse()
                        .ok()
                        .map(|parent| self.ground.root.folder(&parent));
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
