//! How is a tool kept from configuration that the candidate could have written?
//!
//! A `conftest.py` at the root of a tree, or options in its `pyproject.toml`, can turn a failure
//! into a pass with results that agree. So each preset names its configuration: the pinned file
//! when there is one under `paths.properties`, else an empty one of our own. What product code does
//! to its test framework while it runs is not seen here.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::command::{CommandError, Expected, Places, Source, Subject};
use super::result::Format;
use crate::model::path::RepoPath;
use crate::policy::{Check, Preset};

/// The material that no candidate can have touched.
#[derive(Clone, Copy, Debug)]
pub struct Pinned<'a> {
    /// `paths.properties` of the policy.
    pub prefixes: &'a [RepoPath],
    /// The files under them, as they are laid over the tree.
    pub files: &'a BTreeSet<RepoPath>,
}

/// The file in `tmp` in which Hypothesis says to which state of its generator a seed led.
pub const SEED_ECHO: &str = "reins-seed-echo";

/// What a preset adds to a command.
#[derive(Debug, Default)]
pub(super) struct Extra {
    /// Where in `run` the arguments go.
    pub(super) at: usize,
    /// Arguments, with placeholders.
    pub(super) arguments: Vec<String>,
    /// Files inside of `tmp`.
    pub(super) files: BTreeMap<PathBuf, Vec<u8>>,
    /// The results that the tool is made to write.
    pub(super) result: Option<Expected>,
    /// A directory that goes first on Python's path.
    python_path: Option<PathBuf>,
    /// Where the state that a seed led to is written.
    seed_echo: Option<PathBuf>,
}

/// Loaded by pytest before any `conftest.py`.
const TREE_PLUGIN: &str = include_str!("reins_tree.py");

/// What a preset adds to the command of a check.
pub(super) fn extra(
    check: &Check,
    subject: Subject<'_>,
    places: Places<'_>,
    pinned: Pinned<'_>,
) -> Result<Extra, CommandError> {
    let file = subject.property.map(|(_, file)| file);
    match check.preset {
        Preset::Pytest | Preset::PytestHypothesis => pytest(check, file, places, pinned),
        Preset::NextestProptest => nextest(check, file, places, pinned),
        Preset::JestFastCheck => jest(check, file, places, pinned),
        Preset::GoTest => go(check),
        Preset::Tap => Ok(tap(check, places)),
        Preset::Raw => Ok(Extra::default()),
    }
}

/// Who is not told of a result file has nowhere but standard output to write to.
fn tap(check: &Check, places: Places<'_>) -> Extra {
    let is_told = check
        .run
        .iter()
        .chain(check.env.values())
        .any(|text| text.contains("{result}"));
    let source = if is_told {
        Source::File(places.result.to_owned())
    } else {
        Source::Stdout
    };
    let result = Some(Expected {
        format: Format::Tap,
        source,
        require_executed: 1,
    });
    Extra {
        result,
        ..Extra::default()
    }
}

impl Extra {
    fn after(
        check: &Check,
        tool: &'static str,
        is_tool: impl Fn(&str) -> bool,
    ) -> Result<Self, CommandError> {
        let found = check.run.iter().position(|word| is_tool(file_name(word)));
        let at = found.ok_or_else(|| CommandError::NoTool {
            check: check.id.clone(),
            tool,
        })? + 1;
        Ok(Self {
            at,
            ..Self::default()
        })
    }

    /// The same, behind a later word: a subcommand.
    fn then(
        mut self,
        check: &Check,
        words: &[&str],
        tool: &'static str,
    ) -> Result<Self, CommandError> {
        let found = check.run[self.at..]
            .iter()
            .position(|word| words.contains(&word.as_str()));
        self.at += found.ok_or_else(|| CommandError::NoTool {
            check: check.id.clone(),
            tool,
        })? + 1;
        Ok(self)
    }

    fn add<const N: usize>(&mut self, arguments: [&str; N]) {
        self.arguments.extend(arguments.map(str::to_owned));
    }

    /// A path in the tree or in `tmp`, as an argument.
    fn add_path(&mut self, option: &str, root: &str, below: &str) {
        let path = if below.is_empty() {
            root.to_owned()
        } else {
            format!("{root}/{below}")
        };
        self.arguments.extend([option.to_owned(), path]);
    }

