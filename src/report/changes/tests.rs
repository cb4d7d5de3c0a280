//! Tests that a text from outside keeps to its place in every form.

use proptest::prelude::*;

use super::*;
use crate::model::change::CHANGES_SCHEMA;
use crate::model::ids::CommitId;
use crate::model::path::is_hidden;
use crate::report::json;

fn id(digit: char) -> CommitId {
    digit.to_string().repeat(40).parse().unwrap()
}

/// One change in which every text is the given one.
fn changes(text: &str, count: usize) -> Changes {
    let some = || Some(text.to_owned());
    let change = Change {
        cleared_by: some(),
        days: Some(92),
        extension: Some(3),
        order: Some(Order::NotBeforePatch),
        patch_commit: Some(id('b')),
        made_by: vec![Maker {
            commit: id('c'),
            author: text.to_owned(),
        }],
        ..Change::new(Area::Oracle, text, Kind::Changed, Reason::SeesDiffCleared).field(text)
    };
    let words = vec![
        Piece {
            side: Side::Both,
            text: text.to_owned(),
        },
        Piece {
            side: Side::Before,
            text: text.to_owned(),
        },
        Piece {
            side: Side::After,
            text: text.to_owned(),
        },
    ];
    let edited = Change {
        words,
        ..change.clone()
    };
    let stated = change.states(some(), Some(format!("{text} ")));
    Changes {
        schema: CHANGES_SCHEMA,
        bases: vec![id('a')],
        tip: id('d'),
        patch_commits: vec![id('b')],
        weakened: 2 * count,
        changes: std::iter::repeat_n([stated, edited], count)
            .flatten()
            .collect(),
        unchanged: Unchanged::default(),
        notes: vec![format!("a note {text}")],
    }
}

fn hostile() -> impl Strategy<Value = String> {
    let parts = [
        "\u{1b}[2J",
        "\u{202e}",
        "\u{2066}",
        "\n",
        "\r\n",
        "\0",
        "\u{feff}",
        "|",
        "`",
        "```",
        "@ada",
        "#12",
        "<script>",
        "</del>",
        "<!-- git-reins",
        "-->",
        "![x](http://x.y/z)",
        "[a](b)",
        "\\",
        "**",
        "~~",
        ":tada:",
        "$x$",
        "&amp;",
        "www.x.y",
        "# h",
        "- x",
        "1. x",
        "    ",
        "\t",
        "ä",
        "{+",
        "-]",
        "note: ",
        "= unchanged ",
        " ::stop-commands::x ",
        "::error::x",
        "##[error]x",
        "##vso[task]x",
    ];
    proptest::collection::vec(proptest::sample::select(parts.to_vec()), 0..12)
        .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_text_has_an_effect(text in hostile()) {
        let changes = changes(&text, 1);
        let said = super::text(&changes);
        prop_assert!(said.chars().all(|c| c == '\n' || !is_hidden(c)), "{}", said);
        // as many lines begin without an indent as there are lines of ours
        let ours = said.lines().filter(|line| !line.starts_with(' ')).count();
        prop_assert_eq!(ours, 7, "{}", said);

        prop_assert!(!said.lines().any(|line| line.trim_start().starts_with("::")), "{}", said);
        prop_assert!(!said.contains("##[") && !said.contains("##vso["), "{}", said);

        let marked = markdown(&changes);
        prop_assert!(marked.chars().all(|c| c == '\n' || !is_hidden(c)), "{}", marked);
        prop_assert_eq!(marked.lines().filter(|line| line.starts_with('|')).count(), 4, "{}", marked);
        for row in marked.lines().filter(|line| line.starts_with("| :warning:")) {
            let bare = row.replace("\\\\", "").replace("\\|", "");
            prop_assert_eq!(bare.matches('|').count(), 4, "{}", row);
        }
        let ours = ["<br>", "<del>", "</del>", "<ins>", "</ins>"];
        let bare = ours.iter().fold(marked.clone(), |text, tag| text.replace(tag, ""));
        prop_assert!(!bare.contains('<'), "{}", marked);
        prop_assert!(!marked.contains("@ada") && !marked.contains("<!--"), "{}", marked);
        prop_assert_eq!(marked.matches("<del>").count(), marked.matches("</del>").count());

        let written = json::print(&changes);
        prop_assert!(written.chars().all(|c| c == '\n' || !is_hidden(c)), "{}", written);
        let read: serde_json::Value = serde_json::from_str(&written).unwrap();
        prop_assert_eq!(read["changes"][0]["row"].as_str(), Some(text.as_str()));
    }
}

#[test]
fn long_texts_and_many_changes_stay_within_bounds() {
    for unit in ["x", "x ", "@|<", "\u{1b}"] {
        let long = unit.repeat(100_000 / unit.len());
        let one = super::text(&changes(&long, 1));
        assert!(one.len() < 20_000, "{} bytes of text", one.len());
        let marked = markdown(&changes(&long, 100));
        assert!(
            marked.chars().count() <= COMMENT,
            "{} characters",
            marked.chars().count()
        );
        assert!(
            marked.contains(" more: `git reins diff` shows all of them."),
            "{unit}"
        );
    }
}

#[test]
fn a_long_change_leaves_room_for_the_others() {
    let long = changes(&"@ada ".repeat(20_000), 1);
    let short = changes("short", 1);
    let told = table(&[long.changes.clone(), short.changes].concat(), 8_000);
    assert!(
        told.contains("short sees\\_diff") || told.contains("short short: sees\\_diff cleared"),
        "{told}"
    );
    assert!(!told.contains(" more: "), "{told}");
}

#[test]
fn states_that_differ_read_differently() {
    let digest = "0".repeat(63);
    let image = |last: &str| format!("oci-digest:sha256:{digest}{last}");
    assert_eq!(
        apart(&image("a"), &image("b")),
        format!("{} -> {}", image("a"), image("b"))
    );
    let other = "f".repeat(64);
    assert_eq!(
        apart(&format!("p {digest}a"), &format!("p {other}")),
        "p 0000000000.. -> p ffffffffff.."
    );
    assert!(
        apart(&("x".repeat(300) + "a"), &("x".repeat(300) + "b"))
            .ends_with("(they differ further on)")
    );
    assert_eq!(
        [1, 2, 3, 4, 11, 12, 13, 21, 102, 111]
            .map(ordinal)
            .join(" "),
        "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th"
    );
}
