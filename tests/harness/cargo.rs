//! cargo-nextest with proptest, against trees that would turn a failure into a pass.

use crate::suites::Suite;
use crate::{Bench, Outcome, outcome};

#[test]
fn a_property_passes_fails_and_has_to_run() {
    let Some(good) = Bench::new(Suite::cargo) else {
        return;
    };
    assert_eq!(good.judge("keeps"), Outcome::Pass);
    assert_eq!(
        Bench::bad(Suite::cargo).unwrap().judge("keeps"),
        Outcome::Fail
    );
    for property in ["gone", "skipped"] {
        let ended = good.run(property, "7");
        assert_eq!(outcome(&ended), Outcome::Error);
        assert!(
            ended.note.starts_with("exit code 4"),
            "{property}: {}",
            ended.note
        );
    }
}

#[test]
fn code_that_does_not_build_is_an_error_and_no_failure() {
    let Some(bench) = Bench::new(Suite::cargo) else {
        return;
    };
    bench.write("src/lib.rs", "pub fn keep(x: i64) -> i64 { x.keep() }\n");
    let ended = bench.run("keeps", "7");
    assert_eq!(outcome(&ended), Outcome::Error, "{ended:?}");
}

#[test]
fn the_configuration_of_nextest_in_a_tree_does_nothing() {
    let Some(bench) = Bench::new(Suite::cargo) else {
        return;
    };
    bench.write(
        ".config/nextest.toml",
        "[profile.default]\nretries = 3\ndefault-filter = \"none()\"\nslow-timeout = { period = \"1ms\", terminate-after = 1, on-timeout = \"pass\" }\n",
    );
    assert_eq!(bench.judge("keeps"), Outcome::Pass);
    assert_eq!(bench.judge("tries_again"), Outcome::Fail);
    assert_eq!(bench.log(), ["again"]);
}

#[test]
fn what_passes_when_tried_again_is_no_pass() {
    // nobody but the policy can ask for that
    let Some(mut bench) = Bench::new(Suite::cargo) else {
        return;
    };
    bench.policy = bench
        .policy
        .replace("\"--offline\"", "\"--offline\", \"--retries\", \"2\"");
    assert_eq!(bench.judge("tries_again"), Outcome::FlakyPass);
    assert_eq!(bench.log(), ["again", "again"]);
}

#[test]
fn seeds_are_honoured() {
    let Some(bench) = Bench::new(Suite::cargo) else {
        return;
    };
    let drawn = |seed| {
        assert_eq!(outcome(&bench.run("draws", seed)), Outcome::Pass);
        bench.log()
    };
    let (seven, again, eight) = (drawn("7"), drawn("7"), drawn("8"));
    assert!(
        seven.len() >= 100 && seven == again && seven != eight,
        "{seven:?}"
    );
}

#[test]
fn examples_that_are_lying_about_are_not_run() {
    let Some(mut bench) = Bench::new(Suite::cargo) else {
        return;
    };
    // proptest keeps examples beside the directory of a lib.rs
    bench.pin("properties/lib.rs", "");
    let fails_at = |relation: &str| {
        let text = format!(
            "pub fn keep(x: i64) -> i64 {{\n    x - i64::from(x {relation} 1_000_000_007)\n}}\n"
        );
        bench.write("src/lib.rs", &text);
    };
    fails_at(">=");
    assert_eq!(bench.judge("keeps"), Outcome::Fail);
    let kept = bench.root.join("tree/proptest-regressions");
    assert!(!kept.exists());
    let mut invocation = bench.invocation(bench.suite.file, "keeps", "7");
    invocation
        .env
        .remove("PROPTEST_DISABLE_FAILURE_PERSISTENCE");
    let _fails = crate::carry_out(&invocation, &bench.root, "7");
    assert!(
        std::fs::read_to_string(kept.join("keep.txt"))
            .unwrap()
            .contains("cc ")
    );
    fails_at("==");
    assert_eq!(bench.judge("keeps"), Outcome::Pass);
}

#[test]
fn what_the_tree_brings_built_is_not_taken_for_its_code() {
    let Some(mut bench) = Bench::new(Suite::cargo) else {
        return;
    };
    // a package without dependencies, built where it stands
    bench.policy = bench
        .policy
        .replace("\"sh\", \"properties/with-built.sh\", ", "");
    bench.write(
        "Cargo.toml",
        "[package]\nname = \"product\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    );
    bench.write(
        "Cargo.lock",
        "version = 4\n\n[[package]]\nname = \"product\"\nversion = \"0.1.0\"\n",
    );
    bench.write(
        "tests/keep.rs",
        "#[test]\nfn keeps() {\n    assert_eq!(product::keep(70), 70);\n}\n",
    );
    let mut built = bench.invocation(bench.suite.file, "keeps", "7");
    built.env.remove("CARGO_TARGET_DIR");
    let _passes = crate::carry_out(&built, &bench.root, "7");
    bench.write(bench.suite.code, bench.suite.bad);
    let code = bench.root.join("tree").join(bench.suite.code);
    let code = std::fs::File::options().write(true).open(code).unwrap();
    code.set_modified(std::time::UNIX_EPOCH).unwrap(); // every file of a fresh tree is of one time
    assert!(bench.root.join("tree/target/debug").is_dir());
    assert_eq!(bench.judge("keeps"), Outcome::Fail);
}

/// Files of the candidate that cargo reads turn a failure into a pass, and no preset can keep it
/// from reading them: they are shown to whoever reviews, or pinned by the policy.
#[test]
fn what_cargo_reads_of_the_tree_is_shown() {
    let hostile: &[&[(&str, &str)]] = &[
        &[
            (
                ".cargo/config.toml",
                "[target.'cfg(all())']\nrunner = [\"sh\", \"run\"]\n",
            ),
            (
                "run",
                "case \"$*\" in *--list*) exec \"$@\" ;; esac\nexit 0\n",
            ),
        ],
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"product\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[[test]]\nname = \"keep\"\npath = \"other.rs\"\n",
            ),
            ("other.rs", "#[test]\nfn keeps() {}\n"),
        ],
    ];
    for files in hostile {
        let Some(bench) = Bench::bad(Suite::cargo) else {
            return;
        };
        files
            .iter()
            .for_each(|(path, text)| bench.write(path, text));
        assert_eq!(
            bench.judge("keeps"),
            Outcome::Pass,
            "no longer possible: {files:?}"
        );
        assert_eq!(bench.shown(files).len(), 1, "{files:?}");
    }
}
