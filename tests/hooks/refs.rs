//! Which refs are judged, by what, and which are let through?

use crate::pushing::Pushing;

#[test]
fn an_honest_new_branch_goes_with_a_note_that_it_cannot_land_yet() {
    let it = Pushing::landed();
    it.patch("one");
    let said = it.push(&["origin", "topic"]).goes();
    assert!(
        said.contains("VERDICT_MISSING") && said.contains("refs/heads/topic"),
        "{said}"
    );
}

#[test]
fn a_new_branch_that_breaks_the_order_is_refused_with_evidence_and_a_fix() {
    let it = Pushing::landed();
    it.bad("x");
    let said = it.push(&["origin", "topic"]).stops(
        1,
        &[
            "push refused: refs/heads/topic",
            "ORACLE_NOT_INDEPENDENT bal-x (same-commit)",
            "expected",
            "fix",
        ],
    );
    let last = said.lines().last().unwrap_or_default();
    let range = format!("{}..{}", &it.id("main")[..10], &it.id("topic")[..10]);
    assert_eq!(last, format!("look closer: git reins check {range}"));
    let again = it.reins(&["check", &range]).expect(1);
    assert!(
        again
            .stdout
            .contains("ORACLE_NOT_INDEPENDENT bal-x (same-commit)"),
        "{again}"
    );
}

#[test]
fn a_branch_of_ledgers_alone_goes_silently() {
    let it = Pushing::start();
    it.land_ledgers(&it.ledgers(&["bal-01"]));
    it.push(&["origin", "topic"]).goes_silently();
    it.push(&["origin", "topic:main"]).goes_silently();
}

#[test]
fn a_patch_lands_only_with_a_recorded_trial() {
    let it = Pushing::landed();
    it.patch("one");
    let said = it
        .push(&["origin", "topic:main"])
        .stops(1, &["refs/heads/main", "VERDICT_MISSING"]);
    assert!(
        said.lines()
            .last()
            .is_some_and(|line| line.contains("git reins admit ")),
        "{said}"
    );
}

#[test]
fn the_first_push_to_an_empty_remote_is_a_bootstrap() {
    let it = Pushing::landed();
    it.git(&["init", "-q", "--bare", "-b", "main", "../empty.git"]);
    it.git(&["remote", "remove", "origin"]);
    it.git(&["remote", "add", "fresh", "../empty.git"]);
    let said = it.push(&["fresh", "main"]).goes();
    assert!(said.contains("the remote has no branch yet"), "{said}");
    // from then on its line is known
    it.bad("x");
    let _ = it.push(&["fresh", "topic"]).stops(1, &["same-commit"]);
}

#[test]
fn a_delete_is_not_judged_by_what_is_checked_out() {
    let it = Pushing::landed();
    it.patch("one");
    let _ = it.push(&["origin", "topic"]).goes();
    it.bad("x"); // HEAD would be refused
    it.push(&["origin", "--delete", "topic"]).goes_silently();
    assert!(!it.server().contains("topic"));
}

#[test]
fn a_delete_in_a_repository_of_long_ids_is_no_error() {
    let story = crate::story::Story::start_in(crate::support::Repo::with_format("sha256"));
    let it = Pushing::over(story);
    it.land_ledgers(&it.ledgers(&["bal-01"]));
    it.push(&["origin", "topic"]).goes_silently();
    it.push(&["origin", "--delete", "topic"]).goes_silently();
    it.bad("x");
    let _ = it
        .push(&["origin", "topic"])
        .stops(1, &["push refused", "look closer"]);
}

#[test]
fn a_protected_line_is_neither_deleted_nor_rewritten() {
    let it = Pushing::landed();
    let _ = it.push(&["origin", ":main"]).stops(
        1,
        &[
            "push refused: refs/heads/main",
            "HISTORY_UNTRUSTED refs/heads/main (line-deleted)",
            "protect.base",
        ],
    );
    let said = it
        .push(&["--force", "origin", "main~1:main"])
        .stops(1, &["line-rewritten", "drops 1 commit", "git rebase"]);
    assert!(said.contains(&it.id("main")[..10]), "{said}");
}

