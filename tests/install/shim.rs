//! The file that git runs: it finds the program, or the push is refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::clone::Clone;
use crate::support::{BINARY, add_row};

#[test]
fn the_installed_file_is_the_one_of_the_source_and_a_shell_script() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/hooks/pre-push");
    let clone = Clone::new();
    clone.install();
    let installed = clone.path(".git/hooks/pre-push");
    assert_eq!(fs::read(&installed).unwrap(), fs::read(file).unwrap());
    for path in [installed.as_path(), file.as_ref()] {
        assert_eq!(
            fs::metadata(path).unwrap().permissions().mode() & 0o777,
            0o755
        );
    }
    let text = fs::read_to_string(file).unwrap();
    assert!(text.starts_with("#!/bin/sh\n") && text.is_ascii() && !text.contains('\r'));
}

#[test]
fn a_push_is_refused_when_the_program_is_gone() {
    let clone = Clone::new();
    clone.install();
    clone.note("one");
    fs::remove_file(clone.path(".git/reins/bin")).unwrap();
    std::os::unix::fs::symlink("/no/such/git-reins", clone.path(".git/reins/bin")).unwrap();
    let refused = clone.push("topic").expect(1);
    insta::assert_snapshot!(refused.stderr.lines().take(2).collect::<Vec<_>>().join("\n"), @r"
    git-reins: the program is gone from reins/bin and is not on PATH
    repair: git-reins hooks install; skip on purpose: git push --no-verify
    ");
    assert!(refused.stderr.lines().take(2).all(|line| line.len() <= 72));
    assert!(clone.git(&["ls-remote", "origin", "topic"]).is_empty());
}

#[test]
fn the_program_on_path_is_good_enough() {
    let clone = Clone::new();
    clone.install();
    clone.note("one");
    fs::remove_file(clone.path(".git/reins/bin")).unwrap();
    clone.script(
        "../tools/git-reins",
        &format!("#!/bin/sh\necho from PATH >&2\nexec {BINARY} \"$@\"\n"),
    );
    let path = format!(
        "{}:{}",
        clone.path("../tools").display(),
        std::env::var("PATH").unwrap()
    );
    let pushed = clone
        .push_with("topic", |command| command.env("PATH", path))
        .expect(0);
    assert!(pushed.stderr.contains("from PATH"), "{pushed}");
}

#[test]
fn odd_places_of_program_and_repository_are_found() {
    let clone = Clone::new();
    let odd = "o d'd\"$(x)\n";
    let tools = clone.path("..").join(odd);
    fs::create_dir(&tools).unwrap();
    fs::copy(BINARY, tools.join("git-reins")).unwrap();
    let place = clone.path("..").join(format!("{odd} clone\n"));
    clone.git(&["clone", "-q", "../server.git", place.to_str().unwrap()]);
    let program = tools.join("git-reins");
    let run = clone
        .command(program.to_str().unwrap(), &place)
        .args(["hooks", "install"])
        .output()
        .unwrap();
    let _ = clone.captured(run).expect(0);
    assert_eq!(
        fs::read_link(place.join(".git/reins/bin")).unwrap(),
        program.canonicalize().unwrap()
    );
    fs::create_dir_all(place.join("a/b")).unwrap();
    for (dir, branch) in [(place.clone(), "one"), (place.join("a/b"), "two")] {
        let mut push = clone.command("git", &dir);
        push.args(["push", "origin", &format!("HEAD:refs/heads/{branch}")]);
        let _ = clone.captured(push.output().unwrap()).expect(0);
    }
    // and it was the hook that let them pass
    fs::remove_file(&program).unwrap();
    let mut push = clone.command("git", &place);
    push.args(["push", "origin", "HEAD:refs/heads/three"]);
    let _ = clone.captured(push.output().unwrap()).expect(1);
}

#[test]
fn the_hook_judges_what_is_pushed() {
    let clone = Clone::new();
    clone.install();
    clone.patch();
    let refused = clone.push("main").expect(1);
    assert!(
        refused.stderr.contains("NO_UNFROZEN_PROPERTIES"),
        "{refused}"
    );
    clone.git(&["reset", "-q", "--hard", "origin/main"]);
    let _ = add_row(&clone, "balance-01").expect(0);
    let pin = [
        "fixture",
        "pin",
        "--epoch",
        "epoch-1",
        "--runner-image",
        "auto",
    ];
    let _ = clone.reins(&pin).expect(0);
    clone.commit("oracle");
    let _ = clone.push("main").expect(0);
}
