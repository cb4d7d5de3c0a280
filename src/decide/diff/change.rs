//! Describes a patch: its changes, their two sides and the added lines.

use std::collections::BTreeSet;

use crate::model::path::RepoPath;

/// A patch, change by change, in its own order. The same path can stand in several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    /// The changes, at least one.
    pub changes: Vec<Change>,
}

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What is done.
    pub kind: ChangeKind,
    /// The file before; `None` when it is made.
    pub before: Option<Side>,
    /// The file after; `None` when it is deleted.
    pub after: Option<Side>,
    /// Whether the bytes stand in a `GIT binary patch`, where no added lines are seen.
    pub binary: bool,
    /// The lines that are added.
    pub added: Vec<AddedLine>,
    /// How many lines are taken away.
    pub removed: usize,
}

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It is made.
    Create,
    /// It is deleted.
    Delete,
    /// Its bytes or its mode change.
    Modify,
    /// It moves, perhaps with changes.
    Rename,
    /// A copy is made, perhaps with changes.
    Copy,
}

/// One side of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Where the file is.
    pub path: RepoPath,
    /// What kind of entry it is, when the patch says so.
    pub mode: Option<Mode>,
}

/// The mode of an entry in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// `100644`
    Regular,
    /// `100755`
    Executable,
    /// `120000`
    Symlink,
    /// `160000`
    Gitlink,
}

/// A line that a patch adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedLine {
    /// Its number in the new file, from 1.
    pub number: usize,
    /// Its bytes without the newline.
    pub text: Vec<u8>,
}

impl Diff {
    /// Every path whose entry the patch makes, changes or takes away. The source of a copy is none.
    pub fn touched(&self) -> BTreeSet<&RepoPath> {
        self.changes.iter().flat_map(Change::touched).collect()
    }

    /// Every added line with the path of its file.
    pub fn added(&self) -> impl Iterator<Item = (&RepoPath, &AddedLine)> {
        let sides = self
            .changes
            .iter()
            .filter_map(|change| Some((change.after.as_ref()?, change)));
        sides.flat_map(|(side, change)| change.added.iter().map(move |line| (&side.path, line)))
    }
}

impl Change {
    fn touched(&self) -> impl Iterator<Item = &RepoPath> {
        let before = self
            .before
            .as_ref()
            .filter(|_| self.kind != ChangeKind::Copy);
        before.into_iter().chain(&self.after).map(|side| &side.path)
    }
}

impl Mode {
    /// Every mode as git writes it.
    pub const NAMES: &[(&str, Self)] = &[
        ("100644", Self::Regular),
        ("100755", Self::Executable),
        ("120000", Self::Symlink),
        ("160000", Self::Gitlink),
    ];
}
