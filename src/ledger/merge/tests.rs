//! Tests of the merge: a fixture merges as a whole, each kept side is a ledger.

use proptest::prelude::*;

use super::*;
use crate::ledger::field::Field;

type Rows = BTreeMap<u8, u8>;

fn freezes(rows: &Rows) -> String {
    let row = |(key, version): (&u8, &u8)| {
        format!("{{\"property_id\": \"p{key}\", \"seed\": \"{key}\", \"owner\": \"o{version}\"}}")
    };
    let rows: Vec<_> = rows.iter().map(row).collect();
    format!(
        "{{\"schema\": \"git-reins/freezes/1\", \"freezes\": [{}]}}",
        rows.join(",")
    )
}

fn rows(ledger: &FreezeLedger) -> Rows {
    let number = |text: &str| text[1..].parse().unwrap();
    let owner = |row: &FreezeRow| number(row.owner.as_ref().unwrap().value().unwrap());
    ledger
        .freezes
        .iter()
        .map(|row| (number(row.key().0), owner(row)))
        .collect()
}

/// What is left when one side is kept between all markers.
fn kept(text: &str, sign: &str) -> String {
    let (mut out, mut section) = (String::new(), None);
    for line in text.split_inclusive('\n') {
        match ["<<<<<<<", "|||||||", "=======", ">>>>>>>"]
            .into_iter()
            .find(|sign| line.starts_with(sign))
        {
            Some(">>>>>>>") => section = None,
            Some(marker) => section = Some(marker),
            None if section.is_none_or(|marker| marker == sign) => out.push_str(line),
            None => {}
        }
    }
    out
}

fn side() -> impl Strategy<Value = Rows> {
    prop::collection::btree_map(0..6u8, 0..3u8, 0..6)
}

proptest! {
    #[test]
    fn whichever_side_is_kept_a_ledger_is_left(
        (base, ours, theirs) in (side(), side(), side()), with_base: bool
    ) {
        let merged = merge::<FreezeLedger>(Some(&freezes(&base)), &freezes(&ours), &freezes(&theirs)).unwrap();
        let Merged::Contested(contest) = merged else { return Ok(()) };
        let marks =
            Marks { size: 7, ours: "HEAD", base: with_base.then_some("base"), theirs: "topic" };
        let text = contest.text(&marks);
        prop_assert_eq!(open_rows(&text).unwrap().join(", "), contest.names().join(", "));
        for (sign, side, other) in [("<<<<<<<", &ours, &theirs), ("=======", &theirs, &ours)] {
            // each key as the kept side has it where both changed it, else by the side that did
            let wanted: Rows = (0..6)
                .filter_map(|key| {
                    let (before, own, other) = (base.get(&key), side.get(&key), other.get(&key));
                    Some((key, *if own == before { other } else { own }?))
                })
                .collect();
            let kept = kept(&text, sign);
            let ledger: FreezeLedger = parse(kept.as_bytes()).map_err(|fault| TestCaseError::fail(format!("{fault}\n{kept}")))?;
            prop_assert_eq!(rows(&ledger), wanted);
        }
        if with_base {
            prop_assert!(parse::<FreezeLedger>(kept(&text, "|||||||").as_bytes()).is_ok(), "{}", text);
        }
    }
}

#[test]
fn markers_stand_around_one_row_and_name_it() {
    let side = |one, two| freezes(&Rows::from([(1, one), (2, two), (3, 0)]));
    let Ok(Merged::Contested(contest)) =
        merge::<FreezeLedger>(Some(&side(0, 0)), &side(1, 0), &side(2, 1))
    else {
        panic!("row 1 is contested");
    };
    let text = contest.text(&Marks {
        size: 9,
        ours: "HEAD",
        base: Some("abc"),
        theirs: "to\u{1b}pic",
    });
    let inner = text
        .split_once("[\n")
        .unwrap()
        .1
        .split_once("    {\n      \"property_id\": \"p2\"")
        .unwrap()
        .0;
    let row = |owner| {
        format!(
            "    {{\n      \"property_id\": \"p1\",\n      \"seed\": \"1\",\n      \"owner\": \"o{owner}\"\n    }},\n"
        )
    };
    let wanted = format!(
        "<<<<<<<<< HEAD (reins: p1 1)\n{}||||||||| abc\n{}=========\n{}>>>>>>>>> to\\u{{1b}}pic\n",
        row(1),
        row(0),
        row(2)
    );
    assert_eq!(inner, wanted);
    assert!(
        text.contains("\"owner\": \"o1\"\n    },\n    {\n      \"property_id\": \"p3\""),
        "{text}"
    );
}

