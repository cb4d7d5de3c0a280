//! The error of a policy that cannot be read.

use super::POLICY_PATH;

/// The policy cannot be read: the first key that is unknown, missing or has a bad value.
///
/// Nothing is decided under such a policy (POLICY_INVALID, exit 128).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {key} is {observed}, expected {expected}", place(.line))]
pub struct PolicyFault {
    /// The key, `freeze.max_days` or `check[2].run`, counted from 0; `the file` when the text
    /// as a whole is to blame.
    pub key: String,
    /// The line it stands in, from 1; `None` when it stands nowhere.
    pub line: Option<usize>,
    /// What was read, safe to print.
    pub observed: String,
    /// What may stand there.
    pub expected: String,
}

fn place(line: &Option<usize>) -> String {
    match line {
        Some(line) => format!("{POLICY_PATH}:{line}"),
        None => POLICY_PATH.to_owned(),
    }
}
