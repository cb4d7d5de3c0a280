//! Which verdicts are found, and what is said of what is none.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use super::verdicts::{artifact, step, verdict};
use crate::support::{BINARY, Repo, Run};

fn ids(run: &Run) -> Vec<String> {
    let all: Vec<Value> = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run}"));
    all.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

fn good() -> String {
    verdict(&[step("tests", 0)]).to_string()
}

fn filled() -> Repo {
    let repo = Repo::new();
    for place in ["2026-01-02/0000000b", "2026-01-02/0000000a", "2026-01-03/0123456789abcdef"] {
        repo.write(&format!(".gitreins/history/{place}/verdict.json"), &good());
    }
    repo
}

#[test]
fn every_way_to_name_a_verdict_finds_it() {
    let repo = filled();
    let all = ["0000000a", "0000000b", "0123456789abcdef"];
    for (named, expected) in [
        (vec!["."], &all[..]),
        (vec![".gitreins"], &all),
        (vec![".gitreins/history"], &all),
        (vec![".gitreins/history/"], &all),
        (vec![".gitreins/history/2026-01-02"], &all[..2]),
        (vec![".gitreins/history/2026-01-02/0000000a"], &all[..1]),
        (vec![".gitreins/history/2026-01-02/0000000a/."], &all[..1]),
        (vec![".gitreins/history/2026-01-02/0000000a/verdict.json"], &all[..1]),
        (
            vec![
                ".",
                ".gitreins/history/2026-01-02/0000000a/verdict.json",
                "./.gitreins/history/2026-01-02/0000000b",
            ],
            &all,
        ),
    ] {
        let run = repo.reins(&[&["adjudicate", "--json"][..], &named].concat()).expect(0);
        assert_eq!(ids(&run), expected, "{named:?}");
    }
    let run =
        repo.reins_in(".gitreins/history/2026-01-02/0000000a", &["adjudicate", "--json", "."]).expect(0);
    assert_eq!(ids(&run), ["0000000a"]);
    repo.write("elsewhere.json", &good());
    assert_eq!(ids(&repo.reins(&["adjudicate", "--json", "elsewhere.json"]).expect(0)), ["elsewhere"]);
}

#[test]
fn nothing_needs_a_repository() {
    let dir = assert_fs::TempDir::new().unwrap();
    let place = dir.path().join("2026-01-02/0000000a");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join("verdict.json"), artifact().to_string()).unwrap();
    let output = Command::new(BINARY)
        .current_dir(dir.path())
        .env_clear()
        .env("GIT_CEILING_DIRECTORIES", dir.path().parent().unwrap())
        .args(["adjudicate", "."])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

#[test]
fn only_what_is_named_like_a_verdict_directory_is_one() {
    let repo = filled();
    for place in [
        "2026-01-02",
        "2026-01-02/0000",
        "2026-01-02/000000AA",
        "2026-02-30/0000000c",
        "0000000d",
        "x/verdicts",
    ] {
        repo.write(&format!(".gitreins/history/{place}/verdict.json"), "not read");
    }
    std::fs::remove_file(repo.path(".gitreins/history/2026-01-02/verdict.json")).unwrap();
    repo.write(".gitreins/history/2026-01-03/0000000e/notes", "");
    let run = repo.reins(&["adjudicate", "--json", "."]).expect(0);
    assert_eq!(ids(&run), ["0000000a", "0000000b", "0123456789abcdef"]);
    assert!(run.stderr.contains("0000000e has no verdict.json"), "{run}");
}

