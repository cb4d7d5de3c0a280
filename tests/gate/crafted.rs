//! What do objects get that no git would write: crafted trees and commits?
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot tell its story fails"
)]

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::Value;

use super::healthy::{admitted, ask_about, both};
use super::story::{Answer, Story};

/// The bytes of an object id.
pub fn unhex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// Writes an object as it is.
fn object(story: &Story, kind: &str, bytes: &[u8]) -> String {
    let mut command = story.command("git", &story.path(""));
    command.args(["hash-object", "-t", kind, "-w", "--literally", "--stdin"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The raw entries of a tree.
fn entries(story: &Story, tree: &str) -> Vec<(String, Vec<u8>, String)> {
    let listed = story.git(&["ls-tree", "-z", tree]);
    let rows = listed.split_terminator('\0').map(|row| {
        let (head, name) = row.split_once('\t').unwrap();
        let words: Vec<_> = head.split(' ').collect();
        (
            words[0].trim_start_matches('0').to_owned(),
            name.as_bytes().to_vec(),
            words[2].to_owned(),
        )
    });
    rows.collect()
}

fn tree(story: &Story, entries: &[(String, Vec<u8>, String)]) -> String {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend_from_slice(mode.as_bytes());
        bytes.push(b' ');
        bytes.extend_from_slice(name);
        bytes.push(0);
        bytes.extend(unhex(id));
    }
    object(story, "tree", &bytes)
}

/// Commits a tree on top of `topic`, without looking at it.
fn commit_tree(story: &Story, tree: &str) -> String {
    let id = story.git(&["commit-tree", "-p", "topic", "-m", "crafted", tree]);
    id.trim().to_owned()
}

/// `topic` with its root tree, or one directory in it, rewritten entry by entry.
fn crafted(
    story: &Story,
    inner: &str,
    bend: impl FnOnce(&mut Vec<(String, Vec<u8>, String)>),
) -> String {
    let place = if inner.is_empty() {
        "topic^{tree}".to_owned()
    } else {
        format!("topic:{inner}")
    };
    let mut inside = entries(story, &place);
    bend(&mut inside);
    let mut made = tree(story, &inside);
    if !inner.is_empty() {
        let mut root = entries(story, "topic^{tree}");
        root.iter_mut()
            .find(|(_, name, _)| name == inner.as_bytes())
            .unwrap()
            .2 = made;
        made = tree(story, &root);
    }
    commit_tree(story, &made)
}

#[test]
fn trees_with_names_that_no_checkout_survives() {
    for make in both() {
        let healthy = make();
        let story = &healthy.story;
        let blob = object(story, "blob", b"x\n");
        for name in ["..", ".", ".git", ".GIT", ".Git", "", "a/b", ".git/config"] {
            for inner in ["", "docs", "src", "ledger", "properties"] {
                let tip = crafted(story, inner, |entries| {
                    entries.insert(
                        0,
                        ("100644".to_owned(), name.as_bytes().to_vec(), blob.clone()),
                    );
                });
                let answer = Answer::of(ask_about(story, &tip));
                let is_refused = matches!(answer.run.code, Some(1 | 128));
                assert!(is_refused, "{inner}/{name:?}: {}", answer.run);
            }
        }
        let tip = crafted(story, "docs", |entries| {
            entries.insert(0, ("100644".to_owned(), b"..".to_vec(), blob.clone()));
        });
        assert!(
            Answer::of(ask_about(story, &tip))
                .refusals()
                .contains(&"PATH_UNSAFE")
        );
    }
}

#[test]
fn an_entry_that_stands_in_a_tree_twice() {
    let evil = "def balance(a, b):\n    return 0\n";
    for inner in [
        "",
        "src",
        "ledger",
        "properties",
        "spec",
        "fixtures",
        "docs",
    ] {
        for first in [true, false] {
            let healthy = admitted();
            let story = &healthy.story;
            story.land();
            let blob = object(story, "blob", evil.as_bytes());
            let tip = crafted(story, inner, |entries| {
                let mut double = entries[0].clone();
                if double.0 == "40000" {
                    double = entries
                        .iter()
                        .find(|(_, name, _)| name == b"src")
                        .unwrap()
                        .clone();
                    double.2 = tree(
                        story,
                        &[("100644".to_owned(), b"account.py".to_vec(), blob.clone())],
                    );
                } else {
                    double.2.clone_from(&blob);
                }
                let at = entries
                    .iter()
                    .position(|(_, name, _)| *name == double.1)
                    .unwrap();
                entries.insert(at + usize::from(!first), double);
            });
            // beside an exempt change that would be admitted alone
            let answer = Answer::of(ask_about(story, &tip));
            assert_ne!(
                answer.run.code,
                Some(0),
                "{inner}, first {first}: {}",
                answer.run
            );
            story.git(&["update-ref", "refs/heads/topic", &tip]);
            let docs = object(story, "blob", b"more\n");
            let tip = crafted(story, "docs", |entries| entries[0].2 = docs);
            let answer = Answer::of(ask_about(story, &tip));
            assert_ne!(
                answer.run.code,
                Some(0),
                "{inner}, first {first}, with docs: {}",
                answer.run
            );
        }
    }
}

#[test]
fn a_file_and_a_directory_of_one_name() {
    for (inner, dirty) in [
        ("", "src"),
        ("", "docs"),
        ("", "ledger"),
        ("", "properties"),
    ] {
        let healthy = admitted();
        let story = &healthy.story;
        story.land();
        let blob = object(story, "blob", b"x\n");
        let code = tree(
            story,
            &[("100644".to_owned(), b"account.py".to_vec(), blob.clone())],
        );
        let tip = crafted(story, inner, |entries| {
            let at = entries
                .iter()
                .position(|(_, name, _)| name == dirty.as_bytes())
                .unwrap();
            entries.insert(at, ("100644".to_owned(), dirty.as_bytes().to_vec(), blob));
            entries
                .iter_mut()
                .find(|(_, name, _)| name == b"src")
                .unwrap()
                .2 = code;
        });
        let answer = Answer::of(ask_about(story, &tip));
        assert_eq!(answer.run.code, Some(128), "{dirty}: {}", answer.run);
    }
}

#[test]
fn a_tree_that_is_out_of_order() {
    for make in both() {
        for inner in ["", "ledger", "properties"] {
            let healthy = make();
            let story = &healthy.story;
            let tip = crafted(story, inner, |entries| entries.reverse());
            let answer = Answer::of(ask_about(story, &tip));
            assert!(
                matches!(answer.run.code, Some(1 | 128)) || answer.run.code == healthy.answer.code
            );
        }
        // code that hides behind the wrong order
        let healthy = make();
        let story = &healthy.story;
        story.land();
        let blob = object(story, "blob", b"x\n");
        let tip = crafted(story, "src", |entries| {
            entries.insert(0, ("100644".to_owned(), b"zzz.py".to_vec(), blob.clone()));
            entries.push(("100644".to_owned(), b"aaa.py".to_vec(), blob));
        });
        let answer = Answer::of(ask_about(story, &tip));
        assert!(
            answer.json["patch_commits"]
                .as_array()
                .is_none_or(|commits| commits.len() == 1),
            "{}",
            answer.run
        );
    }
}

#[test]
fn entries_of_odd_modes() {
    for (mode, inner) in [
        ("100664", "ledger"),
        ("100755", "ledger"),
        ("120000", "ledger"),
        ("160000", "ledger"),
        ("40000", "ledger"),
        ("100600", "properties"),
        ("120000", "properties"),
        ("100664", "fixtures"),
        ("160000", "fixtures"),
        ("120000", "spec"),
    ] {
        let healthy = admitted();
        let story = &healthy.story;
        let tip = crafted(story, inner, |entries| {
            entries
                .iter_mut()
                .for_each(|entry| entry.0 = mode.to_owned())
        });
        let answer = Answer::of(ask_about(story, &tip));
        assert!(
            matches!(answer.run.code, Some(1 | 128)),
            "{mode} in {inner}: {}",
            answer.run
        );
    }
}

#[test]
fn trees_that_never_end() {
    let healthy = admitted();
    let story = &healthy.story;
    let deep = nested(story, 3_000);
    for inner in [
        "",
        "src",
        "docs",
        "ledger",
        "properties",
        "fixtures",
        "spec",
    ] {
        let tip = crafted(story, inner, |entries| {
            entries.push(("40000".to_owned(), b"zzz".to_vec(), deep.clone()))
        });
        let run = ask_about(story, &tip);
        assert!(matches!(run.code, Some(1 | 128)), "{inner}: {run}");
    }
}

/// A file that many directories lie above.
fn nested(story: &Story, depth: usize) -> String {
    let blob = object(story, "blob", b"x\n");
    let mut command = story.command("git", &story.path(""));
    command
        .args(["mktree", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut entry = format!("100644 blob {blob}\tf");
    let mut id = String::new();
    for _ in 0..depth {
        stdin.write_all(format!("{entry}\n\n").as_bytes()).unwrap();
        id = lines.next().unwrap().unwrap();
        entry = format!("040000 tree {id}\td");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
    id
}

#[test]
fn commits_with_odd_dates() {
    for make in both() {
        for dates in [
            "0 +0000",
            "4102444800 +0000",
            "1 -1200",
            "9223372036854775807 +0000",
            "-5 +0000",
            "99999999999999999999 +0000",
        ] {
            let healthy = make();
            let story = &healthy.story;
            let mut parent = story.id("main");
            for (at, id) in story
                .git(&["rev-list", "--reverse", "main..topic"])
                .lines()
                .enumerate()
            {
                let whole = story.git(&["cat-file", "commit", id]);
                let tree = whole.lines().next().unwrap();
                // every second commit keeps its date
                let date = if at % 2 == 0 {
                    dates
                } else {
                    "1790000500 +0000"
                };
                let who = format!("Ada <ada@example.org> {date}");
                let text = format!("{tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\nx\n");
                parent = object(story, "commit", text.as_bytes());
            }
            let now = Answer::of(ask_about(story, &parent));
            let before: Value = serde_json::from_str(&healthy.answer.stdout).unwrap();
            let is_same =
                now.run.code == healthy.answer.code && now.json["refusals"] == before["refusals"];
            assert!(
                is_same || matches!(now.run.code, Some(1 | 128)),
                "{dates}: {}",
                now.run
            );
            if dates.len() < 20 {
                assert!(is_same, "{dates}: {}", now.run);
            }
        }
    }
}
