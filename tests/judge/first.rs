//! Does the policy that `init` writes work as it stands, with the tool that it is for?

use std::path::PathBuf;
use std::process::Command;

use crate::suites;
use crate::support::{BINARY, Repo, Run};

/// A first project: its property file, its code, and what else there is.
struct First {
    preset: &'static str,
    row: [&'static str; 2],
    code: [&'static str; 3],
    files: Vec<(&'static str, String)>,
}

impl First {
    /// A repository under reins with a row for a property, and one for a property that is nowhere.
    fn repo(&self) -> Repo {
        let repo = Repo::new();
        let _ = repo.reins(&["init", "--preset", self.preset]).expect(0);
        repo.write("spec/x.md", "# X\n\n## Keep\n\nIt keeps.\n");
        self.files
            .iter()
            .for_each(|(path, text)| repo.write(path, text));
        repo.write(self.code[0], self.code[1]);
        let [file, property] = self.row;
        for (id, property) in [("keep-01", property), ("gone-01", "gone")] {
            let row = [
                "--source",
                "spec/x.md#keep",
                "--property",
                property,
                "--file",
                file,
            ];
            let named = ["--inputs", "x", "--relation", "x", "--witness", "x"];
            let _ = repo
                .reins(&[["oracle", "add", id].as_slice(), &row, &named].concat())
                .expect(0);
        }
        repo
    }

    /// With keys that are added to the check.
    fn tell(&self, keys: &str) {
        let repo = self.repo();
        let policy = repo.read(".gitreins/reins.toml");
        repo.write(
            ".gitreins/reins.toml",
            &policy.replacen("preset = ", &format!("{keys}preset = "), 1),
        );
        repo.commit("start");
        let seeds = |run: &Run, word: &str| {
            run.stdout
                .lines()
                .filter(|line| line.starts_with(word))
                .count()
        };
        let good = attempt(&repo, "keep-01").expect(0);
        assert!(seeds(&good, "PROP_PASS") > 0, "{good}");
        let gone = attempt(&repo, "gone-01").expect(1);
        assert_eq!(seeds(&gone, "PROP_PASS"), 0, "{gone}");
        repo.write(self.code[0], self.code[2]);
        repo.commit("worse");
        let bad = attempt(&repo, "keep-01").expect(1);
        assert_eq!(seeds(&bad, "PROP_FAIL"), seeds(&good, "PROP_PASS"), "{bad}");
    }
}

/// Tries a row as somebody who has the tools on the path.
fn attempt(repo: &Repo, id: &str) -> Run {
    let tools = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .unwrap()
        .join("tools");
    let path = format!(
        "{}:{}",
        tools.join("python/bin").display(),
        std::env::var("PATH").unwrap()
    );
    let mut command: Command = repo.command(BINARY, &repo.path(""));
    let output = command
        .envs(suites::homes())
        .env("PATH", path)
        .args(["try", id])
        .output()
        .unwrap();
    repo.captured(output)
}

#[test]
fn of_pytest() {
    let Some(_) = suites::tool("python/bin/pytest") else {
        return;
    };
    let test = "from product import keep\n\ndef test_keeps():\n    assert keep(1) == 1\n";
    First {
        preset: "pytest",
        row: ["properties/test_keep.py", "test_keeps"],
        code: [
            "product.py",
            "def keep(x):\n    return x\n",
            "def keep(x):\n    return 0\n",
        ],
        files: vec![("properties/test_keep.py", test.to_owned())],
    }
    .tell("");
}

#[test]
fn of_node() {
    let Some(_) = suites::tool("node/node_modules") else {
        return;
    };
    let test = "const { describe, test } = require('node:test');\nconst keep = require('../product');\n\
        test('keeps', () => require('node:assert').equal(keep(1), 1));\n\
        describe('others', () => test('other', () => {}));\n";
    First {
        preset: "node",
        row: ["properties/keep.test.js", "keeps"],
        code: [
            "product.js",
            "module.exports = (x) => x;\n",
            "module.exports = (x) => 0;\n",
        ],
        files: vec![("properties/keep.test.js", test.to_owned())],
    }
    .tell("");
}

#[test]
fn of_cargo() {
    let Some(_) = suites::tool("python/bin/cargo-nextest") else {
        return;
    };
    let test = "use proptest::prelude::*;\n\nproptest! {\n    #[test]\n    fn keeps(x: i64) {\n        \
        prop_assert_eq!(product::keep(x), x);\n    }\n}\n";
    let first = First {
        preset: "cargo",
        row: ["tests/properties/keep.rs", "keep::keeps"],
        code: [
            "src/lib.rs",
            "pub fn keep(x: i64) -> i64 {\n    x\n}\n",
            "pub fn keep(x: i64) -> i64 {\n    x.min(50)\n}\n",
        ],
        files: [
            vec![
                ("tests/properties/main.rs", "mod keep;\n".to_owned()),
                ("tests/properties/keep.rs", test.to_owned()),
            ],
            suites::package("tests/properties/main.rs", "properties"),
        ]
        .concat(),
    };
    first.tell("");
}

#[test]
fn of_go() {
    let first = First {
        preset: "go",
        row: ["properties/keep_test.go", "TestKeeps"],
        code: ["product.go", "", ""],
        files: vec![("properties/keep_test.go", "package properties\n".to_owned())],
    };
    let repo = first.repo();
    repo.commit("start");
    // its command can be made; where go is, there is no module
    let run = attempt(&repo, "keep-01").expect(1);
    assert!(!run.stdout.contains("PROP_PASS"), "{run}");
}
