//! Tests of merging from conflict markers, against a three-way merge of maps.

use proptest::prelude::*;

use super::*;
use std::collections::BTreeMap;

use crate::ledger::field::Field;
use crate::ledger::file::print;
use crate::ledger::fixture::FixtureLedger;
use crate::ledger::freeze::{FreezeLedger, FreezeRow};
use crate::ledger::oracle::{OracleLedger, OracleRow};

fn merge_sides<L: Mergeable>(
    base: Option<&str>,
    ours: &str,
    theirs: &str,
) -> Result<L, ConflictFault> {
    match merge(base, ours, theirs)? {
        Merged::Whole(ledger) => Ok(ledger),
        Merged::Contested(contest) => Err(ConflictFault::contested(L::NAME, contest.names())),
    }
}

type Model = BTreeMap<String, u8>;

/// One row on a line, so that no conflict cuts through a row.
fn oracles(rows: &Model) -> String {
    let row = |(id, version): (&String, &u8)| {
        format!(
            "{{\"oracle_id\": \"{id}\", \"source\": \"issue:1\", \"property\": \"p{version}\"}}"
        )
    };
    let rows: Vec<_> = rows.iter().map(row).collect();
    format!(
        "{{\"schema\": \"git-reins/oracle/1\", \"oracles\": [\n{}\n]}}\n",
        rows.join(",\n")
    )
}

fn model(ledger: &OracleLedger) -> Model {
    let version = |row: &OracleRow| row.property[1..].parse().unwrap();
    ledger
        .oracles
        .iter()
        .map(|row| (row.oracle_id.clone(), version(row)))
        .collect()
}

/// Lays the lines that the texts do not share between markers, as git does.
fn conflict(ours: &str, theirs: &str, base: Option<&str>) -> String {
    let texts: Vec<Vec<_>> = [Some(ours), Some(theirs), base]
        .into_iter()
        .flatten()
        .map(|text| text.split_inclusive('\n').collect())
        .collect();
    let shortest = texts.iter().map(Vec::len).min().unwrap();
    let same =
        |at: &dyn Fn(&Vec<&str>) -> String| texts.iter().all(|text| at(text) == at(&texts[0]));
    let head = (0..shortest)
        .take_while(|n| same(&|text| text[*n].to_owned()))
        .count();
    let tail = (0..shortest - head)
        .take_while(|n| same(&|text| text[text.len() - 1 - n].to_owned()))
        .count();
    let middle = |text: &Vec<&str>| text[head..text.len() - tail].concat();
    let section = texts.get(2).map_or(String::new(), |base| {
        format!("||||||| base\n{}", middle(base))
    });
    format!(
        "{}<<<<<<< HEAD\n{}{section}=======\n{}>>>>>>> topic\n{}",
        texts[0][..head].concat(),
        middle(&texts[0]),
        middle(&texts[1]),
        texts[0][texts[0].len() - tail..].concat(),
    )
}

/// The merge said as edits: each side is a set of edits to base, and two edits of one row agree.
fn expected(base: &Model, ours: &Model, theirs: &Model) -> Result<Model, Vec<String>> {
    let edits = |side: &Model| -> BTreeMap<String, Option<u8>> {
        let changed = side
            .iter()
            .filter(|(id, version)| base.get(*id) != Some(version));
        let removed = base.keys().filter(|id| !side.contains_key(*id));
        changed
            .map(|(id, version)| (id.clone(), Some(*version)))
            .chain(removed.map(|id| (id.clone(), None)))
            .collect()
    };
    let (our_edits, their_edits) = (edits(ours), edits(theirs));
    let is_contested = |(id, edit): &(&String, &Option<u8>)| {
        their_edits.get(*id).is_some_and(|other| other != *edit)
    };
    let contested: Vec<_> = our_edits
        .iter()
        .filter(is_contested)
        .map(|(id, _)| id.clone())
        .collect();
    if !contested.is_empty() {
        return Err(contested);
    }
    let mut merged = base.clone();
    for (id, edit) in our_edits.into_iter().chain(their_edits) {
        match edit {
            Some(version) => merged.insert(id, version),
            None => merged.remove(&id),
        };
    }
    Ok(merged)
}

fn models() -> impl Strategy<Value = Model> {
    prop::collection::btree_map("[a-f]", 0..3u8, 0..6)
}

/// A model that shares most of its rows with `base`, as two branches do.
fn edited(base: Model) -> impl Strategy<Value = Model> {
    prop::collection::vec(("[a-f]", prop::option::of(0..3u8)), 0..3).prop_map(move |edits| {
        let mut side = base.clone();
        for (id, edit) in edits {
            match edit {
                Some(version) => side.insert(id, version),
                None => side.remove(&id),
            };
        }
        side
    })
}

fn three_way() -> impl Strategy<Value = (Model, Model, Model)> {
    models().prop_flat_map(|base| (Just(base.clone()), edited(base.clone()), edited(base)))
}

