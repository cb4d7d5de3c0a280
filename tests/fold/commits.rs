//! What is the commit of a fold like, and which bytes does it hold?

use insta::assert_snapshot;

use super::bench::{HISTORY, assert_folded, command, fold, folded, repo, unchanged};

#[test]
fn a_fold_is_one_commit_of_exactly_the_files() {
    let repo = repo();
    let id = fold(&repo).unwrap();
    assert_eq!(repo.git(&["rev-parse", "main"]).trim_end(), id);
    assert_snapshot!(repo.git(&["show", "--stat", "--format=%an %ae %cn%n%B", "HEAD"]), @r"
    Ada ada@example.org Ada
    [artifact] fold

    Task: T-1


     .gitreins/history/2026-11-30/0000abcd/summary.md   | 3 +++
     .gitreins/history/2026-11-30/0000abcd/verdict.json | 1 +
     2 files changed, 4 insertions(+)
    ");
    assert_folded(&repo);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    for name in ["HEAD", "main"] {
        assert_eq!(
            repo.git(&["log", "-g", "-1", "--format=%gs", name]),
            "reconcile: [artifact] fold\n"
        );
    }
    assert_eq!(
        repo.git(&["for-each-ref", "--format=%(refname)"]),
        "refs/heads/main\n"
    );
    assert_eq!(fold(&repo).unwrap_err(), "HEAD holds all of it already");
}

#[test]
fn staging_leaves_head_where_it_is() {
    let repo = repo();
    let before = repo.git(&["rev-parse", "HEAD"]);
    assert_eq!(
        folded(&repo, &mut command(&repo, &repo.path(""), "stage")).unwrap(),
        "staged"
    );
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), before);
    assert_snapshot!(repo.git(&["diff", "--cached", "--name-status"]), @r"
    A	.gitreins/history/2026-11-30/0000abcd/summary.md
    A	.gitreins/history/2026-11-30/0000abcd/verdict.json
    ");
    repo.git(&["commit", "-q", "-m", "with my own work"]);
    assert_folded(&repo);
}

#[test]
fn neither_attributes_nor_configuration_change_a_byte() {
    let repo = repo();
    repo.git(&["config", "core.autocrlf", "true"]);
    repo.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
    repo.git(&["config", "core.ignoreCase", "true"]);
    repo.git(&["config", "core.compression", "0"]);
    repo.git(&["config", "i18n.commitEncoding", "latin1"]);
    repo.write(
        ".gitattributes",
        "*.md text eol=crlf\n*.json filter=up ident working-tree-encoding=UTF-16\n",
    );
    repo.write(".GitReins/HISTORY/2026-11-30/other", "of another case\n");
    repo.git(&["add", "-f", ".gitattributes", ".GitReins"]);
    repo.git(&["commit", "-q", "-m", "attributes"]);
    let _id = fold(&repo).unwrap();
    repo.git(&["config", "core.ignoreCase", "false"]);
    assert_folded(&repo);
    assert!(
        repo.git(&["ls-tree", "-r", "--name-only", "HEAD"])
            .contains(".GitReins/HISTORY/2026-11-30/other")
    );
    assert!(
        !repo
            .git(&["cat-file", "commit", "HEAD"])
            .contains("encoding")
    );
}

