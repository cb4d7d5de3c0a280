//! What judges a push to a side of which this clone knows little, or is told wrong things?

use crate::pushing::Pushing;
use crate::story::{POLICY, Story};

/// A clone whose server has `main`, and another name for the server that was never fetched from.
fn forked() -> Pushing {
    let it = Pushing::landed();
    it.bad("x");
    it.git(&["branch", "-q", "keep", "main"]);
    it.git(&["remote", "add", "fork", &it.url()]);
    it
}

#[test]
fn a_line_that_stands_there_is_no_bootstrap() {
    let it = forked();
    it.git(&["branch", "-q", "-m", "main", "work"]);
    let _ = it
        .push(&["fork", "topic:main"])
        .stops(1, &["refs/heads/main", "same-commit"]);
    // nor when no tracking ref is left at all, nor under a name of one moment: the remote is asked
    it.git(&["remote", "remove", "origin"]);
    for to in ["topic", "topic:main"] {
        let _ = it.push(&["fork", to]).stops(1, &["same-commit"]);
    }
    let url = it.url();
    let line = format!("git -c remote.q.url={url} push q topic:main");
    let _ = it.push_by(&line).stops(1, &["same-commit"]);
    // what stands there is not in this clone
    let _ = it.shell("git clone -q ../server.git ../other && cd ../other && git commit -q --allow-empty -m theirs && git push -q origin main").expect(0);
    let _ = it
        .push(&["--force", "fork", "topic:main"])
        .stops(128, &["is not in this clone", "git fetch fork"]);
}

#[test]
fn a_default_branch_of_any_name_is_one() {
    let story = Story::landed();
    story.git(&["switch", "-q", "main"]);
    story.write(
        ".gitreins/reins.toml",
        &POLICY.replace("refs/heads/main", "refs/heads/develop"),
    );
    story.commit("policy");
    let it = Pushing::over(story);
    let _ = it.push_by("git push -q --no-verify origin main:develop");
    it.git(&[
        "-C",
        "../server.git",
        "symbolic-ref",
        "HEAD",
        "refs/heads/develop",
    ]);
    it.git(&["-C", "../server.git", "update-ref", "-d", "refs/heads/main"]);
    let url = it.url();
    it.git(&["clone", "-q", &url, "../plain"]);
    it.hook_in("../plain");
    let _ = it
        .shell("cd ../plain && git switch -q -c topic && echo x >ledger/oracle.json && git commit -q -a -m x")
        .expect(0);
    it.git(&["-C", "../plain", "remote", "add", "fork", &url]);
    for (remote, to) in [
        ("origin", "topic"),
        ("origin", "topic:develop"),
        ("fork", "topic"),
        ("fork", "topic:develop"),
    ] {
        let _ = it
            .push_in("../plain", &[remote, to])
            .stops(1, &["LEDGER_INVALID"]);
    }
    it.git(&["-C", "../plain", "remote", "set-head", "-d", "origin"]);
    let _ = it
        .push_in("../plain", &["origin", "topic:develop"])
        .stops(1, &["LEDGER_INVALID"]);
    let _ = it
        .push_in("../plain", &["origin", "topic"])
        .stops(1, &["LEDGER_INVALID"]);
    // a remote whose HEAD leads nowhere does not say it either
    it.git(&[
        "-C",
        "../server.git",
        "symbolic-ref",
        "HEAD",
        "refs/heads/gone",
    ]);
    let _ = it
        .push_in("../plain", &["origin", "topic"])
        .stops(128, &["LINE_UNKNOWN", "set-head origin --auto"]);
}

#[test]
fn tracking_refs_below_another_name_speak_too() {
    let it = forked();
    it.git(&[
        "config",
        "remote.origin.fetch",
        "+refs/heads/*:refs/remotes/up/*",
    ]);
    it.git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    it.git(&["fetch", "-q", "origin"]);
    it.git(&["branch", "-q", "-m", "main", "work"]);
    for (remote, to) in [
        ("origin", "topic"),
        ("origin", "topic:main"),
        ("fork", "topic:main"),
    ] {
        let _ = it.push(&[remote, to]).stops(1, &["same-commit"]);
        it.git(&["symbolic-ref", "-d", "refs/remotes/origin/HEAD"]);
        let _ = it.push(&[remote, to]).stops(1, &["same-commit"]);
        it.git(&[
            "symbolic-ref",
            "refs/remotes/origin/HEAD",
            "refs/remotes/origin/main",
        ]);
    }
}

