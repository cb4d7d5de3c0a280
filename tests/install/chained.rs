//! The hook that stood there before: same arguments, same bytes, same place, and its word counts.

use std::fs;

use super::clone::Clone;
use crate::support::BINARY;

/// Says everything it was given, into a directory beside the clone.
const WITNESS: &str = "#!/bin/sh\nout=$(git rev-parse --show-toplevel)/../seen\nmkdir -p \"$out\"\n\
    printf '%s\\0' \"$@\" >\"$out/args\"\ncat >\"$out/input\"\npwd >\"$out/dir\"\nenv | grep ^GIT_ | grep -v _DATE= | sort >\"$out/env\"\n";

fn seen(clone: &Clone) -> Vec<(String, Vec<u8>)> {
    let read = |name: &str| {
        (
            name.to_owned(),
            fs::read(clone.path("../seen").join(name)).unwrap(),
        )
    };
    let seen = ["args", "input", "dir", "env"].map(read).to_vec();
    fs::remove_dir_all(clone.path("../seen")).unwrap();
    seen
}

#[test]
fn a_chained_hook_gets_what_git_gives_it() {
    let clone = Clone::new();
    clone.hook(WITNESS);
    clone.note("one");
    clone.git(&["branch", "other"]);
    let _ = fs::create_dir(clone.path("deep"));
    let push = |dry: &str| {
        let mut command = clone.command("git", &clone.path("deep"));
        command.args(["push", dry, "origin", "HEAD@{0}:refs/heads/topic", "other"]);
        let _ = clone.captured(command.output().unwrap()).expect(0);
        seen(&clone)
    };
    let alone = push("--dry-run");
    clone.install();
    let chained = push("--dry-run");
    assert_eq!(alone, chained);
    assert!(!alone[1].1.is_empty());
    // and where there is nothing to push, it runs with nothing
    push("--quiet");
    clone.git(&["push", "-q", "origin", "HEAD:topic"]);
    assert_eq!(seen(&clone)[1].1, b"");
}

#[test]
fn each_hook_can_refuse_and_the_first_is_asked_first() {
    let clone = Clone::new();
    clone.hook("#!/bin/sh\necho first: no >&2\nexit 7\n");
    clone.install();
    clone.note("one");
    let refused = clone.push("topic").expect(1);
    assert!(refused.stderr.contains("first: no\n"), "{refused}");
    assert!(
        refused
            .stderr
            .contains("the hook that was here before refuses (exit 7)"),
        "{refused}"
    );
    clone.script(
        ".git/hooks/pre-push.reins-orig",
        "#!/bin/sh\necho first: yes >&2\n",
    );
    let _ = clone.push("topic").expect(0);
    clone.patch();
    let refused = clone.push("main").expect(1);
    assert!(refused.stderr.contains("first: yes\n"), "{refused}");
    assert!(
        refused.stderr.contains("NO_UNFROZEN_PROPERTIES"),
        "{refused}"
    );
}

#[test]
fn a_binary_hook_runs_and_one_that_may_not_be_executed_does_not() {
    for (bytes, mode, code) in [
        (fs::read("/bin/true").unwrap(), 0o755, 0),
        (fs::read("/bin/false").unwrap(), 0o755, 1),
        (b"#!/bin/sh\nexit 1\n".to_vec(), 0o644, 0),
    ] {
        let clone = Clone::new();
        clone.hook_file(&bytes, mode);
        clone.install();
        clone.note("one");
        let _ = clone.push("topic").expect(code);
    }
}

#[test]
fn a_link_is_followed_from_where_it_was() {
    let clone = Clone::new();
    clone.script("../tools/hook", "#!/bin/sh\necho linked >&2\nexit 9\n");
    std::os::unix::fs::symlink("../../../tools/hook", clone.path(".git/hooks/pre-push")).unwrap();
    clone.install();
    clone.note("one");
    assert!(clone.push("topic").expect(1).stderr.contains("linked\n"));
}

#[test]
fn a_kept_hook_that_is_gone_refuses() {
    let clone = Clone::new();
    clone.hook("#!/bin/sh\nexit 0\n");
    clone.install();
    fs::remove_file(clone.path(".git/hooks/pre-push.reins-orig")).unwrap();
    clone.note("one");
    let refused = clone.push("topic").expect(1);
    assert!(refused.stderr.contains("is gone"), "{refused}");
    let hint = "hint: git reins hooks uninstall && git reins hooks install\n";
    assert!(refused.stderr.contains(hint), "{refused}");
    let said = refused
        .stderr
        .lines()
        .take_while(|line| !line.starts_with("error: "));
    assert!(
        said.clone().count() > 1 && said.clone().all(|line| line.len() <= 72),
        "{refused}"
    );
    // install does not forget it on its own, and what is advised works
    assert!(
        clone
            .reins(&["hooks", "install"])
            .expect(1)
            .stderr
            .contains(hint)
    );
    let gone = clone.reins(&["hooks", "uninstall"]).expect(0);
    assert!(
        gone.stderr
            .contains("pre-push.reins-orig is gone: nothing is put back"),
        "{gone}"
    );
    assert!(!clone.path(".git/hooks/pre-push").exists());
    clone.install();
    let _ = clone.push("topic").expect(0);
}

#[test]
fn a_hook_of_ours_that_was_kept_does_not_call_itself() {
    let clone = Clone::new();
    clone.install();
    fs::copy(
        clone.path(".git/hooks/pre-push"),
        clone.path(".git/hooks/pre-push.reins-orig"),
    )
    .unwrap();
    clone.note("one");
    let _ = clone.push("topic").expect(0); // nothing was recorded as kept
    let kept = clone.path(".git/hooks/pre-push.reins-orig");
    let mut command = clone.command(BINARY, &clone.path("."));
    command.args([
        "hook",
        "run",
        "pre-push",
        "--hook",
        kept.to_str().unwrap(),
        "--",
        "origin",
        "url",
    ]);
    let run = clone.captured(command.stdin(std::process::Stdio::null()).output().unwrap());
    assert!(
        run.clone().expect(128).stderr.contains("one of ours"),
        "{run}"
    );
}
