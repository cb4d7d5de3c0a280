//! pytest with Hypothesis: the seed is honoured, or that is found out; what configures it is shown.

use serde_json::{Value, json};

use super::bench::{Bench, JUDGE, counter, runs};
use super::suites::Story;
use crate::suites::{self, Suite};
use crate::support::BINARY;

const PROPERTY: &str = "\
from hypothesis import given, settings, strategies as st
from product import keep

with open('NOTE', 'w') as note:
    note.write('x')
open('DONE').read()
FLIPPED = len(open('COUNT').read()) % 2

@given(st.integers())
def test_keeps(x):
    assert keep(x) == x

@settings(derandomize=True)
@given(st.integers())
def test_always_the_same(x):
    assert keep(x) == x

@given(st.integers())
def test_flips(x):
    assert keep(x) == x and not FLIPPED
";

/// A bench of Python with one row; `None`, with a word, when pytest is not installed.
pub fn bench(property: &str, seeds: &str) -> Option<Bench> {
    let python = suites::tool("python/bin/python")?;
    let run = format!(
        "[{:?}, \"-m\", \"pytest\", \"-q\", \"{{property_file}}::{{property}}\"]",
        python.display()
    );
    let check = format!(
        "[[check]]\nid = \"props\"\npreset = \"pytest-hypothesis\"\nrun = {run}\nseeds = {seeds}\n"
    );
    let bench = Bench::with(JUDGE, &check, "exit 0\n");
    bench.land(|bench| {
        let _ = bench.repo.reins(&["oracle", "rm", "val-01"]).expect(0);
        let [note, done] = counter(bench.repo.path("../count"));
        let count = bench.repo.path("../count").display().to_string();
        bench.repo.write(
            "properties/test_keep.py",
            &PROPERTY
                .replace("COUNT", &count)
                .replace("NOTE", &note)
                .replace("DONE", &done),
        );
        bench
            .repo
            .write("product.py", "def keep(x):\n    return x\n");
        bench.row_of("keep-01", property, "properties/test_keep.py");
    });
    Some(bench)
}

#[test]
fn a_candidate_that_breaks_the_property_is_rejected_whatever_its_conftest_says() {
    let Some(story) = Story::new(Suite::pytest, "keeps", "") else {
        return;
    };
    story.patch("def keep(x):\n    return int(x)\n", None);
    let repo = &story.bench.repo;
    let mut command = repo.command(BINARY, &repo.path(""));
    // Hypothesis ignores every seed where it sees this
    let _ = repo
        .captured(command.arg("judge").env("CI", "1").output().unwrap())
        .expect(0);
    let turn = "import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    (yield).get_result().outcome = 'passed'\n";
    repo.write("conftest.py", turn);
    repo.write("evil.py", turn);
    repo.write(
        "pyproject.toml",
        "[tool.pytest.ini_options]\naddopts = \"-p evil\"\n",
    );
    repo.write(story.suite.code, story.suite.bad);
    repo.commit("worse");
    let run = story.bench.judge(1, &[]);
    for path in ["conftest.py", "pyproject.toml"] {
        let note =
            format!("note: the patch touches {path}, which can change what check props runs");
        assert!(run.stdout.contains(&note), "{run}");
    }
    let is_rejected = |(_, record): &(String, Value)| record["verdict"] == "reject";
    let rejected = story
        .bench
        .records()
        .into_iter()
        .find(is_rejected)
        .unwrap()
        .1;
    assert!(
        runs(&rejected).contains(&"keep-01 7 candidate fail PROP_FAIL".to_owned()),
        "{rejected}"
    );
}

#[test]
fn bytecode_of_the_candidate_is_not_taken_for_its_source() {
    let Some(story) = Story::new(Suite::pytest, "keeps", "") else {
        return;
    };
    let repo = &story.bench.repo;
    // that of good code, which says of itself that nobody has to look at the source
    let compile = "import py_compile as p; \
                   p.compile('product.py', invalidation_mode=p.PycInvalidationMode.UNCHECKED_HASH)";
    let python = suites::tool("python/bin/python").unwrap();
    let done = repo
        .command(python.to_str().unwrap(), &repo.path(""))
        .args(["-c", compile])
        .status()
        .unwrap();
    assert!(done.success());
    repo.git(&["add", "-f", "__pycache__"]);
    repo.write(story.suite.code, story.suite.bad);
    repo.commit("worse");
    let _ = story.bench.judge(1, &[]);
}

#[test]
fn a_seed_that_does_nothing_is_found_out() {
    for seeds in ["[\"7\", \"8\"]", "[\"7\"]"] {
        let Some(bench) = bench("test_always_the_same", seeds) else {
            return;
        };
        bench.repo.write("src/other", "x");
        bench.repo.commit("patch");
        for _cached in 0..2 {
            let run = bench.judge(1, &[]);
            assert!(
                run.stdout
                    .contains("error          keep-01 seed 7: two seeds drew the same"),
                "{run}"
            );
        }
        let record = bench.record();
        let of_candidate = record["checks"].as_array().unwrap().iter().rev();
        let reasons: Vec<_> = of_candidate
            .take(seeds.split(',').count())
            .map(|run| &run["reason"])
            .collect();
        assert!(
            reasons
                .iter()
                .all(|reason| *reason == &json!("seed-not-honoured")),
            "{reasons:?}"
        );
        let run = bench.repo.refuses(1, &["try", "keep-01"]);
        assert!(run.stdout.contains("seed-not-honoured"), "{run}");
    }
}

#[test]
fn a_property_that_is_not_there_or_skipped_is_an_error_and_no_pass() {
    for (property, reason) in [("gone", "exit"), ("skipped", "no-tests")] {
        let Some(story) = Story::new(Suite::pytest, property, "") else {
            return;
        };
        story.patch("def keep(x):\n    return int(x)\n", None);
        let record = story.judge(1);
        assert_eq!(record["uncovered_fail"], json!(["keep-01"]));
        let last = record["checks"].as_array().unwrap().last().unwrap();
        assert_eq!(
            (&last["outcome"], &last["reason"]),
            (&json!("error"), &json!(reason))
        );
    }
}
