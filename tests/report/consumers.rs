//! Do the readers of SARIF, JUnit and Markdown take what is written for them?
//!
//! They are in target/tools, like all programs of others that tests drive.
#![expect(clippy::unwrap_used, reason = "a test that cannot ask a program fails")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::hostile::{comments, documents};
use super::scenes::each;

/// A program of `.ci/tools`. Without it the test says so and has nothing to do; where CI is set
/// nobody would read that, and the test fails.
fn tool(path: &str, works: &[&str]) -> Option<PathBuf> {
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .unwrap()
        .join("tools");
    let found = tools.join(path);
    let runs = || {
        Command::new(&found)
            .args(works)
            .output()
            .is_ok_and(|output| output.status.success())
    };
    if found.exists() && runs() {
        return Some(found);
    }
    let skipped = format!(
        "skipped: no {} {works:?}, .ci/tools installs it\n",
        found.display()
    );
    assert!(std::env::var_os("CI").is_none(), "{skipped}");
    // past the capture of a test's output, which nobody sees when it passes
    std::io::Write::write_all(&mut std::io::stderr(), skipped.as_bytes()).unwrap();
    None
}

fn python(module: &str) -> Option<PathBuf> {
    tool("python/bin/python", &["-c", &format!("import {module}")])
}

/// What a Python program prints about files.
fn asked(python: &Path, program: &str, files: &[PathBuf]) -> Value {
    let output = Command::new(python)
        .arg("-c")
        .arg(program)
        .args(files)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The report of each scene and many hostile ones, each in a file of its own.
fn files(dir: &Path, format: &str, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut put = |name: &str, text: &str| {
        files.push(dir.join(format!("{name}.{extension}")));
        std::fs::write(files.last().unwrap(), text).unwrap();
    };
    each(|scene, _, told| put(scene, &told(format).stdout.replace("VERSION", "1.2.3")));
    documents(format)
        .iter()
        .enumerate()
        .for_each(|(at, text)| put(&format!("hostile-{at}"), text));
    files
}

/// Everything that the multitool finds in SARIF files: `(level, rule)`.
fn validated(multitool: &Path, dir: &Path, files: &[PathBuf]) -> Vec<(String, String)> {
    let found = dir.join("found.json");
    let output = Command::new(multitool)
        .env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1")
        .arg("validate")
        .args(files)
        .args([
            "--rule-kind",
            "Sarif;Ghas",
            "--log",
            "ForceOverwrite",
            "--output",
        ])
        .arg(&found)
        .output()
        .unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.status.code(), Some(0), "{said}");
    let log: Value = serde_json::from_str(&std::fs::read_to_string(&found).expect(&said)).unwrap();
    let results = log["runs"][0]["results"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or("warning").to_owned();
    results
        .iter()
        .map(|one| (text(one, "level"), text(one, "ruleId")))
        .collect()
}

/// The validator checks against the published schema, and by GitHub's rules for what it takes.
#[test]
fn sarif_is_valid_by_the_published_schema_and_by_the_rules_of_code_scanning() {
    let program = "node/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool";
    let Some(multitool) = tool(program, &["--version"]) else {
        return;
    };
    let dir = assert_fs::TempDir::new().unwrap();
    let files = files(dir.path(), "sarif", "sarif");
    // it asks every file that it could read for an address of the tool, which has none
    let read = ("warning".to_owned(), "SARIF2005".to_owned());
    assert_eq!(
        validated(&multitool, dir.path(), &files),
        vec![read; files.len()]
    );
    let bad = std::fs::read_to_string(&files[0])
        .unwrap()
        .replace("\"startLine\": 1\n", "\"startLine\": 0\n");
    std::fs::write(&files[0], bad).unwrap();
    assert!(
        validated(&multitool, dir.path(), &files[..1])
            .iter()
            .any(|(level, _)| level == "error")
    );
}

/// What GitLab asks of an issue, in its own words at
/// docs.gitlab.com/ci/testing/code_quality, and more: a line.
#[test]
fn code_quality_is_what_gitlab_reads() {
    let schema = json!({"type": "array", "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object", "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "minLength": 1, "not": {"pattern": r"^\./"}},
                    "lines": {"type": "object", "required": ["begin"],
                              "properties": {"begin": {"type": "integer", "minimum": 1}}},
                },
            },
        },
    }});
    let validator = jsonschema::validator_for(&schema).unwrap();
    each(|scene, code, told| {
        let list: Value = serde_json::from_str(&told("gitlab").stdout).unwrap();
        assert!(validator.is_valid(&list), "{scene}: {list:#}");
        assert_eq!(list.as_array().unwrap().is_empty(), code == 0, "{scene}");
    });
}

