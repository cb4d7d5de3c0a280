//! Which real suites does the judge run in tests? One property in three languages, and the tools
//! that `.ci/tools` puts into target/tools.
#![expect(
    clippy::disallowed_methods,
    reason = "the tests build what their suites need"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a test whose suite cannot be set up fails"
)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A suite of a project whose code is one function, `keep`.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The keys of a `[[check]]` behind its id.
    pub check: String,
    /// The file of all properties.
    pub file: &'static str,
    /// The name of a property, with `{}` for its name among all suites.
    named: &'static str,
    /// The file of the code.
    pub code: &'static str,
    /// Code that keeps, and code that does so up to 50.
    pub good: &'static str,
    pub bad: &'static str,
    /// The property file and what else is pinned.
    pub pinned: Vec<(&'static str, String)>,
    /// Everything else but the code.
    pub beside: Vec<(&'static str, String)>,
}

impl Suite {
    /// A property by its name among all suites.
    pub fn property(&self, name: &str) -> String {
        self.named.replace("{}", name)
    }

    /// pytest with Hypothesis; `None`, with a word, where it is not installed.
    pub fn pytest(log: &Path) -> Option<Self> {
        let python = tool("python/bin/python")?;
        let run = format!(
            "[{python:?}, \"-m\", \"pytest\", \"-q\", \"{{property_file}}::{{property}}\"]"
        );
        Some(Self {
            check: check("pytest-hypothesis", &run, log, &[]),
            file: "properties/test_keep.py",
            named: "test_{}",
            code: "product.py",
            good: "def keep(x):\n    return x\n",
            bad: "def keep(x):\n    return x + (x > 50)\n",
            pinned: vec![(
                "properties/test_keep.py",
                include_str!("../suites/test_keep.py").to_owned(),
            )],
            beside: Vec::new(),
        })
    }

    /// jest with fast-check.
    pub fn jest(log: &Path) -> Option<Self> {
        let (jest, modules) = (
            tool("node/node_modules/jest/bin/jest.js")?,
            tool("node/node_modules")?,
        );
        let run =
            format!("[\"node\", {jest:?}, \"{{property_file}}\", \"-t\", \"^{{property}}$\"]");
        Some(Self {
            check: check("jest-fast-check", &run, log, &[("NODE_PATH", modules)]),
            file: "properties/keep.test.js",
            named: "{}",
            code: "product.js",
            good: "module.exports = (x) => x;\n",
            bad: "module.exports = (x) => (x > 50 ? 0 : x);\n",
            pinned: vec![
                (
                    "properties/keep.test.js",
                    include_str!("../suites/keep.test.js").to_owned(),
                ),
                (
                    "properties/again.test.js",
                    include_str!("../suites/again.test.js").to_owned(),
                ),
            ],
            beside: vec![("package.json", "{}\n".to_owned())],
        })
    }

    /// cargo-nextest with proptest.
    pub fn cargo(log: &Path) -> Option<Self> {
        let nextest = tool("python/bin/cargo-nextest")?;
        let run = format!(
            "[\"sh\", \"properties/with-built.sh\", {nextest:?}, \"nextest\", \"run\", \"--offline\", \"--test\", \"keep\", \"-E\", \"test(={{property}})\"]"
        );
        let mut env = vec![("BUILT", built().join("target"))];
        env.extend(homes());
        Some(Self {
            check: check("nextest-proptest", &run, log, &env),
            file: "properties/keep.rs",
            named: "{}",
            code: "src/lib.rs",
            good: "pub fn keep(x: i64) -> i64 {\n    x\n}\n",
            bad: "pub fn keep(x: i64) -> i64 {\n    x.min(50)\n}\n",
            pinned: vec![
                (
                    "properties/keep.rs",
                    include_str!("../suites/keep.rs").to_owned(),
                ),
                (
                    "properties/with-built.sh",
                    include_str!("../suites/with-built.sh").to_owned(),
                ),
            ],
            beside: package("properties/keep.rs", "keep"),
        })
    }
}

const MANIFEST: &str = include_str!("../suites/Cargo.toml");

/// The manifest and the lock of a package with one test target.
pub fn package(path: &str, target: &str) -> Vec<(&'static str, String)> {
    let lock = fs::read_to_string(built().join("Cargo.lock")).unwrap();
    let manifest = MANIFEST
        .replace("properties/keep.rs", path)
        .replace("\"keep\"", &format!("{target:?}"));
    vec![("Cargo.toml", manifest), ("Cargo.lock", lock)]
}

fn check(preset: &str, run: &str, log: &Path, env: &[(&str, PathBuf)]) -> String {
    let env: String = env
        .iter()
        .map(|(name, path)| format!(", {name} = {path:?}"))
        .collect();
    format!(
        "preset = \"{preset}\"\nrun = {run}\nenv = {{ LOG = {log:?}, SEED = \"{{seed}}\"{env} }}\n"
    )
}

/// A program of `.ci/tools`. Where CI is set nobody would read that it is missing, and the test
/// fails.
pub fn tool(path: &str) -> Option<PathBuf> {
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .unwrap()
        .join("tools");
    let found = Some(tools.join(path)).filter(|tool| tool.exists());
    if found.is_none() {
        let skipped = format!("skipped: {path} is missing, run .ci/tools");
        assert!(std::env::var_os("CI").is_none(), "{skipped}");
        // past the capture of a test's output, which nobody sees when it passes
        std::io::stderr()
            .write_all((skipped + "\n").as_bytes())
            .unwrap();
    }
    found
}

/// Where proptest is built, once for all runs. Its sources are those that our own tests need.
pub fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("proptest");
        for (path, text) in [
            ("src/lib.rs", ""),
            ("properties/keep.rs", "use proptest as _;\n"),
        ] {
            fs::create_dir_all(dir.join(path).parent().unwrap()).unwrap();
            put(&dir.join(path), text);
        }
        put(&dir.join("Cargo.toml"), MANIFEST);
        let mut cargo = Command::new("cargo");
        cargo
            .current_dir(&dir)
            .env_clear()
            .envs(homes())
            .env("PATH", std::env::var_os("PATH").unwrap());
        let built = cargo
            .args(["test", "--offline", "--no-run", "--test", "keep"])
            .output()
            .unwrap();
        assert!(
            built.status.success(),
            "{}",
            String::from_utf8_lossy(&built.stderr)
        );
        dir
    })
}

/// Writes a file unless it is there, so that cargo does not see it change.
fn put(path: &Path, text: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).unwrap();
    }
}

/// Where cargo and its toolchain are, whatever the home of a run.
pub fn homes() -> Vec<(&'static str, PathBuf)> {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap());
    let usual = [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")];
    let place = |(name, below)| {
        (
            name,
            std::env::var_os(name).map_or_else(|| home.join(below), PathBuf::from),
        )
    };
    usual.map(place).to_vec()
}
