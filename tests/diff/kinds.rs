//! Is each kind of weakening seen on a real branch, and is what weakens nothing let through?

use serde_json::{Value, json};

use super::story::{Ledgers, Story, in_parallel};
use super::{changes, only, told};

/// Two rows, a freeze and an epoch landed on `main`; `topic` stands there.
fn landed() -> (Story, Ledgers) {
    let story = Story::landed();
    let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
    ledgers.oracles.push(drafted(&story));
    ledgers.freezes = vec![story.freeze("bal-02", "2026-12-10")];
    story.land_ledgers(&ledgers);
    story.land();
    (story, ledgers)
}

fn drafted(story: &Story) -> Value {
    let mut row = story.row("drafted");
    row["sees_diff"] = json!(true);
    row["drafted_by"] = json!("a model");
    row
}

type Edit = fn(&Story, &mut Ledgers);

#[test]
fn each_kind_of_weakening_is_one() {
    let cases: Vec<(Edit, &str)> = vec![
        (
            |_, l| {
                l.oracles[2]["sees_diff"] = json!(false);
                l.oracles[2]["cleared_by"] = json!("Carol");
            },
            "! oracle drafted.sees_diff sees-diff-cleared",
        ),
        (
            |_, l| l.freezes[0]["expires_at"] = json!("2027-01-10"),
            "! freezes bal-02 0x9c1e.expires_at expiry-extended",
        ),
        (
            |s, l| l.freezes.push(s.freeze("bal-01", "2026-12-10")),
            "! freezes bal-01 0x9c1e freeze-added",
        ),
        (
            |_, l| drop(l.oracles.remove(1)),
            "! oracle bal-02 row-removed",
        ),
        (
            |_, l| l.oracles[0]["relation"] = json!("balance >= -1"),
            "! oracle bal-01.relation text-edited",
        ),
        (
            |_, l| l.freezes[0]["owner"] = json!("nobody"),
            "! freezes bal-02 0x9c1e.owner owner-changed",
        ),
        (
            |_, l| l.fixture["digest_sha256"] = json!("0".repeat(64)),
            "! fixture epoch.digest_sha256 digest-changed",
        ),
        (
            |_, l| l.fixture["runner_image_id"] = json!("host:x"),
            "! fixture epoch.runner_image_id image-changed",
        ),
        (
            |_, l| l.oracles[0]["score"] = json!(false),
            "! oracle bal-01 score-lost",
        ),
        (
            |s, _| s.write("properties/more.py", "def more(account): return True\n"),
            "! properties properties/more.py digest-changed",
        ),
        (
            |s, _| s.write("properties/conftest.py", "import more\n"),
            "! properties properties/conftest.py file-added",
        ),
        (
            |s, _| {
                policy(
                    s,
                    "preset = \"raw\"",
                    "preset = \"raw\"\nexit = { pass = [0, 1], fail = [2] }",
                )
            },
            "! policy check props.exit.pass relaxed",
        ),
        (
            |s, _| policy(s, "exempt = [\"docs\"]", "exempt = [\"docs\", \"src\"]"),
            "! policy paths.exempt relaxed",
        ),
        (
            |s, _| std::fs::remove_file(s.path(".gitreins/reins.toml")).expect("it is there"),
            "! policy .gitreins/reins.toml file-removed",
        ),
    ];
    in_parallel(&cases, |(edit, expected)| {
        let (story, mut ledgers) = landed();
        edit(&story, &mut ledgers);
        story.land_ledgers(&ledgers);
        let said = told(&changes(&story, &[]));
        assert!(
            said.iter().any(|line| line == expected),
            "{expected} in {said:#?}"
        );
        let _ = story.refuses(1, &["diff", "--exit-code"]);
        let _ = story.refuses(0, &["diff"]);
    });
}

fn policy(story: &Story, from: &str, to: &str) {
    let text = story.read(".gitreins/reins.toml");
    assert!(text.contains(from), "{text}");
    story.write(".gitreins/reins.toml", &text.replacen(from, to, 1));
}

