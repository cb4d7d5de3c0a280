//! `pytest`: 1 is a failure; 4 and 5 (no such test, nothing collected) are errors.

use super::tools;
use super::{Argument, Configuration, Preset, RAW, ResultFormat, ResultPlace, Results, When};

/// Options and plugins from outside the tree.
pub(super) const OUTSIDE: &[&str] = &["PYTEST_ADDOPTS", "PYTEST_PLUGINS"];

/// Arguments of every run of pytest.
pub(super) const ARGUMENTS: Argument = Argument {
    when: When::Always,
    words: &[
        "--rootdir",
        "{tree}",
        "-p",
        "reins_tree",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:rerunfailures",
        "-p",
        "no:flaky",
    ],
};

/// pytest.
pub const PYTEST: Preset = Preset {
    name: "pytest",
    env_unset: &[OUTSIDE],
    tool: Some(&tools::PYTEST),
    configuration: Some(Configuration {
        option: "-c",
        yields_to_run: false,
        pinned: &["pytest.ini"],
        own_name: "pytest.ini",
        own_text: "[pytest]\n",
        cuts_conftest: true,
    }),
    arguments: &[ARGUMENTS],
    results: Some(Results {
        format: ResultFormat::Junit,
        arguments: &["--junit-xml={result}"],
        place: ResultPlace::File,
    }),
    // loaded by pytest before any `conftest.py`
    python_module: Some(("reins_tree.py", include_str!("reins_tree.py"))),
    ..RAW
};
