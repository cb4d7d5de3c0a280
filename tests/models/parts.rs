//! What are hand-built facts made of? Object ids, the states of entries, and the policy.

use git_reins::decide::facts::Pins;
use git_reins::model::ids::{CommitId, EntryState, ObjectId};
use git_reins::policy::{self, Policy};

use super::words::{POLICY, sha};

/// [`POLICY`], read.
pub fn policy() -> Policy {
    policy::parse(POLICY.as_bytes()).unwrap()
}

/// An object id that only this text has.
pub fn object(text: &str) -> ObjectId {
    ObjectId::from_bytes(&sha(text).0[..20]).unwrap()
}

/// The id of commit number `n`.
pub fn commit(n: usize) -> CommitId {
    CommitId(object(&format!("commit {n}")))
}

/// A regular file that holds this text.
pub fn plain(text: &str) -> EntryState {
    EntryState {
        mode: EntryState::PLAIN,
        id: object(text),
    }
}

/// What a trial of the only candidate is bound to.
pub fn pins() -> Pins {
    Pins {
        base_tree: Some(object("base tree")),
        candidate_tree: object("candidate tree"),
        policy_sha256: sha("policy"),
    }
}