#[test]
fn no_link_is_followed_and_none_is_passed_over_in_silence() {
    let repo = filled();
    let history = repo.path(".gitreins/history");
    symlink(history.join("2026-01-02/0000000a"), history.join("2026-01-03/0000000f")).unwrap();
    let run = repo.reins(&["adjudicate", "--json", "."]).expect(128);
    assert_eq!(ids(&run), ["0000000a", "0000000b", "0123456789abcdef"]);
    assert!(run.stderr.contains("0000000f is a link, which is not followed"), "{run}");
    std::fs::remove_file(history.join("2026-01-03/0000000f")).unwrap();

    symlink(history.join("2026-01-02"), history.join("2026-01-04")).unwrap();
    let run = repo.reins(&["adjudicate", "."]).expect(128);
    assert!(run.stderr.contains("2026-01-04 is a link"), "{run}");
    std::fs::remove_file(history.join("2026-01-04")).unwrap();

    symlink(&history, repo.path("around")).unwrap();
    symlink(repo.path("."), repo.path("loop")).unwrap();
    assert_eq!(ids(&repo.reins(&["adjudicate", "--json", "."]).expect(0)).len(), 3);
    // what a person names is theirs
    assert_eq!(ids(&repo.reins(&["adjudicate", "--json", "around"]).expect(0)).len(), 3);

    let verdict = history.join("2026-01-02/0000000b/verdict.json");
    std::fs::rename(&verdict, repo.path("moved")).unwrap();
    symlink(repo.path("moved"), &verdict).unwrap();
    let run = repo.reins(&["adjudicate", "--json", "."]).expect(128);
    assert_eq!(ids(&run), ["0000000a", "0123456789abcdef"]);
    assert!(run.stderr.contains("0000000b/verdict.json") && run.stderr.contains("a symbolic link"), "{run}");
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_is_adjudicated() {
    let repo = filled();
    let bad = ".gitreins/history/2026-01-04/0000000c/verdict.json";
    let whole = good();
    for (text, why) in [
        (String::new(), "expected JSON"),
        ("[]".to_owned(), "read a list, expected an object"),
        (r#"{"task_id": 7}"#.to_owned(), "field task_id: read 7"),
        (whole.replace("task_id", "task"), "field task_id: read no such member"),
        (whole.replacen('{', r#"{"kind": "appeal", "#, 1), "field kind"),
        (
            whole.replacen('{', r#"{"schema": "git-reins/trial/2", "#, 1),
            "field schema: read git-reins/trial/2",
        ),
        (whole.replacen('{', r#"{"schema": "git-reins/trial/1", "#, 1), "unknown field"),
        (whole.replacen('{', r#"{"passed": true, "#, 1), "a second member"),
        ("[".repeat(200_000), "recursion limit"),
        (format!("{{\"a\": {}1{}}}", "[".repeat(200_000), "]".repeat(200_000)), "recursion limit"),
    ] {
        repo.write(bad, &text);
        let run = repo.reins(&["adjudicate", "--json", "."]).expect(128);
        assert_eq!(ids(&run), ["0000000a", "0000000b", "0123456789abcdef"]);
        assert!(run.stderr.contains("0000000c/verdict.json: ") && run.stderr.contains(why), "{why}: {run}");
    }
    // a failure that was seen stands
    repo.write(
        ".gitreins/history/2026-01-04/0000000d/verdict.json",
        &verdict(&[step("tests", 1)]).to_string(),
    );
    let run = repo.reins(&["adjudicate", "."]).expect(1);
    assert!(run.stderr.contains("cannot adjudicate: "), "{run}");
}

#[test]
fn a_file_of_any_size_is_refused_and_not_read_into_memory() {
    let repo = filled();
    let place = repo.path(".gitreins/history/2026-01-02/0000000a/verdict.json");
    File::create(&place).unwrap().set_len((64 << 20) + 1).unwrap();
    let run = repo.reins(&["adjudicate", "--json", "."]).expect(128);
    assert!(run.stderr.contains("larger than 64 MiB"), "{run}");
    assert_eq!(ids(&run).len(), 2);
}

#[test]
fn where_there_is_nothing_nothing_is_said() {
    let repo = Repo::new();
    for named in ["missing", ".", "h"] {
        repo.write("h/2026-01-02/notes", "");
        let run = repo.refuses(128, &["adjudicate", named, "--json"]);
        let error: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(error["schema"], "git-reins/error/1", "{named}");
    }
    let resolution =
        json!({"kind": "resolution", "task_id": "resolution", "band": "RESOLVED", "verdict": {}});
    repo.write("h/2026-01-02/0000000a/verdict.json", &resolution.to_string());
    let run = repo.refuses(128, &["adjudicate", "h"]);
    assert!(run.stderr.contains("is a resolution record, no verdict"), "{run}");
    repo.write("h/2026-01-02/0000000b/verdict.json", &good());
    let run = repo.reins(&["adjudicate", "--json", "h"]).expect(0);
    assert_eq!(ids(&run), ["0000000b"]);
    let _ = repo.reins(&["adjudicate"]).expect(129);
}
