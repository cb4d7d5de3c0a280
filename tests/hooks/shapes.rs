//! Which shapes of history does the hook let through?

use crate::pushing::Pushing;

#[test]
fn after_a_rebase_onto_a_moved_line_only_ones_own_commits_are_judged() {
    let it = Pushing::landed();
    it.patch("mine");
    let _ = it.push(&["origin", "topic"]).goes();
    // somebody lands a patch, row and all, without asking us
    it.git(&["switch", "-q", "main"]);
    it.bad_at("theirs", "src/other.py");
    let _ = it.push_by("git push --no-verify -q origin main");
    it.git(&["switch", "-q", "topic"]);
    it.git(&["rebase", "-q", "main"]);
    let said = it.push(&["--force", "origin", "topic"]).goes();
    assert!(
        said.contains("rewrites 1 commit") && !said.contains("theirs"),
        "{said}"
    );
}

#[test]
fn a_merge_of_the_line_brings_nothing_and_an_evil_one_is_a_patch() {
    let it = Pushing::landed();
    it.git(&["switch", "-q", "main"]);
    it.write("docs/guide.md", "more\n");
    it.commit("docs");
    it.push(&["origin", "main"]).goes_silently();
    it.git(&["switch", "-q", "topic"]);
    it.write("docs/else.md", "else\n");
    it.commit("docs too");
    it.git(&["merge", "-q", "--no-edit", "main"]);
    it.push(&["origin", "topic"]).goes_silently();
    it.write("src/account.py", "evil\n");
    it.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    let said = it.push(&["--force", "origin", "topic"]).goes();
    assert!(said.contains("VERDICT_MISSING"), "{said}");
    let _ = it
        .push(&["origin", "topic:main"])
        .stops(1, &["VERDICT_MISSING"]);
}

#[test]
fn an_oracle_from_beside_or_after_the_patch_is_refused() {
    let it = Pushing::start();
    it.patch("one");
    it.git(&["switch", "-q", "-c", "rows", "main"]);
    it.land_ledgers(&it.ledgers(&["bal-01"]));
    it.git(&["switch", "-q", "topic"]);
    it.git(&["merge", "-q", "--no-edit", "rows"]);
    let _ = it
        .push(&["origin", "topic"])
        .stops(1, &["ORACLE_NOT_INDEPENDENT bal-01 (concurrent)"]);
    // the honest order goes, and a rebase that turns it round does not
    it.git(&["switch", "-q", "-c", "honest", "rows"]);
    it.patch("two");
    let _ = it.push(&["origin", "honest"]).goes();
    it.git(&["switch", "-q", "-c", "turned", "main"]);
    it.git(&["cherry-pick", "honest", "honest~1"]);
    let said = it
        .push(&["origin", "turned"])
        .stops(1, &["ORACLE_NOT_INDEPENDENT bal-01 (after-patch)"]);
    assert!(
        !said.contains("reorder") && said.contains("a range of its own"),
        "{said}"
    );
}

#[test]
fn a_squash_onto_the_line_is_refused_with_a_word_about_squashing() {
    let it = Pushing::start();
    it.land_ledgers(&it.ledgers(&["bal-01"]));
    it.patch("one");
    it.git(&["switch", "-q", "main"]);
    it.git(&["merge", "-q", "--squash", "topic"]);
    it.commit("squashed");
    let _ = it
        .push(&["origin", "main"])
        .stops(1, &["same-commit", "squash merge"]);
}

#[test]
fn a_revert_lands_without_a_trial() {
    let it = Pushing::landed();
    it.git(&["switch", "-q", "main"]);
    it.patch("one");
    let _ = it.push_by("git push --no-verify -q origin main");
    it.git(&["revert", "--no-edit", "HEAD"]);
    it.push(&["origin", "main"]).goes_silently();
}

#[test]
fn a_criss_cross_and_an_octopus_are_judged_against_every_base() {
    let it = Pushing::landed();
    for (branch, file) in [("a", "docs/a.md"), ("b", "docs/b.md")] {
        it.git(&["switch", "-q", "-c", branch, "main"]);
        it.write(file, "x\n");
        it.commit(branch);
    }
    it.git(&["switch", "-q", "topic"]);
    it.git(&["merge", "-q", "--no-edit", "a", "b"]);
    it.push(&["origin", "topic"]).goes_silently();
    it.bad("x");
    it.git(&["switch", "-q", "-c", "cross", "a"]);
    it.git(&["merge", "-q", "--no-edit", "b", "topic"]);
    let _ = it.push(&["origin", "cross"]).stops(1, &["same-commit"]);
}

#[test]
fn a_submodule_answers_for_itself_and_its_bump_is_a_patch() {
    let it = Pushing::landed();
    it.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        "../server.git",
        "sub",
    ]);
    it.commit("submodule");
    it.hook_in("sub");
    // the hook of the submodule sees its own repository: a bad commit there is refused there
    let script = "cd sub && git switch -q -c topic && echo x >>ledger/oracle.json && git commit -q -a -m broken";
    let _ = it.shell(script).expect(0);
    let _ = it
        .push_in("sub", &["origin", "topic"])
        .stops(1, &["LEDGER_INVALID"]);
    let _ = it.shell("git add sub && git commit -q -m bump").expect(0);
    let _ = it
        .push(&["--recurse-submodules=no", "origin", "topic:main"])
        .stops(1, &["VERDICT_MISSING"]);
    let pushed = it.push(&["--recurse-submodules=on-demand", "origin", "topic"]);
    assert!(
        pushed.said.contains("LEDGER_INVALID") && pushed.said.contains("VERDICT_MISSING"),
        "{}",
        pushed.said
    );
}

#[test]
fn replaced_commits_change_nothing() {
    let it = Pushing::landed();
    it.bad("x");
    let bad = it.id("topic");
    it.git(&["switch", "-q", "-c", "good", "main"]);
    it.patch("one");
    it.git(&["replace", &bad, "good"]);
    let _ = it.push(&["origin", "topic"]).stops(1, &["same-commit"]);
}
