//! A declared check: its command, its seeds, and how its answer is read.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::presets::{Preset, ResultFormat};

/// One `[[check]]`, after its preset filled in what was not written.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The id: like an oracle id, unique under ASCII case folding, no built-in canary.
    pub id: String,
    /// Whether it runs properties or is a canary.
    pub kind: Kind,
    /// The tool it runs.
    pub preset: &'static Preset,
    /// The command, not empty, with placeholders.
    pub run: Vec<String>,
    /// The seeds, opaque texts, at least one; `"0"` when none are written.
    pub seeds: Vec<String>,
    /// Variables that are set, with placeholders: the preset's and the declared ones.
    pub env: BTreeMap<String, String>,
    /// Variables that the command does not inherit: the preset's and the declared ones.
    pub env_unset: BTreeSet<String>,
    /// What exit codes mean.
    pub exit: ExitMap,
    /// A file that the command writes; it can only worsen the outcome.
    pub result: Option<ResultFile>,
    /// Whether a miss of a frozen seed can be held. Never true of a canary.
    pub quarantine_eligible: bool,
    /// How long it may take.
    pub timeout: Timeout,
    /// Whether it may reach the network.
    pub network: Network,
    /// The most output it may write, in MiB.
    pub output_max_mib: u64,
}

impl Check {
    /// The cap on output where none is written, in MiB.
    pub const OUTPUT_MAX_MIB: u64 = 64;

    /// How long the command that compares public signatures may take, in seconds.
    pub const SIGNATURE_BUDGET_S: u64 = 120;
}

/// What a check is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Runs the properties of the oracle rows that name it.
    Property,
    /// Must be a hard pass before any property runs, and is never frozen.
    Canary,
}

impl Kind {
    /// Every kind and its name.
    pub const NAMES: &[(&str, Self)] = &[("property", Self::Property), ("canary", Self::Canary)];
}

/// What an exit code means; one that stands in neither set is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitMap {
    /// The codes of a pass, at least one.
    pub pass: BTreeSet<u8>,
    /// The codes of a failure, none of them a pass.
    pub fail: BTreeSet<u8>,
}

impl ExitMap {
    /// The exit codes of a preset.
    pub fn of(preset: &Preset) -> Self {
        Self {
            pass: preset.pass.iter().copied().collect(),
            fail: preset.fail.iter().copied().collect(),
        }
    }
}

/// A result file: written by the code under test, so never the authority for a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultFile {
    /// How it is written.
    pub format: ResultFormat,
    /// Where it is, with placeholders; relative to the tree.
    pub path: String,
    /// How many tests must have run, at least 1.
    pub require_executed: u64,
}

/// How long one run may take. The budget is raised to what was measured, plus a margin.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeout {
    /// The usual budget, in seconds; at most `max_s`.
    pub budget_s: u64,
    /// How long the check is known to take, in seconds.
    pub measured_s: Option<f64>,
    /// The share added to a known duration.
    pub margin: f64,
    /// The longest budget, in seconds.
    pub max_s: u64,
}

impl Default for Timeout {
    fn default() -> Self {
        Self {
            budget_s: 120,
            measured_s: None,
            margin: 0.25,
            max_s: 1200,
        }
    }
}

/// Whether a check may reach the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// It may not.
    Deny,
    /// It may, and so its properties are smoke.
    Allow,
}

impl Network {
    /// Every rule and its name.
    pub const NAMES: &[(&str, Self)] = &[("deny", Self::Deny), ("allow", Self::Allow)];
}
