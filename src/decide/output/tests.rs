//! Tests that the lines of runners are read by their whole form.

use super::*;

fn counted(output: &str) -> (Option<u64>, u64, u64) {
    let counts = counts(output);
    (counts.ran, counts.failed, counts.errors)
}

#[test]
fn runners_are_counted_together() {
    for (output, expected) in [
        ("", (None, 0, 0)),
        (
            "=== 1 failed, 2 passed, 1 error, 4 skipped, 1 warning in 0.10s ===",
            (Some(2), 1, 1),
        ),
        (
            "\u{1b}[31m\u{1b}[1m1 failed\u{1b}[0m, \u{1b}[32m2 passed\u{1b}[0m in 0.10s",
            (Some(2), 1, 0),
        ),
        ("99999999999999999999 failed in 0.10s", (None, 0, 0)),
        (
            "18446744073709551615 failed, 1 failed in 0.10s",
            (Some(0), u64::MAX, 0),
        ),
        ("1 failed in 2 s", (None, 0, 0)),
        ("try 1 failed in 0.10s", (None, 0, 0)),
        ("Ran 1 test in 0.1s", (Some(1), 0, 0)),
        ("Ran away", (None, 0, 0)),
        (
            "test result: ok. 2 passed; 0 failed; 1 ignored\nRan 1 test in 0.1s",
            (Some(3), 0, 0),
        ),
        ("test result: broken", (None, 0, 0)),
        ("FAIL\tx\t0.1s", (Some(0), 1, 0)),
    ] {
        assert_eq!(counted(output), expected, "{output}");
    }
}

#[test]
fn colours_are_left_out() {
    assert_eq!(plain("\u{1b}[1;31ma\u{1b}[0mb"), "ab");
    assert_eq!(plain("a\u{1b}"), "a");
    assert!(has_header(
        "\u{1b}[1m=== test session starts ===\u{1b}[0m\nplatform linux"
    ));
}
