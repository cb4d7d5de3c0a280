//! Tests that a failure of the product is told from a timeout, a missing tool and nothing graded.

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
    Step {
        pytest: Some(kind.to_owned()),
        ..ran(exit_code, output)
    }
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
        let claimed = step(&Step {
            passed: true,
            ..ran(code, "")
        });
        assert_eq!(claimed == Tier1::Pass, code == 0, "{code}");
        assert_ne!(
            step(&Step {
                passed: false,
                ..ran(code, "")
            }),
            Tier1::Pass,
            "{code}"
        );
    }
}

#[test]
fn a_budget_that_ran_out_comes_before_everything() {
    let late = |error: &str, timed_out| Step {
        error: error.to_owned(),
        timed_out,
        ..ran(1, "1 failed")
    };
    assert_eq!(step(&late("Command timed out", false)), JUDGE);
    assert_eq!(
        step(&late("Command timed out after 3s (step budget)", true)),
        JUDGE
    );
    assert_eq!(step(&late("", true)), JUDGE);
    assert_eq!(
        step(&Step {
            exit_code: None,
            ..late("", true)
        }),
        JUDGE
    );
    assert_eq!(
        step(&Step {
            passed: true,
            skipped: true,
            ..late("", true)
        }),
        JUDGE
    );
    assert_eq!(step(&ran(1, "assert: Command timed out")), FAIL);
    assert_eq!(step(&late("the test said: Command timed out", false)), FAIL);
}

#[test]
fn what_was_skipped_graded_nothing_whatever_passed_says() {
    let skipped = |passed| Step {
        passed,
        skipped: true,
        ..ran(0, "1 passed in 1s")
    };
    assert_eq!(step(&skipped(true)), why(Why::Skip));
    assert_eq!(step(&skipped(false)), why(Why::Skip));
    assert_eq!(step(&ran(0, "GITREINS_SKIP: tests=none\n")), why(Why::Skip));
    for said in [
        "GITREINS_SKIP: tests=none",
        "E AssertionError: GITREINS_SKIP: x\n== 1 failed in 0.10s ==",
    ] {
        assert_eq!(step(&ran(1, said)), FAIL, "{said}");
        assert_eq!(
            step(&pytest(2, &format!("{said}\n=== 1 failed in 0.10s ==="))),
            FAIL,
            "{said}"
        );
    }
    assert_eq!(
        step(&pytest(0, "GITREINS_SKIP: x\n=== 1 failed in 0.10s ===")),
        why(Why::Contradiction)
    );
    // the judge's own reading of a runner that is missing: it says failed, and counts none
    assert_eq!(
        step(&Step {
            skipped: true,
            ..read(1, "failed", "")
        }),
        why(Why::Skip)
    );
    let never = Step {
        passed: false,
        exit_code: None,
        error: "no such shell".to_owned(),
        ..Step::default()
    };
    assert_eq!(step(&never), why(Why::NotRun));
    assert_eq!(
        step(&Step {
            passed: true,
            ..never
        }),
        why(Why::NotRun)
    );
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
        assert_eq!(
            step(&pytest(code, "collected 0 items\n")),
            expected,
            "{code}"
        );
    }
    let collecting = "ERROR tests/test_a.py\n!!!! Interrupted: 1 error during collection !!!!\n==== 1 error in 0.05s ====\n";
    assert_eq!(step(&pytest(2, collecting)), why(Why::Interrupted));
    // without a header the judge's own reading says that it was pytest
    assert_eq!(
        step(&read(4, "usage-error", "ERROR: not found")),
        why(Why::UsageError)
    );
    assert_eq!(
        step(&read(2, "interrupted-unclassified", "")),
        why(Why::Interrupted)
    );
    assert_eq!(step(&read(3, "unknown", "")), FAIL);
    assert_eq!(step(&read(1, "failed", "")), FAIL);
    for echoed in [
        "log: ==== test session starts ====\nplatform linux\n",
        "==== test session starts ====\nnext\n",
        "==== test session starts ====",
    ] {
        assert_eq!(step(&ran(2, echoed)), FAIL, "{echoed}");
    }
    for told in [
        "FAILED (failures=1)\nmake: *** [test] Error 1",
        "test a ... FAILED",
        "test result: FAILED. 1 passed; 1 failed; 0 ignored",
    ] {
        assert_eq!(step(&pytest(2, told)), FAIL, "{told}");
    }
}

