//! What do `git merge`, `rebase` and `cherry-pick` make of two branches, with the program there,
//! gone and broken?

use insta::assert_snapshot;

use super::programs::{BROKEN, git_in, git_on, with_other, with_ours};
use crate::story::in_parallel;
use crate::support::{Repo, Run, add_row};

/// How the branches come together.
const WAYS: [&[&str]; 3] = [
    &["merge", "-q", "theirs"],
    &["rebase", "-q", "theirs"],
    &["cherry-pick", "theirs"],
];

/// `main` and `theirs` each add their first row.
fn first_rows() -> Repo {
    let repo = Repo::under_reins();
    let _ = repo
        .reins(&["setup", "--textconv", "--merge-driver"])
        .expect(0);
    repo.git(&["switch", "-q", "-c", "theirs"]);
    let _ = add_row(&repo, "theirs-01").expect(0);
    repo.commit("theirs");
    repo.git(&["switch", "-q", "main"]);
    let _ = add_row(&repo, "ours-01").expect(0);
    repo.commit("ours");
    repo
}

/// Both branches edit the row `both`, and each adds one of its own.
fn same_row() -> Repo {
    let repo = Repo::under_reins();
    let _ = repo.reins(&["setup", "--merge-driver"]).expect(0);
    let _ = add_row(&repo, "both").expect(0);
    repo.commit("both");
    for (branch, relation) in [("theirs", "balance > 1"), ("main", "balance > 2")] {
        repo.git(
            &["switch", "-q", if branch == "main" { "main" } else { "-c" }]
                .into_iter()
                .chain((branch != "main").then_some(branch))
                .collect::<Vec<_>>(),
        );
        let _ = repo
            .reins(&["oracle", "edit", "both", "--relation", relation])
            .expect(0);
        let _ = add_row(&repo, branch).expect(0);
        repo.commit(branch);
    }
    repo
}

fn is_canonical(repo: &Repo) {
    let _ = repo.reins(&["fmt", "--check"]).expect(0);
}

fn is_unmerged(repo: &Repo) -> bool {
    !repo.git(&["ls-files", "--unmerged"]).is_empty()
}

#[test]
fn two_branches_add_their_first_row() {
    let _ = in_parallel(&WAYS, |way| {
        let repo = first_rows();
        let _ = git_on(&repo, &with_ours(), way).expect(0);
        is_canonical(&repo);
        let listed = repo.reins(&["oracle", "list"]).expect(0).stdout;
        assert!(
            listed.contains("ours-01") && listed.contains("theirs-01"),
            "{way:?}: {listed}"
        );
    });
}

#[test]
fn without_our_program_git_merges_as_text_and_nothing_is_lost() {
    let cases: Vec<_> = BROKEN
        .iter()
        .flat_map(|one| WAYS.iter().map(move |way| (one, way)))
        .collect();
    let _ = in_parallel(&cases, |((name, program), way)| {
        let repo = first_rows();
        let path = with_other(&repo, *program);
        let run = git_on(&repo, &path, way);
        assert_ne!(run.code, Some(0), "{name}, {way:?}: {run}");
        let text = repo.read("ledger/oracle.json");
        assert!(is_unmerged(&repo), "{name}, {way:?}: {run}");
        for part in ["<<<<<<< ", "=======\n", ">>>>>>> ", "ours-01", "theirs-01"] {
            assert!(text.contains(part), "{name}, {way:?}: {part} in {text}");
        }
        assert!(
            !text.contains("garbage") && !text.contains("half"),
            "{name}, {way:?}: {text}"
        );
        let _ = git_on(&repo, &path, &["diff"]).expect(0);
        let _ = repo.reins(&["fmt", "--resolve"]).expect(0);
        let listed = repo.reins(&["oracle", "list"]).expect(0).stdout;
        assert!(
            listed.contains("ours-01") && listed.contains("theirs-01"),
            "{name}, {way:?}: {listed}"
        );
    });
}

#[test]
fn the_same_row_is_a_conflict_and_everything_else_is_not() {
    let _ = in_parallel(&WAYS, |way| {
        let repo = same_row();
        let run = git_on(&repo, &with_ours(), way).expect(1);
        let words = "ledger/oracle.json: both sides changed both, each in its own way: keep one of the two by hand";
        assert!(run.stderr.contains(words), "{way:?}: {run}");
        assert!(is_unmerged(&repo));
        let text = repo.read("ledger/oracle.json");
        assert_eq!(text.matches("<<<<<<< ").count(), 1, "{text}");
        assert!(text.contains("(reins: both)\n    {\n"), "{text}");
        let (before, after) = (
            text.split("<<<<<<<").next().unwrap(),
            text.split(">>>>>>>").nth(1).unwrap(),
        );
        assert!(
            !before.contains("balance >")
                && after.contains("\"main\"")
                && after.contains("\"theirs\""),
            "{text}"
        );
        // a person keeps one side; the markers were all that was wrong
        let chosen = text
            .split_inclusive('\n')
            .fold((String::new(), true), |(out, keep), line| {
                match line.get(..4) {
                    Some("<<<<") | Some(">>>>") => (out, true),
                    Some("====") => (out, false),
                    _ if keep => (out + line, keep),
                    _ => (out, keep),
                }
            });
        repo.write("ledger/oracle.json", &chosen.0);
        is_canonical(&repo);
    });
}

