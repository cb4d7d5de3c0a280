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
    let said = it
        .push(&["fork", "topic"])
        .stops(1, &["refs/heads/topic", "same-commit"]);
    assert!(said.contains("every remote"), "{said}");
    // nor when no tracking ref is left at all, nor under a name of one moment
    it.git(&["remote", "remove", "origin"]);
    let _ = it
        .push(&["fork", "topic:main"])
        .stops(1, &["refs/heads/main", "same-commit"]);
    let url = it.url();
    let line = format!("git -c remote.q.url={url} push q topic:main");
    let _ = it.push_by(&line).stops(1, &["same-commit"]);
    let _ = it
        .push(&["fork", "topic"])
        .stops(128, &["nothing on that side is known", "git fetch fork"]);
    // what stands there is not in this clone
    let _ = it.shell("git clone -q ../server.git ../other && cd ../other && git commit -q --allow-empty -m theirs && git push -q origin main").expect(0);
    let _ = it
        .push(&["--force", "fork", "topic:main"])
        .stops(128, &["is not in this clone", "git fetch fork"]);
}

#[test]
fn an_empty_side_is_judged_by_what_this_clone_knows() {
    let it = forked();
    it.git(&["init", "-q", "--bare", "-b", "main", "../empty.git"]);
    it.git(&["remote", "add", "fresh", "../empty.git"]);
    for to in ["topic:main", "topic", "topic:refs/tags/v1"] {
        let _ = it.push(&["fresh", to]).stops(1, &["same-commit"]);
    }
    let _ = it
        .push(&["../empty.git", "topic:main"])
        .stops(1, &["same-commit"]);
    let said = it.push(&["fresh", "main"]).goes();
    assert!(said.contains("nothing on that side is known"), "{said}");
}

#[test]
fn a_project_is_pushed_for_the_first_time() {
    let it = Pushing::landed();
    it.git(&["init", "-q", "--bare", "-b", "main", "../empty.git"]);
    it.git(&["remote", "remove", "origin"]);
    it.git(&["remote", "add", "fresh", "../empty.git"]);
    it.patch("one");
    it.git(&["branch", "-q", "honest"]);
    it.git(&["reset", "-q", "--hard", "main"]);
    it.bad("x");
    // the first lines are those that the policy protects, and what else comes is judged by them
    let _ = it
        .push(&["fresh", "main", "honest", "topic"])
        .stops(1, &["refs/heads/topic", "same-commit"]);
    let said = it.push(&["fresh", "main", "honest"]).goes();
    assert!(said.contains("no base: bootstrap"), "{said}");
    let _ = it.push(&["fresh", "topic"]).stops(1, &["same-commit"]);
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
        .stops(128, &["git remote set-head origin --auto"]);
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
fn a_local_branch_speaks_for_nothing_that_it_holds() {
    let it = forked();
    it.git(&["remote", "remove", "origin"]);
    it.git(&["branch", "-q", "-f", "main", "topic"]);
    for to in [
        "topic:refs/heads/feature",
        "main:refs/heads/feature",
        "main:refs/tags/v1",
    ] {
        let _ = it.push(&["fork", to]).stops(
            128,
            &[
                "the local refs/heads/main, which holds what is pushed",
                "git fetch fork",
            ],
        );
    }
    // it does for what comes after it, and that is said
    it.git(&["branch", "-q", "-f", "main", "keep"]);
    let _ = it
        .push(&["fork", "topic"])
        .stops(1, &["same-commit", "judged by the local branches"]);
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
        .stops(1, &["same-commit", "every remote"]);
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
