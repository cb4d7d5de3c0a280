//! Finds the files of a patch that can change what a check runs, although they are no material.
//!
//! A file that configures the tool of a check is held for a person when what it says to the tool
//! differs from base. A file that the command of a check names is a remark.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::path::shown;
use crate::policy::{Check, Policy};
use crate::presets::tools::{self, ANY, PYTHON_LIBRARY};

/// The remarks on the touched paths that commands name, check by check.
pub fn steering<'a>(
    policy: &Policy,
    touched: impl Iterator<Item = &'a str> + Clone,
) -> Vec<String> {
    let of = |check: &Check| {
        let paths = touched
            .clone()
            .filter(|path| check.run.iter().any(|word| names(word, path)))
            .map(shown);
        paths
            .map(|path| {
                format!(
                    "the patch touches {path}, which can change what check {} runs",
                    check.id
                )
            })
            .collect::<Vec<_>>()
    };
    policy.checks.iter().flat_map(of).collect()
}

/// The first check whose tool a file of the tree configures, by its preset or by the first word of
/// its command, or whose library a module of the tree stands for.
pub fn configured<'p>(policy: &'p Policy, path: &str) -> Option<&'p Check> {
    policy.checks.iter().find(|check| {
        let of_command = tools::files_of(&check.run);
        ANY.contain(path)
            || check
                .preset
                .tool
                .is_some_and(|tool| tool.files.contain(path))
            || of_command.is_some_and(|files| files.contain(path))
            || tools::runs_python(&check.run) && shadows_library(path)
    })
}

/// Whether a module at the root of the tree has the name of one of Python's own.
fn shadows_library(path: &str) -> bool {
    let name = path.strip_suffix(".py").filter(|name| !name.contains('/'));
    let name = name.or_else(|| {
        path.strip_suffix("/__init__.py")
            .filter(|name| !name.contains('/'))
    });
    name.is_some_and(|name| PYTHON_LIBRARY.binary_search(&name).is_ok())
}

/// Whether two states of a file say the same to the tools that read it; `None` is absence.
///
/// Of the files that hold much else only what configures tests counts: scripts of `package.json`,
/// the sections of pytest in `pyproject.toml`, `setup.cfg` and `tox.ini`, targets of `Cargo.toml`.
/// A lock file names versions, it configures nothing.
pub fn says_same(path: &str, before: Option<&[u8]>, now: Option<&[u8]>) -> bool {
    if before == now {
        return true;
    }
    match path.rsplit('/').next().unwrap_or(path) {
        "package.json" => {
            let keys = ["scripts", "jest", "vitest", "babel", "type", "imports"];
            json_members(before, &keys) == json_members(now, &keys)
        }
        "pyproject.toml" => {
            let keys = [["tool", "pytest"], ["tool", "hypothesis"]];
            toml_tables(before, &keys) == toml_tables(now, &keys)
        }
        "Cargo.toml" => {
            let keys = [
                "lib",
                "bin",
                "test",
                "bench",
                "profile",
                "patch",
                "replace",
                "workspace",
            ];
            let keys = keys.map(|key| [key]);
            toml_tables(before, &keys) == toml_tables(now, &keys)
        }
        "setup.cfg" | "tox.ini" => {
            let sections = ["[pytest]", "[tool:pytest]", "[testenv]"];
            ini_sections(before, &sections) == ini_sections(now, &sections)
        }
        "Cargo.lock" | "go.sum" => true,
        _ => false,
    }
}

/// Members of a JSON object; nothing where the file is no such object, which differs from all.
fn json_members(bytes: Option<&[u8]>, keys: &[&str]) -> Option<Vec<Option<Value>>> {
    let Some(bytes) = bytes else {
        return Some(vec![None; keys.len()]);
    };
    let value: Value = serde_json::from_slice(bytes).ok()?;
    Some(keys.iter().map(|key| value.get(key).cloned()).collect())
}

/// Tables of a TOML file by their path.
fn toml_tables<const N: usize>(
    bytes: Option<&[u8]>,
    keys: &[[&str; N]],
) -> Option<Vec<Option<toml::Value>>> {
    let Some(bytes) = bytes else {
        return Some(vec![None; keys.len()]);
    };
    let table: toml::Table = toml::from_str(std::str::from_utf8(bytes).ok()?).ok()?;
    let root = toml::Value::Table(table);
    let find = |path: &[&str; N]| {
        path.iter()
            .try_fold(&root, |value, key| value.get(*key))
            .cloned()
    };
    Some(keys.iter().map(find).collect())
}

