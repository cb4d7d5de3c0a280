//! `nextest-proptest`: cargo-nextest with proptest. 100 is a failure; 101 (the build) and 4 (no
//! test) are errors.

use super::tools::NEXTEST;
use super::{Configuration, Preset, RAW, ResultFormat, ResultPlace, Results, Seeds};

/// cargo-nextest with proptest.
pub const NEXTEST_PROPTEST: Preset = Preset {
    name: "nextest-proptest",
    fail: &[100],
    env: &[
        ("PROPTEST_RNG_SEED", "{seed}"),
        ("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1"),
        // both go before what the candidate's own configuration asks for
        ("NEXTEST_RETRIES", "0"),
        ("NEXTEST_NO_TESTS", "fail"),
        // cargo takes a `target` that the candidate carries for what it would build
        ("CARGO_TARGET_DIR", "{tmp}/target"),
    ],
    // these weaken or turn around a run from outside the tree
    env_unset: &[&[
        "PROPTEST_CASES",
        "PROPTEST_MAX_DEFAULT_SIZE_RANGE",
        "PROPTEST_RNG_ALGORITHM",
        "NEXTEST_PROFILE",
    ]],
    // proptest only warns of a seed that it cannot read, and draws another
    seeds: Seeds::Decimal,
    tool: Some(&NEXTEST),
    configuration: Some(Configuration {
        option: "--config-file",
        yields_to_run: true,
        pinned: &["nextest.toml", ".config/nextest.toml"],
        own_name: "nextest.toml",
        own_text: "[profile.default.junit]\npath = {result}\n",
        cuts_conftest: false,
    }),
    // a retry that `run` itself asks for leaves with 0, and only the file tells
    results: Some(Results {
        format: ResultFormat::Junit,
        arguments: &[],
        place: ResultPlace::FileOfConfiguration,
    }),
    ..RAW
};
