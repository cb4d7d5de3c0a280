//! Safe paths inside a repository, and the prefixes that cover them.

use std::fmt;
use std::str::FromStr;

use unicode_normalization::{UnicodeNormalization, is_nfc};

/// A relative path inside a repository that every file system reads the same way.
///
/// `/` between components, NFC, no `.`, `..`, empty or `.git` component, no backslash, no
/// control or bidirectional character.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(String);

/// Why a text is no safe path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("path {path:?} has {fault}")]
pub struct PathError {
    /// The text as it was read.
    pub path: String,
    /// What is wrong with it, as a noun phrase.
    pub fault: &'static str,
}

impl RepoPath {
    /// The path as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this path, taken as a prefix, covers `path`: equal, or a directory above it.
    pub fn covers(&self, path: &str) -> bool {
        path.strip_prefix(self.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// This path with `name` below it.
    ///
    /// # Errors
    /// When `name` is no safe path itself.
    pub fn join(&self, name: &str) -> Result<Self, PathError> {
        format!("{}/{name}", self.0).parse()
    }

    /// The components, from the root down.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }
}

/// The last part of a path: the name of its file.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl FromStr for RepoPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        let fault = text_fault(text).or_else(|| text.split('/').find_map(component_fault));
        match fault {
            None => Ok(Self(text.to_owned())),
            Some(fault) => Err(PathError {
                path: text.to_owned(),
                fault,
            }),
        }
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn text_fault(text: &str) -> Option<&'static str> {
    if text.starts_with('/') {
        Some("a leading '/'")
    } else if text.contains('\\') {
        Some("a backslash")
    } else if text.chars().any(is_hidden) {
        Some("a control or bidirectional character")
    } else if !is_nfc(text) {
        Some("characters that are not in NFC")
    } else {
        None
    }
}

/// What makes one component of a tree path dangerous on some file system, if anything.
///
/// Used for every changed path of a candidate, ledger or not.
pub fn component_fault(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("an empty component"),
        "." => Some("a '.' component"),
        ".." => Some("a '..' component"),
        _ if is_dot_git(name) => Some("a '.git' component"),
        _ => None,
    }
}

/// `.git` as any common file system folds it: case, trailing dots and spaces, streams, the
/// short name of NTFS, and the code points that HFS+ ignores.
fn is_dot_git(name: &str) -> bool {
    let begins = |with: &str| {
        name.get(..with.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(with))
    };
    if name.is_ascii() && !begins(".git") && !begins("git~1") {
        return false; // most names, without a copy
    }
    let visible: String = name.chars().filter(|c| !is_hfs_ignored(*c)).collect();
    let head = visible.split(':').next().unwrap_or_default();
    let folded = head.trim_end_matches(['.', ' ']).to_lowercase();
    folded == ".git" || folded == "git~1"
}

fn is_hfs_ignored(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Whether a character can hide or reorder what a person reads: controls and bidi marks.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Two names with the same key collide on a file system that folds case or normalises.
pub fn collision_key(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase(); // the same, for most names, without the tables of Unicode
    }
    // up and down again, so that characters with several small forms meet
    let folded = name.nfc().collect::<String>().to_uppercase().to_lowercase();
    folded.nfc().collect()
}

/// A text from outside made safe to print: hidden characters become `\u{..}` escapes, and what
/// is longer than 200 characters is cut.
pub fn shown(text: &str) -> String {
    let mut out = String::new();
    for (at, c) in text.chars().enumerate() {
        if at == 200 {
            out.push_str("...");
            break;
        }
        push_visible(&mut out, c);
    }
    out
}

/// A text with its hidden characters as `\u{..}` escapes.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push_visible(&mut out, c));
    out
}

fn push_visible(out: &mut String, c: char) {
    if is_hidden(c) {
        out.extend(c.escape_unicode())
    } else {
        out.push(c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safe_paths_parse_and_unsafe_ones_say_why() {
        for good in ["a", "a/b.json", "ä/ö", "--output=x", "a b"] {
            assert!(good.parse::<RepoPath>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "/a",
            "a//b",
            "a/",
            "./a",
            "a/..",
            "a\\b",
            "a/.git/x",
            "a/.GIT",
            "git~1",
            ".git.",
            ".git::$INDEX",
            ".g\u{200c}it",
            "a\nb",
            "a\u{202e}b",
            "a\u{308}",
        ] {
            assert!(bad.parse::<RepoPath>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_prefix_covers_whole_components_only() {
        let prefix: RepoPath = "props".parse().unwrap();
        assert!(prefix.covers("props") && prefix.covers("props/a.py"));
        assert!(!prefix.covers("props.py") && !prefix.covers("pro"));
    }

    #[test]
    fn shown_text_has_no_hidden_character() {
        assert_eq!(shown("a\u{1b}[2K\u{202e}b"), "a\\u{1b}[2K\\u{202e}b");
        assert_eq!(shown(&"x".repeat(300)).len(), 203);
    }
}