fn known(merged: Result<OracleLedger, ConflictFault>) -> Result<Model, Vec<String>> {
    match merged {
        Ok(ledger) => Ok(model(&ledger)),
        Err(ConflictFault::Rows { rows }) => Err(rows),
        Err(other) => panic!("{other}"),
    }
}

fn resolved(text: &str, base: Option<&str>) -> Result<Model, Vec<String>> {
    known(resolve(text, base))
}

proptest! {
    #[test]
    fn rows_merge_as_a_three_way_map((base, ours, theirs) in three_way()) {
        let wanted = expected(&base, &ours, &theirs);
        let (base, ours, theirs) = (oracles(&base), oracles(&ours), oracles(&theirs));
        prop_assert_eq!(known(merge_sides(Some(&base), &ours, &theirs)), wanted.clone());
        let with_sections = conflict(&ours, &theirs, Some(&base));
        prop_assert_eq!(resolved(&with_sections, None), wanted.clone());
        prop_assert_eq!(resolved(&with_sections.replace('\n', "\r\n"), None), wanted.clone());
        prop_assert_eq!(resolved(&conflict(&ours, &theirs, None), Some(&base)), wanted);
    }

    #[test]
    fn without_a_base_rows_of_either_side_are_kept((_, ours, theirs) in three_way()) {
        let wanted = expected(&Model::new(), &ours, &theirs);
        let (ours, theirs) = (oracles(&ours), oracles(&theirs));
        prop_assert_eq!(known(merge_sides(None, &ours, &theirs)), wanted.clone());
        prop_assert_eq!(resolved(&conflict(&ours, &theirs, None), None), wanted);
    }

    #[test]
    fn markers_in_any_order_never_panic(
        lines in prop::collection::vec("(<<<<<<< a|\\|\\|\\|\\|\\|\\|\\||=======|>>>>>>> b|\\{|\\}|x)\r?\n", 0..8)
    ) {
        let _ = resolve::<OracleLedger>(&lines.concat(), None).map_err(|fault| fault.to_string());
    }
}

/// What `git merge-file` makes of base [m], ours [b, m] and theirs [c]: `"p2"` is c's, not m's.
#[test]
fn a_conflict_that_cuts_through_a_row_is_refused() {
    let text = "{\"schema\": \"git-reins/oracle/1\", \"oracles\": [{\n\
                <<<<<<< HEAD\n\"oracle_id\": \"b\",\n\"source\": \"issue:1\",\n\"property\": \"p1\"\n},\n{\n\"oracle_id\": \"m\",\n\
                =======\n\"oracle_id\": \"c\",\n>>>>>>> topic\n\
                \"source\": \"issue:1\",\n\"property\": \"p2\"\n}]}\n";
    assert_eq!(
        resolve::<OracleLedger>(text, None),
        Err(ConflictFault::Torn { line: 2 })
    );
    let files = "{\"schema\": \"git-reins/oracle/1\", \"oracles\": [{\"oracle_id\": \"a\", \"source\": \"issue:1\", \"property\": \"p\",\n\
                 \"property_files\": [\n<<<<<<< HEAD\n=======\n{\"path\": \"a\", \"sha256\": \"b\"}\n>>>>>>> topic\n]}]}\n";
    assert_eq!(
        resolve::<OracleLedger>(files, None),
        Err(ConflictFault::Torn { line: 3 })
    );
    let version = |rows: &[(&str, u8)]| {
        oracles(
            &rows
                .iter()
                .map(|(id, version)| ((*id).to_owned(), *version))
                .collect(),
        )
    };
    let (base, ours, theirs) = (
        version(&[("m", 1)]),
        version(&[("b", 1), ("m", 1)]),
        version(&[("c", 2)]),
    );
    let merged = known(merge_sides(Some(&base), &ours, &theirs));
    assert_eq!(merged, Ok(Model::from([("b".into(), 1), ("c".into(), 2)])));
}

fn freezes(rows: &str) -> String {
    format!("{{\"schema\": \"git-reins/freezes/1\", \"freezes\": [\n{rows}\n]}}\n")
}

fn fault<L: Mergeable>(text: &str) -> String {
    resolve::<L>(text, None)
        .map(|_| ())
        .unwrap_err()
        .to_string()
}

#[test]
fn several_conflicts_in_one_file_are_resolved() {
    let text = freezes(
        "<<<<<<< HEAD\n{\"property_id\": \"a\", \"seed\": \"1\"},\n=======\n{\"property_id\": \"a\", \"seed\": \"2\"},\n>>>>>>> topic\n\
         {\"property_id\": \"b\", \"seed\": \"1\"},\n\
         <<<<<<< HEAD\n{\"property_id\": \"c\", \"seed\": \"1\"}\n=======\n{\"property_id\": \"d\", \"seed\": \"1\"}\n>>>>>>> topic",
    );
    let ledger: FreezeLedger = resolve(&text, None).unwrap();
    let keys: Vec<_> = ledger.freezes.iter().map(FreezeRow::key).collect();
    assert_eq!(
        keys,
        [("a", "1"), ("a", "2"), ("b", "1"), ("c", "1"), ("d", "1")]
    );
}

