//! Finds the files of a patch that can change what a check runs, although they are no material.
//!
//! They are shown to the reviewer: a policy that names them under `paths.properties` pins them.

use crate::model::path::shown;
use crate::policy::{Check, Policy};
use crate::presets::tools::ANY;

/// What to tell of the touched paths, check by check.
pub fn steering<'a>(
    policy: &Policy,
    touched: impl Iterator<Item = &'a str> + Clone,
) -> Vec<String> {
    let of = |check: &Check| {
        let paths = touched
            .clone()
            .filter(|path| steers(check, path))
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

/// Whether a file of the candidate configures the tool of a check, or is named in its command.
pub fn steers(check: &Check, path: &str) -> bool {
    ANY.contain(path)
        || check
            .preset
            .tool
            .is_some_and(|tool| tool.files.contain(path))
        || check.run.iter().any(|word| names(word, path))
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

    const TOUCHED: [&str; 11] = [
        "src/a.py",
        "pyproject.toml",
        "x/.cargo/config.toml",
        "crates/a/build.rs",
        "lib/hypothesis/x.py",
        "jest.setup.js",
        "src/__mocks__/fast-check.js",
        "tools/run",
        "tools/run/more",
        "x/.python-version",
        "vendor/x/y.go",
    ];

    fn found(preset: &str, run: &str) -> Vec<&'static str> {
        let text =
            format!("schema = 1\n[[check]]\nid = \"p\"\npreset = \"{preset}\"\nrun = {run}\n");
        let policy = parse(text.as_bytes()).unwrap();
        TOUCHED
            .into_iter()
            .filter(|path| steers(&policy.checks[0], path))
            .collect()
    }

    #[test]
    fn what_configures_a_tool_is_pointed_at() {
        assert_eq!(
            found("go-test", "[\"go\"]"),
            ["x/.python-version", "vendor/x/y.go"]
        );
        assert_eq!(
            found("pytest", "[\"pytest\"]"),
            ["pyproject.toml", "lib/hypothesis/x.py", "x/.python-version"]
        );
        assert_eq!(
            found("nextest-proptest", "[\"cargo\"]"),
            [
                "x/.cargo/config.toml",
                "crates/a/build.rs",
                "x/.python-version"
            ]
        );
        assert_eq!(
            found("jest-fast-check", "[\"jest\"]"),
            [
                "jest.setup.js",
                "src/__mocks__/fast-check.js",
                "x/.python-version"
            ]
        );
        assert_eq!(
            found("raw", "[\"sh\", \"tools\", \"run\", \"/tools/run\"]"),
            ["x/.python-version"]
        );
    }

    #[test]
    fn what_a_command_names_is_pointed_at() {
        for run in [
            "tools/run",
            "./tools/run",
            "{tree}/tools/run",
            "cd . && tools/run; true",
            "--with=tools/run",
        ] {
            assert_eq!(
                found("raw", &format!("[\"sh\", \"{run}\"]"))[0],
                "tools/run",
                "{run}"
            );
        }
    }

    #[test]
    fn each_check_and_path_is_told_once_and_safely() {
        let text = "schema = 1\n[[check]]\nid = \"a\"\nrun = [\"x.sh\"]\n[[check]]\nid = \"b\"\nrun = [\"x.sh\", \"x.sh\"]\n";
        let told = steering(&parse(text.as_bytes()).unwrap(), ["x.sh", "y"].into_iter());
        let words = |id| format!("the patch touches x.sh, which can change what check {id} runs");
        assert_eq!(told, [words("a"), words("b")]);
    }
}
