//! Reads and prints the manifest: the hooks we installed, and what was there before.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Event;
use crate::model::ids::Sha256;
use crate::report::json;
use crate::sys::files::{FileError, Root};
use crate::sys::folder::{Standing, real};

/// The directory of ours in the common git directory.
pub const OUR_DIRECTORY: &str = "reins";

/// The record in it.
pub const FILE: &str = "hooks.json";

const SCHEMA: &str = "git-reins/hooks/1";

/// `reins/hooks.json` in the common git directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    schema: String,
    /// The version of the program that wrote it.
    pub version: String,
    /// The hooks, in the order in which they were installed.
    pub hooks: Vec<Record>,
}

/// One installed hook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The name of the event.
    pub event: String,
    /// The directory of the hook: from the common git directory when it lies in there, so that a
    /// repository may be moved, else absolute.
    pub directory: String,
    /// Whether we made that directory.
    pub made_directory: bool,
    /// The digest of the hook that we put there.
    pub sha256: String,
    /// What stood there before, now beside it.
    pub original: Option<Original>,
}

/// What stood where our hook stands now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Original {
    /// `file` or `link`.
    pub kind: Kind,
    /// The digest of the file's bytes, or of the link's text.
    pub sha256: String,
    /// The permission bits of a file, in octal.
    pub mode: Option<String>,
}

/// What a hook is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
}

impl Original {
    /// What identifies the hook that stands somewhere; `None` where none stands.
    pub fn of(standing: &Standing) -> Option<Self> {
        match standing {
            Standing::File { sha256, mode, .. } => Some(Self {
                kind: Kind::File,
                sha256: sha256.to_string(),
                mode: Some(format!("{mode:04o}")),
            }),
            Standing::Link { target } => {
                let sha256 = Sha256::of(target.as_os_str().as_encoded_bytes()).to_string();
                Some(Self {
                    kind: Kind::Link,
                    sha256,
                    mode: None,
                })
            }
            Standing::Nothing | Standing::Other { .. } => None,
        }
    }
}

/// Why the record cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is no record of ours.
    #[error("{} is no record of installed hooks: {why}", .path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

impl Manifest {
    /// An empty record.
    pub fn new() -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            hooks: Vec::new(),
        }
    }

    /// Reads the record; `None` when there is none.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn read(common: &Path) -> Result<Option<Self>, ManifestError> {
        let path = format!("{OUR_DIRECTORY}/{FILE}")
            .parse()
            .expect("both names are safe");
        let Some(bytes) = Root::open(common)?.read(&path)? else {
            return Ok(None);
        };
        let form = |why| ManifestError::Form {
            path: common.join(path.as_str()),
            why,
        };
        let read: Self = serde_json::from_slice(&bytes).map_err(|error| form(error.to_string()))?;
        match read.schema == SCHEMA {
            true => Ok(Some(read)),
            false => Err(form(format!("its schema is not {SCHEMA}"))),
        }
    }

    /// The record as it is written.
    pub fn print(&self) -> String {
        json::print(self)
    }

    /// What is recorded for an event in a directory.
    pub fn record(&self, common: &Path, directory: &Path, event: Event) -> Option<&Record> {
        let wanted = real(directory);
        let is_it =
            |record: &&Record| record.event == event.name() && record.place(common) == wanted;
        self.hooks.iter().find(is_it)
    }

    /// This record with one hook written anew.
    pub fn with(&self, record: Record) -> Self {
        let mut hooks = self.hooks.clone();
        let same = |old: &Record| old.event == record.event && old.directory == record.directory;
        match hooks.iter_mut().find(|old| same(old)) {
            Some(old) => *old = record,
            None => hooks.push(record),
        }
        Self {
            hooks,
            ..Self::new()
        }
    }
}

impl Default for Manifest {
    fn default() -> Self {
        Self::new()
    }
}

impl Record {
    /// Where the hook is.
    pub fn place(&self, common: &Path) -> PathBuf {
        real(&common.join(&self.directory))
    }

    /// How a directory is recorded; `None` when its name is no text.
    pub fn directory(common: &Path, directory: &Path) -> Option<String> {
        let (common, directory) = (real(common), real(directory));
        let named = directory.strip_prefix(common).unwrap_or(&directory);
        named.to_str().map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_back_and_anything_else_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let path = "reins/hooks.json".parse().unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), None);
        let original = Original {
            kind: Kind::Link,
            sha256: "ab".to_owned(),
            mode: None,
        };
        let record = Record {
            event: "pre-push".to_owned(),
            directory: "hooks".to_owned(),
            made_directory: false,
            sha256: "cd".to_owned(),
            original: Some(original),
        };
        let written = Manifest::new().with(record.clone()).with(record);
        assert_eq!(written.hooks.len(), 1);
        root.replace(&path, written.print().as_bytes()).unwrap();
        let read = Manifest::read(dir.path()).unwrap().unwrap();
        assert_eq!(read, written);
        let hooks = dir.path().join("hooks");
        assert!(read.record(dir.path(), &hooks, Event::PrePush).is_some());
        assert!(
            read.record(dir.path(), dir.path(), Event::PrePush)
                .is_none()
        );
        for broken in [
            "",
            "{}",
            &written.print().replace("hooks/1", "hooks/2"),
            &written.print().replace("event", "evnt"),
        ] {
            root.replace(&path, broken.as_bytes()).unwrap();
            assert!(Manifest::read(dir.path()).is_err(), "{broken}");
        }
    }
}
