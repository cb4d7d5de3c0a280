//! Does the oracle predate the patch, whatever shape the history has?

use super::story::{Answer, IMAGE, Story, TODAY};
use serde_json::json;

const SAME: &str = "ORACLE_NOT_INDEPENDENT same-commit";
const AFTER: &str = "ORACLE_NOT_INDEPENDENT after-patch";
const BESIDE: &str = "ORACLE_NOT_INDEPENDENT concurrent";
const CHANGED: &str = "ORACLE_NOT_INDEPENDENT changed-after-patch";
const REMOVED: &str = "ORACLE_NOT_INDEPENDENT removed";
const WEAKENED: &str = "ORACLE_NOT_INDEPENDENT weakened";
const EMPTY: &str = "NO_UNFROZEN_PROPERTIES empty-complement";

/// `topic` with a fixture ledger and no row: the place where a late oracle has to start.
fn pinned() -> Story {
    let story = Story::start();
    story.land_ledgers(&story.ledgers(&[]));
    story
}

fn add_rows(story: &Story, ids: &[&str]) {
    story.put(&story.ledgers(ids));
    story.commit(&format!("rows {}", ids.join(" ")));
}

/// Keeps `base_rev` where it was: the ledgers are written anew after `main` moved.
fn keep_epoch(story: &Story, ids: &[&str]) {
    let fixture = story.read("ledger/fixture.json");
    story.put(&story.ledgers(ids));
    story.write("ledger/fixture.json", &fixture);
}

fn merge(story: &Story, more: &[&str]) {
    story.git(&[&["merge", "-q", "--no-ff", "-m", "merge"], more].concat());
}

fn switch_new(story: &Story, branch: &str, from: &str) {
    story.git(&["switch", "-q", "-c", branch, from]);
}

fn switch(story: &Story, branch: &str) {
    story.git(&["switch", "-q", branch]);
}

fn one(story: &Story) -> Answer {
    story.pass(&["bal-01"])
}

fn two(story: &Story) -> Answer {
    story.pass(&["bal-01", "bal-02"])
}

#[test]
fn in_one_line() {
    one(&Story::honest()).admits();

    let story = pinned();
    story.put(&story.ledgers(&["bal-01"]));
    story.patch("same commit");
    one(&story).says(1, &[SAME]);

    let story = pinned();
    story.patch("amended");
    story.put(&story.ledgers(&["bal-01"]));
    story.git(&["add", "-A"]);
    story.git(&["commit", "-q", "--amend", "--no-edit"]);
    one(&story).says(1, &[SAME]);

    let story = pinned();
    story.patch("first");
    add_rows(&story, &["bal-01"]);
    one(&story).says(1, &[AFTER, EMPTY]);

    let story = Story::honest();
    story.replace("ledger/oracle.json", "balance >= 0", "balance >= -100");
    story.commit("edit with the same id");
    one(&story).says(1, &[CHANGED]);

    let story = Story::honest();
    story.replace("ledger/oracle.json", "bal-01", "bal-02");
    story.commit("new id");
    story.pass(&["bal-02"]).says(1, &[AFTER, REMOVED, EMPTY]);

    let story = pinned();
    add_rows(&story, &["bal-01"]);
    story.put(&story.ledgers(&[]));
    story.commit("delete");
    story.patch("in between");
    add_rows(&story, &["bal-01"]);
    one(&story).says(1, &[AFTER, EMPTY]);

    let story = pinned();
    story.patch("first");
    add_rows(&story, &["bal-01"]);
    story.git(&["revert", "--no-edit", "HEAD~1"]);
    story.git(&["revert", "--no-edit", "HEAD"]);
    one(&story).says(1, &[AFTER, EMPTY]);
}

#[test]
fn a_row_that_a_patch_faced_does_not_come_back_late() {
    let story = Story::start();
    add_rows(&story, &["bal-01", "bal-02"]);
    story.patch("one");
    add_rows(&story, &["bal-01"]);
    story.patch("two");
    add_rows(&story, &["bal-01", "bal-02"]);
    story.pass(&["bal-01", "bal-02"]).says(1, &[REMOVED]);

    let story = Story::start();
    add_rows(&story, &["bal-01", "bal-02"]);
    story.patch("one");
    add_rows(&story, &["bal-01"]);
    add_rows(&story, &["bal-01", "bal-02"]);
    two(&story).admits();
}

