//! pytest with Hypothesis: the seed is honoured, or that is found out.

use serde_json::json;

use super::bench::{Bench, JUDGE, runs};
use crate::support::BINARY;

const PROPERTY: &str = "\
from hypothesis import given, settings, strategies as st
from product import keep

with open('COUNT', 'a+') as count:
    count.write('x')
    count.seek(0)
    FLIPPED = len(count.read()) % 2

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
#[expect(clippy::print_stderr, reason = "a test that was skipped has to say so")]
pub fn bench(property: &str, seeds: &str) -> Option<Bench> {
    let tools = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("tools");
    let python = tools.join("python/bin/python");
    if !python.exists() {
        eprintln!("skipped: {} is missing, run .ci/tools", python.display());
        return None;
    }
    let run =
        format!("[{:?}, \"-m\", \"pytest\", \"-q\", \"{{property_file}}::{{property}}\"]", python.display());
    let check =
        format!("[[check]]\nid = \"props\"\npreset = \"pytest-hypothesis\"\nrun = {run}\nseeds = {seeds}\n");
    let bench = Bench::with(JUDGE, &check, "exit 0\n");
    bench.land(|bench| {
        let _ = bench.repo.reins(&["oracle", "rm", "val-01"]).expect(0);
        let count = bench.repo.path("../count").display().to_string();
        bench.repo.write("properties/test_keep.py", &PROPERTY.replace("COUNT", &count));
        bench.repo.write("product.py", "def keep(x):\n    return x\n");
        bench.row_of("keep-01", property, "properties/test_keep.py");
    });
    Some(bench)
}

#[test]
fn a_candidate_that_breaks_the_property_is_rejected_whatever_its_conftest_says() {
    let Some(bench) = bench("test_keeps", "[\"7\", \"8\"]") else { return };
    bench.repo.write("product.py", "def keep(x):\n    return int(x)\n");
    bench.repo.commit("patch");
    let dir = bench.repo.path("");
    let mut command = bench.repo.command(BINARY, &dir);
    // Hypothesis ignores every seed where it sees this
    let _ = bench.repo.captured(command.arg("judge").env("CI", "1").output().unwrap()).expect(0);
    bench.repo.write("product.py", "def keep(x):\n    return x + (x > 50)\n");
    let turn = "import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    (yield).get_result().outcome = 'passed'\n";
    bench.repo.write("conftest.py", turn);
    bench.repo.commit("worse");
    let _ = bench.judge(1, &[]);
    let rejected = bench.records().into_iter().find(|(_, record)| record["verdict"] == "reject").unwrap().1;
    assert!(runs(&rejected).contains(&"keep-01 7 candidate fail PROP_FAIL".to_owned()), "{rejected}");
}

#[test]
fn a_seed_that_does_nothing_is_found_out() {
    for seeds in ["[\"7\", \"8\"]", "[\"7\"]"] {
        let Some(bench) = bench("test_always_the_same", seeds) else { return };
        bench.repo.write("src/other", "x");
        bench.repo.commit("patch");
        for _cached in 0..2 {
            let run = bench.judge(1, &[]);
            assert!(run.stdout.contains("error          keep-01 seed 7: two seeds drew the same"), "{run}");
        }
        let record = bench.record();
        let of_candidate = record["checks"].as_array().unwrap().iter().rev();
        let reasons: Vec<_> = of_candidate.take(seeds.split(',').count()).map(|run| &run["reason"]).collect();
        assert!(reasons.iter().all(|reason| *reason == &json!("seed-not-honoured")), "{reasons:?}");
        let run = bench.repo.refuses(1, &["try", "keep-01"]);
        assert!(run.stdout.contains("seed-not-honoured"), "{run}");
    }
}
