//! Applies a preset to the command of a check.
//!
//! A `conftest.py` at the root of a tree, or options in its `pyproject.toml`, can turn a failure
//! into a pass with results that agree. So each preset names its configuration: the pinned file
//! when there is one under `paths.properties`, else one of our own. What product code does to its
//! test framework while it runs is not seen here.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::command::{CommandError, Expected, Places, Source, Subject};
use crate::model::path::{RepoPath, file_name};
use crate::policy::Check;
use crate::policy::placeholder::{Piece, pieces};
use crate::presets::tools::Tool;
use crate::presets::{Configuration, ResultPlace, Results, SEED_ECHO, When};

/// The material that no candidate can have touched.
#[derive(Clone, Copy, Debug)]
pub struct Pinned<'a> {
    /// `paths.properties` of the policy.
    pub prefixes: &'a [RepoPath],
    /// The files under them, as they are laid over the tree.
    pub files: &'a BTreeSet<RepoPath>,
}

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

/// What the preset of a check adds to its command.
pub(super) fn extra(
    check: &Check,
    subject: Subject<'_>,
    places: Places<'_>,
    pinned: Pinned<'_>,
) -> Result<Extra, CommandError> {
    let preset = check.preset;
    let mut extra = Extra::default();
    if let Some(tool) = preset.tool {
        extra.at = behind(check, tool)?;
    }
    let mut has_own_configuration = false;
    if let Some(configuration) = preset.configuration {
        if configuration.yields_to_run && mentions(check, configuration.option) {
            return Ok(extra);
        }
        let file = subject.property.map(|(_, file)| file);
        has_own_configuration = extra.configure(configuration, file, places, pinned);
    }
    for argument in preset.arguments {
        let is_added = match argument.when {
            When::Always => true,
            When::Without(text) => !mentions(check, text),
            When::With(word) => check.run.iter().any(|other| other == word),
        };
        if is_added {
            extra.add(argument.words);
        }
    }
    if let Some(results) = preset.results {
        extra.expect(check, results, places, has_own_configuration);
    }
    if preset.seed_echo {
        extra.seed_echo = Some(places.tmp.join(SEED_ECHO));
    }
    if let Some((name, text)) = preset.python_module {
        let python_path = places.tmp.join("reins-python");
        extra.files.insert(python_path.join(name), text.into());
        extra.python_path = Some(python_path);
    }
    Ok(extra)
}

/// The index in `run` behind the tool and its subcommand.
fn behind(check: &Check, tool: &Tool) -> Result<usize, CommandError> {
    let missing = |tool| CommandError::NoTool {
        check: check.id.clone(),
        tool,
    };
    let is_tool = |word: &String| tool.programs.contains(&file_name(word));
    let at = check.run.iter().position(is_tool);
    let at = at.ok_or_else(|| missing(tool.name))? + 1;
    let Some((words, name)) = tool.subcommand else {
        return Ok(at);
    };
    let mut rest = check.run[at..].iter();
    let further = rest.position(|word| words.contains(&word.as_str()));
    Ok(at + further.ok_or_else(|| missing(name))? + 1)
}

impl Extra {
    fn add(&mut self, words: &[&str]) {
        self.arguments
            .extend(words.iter().map(|&word| word.to_owned()));
    }

    /// Adds the pinned configuration, else one of our own, and tells whether it is our own.
    fn configure(
        &mut self,
        configuration: Configuration,
        file: Option<&RepoPath>,
        places: Places<'_>,
        pinned: Pinned<'_>,
    ) -> bool {
        let nearest = pinned.nearest(file, configuration.pinned);
        let path = match nearest {
            Some(path) => format!("{{tree}}/{path}"),
            None => format!("{{tmp}}/{}", configuration.own_name),
        };
        self.add(&[configuration.option, &path]);
        if nearest.is_none() {
            let text = filled(configuration.own_text, places);
            let path = places.tmp.join(configuration.own_name);
            self.files.insert(path, text.into_bytes());
        }
        if configuration.cuts_conftest {
            match pinned.conftest_top(file) {
                Some(top) => self.add(&["--confcutdir", &below("{tree}", &top)]),
                None => self.add(&["--noconftest"]),
            }
        }
        nearest.is_none()
    }

    fn expect(
        &mut self,
        check: &Check,
        results: Results,
        places: Places<'_>,
        has_own_configuration: bool,
    ) {
        let is_named = mentions(check, "{result}");
        let declared = check.result.as_ref();
        let file = Source::File(places.result.to_owned());
        let (has_arguments, source) = match results.place {
            ResultPlace::File => {
                let is_ours = declared.is_none_or(|result| result.path == "{result}");
                (is_ours && !is_named, Some(file))
            }
            ResultPlace::FileOfArguments => {
                let is_added = declared.is_none() && !is_named;
                (is_added, is_added.then_some(file))
            }
            ResultPlace::FileOfConfiguration => (false, has_own_configuration.then_some(file)),
            ResultPlace::FileOrStdout => {
                let in_env = check.env.values().any(|value| value.contains("{result}"));
                let source = if is_named || in_env {
                    file
                } else {
                    Source::Stdout
                };
                (false, Some(source))
            }
            ResultPlace::Stdout => (declared.is_none(), Some(Source::Stdout)),
        };
        if has_arguments {
            self.add(results.arguments);
        }
        self.result = source.map(|source| Expected {
            format: results.format,
            source,
            require_executed: 1,
        });
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

fn mentions(check: &Check, word: &str) -> bool {
    check.run.iter().any(|argument| argument.contains(word))
}

/// The text of a configuration of our own.
fn filled(text: &str, places: Places<'_>) -> String {
    let json = |path: &Path| serde_json::Value::from(path.to_string_lossy()).to_string();
    let piece = |piece| match piece {
        Piece::Hole("tree") => json(places.tree),
        Piece::Hole("result") => json(places.result),
        Piece::Hole(name) => format!("{{{name}}}"),
        Piece::Text(text) => text.to_owned(),
    };
    pieces(text).into_iter().map(piece).collect()
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
    match (directory, name) {
        ("", path) | (path, "") => path.to_owned(),
        (directory, name) => format!("{directory}/{name}"),
    }
}