#[test]
fn the_base_is_shown_where_conflicts_show_it() {
    let repo = same_row();
    repo.git(&["config", "merge.conflictStyle", "zdiff3"]);
    let _ = git_on(&repo, &with_ours(), &["merge", "-q", "theirs"]).expect(1);
    let text = repo.read("ledger/oracle.json");
    let base = text
        .split("\n||||||| ")
        .nth(1)
        .unwrap()
        .split("\n=======\n")
        .next()
        .unwrap();
    assert!(base.contains("\"relation\": \"balance >= 0\""), "{text}");
}

#[test]
fn the_size_of_the_markers_is_what_the_attributes_say() {
    let repo = same_row();
    repo.write(".gitattributes", "*.json conflict-marker-size=11\n");
    let _ = git_on(&repo, &with_ours(), &["merge", "-q", "theirs"]).expect(1);
    assert!(
        repo.read("ledger/oracle.json")
            .contains("\n<<<<<<<<<<< HEAD (reins: both)\n")
    );
}

#[test]
fn a_merge_from_a_directory_below_is_the_same() {
    let repo = first_rows();
    let _ = git_in(
        &repo,
        &with_ours(),
        &repo.path("src"),
        &["merge", "-q", "theirs"],
    )
    .expect(0);
    is_canonical(&repo);
}

#[test]
fn a_merge_without_a_worktree_is_the_same() {
    let repo = first_rows();
    let tree = git_on(
        &repo,
        &with_ours(),
        &["merge-tree", "--write-tree", "main", "theirs"],
    )
    .expect(0)
    .stdout;
    let text = repo.git(&[
        "cat-file",
        "blob",
        &format!("{}:ledger/oracle.json", tree.trim_end()),
    ]);
    assert!(
        text.contains("ours-01") && text.contains("theirs-01"),
        "{text}"
    );
}

/// Rows that both sides took from each other before are no conflict the next time.
#[test]
fn a_criss_cross_is_merged_over_a_merged_base() {
    let repo = first_rows();
    let path = with_ours();
    repo.git(&["branch", "other", "theirs"]);
    let _ = git_on(&repo, &path, &["merge", "-q", "theirs"]).expect(0);
    repo.git(&["switch", "-q", "other"]);
    let _ = git_on(&repo, &path, &["merge", "-q", "main^"]).expect(0);
    let _ = repo.reins(&["oracle", "rm", "ours-01"]).expect(0);
    repo.commit("gone");
    repo.git(&["switch", "-q", "main"]);
    let _ = add_row(&repo, "more-01").expect(0);
    repo.commit("more");
    let _ = git_on(&repo, &path, &["merge", "-q", "other"]).expect(0);
    let listed = repo.reins(&["oracle", "list"]).expect(0).stdout;
    assert!(
        !listed.contains("ours-01") && listed.contains("more-01"),
        "{listed}"
    );
    is_canonical(&repo);
}

/// Writes the ledger of two branches and merges them.
fn written(base: Option<&str>, [ours, theirs]: [&str; 2]) -> (Repo, Run) {
    let repo = Repo::under_reins();
    let _ = repo.reins(&["setup", "--merge-driver"]).expect(0);
    match base {
        Some(base) => repo.write("ledger/oracle.json", base),
        None => std::fs::remove_file(repo.path("ledger/oracle.json")).unwrap(),
    }
    repo.commit("base");
    repo.git(&["switch", "-q", "-c", "theirs"]);
    repo.write("ledger/oracle.json", theirs);
    repo.commit("theirs");
    repo.git(&["switch", "-q", "main"]);
    repo.write("ledger/oracle.json", ours);
    repo.commit("ours");
    let run = git_on(&repo, &with_ours(), &["merge", "-q", "theirs"]);
    (repo, run)
}

fn ledger(ids: &[&str]) -> String {
    let row = |id: &&str| {
        format!(
            "    {{\n      \"oracle_id\": \"{id}\",\n      \"source\": \"issue:1\",\n      \"property\": \"p\"\n    }}"
        )
    };
    let rows: Vec<_> = ids.iter().map(row).collect();
    format!(
        "{{\n  \"schema\": \"git-reins/oracle/1\",\n  \"oracles\": [\n{}\n  ]\n}}\n",
        rows.join(",\n")
    )
}

#[test]
fn line_ends_of_windows_are_no_conflict() {
    let crlf = |ids: &[&str]| ledger(ids).replace('\n', "\r\n");
    for base in [crlf(&["a"]), ledger(&["a"])] {
        let (repo, run) = written(Some(&base), [&crlf(&["a", "b"]), &ledger(&["a", "c"])]);
        let _ = run.expect(0);
        assert_eq!(repo.read("ledger/oracle.json"), ledger(&["a", "b", "c"]));
    }
}

