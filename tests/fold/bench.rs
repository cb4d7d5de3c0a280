//! How is a fold called from a test? By this test binary itself, in the hermetic environment.
#![expect(clippy::unwrap_used, reason = "a test that cannot fold fails")]

use std::path::{Path, PathBuf};
use std::process::Command;

use git_reins::git::fold::{self, Addition};
use git_reins::git::plumbing::GitPlace;
use git_reins::sys::files::Root;

use crate::support::{Repo, Run};

/// What the files of a test are below.
pub const HISTORY: &str = ".gitreins/history/2026-11-30";

/// Folds everything below the history of the worktree where it is run, as `FOLD` says.
#[test]
#[ignore = "run by the other tests, in their environment"]
fn driver() {
    let how = std::env::var("FOLD").unwrap();
    let place = GitPlace::find(Path::new("."), None).unwrap();
    println!(
        "FOLD {}FOLD END",
        answer(&place, &how).unwrap_or_else(|error| format!("error: {error}"))
    );
}

fn answer(place: &GitPlace, how: &str) -> Result<String, fold::FoldError> {
    let _lock = fold::lock(place)?;
    let ground = fold::head_state(place)?;
    let top = place.worktree.clone().unwrap();
    let additions = additions(&top);
    let disk = Root::open(&top).unwrap();
    let mut bytes = |path: &git_reins::model::path::RepoPath| {
        if how == "race" {
            let commit = ["commit", "-q", "--allow-empty", "-m", "meanwhile"];
            assert!(Command::new("git").args(commit).status().unwrap().success());
        }
        Ok(disk.read(path)?.unwrap())
    };
    match how {
        "stage" => {
            fold::stage(place, &ground, &additions, &mut bytes).map(|()| "staged".to_owned())
        }
        _ => {
            let message = "[artifact] fold\n\nTask: T-1";
            fold::land(place, &ground, &additions, &mut bytes, message).map(|id| id.to_string())
        }
    }
}

fn additions(top: &Path) -> Vec<Addition> {
    let (mut left, mut found) = (vec![top.join(".gitreins/history")], Vec::new());
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                let name = path
                    .strip_prefix(top)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .parse()
                    .unwrap();
                found.push(Addition {
                    path: name,
                    size: path.metadata().unwrap().len(),
                });
            }
        }
    }
    found
}

/// A repository with a file, a commit, and a verdict of two files that is not folded yet.
pub fn repo() -> Repo {
    let repo = Repo::new();
    begin(&repo);
    repo
}

/// The same for an empty repository.
pub fn begin(repo: &Repo) {
    repo.write("a", "a\n");
    repo.write("b", "b\n");
    repo.write(".gitignore", ".gitreins/history/\n");
    repo.commit("start");
    verdict(repo);
}

/// Two files, one of them with every kind of line ending.
pub fn verdict(repo: &Repo) {
    repo.write(
        &format!("{HISTORY}/0000abcd/verdict.json"),
        "{\"passed\": true}\n",
    );
    repo.write(
        &format!("{HISTORY}/0000abcd/summary.md"),
        "mixed\r\nends\nhere\r",
    );
}

/// A fold at the top level; the id of the commit, or the error.
pub fn fold(repo: &Repo) -> Result<String, String> {
    folded(repo, &mut command(repo, &repo.path(""), "land"))
}

/// The command that folds as `how` says in a directory.
pub fn command(repo: &Repo, dir: &Path, how: &str) -> Command {
    let mut command = repo.command(program().to_str().unwrap(), dir);
    command
        .args(["--exact", "fold::bench::driver", "--ignored", "--nocapture"])
        .env("FOLD", how);
    command
}

/// This test binary.
pub fn program() -> PathBuf {
    std::env::current_exe().unwrap()
}

/// Runs such a command.
pub fn folded(repo: &Repo, command: &mut Command) -> Result<String, String> {
    answered(&repo.captured(command.output().unwrap()))
}

fn answered(run: &Run) -> Result<String, String> {
    let (_, answer) = run
        .stdout
        .split_once("FOLD ")
        .unwrap_or_else(|| panic!("no answer: {run}"));
    let answer = answer.split("FOLD END").next().unwrap().trim_end();
    answer
        .strip_prefix("error: ")
        .map_or(Ok(answer.to_owned()), |error| Err(error.to_owned()))
}

/// A fold that has to fail and to change no ref, no byte of index and worktree; its error.
pub fn unchanged(repo: &Repo, how: &str) -> String {
    refused(repo, &mut command(repo, &repo.path(""), how))
}

/// The same for a command.
pub fn refused(repo: &Repo, command: &mut Command) -> String {
    let run = repo.unchanged(|| repo.captured(command.output().unwrap()));
    answered(&run).unwrap_err()
}

/// The objects are sound, HEAD holds the verdict, its bytes are the disk's, and the index agrees.
pub fn assert_folded(repo: &Repo) {
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
    for name in ["verdict.json", "summary.md"] {
        let path = format!("{HISTORY}/0000abcd/{name}");
        let listed = repo.git(&["ls-tree", "HEAD", &path]);
        assert!(listed.starts_with("100644 blob "), "{path}: {listed:?}");
        let id = &listed[12..listed.find('\t').unwrap()];
        assert_eq!(
            repo.git(&["cat-file", "blob", id]),
            repo.read(&path),
            "{path}"
        );
        assert_eq!(
            repo.git(&["ls-files", "--stage", &path]),
            format!("100644 {id} 0\t{path}\n")
        );
    }
}

/// The index without what is folded: modes, ids, stages and marks of every entry.
pub fn rest_of_index(repo: &Repo) -> String {
    let listed = repo.git(&["ls-files", "--stage", "-t", "-v", "--full-name"]);
    listed
        .lines()
        .filter(|line| !line.contains("history"))
        .map(|line| format!("{line}\n"))
        .collect()
}
