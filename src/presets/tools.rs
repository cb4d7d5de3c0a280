//! The tools behind the presets: how `run` names a tool, and which files of a tree configure it.

use crate::model::path::file_name;

/// A tool that runs tests.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// Names of the program, as a word of `run`.
    pub programs: &'static [&'static str],
    /// What a message calls the program.
    pub name: &'static str,
    /// A later word of `run`, and what a message calls it.
    pub subcommand: Option<(&'static [&'static str], &'static str)>,
    /// The files of a tree that configure the tool.
    pub files: ToolFiles,
}

/// Files of a tree that configure a tool, by their names.
#[derive(Debug, PartialEq, Eq)]
pub struct ToolFiles {
    /// File names.
    pub names: &'static [&'static str],
    /// Beginnings of file names.
    pub beginnings: &'static [&'static str],
    /// Endings of file names.
    pub endings: &'static [&'static str],
    /// Names of any part of the path.
    pub parts: &'static [&'static str],
}

impl ToolFiles {
    /// Whether the file of this path is one of them.
    pub fn contain(&self, path: &str) -> bool {
        let name = file_name(path);
        self.names.contains(&name)
            || self.beginnings.iter().any(|start| name.starts_with(start))
            || self.endings.iter().any(|end| name.ends_with(end))
            || path.split('/').any(|part| self.parts.contains(&part))
    }
}

/// The files that pick which program runs, whatever the tool.
pub const ANY: ToolFiles = ToolFiles {
    names: &[
        ".node-version",
        ".python-version",
        ".tool-versions",
        ".mise.toml",
        "mise.toml",
        "rust-toolchain",
        "rust-toolchain.toml",
    ],
    beginnings: &[],
    endings: &[],
    parts: &[],
};

/// pytest, and the Python that runs it.
pub const PYTEST: Tool = Tool {
    programs: &["pytest", "py.test"],
    name: "pytest",
    subcommand: None,
    files: ToolFiles {
        names: &[
            "conftest.py",
            "pytest.ini",
            ".pytest.ini",
            "pytest.toml",
            "pyproject.toml",
            "tox.ini",
            "setup.cfg",
            "setup.py",
            "sitecustomize.py",
            "usercustomize.py",
            "pytest.py",
            "hypothesis.py",
            "entry_points.txt",
        ],
        beginnings: &[],
        endings: &[".pth"],
        parts: &["pytest", "_pytest", "hypothesis", "pluggy"],
    },
};

/// cargo-nextest, and the cargo that builds for it.
pub const NEXTEST: Tool = Tool {
    programs: &["nextest", "cargo-nextest"],
    name: "nextest",
    subcommand: Some((&["run", "r"], "nextest run")),
    files: ToolFiles {
        names: &["Cargo.toml", "Cargo.lock", "build.rs", "nextest.toml"],
        beginnings: &[],
        endings: &[],
        parts: &[".cargo"],
    },
};

/// jest, and the node that runs it.
pub const JEST: Tool = Tool {
    programs: &["jest", "jest.js"],
    name: "jest",
    subcommand: None,
    files: ToolFiles {
        names: &["package.json", ".babelrc", ".npmrc", "tsconfig.json"],
        beginnings: &["jest.", "babel.config."],
        endings: &[],
        parts: &["node_modules", "__mocks__"],
    },
};

/// `go test`.
pub const GO: Tool = Tool {
    programs: &["go"],
    name: "go test",
    subcommand: Some((&["test"], "go test")),
    files: ToolFiles {
        names: &["go.mod", "go.sum", "go.work"],
        beginnings: &[],
        endings: &[],
        parts: &["vendor"],
    },
};
