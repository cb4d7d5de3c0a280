//! Keeps runs on base: those of one check and seed on one tree are not made twice.
//!
//! The cache lies in the common git directory, below `reins/`. It saves time and decides nothing
//! that a run would not: an entry that is not read back exactly is run again.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::run::RunSpec;
use crate::model::ids::Sha256;
use crate::model::record::{self, Record, RecordFault};
use crate::model::trial::{CheckRun, Enforced, Epoch, Image, Outcome, RunDetails};
use crate::policy::Policy;
use crate::sandbox::environment::Environment;
use crate::sys::files::{FileError, Root};

/// Results of runs on base.
pub struct Cache {
    root: Root,
    /// What every key begins with.
    prefix: String,
}

/// One result, as it lies on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    schema: String,
    /// The key, so that a file that was moved is no answer to another question.
    key: String,
    run: CheckRun,
    details: RunDetails,
    /// The digest of all that, so that a torn or edited entry is none.
    sha256: String,
}

impl Record for Entry {
    const SCHEMA: &'static str = "git-reins/base-run/3";

    fn schema_member(&self) -> &str {
        &self.schema
    }

    fn check(&self) -> Result<(), RecordFault> {
        match self.sha256 == self.digest() {
            true => Ok(()),
            false => Err(RecordFault::of(
                "sha256",
                &self.sha256,
                "the digest of the entry",
            )),
        }
    }
}

impl Entry {
    fn digest(&self) -> String {
        Sha256::of(
            record::print(&Self {
                sha256: String::new(),
                ..self.clone()
            })
            .as_bytes(),
        )
        .to_string()
    }
}

impl Cache {
    /// The cache below a common git directory, for one epoch, image, fence and policy: the paths of
    /// the policy say which configuration a tool is given, and the environment which tool it is.
    ///
    /// # Errors
    /// When the directory cannot be opened.
    pub fn open(
        common: &std::path::Path,
        epoch: &Epoch,
        (image, enforced): (&Image, Enforced),
        policy: &Policy,
    ) -> Result<Self, FileError> {
        let version = env!("CARGO_PKG_VERSION");
        let (paths, tools) = (&policy.paths, Environment::shared());
        let prefix =
            format!("{version}\n{epoch:?}\n{image:?}\n{enforced:?}\n{paths:?}\n{tools:?}\n");
        Ok(Self {
            root: Root::open(common)?,
            prefix,
        })
    }

    /// A run that was made before, as a run of this spec.
    pub fn get(&self, spec: &RunSpec<'_>) -> Option<CheckRun> {
        let key = self.key(spec);
        let bytes = self.root.read(&place(&key)).ok()??;
        let entry = record::parse::<Entry>(&bytes)
            .ok()
            .filter(|entry| entry.key == key)?;
        Some(CheckRun {
            // the key names neither the row nor the revision
            property: spec.id.cloned(),
            revision: spec.revision,
            details: RunDetails {
                output: "known from an earlier run on the same tree\n".to_owned(),
                ..entry.details
            },
            ..entry.run
        })
    }

    /// Keeps a pass or a failure; anything else says more about the moment than about base. A
    /// cache that cannot be written saves no time, and that is all.
    pub fn put(&self, spec: &RunSpec<'_>, run: &CheckRun) {
        if !matches!(run.outcome, Outcome::Pass | Outcome::Fail) {
            return;
        }
        let key = self.key(spec);
        let mut entry = Entry {
            schema: Entry::SCHEMA.to_owned(),
            key: key.clone(),
            run: run.clone(),
            details: RunDetails {
                output: String::new(),
                ..run.details.clone()
            },
            sha256: String::new(),
        };
        entry.sha256 = entry.digest();
        let _saves_no_time = self
            .root
            .replace(&place(&key), record::print(&entry).as_bytes());
    }

    /// Whether an image id was seen with another fingerprint before; remembers this one.
    pub fn is_reused(&self, image: &Image) -> bool {
        let key = Sha256::of(image.id.as_bytes()).to_string();
        let place = format!("reins/images/{key}")
            .parse()
            .expect("hex digits make a safe path");
        let known = self.root.read(&place).ok().flatten();
        if known.is_none() {
            let _not_remembered = self.root.replace(&place, image.fingerprint.as_bytes());
        }
        known.is_some_and(|known| known != image.fingerprint.as_bytes())
    }

    /// Everything that a run on base depends on.
    fn key(&self, spec: &RunSpec<'_>) -> String {
        let mut text = self.prefix.clone();
        let _infallible = write!(
            text,
            "{:?}\n{:?}\n{}\n",
            spec.check, spec.subject, spec.tree.tree
        );
        Sha256::of(text.as_bytes()).to_string()
    }
}

fn place(key: &str) -> crate::model::path::RepoPath {
    format!("reins/cache/{}/{key}", &key[..2])
        .parse()
        .expect("hex digits make a safe path")
}
