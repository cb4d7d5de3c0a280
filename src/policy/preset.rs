//! What does a check need to know about the tool it runs: exit codes, environment, seeds?

use std::collections::{BTreeMap, BTreeSet};

use super::check::ExitMap;

/// A tool whose exit codes and environment are known.
///
/// Declared keys of a check go before those of its preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Preset {
    /// pytest: 1 is a failure; 4 and 5 (no such test, nothing collected) are errors.
    Pytest,
    /// pytest with Hypothesis, whose seed is ignored wherever it finds a CI system.
    PytestHypothesis,
    /// cargo-nextest with proptest: 100 is a failure; 101 (the build) and 4 (no test) are errors.
    NextestProptest,
    /// jest with fast-check, whose seed the set-up file reads from `FAST_CHECK_SEED`.
    JestFastCheck,
    /// `go test`: a failed build exits like a failed test.
    GoTest,
    /// Any tool that writes the Test Anything Protocol to `{result}`, or prints it when `{result}` stands
    /// in neither its arguments nor its variables.
    Tap,
    /// Any command: 0 is a pass, 1 a failure.
    Raw,
}

/// What Hypothesis takes for a CI system; any one makes it derandomise, and a seed does nothing.
const HYPOTHESIS_CI: [&str; 12] = [
    "CI",
    "__TOX_ENVIRONMENT_VARIABLE_ORIGINAL_CI",
    "TF_BUILD",
    "bamboo.buildKey",
    "BUILDKITE",
    "CIRCLECI",
    "CIRRUS_CI",
    "CODEBUILD_BUILD_ID",
    "GITHUB_ACTIONS",
    "GITLAB_CI",
    "HEROKU_TEST_RUN_ID",
    "TEAMCITY_VERSION",
];

/// Options and plugins from outside the tree.
const PYTEST_OUTSIDE: [&str; 2] = ["PYTEST_ADDOPTS", "PYTEST_PLUGINS"];

/// What would weaken or turn around a run of proptest or nextest from outside the tree.
const PROPTEST_OUTSIDE: [&str; 4] = [
    "PROPTEST_CASES",
    "PROPTEST_MAX_DEFAULT_SIZE_RANGE",
    "PROPTEST_RNG_ALGORITHM",
    "NEXTEST_PROFILE",
];

impl Preset {
    /// Every preset and its name.
    pub const NAMES: &[(&str, Self)] = &[
        ("pytest", Self::Pytest),
        ("pytest-hypothesis", Self::PytestHypothesis),
        ("nextest-proptest", Self::NextestProptest),
        ("jest-fast-check", Self::JestFastCheck),
        ("go-test", Self::GoTest),
        ("tap", Self::Tap),
        ("raw", Self::Raw),
    ];

    /// What the tool's exit codes mean.
    pub fn exit(self) -> ExitMap {
        let fail = match self {
            Self::NextestProptest => 100,
            Self::Pytest
            | Self::PytestHypothesis
            | Self::JestFastCheck
            | Self::GoTest
            | Self::Tap
            | Self::Raw => 1,
        };
        ExitMap {
            pass: BTreeSet::from([0]),
            fail: BTreeSet::from([fail]),
        }
    }

    /// Variables that the tool needs, with placeholders.
    pub fn env(self) -> BTreeMap<String, String> {
        let pairs: &[_] = match self {
            Self::PytestHypothesis => &[("HYPOTHESIS_STORAGE_DIRECTORY", "{tmp}/hypothesis")],
            Self::NextestProptest => &[
                ("PROPTEST_RNG_SEED", "{seed}"),
                ("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1"),
                // both go before what the candidate's own configuration asks for
                ("NEXTEST_RETRIES", "0"),
                ("NEXTEST_NO_TESTS", "fail"),
                // cargo takes a `target` that the candidate carries for what it would build
                ("CARGO_TARGET_DIR", "{tmp}/target"),
            ],
            // with CI set, jest does not write the snapshots that it misses and call that a pass
            Self::JestFastCheck => &[("FAST_CHECK_SEED", "{seed}"), ("CI", "true")],
            Self::Pytest | Self::GoTest | Self::Tap | Self::Raw => &[],
        };
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    /// Variables that the tool must not inherit.
    pub fn env_unset(self) -> BTreeSet<String> {
        let names: Vec<&str> = match self {
            Self::Pytest => PYTEST_OUTSIDE.to_vec(),
            Self::PytestHypothesis => [&PYTEST_OUTSIDE[..], &HYPOTHESIS_CI].concat(),
            Self::NextestProptest => PROPTEST_OUTSIDE.to_vec(),
            Self::JestFastCheck | Self::GoTest | Self::Tap | Self::Raw => Vec::new(),
        };
        names.into_iter().map(str::to_owned).collect()
    }

    /// Whether the tool honours this seed. proptest only warns of one that it cannot read, and
    /// draws another.
    pub fn takes_seed(self, seed: &str) -> bool {
        match self {
            Self::NextestProptest => seed.parse::<u64>().is_ok(),
            Self::Pytest
            | Self::PytestHypothesis
            | Self::JestFastCheck
            | Self::GoTest
            | Self::Tap
            | Self::Raw => !seed.trim().is_empty(),
        }
    }
}
