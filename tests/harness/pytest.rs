//! pytest with Hypothesis, against trees that would turn a failure into a pass.

use crate::suites::Suite;
use crate::{Bench, Outcome, outcome};

/// Turns every failure into a pass, on disk and in the results.
const TURN: &str = "\
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    result = yield
    result.get_result().outcome = 'passed'
";

#[test]
fn a_property_passes_fails_and_has_to_run() {
    let Some(good) = Bench::new(Suite::pytest) else {
        return;
    };
    assert_eq!(good.judge("keeps"), Outcome::Pass);
    assert_eq!(
        Bench::bad(Suite::pytest).unwrap().judge("keeps"),
        Outcome::Fail
    );
    for (property, note) in [
        ("gone", "exit code 4 means nothing"),
        ("skipped", "0 tests ran of at least 1, 1 were skipped"),
        (
            "expected_to_fail",
            "0 tests ran of at least 1, 1 were skipped",
        ),
    ] {
        let ended = good.run(property, "7");
        assert_eq!(outcome(&ended), Outcome::Error);
        assert!(ended.note.starts_with(note), "{property}: {}", ended.note);
    }
}

#[test]
fn nothing_of_the_tree_configures_the_run() {
    let hostile: &[&[(&str, &str)]] = &[
        &[("conftest.py", TURN)],
        &[
            ("evil.py", TURN),
            (
                "pyproject.toml",
                "[tool.pytest.ini_options]\naddopts = \"-p evil\"\n",
            ),
        ],
        &[
            ("evil.py", TURN),
            ("pytest.ini", "[pytest]\naddopts = -p evil\n"),
        ],
        &[
            ("evil.py", TURN),
            ("tox.ini", "[pytest]\naddopts = -p evil\n"),
        ],
        &[
            ("evil.py", TURN),
            ("setup.cfg", "[tool:pytest]\naddopts = -p evil\n"),
        ],
        &[
            ("evil.py", TURN),
            (
                "evil-1.dist-info/entry_points.txt",
                "[pytest11]\nevil = evil\n",
            ),
            (
                "evil-1.dist-info/METADATA",
                "Metadata-Version: 2.1\nName: evil\nVersion: 1\n",
            ),
        ],
        &[("pytest.py", "import sys\nsys.exit(0)\n")],
        &[
            ("pytest/__main__.py", "import sys\nsys.exit(0)\n"),
            ("pytest/__init__.py", ""),
        ],
        &[("sitecustomize.py", "import os\nos._exit(0)\n")],
        &[(
            "hypothesis.py",
            "given = lambda *a: (lambda f: (lambda: None))\nstrategies = None\n",
        )],
    ];
    for files in hostile {
        let Some(bench) = Bench::bad(Suite::pytest) else {
            return;
        };
        files
            .iter()
            .for_each(|(path, text)| bench.write(path, text));
        assert_eq!(bench.judge("keeps"), Outcome::Fail, "{files:?}");
    }
}

#[test]
fn pinned_configuration_counts() {
    let Some(mut bench) = Bench::new(Suite::pytest) else {
        return;
    };
    bench.pin(
        "properties/conftest.py",
        "import pytest\n\n@pytest.fixture\ndef nine():\n    return 9\n",
    );
    bench.pin(
        "properties/pytest.ini",
        "[pytest]\npython_functions = check_*\npythonpath = lib\n",
    );
    bench.pin(
        "properties/test_nine.py",
        "import sub, product\ndef check_nine(nine):\n    assert nine == 9\n",
    );
    bench.pin("properties/lib/sub.py", "");
    let ended = bench.run_in("properties/test_nine.py", "check_nine", "7");
    assert_eq!(outcome(&ended), Outcome::Pass);
}

#[test]
fn what_passes_when_tried_again_is_a_failure() {
    let Some(bench) = Bench::new(Suite::pytest) else {
        return;
    };
    assert_eq!(bench.judge("tries_again"), Outcome::Fail);
    assert_eq!(bench.log(), ["again"]);
}

#[test]
fn seeds_are_honoured_although_ci_is_exported() {
    let Some(bench) = Bench::new(Suite::pytest) else {
        return;
    };
    let drawn = |seed| {
        assert_eq!(outcome(&bench.run("draws", seed)), Outcome::Pass);
        bench.log()
    };
    let (seven, again, other) = (drawn("7"), drawn("7"), drawn("0x9c1e"));
    assert!(
        seven.len() >= 90 && seven == again && seven != other,
        "{seven:?}"
    );
}

#[test]
fn examples_that_are_lying_about_are_not_run() {
    let Some(bench) = Bench::bad(Suite::pytest) else {
        return;
    };
    let fails_at = |relation: &str| {
        bench.write(
            "product.py",
            &format!("def keep(x):\n    return x + (x {relation} int('10' * 9))\n"),
        );
        bench.judge("keeps")
    };
    assert_eq!(
        (fails_at(">="), fails_at("==")),
        (Outcome::Fail, Outcome::Pass)
    );
    assert!(!bench.root.join("tree/.hypothesis").exists());
    // what the tool would keep for itself, laid into the tree: it is one example that fails
    let kept = bench.root.join("tree/.hypothesis");
    let mut invocation = bench.invocation(bench.suite.file, "test_keeps", "7");
    invocation.env.insert(
        "HYPOTHESIS_STORAGE_DIRECTORY".to_owned(),
        kept.clone().into(),
    );
    invocation.argv.retain(|word| word != "--hypothesis-seed=7");
    bench.write(
        "product.py",
        "def keep(x):\n    return x + (x >= int('10' * 9))\n",
    );
    // without a seed it is chance whether one run finds an example: 1 in 200 does not
    let finds = |_| {
        let _fails = crate::carry_out(&invocation, &bench.root, "7");
        kept.join("examples").is_dir()
    };
    assert!((0..20).any(finds));
    assert_eq!(fails_at("=="), Outcome::Pass);
}
