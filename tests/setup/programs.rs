//! Which program does git find by our name: ours, none, an older one, a broken one?

use std::path::Path;

use crate::support::{BINARY, Repo, Run};

/// The programs that can stand at our name.
pub const BROKEN: [(&str, Option<&str>); 8] = [
    ("gone", None),
    ("not executable by the system", Some("\u{7f}ELF")),
    (
        "older",
        Some("#!/bin/sh\necho \"error: unrecognized subcommand '$1'\" >&2\nexit 129\n"),
    ),
    ("leaves with 3", Some("#!/bin/sh\nexit 3\n")),
    ("prints garbage", Some("#!/bin/sh\necho garbage\nexit 0\n")),
    (
        "prints garbage and fails",
        Some("#!/bin/sh\necho '<<<<<<< garbage'\nexit 1\n"),
    ),
    ("says nothing", Some("#!/bin/sh\nexit 0\n")),
    ("is killed", Some("#!/bin/sh\nprintf half\nkill -9 $$\n")),
];

/// A PATH on which our program stands.
pub fn with_ours() -> String {
    let ours = Path::new(BINARY).parent().unwrap();
    format!("{}:{}", ours.display(), std::env::var("PATH").unwrap())
}

/// A PATH on which something else stands at its name, or nothing.
pub fn with_other(repo: &Repo, program: Option<&str>) -> String {
    let machine = std::env::var("PATH").unwrap();
    let holds = |dir: &&str| !Path::new(dir).join("git-reins").exists();
    let machine = machine
        .split(':')
        .filter(holds)
        .collect::<Vec<_>>()
        .join(":");
    let Some(text) = program else { return machine };
    repo.script(".git/other/git-reins", text);
    format!("{}:{machine}", repo.path(".git/other").display())
}

/// Runs git with a PATH.
pub fn git_on(repo: &Repo, path: &str, args: &[&str]) -> Run {
    git_in(repo, path, &repo.path(""), args)
}

/// The same in a directory.
pub fn git_in(repo: &Repo, path: &str, dir: &Path, args: &[&str]) -> Run {
    let mut command = repo.command("git", dir);
    repo.captured(
        command
            .env("PATH", path)
            .env("GIT_EDITOR", "true")
            .args(args)
            .output()
            .unwrap(),
    )
}