#[test]
fn a_row_that_turns_into_smoke_has_gone() {
    let story = Story::start();
    add_rows(&story, &["bal-01", "bal-02"]);
    story.patch("one");
    let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
    ledgers.oracles[1]["score"] = json!(false);
    story.land_ledgers(&ledgers);
    one(&story).says(1, &[REMOVED]);

    let story = Story::landed();
    let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
    ledgers.fixture["base_rev"] = json!(story.id("main~1"));
    ledgers.oracles[1]["score"] = json!(false);
    story.land_ledgers(&ledgers);
    story.patch("one");
    one(&story).says(1, &[WEAKENED]);
}

#[test]
fn one_parent_given_twice_is_one_parent() {
    let story = pinned();
    story.put(&story.ledgers(&["bal-01"]));
    story.patch("same commit");
    let parent = story.id("topic~1");
    let made = story.git(&[
        "commit-tree",
        "-p",
        &parent,
        "-p",
        &parent,
        "-m",
        "twice",
        "topic^{tree}",
    ]);
    story.git(&["reset", "-q", "--hard", made.trim_end()]);
    one(&story).says(1, &[SAME]);
}

#[test]
fn a_late_row_leaves_the_score_to_the_early_one() {
    let story = Story::honest();
    add_rows(&story, &["bal-01", "bal-02"]);
    let answer = two(&story);
    answer.admits();
    assert_eq!(
        (&answer.json["scored"], &answer.json["late"]),
        (&json!(1), &json!(1)),
        "{}",
        answer.run
    );
}

#[test]
fn on_a_side_branch() {
    let story = pinned();
    switch_new(&story, "side", "topic");
    story.patch("side");
    switch(&story, "topic");
    add_rows(&story, &["bal-01"]);
    merge(&story, &["side"]);
    one(&story).says(1, &[BESIDE, EMPTY]);

    let story = pinned();
    switch_new(&story, "one", "topic");
    story.patch("one");
    switch_new(&story, "two", "topic");
    story.write("src/other.py", "x\n");
    story.commit("two");
    switch(&story, "topic");
    add_rows(&story, &["bal-01"]);
    merge(&story, &["one", "two"]);
    assert_eq!(
        story
            .git(&["show", "-s", "--format=%p", "HEAD"])
            .split_whitespace()
            .count(),
        3
    );
    one(&story).says(1, &[BESIDE, EMPTY]);

    // the rows first, two patches beside each other, merged: honest
    let story = Story::ready();
    switch_new(&story, "one", "topic");
    story.patch("one");
    switch_new(&story, "two", "topic");
    story.write("src/other.py", "x\n");
    story.commit("two");
    switch(&story, "topic");
    story.write("src/third.py", "x\n");
    story.commit("three");
    merge(&story, &["one", "two"]);
    one(&story).admits();
}

#[test]
fn in_a_merge_that_invents_or_drops_something() {
    // the patch is only in the merge commit, with the row
    let story = pinned();
    switch_new(&story, "side", "topic");
    story.write("docs/side.md", "x\n");
    story.commit("docs");
    switch(&story, "topic");
    story.write("docs/here.md", "x\n");
    story.commit("docs");
    story.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
    story.put(&story.ledgers(&["bal-01"]));
    story.patch("evil");
    one(&story).says(1, &[SAME]);

    // one parent has the row, the other carried the patch: the merge edits the row
    let story = Story::ready();
    switch_new(&story, "side", "topic");
    story.patch("side");
    switch(&story, "topic");
    story.write("docs/here.md", "x\n");
    story.commit("docs");
    story.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
    story.replace("ledger/oracle.json", "balance >= 0", "balance >= -100");
    story.commit("evil");
    one(&story).says(1, &[CHANGED]);

    // the side branch added a second row before its patch; the merge drops it
    let story = Story::ready();
    switch_new(&story, "side", "topic");
    add_rows(&story, &["bal-01", "bal-02"]);
    story.patch("side");
    switch(&story, "topic");
    story.write("docs/here.md", "x\n");
    story.commit("docs");
    story.git(&["merge", "-q", "--no-commit", "-s", "ours", "side"]);
    story.git(&[
        "restore",
        "--source=side",
        "--staged",
        "--worktree",
        "--",
        "src",
    ]);
    story.commit("merge");
    one(&story).says(1, &[REMOVED]);

    // the same with a plain `-s ours`, and the patch made again after it
    let story = Story::ready();
    switch_new(&story, "side", "topic");
    add_rows(&story, &["bal-01", "bal-02"]);
    story.patch("side");
    switch(&story, "topic");
    story.write("docs/here.md", "x\n");
    story.commit("docs");
    merge(&story, &["-s", "ours", "side"]);
    story.patch("side");
    one(&story).says(1, &[REMOVED]);
}