#[test]
fn what_stands_there_now_is_older_than_what_was_seen() {
    let it = forked();
    let _ = it.push_by("git push -q --no-verify origin topic:main");
    it.git(&[
        "-C",
        "../server.git",
        "update-ref",
        "refs/heads/main",
        &it.id("keep"),
    ]);
    assert_eq!(it.id("refs/remotes/origin/main"), it.id("topic"));
    let _ = it
        .push(&["origin", "topic:main"])
        .stops(1, &["same-commit"]);
}

#[test]
fn a_local_branch_is_no_line_that_the_remote_lacks() {
    let story = Story::landed();
    story.git(&["switch", "-q", "main"]);
    let several = POLICY.replace(
        "\"refs/heads/main\"",
        "\"refs/heads/main\", \"refs/heads/release\"",
    );
    story.write(".gitreins/reins.toml", &several);
    story.commit("policy");
    story.git(&["branch", "-q", "-f", "topic"]);
    story.git(&["switch", "-q", "topic"]);
    let it = Pushing::over(story);
    it.bad("x");
    it.git(&["branch", "-q", "release"]);
    for to in ["topic", "topic:main", "release", "topic:refs/tags/v1"] {
        let _ = it.push(&["origin", to]).stops(1, &["same-commit"]);
    }
}

#[test]
fn a_default_branch_without_a_policy_frees_no_line_that_has_one() {
    let it = forked();
    let plain = it.git(&[
        "commit-tree",
        "-m",
        "x",
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    ]);
    let _ = it.push_by(&format!(
        "git push -q --no-verify origin {}:refs/heads/old",
        plain.trim()
    ));
    it.git(&["remote", "set-head", "origin", "old"]);
    let _ = it
        .push(&["origin", "topic:main"])
        .stops(1, &["refs/heads/main", "same-commit"]);
    let _ = it.push(&["origin", ":main"]).stops(1, &["line-deleted"]);
}

#[test]
fn this_repository_is_no_other_side() {
    let it = forked();
    it.git(&["branch", "-q", "-f", "main", "topic"]);
    it.git(&["remote", "add", "self", "."]);
    it.git(&["fetch", "-q", "self"]);
    let _ = it
        .push(&[".././server.git", "topic"])
        .stops(1, &["same-commit"]);
    it.git(&["remote", "remove", "self"]);
    // a remote named `.` is where its URL says
    it.git(&["config", "remote...url", "../server.git"]);
    let _ = it.push(&[".", "topic"]).stops(1, &["same-commit"]);
    it.git(&["config", "--unset", "remote...url"]);
    // and any name of this repository goes by its own lines
    it.git(&["branch", "-q", "-f", "main", "keep"]);
    it.git(&["remote", "add", "self", "../repo"]);
    let _ = it.push(&["self", "topic:main"]).stops(1, &["same-commit"]);
}

#[test]
fn no_push_sets_a_reserved_ref() {
    let it = Pushing::landed();
    for name in ["refs/heads/HEAD", "refs/reins/x", "refs/for/HEAD"] {
        let _ = it
            .push(&["origin", &format!("main:{name}")])
            .stops(1, &["HISTORY_UNTRUSTED", "reserved-ref"]);
    }
}

#[test]
fn a_branch_that_a_pattern_protects_is_judged_as_a_line() {
    let story = Story::landed();
    story.git(&["switch", "-q", "main"]);
    let pattern = POLICY.replace(
        "\"refs/heads/main\"",
        "\"refs/heads/main\", \"refs/heads/release/**\"",
    );
    story.write(".gitreins/reins.toml", &pattern);
    story.commit("policy");
    story.git(&["branch", "-q", "-f", "topic"]);
    story.git(&["switch", "-q", "topic"]);
    let it = Pushing::over(story);
    it.patch("one");
    let _ = it
        .push(&["origin", "topic:release/zz"])
        .stops(1, &["refs/heads/release/zz", "VERDICT_MISSING"]);
    let _ = it.push(&["origin", "topic"]).goes();
    // past the hook it becomes a line, which a check never takes for granted
    let _ = it.push_by("git push -q --no-verify origin topic:release/zz");
    it.git(&["commit", "-q", "--allow-empty", "-m", "more"]);
    let held = it.reins(&["check"]).expect(3);
    assert!(
        held.stdout.contains("other-line") && held.stdout.contains("release/zz"),
        "{held}"
    );
    let _ = it.reins(&["check", "--line", "origin/main"]).expect(0);
}
