//! What are ledgers and policies of the tests written with? The policy, digests and members.

use git_reins::ledger::field::Field;
use git_reins::model::ids::Sha256;
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

/// SHA-256 of a text.
pub fn sha(text: &str) -> Sha256 {
    Sha256(sha2::Sha256::digest(text).into())
}

/// A member of a ledger that is a text.
pub fn member(text: &str) -> Option<Field<String>> {
    Some(Field::Value(text.to_owned()))
}
