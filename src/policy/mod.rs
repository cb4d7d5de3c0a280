//! The policy, `.gitreins/reins.toml`: its sections, its strict reader, and the text that a new
//! repository starts with.
//!
//! The policy that judges is always read from the protected line, never from the candidate, from
//! git's configuration or from the environment. A missing key has its default; an unknown key
//! or a bad value is a [`PolicyFault`], and then nothing is decided.

pub mod check;
pub mod draft;
pub mod fault;
pub mod parse;
pub mod path_class;
pub mod placeholder;
pub mod refname;
pub mod sections;

pub use check::{Check, ExitMap, Kind, Network, ResultFile, Timeout};
pub use fault::PolicyFault;
pub use parse::parse;
pub use sections::{
    BUILT_IN_CANARIES, Foreman, FreezeRule, Judge, MARKER_SIZE, Mechanism, Paths, Policy, Power,
    Protect, Tier1, VerdictRule,
};

/// Where the policy stands in a repository.
pub const POLICY_PATH: &str = ".gitreins/reins.toml";
