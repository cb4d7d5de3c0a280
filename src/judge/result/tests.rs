//! Tests that results are read as each tool writes them, and that what is not understood is no
//! pass.

use proptest::prelude::*;

use super::*;
use crate::decide::outcome::{Results, RunFacts, judge_run};
use crate::model::run::End;
use crate::model::trial::Outcome;
use crate::policy::ExitMap;
use crate::presets::{RAW, ResultFormat as Format};

/// passed, failed, errored, skipped, flaky
fn counted(format: Format, text: &str) -> [u64; 5] {
    let counts =
        read(format, text.as_bytes(), "7").unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    [
        counts.passed,
        counts.failed,
        counts.errored,
        counts.skipped,
        counts.flaky,
    ]
}

fn unreadable(format: Format, text: &str) {
    if let Ok(counts) = read(format, text.as_bytes(), "7") {
        panic!("{counts:?}\n{text}");
    }
}

fn junit(inner: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<testsuites><testsuite name=\"s\">{inner}</testsuite></testsuites>\n"
    )
}

#[test]
fn junit_as_tools_write_it() {
    for (inner, expected) in [
        ("<testcase name='a' time='0.1' />", [1, 0, 0, 0, 0]),
        (
            "<testcase><properties><property name='x' value='y'/></properties><system-out>&lt;failure/&gt; &amp; <![CDATA[<failure/>]]></system-out></testcase>",
            [1, 0, 0, 0, 0],
        ),
        (
            "<testcase><failure message='m'>text</failure></testcase><testcase/>",
            [1, 1, 0, 0, 0],
        ),
        ("<testcase><failure/><error/></testcase>", [0, 0, 1, 0, 0]),
        (
            "<testcase><skipped type='pytest.xfail'/></testcase>",
            [0, 0, 0, 1, 0],
        ),
        ("<testcase status='notrun'/>", [0, 0, 0, 1, 0]),
        // maven and nextest: passed at the second attempt
        (
            "<testcase><flakyFailure message='m'><stackTrace>t</stackTrace><system-out/></flakyFailure></testcase>",
            [0, 0, 0, 0, 1],
        ),
        (
            "<testcase><flakyError/></testcase><testcase><rerun/></testcase>",
            [0, 0, 0, 0, 2],
        ),
        // ... and failed at every attempt
        (
            "<testcase><failure/><rerunFailure><stackTrace/></rerunFailure></testcase>",
            [0, 1, 0, 0, 0],
        ),
        (
            "<testcase><error/><rerunError/></testcase>",
            [0, 0, 1, 0, 0],
        ),
        // a suite that could not be set up
        ("<error>import</error>", [0, 0, 1, 0, 0]),
        (
            "<testsuite><testcase/></testsuite><!-- x --><testcase/>",
            [2, 0, 0, 0, 0],
        ),
    ] {
        assert_eq!(counted(Format::Junit, &junit(inner)), expected, "{inner}");
    }
    assert_eq!(counted(Format::Junit, "<testsuite tests='0'/>"), [0; 5]);
    assert_eq!(
        counted(
            Format::Junit,
            "<testsuite failures='2' errors=' 1 '><testcase/></testsuite>"
        ),
        [1, 2, 1, 0, 0]
    );
}

#[test]
fn junit_that_is_not_understood() {
    let deep = format!("{}{}", "<testsuite>".repeat(40), "</testsuite>".repeat(40));
    for text in [
        "",
        "x",
        "<testsuite>",
        "<testsuite></testsuites>",
        "<testsuite/><testsuite/>",
        "<testcase/>",
        "<html/>",
        "<!DOCTYPE x [<!ENTITY a 'b'>]><testsuite><testcase name='&a;'/></testsuite>",
        "<testsuite failures='many'><testcase/></testsuite>",
        "<testsuite a='1' a='2'/>",
        "<testsuite/>junk",
        "<testsuite><testcase><verdict>failed</verdict></testcase></testsuite>",
        "<testsuite><testcase><testcase/></testcase></testsuite>",
        "<testsuite><case/></testsuite>",
        &deep,
    ] {
        unreadable(Format::Junit, text);
    }
    assert!(read(Format::Junit, b"\xff\xfe<\0", "7").is_err());
    assert!(read(Format::Junit, &vec![b' '; MAX_BYTES + 1], "7").is_err());
}

