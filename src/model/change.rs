//! Describes a change of the ledgers or of the policy in meaning. The answer of `git reins diff`.

use schemars::JsonSchema;
use serde::Serialize;

use super::ids::CommitId;

/// The name of the JSON form of [`Changes`].
pub const CHANGES_SCHEMA: &str = "git-reins/diff/1";

/// Everything that differs in meaning between two commits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Changes {
    /// Always [`CHANGES_SCHEMA`].
    #[schemars(extend("const" = CHANGES_SCHEMA))]
    pub schema: &'static str,
    /// The commits that were compared with: more than one when lines were merged crosswise.
    #[schemars(with = "Vec<String>")]
    pub bases: Vec<CommitId>,
    /// The commit that was looked at.
    #[schemars(with = "String")]
    pub tip: CommitId,
    /// The commits in between that carry a patch, parents first.
    #[schemars(with = "Vec<String>")]
    pub patch_commits: Vec<CommitId>,
    /// How many of the changes weaken what a patch is held to.
    pub weakened: usize,
    /// The changes, those that weaken first.
    pub changes: Vec<Change>,
    /// What is as it was.
    pub unchanged: Unchanged,
    /// What a reader should know about the comparison itself.
    pub notes: Vec<String>,
}

/// How much is the same on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unchanged {
    /// Settings of the policy.
    pub policy: usize,
    /// Oracle rows.
    pub oracle: usize,
    /// Freeze rows.
    pub freezes: usize,
    /// Pinned fixture files.
    pub fixture: usize,
    /// Files under `paths.properties`.
    pub properties: usize,
}

/// Where a change lies, what weighs most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Area {
    /// `.gitreins/reins.toml`.
    Policy,
    /// `oracle.json`.
    Oracle,
    /// `freezes.json`.
    Freezes,
    /// `fixture.json`.
    Fixture,
    /// The files under `paths.properties`.
    Properties,
}

impl Area {
    /// The word for it, as in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Oracle => "oracle",
            Self::Freezes => "freezes",
            Self::Fixture => "fixture",
            Self::Properties => "properties",
        }
    }
}

/// What happened to the row, file or field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Only the new side has it.
    Added,
    /// Only the old side has it.
    Removed,
    /// Both have it, and not the same.
    Changed,
}

/// What a change means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The whole file came.
    FileAdded,
    /// The whole file went.
    FileRemoved,
    /// Other bytes that say the same.
    Respelled,
    /// A row came.
    RowAdded,
    /// A row went.
    RowRemoved,
    /// A seed is excluded that was not.
    FreezeAdded,
    /// Somebody vouches that whoever wrote the row had not seen the diff.
    SeesDiffCleared,
    /// Nobody vouches for that any more.
    SeesDiffSet,
    /// A row left the score.
    ScoreLost,
    /// A row joined the score.
    ScoreGained,
    /// A freeze lasts longer.
    ExpiryExtended,
    /// A freeze ends sooner.
    ExpiryShortened,
    /// Somebody else has to remove the freeze.
    OwnerChanged,
    /// The words of a row are others.
    TextEdited,
    /// Other bytes.
    DigestChanged,
    /// Another image loads the fixtures.
    ImageChanged,
    /// The fixture ledger moved in the very commit that moved the bytes it pins.
    PinnedWithBytes,
    /// A setting asks for less.
    Relaxed,
    /// A setting asks for more.
    Tightened,
    /// It may ask for less or for more: nobody but a person can tell.
    Unclear,
    /// A field is another one, and that asks for neither more nor less.
    FieldChanged,
}

impl Reason {
    /// What it means, to complete "this ...".
    pub fn phrase(self) -> &'static str {
        match self {
            Self::FileAdded => "the file came",
            Self::FileRemoved => "the file is gone",
            Self::Respelled => "other bytes, the same meaning",
            Self::RowAdded => "added",
            Self::RowRemoved => "removed",
            Self::FreezeAdded => "freeze added",
            Self::SeesDiffCleared => "sees_diff cleared",
            Self::SeesDiffSet => "sees_diff no longer cleared",
            Self::ScoreLost => "no longer scores",
            Self::ScoreGained => "scores from now on",
            Self::ExpiryExtended => "expiry extended",
            Self::ExpiryShortened => "expiry shortened",
            Self::OwnerChanged => "owner changed",
            Self::TextEdited => "text edited",
            Self::DigestChanged => "bytes changed",
            Self::ImageChanged => "image changed",
            Self::PinnedWithBytes => "pinned anew by the commit that changed the fixture bytes",
            Self::Relaxed => "relaxed",
            Self::Tightened => "tightened",
            Self::Unclear => "changed, a person has to say in which direction",
            Self::FieldChanged => "changed",
        }
    }
}

/// Where the new state of a row stands with respect to the patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Every patch commit stands on it.
    BeforeEveryPatch,
    /// A patch commit does not: the state came after it, with it or beside it.
    NotBeforePatch,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Change {
    /// Whether it weakens what a patch is held to; an unknown direction does.
    pub weakening: bool,
    /// Where it lies.
    pub area: Area,
    /// The row, file or setting, as a person would name it.
    pub row: String,
    /// The field of the row; null when it is the row as a whole.
    pub field: Option<String>,
    /// What happened.
    pub kind: Kind,
    /// What it means.
    pub reason: Reason,
    /// What stood there; null when nothing did.
    pub before: Option<String>,
    /// What stands there; null when nothing does.
    pub after: Option<String>,
    /// By how many days an expiry moved.
    pub days: Option<i64>,
    /// How often the expiry of this row was extended in history, this time included; null when it
    /// was not, or when the history is cut off.
    pub extension: Option<usize>,
    /// Who cleared `sees_diff`, as the row says.
    pub cleared_by: Option<String>,
    /// Whether the state stands before the patch; null without a patch, or where that is no
    /// question.
    pub order: Option<Order>,
    /// The first patch commit that does not stand on it.
    #[schemars(with = "Option<String>")]
    pub patch_commit: Option<CommitId>,
    /// An edited text word by word; empty for what is no text.
    pub words: Vec<Piece>,
    /// The commits in between that made it so.
    pub made_by: Vec<Maker>,
}

impl Change {
    /// A change that is told no further than that.
    pub fn new(area: Area, row: impl Into<String>, kind: Kind, reason: Reason) -> Self {
        Self {
            weakening: true,
            area,
            row: row.into(),
            field: None,
            kind,
            reason,
            before: None,
            after: None,
            days: None,
            extension: None,
            cleared_by: None,
            order: None,
            patch_commit: None,
            words: Vec::new(),
            made_by: Vec::new(),
        }
    }

    /// Says that it weakens nothing. Without this it does: what nobody thought of is a weakening.
    pub fn harmless_if(mut self, is_harmless: bool) -> Self {
        self.weakening = !is_harmless;
        self
    }

    /// Names the field.
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Says what stood there and what stands there.
    pub fn states(mut self, before: Option<String>, after: Option<String>) -> Self {
        (self.before, self.after) = (before, after);
        self
    }
}

/// A piece of an edited text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Piece {
    /// On which side it stands.
    pub side: Side,
    /// The words with the spaces between them.
    pub text: String,
}

/// On which side of a comparison a piece of text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// On both.
    Both,
    /// On the old one.
    Before,
    /// On the new one.
    After,
}

/// A commit that made a change, and who wrote it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Maker {
    /// The commit.
    #[schemars(with = "String")]
    pub commit: CommitId,
    /// Its author, as the commit says.
    pub author: String,
}