#[test]
fn failures_that_pytest_counted_are_failures() {
    let counted = "FAILED tests/a.py::b\n=== 1 failed, 3 passed in 0.10s ===\n";
    for code in 1..=5 {
        assert_eq!(step(&pytest(code, counted)), FAIL, "{code}");
    }
    assert_eq!(
        step(&pytest(
            2,
            &format!("{counted}make: *** [Makefile:2: test] Error 1\n")
        )),
        FAIL
    );
    assert_eq!(
        step(&pytest(
            2,
            "=== 2 passed, 1 error in 0.05s ===\nmake: *** Error 1"
        )),
        FAIL
    );
    assert_eq!(step(&pytest(1, "=== 2 passed, 1 error in 0.05s ===")), FAIL);
    assert_eq!(
        step(&Step {
            failures: 1,
            ..read(2, "interrupted", "")
        }),
        FAIL
    );
    assert_eq!(
        step(&pytest(
            2,
            "xdist.dsession.Interrupted: stopping after 1 failures\n"
        )),
        FAIL
    );
    assert_eq!(
        step(&pytest(2, "\u{1b}[31m10 failed\u{1b}[0m in 0.10s\n")),
        FAIL
    );
    assert_eq!(
        step(&pytest(2, "=== 0 failed, 3 passed in 0.10s ===\n")),
        why(Why::Interrupted)
    );
    assert_eq!(
        step(&pytest(
            2,
            "say 1 failed somehow\n== 3 passed in 0.10s ==\n"
        )),
        why(Why::Interrupted)
    );
}

#[test]
fn output_can_worsen_a_zero_but_not_better_it() {
    assert_eq!(step(&pytest(0, "=== 3 passed in 0.10s ===\n")), Tier1::Pass);
    assert_eq!(
        step(&pytest(0, "=== no tests ran in 0.01s ===\n")),
        why(Why::NoTests)
    );
    assert_eq!(
        step(&pytest(0, "=== 1 failed in 0.01s ===\n")),
        why(Why::Contradiction)
    );
    for failed in [
        "=== 1 failed in 0.01s ===\n=== 3 passed in 0.10s ===\n",
        "=== 1 failed in 75.05s (0:01:15) ===",
        "=== 2 passed, 1 error in 0.05s ===",
        "2 errors in 0.05s",
        "Ran 3 tests in 0.1s\n\nFAILED (failures=1)",
        "test result: FAILED. 1 passed; 1 failed; 0 ignored",
        "# tests 3\n# pass 2\n# fail 1",
        "--- FAIL: TestA (0.00s)",
    ] {
        assert_eq!(step(&ran(0, failed)), why(Why::Contradiction), "{failed}");
    }
    for nothing in [
        "=== 3 skipped in 0.05s ===",
        "3 deselected in 0.05s",
        "Ran 0 tests in 0.000s\n\nOK\n",
        "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
        "?   \tx\t[no test files]\n",
        "ok  \tx\t0.01s [no tests to run]",
        "# tests 0",
    ] {
        assert_eq!(step(&ran(0, nothing)), why(Why::NoTests), "{nothing}");
    }
    let none = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored\n";
    let some = "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored\n";
    for good in [
        format!("{none}{some}{none}"),
        // cut off by the judge
        format!("{none}running 2 tests\ntest a"),
        "?   \tx\t[no test files]\nok  \ty\t0.01s\n".to_owned(),
        format!("{some}== 3 skipped in 0.05s =="),
        "== 1 passed, 3 skipped, 2 warnings in 0.05s ==".to_owned(),
        "1 xfailed in 0.05s".to_owned(),
        "we say: Ran 0 tests in all".to_owned(),
        "3 failed in a row".to_owned(),
    ] {
        assert_eq!(step(&ran(0, &good)), Tier1::Pass, "{good}");
    }
    assert_eq!(
        step(&ran(0, "attempt 1 failed in 3 ways, then it worked")),
        Tier1::Pass
    );
    assert_eq!(step(&read(0, "passed", "")), Tier1::Pass);
    assert_eq!(step(&read(0, "failed", "")), why(Why::Contradiction));
    assert_eq!(step(&ran(1, "=== 3 passed in 0.10s ===\n")), FAIL);
    assert_eq!(
        step(&Step {
            passed: true,
            ..ran(1, "")
        }),
        why(Why::Contradiction)
    );
    assert_eq!(
        step(&Step {
            passed: false,
            ..ran(0, "")
        }),
        why(Why::Contradiction)
    );
}

#[test]
fn a_missing_runner_is_told_from_a_missing_module() {
    for missing in [
        "/usr/bin/python3: No module named pytest\n",
        "scanners: nice=nice -n 10\n/opt/py/bin/python3.11: No module named pytest\n",
        "python: No module named nox",
        "python -m pytest -q\npython: No module named pytest\nmake: *** [Makefile:2: test] Error 1\n",
    ] {
        assert_eq!(step(&ran(1, missing)), why(Why::ToolMissing), "{missing}");
    }
    for failure in [
        "ModuleNotFoundError: No module named 'pytest'\n",
        "/usr/bin/python3: No module named accounts\n",
        "/usr/bin/pythonic/tool: No module named pytest\n",
        ": No module named pytest",
        "FAIL: test_x\npython: No module named pytest\nFAILED (failures=1)",
        "python: No module named pytest\nassertion failed",
    ] {
        assert_eq!(step(&ran(1, failure)), FAIL, "{failure}");
    }
    assert_eq!(step(&pytest(1, "python: No module named pytest\n")), FAIL);
    assert_eq!(
        step(&ran(5, "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n")),
        why(Why::NoTests)
    );
}
