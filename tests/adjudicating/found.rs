//! Which verdicts are found, and what is said of what is none.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use super::verdicts::{artifact, step, verdict};
use crate::support::{BINARY, Repo, Run};

fn ids(run: &Run) -> Vec<String> {
    let all: Vec<Value> = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run}"));
    all.iter()
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect()
}

fn good() -> String {
    verdict(&[step("tests", 0)]).to_string()
}

fn filled() -> Repo {
    let repo = Repo::new();
    for place in [
        "2026-01-02/0000000b",
        "2026-01-02/0000000a",
        "2026-01-03/0123456789abcdef",
    ] {
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
        (
            vec![".gitreins/history/2026-01-02/0000000a/verdict.json"],
            &all[..1],
        ),
        (
            vec![
                ".",
                ".gitreins/history/2026-01-02/0000000a/verdict.json",
                "./.gitreins/history/2026-01-02/0000000b",
            ],
            &all,
        ),
    ] {
        let run = repo
            .reins(&[&["adjudicate", "--json"][..], &named].concat())
            .expect(0);
        assert_eq!(ids(&run), expected, "{named:?}");
    }
    let run = repo
        .reins_in(
            ".gitreins/history/2026-01-02/0000000a",
            &["adjudicate", "--json", "."],
        )
        .expect(0);
    assert_eq!(ids(&run), ["0000000a"]);
    repo.write("elsewhere.json", &good());
    assert_eq!(
        ids(&repo
            .reins(&["adjudicate", "--json", "elsewhere.json"])
            .expect(0)),
        ["elsewhere"]
    );
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
    for (place, code, said) in [
        ("2026-01-02", 128, "cannot adjudicate"),
        ("2026-01-02/0000", 128, "cannot adjudicate"),
        ("2026-01-02/000000AA", 128, "cannot adjudicate"),
        ("2026-02-30/0000000c", 128, "cannot adjudicate"),
        ("0000000d", 128, "cannot adjudicate"),
        ("x/verdicts", 0, "note"),
    ] {
        let file = format!(".gitreins/history/{place}/verdict.json");
        repo.write(&file, "not read");
        let run = repo.reins(&["adjudicate", "--json", "."]).expect(code);
        assert_eq!(ids(&run), ["0000000a", "0000000b", "0123456789abcdef"]);
        assert!(
            run.stderr.contains(said)
                && run
                    .stderr
                    .contains(&format!("{place} holds a verdict.json")),
            "{run}"
        );
        std::fs::remove_file(repo.path(&file)).unwrap();
        if place != "2026-01-02" {
            std::fs::remove_dir(repo.path(&file).parent().unwrap()).unwrap();
        }
    }
    repo.write(".gitreins/history/2026-01-03/0000000e/notes", "");
    let run = repo.reins(&["adjudicate", "--json", "."]).expect(3);
    assert_eq!(ids(&run), ["0000000a", "0000000b", "0123456789abcdef"]);
    assert!(
        run.stderr
            .contains("0000000e has no verdict.json: unfinished"),
        "{run}"
    );
    let alone = repo
        .reins(&["adjudicate", ".gitreins/history/2026-01-03/0000000e"])
        .expect(128);
    assert!(
        alone
            .stderr
            .contains("0000000e has no verdict.json: unfinished"),
        "{alone}"
    );
}

#[test]
fn a_superseded_verdict_is_shown_and_decides_nothing() {
    let repo = Repo::new();
    let path = |hash: &str| format!(".gitreins/history/2026-01-02/{hash}");
    let attempt = |exit_code, at: &str| {
        let mut value = verdict(&[step("tests", exit_code)]);
        value["job_id"] = json!("job-1");
        value["evaluated_at"] = json!(at);
        value
    };
    let (mut old, mut new) = (
        attempt(1, "2026-01-02T03:04:05"),
        attempt(0, "2026-01-02T03:04:06"),
    );
    old["superseded_by"] = json!(path("0000000b"));
    new["supersedes"] = json!(path("0000000a"));
    let write = |old: &Value, new: &Value| {
        repo.write(
            &format!("{}/verdict.json", path("0000000a")),
            &old.to_string(),
        );
        repo.write(
            &format!("{}/verdict.json", path("0000000b")),
            &new.to_string(),
        );
    };
    write(&old, &new);
    let run = repo.reins(&["adjudicate", "."]).expect(0);
    assert!(
        run.stdout.contains("0000000a FAIL") && run.stdout.contains("superseded: 1"),
        "{run}"
    );
    assert!(
        run.stdout.contains("PASS 1, FAIL 0") && run.stdout.contains("regressions: 0"),
        "{run}"
    );
    // alone it decides, since what replaced it was not read
    let _ = repo.reins(&["adjudicate", &path("0000000a")]).expect(1);
    // and nobody is excused by a word of its own
    for (member, value) in [
        ("job_id", json!("job-2")),
        ("job_id", Value::Null),
        ("task_id", json!("task-2")),
        ("evaluated_at", json!("2026-01-02T03:04:05")),
        ("supersedes", json!(path("0000000c"))),
        ("supersedes", Value::Null),
    ] {
        let mut other = new.clone();
        other[member] = value;
        write(&old, &other);
        let run = repo.reins(&["adjudicate", "."]).expect(1);
        assert!(!run.stdout.contains("superseded: "), "{member}: {run}");
    }
}

