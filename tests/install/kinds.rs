//! Every kind of hook that may stand there: after install and uninstall all is as it was.

use std::fs;
use std::os::unix::fs::symlink;

use super::clone::Clone;

const ROUNDS: usize = 2;

const KINDS: [&str; 13] = [
    "samples-only",
    "no-hooks-directory",
    "empty-hooks-directory",
    "text",
    "binary",
    "link",
    "dangling-link",
    "not-executable",
    "crlf",
    "exec",
    "odd-mode",
    "no-bytes",
    "not-text",
];

fn put(clone: &Clone, kind: &str) {
    let hooks = clone.path(".git/hooks");
    match kind {
        "samples-only" => {}
        "no-hooks-directory" => fs::remove_dir_all(hooks).unwrap(),
        "empty-hooks-directory" => {
            fs::remove_dir_all(&hooks).unwrap();
            fs::create_dir(hooks).unwrap();
        }
        "text" => clone.hook_file(b"#!/bin/sh\nexit 0", 0o755),
        "binary" => clone.hook_file(&fs::read("/bin/true").unwrap(), 0o755),
        "link" => {
            clone.script("tools/hook", "#!/bin/sh\nexit 0\n");
            symlink("../../tools/hook", hooks.join("pre-push")).unwrap();
        }
        "dangling-link" => symlink("../../tools/no hook\n", hooks.join("pre-push")).unwrap(),
        "not-executable" => clone.hook_file(b"#!/bin/sh\nexit 1\n", 0o644),
        "crlf" => clone.hook_file(b"#!/bin/sh\r\nexit 0\r\n", 0o644),
        "exec" => clone.hook_file(b"#!/bin/sh\nexec true \"$@\"\n", 0o775),
        "odd-mode" => clone.hook_file(b"#!/bin/sh\nexit 0\n", 0o4711),
        "no-bytes" => clone.hook_file(b"", 0o755),
        "not-text" => clone.hook_file(b"#!/bin/sh\n\xff\xfe\x00exit 0\n", 0o755),
        other => panic!("{other}"),
    }
}

fn rounds(kind: &str, rounds: usize) {
    let clone = Clone::new();
    put(&clone, kind);
    let before = clone.state();
    for round in 0..rounds {
        clone.install();
        let installed = clone.state();
        assert_ne!(installed, before, "{kind}");
        let again = clone.reins(&["hooks", "install"]).expect(0);
        assert_eq!(
            (again.stdout.as_str(), again.stderr.as_str()),
            ("", "unchanged\n"),
            "{kind}"
        );
        assert_eq!(clone.state(), installed, "{kind}");
        let _ = clone.reins(&["hooks", "uninstall"]).expect(0);
        assert_eq!(clone.state(), before, "{kind}, round {round}");
    }
    let again = clone.reins(&["hooks", "uninstall"]).expect(0);
    assert_eq!(again.stderr, "unchanged\n");
}

#[test]
fn install_and_uninstall_leave_every_kind_of_hook_as_it_was() {
    for kind in KINDS {
        rounds(kind, ROUNDS);
    }
}

#[test]
#[ignore = "a minute: run it by hand"]
fn a_hundred_times_over() {
    for kind in KINDS {
        rounds(kind, 100);
    }
}