    /// The pinned configuration, else one of our own.
    fn add_configuration(&mut self, option: &str, pinned: Option<&RepoPath>, own: Own<'_>) {
        match pinned {
            Some(path) => self.add_path(option, "{tree}", path.as_str()),
            None => {
                self.add_path(option, "{tmp}", own.name);
                self.files.insert(own.tmp.join(own.name), own.bytes);
            }
        }
    }

    pub(super) fn set_variables(&self, env: &mut BTreeMap<String, OsString>) {
        env.extend(
            self.seed_echo
                .iter()
                .map(|path| ("REINS_SEED_ECHO".to_owned(), path.into())),
        );
        let Some(path) = &self.python_path else {
            return;
        };
        let mut first = path.clone().into_os_string();
        if let Some(declared) = env
            .get("PYTHONPATH")
            .filter(|declared| !declared.is_empty())
        {
            first.push(":");
            first.push(declared);
        }
        env.insert("PYTHONPATH".to_owned(), first);
        // without it `python -m pytest` would take a `pytest.py` of the tree for pytest
        env.entry("PYTHONSAFEPATH".to_owned())
            .or_insert_with(|| "1".into());
    }
}

/// A configuration of our own.
struct Own<'a> {
    tmp: &'a Path,
    name: &'a str,
    bytes: Vec<u8>,
}

fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or_default()
}

fn mentions(check: &Check, word: &str) -> bool {
    check.run.iter().any(|argument| argument.contains(word))
}

fn pytest(
    check: &Check,
    file: Option<&RepoPath>,
    places: Places<'_>,
    pinned: Pinned<'_>,
) -> Result<Extra, CommandError> {
    let mut extra = Extra::after(check, "pytest", |name| matches!(name, "pytest" | "py.test"))?;
    let own = Own {
        tmp: places.tmp,
        name: "pytest.ini",
        bytes: b"[pytest]\n".to_vec(),
    };
    extra.add_configuration("-c", pinned.nearest(file, &["pytest.ini"]), own);
    match pinned.conftest_top(file) {
        Some(top) => extra.add_path("--confcutdir", "{tree}", &top),
        None => extra.add(["--noconftest"]),
    }
    extra.add([
        "--rootdir",
        "{tree}",
        "-p",
        "reins_tree",
        "-p",
        "no:cacheprovider",
    ]);
    extra.add(["-p", "no:rerunfailures", "-p", "no:flaky"]);
    if check.preset == Preset::PytestHypothesis {
        extra.seed_echo = Some(places.tmp.join(SEED_ECHO));
        if !mentions(check, "{seed}") {
            extra.add(["--hypothesis-seed={seed}"]);
        }
    }
    let written = check
        .result
        .as_ref()
        .is_none_or(|result| result.path == "{result}");
    if written && !mentions(check, "{result}") {
        extra.add(["--junit-xml={result}"]);
    }
    extra.result = Some(in_file(Format::Junit, places));
    let python_path = places.tmp.join("reins-python");
    extra
        .files
        .insert(python_path.join("reins_tree.py"), TREE_PLUGIN.into());
    extra.python_path = Some(python_path);
    Ok(extra)
}

fn nextest(
    check: &Check,
    file: Option<&RepoPath>,
    places: Places<'_>,
    pinned: Pinned<'_>,
) -> Result<Extra, CommandError> {
    let extra = Extra::after(check, "nextest", |name| {
        matches!(name, "nextest" | "cargo-nextest")
    })?;
    let mut extra = extra.then(check, &["run", "r"], "nextest run")?;
    if mentions(check, "--config-file") {
        return Ok(extra);
    }
    // a retry that `run` itself asks for leaves with 0, and only the file tells
    let result = serde_json::Value::from(places.result.to_string_lossy());
    let bytes = format!("[profile.default.junit]\npath = {result}\n").into_bytes();
    let own = Own {
        tmp: places.tmp,
        name: "nextest.toml",
        bytes,
    };
    let configuration = pinned.nearest(file, &["nextest.toml", ".config/nextest.toml"]);
    extra.result = configuration
        .is_none()
        .then(|| in_file(Format::Junit, places));
    extra.add_configuration("--config-file", configuration, own);
    Ok(extra)
}