/// The lines of some sections of an INI file.
fn ini_sections(bytes: Option<&[u8]>, names: &[&str]) -> BTreeMap<String, Vec<String>> {
    let text = String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let mut sections: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut section = "";
    for line in text.lines() {
        if line.starts_with('[') {
            section = line.trim();
        } else if names
            .iter()
            .any(|name| section.starts_with(name.trim_end_matches(']')))
        {
            sections
                .entry(section.to_owned())
                .or_default()
                .push(line.trim_end().to_owned());
        }
    }
    sections
}

/// Whether a word, or one of a script, is a path of the tree. A bare name is as likely a subcommand.
fn names(word: &str, path: &str) -> bool {
    let apart = |c: char| c.is_whitespace() || "'\"=;|&()".contains(c);
    let inner = |word: &str| {
        let of_tree = word
            .strip_prefix("{tree}/")
            .or_else(|| word.strip_prefix("./"));
        of_tree.unwrap_or(word) == path
    };
    path.contains(['/', '.']) && word.split(apart).any(inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::parse;

    fn policy(preset: &str, run: &str) -> Policy {
        let text =
            format!("schema = 1\n[[check]]\nid = \"p\"\npreset = \"{preset}\"\nrun = {run}\n");
        parse(text.as_bytes()).unwrap()
    }

    fn found(preset: &str, run: &str) -> Vec<&'static str> {
        let policy = policy(preset, run);
        let paths = [
            "src/a.py",
            "pyproject.toml",
            "x/.cargo/config.toml",
            "crates/a/build.rs",
            "lib/hypothesis/x.py",
            "jest.setup.js",
            "src/__mocks__/fast-check.js",
            "Makefile",
            "package.json",
            "node_modules/x/index.js",
            "x/.python-version",
            "vendor/x/y.go",
            "statistics.py",
            "src/statistics.py",
        ];
        paths
            .into_iter()
            .filter(|path| configured(&policy, path).is_some())
            .collect()
    }

    #[test]
    fn what_configures_a_tool_is_found_by_preset_and_by_command() {
        assert_eq!(
            found("go-test", "[\"go\"]"),
            ["x/.python-version", "vendor/x/y.go"]
        );
        assert_eq!(
            found("pytest", "[\"pytest\"]"),
            [
                "pyproject.toml",
                "lib/hypothesis/x.py",
                "x/.python-version",
                "statistics.py"
            ]
        );
        assert_eq!(
            found("raw", "[\"make\", \"-s\"]"),
            ["Makefile", "x/.python-version"]
        );
        assert_eq!(
            found("raw", "[\"/usr/bin/python3.11\", \"-m\", \"pytest\"]"),
            [
                "pyproject.toml",
                "lib/hypothesis/x.py",
                "x/.python-version",
                "statistics.py"
            ]
        );
        assert_eq!(
            found("tap", "[\"node\", \"{property_file}\"]"),
            [
                "package.json",
                "node_modules/x/index.js",
                "x/.python-version"
            ]
        );
        assert_eq!(found("raw", "[\"sh\"]"), ["x/.python-version"]);
    }

    #[test]
    fn of_a_shared_file_only_what_configures_tests_counts() {
        let same = |path: &str, before: &str, now: &str| {
            says_same(path, Some(before.as_bytes()), Some(now.as_bytes()))
        };
        let (a, b) = (
            r#"{"version": "1", "scripts": {"t": "a"}}"#,
            r#"{"version": "2", "scripts": {"t": "a"}}"#,
        );
        assert!(same("package.json", a, b));
        assert!(!same(
            "package.json",
            a,
            r#"{"version": "1", "scripts": {"t": "b"}}"#
        ));
        assert!(!same("package.json", a, "no json"));
        assert!(same(
            "pyproject.toml",
            "[project]\nversion = \"1\"\n",
            "[project]\nversion = \"2\"\n"
        ));
        assert!(!same(
            "pyproject.toml",
            "",
            "[tool.pytest.ini_options]\naddopts = \"-p x\"\n"
        ));
        assert!(!same("tox.ini", "", "[pytest]\naddopts = -p x\n"));
        assert!(same("tox.ini", "[flake8]\na = 1\n", "[flake8]\na = 2\n"));
        assert!(!says_same("Makefile", None, Some(b"x")));
        assert!(says_same("package.json", None, Some(b"{\"name\": \"x\"}")));
    }

    #[test]
    fn the_modules_of_the_library_are_sorted() {
        assert!(PYTHON_LIBRARY.is_sorted());
    }

    #[test]
    fn a_path_that_a_command_names_is_pointed_at() {
        let policy = policy("raw", "[\"sh\", \"-c\", \"./tools/run {seed}\"]");
        let touched = ["tools/run", "tools/run/more", "src/a"];
        let told = steering(&policy, touched.into_iter());
        assert_eq!(
            told,
            ["the patch touches tools/run, which can change what check p runs"]
        );
    }
}
