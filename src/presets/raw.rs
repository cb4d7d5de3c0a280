//! `raw`: any command. Exit code 0 is a pass, 1 a failure.

use super::{Preset, Seeds};

/// The preset of a check that names none.
pub const RAW: Preset = Preset {
    name: "raw",
    pass: &[0],
    fail: &[1],
    env: &[],
    env_unset: &[],
    seeds: Seeds::Text,
    seed_echo: false,
    tool: None,
    configuration: None,
    arguments: &[],
    results: None,
    python_module: None,
};
