//! Does it matter where one pushes from and to: other worktrees, URLs, cut-off and stale clones?

use crate::pushing::Pushing;

#[test]
fn a_place_that_is_typed_is_judged_like_the_remote_behind_it() {
    let it = Pushing::landed();
    it.git(&["branch", "-q", "ahead"]);
    it.bad("x");
    let url = it.url();
    let _ = it.push(&[&url, "topic"]).stops(1, &["same-commit"]);
    // a path that no remote has is asked itself
    let said = it
        .push(&["../server.git", "topic"])
        .stops(1, &["same-commit"]);
    assert!(said.contains("look closer"), "{said}");
    it.git(&["reset", "-q", "--hard", "main"]);
    it.patch("one");
    let _ = it
        .push(&["../server.git", "topic:main"])
        .stops(1, &["VERDICT_MISSING"]);
    let _ = it.push(&["../server.git", "topic"]).goes();
    // by insteadOf, and by pushurl
    it.git(&["config", &format!("url.{url}.insteadOf"), "short:server"]);
    let _ = it
        .push(&["short:server", "topic:main"])
        .stops(1, &["VERDICT_MISSING"]);
    it.git(&["remote", "set-url", "--push", "origin", "../server.git"]);
    let _ = it
        .push(&["../server.git", "topic:main"])
        .stops(1, &["VERDICT_MISSING"]);
    let _ = it
        .push(&["origin", "topic:main"])
        .stops(1, &["VERDICT_MISSING"]);
}

#[test]
fn a_local_line_is_no_judge_of_itself() {
    let it = Pushing::landed();
    it.git(&["init", "-q", "--bare", "-b", "main", "../far.git"]);
    it.git(&["remote", "remove", "origin"]); // nothing is remembered of any remote
    let _ = it.push(&["../far.git", "main"]).goes();
    it.git(&["switch", "-q", "main"]);
    it.bad("x");
    let _ = it
        .push(&["../far.git", "main"])
        .stops(1, &["same-commit", "VERDICT_MISSING"]);
    let _ = it.shell("git clone -q ../far.git ../other && cd ../other && git commit -q --allow-empty -m x && git push -q").expect(0);
    let _ = it
        .push(&["--force", "../far.git", "main"])
        .stops(128, &["cannot decide", "is not in this clone"]);
}

#[test]
fn a_place_without_branches_has_no_line() {
    let it = Pushing::landed();
    it.git(&["remote", "rename", "origin", "zulu"]);
    it.git(&["init", "-q", "--bare", "-b", "main", "../plain.git"]);
    it.git(&["remote", "add", "origin", "../plain.git"]);
    let plain = it.git(&[
        "commit-tree",
        "-m",
        "no policy",
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    ]);
    let _ = it.push_by(&format!(
        "git push -q --no-verify origin {}:refs/heads/main",
        plain.trim()
    ));
    it.bad("x");
    let _ = it.shell("git init -q --bare ../far.git").expect(0);
    let said = it.push(&["../far.git", "topic"]).goes();
    assert!(said.contains("has no branch yet"), "{said}");
    let said = it.push(&["origin", "topic"]).goes();
    assert!(said.contains("not judged: main has no policy"), "{said}");
}

#[test]
fn a_push_into_the_same_repository_goes_by_its_own_lines() {
    let it = Pushing::landed();
    it.patch("one");
    let pushed = it.push(&[".", "topic:other"]).goes();
    assert!(pushed.contains("refs/heads/other"), "{pushed}");
    let _ = it
        .push(&[".", "topic:main"])
        .stops(1, &["refs/heads/main", "VERDICT_MISSING"]);
}

#[test]
fn a_remote_tip_that_this_clone_lacks_is_no_bad_object() {
    let it = Pushing::landed();
    it.patch("one");
    let _ = it.push(&["origin", "topic"]).goes();
    let _ = it.shell("git clone -q ../server.git ../other && cd ../other && git switch -q topic && echo y >docs/y.md && git add -A && git commit -q -m theirs && git push -q origin topic").expect(0);
    it.patch("two");
    let said = it.push(&["--force", "origin", "topic"]).goes();
    assert!(
        said.contains("the remote has commits that are not in this clone"),
        "{said}"
    );
    let _ = it.shell("cd ../other && echo z >docs/z.md && git add -A && git commit -q -m more && git push -q -f origin topic topic:main").expect(0);
    it.bad("x");
    let _ = it
        .push(&["--force", "origin", "topic"])
        .stops(1, &["same-commit"]);
    // over a protected line nobody pushes what he has not seen
    it.git(&["switch", "-q", "-C", "docs", "main"]);
    it.write("docs/mine.md", "x\n");
    it.commit("docs");
    let _ = it
        .push(&["--force", "origin", "docs:main"])
        .stops(1, &["line-rewritten", "git fetch origin"]);
}

#[test]
fn a_stale_tracking_ref_excuses_nothing() {
    let it = Pushing::landed();
    it.bad("x");
    let _ = it.push_by("git push --no-verify -q origin topic");
    it.git(&[
        "-C",
        "../server.git",
        "update-ref",
        "-d",
        "refs/heads/topic",
    ]);
    assert_eq!(it.id("refs/remotes/origin/topic"), it.id("topic"));
    let _ = it.push(&["origin", "topic"]).stops(1, &["same-commit"]);
}

#[test]
fn the_line_of_the_remote_is_not_the_local_branch() {
    let it = Pushing::landed();
    it.git(&["switch", "-q", "main"]);
    it.bad("x"); // a local main that is ahead excuses nothing
    it.git(&["branch", "-q", "-f", "topic"]);
    let _ = it.push(&["origin", "topic"]).stops(1, &["same-commit"]);
    let _ = it
        .push(&["origin", "main"])
        .stops(1, &["same-commit", "VERDICT_MISSING"]);
}

