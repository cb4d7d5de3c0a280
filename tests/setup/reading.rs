//! What do `git diff`, `log -p` and `show` print of ledgers, with the program there, gone and broken?

use insta::assert_snapshot;

use super::programs::{BROKEN, git_in, git_on, with_other, with_ours};
use crate::support::{Repo, add_row};

/// A row is edited in the worktree, and the one that stands was added by the last commit.
fn edited() -> Repo {
    let repo = Repo::under_reins();
    let _ = repo.reins(&["setup", "--textconv"]).expect(0);
    let _ = add_row(&repo, "bal-01").expect(0);
    repo.commit("row");
    let _ = repo
        .reins(&["oracle", "edit", "bal-01", "--relation", "balance > 1"])
        .expect(0);
    repo
}

#[test]
fn every_line_of_a_difference_names_its_row() {
    let repo = edited();
    let diff = git_on(&repo, &with_ours(), &["diff", "--", "ledger"])
        .expect(0)
        .stdout;
    let body = diff.split_once("@@").unwrap().1.split_once('\n').unwrap().1;
    assert_snapshot!(body.lines().filter(|line| !line.contains("authored_commit") && !line.contains("sha256")).collect::<Vec<_>>().join("\n"), @r#"
     bal-01  property             "balance_never_negative"
     bal-01  inputs               "an account"
    -bal-01  relation             "balance >= 0"
    +bal-01  relation             "balance > 1"
     bal-01  witness              "an overdraft"
    "#);
    let below = git_in(
        &repo,
        &with_ours(),
        &repo.path("src"),
        &["diff", "--", ":/ledger"],
    )
    .expect(0);
    assert_eq!(below.stdout, diff);
    for args in [&["log", "-p", "-1"][..], &["show"]] {
        let said = git_on(&repo, &with_ours(), args).expect(0).stdout;
        assert!(
            said.contains("+bal-01  relation             \"balance >= 0\"\n"),
            "{said}"
        );
    }
}

#[test]
fn without_our_program_the_files_are_shown_as_they_are() {
    let repo = edited();
    for (name, program) in BROKEN {
        let path = with_other(&repo, program);
        for args in [&["diff"][..], &["log", "-p", "-1"], &["show"]] {
            let said = git_on(&repo, &path, args).expect(0).stdout;
            let wanted = "+      \"relation\": \"balance >";
            assert!(said.contains(wanted), "{name}: {said}");
            assert!(
                !said.contains("garbage") && !said.contains("half"),
                "{name}: {said}"
            );
        }
    }
}

#[test]
fn what_is_no_ledger_is_shown_as_it_is() {
    let repo = edited();
    repo.write("ledger/oracle.json", "no ledger, no line end");
    let said = git_on(&repo, &with_ours(), &["diff"]).expect(0).stdout;
    assert!(
        said.contains("+no ledger, no line end\n\\ No newline"),
        "{said}"
    );
}

#[test]
fn a_patch_for_others_has_the_bytes() {
    let repo = edited();
    let patch = git_on(&repo, &with_ours(), &["format-patch", "-1", "--stdout"])
        .expect(0)
        .stdout;
    assert!(
        patch.contains("+      \"oracle_id\": \"bal-01\""),
        "{patch}"
    );
}
