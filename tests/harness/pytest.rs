//! pytest with Hypothesis, against trees that would turn a failure into a pass.

use crate::{Bench, Outcome, outcome, tool};

const PROPERTY: &str = "\
from hypothesis import given, strategies as st
from product import keep

@given(st.integers())
def test_keeps(x):
    assert keep(x) == x

def test_fresh():
    import random
    open('drawn', 'a').write(f'{random.random()}\\n')

@given(st.integers(0, 2**64))
def test_draws(x):
    open('drawn', 'a').write(f'{x}\\n')
";

const GOOD: &str = "def keep(x):\n    return x\n";
const BAD: &str = "def keep(x):\n    return x + (x > 50)\n";

/// Turns every failure into a pass, on disk and in the results.
const TURN: &str = "\
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    result = yield
    result.get_result().outcome = 'passed'
";

fn bench(product: &str) -> Option<Bench> {
    let python = tool("python/bin/python")?;
    let check = format!(
        "preset = \"pytest-hypothesis\"\nrun = [{:?}, \"-m\", \"pytest\", \"-q\", \"{{property_file}}::{{property}}\"]\n",
        python.display()
    );
    let mut bench = Bench::new(&["properties"], &check);
    bench.pin("properties/test_keep.py", PROPERTY);
    bench.write("product.py", product);
    Some(bench)
}

fn judged(bench: &Bench, property: &str) -> Outcome {
    outcome(&bench.run(property, "properties/test_keep.py", "7"))
}

#[test]
fn a_property_passes_and_fails() {
    let Some(good) = bench(GOOD) else { return };
    assert_eq!(judged(&good, "test_keeps"), Outcome::Pass);
    assert_eq!(judged(&bench(BAD).unwrap(), "test_keeps"), Outcome::Fail);
    assert_eq!(judged(&good, "test_gone"), Outcome::Error);
}

#[test]
fn nothing_of_the_tree_configures_the_run() {
    let hostile: &[&[(&str, &str)]] = &[
        &[("conftest.py", TURN)],
        &[("evil.py", TURN), ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"-p evil\"\n")],
        &[("evil.py", TURN), ("pytest.ini", "[pytest]\naddopts = -p evil\n")],
        &[("evil.py", TURN), ("tox.ini", "[pytest]\naddopts = -p evil\n")],
        &[("evil.py", TURN), ("setup.cfg", "[tool:pytest]\naddopts = -p evil\n")],
        &[
            ("evil.py", TURN),
            ("evil-1.dist-info/entry_points.txt", "[pytest11]\nevil = evil\n"),
            ("evil-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: evil\nVersion: 1\n"),
        ],
        &[("pytest.py", "import sys\nsys.exit(0)\n")],
        &[("pytest/__main__.py", "import sys\nsys.exit(0)\n"), ("pytest/__init__.py", "")],
        &[("sitecustomize.py", "import os\nos._exit(0)\n")],
        &[("hypothesis.py", "given = lambda *a: (lambda f: (lambda: None))\nstrategies = None\n")],
    ];
    for files in hostile {
        let Some(bench) = bench(BAD) else { return };
        files.iter().for_each(|(path, text)| bench.write(path, text));
        assert_eq!(judged(&bench, "test_keeps"), Outcome::Fail, "{files:?}");
    }
}

#[test]
fn pinned_configuration_counts() {
    let Some(mut bench) = bench(GOOD) else { return };
    bench.pin("properties/conftest.py", "import pytest\n\n@pytest.fixture\ndef nine():\n    return 9\n");
    bench.pin("properties/pytest.ini", "[pytest]\npython_functions = check_*\npythonpath = lib\n");
    bench
        .pin("properties/test_nine.py", "import sub, product\ndef check_nine(nine):\n    assert nine == 9\n");
    bench.pin("properties/lib/sub.py", "");
    let ended = bench.run("check_nine", "properties/test_nine.py", "7");
    assert_eq!(outcome(&ended), Outcome::Pass);
}

#[test]
fn a_test_that_is_skipped_is_no_pass() {
    let Some(mut bench) = bench(GOOD) else { return };
    bench.pin(
        "properties/test_skip.py",
        "import pytest\n@pytest.mark.skip\ndef test_skip(): pass\n@pytest.mark.xfail\ndef test_x(): assert 0\n",
    );
    for name in ["test_skip", "test_x"] {
        let ended = bench.run(name, "properties/test_skip.py", "7");
        assert_eq!(outcome(&ended), Outcome::Error);
        assert!(ended.note.starts_with("0 tests ran"), "{}", ended.note);
    }
}

#[test]
fn seeds_are_honoured_although_ci_is_exported() {
    let Some(bench) = bench(GOOD) else { return };
    let draws = |seed| {
        let drawn = bench.temp.path().join("tree/drawn");
        let _ = std::fs::remove_file(&drawn);
        let ended = bench.run("test_draws", "properties/test_keep.py", seed);
        assert_eq!(outcome(&ended), Outcome::Pass);
        std::fs::read_to_string(drawn).unwrap()
    };
    let (seven, again, eight) = (draws("7"), draws("7"), draws("0x9c1e"));
    assert_eq!(seven, again);
    assert_ne!(seven, eight);
}
