//! jest with fast-check, against trees that would turn a failure into a pass.

use crate::suites::Suite;
use crate::{Bench, Outcome, outcome};

/// A fast-check that never fails.
const FAKE: &str =
    "module.exports = { assert() {}, property() {}, integer() {}, configureGlobal() {} };";

#[test]
fn a_property_passes_fails_and_has_to_run() {
    let Some(good) = Bench::new(Suite::jest) else {
        return;
    };
    assert_eq!(good.judge("keeps"), Outcome::Pass);
    assert_eq!(
        Bench::bad(Suite::jest).unwrap().judge("keeps"),
        Outcome::Fail
    );
    for property in ["gone", "skipped", "todo"] {
        let ended = good.run(property, "7");
        assert_eq!(outcome(&ended), Outcome::Error);
        assert!(
            ended.note.starts_with("0 tests ran of at least 1"),
            "{property}: {}",
            ended.note
        );
    }
}

#[test]
fn nothing_of_the_tree_configures_the_run() {
    let setup = "global.test = (name, f) => {}; global.expect = () => {};";
    let hostile: &[&[(&str, &str)]] = &[
        &[
            (
                "jest.config.js",
                "module.exports = { setupFilesAfterEnv: ['./evil.js'] };",
            ),
            ("evil.js", setup),
        ],
        &[
            (
                "package.json",
                "{\"jest\": {\"moduleNameMapper\": {\"product\": \"<rootDir>/other.js\"}}}",
            ),
            ("other.js", "module.exports = x => x;"),
        ],
        &[(
            "babel.config.js",
            "module.exports = { plugins: [() => ({ visitor: { ArrowFunctionExpression(p) { p.node.body = { type: 'BooleanLiteral', value: true } } } })] };",
        )],
        &[("__mocks__/fast-check.js", FAKE)],
        &[("src/deep/__mocks__/fast-check.js", FAKE)],
        &[
            (
                "vendor/package.json",
                "{\"name\": \"fast-check\", \"main\": \"x.js\"}",
            ),
            ("vendor/x.js", FAKE),
        ],
    ];
    for files in hostile {
        let Some(bench) = Bench::bad(Suite::jest) else {
            return;
        };
        files
            .iter()
            .for_each(|(path, text)| bench.write(path, text));
        assert_eq!(bench.judge("keeps"), Outcome::Fail, "{files:?}");
    }
}

/// A package that the tree brings along goes before an installed one, and vendored ones are wanted.
#[test]
fn a_package_that_the_tree_brings_along_is_shown() {
    let Some(bench) = Bench::bad(Suite::jest) else {
        return;
    };
    let path = "node_modules/fast-check/index.js";
    bench.write(path, FAKE);
    assert_eq!(bench.judge("keeps"), Outcome::Pass, "no longer possible");
    assert_eq!(bench.shown(&[(path, FAKE)]).len(), 1);
}

#[test]
fn a_file_of_the_candidate_with_a_like_name_is_not_run() {
    let Some(bench) = Bench::new(Suite::jest) else {
        return;
    };
    bench.write("src/properties/keep.test.js", "test('gone', () => {});");
    assert_eq!(bench.judge("gone"), Outcome::Error);
}

#[test]
fn pinned_configuration_counts() {
    let Some(mut bench) = Bench::bad(Suite::jest) else {
        return;
    };
    bench.pin(
        "properties/jest.config.json",
        "{\"rootDir\": \"..\", \"moduleNameMapper\": {\"product$\": \"<rootDir>/properties/stub.js\"}}",
    );
    bench.pin("properties/stub.js", "module.exports = (x) => x;");
    assert_eq!(bench.judge("keeps"), Outcome::Pass);
}

#[test]
fn the_report_of_jest_junit_is_read_too() {
    let outcomes = |bench: Option<Bench>, properties: [&str; 3]| {
        let mut bench = bench?;
        let reporter = crate::suites::tool("node/node_modules/jest-junit")?;
        let report = format!("\"{{property_file}}\", \"--reporters\", {reporter:?}");
        bench.policy = bench.policy.replace("\"{property_file}\"", &report);
        bench.policy = bench
            .policy
            .replace("env = {", "env = { JEST_JUNIT_OUTPUT_FILE = \"{result}\",");
        bench.policy.push_str("result = { format = \"junit\" }\n");
        Some(properties.map(|property| bench.judge(property)))
    };
    let Some(good) = outcomes(Bench::new(Suite::jest), ["keeps", "skipped", "gone"]) else {
        return;
    };
    assert_eq!(good, [Outcome::Pass, Outcome::Error, Outcome::Error]);
    let bad = outcomes(Bench::bad(Suite::jest), ["keeps", "skipped", "gone"]).unwrap();
    assert_eq!(bad, [Outcome::Fail, Outcome::Error, Outcome::Error]);
}

#[test]
fn what_passes_when_tried_again_is_no_pass() {
    let Some(bench) = Bench::new(Suite::jest) else {
        return;
    };
    let ended = bench.run_in("properties/again.test.js", "tries again", "7");
    assert_eq!(outcome(&ended), Outcome::FlakyPass);
    assert_eq!(bench.log(), ["again", "again"]);
    // the code under test has that door too
    let hostile =
        "let tries = 0; jest.retryTimes(5); module.exports = (x) => (tries++ < 90 ? 0 : x);\n";
    bench.write("product.js", hostile);
    assert!(!matches!(bench.judge("keeps"), Outcome::Pass));
}

#[test]
fn code_that_leaves_the_process_is_no_pass() {
    let Some(bench) = Bench::new(Suite::jest) else {
        return;
    };
    bench.write("product.js", "process.exit(0);\n");
    let ended = bench.run("keeps", "7");
    assert_eq!(outcome(&ended), Outcome::Error, "{ended:?}");
}

#[test]
fn seeds_are_honoured() {
    let Some(bench) = Bench::new(Suite::jest) else {
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