#[test]
fn tap_skip_and_todo_are_no_pass() {
    for (text, expected) in [
        (
            "TAP version 14\n1..2\nok 1 - a\nnot ok 2 - b\n",
            [1, 1, 0, 0, 0],
        ),
        (
            "ok\nok - x # Skip no database\nnot ok 3 # TODO later\nok 4 # todo done\n1..4\n",
            [1, 0, 0, 3, 0],
        ),
        ("1..0 # SKIP nothing here\n", [0; 5]),
        ("1..1\nnot ok 1 # SKIP odd\n", [0, 1, 0, 0, 0]),
        ("1..1\nok 1 - is \\# SKIP no directive\n", [1, 0, 0, 0, 0]),
        (
            "TAP version 13\n1..1\nnot ok 1\n  ---\n  message: 'ok 2'\n  ...\n# talk\n\npragma +strict\n",
            [0, 1, 0, 0, 0],
        ),
        (
            "1..1\n    # Subtest: x\n    ok 1\n    1..1\nok 1 - x\n",
            [1, 0, 0, 0, 0],
        ),
        ("1..1\n    not ok 1\n    1..1\nok 1 - x\n", [1, 1, 0, 0, 0]),
        // as node writes a group of which a pattern left nothing
        (
            "    ok 1 - a # SKIP\n    1..1\nok 1 - x\n    ok 1 - b\n    1..1\nok 2 - y\n1..2\n",
            [1, 0, 0, 1, 0],
        ),
        (
            "        ok 1 # SKIP\n    ok 1\n    ok 2 # TODO\nok 1\n1..1\n",
            [0, 0, 0, 1, 0],
        ),
        (
            "        ok 1\n        ok 2 # SKIP\n    ok 1\nok 1\n1..1\n",
            [1, 0, 0, 0, 0],
        ),
        ("    1..0\nok 1\nok 2\n1..2\n", [1, 0, 0, 1, 0]),
    ] {
        assert_eq!(counted(Format::Tap, text), expected, "{text}");
    }
}

#[test]
fn tap_that_is_not_kept() {
    for text in [
        "",
        "ok 1\n",
        "1..2\nok 1\n",
        "1..1\nok 1\nok 2\n",
        "1..2\nok 1\nok 1\n",
        "1..1\n1..1\nok 1\n",
        "ok 1\n1..2\nok 2\n",
        "1..1\nok 1\nBail out! no disk\n",
        "1..1\nokay\n",
        "1..1\nok 1\nFAILED\n",
        "1..x\n",
        "1..1\nok 0\n",
        "1..1\nok 1\n  ---\n  open\n",
        "TAP version 12\n1..1\nok 1\n",
        "1..99999999999999999999\n",
        "1..1\nok 1\n    Bail out!\n",
    ] {
        unreadable(Format::Tap, text);
    }
}

#[test]
fn jsonl_is_of_this_seed() {
    let text = "{\"seed\":\"7\",\"status\":\"pass\"}\n\n{\"status\":\"fail\",\"seed\":\"7\"}\n{\"seed\":\"7\",\"status\":\"error\"}";
    assert_eq!(counted(Format::Jsonl, text), [1, 1, 1, 0, 0]);
    assert_eq!(counted(Format::Jsonl, ""), [0; 5]);
    for text in [
        "{\"seed\":\"8\",\"status\":\"pass\"}",
        "{\"seed\":7,\"status\":\"pass\"}",
        "{\"seed\":\"7\",\"status\":\"passed\"}",
        "{\"seed\":\"7\",\"status\":\"fail\",\"status\":\"pass\"}",
        "{\"seed\":\"7\"}",
        "{\"seed\":\"7\",\"status\":\"pass\",\"x\":1}",
        "pass",
    ] {
        unreadable(Format::Jsonl, text);
    }
}

#[test]
fn go_events_without_a_test_are_no_pass() {
    let event = |action: &str, test: &str| match test {
        "" => format!(
            "{{\"Time\":\"t\",\"Action\":\"{action}\",\"Package\":\"p\",\"Elapsed\":0.1}}\n"
        ),
        _ => format!(
            "{{\"Action\":\"{action}\",\"Package\":\"p\",\"Test\":\"{test}\",\"Output\":\"x\"}}\n"
        ),
    };
    let all = |events: &[(&str, &str)]| {
        events
            .iter()
            .map(|(action, test)| event(action, test))
            .collect::<String>()
    };
    for (events, expected) in [
        (
            &[
                ("start", ""),
                ("run", "T"),
                ("output", "T"),
                ("pass", "T"),
                ("pass", ""),
            ][..],
            [1, 0, 0, 0, 0],
        ),
        (
            &[
                ("run", "T"),
                ("run", "T/a"),
                ("fail", "T/a"),
                ("fail", "T"),
                ("fail", ""),
            ],
            [0, 2, 0, 0, 0],
        ),
        (
            &[("run", "T"), ("skip", "T"), ("pass", "")],
            [0, 0, 0, 1, 0],
        ),
        // go test -run Gone: testing: warning: no tests to run
        (&[("start", ""), ("output", ""), ("pass", "")], [0; 5]),
        (&[("start", ""), ("fail", "")], [0, 0, 1, 0, 0]),
        (
            &[("run", "T"), ("output", "T"), ("fail", "")],
            [0, 0, 2, 0, 0],
        ),
        (&[("pass", "T")], [0; 5]),
    ] {
        assert_eq!(counted(Format::Go, &all(events)), expected, "{events:?}");
    }
    unreadable(Format::Go, "ok  \tp\t0.1s [no tests to run]\n");
    unreadable(Format::Go, "{\"Action\":\"won\",\"Test\":\"T\"}\n");
}