#[test]
fn what_the_history_holds_already_stays() {
    let repo = repo();
    repo.write(&format!("{HISTORY}/00001111/verdict.json"), "older");
    repo.write(&format!("{HISTORY}-x"), "a name that sorts between");
    repo.write(".gitreins/tool", "#!");
    repo.git(&[
        "add",
        "-f",
        &format!("{HISTORY}/00001111"),
        &format!("{HISTORY}-x"),
        ".gitreins/tool",
    ]);
    repo.git(&["update-index", "--chmod=+x", ".gitreins/tool"]);
    repo.git(&["commit", "-q", "-m", "older"]);
    let _id = fold(&repo).unwrap();
    assert_snapshot!(repo.git(&["diff", "--name-status", "HEAD^", "HEAD"]), @r"
    A	.gitreins/history/2026-11-30/0000abcd/summary.md
    A	.gitreins/history/2026-11-30/0000abcd/verdict.json
    ");
    assert_folded(&repo);
}

#[test]
fn many_files_become_one_pack() {
    let repo = repo();
    for number in 0..200 {
        repo.write(
            &format!("{HISTORY}/{number:08x}/verdict.json"),
            &format!("{number}"),
        );
        repo.write(
            &format!("{HISTORY}/{number:08x}/summary.md"),
            "the same everywhere",
        );
    }
    let _id = fold(&repo).unwrap();
    assert!(
        repo.git(&["count-objects", "-v"])
            .lines()
            .any(|line| line == "packs: 1")
    );
    assert_eq!(
        repo.git(&["ls-tree", "-r", "--name-only", "HEAD", HISTORY])
            .lines()
            .count(),
        402
    );
    assert_folded(&repo);
}

const GPG: &str =
    "#!/bin/sh\ncat >/dev/null\necho \"[GNUPG:] SIG_CREATED D\" >&2\necho SIGNED BY STUB\n";

#[test]
fn a_fold_is_signed_when_commits_are() {
    let repo = repo();
    repo.script("gpg", GPG);
    repo.git(&["config", "gpg.program", repo.path("gpg").to_str().unwrap()]);
    repo.git(&["config", "commit.gpgSign", "true"]);
    repo.git(&["config", "user.signingKey", "ada"]);
    let _id = fold(&repo).unwrap();
    let commit = repo.git(&["cat-file", "commit", "HEAD"]);
    assert!(commit.contains("\ngpgsig SIGNED BY STUB\n"), "{commit}");
    assert!(
        commit.contains("\nauthor Ada <ada@example.org> "),
        "{commit}"
    );
    assert_folded(&repo);
}

#[test]
fn a_signature_that_fails_leaves_everything_as_it_was() {
    let repo = repo();
    repo.git(&["config", "gpg.program", "/bin/false"]);
    repo.git(&["config", "commit.gpgsign", "yes"]);
    let error = unchanged(&repo, "land");
    assert!(
        error.contains("git commit-tree failed") && error.contains("gpg failed to sign"),
        "{error}"
    );
}

#[test]
fn an_unknown_person_is_told_in_the_words_of_git() {
    let repo = repo();
    repo.git(&["config", "user.useConfigOnly", "true"]);
    let mut command = command(&repo, &repo.path(""), "land");
    for part in [
        "AUTHOR_NAME",
        "AUTHOR_EMAIL",
        "COMMITTER_NAME",
        "COMMITTER_EMAIL",
    ] {
        command.env_remove(format!("GIT_{part}"));
    }
    let error = folded(&repo, &mut command).unwrap_err();
    assert!(error.contains("Please tell me who you are"), "{error}");
    repo.git(&["config", "user.name", "Bob"]);
    repo.git(&["config", "user.email", "bob@example.org"]);
    let _id = folded(&repo, &mut command).unwrap();
    assert_eq!(
        repo.git(&["log", "-1", "--format=%an %ae %cn %ce"]),
        "Bob bob@example.org Bob bob@example.org\n"
    );
}

#[test]
fn no_hook_runs() {
    let repo = repo();
    for hook in [
        "pre-commit",
        "commit-msg",
        "post-commit",
        "reference-transaction",
        "post-index-change",
    ] {
        repo.script(
            &format!(".git/hooks/{hook}"),
            &format!("#!/bin/sh\ntouch ran-{hook}\nexit 1\n"),
        );
    }
    repo.git(&["config", "core.fsmonitor", "touch ran-fsmonitor"]);
    let _id = fold(&repo).unwrap();
    repo.git(&["config", "core.fsmonitor", "false"]);
    std::fs::remove_dir_all(repo.path(".git/hooks")).unwrap();
    assert_folded(&repo);
    let names = std::fs::read_dir(repo.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    assert!(
        names
            .into_iter()
            .all(|name| !name.to_str().unwrap().starts_with("ran-"))
    );
}

#[test]
fn what_head_or_index_hold_in_the_way_is_an_error() {
    let repo = repo();
    let id = repo.git(&["hash-object", "-w", "a"]);
    let entry = |path: &str| format!("100644,{},{path}", id.trim_end());
    repo.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &entry(".gitreins/history"),
    ]);
    assert_eq!(
        unchanged(&repo, "land"),
        ".gitreins/history of the index stands in the way"
    );
    assert_eq!(
        unchanged(&repo, "stage"),
        ".gitreins/history of the index stands in the way"
    );
    repo.git(&["commit", "-q", "-m", "in the way"]);
    assert_eq!(
        unchanged(&repo, "land"),
        ".gitreins/history of HEAD stands in the way"
    );
    repo.git(&["rm", "-q", "--cached", ".gitreins/history"]);
    assert_eq!(
        unchanged(&repo, "land"),
        ".gitreins/history of HEAD stands in the way"
    );
    repo.git(&["commit", "-q", "-m", "gone"]);
    let below = format!("{HISTORY}/0000abcd/summary.md/below");
    repo.git(&["update-index", "--add", "--cacheinfo", &entry(&below)]);
    assert_eq!(
        unchanged(&repo, "land"),
        format!("{HISTORY}/0000abcd/summary.md of the index stands in the way")
    );
}
