//! Where git really looks: every scope and value of core.hooksPath, worktrees, submodules.

use std::fs;
use std::os::unix::fs::symlink;

use super::clone::{Clone, state};
use crate::support::BINARY;

#[test]
fn the_default_directory_by_another_name_is_the_default() {
    for name in [".git/hooks", "./.git/../.git/hooks", ""] {
        let clone = Clone::new();
        let absolute = clone.path(".git/hooks").display().to_string();
        clone.git(&[
            "config",
            "core.hooksPath",
            if name.is_empty() { &absolute } else { name },
        ]);
        let config = clone.read(".git/config");
        clone.install();
        clone.note("one");
        fs::remove_file(clone.path(".git/reins/bin")).unwrap();
        let _ = clone.push("topic").expect(1); // it is the hook that git runs
        clone.install();
        let _ = clone.push("topic").expect(0);
        let _ = clone.reins(&["hooks", "uninstall"]).expect(0);
        assert_eq!(clone.read(".git/config"), config);
    }
}

#[test]
fn nothing_is_written_outside_or_where_nothing_is() {
    for value in ["~/hooks", "../elsewhere", "spec"] {
        let clone = Clone::new();
        for outside in ["../elsewhere", "../home/hooks"] {
            fs::create_dir(clone.path(outside)).unwrap();
        }
        clone.git(&["config", "core.hooksPath", value]);
        let outside = state(&clone.path(".."));
        for extra in [&[][..], &["--force"]] {
            let refused = clone
                .reins(&[&["hooks", "install"], extra].concat())
                .expect(1);
            assert!(
                refused
                    .stderr
                    .contains("nothing is written: git looks for hooks in "),
                "{value}: {refused}"
            );
            assert!(
                refused.stderr.contains("core.hooksPath is "),
                "{value}: {refused}"
            );
            assert_eq!(
                refused.stdout,
                "git reins hook run pre-push \"$@\" || exit $?\n"
            );
        }
        let _ = clone.reins(&["hooks", "uninstall"]).expect(0);
        assert_eq!(state(&clone.path("..")), outside, "{value}");
    }
}

#[test]
fn a_setting_that_leads_nowhere_is_to_be_unset() {
    for value in ["/dev/null", "", "not/there", "/no/such/hooks"] {
        for scope in ["--local", "--worktree", "--global"] {
            let clone = Clone::new();
            clone.git(&["config", "extensions.worktreeConfig", "true"]);
            let sh = |line: &str| {
                let mut command = clone.command("sh", &clone.path("."));
                let path = std::path::Path::new(BINARY)
                    .parent()
                    .unwrap()
                    .display()
                    .to_string();
                command.env("PATH", format!("{path}:{}", std::env::var("PATH").unwrap()));
                command
                    .args(["-c", line])
                    .env("GIT_CONFIG_GLOBAL", clone.path("../home/.gitconfig"));
                clone.captured(command.output().unwrap())
            };
            let _ = sh(&format!("git config {scope} core.hooksPath '{value}'")).expect(0);
            let before = state(&clone.path(".."));
            for force in ["", " --force"] {
                let refused = sh(&format!("git reins hooks install{force}")).expect(1);
                assert!(
                    refused.stderr.contains("no directory, so no hook runs"),
                    "{value}: {refused}"
                );
                assert_eq!(refused.stdout, "");
            }
            let _ = sh("git reins hooks uninstall").expect(0);
            assert_eq!(state(&clone.path("..")), before, "{value}");
            let refused = sh("git reins hooks install").expect(1);
            let hint = refused
                .stderr
                .lines()
                .find_map(|line| line.strip_prefix("hint: "))
                .unwrap();
            let relative = scope == "--global" && value == "not/there";
            let unset = format!("git config {scope} --unset core.hooksPath");
            assert_eq!(hint == unset, !relative, "{hint}");
            assert!(
                sh("git reins doctor")
                    .expect(1)
                    .stdout
                    .contains(&format!("fix: {hint}\n"))
            );
            let _ = sh(hint).expect(0);
            let _ = sh("git reins hooks install && git reins doctor").expect(0);
        }
    }
}

#[test]
fn a_relative_setting_is_another_directory_in_each_worktree() {
    let clone = Clone::new();
    let linked = clone.linked("side");
    fs::create_dir(clone.path("hk")).unwrap();
    clone.git(&["config", "core.hooksPath", "hk"]);
    let said = clone.reins(&["hooks", "install"]).expect(0).stderr;
    assert!(
        said.contains("note: core.hooksPath hk is another directory in each worktree"),
        "{said}"
    );
    let found = clone.reins(&["doctor"]).expect(0).stdout;
    assert!(
        found.contains("note: worktree-without-hook: nothing of ours at TEMP/linked/hk/pre-push"),
        "{found}"
    );
    assert!(
        found.contains("fix: mkdir -p TEMP/linked/hk && git -C TEMP/linked reins hooks install\n"),
        "{found}"
    );
    fs::create_dir(clone.path("../linked/hk")).unwrap();
    let _ = linked.reins(&["hooks", "install"]).expect(0);
    let found = clone.reins(&["doctor"]).expect(0).stdout;
    assert!(!found.contains("worktree-without-hook"), "{found}");
}

