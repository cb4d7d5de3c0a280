//! Checks that the source has the layers that ARCHITECTURE.md describes.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read the source fails"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "the test reads the source from the disk"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The modules by layer. A module may use its own layer and those below.
const LAYERS: &[(u8, &[&str])] = &[
    (4, &["main", "lib", "cli", "commands"]),
    (3, &["editing", "evidence", "foreman", "install", "judge"]),
    (2, &["git", "sandbox", "sys"]),
    (1, &["decide", "report"]),
    (
        0,
        &["gitreins", "ledger", "policy", "presets", "model", "exit"],
    ),
];

/// Names that say nothing about what a file holds.
const FORBIDDEN: &[&str] = &[
    "util", "utils", "helpers", "common", "misc", "types", "manager",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every source file by its path below src, with its text.
fn sources() -> BTreeMap<String, String> {
    let (src, mut found, mut left) = (
        root().join("src"),
        BTreeMap::new(),
        vec![root().join("src")],
    );
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path
                    .strip_prefix(&src)
                    .unwrap()
                    .to_string_lossy()
                    .replace('\\', "/");
                found.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

fn module(file: &str) -> &str {
    let first = Path::new(file).components().next().unwrap();
    first.as_os_str().to_str().unwrap().trim_end_matches(".rs")
}

fn layer(module: &str) -> Option<u8> {
    LAYERS
        .iter()
        .find(|(_, modules)| modules.contains(&module))
        .map(|(layer, _)| *layer)
}

#[test]
fn every_file_has_a_layer_a_header_and_a_name() {
    for (file, text) in sources() {
        assert!(
            layer(module(&file)).is_some(),
            "src/{file}: its module is on no layer; add it to tests/architecture.rs"
        );
        let stem = Path::new(&file)
            .file_stem()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        assert!(
            !FORBIDDEN.contains(&stem.as_str()),
            "src/{file}: the name says nothing"
        );
        assert!(
            text.starts_with("//! "),
            "src/{file}: the first line says what the file does, with //!"
        );
    }
}

#[test]
fn imports_point_downward() {
    for (file, text) in sources() {
        let own = layer(module(&file)).unwrap();
        for (number, line) in text.lines().enumerate() {
            for part in line.split("crate::").skip(1) {
                let name: String = part
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                let Some(other) = layer(&name) else { continue };
                assert!(
                    other <= own,
                    "src/{file}:{}: layer {own} uses crate::{name} on layer {other}",
                    number + 1
                );
            }
        }
    }
}

#[test]
fn gix_stays_in_git() {
    for (file, text) in sources() {
        let uses = text
            .lines()
            .any(|line| !line.trim_start().starts_with("//") && line.contains("gix::"));
        assert!(
            !uses || file.starts_with("git/"),
            "src/{file}: gix is used in src/git alone"
        );
    }
}
