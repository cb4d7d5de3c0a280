//! The presets: for each known tool, its arguments, exit codes, environment, results and
//! configuration. One file holds one preset, as data; `judge/harness.rs` applies them.

mod go_test;
mod jest_fast_check;
mod nextest_proptest;
mod pytest;
mod pytest_hypothesis;
mod raw;
mod tap;
pub mod tools;

pub use raw::RAW;

use self::tools::Tool;

/// A tool whose exit codes, environment and results are known.
///
/// The keys that a check declares go before those of its preset.
#[derive(Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name, as the policy writes it.
    pub name: &'static str,
    /// The exit codes of a pass.
    pub pass: &'static [u8],
    /// The exit codes of a failure. A code in neither list is an error.
    pub fail: &'static [u8],
    /// Variables that the tool needs, with placeholders.
    pub env: &'static [(&'static str, &'static str)],
    /// Variables that the tool must not inherit.
    pub env_unset: &'static [&'static [&'static str]],
    /// The seeds that the tool honours.
    pub seeds: Seeds,
    /// Whether the tool writes to [`SEED_ECHO`] to which state a seed led.
    pub seed_echo: bool,
    /// The tool; `None` when the preset adds no argument.
    pub tool: Option<&'static Tool>,
    /// The configuration that the tool is given.
    pub configuration: Option<Configuration>,
    /// Arguments, behind those of the configuration.
    pub arguments: &'static [Argument],
    /// The results that the tool writes; `None` when only the exit code counts.
    pub results: Option<Results>,
    /// A module that Python finds before every other: its file name and its text.
    pub python_module: Option<(&'static str, &'static str)>,
}

/// Every preset, in the order in which messages list them.
pub const PRESETS: &[&Preset] = &[
    &pytest::PYTEST,
    &pytest_hypothesis::PYTEST_HYPOTHESIS,
    &nextest_proptest::NEXTEST_PROPTEST,
    &jest_fast_check::JEST_FAST_CHECK,
    &go_test::GO_TEST,
    &tap::TAP,
    &RAW,
];

/// The file in `{tmp}` in which Hypothesis says to which state of its generator a seed led.
pub const SEED_ECHO: &str = "reins-seed-echo";

/// The seeds that a tool honours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// Any text that is not blank.
    Text,
    /// A decimal number below 2^64.
    Decimal,
}

impl Seeds {
    /// Whether the tool honours this seed.
    pub fn take(self, seed: &str) -> bool {
        match self {
            Self::Text => !seed.trim().is_empty(),
            Self::Decimal => seed.parse::<u64>().is_ok(),
        }
    }
}

/// Words that are put behind the tool in `run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// When they are added.
    pub when: When,
    /// The words, with placeholders.
    pub words: &'static [&'static str],
}

/// When an argument is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// In every run.
    Always,
    /// When no word of `run` contains this text.
    Without(&'static str),
    /// When a word of `run` is this text.
    With(&'static str),
}

/// The configuration that a tool is given, so that it reads none of the candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The option that names the file.
    pub option: &'static str,
    /// Whether a `run` that names the option itself gets neither the file nor results.
    pub yields_to_run: bool,
    /// Names of a file under `paths.properties`; the one nearest to the property is used.
    pub pinned: &'static [&'static str],
    /// The name of the file that is used when there is none.
    pub own_name: &'static str,
    /// Its text. `{tree}` and `{result}` stand for JSON strings.
    pub own_text: &'static str,
    /// Whether a `conftest.py` is read only from directories under `paths.properties`.
    pub cuts_conftest: bool,
}

/// The results that a tool is made to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Results {
    /// How they are written.
    pub format: ResultFormat,
    /// Arguments that make the tool write them.
    pub arguments: &'static [&'static str],
    /// Where they are read.
    pub place: ResultPlace,
}

/// Where the results of a preset are read. A `result` that the check declares goes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultPlace {
    /// `{result}`. The arguments are added unless `run` names the file, or the check another one.
    File,
    /// `{result}`, if the arguments are added: where `run` names the file, it picks the format.
    FileOfArguments,
    /// `{result}`, if the tool is given our own configuration.
    FileOfConfiguration,
    /// `{result}`, if `run` or a variable names it; else standard output.
    FileOrStdout,
    /// Standard output.
    Stdout,
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResultFormat {
    /// JUnit XML: pytest, nextest, jest-junit, maven.
    Junit,
    /// Test Anything Protocol, 13 or 14.
    Tap,
    /// One JSON object a line, `{"seed": "7", "status": "pass"}`.
    Jsonl,
    /// The events of `go test -json`.
    Go,
    /// The report of `jest --json`.
    Jest,
}

impl ResultFormat {
    /// Every format that a policy can declare, and its name.
    pub const NAMES: &[(&str, Self)] = &[
        ("junit", Self::Junit),
        ("tap", Self::Tap),
        ("jsonl", Self::Jsonl),
    ];
}
