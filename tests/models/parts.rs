//! What are the hand-built worlds of the models made of? Ids, states, digests and the policy.

use git_reins::ledger::field::Field;
use git_reins::model::ids::{CommitId, EntryState, ObjectId, Sha256};
use git_reins::policy::{self, Policy};
use sha2::Digest as _;

/// The policy under which every world of the models is judged.
pub const POLICY: &str = r#"schema = 1
[paths]
properties = ["properties"]
fixtures = ["fixtures"]
specs = ["spec"]
exempt = ["docs"]
human_only = ["src/auth"]
[protect]
base = ["refs/heads/main", "refs/heads/release"]
[[check]]
id = "props"
run = ["run-property", "{property}"]
quarantine_eligible = true
[[check]]
id = "lint"
kind = "canary"
run = ["run-lint"]
"#;

/// [`POLICY`], read.
pub fn policy() -> Policy {
    policy::parse(POLICY.as_bytes()).unwrap()
}

/// SHA-256 of a text.
pub fn sha(text: &str) -> Sha256 {
    Sha256(sha2::Sha256::digest(text).into())
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
    EntryState { mode: EntryState::PLAIN, id: object(text) }
}

/// A member of a ledger that is a text.
pub fn member(text: &str) -> Option<Field<String>> {
    Some(Field::Value(text.to_owned()))
}
