//! What once got past the gate, and what it once refused without need.

use serde_json::json;

use super::story::{Story, TODAY};

fn switch_new(story: &Story, branch: &str, from: &str) {
    story.git(&["switch", "-q", "-c", branch, from]);
}

#[test]
fn a_merge_that_drops_what_main_gained_is_a_patch() {
    let story = Story::landed();
    story.write("docs/guide.md", "# Guide, again\n");
    story.commit("docs");
    story.git(&["switch", "-q", "main"]);
    story.patch("a fix on main");
    story.git(&["switch", "-q", "topic"]);
    story.git(&["merge", "-q", "-s", "ours", "-m", "merge main", "main"]);
    let answer = story.admit(&json!([]), &[]);
    assert_eq!(
        answer.json["patch_commits"],
        json!([story.id("topic")]),
        "{}",
        answer.run
    );
    assert_eq!(answer.run.code, Some(1), "{}", answer.run);

    let story = Story::landed();
    let old = story.id("main");
    story.patch("a fix on main");
    story.land();
    story.write("docs/guide.md", "# Guide, again\n");
    story.commit("docs");
    story.git(&["checkout", "-q", &old, "--", "src"]);
    let tree = story.git(&["write-tree"]);
    let merge = story.git(&[
        "commit-tree",
        tree.trim(),
        "-p",
        "HEAD",
        "-p",
        &old,
        "-m",
        "merge",
    ]);
    story.git(&["reset", "-q", "--hard", merge.trim()]);
    let answer = story.admit(&json!([]), &[]);
    assert_eq!(
        answer.json["patch_commits"],
        json!([story.id("topic")]),
        "{}",
        answer.run
    );
}

#[test]
fn a_plain_merge_of_main_is_no_patch() {
    let story = Story::landed();
    story.write("docs/guide.md", "# Guide, again\n");
    story.commit("docs");
    story.git(&["switch", "-q", "main"]);
    story.patch("a fix on main");
    story.git(&["switch", "-q", "topic"]);
    story.git(&["merge", "-q", "--no-ff", "-m", "merge main", "main"]);
    let answer = story.admit(&json!([]), &[]);
    assert_eq!(
        (answer.run.code, &answer.json["patch_commits"]),
        (Some(0), &json!([])),
        "{}",
        answer.run
    );
}

#[test]
fn a_late_row_that_a_patch_stands_on_keeps_its_failure() {
    let story = Story::start();
    story.land_ledgers(&story.ledgers(&["bal-01"]));
    switch_new(&story, "side", "topic");
    story.write("src/note.txt", "beside\n");
    story.commit("patch beside");
    story.git(&["switch", "-q", "topic"]);
    story.land_ledgers(&story.ledgers(&["bal-01", "bal-02"]));
    story.patch("that bal-02 catches");
    story.git(&["merge", "-q", "--no-ff", "-m", "merge side", "side"]);
    let results = |status: &str| json!([{"property_id": "bal-01", "status": "pass"}, {"property_id": "bal-02", "status": status}]);
    story.admit(&results("pass"), &[]).admits();
    story
        .admit(&results("fail"), &[])
        .says(1, &["UNFROZEN_PROPERTY_FAILED failed"]);
    story
        .pass(&["bal-01"])
        .says(1, &["UNFROZEN_PROPERTY_FAILED no-result"]);
}

#[test]
fn a_smoke_row_of_today_opens_no_file_that_a_patch_met() {
    let story = Story::start();
    story.write("properties/harness.py", "def run(p): return p()\n");
    story.land_ledgers(&story.ledgers(&["bal-01"]));
    story.write("properties/harness.py", "def run(p): return True\n");
    let mut ledgers = story.ledgers(&["bal-01"]);
    let mut smoke = story.row_over("smoke-01", "properties/harness.py");
    smoke["score"] = json!(false);
    ledgers.oracles.push(smoke);
    story.put(&ledgers);
    story.patch("with a harness");
    story
        .pass(&["bal-01"])
        .says(1, &["ORACLE_NOT_INDEPENDENT property-changed"]);
}

#[test]
fn equal_directories_under_two_prefixes_are_two_listings() {
    let story = Story::start();
    for prefix in ["properties", "fixtures"] {
        story.git(&["rm", "-q", "-r", prefix]);
        story.write(
            &format!("{prefix}/balance.py"),
            "def balance_never_negative(account): ...\n",
        );
    }
    story.commit("one file twice");
    story.land();
    story.land_ledgers(&story.ledgers(&["bal-01"]));
    story.patch("one");
    story.pass(&["bal-01"]).admits();
}

#[test]
fn the_environment_chooses_no_remote() {
    let story = Story::start();
    story.patch("without a row");
    story.git(&["remote", "add", "evil", "nowhere"]);
    story.git(&["remote", "add", "other", "nowhere"]);
    story.git(&["update-ref", "refs/remotes/evil/main", "HEAD"]);
    let mut command = story.command(env!("CARGO_BIN_EXE_git-reins"), &story.path(""));
    command.args(["check", "--json"]);
    command
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "branch.topic.remote");
    let run = story.captured(
        command
            .env("GIT_CONFIG_VALUE_0", "evil")
            .output()
            .expect("the binary runs"),
    );
    assert_eq!(run.code, Some(128), "{run}");
    assert!(run.stdout.contains("LINE_UNKNOWN"), "{run}");
}

