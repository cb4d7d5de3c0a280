//! Tells whether a committed attribute changes the bytes of a file when git checks it out.
//!
//! Only `.gitattributes` files of the tree are read: `.git/info/attributes` and the user's own
//! file are local and judge nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gix::attrs::search::{MetadataCollection, Outcome};
use gix::attrs::{Search, StateRef};
use gix::bstr::ByteSlice;

use super::{GitError, Repo};
use crate::model::ids::ObjectId;

/// No attributes file is larger than this: git itself stops at 100 MB.
const CAP: u64 = 1 << 20;

/// The attributes of one tree, as far as some files need them.
pub struct Attributes {
    search: Search,
    known: MetadataCollection,
}

impl Repo {
    /// Reads the attributes files that apply to any of the paths.
    ///
    /// # Errors
    /// When one is absent from the clone, unreadable, or larger than 1 MiB.
    pub fn attributes<'p>(
        &self,
        tree: ObjectId,
        paths: impl Iterator<Item = &'p String>,
    ) -> Result<Attributes, GitError> {
        let mut known = MetadataCollection::default();
        let built_in =
            Search::new_globals(std::iter::empty::<PathBuf>(), &mut Vec::new(), &mut known);
        let mut search = built_in.map_err(|error| GitError::Other {
            what: "the built-in attributes".to_owned(),
            why: error.to_string(),
        })?;
        for directory in directories(paths) {
            let path = if directory.is_empty() {
                String::new()
            } else {
                format!("{directory}/")
            } + ".gitattributes";
            let Some(entry) = self.entry(tree, &path)? else {
                continue;
            };
            if !entry.is_file() {
                continue; // git does not follow links here
            }
            let too_large = || GitError::Unreadable {
                id: entry.id,
                why: format!("{path} is larger than {CAP} bytes"),
            };
            let bytes = self.blob(entry.id, CAP)?.ok_or_else(too_large)?;
            let is_root = directory.is_empty();
            let unreadable = |error: std::io::Error| GitError::Unreadable {
                id: entry.id,
                why: error.to_string(),
            };
            search
                .add_patterns_buffer(
                    &bytes,
                    PathBuf::from(path),
                    Some(Path::new("")),
                    &mut known,
                    is_root,
                )
                .map_err(unreadable)?;
        }
        Ok(Attributes { search, known })
    }
}

/// Every directory above the paths, outer ones first.
fn directories<'p>(paths: impl Iterator<Item = &'p String>) -> BTreeSet<&'p str> {
    let mut found = BTreeSet::from([""]);
    for path in paths {
        found.extend(path.match_indices('/').map(|(at, _)| &path[..at]));
    }
    found
}

/// What the bytes of a file are like, as far as attributes care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentTraits {
    /// Whether there is a carriage return.
    pub has_carriage_return: bool,
    /// Whether git takes it for a binary file: a NUL among the first bytes.
    pub is_binary: bool,
}

impl ContentTraits {
    /// Looks at the bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self {
            has_carriage_return: bytes.contains(&b'\r'),
            is_binary: bytes[..bytes.len().min(8_000)].contains(&0),
        }
    }
}

const NAMES: [&str; 6] = [
    "filter",
    "ident",
    "working-tree-encoding",
    "eol",
    "text",
    "crlf",
];

impl Attributes {
    /// The attribute that changes the bytes of a file, as a phrase.
    pub fn change(&self, path: &str, traits: ContentTraits) -> Option<String> {
        let mut outcome = Outcome::default();
        outcome.initialize_with_selection(&self.known, NAMES);
        let case = gix::glob::pattern::Case::Sensitive;
        self.search.pattern_matching_relative_path(
            path.as_bytes().as_bstr(),
            case,
            Some(false),
            &mut outcome,
        );
        let found: Vec<_> = outcome.iter_selected().collect();
        let state = |name: &str| {
            found
                .iter()
                .find(|one| one.assignment.name.as_str() == name)
        };
        let text = state("text").map(|one| one.assignment.state);
        let is_auto = matches!(text, Some(StateRef::Value(value)) if value.as_bstr() == "auto");
        // -text switches line ends off, and text=auto leaves alone what looks binary
        let keeps_ends = text == Some(StateRef::Unset) || is_auto && traits.is_binary;
        found.iter().find_map(|one| {
            let name = one.assignment.name.as_str();
            let is_of_ends = matches!(name, "eol" | "text" | "crlf");
            if is_of_ends && keeps_ends {
                return None;
            }
            change_by(name, one.assignment.state, traits.has_carriage_return)
        })
    }
}

fn change_by(name: &str, state: StateRef<'_>, has_carriage_return: bool) -> Option<String> {
    let value = match state {
        StateRef::Value(value) => Some(value.as_bstr().to_string()),
        StateRef::Set => None,
        StateRef::Unset | StateRef::Unspecified => return None,
    };
    let is_set = value.is_none();
    let changes = match name {
        "filter" | "working-tree-encoding" => true,
        "ident" => is_set,
        "eol" => value.as_deref() == Some("crlf"),
        "text" | "crlf" => has_carriage_return,
        _ => false,
    };
    let shown = value.map_or_else(|| name.to_owned(), |value| format!("{name}={value}"));
    let why = if has_carriage_return && matches!(name, "text" | "crlf") {
        " over bytes with carriage returns"
    } else {
        ""
    };
    changes.then(|| format!("attribute {}{why}", crate::model::path::shown(&shown)))
}