#[test]
fn with_a_root_in_the_range() {
    let story = pinned();
    story.git(&["switch", "-q", "--orphan", "root"]);
    story.write("src/other.py", "x\n");
    story.commit("another root");
    switch(&story, "topic");
    add_rows(&story, &["bal-01"]);
    merge(&story, &["--allow-unrelated-histories", "root"]);
    // the root is a patch commit whose parent, the empty tree, holds nothing
    let answer = one(&story);
    assert_eq!(answer.run.code, Some(1), "{}", answer.run);
    assert!(answer.findings().contains(BESIDE), "{}", answer.run);

    // even with the row first
    let story = Story::ready();
    story.git(&["switch", "-q", "--orphan", "root"]);
    story.write("src/other.py", "x\n");
    story.commit("another root");
    switch(&story, "topic");
    merge(&story, &["--allow-unrelated-histories", "root"]);
    assert_eq!(one(&story).run.code, Some(1));
}

#[test]
fn with_criss_cross_merges() {
    let story = Story::landed();
    switch_new(&story, "other", "topic");
    story.write("src/other.py", "x\n");
    story.commit("on main");
    story.git(&["branch", "-f", "main", "other"]);
    switch(&story, "topic");
    story.patch("topic");
    let (main, topic) = (story.id("main"), story.id("topic"));
    merge(&story, &[&main]);
    switch(&story, "other");
    merge(&story, &[&topic]);
    story.git(&["branch", "-f", "main", "other"]);
    switch(&story, "topic");
    story.write("src/third.py", "x\n");
    story.commit("more");
    let answer = two(&story);
    answer.admits();
    let bases = answer.json["merge_bases"].as_array().map(Vec::len);
    assert_eq!(bases, Some(2), "{}", answer.run);
    // a row weakened against either base is refused
    story.replace("ledger/oracle.json", "balance >= 0", "balance >= -100");
    story.commit("weaken");
    assert!(two(&story).findings().contains(WEAKENED));
}

#[test]
fn with_rows_that_landed_meanwhile() {
    // a landed row, cherry-picked onto the branch after its patch
    let story = Story::landed();
    story.patch("one");
    switch_new(&story, "other", "main");
    keep_epoch(&story, &["bal-01", "bal-02", "bal-03"]);
    story.commit("row three");
    story.git(&["branch", "-f", "main", "other"]);
    switch(&story, "topic");
    story.git(&["cherry-pick", "main"]);
    let three = ["bal-01", "bal-02", "bal-03"];
    let answer = story.pass(&three);
    answer.admits();
    assert_eq!(answer.json["late"], json!(0), "{}", answer.run);

    // the branch merged main, which gained rows, after its patch
    let story = Story::landed();
    story.patch("one");
    switch_new(&story, "other", "main");
    keep_epoch(&story, &three);
    story.commit("row three");
    story.git(&["branch", "-f", "main", "other"]);
    switch(&story, "topic");
    merge(&story, &["main"]);
    let answer = story.pass(&three);
    answer.admits();
    assert_eq!(answer.json["scored"], json!(3), "{}", answer.run);
    // and from there on its own edit is refused
    story.replace("ledger/oracle.json", "balance >= 0", "balance >= -100");
    story.commit("weaken");
    assert_eq!(story.pass(&three).run.code, Some(1));

    // main lost a row, and the branch still holds it: nothing of the branch's own
    let story = Story::landed();
    story.patch("one");
    switch_new(&story, "other", "main");
    keep_epoch(&story, &["bal-01"]);
    story.commit("row two goes");
    story.git(&["branch", "-f", "main", "other"]);
    switch(&story, "topic");
    two(&story).admits();
    // merged from main after the patch, the absence is no state that lands
    merge(&story, &["main"]);
    let answer = one(&story);
    assert_eq!(answer.run.code, Some(0), "{}", answer.run);
}