#[test]
fn junit_is_read_by_junitparser_and_junit2json_as_it_was_meant() {
    let Some(python) = python("junitparser") else {
        return;
    };
    let Some(node) = tool("node/node_modules/.bin/junit2json", &["--help"]) else {
        return;
    };
    let dir = assert_fs::TempDir::new().unwrap();
    let files = files(dir.path(), "junit", "xml");
    let program = "import sys, json, junitparser
def read(path):
    xml = junitparser.JUnitXml.fromfile(path)
    kinds = {'Failure': 0, 'Error': 0, 'Skipped': 0}
    cases = [case for suite in xml for case in suite]
    for case in cases:
        for result in case.result:
            kinds[type(result).__name__] += 1
    return [len(cases), kinds['Failure'], kinds['Error'], kinds['Skipped'],
            [r.message for case in cases for r in case.result][:1], [xml.tests, xml.failures, xml.errors, xml.skipped]]
print(json.dumps([read(path) for path in sys.argv[1:]]))";
    for (file, read) in files
        .iter()
        .zip(asked(&python, program, &files).as_array().unwrap())
    {
        let text = std::fs::read_to_string(file).unwrap();
        let ours = quick_junit::Report::deserialize_from_str(&text).unwrap();
        let counts = json!([ours.tests, ours.failures, ours.errors, ours.skipped]);
        assert_eq!(
            (&read[5], &json!([read[0], read[1], read[2], read[3]])),
            (&counts, &counts),
            "{}",
            file.display()
        );
        let output = Command::new(&node).arg(file).output().unwrap();
        let other: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            json!([
                other["tests"],
                other["failures"],
                other["errors"],
                other["skipped"]
            ]),
            counts
        );
    }
    // the decision itself is a case: what is no admission is red
    let decision = |name: &str| {
        let text = std::fs::read_to_string(dir.path().join(format!("{name}.xml"))).unwrap();
        let ours = quick_junit::Report::deserialize_from_str(&text).unwrap();
        (ours.failures > 0, ours.errors > 0)
    };
    let all = ["refused", "held", "admitted", "undecided"].map(decision);
    assert_eq!(
        all,
        [(true, false), (true, false), (false, false), (false, true)]
    );
}

/// Rendered as GitHub does it, hostile texts leave exactly the elements that dull ones leave.
#[test]
fn hostile_texts_have_no_effect_in_rendered_markdown() {
    let Some(python) = python("cmarkgfm") else {
        return;
    };
    let dir = assert_fs::TempDir::new().unwrap();
    let mut files = Vec::new();
    for (at, (hostile, dull)) in comments().iter().enumerate() {
        for (kind, text) in [("hostile", hostile), ("dull", dull)] {
            files.push(dir.path().join(format!("{at}-{kind}.md")));
            std::fs::write(files.last().unwrap(), text).unwrap();
        }
    }
    let program = "import sys, json, cmarkgfm
from cmarkgfm.cmark import Options
from html.parser import HTMLParser
class Tags(HTMLParser):
    def __init__(self):
        super().__init__(); self.seen = []; self.text = []; self.code = 0
    def handle_starttag(self, tag, attrs):
        self.code += tag in ('code', 'pre')
        if tag != 'code': self.seen.append([tag, sorted(map(list, attrs))])
    def handle_endtag(self, tag):
        self.code -= tag in ('code', 'pre')
        if tag != 'code': self.seen.append('/' + tag)
    def handle_data(self, data):
        if not self.code: self.text.append(data)
def read(path):
    page = Tags(); page.feed(cmarkgfm.github_flavored_markdown_to_html(open(path, encoding='utf-8').read(), Options.CMARK_OPT_UNSAFE))
    return [page.seen, '\\n'.join(page.text)]
print(json.dumps([read(path) for path in sys.argv[1:]]))";
    let pages = asked(&python, program, &files);
    let mention = regex::Regex::new(r"[@#!~%$][A-Za-z0-9_]|:[a-z0-9_+-]+:|://|GH-[0-9]").unwrap();
    for pair in pages.as_array().unwrap().chunks(2) {
        assert_eq!(pair[0][0], pair[1][0]);
        let text = pair[0][1].as_str().unwrap().replace(":warning:", ""); // a sign of our own
        assert!(
            !mention.is_match(&text),
            "{:?} in {text}",
            mention.find(&text)
        );
    }
}