#[test]
fn what_weakens_nothing_leaves_with_zero() {
    let cases: Vec<(Edit, &[&str])> = vec![
        (
            |s, l| l.oracles.push(s.row("bal-03")),
            &["~ oracle bal-03 row-added"],
        ),
        (
            |_, l| l.freezes.clear(),
            &["~ freezes bal-02 0x9c1e row-removed"],
        ),
        (
            |_, l| l.freezes[0]["expires_at"] = json!("2026-12-01"),
            &["~ freezes bal-02 0x9c1e.expires_at expiry-shortened"],
        ),
        (
            |_, l| l.oracles[0]["authored_commit"] = json!("a rebased one"),
            &[],
        ),
        (
            |s, _| policy(s, "human_only = [\"src/auth\"]", "human_only = [\"src\"]"),
            &[
                "! policy paths.human_only relaxed", // the narrower prefix is gone, by its name
                "~ policy paths.human_only tightened",
            ],
        ),
        (
            |s, _| policy(s, "schema = 1", "schema = 1 # still"),
            &["~ policy .gitreins/reins.toml respelled"],
        ),
        (|s, _| s.patch("code alone"), &[]),
    ];
    in_parallel(&cases, |(edit, expected)| {
        let (story, mut ledgers) = landed();
        edit(&story, &mut ledgers);
        story.put(&ledgers);
        story.git(&["add", "-A"]);
        story.git(&["commit", "-q", "--allow-empty", "-m", "edit"]);
        let answer = changes(&story, &[]);
        assert_eq!(told(&answer), *expected, "{}", answer.run);
        let weakened = expected.iter().any(|line| line.starts_with('!'));
        let _ = story.refuses(i32::from(weakened), &["diff", "--exit-code"]);
    });
}

#[test]
fn who_made_it_and_whether_before_the_patch() {
    let (story, mut ledgers) = landed();
    ledgers.oracles.push(story.row("bal-03"));
    story.land_ledgers(&ledgers);
    let before = story.id("HEAD");
    story.patch("one");
    let patch = story.id("HEAD");
    ledgers.oracles.push(story.row("bal-04"));
    ledgers.oracles[0]["inputs"] = json!("any account");
    story.put(&ledgers);
    story.git(&[
        "commit",
        "-qa",
        "-m",
        "late",
        "--author",
        "Bob <bob@example.org>",
    ]);
    let late = story.id("HEAD");
    let answer = changes(&story, &[]);
    let find = |row: &str| {
        let all = answer.json["changes"].as_array().expect("a list");
        all.iter()
            .find(|change| change["row"] == row)
            .expect("the row is told")
    };
    assert_eq!(find("bal-03")["order"], "before-every-patch");
    assert_eq!(
        find("bal-03")["made_by"],
        json!([{"commit": before, "author": "Ada"}])
    );
    for row in ["bal-04", "bal-01"] {
        assert_eq!(find(row)["order"], "not-before-patch", "{}", answer.run);
        assert_eq!(find(row)["patch_commit"], json!(patch));
        assert_eq!(
            find(row)["made_by"],
            json!([{"commit": late, "author": "Bob"}])
        );
    }
    assert_eq!(answer.json["patch_commits"], json!([patch]));
}

#[test]
fn a_fixture_that_is_pinned_anew_by_the_commit_that_changes_it_is_told() {
    let (story, _) = landed();
    story.write("fixtures/accounts.json", "[{\"opening\": 11}]\n");
    let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
    ledgers.oracles.push(drafted(&story));
    ledgers.fixture = story.fixture("epoch-2");
    story.land_ledgers(&ledgers);
    let together = only(&changes(&story, &[]), "pinned-with-bytes").clone();
    assert_eq!(together["made_by"][0]["commit"], json!(story.id("HEAD")));

    let (story, _) = landed();
    story.write("fixtures/accounts.json", "[{\"opening\": 11}]\n");
    story.commit("bytes");
    let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
    ledgers.oracles.push(drafted(&story));
    ledgers.fixture = story.fixture("epoch-2");
    story.land_ledgers(&ledgers);
    let said = told(&changes(&story, &[]));
    assert!(
        !said.iter().any(|line| line.ends_with("pinned-with-bytes")),
        "{said:#?}"
    );
}
