//! What does the hook make of lines, arguments and events that git never sends?

use crate::pushing::Pushing;

#[test]
fn malformed_lines_are_no_answer() {
    let it = Pushing::landed();
    let (one, zero) = (it.id("main"), "0".repeat(40));
    for bad in [
        "x".to_owned(),
        format!("{one} refs/heads/x {zero}"),
        format!("x {one} refs/heads/x {}", "0".repeat(64)),
        format!("x {one} main {zero}"),
        format!("x {one} refs/heads/x {zero}\r"),
        format!("x {one} refs/heads/x {zero}\nrest"),
    ] {
        let run = it.feed(&bad, &["origin", "x"]).expect(128);
        assert!(
            run.stderr.contains("cannot decide: line ") && run.stdout.is_empty(),
            "{run}"
        );
    }
    let absent = format!("x {} refs/heads/x {zero}\n", "1".repeat(40));
    let run = it.feed(&absent, &["origin", "x"]).expect(128);
    assert!(run.stderr.contains("is not in this clone"), "{run}");
}

#[test]
fn no_lines_are_nothing_to_judge_even_outside_a_repository() {
    let it = Pushing::landed();
    for place in [".", ".."] {
        let run = it
            .shell(&format!(
                "cd {place} && git-reins hook run pre-push origin x </dev/null"
            ))
            .expect(0);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    }
    let run = it
        .shell("cd .. && echo x | git-reins hook run pre-push origin x")
        .expect(128);
    assert!(
        run.stderr.contains("cannot decide: the repository at"),
        "{run}"
    );
    for command in ["hooks install", "hooks status", "doctor"] {
        let run = it
            .shell(&format!("cd .. && git-reins {command}"))
            .expect(128);
        assert!(
            run.stderr.contains(": not a git repository") && !run.stderr.contains("rev-parse"),
            "{run}"
        );
    }
}

#[test]
fn every_line_is_read_to_the_end() {
    let it = Pushing::landed();
    it.bad("x");
    let (good, bad, zero) = (it.id("main"), it.id("topic"), "0".repeat(40));
    let mut lines: String = (0..3000)
        .map(|at| format!("x {good} refs/heads/n{at} {zero}\n"))
        .collect();
    lines.push_str(&format!("x {bad} refs/heads/last {zero}\n"));
    let run = it.feed(&lines, &["origin", "x"]).expect(1);
    assert!(
        run.stderr.contains("push refused: refs/heads/last"),
        "{run}"
    );
}

#[test]
fn an_unknown_event_names_the_known_ones() {
    let it = Pushing::landed();
    for event in ["pre-commit", "pre_push", ""] {
        let run = it.reins(&["hook", "run", event]).expect(129);
        assert!(run.stderr.contains("pre-push"), "{run}");
    }
    let _ = it
        .reins(&["hook", "run", "pre-push", "a", "b", "c"])
        .expect(129);
}

#[test]
fn a_person_at_a_terminal_is_told_how_to_ask() {
    let it = Pushing::landed();
    if it.shell("command -v script").code != Some(0) {
        return; // nothing here makes a terminal
    }
    let run = it
        .shell("script -qec 'git-reins hook run pre-push origin x' /dev/null")
        .expect(129);
    assert!(
        run.stdout.starts_with("usage: ") && run.stdout.contains("--range BASE..TIP"),
        "{run}"
    );
}

#[test]
fn everything_is_said_on_stderr() {
    let it = Pushing::landed();
    it.bad("x");
    it.hook_with(".", "git-reins hook run pre-push \"$@\" >../out");
    let _ = it
        .push(&["--porcelain", "origin", "topic"])
        .stops(1, &["push refused"]);
    assert_eq!(it.read("../out"), "");
    let closed = it.shell("echo | git-reins hook run pre-push origin x >&-");
    assert_eq!(closed.code, Some(0), "{closed}");
}