#[test]
fn of_two_lines_that_are_equally_near_the_default_branch_judges() {
    let story = Story::start();
    story.git(&["switch", "-q", "main"]);
    story.replace(
        ".gitreins/reins.toml",
        "refs/heads/main\"",
        "refs/heads/main\", \"refs/heads/release\"",
    );
    story.commit("two lines");
    story.git(&["branch", "release"]);
    story.git(&["switch", "-q", "-C", "topic", "main"]);
    story.patch("one");
    assert_eq!(story.check().run.code, Some(1), "one policy");
    story.git(&["switch", "-q", "main"]);
    story.replace(
        ".gitreins/reins.toml",
        "schema = 1",
        "schema = 1 # stricter",
    );
    story.commit("another policy");
    story.git(&["switch", "-q", "release"]);
    story.write("docs/guide.md", "# Guide, again\n");
    story.commit("docs");
    let tied = |story: &Story| story.ask(&["check", "topic", "--json"]);
    assert_eq!(tied(&story).run.code, Some(1), "main judges");
    story.git(&["switch", "-q", "main"]);
    story.replace(
        ".gitreins/reins.toml",
        "refs/heads/main\"",
        "refs/heads/next\"",
    );
    story.commit("other lines");
    story.git(&["branch", "next", "main~1"]);
    let answer = tied(&story);
    assert_eq!(answer.run.code, Some(128), "{}", answer.run);
    assert!(
        answer.run.stdout.contains("equally near") && answer.run.stdout.contains("LINE_UNKNOWN"),
        "{}",
        answer.run
    );
}

#[test]
fn a_name_of_a_tag_and_a_branch_is_no_name() {
    let story = Story::honest();
    story.git(&["tag", "main", "HEAD"]);
    let path = story.hand_in("[]");
    let run = story.reins(&["admit", "main..topic", "--results", &path, "--today", TODAY]);
    assert_eq!(run.code, Some(128), "{run}");
    assert!(
        run.stderr
            .contains("it may be refs/tags/main or refs/heads/main"),
        "{run}"
    );
}

#[test]
fn attributes_that_change_nothing_are_no_fault() {
    let picture = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0; 40]].concat();
    for (attributes, bytes, is_fine) in [
        ("* text=auto\n", picture.as_slice(), true),
        ("* text=auto\n", b"one\r\ntwo\r\n", false),
        ("fixtures/* -text eol=crlf\n", b"one\n", true),
        ("fixtures/* eol=crlf\n", b"one\n", false),
    ] {
        let story = Story::start();
        story.write(".gitattributes", attributes);
        std::fs::write(story.path("fixtures/blob"), bytes).expect("the worktree is writable");
        story.git(&["-c", "core.safecrlf=false", "add", "-A"]);
        let blob = story
            .command("git", &story.path(""))
            .args(["hash-object", "-w", "--no-filters", "fixtures/blob"])
            .output();
        let blob = String::from_utf8(blob.expect("git runs").stdout).expect("ids are text");
        story.git(&[
            "update-index",
            "--cacheinfo",
            &format!("100644,{},fixtures/blob", blob.trim()),
        ]);
        story.git(&["commit", "-q", "-m", "blob"]);
        story.land();
        story.put(&story.ledgers(&["bal-01"]));
        story.git(&["add", "ledger"]);
        story.git(&["commit", "-q", "-m", "ledgers"]);
        story.write(
            "src/account.py",
            "def balance(a, b):\n    return a - b  # one\n",
        );
        story.git(&["commit", "-q", "-m", "patch", "--", "src"]);
        let answer = story.pass(&["bal-01"]);
        assert_eq!(
            answer.run.code,
            Some(i32::from(!is_fine)),
            "{attributes}{}",
            answer.run
        );
    }
}

#[test]
fn a_range_without_a_patch_lists_what_a_reviewer_should_see() {
    let story = Story::landed();
    story.write(
        "properties/balance.py",
        "def balance_never_negative(account): return True\n",
    );
    story.commit("weaker");
    let mut ledgers = story.ledgers(&["bal-01"]);
    ledgers.fixture =
        serde_json::from_str(&story.read("ledger/fixture.json")).expect("the ledger is JSON");
    let mut freeze = story.freeze("bal-01", "2026-12-10");
    freeze["base_rev"] = ledgers.fixture["base_rev"].clone();
    ledgers.freezes.push(freeze);
    story.land_ledgers(&ledgers);
    let answer = story.ask(&["check", "--json"]);
    let mut notes: Vec<_> = answer.json["warnings"]
        .as_array()
        .expect("warnings are listed")
        .iter()
        .collect();
    notes.retain(|note| {
        note.as_str()
            .is_some_and(|note| note.starts_with("for review"))
    });
    assert_eq!(
        notes,
        [
            "for review: bal-01 is changed since base",
            "for review: bal-02 is gone since base",
            "for review: properties/balance.py is changed since base",
            "for review: the freeze of bal-01 seed 0x9c1e is added since base",
        ],
        "{}",
        answer.run
    );
    let unchanged = Story::landed().check();
    assert!(
        !unchanged.run.stdout.contains("for review"),
        "{}",
        unchanged.run
    );
}

#[test]
fn findings_are_sorted_and_each_is_said_once() {
    let story = Story::start();
    story.write("fixtures/accounts.json", "[]\n");
    story.write(
        "properties/balance.py",
        "def balance_never_negative(account): return True\n",
    );
    story.patch("with everything");
    let answer = story.check();
    let keys: Vec<_> = answer
        .details()
        .iter()
        .map(|detail| (detail["code"].to_string(), detail.to_string()))
        .collect();
    assert!(keys.len() > 2, "{}", answer.run);
    assert!(
        keys.windows(2)
            .all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 != pair[1].1),
        "{}",
        answer.run
    );
}