#[test]
fn a_setting_for_more_than_this_repository_is_not_ours_to_serve() {
    let clone = Clone::new();
    fs::create_dir(clone.path("hk")).unwrap(); // untracked, inside: it is the scope that matters
    clone.write("../home/.gitconfig", "[core]\n\thooksPath = hk\n");
    let config = clone.path("../home/.gitconfig");
    let before = state(&clone.path("."));
    let mut command = clone.command(BINARY, &clone.path("."));
    command
        .args(["hooks", "install"])
        .env("GIT_CONFIG_GLOBAL", config);
    let refused = clone.captured(command.output().unwrap()).expect(1);
    assert!(refused.stderr.contains("(global, file:"), "{refused}");
    let mut command = clone.command("git", &clone.path("."));
    command.args(["-c", "core.hooksPath=hk", "reins", "hooks", "install"]);
    let path = std::path::Path::new(BINARY)
        .parent()
        .unwrap()
        .display()
        .to_string();
    command.env("PATH", format!("{path}:{}", std::env::var("PATH").unwrap()));
    let refused = clone.captured(command.output().unwrap()).expect(1);
    assert!(
        refused.stderr.contains("(command, command line:"),
        "{refused}"
    );
    assert_eq!(state(&clone.path(".")), before);
}

#[test]
fn an_untracked_directory_inside_is_written_and_restored() {
    let clone = Clone::new();
    clone.script("hk/pre-push", "#!/bin/sh\necho before >&2\n");
    clone.git(&["config", "core.hooksPath", "hk"]);
    let before = (clone.state(), state(&clone.path("hk")));
    clone.install();
    assert!(clone.path("hk/pre-push.reins-orig").exists());
    let found = clone.reins(&["doctor", "--json"]).expect(0).stdout;
    assert!(found.contains("\"healthy\": true"), "{found}");
    let _ = clone.reins(&["hooks", "uninstall"]).expect(0);
    assert_eq!((clone.state(), state(&clone.path("hk"))), before);
}

#[test]
fn a_tracked_directory_is_not_written_whatever_leads_there() {
    let clone = Clone::new();
    clone.script("hk/pre-push", "#!/bin/sh\nexit 0\n");
    clone.commit("hooks");
    let inside = |clone: &Clone| state(&clone.path("hk"));
    let before = inside(&clone);
    clone.git(&["config", "core.hooksPath", "hk"]);
    let refused = clone.refuses(1, &["hooks", "install", "--force"]);
    assert!(
        refused.stderr.contains("its files are tracked"),
        "{refused}"
    );
    clone.git(&["config", "--unset", "core.hooksPath"]);
    fs::remove_dir_all(clone.path(".git/hooks")).unwrap();
    symlink("../hk", clone.path(".git/hooks")).unwrap();
    let refused = clone.refuses(1, &["hooks", "install", "--force"]);
    assert!(
        refused.stderr.contains("its files are tracked"),
        "{refused}"
    );
    assert_eq!(inside(&clone), before);
}

#[test]
fn worktrees_share_the_hook_and_each_pushes_through_it() {
    let clone = Clone::new();
    let linked = clone.linked("side");
    let _ = linked.reins(&["hooks", "install"]).expect(0);
    assert!(clone.path(".git/hooks/pre-push").exists() && clone.path(".git/reins/bin").exists());
    linked.git(&["push", "-q", "origin", "side"]);
    assert!(
        linked
            .reins(&["doctor"])
            .expect(0)
            .stdout
            .starts_with("note: ")
    );
    fs::remove_file(clone.path(".git/reins/bin")).unwrap();
    let mut push = clone.command("git", &clone.path("../linked"));
    push.args(["push", "origin", "side:again"]);
    let _ = clone.captured(push.output().unwrap()).expect(1);
    let _ = linked.reins(&["hooks", "uninstall"]).expect(0);
    assert!(!clone.path(".git/reins").exists());
}

#[test]
fn a_setting_of_one_worktree_counts_there_only() {
    let clone = Clone::new();
    let linked = clone.linked("side");
    clone.git(&["config", "extensions.worktreeConfig", "true"]);
    fs::create_dir(clone.path("../linked/hk")).unwrap();
    linked.git(&["config", "--worktree", "core.hooksPath", "hk"]);
    let _ = linked.reins(&["hooks", "install"]).expect(0);
    clone.install();
    assert!(
        clone.path("../linked/hk/pre-push").exists() && clone.path(".git/hooks/pre-push").exists()
    );
    let _ = clone.reins(&["hooks", "uninstall"]).expect(0);
    assert!(
        !clone.path("../linked/hk/pre-push").exists()
            && !clone.path(".git/hooks/pre-push").exists()
    );
}

#[test]
fn a_submodule_has_hooks_of_its_own() {
    let clone = Clone::new();
    clone.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "../server.git",
        "sub",
    ]);
    let run = clone.reins_in("sub", &["hooks", "install"]).expect(0);
    assert!(
        run.stderr.contains(".git/modules/sub/hooks/pre-push"),
        "{run}"
    );
    assert!(clone.path(".git/modules/sub/reins/bin").is_symlink());
    assert!(!clone.path(".git/hooks/pre-push").exists());
    let _ = clone.reins_in("sub", &["doctor"]).expect(0);
}

#[test]
fn a_bare_repository_and_no_repository() {
    let clone = Clone::new();
    let run = clone
        .reins_in("../server.git", &["hooks", "install"])
        .expect(0);
    assert!(run.stderr.contains("server.git/hooks/pre-push"), "{run}");
    let _ = clone
        .reins_in("../server.git", &["hooks", "uninstall"])
        .expect(0);
    for command in [&["hooks", "install"][..], &["hooks", "status"], &["doctor"]] {
        let _ = clone.reins_in("../home", command).expect(128);
    }
    let error = clone.reins_in("../home", &["doctor", "--json"]).expect(128);
    assert!(error.stdout.contains("\"git-reins/error/1\""), "{error}");
}
