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

/// make and its like: a target of a file of the tree is what runs.
const MAKE: ToolFiles = ToolFiles {
    names: &[
        "Makefile",
        "makefile",
        "GNUmakefile",
        "justfile",
        "Justfile",
        ".justfile",
    ],
    beginnings: &[],
    endings: &[".mk"],
    parts: &[],
};

/// node without a test framework of its own.
const NODE: ToolFiles = ToolFiles {
    names: &["package.json", ".npmrc", "tsconfig.json"],
    beginnings: &[],
    endings: &[],
    parts: &["node_modules"],
};

/// The programs that are known by the first word of `run`, whatever the preset.
const PROGRAMS: &[(&[&str], &ToolFiles)] = &[
    (&["make", "gmake", "just"], &MAKE),
    (
        &["npm", "npx", "pnpm", "yarn", "node", "bun", "deno"],
        &NODE,
    ),
    (&["jest", "vitest"], &JEST.files),
    (&["cargo", "cargo-nextest"], &NEXTEST.files),
    (&["go"], &GO.files),
    (&["pytest", "py.test", "tox", "nox"], &PYTEST.files),
];

/// The files of a tree that configure the program of a command: by its first word, and for Python
/// by the module that it runs.
pub fn files_of(run: &[String]) -> Option<&'static ToolFiles> {
    let program = run.first()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    let name = if is_python(name) { module(run)? } else { name };
    let entry = PROGRAMS
        .iter()
        .find(|(programs, _)| programs.contains(&name));
    entry.map(|(_, files)| *files)
}

/// Whether a command runs Python: its modules can be shadowed by files of the tree.
pub fn runs_python(run: &[String]) -> bool {
    let name = run
        .first()
        .map_or("", |program| program.rsplit('/').next().unwrap_or(program));
    is_python(name) || PYTEST.programs.contains(&name) || matches!(name, "tox" | "nox")
}

fn is_python(name: &str) -> bool {
    name.strip_prefix("python")
        .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

fn module(run: &[String]) -> Option<&str> {
    let at = run.iter().position(|word| word == "-m")?;
    run.get(at + 1).map(String::as_str)
}

/// The top-level modules of Python's standard library, as Python 3.11 lists them in
/// `sys.stdlib_module_names`.
pub const PYTHON_LIBRARY: &[&str] = &[
    "abc",
    "aifc",
    "argparse",
    "array",
    "ast",
    "asynchat",
    "asyncio",
    "asyncore",
    "atexit",
    "audioop",
    "base64",
    "bdb",
    "binascii",
    "bisect",
    "builtins",
    "bz2",
    "cProfile",
    "calendar",
    "cgi",
    "cgitb",
    "chunk",
    "cmath",
    "cmd",
    "code",
    "codecs",
    "codeop",
    "collections",
    "colorsys",
    "compileall",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "copyreg",
    "crypt",
    "csv",
    "ctypes",
    "curses",
    "dataclasses",
    "datetime",
    "dbm",
    "decimal",
    "difflib",
    "dis",
    "distutils",
    "doctest",
    "email",
    "encodings",
    "ensurepip",
    "enum",
    "errno",
    "faulthandler",
    "fcntl",
    "filecmp",
    "fileinput",
    "fnmatch",
    "fractions",
    "ftplib",
    "functools",
    "gc",
    "genericpath",
    "getopt",
    "getpass",
    "gettext",
    "glob",
    "graphlib",
    "grp",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "idlelib",
    "imaplib",
    "imghdr",
    "imp",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "keyword",
    "lib2to3",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "mailbox",
    "mailcap",
    "marshal",
    "math",
    "mimetypes",
    "mmap",
    "modulefinder",
    "msilib",
    "msvcrt",
    "multiprocessing",
    "netrc",
    "nis",
    "nntplib",
    "nt",
    "ntpath",
    "nturl2path",
    "numbers",
    "opcode",
    "operator",
    "optparse",
    "os",
    "ossaudiodev",
    "pathlib",
    "pdb",
    "pickle",
    "pickletools",
    "pipes",
    "pkgutil",
    "platform",
    "plistlib",
    "poplib",
    "posix",
    "posixpath",
    "pprint",
    "profile",
    "pstats",
    "pty",
    "pwd",
    "py_compile",
    "pyclbr",
    "pydoc",
    "pydoc_data",
    "pyexpat",
    "queue",
    "quopri",
    "random",
    "re",
    "readline",
    "reprlib",
    "resource",
    "rlcompleter",
    "runpy",
    "sched",
    "secrets",
    "select",
    "selectors",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "site",
    "smtpd",
    "smtplib",
    "sndhdr",
    "socket",
    "socketserver",
    "spwd",
    "sqlite3",
    "sre_compile",
    "sre_constants",
    "sre_parse",
    "ssl",
    "stat",
    "statistics",
    "string",
    "stringprep",
    "struct",
    "subprocess",
    "sunau",
    "symtable",
    "sys",
    "sysconfig",
    "syslog",
    "tabnanny",
    "tarfile",
    "telnetlib",
    "tempfile",
    "termios",
    "textwrap",
    "threading",
    "time",
    "timeit",
    "tkinter",
    "token",
    "tokenize",
    "tomllib",
    "trace",
    "traceback",
    "tracemalloc",
    "tty",
    "turtle",
    "turtledemo",
    "types",
    "typing",
    "unicodedata",
    "unittest",
    "urllib",
    "uu",
    "uuid",
    "venv",
    "warnings",
    "wave",
    "weakref",
    "webbrowser",
    "winreg",
    "winsound",
    "wsgiref",
    "xdrlib",
    "xml",
    "xmlrpc",
    "zipapp",
    "zipfile",
    "zipimport",
    "zlib",
    "zoneinfo",
];
