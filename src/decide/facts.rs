//! Holds what has to be known before anything is decided: owned plain data, gathered at commits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ledger::file::{LedgerFault, LedgerName};
use crate::ledger::fixture::FixtureLedger;
use crate::ledger::freeze::{FreezeLedger, FreezeRow};
use crate::ledger::oracle::{OracleLedger, OracleRow};
use crate::model::day::Day;
use crate::model::ids::{CommitId, EntryState, ObjectId, Sha256};
use crate::model::record::RecordFault;
use crate::model::refusal::Code;
use crate::model::trial::Trial;
use crate::policy::{Policy, PolicyFault};

/// Everything that `check` and `admit` decide on.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The policy that judges: the one on the protected tip.
    pub policy: Policy,
    /// The day of the decision, UTC.
    pub today: Day,
    /// The merge bases, nearest first; empty when the candidate shares no history.
    pub bases: Vec<Held>,
    /// The given base and the protected tips that do not contain the candidate.
    pub protected: Vec<Held>,
    /// The candidate.
    pub tip: Tip,
    /// The range, parents before children.
    pub commits: Vec<CommitFacts>,
    /// What a trial of the candidate is bound to, besides the material.
    pub pins: Pins,
    /// The trials that the range recorded.
    pub trials: Trials,
    /// The line that the candidate would land on.
    pub line: LineFacts,
}

/// How the line that a candidate would land on was found, and what the range has to do with other
/// lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineFacts {
    /// Its name.
    pub name: String,
    /// Whether the operator named it.
    pub is_named: bool,
    /// Whether it was chosen as the nearest of the lines that a pattern of the policy names.
    pub is_guessed: bool,
    /// Whether it has no policy, so that the candidate brings the first one.
    pub is_adoption: bool,
    /// The given base, where the line does not reach it.
    pub unlanded_base: Option<CommitId>,
    /// Other protected lines whose tip the range merges, with the merge.
    pub merged: Vec<(String, CommitId)>,
}

/// What a trial is bound to besides the material: code and policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pins {
    /// The code tree of the nearest base; none when the candidate shares no history.
    pub base_tree: Option<ObjectId>,
    /// The code tree of the candidate.
    pub candidate_tree: ObjectId,
    /// SHA-256 of the bytes of the policy that judges.
    pub policy_sha256: Sha256,
}

impl Facts {
    /// Whether a commit of the range carries a patch.
    pub fn has_patch(&self) -> bool {
        self.commits.iter().any(CommitFacts::is_patch)
    }
}

/// The trials that the commits of the range brought into the history directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trials {
    /// Those that tip holds and no base does, by path.
    pub folded: Vec<Folded>,
    /// Those whose bytes are no longer what they were.
    pub changed: Vec<Changed>,
}

/// A `verdict.json` at tip that is a trial of ours, or claims to be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folded {
    /// Its path.
    pub path: String,
    /// The record, or what is wrong with it.
    pub reading: Result<Arc<Trial>, RecordFault>,
}

/// A trial that was folded, and that tip holds with other bytes or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Its path.
    pub path: String,
    /// A commit that holds it as it was folded.
    pub commit: CommitId,
    /// Whether it is gone altogether.
    pub is_gone: bool,
}

/// A commit and the material that its tree holds.
#[derive(Clone, Debug)]
pub struct Held {
    /// The commit.
    pub id: CommitId,
    /// Its material.
    pub material: Arc<Material>,
}

/// The candidate: material, and what only matters at the end of the range.
#[derive(Clone, Debug)]
pub struct Tip {
    /// The commit.
    pub id: CommitId,
    /// Its material.
    pub material: Arc<Material>,
    /// Bytes of the property, fixture and witness files that a ledger or a prefix names.
    pub files: BTreeMap<String, FileFacts>,
    /// The headings of the spec files that rows cite.
    pub headings: BTreeMap<String, BTreeSet<String>>,
    /// Entries that may not be where they are: in the ledger or history directory, or unsafe.
    pub strays: Vec<Stray>,
    /// How `base_rev` of the fixture ledger relates to each of the bases.
    pub base_rev: Option<BaseRev>,
    /// The code and exempt paths in which candidate and bases differ.
    pub touched: BTreeSet<String>,
    /// The ledgers whose rows are not sorted, as a text merge leaves them.
    pub unsorted: BTreeSet<LedgerName>,
    /// What is wrong with its policy, where it is another one than that of a base.
    pub policy_fault: Option<PolicyFault>,
}