/// A range without patch commits is admitted without a result.
fn no_patch(story: &Story) {
    let answer = story.admit(&json!([]), &[]);
    answer.admits();
    assert_eq!(answer.json["patch_commits"], json!([]), "{}", answer.run);
}

#[test]
fn with_reverts() {
    // a landed patch is taken back: no patch commit, nothing to score
    let story = Story::landed();
    story.patch("one");
    story.land();
    story.git(&["revert", "--no-edit", "HEAD"]);
    two(&story).admits();
    no_patch(&story);

    // the revert of a landed merge
    let story = Story::landed();
    switch_new(&story, "side", "topic");
    story.patch("side");
    switch(&story, "topic");
    story.write("docs/here.md", "x\n");
    story.commit("docs");
    merge(&story, &["side"]);
    story.land();
    story.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
    two(&story).admits();
    no_patch(&story);

    // a revert of a landed merge that brought rows takes them away: held
    let story = Story::landed();
    switch_new(&story, "side", "topic");
    keep_epoch(&story, &["bal-01", "bal-02", "bal-03"]);
    story.commit("row three");
    story.patch("side");
    switch(&story, "topic");
    merge(&story, &["side"]);
    story.land();
    story.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
    two(&story).says(3, &["NEEDS_HUMAN revert"]);

    // a revert and something of its own beside it is a patch
    let story = Story::landed();
    story.patch("one");
    story.land();
    story.git(&["revert", "--no-commit", "HEAD"]);
    story.write("src/other.py", "x\n");
    story.commit("revert and more");
    let answer = two(&story);
    answer.admits();
    assert_eq!(
        answer.json["patch_commits"].as_array().map(Vec::len),
        Some(1),
        "{}",
        answer.run
    );
    story.git(&["reset", "-q", "--hard", "main"]);
    story.git(&["revert", "--no-commit", "HEAD"]);
    story.write("src/other.py", "x\n");
    keep_epoch(&story, &["bal-01", "bal-02", "bal-03"]);
    story.commit("revert and more, with a row");
    story.pass(&["bal-01", "bal-02", "bal-03"]).says(1, &[SAME]);
}

#[test]
fn without_a_patch() {
    let story = Story::landed();
    story.write("docs/guide.md", "# Better\n");
    story.commit("docs");
    let answer = story.admit(&json!([]), &[]);
    answer.admits();
    assert_eq!(answer.json["scored"], json!(0), "{}", answer.run);

    let policy = ".gitreins/reins.toml";
    let story = Story::landed();
    story.replace(policy, "[\"docs\"]", "[\"docs\", \"notes\"]");
    story.commit("policy");
    story.check().says(3, &["NEEDS_HUMAN policy-changed"]);
    story
        .admit(&json!([]), &[])
        .says(3, &["NEEDS_HUMAN policy-changed"]);
    story.patch("one");
    two(&story).says(1, &["POLICY_CHANGED_BY_PATCH policy-with-patch"]);

    // changed and changed back is no change
    story.git(&["restore", "--source=main", "--", policy]);
    story.commit("policy back");
    two(&story).admits();

    // a policy that nobody can read may not land, held or not
    let story = Story::landed();
    story.write(policy, "schema = 2\n");
    story.commit("policy");
    let answer = story.check();
    assert_eq!(
        (answer.run.code, &answer.json["code"]),
        (Some(128), &json!("POLICY_INVALID")),
        "{}",
        answer.run
    );
}