#[test]
fn jest_reports() {
    let report = |success: bool, broken: u64, results: &str| {
        format!(
            "{{\"success\":{success},\"numFailedTests\":0,\"numRuntimeErrorTestSuites\":{broken},\"x\":1,\"testResults\":[{{\"assertionResults\":[{results}]}}]}}"
        )
    };
    let one = |status: &str, times: u64| {
        format!("{{\"status\":\"{status}\",\"invocations\":{times},\"title\":\"t\"}}")
    };
    assert_eq!(
        counted(Format::Jest, &report(true, 0, &one("passed", 1))),
        [1, 0, 0, 0, 0]
    );
    assert_eq!(
        counted(Format::Jest, &report(true, 0, &one("passed", 2))),
        [0, 0, 0, 0, 1]
    );
    assert_eq!(
        counted(Format::Jest, &report(false, 0, &one("failed", 1))),
        [0, 1, 0, 0, 0]
    );
    assert_eq!(
        counted(Format::Jest, &report(true, 0, &one("pending", 1))),
        [0, 0, 0, 1, 0]
    );
    assert_eq!(
        counted(Format::Jest, &report(false, 1, "")),
        [0, 0, 1, 0, 0]
    );
    assert_eq!(
        counted(Format::Jest, &report(false, 0, &one("passed", 1))),
        [1, 0, 1, 0, 0]
    );
    unreadable(Format::Jest, &report(true, 0, &one("maybe", 1)));
    unreadable(Format::Jest, "{}");
}

/// The outcome of a run that left with 0 and these results.
fn outcome(format: Format, bytes: &[u8]) -> (Outcome, bool) {
    let read = read(format, bytes, "7");
    let understood = read.is_ok();
    let results = match read {
        Ok(counts) => Results::Read {
            counts,
            require_executed: 1,
        },
        Err(fault) => Results::Unreadable(fault.to_string()),
    };
    let facts = RunFacts {
        end: End::Exit(0),
        budget_s: 1,
        output_max_mib: 1,
        out_of_memory: false,
        leaked: 0,
        tampered: vec![],
        results,
    };
    (judge_run(&facts, &ExitMap::of(&RAW)).outcome, understood)
}

fn any_format() -> impl Strategy<Value = Format> {
    prop::sample::select(vec![
        Format::Junit,
        Format::Tap,
        Format::Jsonl,
        Format::Go,
        Format::Jest,
    ])
}

const SCRAPS: &[&str] = &[
    "<testsuite>",
    "</testsuite>",
    "<testsuites>",
    "</testsuites>",
    "<testcase>",
    "</testcase>",
    "<testcase/>",
    "<failure/>",
    "<error/>",
    "<skipped/>",
    "<!DOCTYPE a>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "&a;",
    "<?xml?>",
    "1..1\n",
    "1..2\n",
    "ok\n",
    "ok 1\n",
    "not ok 2\n",
    "# SKIP\n",
    "  ---\n",
    "  ...\n",
    "Bail out!\n",
    "    ok\n",
    "{\"Action\":\"run\",\"Test\":\"T\"}\n",
    "{\"Action\":\"pass\",\"Test\":\"T\"}\n",
    "{\"Action\":\"fail\"}\n",
    "{\"seed\":\"7\",\"status\":\"pass\"}\n",
    "{\"seed\":\"7\",\"status\":\"fail\"}\n",
    "x",
    "\0",
    "é",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn no_bytes_panic_and_unreadable_is_no_pass(format in any_format(), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (outcome, understood) = outcome(format, &bytes);
        prop_assert!(understood || outcome == Outcome::Error);
    }

    #[test]
    fn no_scraps_panic_and_what_failed_is_no_pass(format in any_format(), scraps in prop::collection::vec(prop::sample::select(SCRAPS), 0..12)) {
        let text = scraps.concat();
        let (outcome, understood) = outcome(format, text.as_bytes());
        prop_assert!(understood || outcome == Outcome::Error, "{}", text);
        let fails = match format {
            Format::Tap => text.contains("not ok 2\n") && !text.contains("---"),
            Format::Jsonl => text.contains("fail"),
            Format::Junit => text.contains("<testcase><failure/>") && !text.contains("<!") ,
            Format::Go => text.contains("fail"),
            Format::Jest => true,
        };
        prop_assert!(!fails || outcome != Outcome::Pass, "{}", text);
    }
}
