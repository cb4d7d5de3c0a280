//! What refuses a fold, before a byte is stored?
#![expect(clippy::unwrap_used, reason = "a story that cannot be told fails")]

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use insta::assert_snapshot;
use serde_json::Value;

use super::verdicts::{dir, folded, grading, repo, rule, write};
use crate::support::Repo;

/// What is wrong with a directory: the reason of the refusal, and how it comes about.
type Case = (&'static str, fn(&Repo));

const BAD: &str = "0000000b";

/// The codes and reasons of the answer; a good verdict beside the bad one is not folded either,
/// unless it is named.
fn refused(repo: &Repo) -> (Vec<String>, Vec<String>) {
    write(repo, "0000000a", &grading("t1", "pass", None));
    let objects = repo.git(&["count-objects", "-v"]);
    let run = repo.refuses(1, &["reconcile", "--json"]);
    assert_eq!(
        repo.git(&["count-objects", "-v"]),
        objects,
        "an object was stored: {run}"
    );
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let texts = |values: &Value, member: Option<&str>| -> Vec<String> {
        let text = |value: &Value| {
            member
                .map_or(value, |member| &value[member])
                .as_str()
                .unwrap()
                .to_owned()
        };
        values.as_array().unwrap().iter().map(text).collect()
    };
    let found = (
        texts(&answer["refusals"], None),
        texts(&answer["details"], Some("reason")),
    );
    let _ = repo.reins(&["reconcile", "0000000a"]).expect(0);
    assert_eq!(folded(repo).lines().count(), 2);
    found
}

fn inner(name: &str) -> String {
    format!("{}/{name}", dir(BAD))
}

#[test]
fn links_pipes_sockets_and_repositories_are_unsafe() {
    let cases: [Case; 12] = [
        ("not-regular", |repo| {
            symlink("/etc/passwd", repo.path(&inner("key"))).unwrap()
        }),
        ("not-regular", |repo| {
            symlink("/etc", repo.path(&inner("etc"))).unwrap()
        }),
        ("not-regular", |repo| {
            let _ = repo
                .command("mkfifo", &repo.path(""))
                .arg(inner("pipe"))
                .status()
                .unwrap();
        }),
        ("not-regular", |repo| {
            drop(UnixListener::bind(repo.path(&inner("s"))).unwrap())
        }),
        ("hard-link", |repo| {
            repo.write("private", "x");
            fs::hard_link(repo.path("private"), repo.path(&inner("key"))).unwrap();
        }),
        ("not-regular", |repo| {
            repo.write(&inner("sub/.gitattributes"), "* filter=x")
        }),
        ("not-regular", |repo| {
            repo.write(&inner("run.sh"), "x");
            let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            fs::set_permissions(repo.path(&inner("run.sh")), executable).unwrap();
        }),
        ("nested-repository", |repo| {
            repo.write(&inner(".git/config"), "")
        }),
        ("too-large", |repo| {
            fs::File::create(repo.path(&inner("huge")))
                .unwrap()
                .set_len((64 << 20) + 1)
                .unwrap();
        }),
        ("collision", |repo| {
            repo.write(&inner("Notes"), "");
            repo.write(&inner("notes"), "");
        }),
        ("name", |repo| repo.write(&inner("a\nb"), "")),
        ("stray", |repo| {
            repo.write(".gitreins/history/2026-11-30/--amend/verdict.json", "{}")
        }),
    ];
    for (reason, make) in cases {
        let repo = repo();
        write(&repo, BAD, &grading("t2", "pass", None));
        make(&repo);
        let expected = (vec!["PATH_UNSAFE".to_owned()], vec![reason.to_owned()]);
        assert_eq!(refused(&repo), expected, "{reason}");
    }
}

#[test]
fn directories_and_verdicts_that_are_links_are_unsafe() {
    let cases: [Case; 6] = [
        ("no-directory", |repo| {
            symlink("/etc", repo.path(&dir(BAD))).unwrap()
        }),
        ("no-directory", |repo| repo.write(&dir(BAD), "a file")),
        ("not-regular", |repo| {
            fs::create_dir(repo.path(&dir(BAD))).unwrap();
            symlink("/etc/passwd", repo.path(&inner("verdict.json"))).unwrap();
        }),
        ("no-verdict", |repo| {
            repo.write(&inner("verdict.json"), "[1]")
        }),
        ("no-verdict", |repo| {
            repo.write(&inner("verdict.json"), "what?")
        }),
        ("stray", |repo| {
            symlink("/etc", repo.path(".gitreins/history/2026-11-29")).unwrap()
        }),
    ];
    for (reason, make) in cases {
        let repo = repo();
        fs::create_dir_all(repo.path(".gitreins/history/2026-11-30")).unwrap();
        make(&repo);
        let expected = (vec!["PATH_UNSAFE".to_owned()], vec![reason.to_owned()]);
        assert_eq!(refused(&repo), expected, "{reason}");
    }
}

#[test]
fn a_history_directory_that_is_a_link_is_not_entered() {
    let repo = repo();
    fs::create_dir_all(repo.path("elsewhere/2026-11-30")).unwrap();
    symlink("../elsewhere", repo.path(".gitreins/history")).unwrap();
    assert_snapshot!(repo.refuses(1, &["reconcile"]), @"
    git-reins: cannot fold the verdicts: .gitreins/history is a link or a file in place of a directory, not a regular file (PATH_UNSAFE)
    hint: take the named path away
    --- exit 1
    ");
    assert!(
        repo.refuses(1, &["reconcile", "--json"])
            .stdout
            .contains("\"PATH_UNSAFE\"")
    );
}

#[test]
fn clutter_in_the_history_is_passed_over_and_a_fix_names_the_others() {
    let repo = repo();
    write(&repo, BAD, &grading("t1", "pass", None));
    repo.write(".gitreins/history/.DS_Store", "x");
    repo.write(".gitreins/history/.gitignore", "*");
    let _ = repo.reins(&["reconcile"]).expect(0);
    assert_eq!(folded(&repo).lines().count(), 2);
    write(&repo, "0000000c", &grading("t1", "pass", None));
    repo.write(".gitreins/history/st\u{1b}ray", "x");
    let run = repo.refuses(1, &["reconcile"]);
    assert!(
        run.stdout
            .contains("\n    git reins reconcile 2026-11-30/0000000c\n"),
        "{run}"
    );
    assert!(
        run.stderr
            .contains("note: .gitreins/history/.DS_Store is passed over"),
        "{run}"
    );
}

#[test]
fn a_secret_stops_the_fold_and_is_not_shown() {
    let repo = repo();
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    write(&repo, BAD, &grading("t2", "pass", None));
    repo.write(
        &inner("worktree.patch"),
        &format!("{}\n+token = {secret}\n", "x".repeat(65_530)),
    );
    let shown = repo.refuses(1, &["reconcile"]);
    assert!(!shown.to_string().contains(&secret));
    assert_snapshot!(shown, @"
    refuse: SECRET_SUSPECTED
      nothing is folded; name directories to fold those only

    SECRET_SUSPECTED 2026-11-30/0000000b (secret-marker)
      at        .gitreins/history/2026-11-30/0000000b/worktree.patch
      read      github-token in line 2
      expected  no text that looks like a secret
      fix       leave logs and patches out:
        git reins reconcile --compact 2026-11-30/0000000b
    --- exit 1
    ");
    assert_eq!(
        refused(&repo),
        (
            vec!["SECRET_SUSPECTED".to_owned()],
            vec!["secret-marker".to_owned()]
        )
    );
    let _ = repo.reins(&["reconcile", "--compact"]).expect(0);
}

#[test]
fn the_policy_marks_and_allows_secrets() {
    let repo = repo();
    rule(
        &repo,
        "[judge]\nsecret_markers = [\"ACME-[0-9]{8}\"]\nsecret_allow = [\"ACME-00000000\"]\n",
    );
    write(&repo, BAD, &grading("t2", "pass", None));
    repo.write(&inner("notes.md"), "ACME-00000000\n");
    let _ = repo.reins(&["reconcile"]).expect(0);
    repo.write(&inner("more.md"), "ACME-12345678\n");
    let answer = repo.refuses(1, &["reconcile", "--json"]);
    assert!(
        answer.stdout.contains("judge.secret_markers[0] in line 1"),
        "{answer}"
    );
}

#[test]
fn a_secret_in_a_name_a_task_or_an_escape_is_neither_folded_nor_shown() {
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let escaped = format!(
        "{{\"output\": \"key \\u001b[31mAKIA{}\\u001b[0m\"}}",
        "ABCDEFGH23456722"
    );
    for (task, name, text) in [
        ("t2", &*format!("{secret}.txt"), "x"),
        (&*secret, "a.txt", "x"),
        ("t2", "a.json", &*escaped),
    ] {
        let repo = repo();
        write(&repo, BAD, &grading(task, "pass", None));
        repo.write(&inner(name), text);
        let shown = repo.refuses(1, &["reconcile"]).to_string();
        assert!(
            shown.contains("SECRET_SUSPECTED") && !shown.contains(&secret),
            "{shown}"
        );
    }
}

#[test]
fn hidden_characters_are_never_printed_raw() {
    let repo = repo();
    write(&repo, BAD, &grading("t\u{202e}\u{1b}[2K", "pass", None));
    repo.write(&inner("a\u{1b}[2Kb\u{202e}"), "");
    for args in [
        &["reconcile"][..],
        &["reconcile", "--json"],
        &["reconcile", "x\u{1b}\u{202e}"],
    ] {
        let run = repo.refuses(1, args);
        let text = run.to_string();
        assert!(
            !text.contains('\u{1b}') && !text.contains('\u{202e}'),
            "{text:?}"
        );
    }
    fs::remove_file(repo.path(&inner("a\u{1b}[2Kb\u{202e}"))).unwrap();
    let run = repo.reins(&["reconcile", "--json"]).expect(0).to_string();
    assert!(
        !run.contains('\u{1b}') && !run.contains('\u{202e}') && run.contains("task sha256-"),
        "{run:?}"
    );
}