#[test]
fn from_before_the_policy() {
    // `old` forked before main came under reins: the policy of main judges it
    let story = Story::start();
    story.git(&["switch", "-q", "--orphan", "trunk"]);
    story.git(&[
        "restore",
        "--source=topic",
        "--",
        "src",
        "spec",
        "properties",
        "fixtures",
        "docs",
    ]);
    story.commit("before the policy");
    switch_new(&story, "old", "trunk");
    switch(&story, "trunk");
    story.git(&["restore", "--source=topic", "--", ":/"]);
    story.commit("policy");
    story.git(&["branch", "-f", "main", "trunk"]);
    story.put(&story.ledgers(&["bal-01"]));
    story.commit("ledgers");
    story.git(&["branch", "-f", "main", "trunk"]);
    switch(&story, "old");
    story.git(&["branch", "-q", "-D", "trunk"]);
    story.patch("old");
    let answer = one(&story);
    assert_eq!(answer.run.code, Some(1), "{}", answer.run);
    assert!(
        answer.refusals().contains(&"LEDGER_MISSING"),
        "{}",
        answer.run
    );
    merge(&story, &["main"]);
    one(&story).admits();
}

#[test]
fn with_a_spec_that_moves() {
    let amended = "# Accounts\n\n## No overdraft\n\nBut for a day.\n";
    let story = Story::landed();
    story.write("spec/accounts.md", amended);
    story.commit("spec");
    story.patch("one");
    two(&story).says(3, &["NEEDS_HUMAN spec-changed"]);

    let story = Story::landed();
    story.patch("one");
    story.write("spec/accounts.md", amended);
    story.commit("spec");
    two(&story).says(1, &["SPEC_CHANGED_BY_PATCH text-changed"]);

    // without a patch it is nobody's matter but the reviewer's
    let story = Story::landed();
    story.write("spec/accounts.md", amended);
    story.commit("spec");
    story.check().admits();

    // a text that no row cites
    let story = Story::landed();
    story.write("spec/other.md", "# Other\n");
    story.patch("one");
    two(&story).admits();
}

#[test]
fn with_a_nested_ledger_directory() {
    let nested = || {
        let story = Story::start();
        story.replace(
            ".gitreins/reins.toml",
            "ledger = \"ledger\"",
            "ledger = \"meta/reins/ledger\"",
        );
        story.write("meta/notes.txt", "x\n");
        std::fs::create_dir_all(story.path("meta/reins")).unwrap();
        story.git(&["mv", "ledger", "meta/reins/ledger"]);
        story.commit("nested");
        story.land();
        story
    };
    let into_place = |story: &Story, ids: &[&str]| {
        story.put(&story.ledgers(ids));
        for name in ["oracle", "fixture", "freezes"] {
            let (from, to) = (
                format!("ledger/{name}.json"),
                format!("meta/reins/ledger/{name}.json"),
            );
            std::fs::rename(story.path(&from), story.path(&to)).unwrap();
        }
        std::fs::remove_dir(story.path("ledger")).unwrap();
    };
    let story = nested();
    into_place(&story, &["bal-01"]);
    story.commit("ledgers");
    story.patch("one");
    one(&story).admits();

    let story = nested();
    into_place(&story, &["bal-01"]);
    story.patch("one");
    let answer = one(&story);
    assert!(answer.findings().contains(SAME), "{}", answer.run);

    // what lies beside the ledger directory is code
    let story = nested();
    into_place(&story, &["bal-01"]);
    story.write("meta/notes.txt", "y\n");
    story.commit("ledgers and notes");
    let answer = one(&story);
    assert!(answer.findings().contains(SAME), "{}", answer.run);
}

