//! Reads the header lines of one `diff --git` section.

use super::change::{ChangeKind, Mode, Side};
use super::fault::{DiffFault, Problem};
use super::lines::Lines;
use super::name;
use crate::model::path::RepoPath;

/// The header lines of one section, each at most once.
#[derive(Debug, Default)]
pub(super) struct Header {
    both: Option<RepoPath>,
    old_mode: Option<Mode>,
    new_mode: Option<Mode>,
    made: Option<Mode>,
    deleted: Option<Mode>,
    /// The mode on the `index` line, when it does not change.
    same_mode: Option<Mode>,
    rename: (Option<RepoPath>, Option<RepoPath>),
    copy: (Option<RepoPath>, Option<RepoPath>),
}

/// What a section does, before its lines are read.
#[derive(Debug)]
pub(super) struct Heading {
    pub(super) kind: ChangeKind,
    pub(super) before: Option<Side>,
    pub(super) after: Option<Side>,
}

impl Heading {
    /// Whether `--- ` and `+++ ` name what the header names.
    pub(super) fn agrees(&self, before: Option<&RepoPath>, after: Option<&RepoPath>) -> bool {
        let path = |side: &Option<Side>| side.as_ref().map(|side| side.path.clone());
        path(&self.before).as_ref() == before && path(&self.after).as_ref() == after
    }
}

/// Reads a section's header, from its `diff --git` line on.
pub(super) fn read(lines: &mut Lines<'_>) -> Result<Heading, DiffFault> {
    let first = lines.clone();
    let names = lines.next_after("diff --git ").unwrap_or_default();
    no_return(names).map_err(|problem| first.fault(problem))?;
    let (mut header, names) = (Header::default(), name::both(names));
    while let Some(line) = lines.peek() {
        if !header.take(line).map_err(|problem| lines.fault(problem))? {
            break;
        }
        lines.next();
    }
    // a move names its paths again, so these two lines may name different ones
    if header.rename.0.is_none() && header.copy.0.is_none() {
        header.both = names.map_err(|problem| first.fault(problem))?;
    }
    header.heading().map_err(|problem| first.fault(problem))
}

fn no_return(line: &[u8]) -> Result<(), Problem> {
    if line.ends_with(b"\r") {
        Err(Problem::HeaderCrLf)
    } else {
        Ok(())
    }
}

fn once<T>(slot: &mut Option<T>, value: T) -> Result<(), Problem> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(Problem::Header("a header line that stands twice")),
    }
}

fn mode(text: &[u8]) -> Result<Mode, Problem> {
    let found = Mode::NAMES.iter().find(|(name, _)| name.as_bytes() == text);
    found
        .map(|(_, mode)| *mode)
        .ok_or(Problem::Header("a mode that git does not write"))
}

impl Header {
    /// Takes one line in; `false` when it is no header line.
    fn take(&mut self, line: &[u8]) -> Result<bool, Problem> {
        let after = |prefix: &str| line.strip_prefix(prefix.as_bytes());
        if let Some(text) = after("old mode ") {
            once(&mut self.old_mode, mode(trimmed(text)?)?)?;
        } else if let Some(text) = after("new mode ") {
            once(&mut self.new_mode, mode(trimmed(text)?)?)?;
        } else if let Some(text) = after("new file mode ") {
            once(&mut self.made, mode(trimmed(text)?)?)?;
        } else if let Some(text) = after("deleted file mode ") {
            once(&mut self.deleted, mode(trimmed(text)?)?)?;
        } else if let Some(text) = after("rename from ") {
            once(&mut self.rename.0, name::bare(trimmed(text)?)?)?;
        } else if let Some(text) = after("rename to ") {
            once(&mut self.rename.1, name::bare(trimmed(text)?)?)?;
        } else if let Some(text) = after("copy from ") {
            once(&mut self.copy.0, name::bare(trimmed(text)?)?)?;
        } else if let Some(text) = after("copy to ") {
            once(&mut self.copy.1, name::bare(trimmed(text)?)?)?;
        } else if let Some(text) = after("index ") {
            self.take_index(trimmed(text)?)?;
        } else if after("rename old ").or(after("rename new ")).is_some() {
            return Err(Problem::Header("a header line of a git that is long gone"));
        } else {
            return Ok(after("similarity index ")
                .or(after("dissimilarity index "))
                .is_some());
        }
        Ok(true)
    }

    fn take_index(&mut self, text: &[u8]) -> Result<(), Problem> {
        match text.iter().position(|byte| *byte == b' ') {
            None => Ok(()),
            Some(at) => once(&mut self.same_mode, mode(&text[at + 1..])?),
        }
    }

    fn heading(self) -> Result<Heading, Problem> {
        let contradiction = Problem::Header("header lines that contradict each other");
        let old = self.old_mode.or(self.same_mode);
        let new = self.new_mode.or(self.same_mode);
        if self.old_mode.is_some() != self.new_mode.is_some()
            || (self.same_mode.is_some() && self.old_mode.is_some())
        {
            return Err(contradiction);
        }
        let named = self.both.is_some();
        let side = |path, mode| Some(Side { path, mode });
        match (self.made, self.deleted, self.rename, self.copy) {
            (Some(mode), None, (None, None), (None, None)) if named && old.is_none() => {
                let after = self.both.map(|path| Side {
                    path,
                    mode: Some(mode),
                });
                Ok(Heading {
                    kind: ChangeKind::Create,
                    before: None,
                    after,
                })
            }
            (None, Some(mode), (None, None), (None, None)) if named && old.is_none() => {
                let before = self.both.map(|path| Side {
                    path,
                    mode: Some(mode),
                });
                Ok(Heading {
                    kind: ChangeKind::Delete,
                    before,
                    after: None,
                })
            }
            (None, None, (Some(from), Some(to)), (None, None)) => Ok(Heading {
                kind: ChangeKind::Rename,
                before: side(from, old),
                after: side(to, new),
            }),
            (None, None, (None, None), (Some(from), Some(to))) => Ok(Heading {
                kind: ChangeKind::Copy,
                before: side(from, old),
                after: side(to, new),
            }),
            (None, None, (None, None), (None, None)) => {
                let path = self
                    .both
                    .ok_or(Problem::Name("two names that are not the same path"))?;
                Ok(Heading {
                    kind: ChangeKind::Modify,
                    before: side(path.clone(), old),
                    after: side(path, new),
                })
            }
            _ => Err(contradiction),
        }
    }
}

fn trimmed(text: &[u8]) -> Result<&[u8], Problem> {
    no_return(text).map(|()| text)
}
