//! Is the house as ARCHITECTURE.md draws it: floors, imports, every file in its place?
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

/// The rooms by floor. A room may use its own floor and those below.
const FLOORS: &[(u8, &[&str])] = &[
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

const BEGIN: &str = "<!-- files: made by tests/architecture.rs -->\n";
const END: &str = "<!-- end of files -->";

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

fn room(file: &str) -> &str {
    let first = Path::new(file).components().next().unwrap();
    first.as_os_str().to_str().unwrap().trim_end_matches(".rs")
}

fn floor(room: &str) -> Option<u8> {
    FLOORS
        .iter()
        .find(|(_, rooms)| rooms.contains(&room))
        .map(|(floor, _)| *floor)
}

#[test]
fn every_file_has_a_floor_a_question_and_a_name() {
    for (file, text) in sources() {
        assert!(
            floor(room(&file)).is_some(),
            "src/{file}: its room is on no floor; add it to tests/architecture.rs"
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
            "src/{file}: the first line says what the file answers, with //!"
        );
    }
}

#[test]
fn imports_point_downward() {
    for (file, text) in sources() {
        let own = floor(room(&file)).unwrap();
        for (number, line) in text.lines().enumerate() {
            for part in line.split("crate::").skip(1) {
                let name: String = part
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                let Some(other) = floor(&name) else { continue };
                assert!(
                    other <= own,
                    "src/{file}:{}: floor {own} uses crate::{name} on floor {other}",
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

/// The part of ARCHITECTURE.md that lists the files, made from their first lines.
fn drawn() -> String {
    let mut out = String::from(BEGIN);
    for (floor, rooms) in FLOORS {
        out.push_str(&format!(
            "\n### Floor {floor}\n\n| file | answers |\n|---|---|\n"
        ));
        for (file, text) in sources() {
            if rooms.contains(&room(&file)) {
                let question: Vec<_> = text
                    .lines()
                    .take_while(|line| line.starts_with("//!") && line.len() > 3)
                    .map(|line| line.trim_start_matches("//!").trim())
                    .collect();
                out.push_str(&format!(
                    "| `src/{file}` | {} |\n",
                    question.join(" ").replace('|', "\\|")
                ));
            }
        }
    }
    out + END
}

#[test]
fn architecture_md_lists_every_file() {
    let path = root().join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text
        .split_once(BEGIN)
        .expect("ARCHITECTURE.md has the marker of the list");
    let (_, after) = rest
        .split_once(END)
        .expect("ARCHITECTURE.md has the end of the list");
    let wanted = format!("{before}{}{after}", drawn());
    if text != wanted {
        let made = root().join("target/ARCHITECTURE.md");
        std::fs::write(&made, wanted).unwrap();
        panic!("ARCHITECTURE.md is out of date: cp target/ARCHITECTURE.md ARCHITECTURE.md");
    }
}
