//! Does everything that the README shows work, and is its table of codes the catalogue's?
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read the README fails"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "the test reads the README and runs its commands"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use git_reins::git::OLDEST_GIT;
use git_reins::model::refusal::{Class, Code};

const BEGIN: &str = "<!-- codes: made by tests/readme.rs -->\n";
const END: &str = "<!-- end of codes -->";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

/// The shell blocks, in order.
fn blocks() -> Vec<String> {
    let text = readme();
    let blocks = text
        .split("```sh\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap().to_owned());
    blocks.collect()
}

/// A shell with no configuration but an identity, in an empty directory.
fn shell(script: &str, dir: &Path) -> std::process::Output {
    let binary = Path::new(env!("CARGO_BIN_EXE_git-reins")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command
        .arg("-euxc")
        .arg(script)
        .current_dir(dir)
        .env_clear();
    command
        .env("PATH", path)
        .env("HOME", dir)
        .env("LC_ALL", "C.UTF-8")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "reader")
            .env(format!("GIT_{role}_EMAIL"), "reader@example.invalid");
    }
    command.output().unwrap()
}

#[test]
fn the_readme_names_the_oldest_git() {
    let (major, minor) = OLDEST_GIT;
    assert!(readme().contains(&format!("git ({major}.{minor} or newer)")));
}

#[test]
fn the_walk_through_works_as_it_stands() {
    let dir = assert_fs::TempDir::new().unwrap();
    let (cargo, others): (Vec<_>, Vec<_>) = blocks()
        .into_iter()
        .partition(|block| block.starts_with("cargo "));
    assert_eq!(
        cargo,
        [
            "cargo run --release --locked -- demo\n",
            "cargo test --locked --no-fail-fast\n"
        ]
    );
    assert!(others.len() > 4);
    let output = shell(&others.concat(), dir.path());
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("agree: nothing stands against it")
            && said.contains("admit: nothing stands against it"),
        "{said}"
    );
}

#[test]
fn the_demo_ends_as_it_has_to() {
    let dir = assert_fs::TempDir::new().unwrap();
    let line = "git-reins demo --keep kept && cd kept/till && git fsck --strict && git-reins recompute honest";
    let output = shell(line, dir.path());
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        said.contains("7 of 7 stories ended as they have to"),
        "{said}"
    );
    assert!(
        said.lines().all(|line| line.chars().count() <= 80),
        "{said}"
    );
}

#[test]
fn the_test_command_is_what_ci_runs() {
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(
        ci.lines()
            .any(|line| line == "cargo test --locked --no-fail-fast"),
        "{ci}"
    );
}

fn table() -> String {
    let mut out = format!("{BEGIN}| code | rule |\n|---|---|\n");
    for code in Code::ALL {
        let entry = code.entry();
        let note = match entry.class {
            Class::Refusal => "",
            Class::Hold => " (held, exit 3)",
            Class::Undecided => " (nothing is decided, exit 128)",
        };
        out.push_str(&format!("| `{code}` | {}{note} |\n", entry.rule));
    }
    out + END
}

#[test]
fn the_table_of_codes_is_the_catalogue() {
    let text = readme();
    let (before, rest) = text
        .split_once(BEGIN)
        .expect("README.md has the marker of the codes");
    let (_, after) = rest
        .split_once(END)
        .expect("README.md has the end of the codes");
    let wanted = format!("{before}{}{after}", table());
    if text != wanted {
        fs::write(root().join("target/README.md"), wanted).unwrap();
        panic!("the table of codes is out of date: cp target/README.md README.md");
    }
}

#[test]
fn the_changelog_names_this_version() {
    let text = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    assert!(text.contains(env!("CARGO_PKG_VERSION")), "CHANGELOG.md");
}