fn jest(
    check: &Check,
    file: Option<&RepoPath>,
    places: Places<'_>,
    pinned: Pinned<'_>,
) -> Result<Extra, CommandError> {
    let mut extra = Extra::after(check, "jest", |name| matches!(name, "jest" | "jest.js"))?;
    let root = places.tree.to_string_lossy();
    // no transform: a babel configuration of the tree could rewrite the property; no mocks: jest
    // takes one of the tree for any package of that name, unasked
    let ignored = ["/__mocks__/"];
    let bytes = serde_json::json!({ "rootDir": root, "transform": {}, "modulePathIgnorePatterns": ignored });
    let names = ["json", "js", "cjs", "mjs", "ts"].map(|ending| format!("jest.config.{ending}"));
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let own = Own {
        tmp: places.tmp,
        name: "jest.config.json",
        bytes: bytes.to_string().into_bytes(),
    };
    extra.add_configuration("--config", pinned.nearest(file, &names), own);
    extra.add(["--ci", "--passWithNoTests=false"]);
    if check.run.iter().any(|word| word == "{property_file}") {
        // else it is a pattern, which a file of the candidate can match too
        extra.add(["--runTestsByPath"]);
    }
    if check.result.is_none() && !mentions(check, "{result}") {
        extra.add(["--json", "--outputFile={result}"]);
        extra.result = Some(in_file(Format::Jest, places));
    }
    Ok(extra)
}

/// `go test` leaves with 0 when there are no tests, so its events are read.
fn go(check: &Check) -> Result<Extra, CommandError> {
    let mut extra =
        Extra::after(check, "go test", |name| name == "go")?.then(check, &["test"], "go test")?;
    extra.add(["-count=1"]);
    if check.result.is_none() {
        extra.add(["-json"]);
        extra.result = Some(Expected {
            format: Format::Go,
            source: Source::Stdout,
            require_executed: 1,
        });
    }
    Ok(extra)
}

fn in_file(format: Format, places: Places<'_>) -> Expected {
    Expected {
        format,
        source: Source::File(places.result.to_owned()),
        require_executed: 1,
    }
}

impl Pinned<'_> {
    fn covers(&self, path: &str) -> bool {
        self.prefixes.iter().any(|prefix| prefix.covers(path))
    }

    /// The pinned file with one of these names that lies nearest to the property, upwards.
    fn nearest(&self, file: Option<&RepoPath>, names: &[&str]) -> Option<&RepoPath> {
        let is_pinned = |path: &&RepoPath| self.covers(path.as_str());
        self.directories(file).find_map(|directory| {
            let paths = names
                .iter()
                .filter_map(|name| below(&directory, name).parse::<RepoPath>().ok());
            paths
                .filter_map(|path| self.files.get(&path))
                .find(is_pinned)
        })
    }

    /// The highest directory above a property where, and below which, every `conftest.py` on the
    /// way to it is pinned.
    fn conftest_top(&self, file: Option<&RepoPath>) -> Option<String> {
        let directories = self.directories(file);
        directories
            .take_while(|directory| self.covers(&below(directory, "conftest.py")))
            .last()
    }

    /// The directories from a property up to the root, which is `""`. A canary has no property, and
    /// is taken to live in the first directory of properties.
    fn directories(&self, file: Option<&RepoPath>) -> impl Iterator<Item = String> + use<> {
        let home = || {
            self.prefixes
                .iter()
                .find(|prefix| !self.files.contains(prefix))
        };
        let start = match file {
            Some(file) => parent(file.as_str()).map(str::to_owned),
            None => Some(
                home()
                    .map(|home| home.as_str().to_owned())
                    .unwrap_or_default(),
            ),
        };
        std::iter::successors(start, |directory| parent(directory).map(str::to_owned))
    }
}

/// The directory of a path; `""` is the root, which has none.
fn parent(path: &str) -> Option<&str> {
    if path.is_empty() {
        None
    } else {
        Some(path.rsplit_once('/').map_or("", |(parent, _)| parent))
    }
}

fn below(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    }
}