#[test]
fn deleting_what_is_not_there_needs_no_look_at_anything() {
    let it = Pushing::landed();
    let zero = "0".repeat(40);
    std::fs::remove_dir_all(it.path(".git/objects/info")).ok();
    let run = it
        .feed(
            &format!("(delete) {zero} refs/heads/gone {zero}\n"),
            &["origin", "x"],
        )
        .expect(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
}

#[test]
fn a_tag_on_a_published_commit_brings_nothing_new() {
    let it = Pushing::landed();
    it.git(&["tag", "light", "main~1"]);
    it.git(&["tag", "-a", "-m", "x", "heavy", "main"]);
    it.git(&["tag", "-a", "-m", "x", "nested", "heavy"]);
    it.push(&["origin", "light", "heavy", "nested"])
        .goes_silently();
}

#[test]
fn a_tag_smuggles_no_commits() {
    let it = Pushing::landed();
    it.bad("x");
    it.git(&["tag", "light"]);
    it.git(&["tag", "-a", "-m", "x", "heavy"]);
    it.git(&["tag", "-a", "-m", "x", "nested", "heavy"]);
    for tag in ["light", "heavy", "nested"] {
        let name = format!("refs/tags/{tag}");
        let _ = it.push(&["origin", tag]).stops(1, &[&name, "same-commit"]);
    }
}

#[test]
fn a_tag_of_a_tree_or_blob_holds_nothing_to_judge() {
    let it = Pushing::landed();
    it.git(&["tag", "tree", "main^{tree}"]);
    it.git(&["tag", "-a", "-m", "x", "blob", "main:src/account.py"]);
    let said = it.push(&["origin", "tree", "blob"]).goes();
    assert!(
        said.contains("names a tree") && said.contains("names a blob"),
        "{said}"
    );
}

#[test]
fn a_force_push_is_judged_anew_and_says_what_it_rewrites() {
    let it = Pushing::landed();
    it.patch("one");
    it.patch("two");
    let _ = it.push(&["origin", "topic"]).goes();
    it.git(&["reset", "-q", "--hard", "HEAD~2"]);
    it.patch("three");
    let said = it.push(&["--force", "origin", "topic"]).goes();
    assert!(said.contains("rewrites 2 commits"), "{said}");
    it.bad("x");
    let _ = it
        .push(&["--force", "origin", "topic"])
        .stops(1, &["same-commit"]);
}

#[test]
fn what_was_pushed_before_excuses_nothing() {
    let it = Pushing::landed();
    it.bad("x");
    let _ = it.push_by("git push --no-verify origin topic");
    it.patch("more");
    let _ = it
        .push(&["origin", "topic"])
        .stops(1, &["refs/heads/topic", "same-commit"]);
    // nor does it excuse a branch of another name
    let _ = it
        .push(&["origin", "topic:refs/heads/other"])
        .stops(1, &["refs/heads/other", "same-commit"]);
}

#[test]
fn every_ref_of_a_push_is_examined_and_the_bad_one_named() {
    let it = Pushing::landed();
    for name in ["one", "two", "four"] {
        it.git(&["switch", "-q", "-c", name, "main"]);
        it.patch(name);
    }
    it.git(&["switch", "-q", "-c", "three", "main"]);
    it.bad("x");
    let said = it
        .push(&["origin", "one", "two", "three", "four"])
        .stops(1, &["push refused: refs/heads/three"]);
    assert!(!said.contains("push refused: refs/heads/one"), "{said}");
    it.git(&["switch", "-q", "-c", "five", "main"]);
    it.bad("y");
    let said = it
        .push(&["origin", "five", "one", "three"])
        .stops(1, &["bal-x", "bal-y"]);
    assert_eq!(said.matches("push refused").count(), 2, "{said}");
    assert_eq!(
        said.matches("look closer: git reins check").count(),
        2,
        "{said}"
    );
}

#[test]
fn refs_that_name_one_commit_are_judged_once_and_named_together() {
    let it = Pushing::landed();
    it.bad("x");
    it.git(&["branch", "-q", "twin"]);
    let said = it
        .push(&["origin", "topic", "twin"])
        .stops(1, &["push refused: refs/heads/topic, refs/heads/twin"]);
    assert_eq!(said.matches("bal-x (same-commit)").count(), 1, "{said}");
}

#[test]
fn many_refs_with_the_same_fault_are_one_answer_of_bounded_length() {
    let it = Pushing::landed();
    it.bad("x");
    let script =
        "for i in $(seq 40); do git branch n$i $(git commit-tree -p main -m $i topic^{tree}); done";
    let _ = it.shell(script).expect(0);
    let said = it
        .push(&["origin", "refs/heads/n*:refs/heads/n*"])
        .stops(1, &["34 more refs", "same-commit"]);
    assert_eq!(said.matches("push refused").count(), 1, "{said}");
    assert!(said.lines().count() < 30, "{said}");
}

#[test]
fn what_git_drops_from_the_push_is_not_asked_about() {
    let it = Pushing::landed();
    it.push(&["origin", "main"]).goes_silently(); // up to date: no line arrives
    it.patch("one");
    let _ = it.push(&["origin", "topic"]).goes();
    it.git(&["reset", "-q", "--hard", "HEAD~1"]);
    it.bad("x");
    let pushed = it.push(&["origin", "topic"]); // no fast-forward: git itself refuses
    assert_eq!(
        (pushed.run.code, pushed.code, pushed.said.as_str()),
        (Some(1), Some(0), "")
    );
}

#[test]
fn the_remote_ref_decides_and_the_local_name_does_not() {
    let it = Pushing::landed();
    it.patch("one");
    let tip = it.id("topic");
    it.git(&["switch", "-q", "--detach", "main"]);
    for source in ["topic", "HEAD@{1}", "topic^{/patch one}", &tip, "topic~0"] {
        let _ = it
            .push(&["origin", &format!("{source}:refs/heads/main")])
            .stops(1, &["refs/heads/main", "VERDICT_MISSING"]);
    }
    let said = it
        .push(&["origin", "topic@{0 seconds ago}:refs/heads/fix/x"])
        .goes();
    assert!(said.contains("refs/heads/fix/x"), "{said}");
    it.git(&["switch", "-q", "--detach", "topic"]);
    let _ = it
        .push(&["origin", "HEAD:main"])
        .stops(1, &["VERDICT_MISSING"]);
}

#[test]
fn names_of_any_kind_are_only_names() {
    let it = Pushing::landed();
    it.bad("x");
    for name in [
        "we\"ird$x",
        "a'b",
        "$(touch${IFS}pwned)",
        "ümläut",
        "a;b&c",
        "`id`",
    ] {
        it.git(&["update-ref", &format!("refs/heads/{name}"), "HEAD"]);
        let said = it
            .push(&["origin", &format!("refs/heads/{name}")])
            .stops(1, &["same-commit"]);
        assert!(said.contains("push refused: refs/heads/"), "{said}");
    }
    let tip = it.id("HEAD");
    let raw = format!(
        "printf 'x {tip} refs/heads/a\\377b {}\\n' | git-reins hook run pre-push origin x",
        "0".repeat(40)
    );
    assert!(it.shell(&raw).expect(1).stderr.contains("same-commit"));
    assert!(!it.path("pwned").exists());
}

#[test]
fn notes_are_not_gated_and_other_refs_only_warned_about() {
    let it = Pushing::landed();
    it.git(&["notes", "add", "-m", "x", "main"]);
    it.push(&["origin", "refs/notes/commits"]).goes_silently();
    it.bad("x");
    let said = it.push(&["origin", "topic:refs/wip/topic"]).goes();
    assert!(
        said.contains("note: refs/wip/topic: ORACLE_NOT_INDEPENDENT bal-x (same-commit)"),
        "{said}"
    );
}

#[test]
fn a_review_is_judged_as_the_branch_behind_it() {
    let it = Pushing::landed();
    it.patch("one");
    let _ = it
        .push(&["origin", "HEAD:refs/for/main"])
        .stops(1, &["refs/for/main", "VERDICT_MISSING"]);
    let _ = it
        .push(&["origin", "HEAD:refs/for/main%topic=x"])
        .stops(1, &["refs/for/main%topic=x", "VERDICT_MISSING"]);
    let _ = it
        .push(&["origin", "HEAD:refs/drafts/main"])
        .stops(1, &["refs/drafts/main", "VERDICT_MISSING"]);
    let _ = it.push(&["origin", "HEAD:refs/for/other"]).goes();
}

#[test]
fn a_mirror_shows_its_refs_and_a_prune_its_deletes() {
    let it = Pushing::landed();
    let _ = it.push(&["origin", "main:gone"]).goes();
    it.push(&["--prune", "origin", "refs/heads/*:refs/heads/*"])
        .goes_silently();
    assert!(!it.server().contains("gone"));
    it.git(&["notes", "add", "-m", "x", "main"]);
    it.git(&["tag", "v1", "main"]);
    it.push(&["--mirror", "origin"]).goes_silently();
    it.bad("x");
    it.git(&["update-ref", "refs/remotes/elsewhere/x", "HEAD"]);
    it.git(&["reset", "-q", "--hard", "main"]);
    let said = it.push(&["--mirror", "origin"]).goes();
    assert!(
        said.contains("refs/remotes/elsewhere/x: ORACLE_NOT_INDEPENDENT"),
        "{said}"
    );
}
