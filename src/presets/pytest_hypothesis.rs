//! `pytest-hypothesis`: pytest with Hypothesis, whose seed is ignored wherever it finds a CI system.

use super::pytest::{ARGUMENTS, OUTSIDE, PYTEST};
use super::{Argument, Preset, When};

/// What Hypothesis takes for a CI system; any one makes it derandomise, and a seed does nothing.
const CI: &[&str] = &[
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

/// pytest with Hypothesis.
pub const PYTEST_HYPOTHESIS: Preset = Preset {
    name: "pytest-hypothesis",
    env: &[("HYPOTHESIS_STORAGE_DIRECTORY", "{tmp}/hypothesis")],
    env_unset: &[OUTSIDE, CI],
    seed_echo: true,
    arguments: &[
        ARGUMENTS,
        Argument {
            when: When::Without("{seed}"),
            words: &["--hypothesis-seed={seed}"],
        },
    ],
    ..PYTEST
};
