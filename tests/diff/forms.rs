//! How does one branch read in every form?

use serde_json::json;

use super::story::Story;

/// A branch that does a little of everything, by two people.
fn told() -> Story {
    let story = Story::landed();
    let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
    ledgers.freezes = vec![story.freeze("bal-02", "2026-12-10")];
    ledgers.oracles[1]["sees_diff"] = json!(true);
    ledgers.oracles[1]["drafted_by"] = json!("a model");
    story.land_ledgers(&ledgers);
    story.land();
    ledgers.freezes[0]["expires_at"] = json!("2027-01-10");
    ledgers.oracles.push(story.row("bal-03"));
    ledgers.oracles[1]["sees_diff"] = json!(false);
    ledgers.oracles[1]["cleared_by"] = json!("Carol");
    story.put(&ledgers);
    story.git(&["commit", "-qa", "-m", "ledgers", "--author", "Bob <bob@example.org>"]);
    story.patch("one");
    ledgers.oracles[0]["relation"] = json!("balance >= -1");
    story.write("properties/more.py", "def more(account): return True\n");
    let policy = story.read(".gitreins/reins.toml") + "[freeze]\nmax_days = 90\n";
    story.write(".gitreins/reins.toml", &policy);
    story.land_ledgers(&ledgers);
    story
}

#[test]
fn text_begins_with_what_is_weaker() {
    let run = told().refuses(1, &["diff", "--exit-code"]);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{run}");
    insta::assert_snapshot!(run, @"");
}

#[test]
fn markdown_is_a_table_for_a_comment() {
    let run = told().refuses(0, &["diff", "--format", "markdown"]);
    insta::assert_snapshot!(run, @"");
}

#[test]
fn nothing_is_said_in_three_lines() {
    let story = Story::landed();
    story.patch("one");
    insta::assert_snapshot!(story.refuses(0, &["diff", "--exit-code"]), @"");
    insta::assert_snapshot!(story.refuses(0, &["diff", "--format", "markdown"]), @"");
}

#[test]
fn json_is_as_its_schema_says() {
    let run = told().refuses(1, &["diff", "--exit-code", "--json"]);
    let schema: serde_json::Value =
        serde_json::from_str(&git_reins::ledger::schema::schema("diff").expect("a known name"))
            .expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let answer: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let faults: Vec<_> = validator.iter_errors(&answer).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    assert_eq!(answer["schema"], "git-reins/diff/1");
}