#[test]
fn a_text_without_markers_is_read() {
    let text = freezes("{\"property_id\": \"a\", \"seed\": \"1\"}");
    assert_eq!(
        resolve::<FreezeLedger>(&text, None).unwrap().freezes.len(),
        1
    );
}

#[test]
fn what_is_not_plain_is_left_to_a_person() {
    let rows = "<<<<<<< HEAD\n{\"property_id\": \"a\", \"seed\": \"1\", \"owner\": \"x\"}\n=======\n{\"property_id\": \"a\", \"seed\": \"1\", \"owner\": \"y\"}\n>>>>>>> topic";
    assert_eq!(
        fault::<FreezeLedger>(&freezes(rows)),
        "both sides changed a 1, each in its own way: keep one of the two by hand"
    );
    let comma = "{\"property_id\": \"a\"}\n<<<<<<< HEAD\n,{\"property_id\": \"b\"}\n=======\n{\"property_id\": \"c\"}\n>>>>>>> topic";
    assert_eq!(
        fault::<FreezeLedger>(&freezes(comma)),
        "their side is no valid ledger: line 3: read '{' at column 1, expected ',' or ']'"
    );
    let nameless = "<<<<<<< HEAD\n{\"owner\": \"x\"},{\"owner\": \"y\"}\n=======\n{\"owner\": \"z\"}\n>>>>>>> topic";
    assert_eq!(
        fault::<FreezeLedger>(&freezes(nameless)),
        "our side has two rows named '', expected property_id and seed in each"
    );
    let folded = conflict(
        &oracles(&Model::from([("A".into(), 1)])),
        &oracles(&Model::from([("a".into(), 1)])),
        None,
    );
    assert_eq!(
        fault::<OracleLedger>(&folded),
        "both sides changed A, each in its own way: keep one of the two by hand"
    );
}

#[test]
fn markers_out_of_order_are_refused() {
    for (text, expected) in [
        (
            "x\n=======\n",
            "line 2: conflict markers out of order, read '=======', expected '<<<<<<<'",
        ),
        (
            "<<<<<<< a\n>>>>>>> b\n",
            "line 2: conflict markers out of order, read '>>>>>>>', expected '|||||||' or '======='",
        ),
        (
            "<<<<<<< a\n<<<<<<< a\n",
            "line 2: conflict markers out of order, read '<<<<<<<', expected '|||||||' or '======='",
        ),
        (
            "<<<<<<< a\n=======\r\n",
            "line 2: conflict markers out of order, read the end of the file, expected '>>>>>>>'",
        ),
    ] {
        assert_eq!(fault::<OracleLedger>(text), expected);
    }
}

#[test]
fn a_file_that_both_sides_added_has_no_base() {
    let (ours, theirs) = (
        oracles(&Model::from([("a".into(), 1)])),
        oracles(&Model::from([("b".into(), 1)])),
    );
    let text = format!("<<<<<<< HEAD\n{ours}||||||| empty tree\n=======\n{theirs}>>>>>>> topic\n");
    assert_eq!(
        resolved(&text, None),
        Ok(Model::from([("a".into(), 1), ("b".into(), 1)]))
    );
    let nested = text.replace("empty tree\n", "base\n<<<<<<<<< nested\n");
    assert!(fault::<OracleLedger>(&nested).starts_with("the common base is no valid ledger"));
}

#[test]
fn a_fixture_is_taken_from_the_one_side_that_pinned_it() {
    let pinned = |epoch: &str| {
        let bare = r#"{"schema": "git-reins/fixture/1", "files": []}"#;
        let epoch_id = Some(Field::Value(epoch.to_owned()));
        print(&FixtureLedger {
            epoch_id,
            ..serde_json::from_str(bare).unwrap()
        })
    };
    let (old, new, other) = (pinned("1"), pinned("2"), pinned("3"));
    let merged = |base, ours, theirs| {
        merge_sides::<FixtureLedger>(base, ours, theirs).map(|ledger| print(&ledger))
    };
    assert_eq!(merged(Some(&old), &old, &new), Ok(new.clone()));
    assert_eq!(merged(Some(&old), &new, &old), Ok(new.clone()));
    assert_eq!(merged(None, &new, &new), Ok(new.clone()));
    assert_eq!(
        merged(Some(&old), &new, &other),
        Err(ConflictFault::Fixture)
    );
    assert_eq!(merged(None, &old, &new), Err(ConflictFault::Fixture));
    let text = conflict(&old, &new, Some(&old));
    assert!(matches!(
        resolve::<FixtureLedger>(&text, None),
        Err(ConflictFault::Torn { .. })
    ));
    let whole = format!("<<<<<<< HEAD\n{old}||||||| base\n{old}=======\n{new}>>>>>>> topic\n");
    assert_eq!(
        resolve::<FixtureLedger>(&whole, None).map(|ledger| print(&ledger)),
        Ok(new)
    );
}
