//! Is a failure of the product told from a clock, a missing tool and nothing graded?

use super::*;

const HEADER: &str = "============ test session starts ============\nplatform linux\n";

fn ran(exit_code: i64, output: &str) -> Step {
    let output = output.to_owned();
    Step {
        id: "tests".to_owned(),
        passed: exit_code == 0,
        output,
        exit_code: Some(exit_code),
        ..Step::default()
    }
}

fn pytest(exit_code: i64, rest: &str) -> Step {
    ran(exit_code, &format!("{HEADER}{rest}"))
}

fn read(exit_code: i64, kind: &str, output: &str) -> Step {
    Step { pytest: Some(kind.to_owned()), ..ran(exit_code, output) }
}

const FAIL: Tier1 = Tier1::Fail;
const INNER: Tier1 = Tier1::Timeout(Clock::Inner);
const JUDGE: Tier1 = Tier1::Timeout(Clock::Judge);

fn why(why: Why) -> Tier1 {
    Tier1::Ungraded(why)
}

#[test]
fn exit_codes_mean_what_a_shell_means() {
    for (code, expected) in [
        (0, Tier1::Pass),
        (1, FAIL),
        (2, FAIL),
        (5, FAIL),
        (101, FAIL),
        (124, INNER),
        (126, why(Why::ToolMissing)),
        (127, why(Why::ToolMissing)),
        (128, FAIL),
        (129, why(Why::Killed)),
        (137, why(Why::Killed)),
        (192, why(Why::Killed)),
        (255, FAIL),
        (-9, why(Why::Killed)),
        (i64::MIN, why(Why::Killed)),
        (i64::MAX, FAIL),
    ] {
        assert_eq!(step(&ran(code, "")), expected, "{code}");
        let claimed = step(&Step { passed: true, ..ran(code, "") });
        assert_eq!(claimed == Tier1::Pass, code == 0, "{code}");
        assert_ne!(step(&Step { passed: false, ..ran(code, "") }), Tier1::Pass, "{code}");
    }
}

#[test]
fn a_budget_that_ran_out_comes_before_everything() {
    let late = |error: &str, timed_out| Step { error: error.to_owned(), timed_out, ..ran(1, "1 failed") };
    assert_eq!(step(&late("Command timed out", false)), JUDGE);
    assert_eq!(step(&late("Command timed out after 3s (step budget)", true)), JUDGE);
    assert_eq!(step(&late("", true)), JUDGE);
    assert_eq!(step(&Step { exit_code: None, ..late("", true) }), JUDGE);
    assert_eq!(step(&Step { passed: true, skipped: true, ..late("", true) }), JUDGE);
    assert_eq!(step(&ran(1, "assert: Command timed out")), FAIL);
    assert_eq!(step(&late("the test said: Command timed out", false)), FAIL);
}

#[test]
fn what_was_skipped_graded_nothing_whatever_passed_says() {
    let skipped = |passed| Step { passed, skipped: true, ..ran(0, "1 passed in 1s") };
    assert_eq!(step(&skipped(true)), why(Why::Skip));
    assert_eq!(step(&skipped(false)), why(Why::Skip));
    assert_eq!(step(&ran(0, "GITREINS_SKIP: tests=none\n")), why(Why::Skip));
    let never = Step { passed: false, exit_code: None, error: "no such shell".to_owned(), ..Step::default() };
    assert_eq!(step(&never), why(Why::NotRun));
    assert_eq!(step(&Step { passed: true, ..never }), why(Why::NotRun));
}

#[test]
fn pytest_that_graded_nothing_is_no_failure() {
    for (code, expected) in [
        (1, FAIL),
        (2, why(Why::Interrupted)),
        (3, why(Why::InternalError)),
        (4, why(Why::UsageError)),
        (5, why(Why::NoTests)),
        (6, FAIL),
    ] {
        assert_eq!(step(&pytest(code, "collected 0 items\n")), expected, "{code}");
    }
    let collecting = "ERROR tests/test_a.py\n!!!! Interrupted: 1 error during collection !!!!\n==== 1 error in 0.05s ====\n";
    assert_eq!(step(&pytest(2, collecting)), why(Why::Interrupted));
    // without a header the judge's own reading says that it was pytest
    assert_eq!(step(&read(4, "usage-error", "ERROR: not found")), why(Why::UsageError));
    assert_eq!(step(&read(2, "interrupted-unclassified", "")), why(Why::Interrupted));
    assert_eq!(step(&read(3, "unknown", "")), FAIL);
    assert_eq!(step(&read(1, "failed", "")), FAIL);
}

#[test]
fn failures_that_pytest_counted_are_failures() {
    let counted = "FAILED tests/a.py::b\n=== 1 failed, 3 passed in 0.10s ===\n";
    for code in 1..=5 {
        assert_eq!(step(&pytest(code, counted)), FAIL, "{code}");
    }
    assert_eq!(step(&pytest(2, &format!("{counted}make: *** [Makefile:2: test] Error 1\n"))), FAIL);
    assert_eq!(step(&pytest(2, "xdist.dsession.Interrupted: stopping after 1 failures\n")), FAIL);
    assert_eq!(step(&pytest(2, "\u{1b}[31m10 failed\u{1b}[0m in 0.10s\n")), FAIL);
    assert_eq!(step(&pytest(2, "=== 0 failed, 3 passed in 0.10s ===\n")), why(Why::Interrupted));
    assert_eq!(step(&pytest(2, "say 1 failed somehow\n== 3 passed in 0.10s ==\n")), why(Why::Interrupted));
}

#[test]
fn output_can_worsen_a_zero_but_not_better_it() {
    assert_eq!(step(&pytest(0, "=== 3 passed in 0.10s ===\n")), Tier1::Pass);
    assert_eq!(step(&pytest(0, "=== no tests ran in 0.01s ===\n")), why(Why::NoTests));
    assert_eq!(step(&pytest(0, "=== 1 failed in 0.01s ===\n")), why(Why::Contradiction));
    // only the last count, and only that of pytest
    assert_eq!(step(&pytest(0, "=== 1 failed in 0.01s ===\n=== 3 passed in 0.10s ===\n")), Tier1::Pass);
    assert_eq!(step(&ran(0, "attempt 1 failed in 3 ways, then it worked")), Tier1::Pass);
    assert_eq!(step(&read(0, "passed", "")), Tier1::Pass);
    assert_eq!(step(&read(0, "failed", "")), why(Why::Contradiction));
    assert_eq!(step(&ran(1, "=== 3 passed in 0.10s ===\n")), FAIL);
    assert_eq!(step(&Step { passed: true, ..ran(1, "") }), why(Why::Contradiction));
    assert_eq!(step(&Step { passed: false, ..ran(0, "") }), why(Why::Contradiction));
}

#[test]
fn a_missing_runner_is_told_from_a_missing_module() {
    for missing in [
        "/usr/bin/python3: No module named pytest\n",
        "scanners: nice=nice -n 10\n/opt/py/bin/python3.11: No module named pytest\n",
        "python: No module named nox",
    ] {
        assert_eq!(step(&ran(1, missing)), why(Why::ToolMissing), "{missing}");
    }
    for failure in [
        "ModuleNotFoundError: No module named 'pytest'\n",
        "/usr/bin/python3: No module named accounts\n",
        "/usr/bin/pythonic/tool: No module named pytest\n",
        ": No module named pytest",
    ] {
        assert_eq!(step(&ran(1, failure)), FAIL, "{failure}");
    }
    assert_eq!(step(&pytest(1, "python: No module named pytest\n")), FAIL);
    assert_eq!(step(&ran(5, "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n")), why(Why::NoTests));
}
