//! Which policy judges a push, and what does it enforce?

use crate::pushing::Pushing;
use crate::story::{POLICY, Story};

/// A story whose policy on `main` has another text.
fn under(policy: &str) -> Pushing {
    let story = Story::landed();
    story.git(&["switch", "-q", "main"]);
    story.write(".gitreins/reins.toml", policy);
    story.commit("policy");
    story.git(&["branch", "-q", "-f", "topic"]);
    story.git(&["switch", "-q", "topic"]);
    Pushing::over(story)
}

#[test]
fn a_repository_without_a_policy_is_left_alone_with_one_line() {
    let story = Story::landed();
    story.git(&["switch", "-q", "main"]);
    story.git(&["rm", "-q", ".gitreins/reins.toml"]);
    story.commit("no policy");
    let it = Pushing::over(story);
    it.git(&["switch", "-q", "-c", "x"]);
    it.write(".gitreins/reins.toml", POLICY); // the candidate's counts for nothing yet
    it.bad("x");
    let said = it.push(&["origin", "x"]).goes();
    assert!(
        said.contains("not judged: main has no policy") && said.matches("note:").count() == 1,
        "{said}"
    );
}

#[test]
fn the_candidate_does_not_loosen_the_policy_that_judges_it() {
    let it = Pushing::landed();
    let loose = format!("{POLICY}[verdict]\nrequire = false\n")
        .replace("[protect]", "[protect]\nenforce = []");
    it.write(".gitreins/reins.toml", &loose);
    it.patch("one");
    let _ = it
        .push(&["origin", "topic"])
        .stops(1, &["POLICY_CHANGED_BY_PATCH"]);
    let _ = it
        .push(&["origin", "topic:main"])
        .stops(1, &["POLICY_CHANGED_BY_PATCH", "VERDICT_MISSING"]);
}

#[test]
fn holds_are_notes_on_a_branch_and_stop_a_protected_line() {
    let it = Pushing::landed();
    it.write(
        ".gitreins/reins.toml",
        &format!("{POLICY}[verdict]\nrequire = false\n"),
    );
    it.commit("policy alone");
    let said = it.push(&["origin", "topic"]).goes();
    assert!(
        said.contains("NEEDS_HUMAN") && said.contains("policy-changed"),
        "{said}"
    );
    let _ = it.push(&["origin", "topic:main"]).stops(
        1,
        &[
            "NEEDS_HUMAN",
            "policy-changed",
            "a maintainer who has read it lands it",
        ],
    );
}

#[test]
fn a_policy_that_wants_no_trial_lets_a_patch_land() {
    let it = under(&format!("{POLICY}[verdict]\nrequire = false\n"));
    it.patch("one");
    it.push(&["origin", "topic"]).goes_silently();
    it.push(&["origin", "topic:main"]).goes_silently();
}

#[test]
fn what_is_not_enforced_is_judged_and_only_warned_about() {
    let it = under(&POLICY.replace("[protect]", "[protect]\nenforce = [\"refs/heads/main\"]"));
    it.bad("x");
    let said = it.push(&["origin", "topic"]).goes();
    assert!(
        said.contains("ORACLE_NOT_INDEPENDENT") && said.contains("look closer"),
        "{said}"
    );
    let _ = it
        .push(&["origin", "topic:main"])
        .stops(1, &["ORACLE_NOT_INDEPENDENT"]);
}

#[test]
fn with_several_lines_the_one_pushed_to_judges() {
    let several = POLICY.replace(
        "\"refs/heads/main\"",
        "\"refs/heads/main\", \"refs/heads/easy\"",
    );
    let it = under(&several);
    it.git(&["switch", "-q", "-c", "easy", "main"]);
    it.write(
        ".gitreins/reins.toml",
        &format!("{several}[verdict]\nrequire = false\n"),
    );
    it.commit("easy");
    let _ = it.push_by("git push -q --no-verify origin easy");
    it.git(&["switch", "-q", "topic"]);
    it.patch("one");
    let _ = it
        .push(&["origin", "topic:main"])
        .stops(1, &["VERDICT_MISSING"]);
    it.git(&["switch", "-q", "easy"]);
    it.patch("two");
    it.push(&["origin", "easy"]).goes_silently();
    // what the easy line took is not landed on the other by that
    let _ = it
        .push(&["origin", "easy:main"])
        .stops(1, &["POLICY_CHANGED_BY_PATCH"]);
    let _ = it
        .push(&["origin", ":refs/heads/easy"])
        .stops(1, &["line-deleted"]);
}

#[test]
fn a_policy_that_cannot_be_read_decides_nothing() {
    let it = under("schema = 1\n[protect]\nbase = [\"refs/heads/main\"]\ncolour = \"red\"\n");
    it.patch("one");
    let said = it
        .push(&["origin", "topic"])
        .stops(128, &["cannot decide", "POLICY_INVALID", "colour"]);
    assert!(!said.contains("push refused"), "{said}");
    it.git(&["notes", "add", "-m", "x", "main"]);
    it.push(&["origin", "refs/notes/commits"]).goes_silently();
}

#[test]
fn the_first_push_of_a_line_is_bounded_by_the_default_branch() {
    let it = under(&POLICY.replace("refs/heads/main", "refs/heads/stable"));
    it.patch("one");
    // as long as nobody has created it, a branch is judged by the default branch
    let _ = it.push(&["origin", "topic"]).goes();
    // the first push of the line itself is bounded by the default branch
    let _ = it
        .push(&["origin", "topic:stable"])
        .stops(1, &["VERDICT_MISSING"]);
    it.push(&["origin", "main:stable"]).goes_silently();
}

#[test]
fn no_variable_and_no_configuration_changes_the_answer() {
    let it = Pushing::landed();
    it.bad("x");
    let environment = "REINS_SKIP=1 GIT_REINS=0 CI=1 HUSKY=0 LEFTHOOK=0 SKIP=git-reins-pre-push NO_COLOR= TERM=xterm";
    let line = format!(
        "{environment} git -c reins.enforce=false -c protect.base=refs/heads/x push origin topic"
    );
    let _ = it.push_by(&line).stops(1, &["same-commit"]);
    it.git(&[
        "config",
        "remote.origin.fetch",
        "+refs/heads/*:refs/remotes/origin/*",
    ]);
    let _ = it.push(&["origin", "topic"]).stops(1, &["same-commit"]);
}

#[test]
fn no_namespace_and_no_key_of_the_library_hides_the_lines() {
    let it = Pushing::landed();
    it.bad("x");
    let server = "--receive-pack='env -u GIT_NAMESPACE -u GIT_SHALLOW_FILE git-receive-pack'";
    for variable in [
        "GIT_NAMESPACE=x",
        "GIT_SHALLOW_FILE=/dev/null",
        "GIT_REPLACE_REF_BASE=refs/heads/",
    ] {
        let line = format!("{variable} git push {server} origin topic");
        let _ = it.push_by(&line).stops(1, &["same-commit"]);
    }
    for (key, value) in [
        ("gitoxide.core.refsNamespace", "x"),
        ("gitoxide.core.shallowFile", "config"),
        ("gitoxide.objects.noReplace", "false"),
        ("gitoxide.objects.replaceRefBase", "refs/heads/"),
    ] {
        it.git(&["config", key, value]);
        let _ = it.push(&["origin", "topic"]).stops(1, &["same-commit"]);
        it.git(&["config", "--unset", key]);
    }
}
