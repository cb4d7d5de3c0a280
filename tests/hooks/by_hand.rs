//! How does one ask without git's lines: by a range, or as a manager of hooks does?

use crate::pushing::{Pushing, flat};
use crate::support::Run;

const RUN: &str = "git-reins hook run pre-push";

#[test]
fn a_range_is_judged_as_if_it_were_pushed() {
    let it = Pushing::landed();
    it.patch("one");
    let run = it.shell(&format!("{RUN} --range main..topic")).expect(1);
    assert!(
        run.stderr
            .contains("push refused: refs/heads/main\nVERDICT_MISSING"),
        "{run}"
    );
    let run = it
        .shell(&format!("{RUN} --range main..topic --ref refs/heads/topic"))
        .expect(0);
    assert!(
        run.stderr
            .contains("note: refs/heads/topic: VERDICT_MISSING"),
        "{run}"
    );
    let run = it.shell(&format!("{RUN} --range main..main")).expect(0);
    assert_eq!(run.stderr, "", "{run}");
    it.bad("x");
    let _ = it
        .shell(&format!("{RUN} --range topic --ref refs/heads/topic"))
        .expect(1);
    let _ = it
        .shell(&format!("{RUN} --range main..topic --ref refs/wip/x"))
        .expect(0);
    for wrong in [
        "--range main...topic",
        "--ref refs/heads/x",
        "--range main..topic --ref main",
    ] {
        let _ = it.shell(&format!("{RUN} {wrong}")).expect(129);
    }
    let run = it
        .shell(&format!("{RUN} --range main..nothing"))
        .expect(128);
    assert!(
        run.stderr.contains("cannot decide: ") && run.stdout.is_empty(),
        "{run}"
    );
}

#[test]
fn a_range_of_a_line_that_moved_on_is_judged_too() {
    let it = Pushing::landed();
    it.git(&["switch", "-q", "main"]);
    it.write("docs/x.md", "x\n");
    it.commit("moved on");
    it.git(&["switch", "-q", "topic"]);
    it.patch("one");
    let run = it.shell(&format!("{RUN} --range main..topic")).expect(1);
    assert!(
        run.stderr.contains("VERDICT_MISSING") && !run.stderr.contains("rewritten"),
        "{run}"
    );
}

/// What pre-commit does with a push of `topic`.
fn managed(it: &Pushing, from: &str, branch: &str) -> Run {
    let to = it.id("topic");
    it.shell(&format!(
        "PRE_COMMIT_FROM_REF={from} PRE_COMMIT_TO_REF={to} PRE_COMMIT_REMOTE_NAME=origin PRE_COMMIT_REMOTE_URL=x \
         PRE_COMMIT_LOCAL_BRANCH=refs/heads/topic PRE_COMMIT_REMOTE_BRANCH={branch} {RUN} --from-pre-commit-env </dev/null"
    ))
}

#[test]
fn a_manager_names_one_ref_and_its_base_is_none() {
    let it = Pushing::landed();
    it.patch("one");
    let main = it.id("main");
    let run = managed(&it, &main, "refs/heads/main").expect(1);
    assert!(
        run.stderr.contains("VERDICT_MISSING")
            && flat(&run.stderr).contains("other refs of the same push"),
        "{run}"
    );
    let run = managed(&it, &main, "refs/heads/topic").expect(0);
    assert!(
        run.stderr
            .contains("note: refs/heads/topic: VERDICT_MISSING"),
        "{run}"
    );
    it.bad("x");
    it.patch("more");
    // the commit before excuses nothing, nor does one that is no ancestor
    let beside = it.git(&["commit-tree", "-m", "x", "main^{tree}"]);
    for from in [&it.id("topic~1"), beside.trim(), "", "nothing"] {
        let run = managed(&it, from, "refs/heads/topic").expect(1);
        assert!(run.stderr.contains("bal-x (same-commit)"), "{from}: {run}");
    }
    // a new protected line is not excused by what an unprotected branch of the remote holds
    let _ = it.push_by("git push -q --no-verify origin topic");
    let policy = it.read(".gitreins/reins.toml").replace(
        "\"refs/heads/main\"",
        "\"refs/heads/main\", \"refs/heads/new\"",
    );
    it.git(&["switch", "-q", "main"]);
    it.write(".gitreins/reins.toml", &policy);
    it.commit("another line");
    let _ = it.push_by("git push -q --no-verify origin main");
    it.git(&["branch", "-q", "new", "topic"]);
    let run = managed(&it, &it.id("topic"), "refs/heads/new").expect(1);
    assert!(run.stderr.contains("bal-x (same-commit)"), "{run}");
    let run = it
        .shell(&format!("{RUN} --from-pre-commit-env </dev/null"))
        .expect(129);
    assert!(run.stderr.contains("PRE_COMMIT_TO_REF is not set"), "{run}");
}