#[test]
fn with_a_fixture_migration() {
    let moved = |story: &Story| story.write("fixtures/accounts.json", "[{\"opening\": 1000000}]\n");
    let repin = |story: &Story| {
        let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
        ledgers.fixture["epoch_id"] = json!("epoch-2");
        story.put(&ledgers);
    };
    let story = Story::landed();
    moved(&story);
    story.commit("bytes");
    story
        .check()
        .says(1, &["FIXTURE_DIGEST_MISMATCH bytes-differ"]);
    repin(&story);
    story.commit("epoch");
    story.check().admits();

    let story = Story::landed();
    moved(&story);
    repin(&story);
    story.commit("bytes and epoch");
    story
        .check()
        .says(1, &["FIXTURE_MIGRATION_MIXED bytes-with-ledger"]);

    let story = Story::landed();
    repin(&story);
    story.commit("epoch");
    moved(&story);
    repin(&story);
    story.commit("bytes and epoch");
    story
        .check()
        .says(1, &["FIXTURE_MIGRATION_MIXED bytes-with-ledger"]);

    let story = Story::landed();
    moved(&story);
    story.commit("bytes");
    repin(&story);
    story.commit("epoch");
    story.patch("one");
    two(&story).says(1, &["FIXTURE_MIGRATION_MIXED migration-with-patch"]);

    // the same bytes under a new epoch are no migration
    let story = Story::landed();
    repin(&story);
    story.commit("epoch");
    story.patch("one");
    two(&story).admits();
    assert!(story.read("ledger/fixture.json").contains(IMAGE));
}

#[test]
fn after_it_landed() {
    let story = Story::honest();
    let before = one(&story);
    before.admits();
    let (base, tip) = (story.id("main"), story.id("topic"));
    switch(&story, "main");
    merge(&story, &["topic"]);
    story.write("src/next.py", "x\n");
    story.commit("main moves on");
    let results = story.hand_in("[{\"property_id\": \"bal-01\", \"status\": \"pass\"}]");
    let range = format!("{base}..{tip}");
    let after = story.ask(&[
        "admit",
        &range,
        "--results",
        &results,
        "--today",
        TODAY,
        "--json",
    ]);
    after.admits();
    assert_eq!(after.json["patch_commits"], before.json["patch_commits"]);
    assert_eq!(after.json["base"], json!(base));
    // and a refused one stays refused
    let story = pinned();
    story.put(&story.ledgers(&["bal-01"]));
    story.patch("same commit");
    let range = format!("{}..{}", story.id("main"), story.id("topic"));
    story.land();
    story.hand_in("[{\"property_id\": \"bal-01\", \"status\": \"pass\"}]");
    let results = story.path("../results.json").display().to_string();
    story
        .ask(&[
            "admit",
            &range,
            "--results",
            &results,
            "--today",
            TODAY,
            "--json",
        ])
        .says(1, &[SAME]);
}

#[test]
fn with_two_protected_lines() {
    let story = Story::start();
    story.replace(
        ".gitreins/reins.toml",
        "[\"refs/heads/main\"]",
        "[\"refs/heads/main\", \"refs/heads/stable\"]",
    );
    story.commit("two lines");
    story.land_ledgers(&story.ledgers(&["bal-01", "bal-02"]));
    story.land();
    story.git(&["branch", "stable", "main"]);
    // a row that landed on stable alone is not held against a branch that merged it
    switch(&story, "stable");
    keep_epoch(&story, &["bal-01", "bal-02", "bal-03"]);
    story.commit("row three");
    switch(&story, "topic");
    story.patch("one");
    merge(&story, &["stable"]);
    let three = ["bal-01", "bal-02", "bal-03"];
    let answer = story.pass(&three);
    answer.admits();
    assert_eq!(answer.json["late"], json!(0), "{}", answer.run);
    // what landed on stable leaves the range of a branch that stands on it
    switch_new(&story, "fix", "stable");
    story.patch("fix");
    let answer = story.pass(&three);
    answer.admits();
    assert_eq!(
        answer.json["base"],
        json!(story.id("stable")),
        "{}",
        answer.run
    );
    // the policy of the nearest line judges: stable makes src/account.py a person's matter
    switch(&story, "stable");
    story.replace(
        ".gitreins/reins.toml",
        "[\"src/auth\"]",
        "[\"src/account.py\"]",
    );
    story.commit("stricter");
    switch(&story, "fix");
    story.git(&["rebase", "-q", "stable"]);
    story.pass(&three).says(3, &["NEEDS_HUMAN human-only-path"]);
    switch_new(&story, "plain", "main");
    story.patch("plain");
    two(&story).admits();
}