/// The material of one tree. Trees with the same material share one value.
#[derive(Clone, Debug)]
pub struct Material {
    /// `oracle.json`.
    pub oracle: Reading<OracleLedger>,
    /// `fixture.json`.
    pub fixture: Reading<FixtureLedger>,
    /// `freezes.json`.
    pub freezes: Reading<FreezeLedger>,
    /// Every entry under `paths.properties`, by path.
    pub properties: Arc<Listing>,
    /// Every entry under `paths.fixtures`, by path.
    pub fixtures: Arc<Listing>,
    /// Every entry under `paths.specs`, by path.
    pub specs: Arc<Listing>,
    /// The entry of the policy.
    pub policy: Option<EntryState>,
}

impl Material {
    /// The oracle rows; none when they cannot be read.
    pub fn oracle_rows(&self) -> &[OracleRow] {
        self.oracle
            .valid()
            .map(|ledger| ledger.oracles.as_slice())
            .unwrap_or_default()
    }

    /// The freeze rows; none when they cannot be read.
    pub fn freeze_rows(&self) -> &[FreezeRow] {
        self.freezes
            .valid()
            .map(|ledger| ledger.freezes.as_slice())
            .unwrap_or_default()
    }
}

/// Entries by path: blobs, links and submodules, no trees.
pub type Listing = BTreeMap<String, EntryState>;

/// What reading one ledger gave.
#[derive(Clone, Debug)]
pub enum Reading<L> {
    /// There is no such entry.
    Missing,
    /// There is one that is no valid ledger.
    Invalid(LedgerFault),
    /// The rows.
    Valid(Arc<L>),
}

impl<L> Reading<L> {
    /// The rows, when there are any to read.
    pub fn valid(&self) -> Option<&L> {
        match self {
            Self::Valid(ledger) => Some(ledger),
            Self::Missing | Self::Invalid(_) => None,
        }
    }
}

/// What the bytes of one file are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// SHA-256 of the bytes; `None` for what is no blob.
    pub sha256: Option<Sha256>,
    /// The number of bytes.
    pub size: u64,
    /// Whether the bytes are a Git LFS pointer.
    pub is_lfs_pointer: bool,
    /// What a committed attribute would do to the bytes on the way to disk, as a phrase.
    pub changed_by: Option<String>,
}

/// An entry that may not be where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// LEDGER_INVALID or PATH_UNSAFE.
    pub code: Code,
    /// The path, made safe to print.
    pub path: String,
    /// What stands there.
    pub observed: String,
    /// What may stand there.
    pub expected: String,
}

/// How the fixture ledger's `base_rev` relates to the bases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseRev {
    /// It is an ancestor of every base, or equal to it.
    Ancestor,
    /// It is no full object id of this repository's length.
    Malformed,
    /// It names no commit here.
    Unknown,
    /// It is a commit, but not an ancestor of every base.
    NotAncestor,
}

/// One commit of the range.
#[derive(Clone, Debug)]
pub struct CommitFacts {
    /// The commit.
    pub id: CommitId,
    /// Its parents, in order; a root has one, the empty tree.
    pub parents: Vec<ParentFacts>,
    /// Its material.
    pub material: Arc<Material>,
    /// What it owns: the paths whose entry differs from every parent.
    pub own: Own,
    /// The protected commit that it takes back, path for path.
    pub reverts: Option<CommitId>,
}

impl CommitFacts {
    /// Whether this commit carries part of the patch.
    pub fn is_patch(&self) -> bool {
        self.own.code.is_some() && self.reverts.is_none()
    }
}

/// One parent of a commit of the range.
#[derive(Clone, Debug)]
pub struct ParentFacts {
    /// The commit; `None` is the empty tree above a root.
    pub id: Option<CommitId>,
    /// Its material.
    pub material: Arc<Material>,
    /// Whether it lies outside the range: on a protected line or in the history of the base.
    pub is_protected: bool,
}

/// The paths that a commit owns, as far as rules ask for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// A path that is neither material nor exempt.
    pub code: Option<String>,
    /// A path that is exempt.
    pub exempt: Option<String>,
    /// A path that is for people only.
    pub human_only: Option<String>,
}