#[test]
fn a_ledger_that_both_sides_made_has_no_base() {
    let (repo, run) = written(None, [&ledger(&["a", "b"]), &ledger(&["b", "c"])]);
    let _ = run.expect(0);
    assert_eq!(repo.read("ledger/oracle.json"), ledger(&["a", "b", "c"]));
}

/// A side that cannot be read is a conflict, also where a text merge would see none.
#[test]
fn what_cannot_be_read_is_a_conflict_of_texts() {
    let base = ledger(&["a", "k", "l", "m", "n", "z"]);
    let (ours, theirs) = (
        base.replace("\"a\"", "\"b\""),
        base.replace("\"z\"", "\"y\""),
    );
    let bom = |text: &str| format!("\u{feff}{text}");
    let cases = [
        (
            base.clone(),
            bom(&ours),
            theirs.clone(),
            "our side is no valid ledger",
        ),
        (
            base.clone(),
            ours.clone(),
            bom(&theirs),
            "their side is no valid ledger",
        ),
        (
            bom(&base),
            bom(&ours),
            bom(&theirs),
            "the common base is no valid ledger",
        ),
        (
            base.clone(),
            ours.clone(),
            theirs.replace("property", "proprety"),
            "their side is no valid ledger",
        ),
        (
            base.clone(),
            ours.clone(),
            String::new(),
            "their side is no valid ledger",
        ),
        (
            "[]".to_owned(),
            ours.clone(),
            theirs.clone(),
            "the common base is no valid ledger",
        ),
        (
            base,
            ours.clone(),
            ours + "<<<<<<< left\n",
            "their side is no valid ledger",
        ),
    ];
    let _ = in_parallel(&cases, |(base, ours, theirs, words)| {
        let (repo, run) = written(Some(base), [ours, theirs]);
        let run = run.expect(1);
        assert!(run.stderr.contains(words) && is_unmerged(&repo), "{run}");
        let text = repo.read("ledger/oracle.json");
        assert!(
            text.contains("<<<<<<< HEAD")
                && text.contains("=======\n")
                && text.contains(">>>>>>> theirs"),
            "{text}"
        );
        for line in ours.lines().filter(|line| line.contains("oracle_id")) {
            assert!(text.contains(line), "{line} is lost: {text}");
        }
    });
}

/// Ids that differ in case are one row: a text merge would keep both, and break the ledger.
#[test]
fn ids_that_differ_in_case_alone_are_one_row() {
    let (repo, run) = written(
        Some(&ledger(&["m"])),
        [&ledger(&["A", "m"]), &ledger(&["a", "m"])],
    );
    assert!(run.expect(1).stderr.contains("both sides changed A"));
    assert!(repo.read("ledger/oracle.json").contains("(reins: A)"));
}

#[test]
fn what_a_text_merge_left_is_merged_by_row_from_the_index() {
    let repo = same_row();
    let _ = git_on(&repo, &with_other(&repo, None), &["merge", "-q", "theirs"]).expect(1);
    let ours = ["<<<<<<< ours (reins: both)", "=======", ">>>>>>> theirs"];
    assert_snapshot!(repo.reins(&["fmt", "--resolve"]), @r"
    wrote ledger/oracle.json; next: keep one of the two between the markers, then git reins fmt
    note: ledger/oracle.json: both sides changed both, each in its own way: keep one of the two by hand
    --- exit 3
    ");
    let text = repo.read("ledger/oracle.json");
    assert!(ours.iter().all(|marker| text.contains(marker)), "{text}");
    // a second time: what a person is finishing is left alone
    assert_snapshot!(repo.refuses(1, &["fmt", "--resolve"]), @r"
    git-reins: cannot format the ledgers: ledger/oracle.json: both sides changed both, each in its own way: keep one of the two by hand (LEDGER_INVALID)
    hint: edit ledger/oracle.json: keep one side of each row between markers, then: git reins fmt
    --- exit 1
    ");
    // finished by hand: the choice stays, although the index still has both sides
    repo.git(&["checkout", "--theirs", "--", "ledger/oracle.json"]);
    let chosen = repo
        .read("ledger/oracle.json")
        .replace("balance > 1", "balance > 3");
    repo.write("ledger/oracle.json", &chosen);
    let _ = repo.reins(&["fmt", "--resolve"]).expect(0);
    assert_eq!(repo.read("ledger/oracle.json"), chosen);
}

/// Where a driver is named and its command is missing, git leaves our side without a marker.
#[test]
fn a_side_that_git_left_alone_is_merged_from_the_index_too() {
    let repo = first_rows();
    repo.git(&["config", "merge.reins.driver", "no-such-program %O %A %B"]);
    let _ = git_on(&repo, &with_ours(), &["merge", "-q", "theirs"]).expect(1);
    assert!(!repo.read("ledger/oracle.json").contains("theirs-01"));
    let _ = repo.reins(&["fmt", "--resolve"]).expect(0);
    assert!(repo.read("ledger/oracle.json").contains("theirs-01"));
}
