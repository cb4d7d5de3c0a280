//! How does one branch read in every form?

use serde_json::json;

use super::story::Story;
use crate::schema::follows;

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
    story.git(&[
        "commit",
        "-qa",
        "-m",
        "ledgers",
        "--author",
        "Bob <bob@example.org>",
    ]);
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
    assert!(
        run.stdout.lines().all(|line| line.chars().count() <= 80),
        "{run}"
    );
    insta::assert_snapshot!(run, @r#"
    weakened: 5 of 6 changes
      66a8ed4c15..ba1dea3a5e with 1 patch commit

    ! policy     freeze.max_days: relaxed, 30 -> 90; in ba1dea3a5e (Ada)
    ! oracle     bal-01 relation: text edited; in ba1dea3a5e (Ada), not before patch
        commit 825f7234a2
        balance >= [-0-]{+-1+}
    ! oracle     bal-02 sees_diff: sees_diff cleared, true -> false, cleared by
        Carol; in 48a782efc1 (Bob), before every patch commit
    ! freezes    bal-02 0x9c1e expires_at: expiry extended, 2026-12-10 -> 2027-01-10
        (+31 days, 1st extension); in 48a782efc1 (Bob), before every patch commit
    ! properties properties/more.py: bytes changed; in ba1dea3a5e (Ada), not before
        patch commit 825f7234a2
    + oracle     bal-03: added, spec/accounts.md#no-overdraft; in 48a782efc1 (Bob),
        before every patch commit
    = unchanged 0 oracle rows, 0 freezes, 1 fixture file, 1 property file, 39
        settings
    recompute: git reins diff 66a8ed4c15..ba1dea3a5e
    --- exit 1
    "#);
}

#[test]
fn markdown_is_a_table_for_a_comment() {
    let run = told().refuses(0, &["diff", "--format", "markdown"]);
    insta::assert_snapshot!(run, @r#"
    ### Ledger changes

    **weakened: 5 of 6 changes**

    `66a8ed4c15..ba1dea3a5e with 1 patch commit`

    | | where | what |
    |---|---|---|
    | :warning: | `policy` | freeze.max\_days: relaxed, 30 -&gt; 90; in ba1dea3a5e \(Ada\) |
    | :warning: | `oracle` | bal-01 relation: text edited; in ba1dea3a5e \(Ada\), not before patch commit 825f7234a2<br>balance &gt;=&#32;<del>0</del><ins>\-1</ins> |
    | :warning: | `oracle` | bal-02 sees\_diff: sees\_diff cleared, true -&gt; false, cleared by Carol; in 48a782efc1 \(Bob\), before every patch commit |
    | :warning: | `freezes` | bal-02 0x9c1e expires\_at: expiry extended, 2026-12-10 -&gt; 2027-01-10 \(+31 days, 1st extension\); in 48a782efc1 \(Bob\), before every patch commit |
    | :warning: | `properties` | properties/more.py: bytes changed; in ba1dea3a5e \(Ada\), not before patch commit 825f7234a2 |
    | added | `oracle` | bal-03: added, spec/accounts.md\#&#8203;no-overdraft; in 48a782efc1 \(Bob\), before every patch commit |

    Unchanged: 0 oracle rows, 0 freezes, 1 fixture file, 1 property file, 39 settings.

    Recompute: `git reins diff 66a8ed4c15..ba1dea3a5e`
    --- exit 0
    "#);
}

#[test]
fn nothing_is_said_in_three_lines() {
    let story = Story::landed();
    story.patch("one");
    insta::assert_snapshot!(story.refuses(0, &["diff", "--exit-code"]), @r#"
    nothing changed in meaning
      2eac14cc56..b950d0c993 with 1 patch commit
    = unchanged 2 oracle rows, 0 freezes, 1 fixture file, 2 property files, 40
        settings
    recompute: git reins diff 2eac14cc56..b950d0c993
    --- exit 0
    "#);
    insta::assert_snapshot!(story.refuses(0, &["diff", "--format", "markdown"]), @r#"
    ### Ledger changes

    nothing changed in meaning

    `2eac14cc56..b950d0c993 with 1 patch commit`


    Unchanged: 2 oracle rows, 0 freezes, 1 fixture file, 2 property files, 40 settings.

    Recompute: `git reins diff 2eac14cc56..b950d0c993`
    --- exit 0
    "#);
}

#[test]
fn json_is_as_its_schema_says() {
    let run = told().refuses(1, &["diff", "--exit-code", "--json"]);
    assert_eq!(follows(&run.stdout)["schema"], "git-reins/diff/1");
}

#[test]
fn what_people_write_has_no_effect_in_any_form() {
    let story = Story::landed();
    let path = "properties/a|b <c> @d `e`.py";
    story.write(path, "x\n");
    let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
    ledgers.oracles[0] = story.row_over("bal-01", path);
    ledgers.oracles[1]["relation"] =
        json!("| </td><script>x</script> @ada [a](http://b.c) ![i](x)");
    ledgers.freezes = vec![story.freeze("bal-01", "2026-12-10")];
    ledgers.freezes[0]["owner"] = json!("<!-- git-reins --> @ada |");
    story.put(&ledgers);
    story.git(&["add", "-A"]);
    let author = "\u{1b}[2J\u{202e}@ada | `x` **b** <hidden@example.org>";
    story.git(&["commit", "-q", "-m", "hostile", "--author", author]);
    let hidden = |text: &str| {
        text.chars()
            .any(|c| c != '\n' && git_reins::model::path::is_hidden(c))
    };
    for form in [
        &["diff"][..],
        &["diff", "--json"],
        &["diff", "--format", "markdown"],
    ] {
        let run = story.refuses(0, form);
        assert!(!hidden(&run.stdout), "{run}");
        assert!(run.stdout.contains("bal-01 0x9c1e"), "{run}");
    }
    let marked = story.refuses(0, &["diff", "--format", "markdown"]).stdout;
    let tags = ["<br>", "<del>", "</del>", "<ins>", "</ins>"];
    let bare = tags
        .iter()
        .fold(marked.clone(), |text, tag| text.replace(tag, ""));
    assert!(
        !bare.contains('<') && !bare.contains("@ada") && !bare.contains("]("),
        "{marked}"
    );
}