#[test]
fn a_dry_run_changes_nothing_and_says_the_steps() {
    let clone = Clone::new();
    put(&clone, "text");
    let before = clone.state();
    let plan = clone.reins(&["hooks", "install", "--dry-run"]).expect(0);
    insta::assert_snapshot!(plan.stdout.replace(crate::support::BINARY, "BINARY"), @r"
    make TEMP/repo/.git/reins/
    record it in reins/hooks.json
    let reins/bin lead to BINARY
    keep TEMP/repo/.git/hooks/pre-push as pre-push.reins-orig
    write TEMP/repo/.git/hooks/pre-push
    ");
    assert_eq!(clone.state(), before);
    clone.install();
    let installed = clone.state();
    let plan = clone.reins(&["hooks", "uninstall", "--dry-run"]).expect(0);
    insta::assert_snapshot!(plan.stdout, @r"
    put pre-push.reins-orig back in the place of TEMP/repo/.git/hooks/pre-push
    remove reins/bin
    remove reins/hooks.json
    remove TEMP/repo/.git/reins/ if it is empty
    ");
    assert_eq!(clone.state(), installed);
}

#[test]
fn what_nobody_recorded_and_what_is_not_ours_is_told_apart() {
    let clone = Clone::new();
    let before = clone.state();
    clone.hook_file(
        &fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/hooks/pre-push")).unwrap(),
        0o755,
    );
    let _ = clone.reins(&["hooks", "uninstall"]).expect(0);
    assert_eq!(clone.state(), before);
    clone.write(".git/reins/other", "of somebody else");
    let before = clone.state();
    clone.install();
    let _ = clone.reins(&["hooks", "uninstall"]).expect(0);
    assert_eq!(clone.state(), before);
}

#[test]
fn what_is_no_file_is_left_alone() {
    let clone = Clone::new();
    fs::create_dir(clone.path(".git/hooks/pre-push")).unwrap();
    let before = clone.state();
    let refused = clone.refuses(1, &["hooks", "install", "--force"]);
    assert!(refused.stderr.contains("is a directory"), "{refused}");
    assert_eq!(clone.state(), before);
}

#[test]
fn a_kept_name_that_is_taken_is_not_written_over() {
    let clone = Clone::new();
    put(&clone, "text");
    clone.write(".git/hooks/pre-push.reins-orig", "somebody's");
    let before = clone.state();
    let refused = clone.refuses(1, &["hooks", "install", "--force"]);
    assert!(
        refused
            .stderr
            .contains("pre-push.reins-orig exists already"),
        "{refused}"
    );
    assert!(refused.stderr.contains("hint: mv "), "{refused}");
    assert_eq!(clone.state(), before);
}

#[test]
fn an_edited_hook_of_ours_stops_both_and_force_sets_it_aside() {
    let clone = Clone::new();
    put(&clone, "text");
    let old = clone.read(".git/hooks/pre-push");
    clone.install();
    let edited = clone
        .read(".git/hooks/pre-push")
        .replace("exit 1", "exit 0");
    clone.write(".git/hooks/pre-push", &edited);
    let before = clone.state();
    for command in ["install", "uninstall"] {
        let refused = clone.reins(&["hooks", command]).expect(1);
        assert!(refused.stderr.contains("somebody edited"), "{refused}");
        assert!(
            refused
                .stderr
                .contains("hint: git reins hooks install --force"),
            "{refused}"
        );
        assert_eq!(clone.state(), before);
    }
    let _ = clone.reins(&["hooks", "install", "--force"]).expect(0);
    assert_eq!(clone.read(".git/hooks/pre-push.reins-edited"), edited);
    let _ = clone.reins(&["hooks", "uninstall"]).expect(0);
    assert_eq!(clone.read(".git/hooks/pre-push"), old);
    assert_eq!(clone.read(".git/hooks/pre-push.reins-edited"), edited);
}

#[test]
fn an_older_hook_of_ours_is_upgraded_and_a_later_one_is_not() {
    let clone = Clone::new();
    put(&clone, "text");
    let old = clone.read(".git/hooks/pre-push");
    clone.install();
    let ours = clone.read(".git/hooks/pre-push");
    let record = clone.read(".git/reins/hooks.json");
    let older = ours.replace("# git-reins hook 1:", "# git-reins hook 0:");
    let digest = |text: &str| {
        clone.write("../digested", text);
        let run = clone
            .command("sha256sum", &clone.path(".."))
            .arg("digested")
            .output()
            .unwrap();
        String::from_utf8(run.stdout).unwrap()[..64].to_owned()
    };
    let (then, now) = (digest(&older), digest(&ours));
    clone.write(".git/hooks/pre-push", &older);
    clone.write(".git/reins/hooks.json", &record.replace(&now, &then));
    assert!(
        clone
            .reins(&["hooks", "status"])
            .expect(0)
            .stdout
            .contains("(ours-older, executable)")
    );
    clone.install();
    assert_eq!(clone.read(".git/hooks/pre-push"), ours);
    assert_eq!(clone.read(".git/reins/hooks.json"), record);

    let later = ours.replace("# git-reins hook 1:", "# git-reins hook 2:");
    clone.write(".git/hooks/pre-push", &later);
    for command in ["install", "uninstall"] {
        assert!(
            clone
                .reins(&["hooks", command])
                .expect(1)
                .stderr
                .contains("of a later git-reins")
        );
    }
    clone.write(".git/hooks/pre-push", &older);
    clone.write(".git/reins/hooks.json", &record.replace(&now, &then));
    let _ = clone.reins(&["hooks", "uninstall"]).expect(0);
    assert_eq!(clone.read(".git/hooks/pre-push"), old);
}

#[test]
fn a_shared_repository_shares_the_hook() {
    use std::os::unix::fs::PermissionsExt;
    let clone = Clone::new();
    clone.git(&["config", "core.sharedRepository", "group"]);
    let mut command = clone.command("sh", &clone.path("."));
    command.args([
        "-c",
        "umask 077 && \"$0\" hooks install",
        crate::support::BINARY,
    ]);
    let output = command.output().unwrap();
    let _ = clone.captured(output).expect(0);
    let mode = |inner: &str| {
        fs::metadata(clone.path(inner))
            .unwrap()
            .permissions()
            .mode()
            & 0o7777
    };
    assert_eq!(mode(".git/hooks/pre-push"), 0o770);
    assert_eq!(mode(".git/reins/hooks.json"), 0o660);
    assert_eq!(mode(".git/reins") & 0o2070, 0o2070);
    assert_eq!(
        clone.reins(&["hooks", "install"]).expect(0).stderr,
        "unchanged\n"
    );
}