#[test]
fn only_the_markers_of_a_merge_by_row_say_what_is_open() {
    assert_eq!(open_rows("x\n"), None);
    assert_eq!(open_rows("<<<<<<< HEAD\n"), None);
    assert_eq!(open_rows("<<<<<<< HEAD (reins: a)\n<<<<<<< HEAD\n"), None);
    assert_eq!(
        open_rows("<<<<<<< HEAD (reins: a)\r\n"),
        Some(vec!["a".to_owned()])
    );
}

fn snapshot(epoch: &str, files: &[(&str, u8)], risk: &[&str]) -> String {
    let bare = r#"{"schema": "git-reins/fixture/1", "files": []}"#;
    let file = |(path, version): &(&str, u8)| FixtureFile {
        path: (*path).to_owned(),
        sha256: format!("{version:064x}"),
        size: 1,
    };
    let mut ledger: FixtureLedger = serde_json::from_str(bare).unwrap();
    ledger.files = files.iter().map(file).collect();
    ledger.residual_risk = risk.iter().map(|text| (*text).to_owned()).collect();
    ledger.epoch_id = Some(Field::Value(epoch.to_owned()));
    ledger.digest_sha256 = Some(Field::Value(ledger.listed_digest()));
    print(&ledger)
}

fn merged(base: &str, ours: &str, theirs: &str) -> Result<String, Vec<String>> {
    match merge::<FixtureLedger>(Some(base), ours, theirs).unwrap() {
        Merged::Whole(ledger) => Ok(print(&ledger)),
        Merged::Contested(contest) => Err(contest.names()),
    }
}

#[test]
fn a_snapshot_comes_out_whole_or_contested() {
    let old = snapshot("1", &[("a", 1), ("b", 1)], &[]);
    let noted = snapshot("1", &[("a", 1), ("b", 1)], &["clock"]);
    let pinned = snapshot("2", &[("a", 2), ("b", 1)], &[]);
    let other = snapshot("2", &[("a", 1), ("b", 2)], &[]);
    assert_eq!(
        merged(&old, &noted, &pinned),
        Ok(snapshot("2", &[("a", 2), ("b", 1)], &["clock"]))
    );
    assert_eq!(
        merged(&old, &pinned, &other),
        Err(vec!["the snapshot".to_owned()])
    );
    let (stale, fresh) = (pinned.replace("\"size\": 1", "\"size\": 2"), other.clone());
    assert!(
        merged(&old, &stale, &fresh)
            .unwrap_err()
            .contains(&"the snapshot".to_owned())
    );
}

#[test]
fn files_of_two_snapshots_are_never_mixed_under_one_digest() {
    let listed = |files: &[(&str, u8)]| {
        let digest = snapshot("1", &[("a", 1)], &[]);
        let digest = digest
            .lines()
            .find(|line| line.contains("digest"))
            .unwrap()
            .to_owned();
        let text = snapshot("1", files, &[]);
        let own = text
            .lines()
            .find(|line| line.contains("digest"))
            .unwrap()
            .to_owned();
        text.replace(&own, &digest)
    };
    let (base, ours, theirs) = (
        listed(&[("a", 1)]),
        listed(&[("a", 1), ("b", 1)]),
        listed(&[("a", 1), ("c", 1)]),
    );
    assert_eq!(
        merged(&base, &ours, &theirs),
        Err(vec!["b".to_owned(), "c".to_owned()])
    );
    assert_eq!(merged(&base, &ours, &base), Ok(ours));
}