#[test]
fn what_the_push_says_about_a_line_is_newer_than_the_tracking_ref() {
    let it = Pushing::landed();
    it.git(&["switch", "-q", "main"]);
    it.patch("theirs");
    let _ = it.push_by("git push --no-verify -q ../server.git main"); // the tracking ref stays behind
    it.write("docs/x.md", "x\n");
    it.commit("docs");
    it.push(&["origin", "main"]).goes_silently();
}

#[test]
fn a_linked_worktree_a_subdirectory_and_a_bare_repository() {
    let it = Pushing::landed();
    it.bad("x");
    let _ = it
        .push_in("src", &["origin", "topic"])
        .stops(1, &["same-commit"]);
    it.git(&["worktree", "add", "-q", "--detach", "../linked", "topic"]);
    let _ = it
        .push_in("../linked", &["origin", "HEAD:refs/heads/fix/x"])
        .stops(1, &["refs/heads/fix/x", "same-commit"]);
    let _ = it
        .push_by("git --git-dir=.git --work-tree=.. push origin topic")
        .stops(1, &["same-commit"]);
    it.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let url = it.url();
    it.git(&["-C", "../bare.git", "remote", "set-url", "origin", &url]);
    it.hook_in("../bare.git");
    let _ = it
        .push_in("../bare.git", &["origin", "topic"])
        .stops(1, &["same-commit"]);
}

#[test]
fn a_shallow_clone_cannot_decide_and_says_how_to_deepen_it() {
    let it = Pushing::landed();
    let url = it.url();
    it.git(&["clone", "-q", "--depth", "1", &url, "../shallow"]);
    it.hook_in("../shallow");
    let _ = it
        .shell("cd ../shallow && echo x >src/new.py && git add -A && git commit -q -m new")
        .expect(0);
    let _ = it.push_in("../shallow", &["origin", "main"]).stops(
        128,
        &[
            "cannot decide: refs/heads/main",
            "HISTORY_INCOMPLETE",
            "git fetch --unshallow",
        ],
    );
    it.git(&["-C", "../shallow", "fetch", "-q", "--unshallow"]);
    let _ = it
        .push_in("../shallow", &["origin", "main"])
        .stops(1, &["VERDICT_MISSING"]);
}

#[test]
fn a_partial_clone_cannot_decide_without_its_ledgers() {
    let it = Pushing::landed();
    let url = it.url();
    it.git(&[
        "clone",
        "-q",
        "--no-checkout",
        "--filter=blob:none",
        &url,
        "../partial",
    ]);
    it.hook_in("../partial");
    let script = "cd ../partial && tree=$(git rev-parse HEAD^{tree}) && git update-ref refs/heads/x $(git commit-tree -m x -p HEAD $tree)";
    let _ = it.shell(script).expect(0);
    let said = it
        .push_in("../partial", &["origin", "x"])
        .stops(128, &["cannot decide", "HISTORY_INCOMPLETE"]);
    assert!(!said.contains("LEDGER_MISSING"), "{said}");
}

#[test]
fn a_damaged_repository_cannot_decide_and_names_no_broken_rule() {
    let it = Pushing::landed();
    it.patch("one");
    let ledger = it.git(&["rev-parse", "topic:ledger/oracle.json"]);
    let object = format!(".git/objects/{}/{}", &ledger[..2], ledger[2..].trim());
    let _ = it
        .shell(&format!("chmod u+w {object} && echo broken >{object}"))
        .expect(0);
    let line = format!("x {} refs/heads/topic {}\n", it.id("topic"), "0".repeat(40));
    let run = it.feed(&line, &["origin", "x"]).expect(128);
    assert!(
        run.stderr.starts_with("git-reins: cannot decide: ")
            && run.stderr.contains("git fsck --full"),
        "{run}"
    );
    assert!(
        !run.stderr.contains("refused") && !run.stderr.contains("LEDGER_"),
        "{run}"
    );
}

#[test]
fn a_dry_run_of_git_asks_and_changes_nothing() {
    let it = Pushing::landed();
    it.patch("one");
    let before = it.server();
    let _ = it.push(&["--dry-run", "origin", "topic"]).goes();
    let _ = it
        .push(&["--dry-run", "origin", "topic:main"])
        .stops(1, &["VERDICT_MISSING"]);
    assert_eq!(it.server(), before);
}

#[test]
fn what_landed_at_another_remote_excuses_nothing() {
    let it = Pushing::landed();
    let url = it.url();
    it.git(&["clone", "-q", "--bare", &url, "../fork.git"]);
    it.git(&["remote", "add", "fork", "../fork.git"]);
    it.git(&["fetch", "-q", "fork"]);
    it.git(&["switch", "-q", "main"]);
    it.bad("x"); // it landed at origin, whatever it is
    let _ = it.push_by("git push -q --no-verify origin main");
    for to in ["main", "main:docs"] {
        let _ = it.push(&["fork", to]).stops(1, &["same-commit"]);
    }
    // nor the other way round, under whatever name
    it.bad_at("y", "src/other.py");
    let _ = it.push_by("git push -q --no-verify fork main");
    for name in ["upstream", "colleague"] {
        it.git(&["remote", "rename", "fork", name]);
        let _ = it.push(&["origin", "main"]).stops(1, &["same-commit"]);
        it.git(&["remote", "rename", name, "fork"]);
    }
}