#[test]
fn no_link_is_followed_and_none_is_passed_over_in_silence() {
    let repo = filled();
    let history = repo.path(".gitreins/history");
    symlink(
        history.join("2026-01-02/0000000a"),
        history.join("2026-01-03/0000000f"),
    )
    .unwrap();
    let run = repo.reins(&["adjudicate", "--json", "."]).expect(128);
    assert_eq!(ids(&run), ["0000000a", "0000000b", "0123456789abcdef"]);
    assert!(
        run.stderr
            .contains("0000000f is a link, which is not followed"),
        "{run}"
    );
    std::fs::remove_file(history.join("2026-01-03/0000000f")).unwrap();

    symlink(history.join("2026-01-02"), history.join("2026-01-04")).unwrap();
    let run = repo.reins(&["adjudicate", "."]).expect(128);
    assert!(run.stderr.contains("2026-01-04 is a link"), "{run}");
    std::fs::remove_file(history.join("2026-01-04")).unwrap();

    symlink(&history, repo.path("around")).unwrap();
    symlink(repo.path("."), repo.path("loop")).unwrap();
    assert_eq!(
        ids(&repo.reins(&["adjudicate", "--json", "."]).expect(0)).len(),
        3
    );
    // what a person names is theirs
    assert_eq!(
        ids(&repo.reins(&["adjudicate", "--json", "around"]).expect(0)).len(),
        3
    );

    let verdict = history.join("2026-01-02/0000000b/verdict.json");
    std::fs::rename(&verdict, repo.path("moved")).unwrap();
    symlink(repo.path("moved"), &verdict).unwrap();
    let run = repo.reins(&["adjudicate", "--json", "."]).expect(128);
    assert_eq!(ids(&run), ["0000000a", "0123456789abcdef"]);
    assert!(
        run.stderr.contains("0000000b/verdict.json") && run.stderr.contains("a symbolic link"),
        "{run}"
    );
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
        (
            whole.replace("task_id", "task"),
            "field task_id: read no such member",
        ),
        (
            whole.replacen('{', r#"{"kind": "appeal", "#, 1),
            "field kind",
        ),
        (
            whole.replacen('{', r#"{"schema": "git-reins/trial/2", "#, 1),
            "field schema: read git-reins/trial/2",
        ),
        (
            whole.replacen('{', r#"{"schema": "git-reins/trial/1", "#, 1),
            "unknown field",
        ),
        (
            whole.replacen('{', r#"{"passed": true, "#, 1),
            "a second member",
        ),
        ("[".repeat(200_000), "recursion limit"),
        (
            format!("{{\"a\": {}1{}}}", "[".repeat(200_000), "]".repeat(200_000)),
            "recursion limit",
        ),
    ] {
        repo.write(bad, &text);
        let run = repo.reins(&["adjudicate", "--json", "."]).expect(128);
        assert_eq!(ids(&run), ["0000000a", "0000000b", "0123456789abcdef"]);
        assert!(
            run.stderr.contains("0000000c/verdict.json: ") && run.stderr.contains(why),
            "{why}: {run}"
        );
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
    File::create(&place)
        .unwrap()
        .set_len((64 << 20) + 1)
        .unwrap();
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
    repo.write(
        "h/2026-01-02/0000000a/verdict.json",
        &resolution.to_string(),
    );
    let run = repo.refuses(128, &["adjudicate", "h"]);
    assert!(
        run.stderr.contains("is a resolution record, no verdict"),
        "{run}"
    );
    repo.write("h/2026-01-02/0000000b/verdict.json", &good());
    let run = repo.reins(&["adjudicate", "--json", "h"]).expect(0);
    assert_eq!(ids(&run), ["0000000b"]);
    let _ = repo.reins(&["adjudicate"]).expect(129);
}
