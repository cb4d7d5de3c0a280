//! A kept hook is told its own name and finds its neighbours, and is run as git would run it.

use std::fs;
use std::os::unix::fs::symlink;

use super::clone::Clone;

/// What a dispatcher does: by its name it knows the event, by its place the scripts to run.
const BY_NAME: &str =
    "#!/bin/sh\ncase $(basename \"$0\") in pre-push) echo by name >&2; exit 9;; esac\n";
const BY_PLACE: &str = "#!/bin/sh\n. \"$(dirname \"$0\")/lib.sh\"\nfor it in \"$0\".d/*; do \"$it\" || exit $?; done\n";
const BY_ROOT: &str =
    "#!/bin/sh\ncd \"$(dirname \"$0\")/../..\" && [ -f spec/accounts.md ] && exit 9\n";

fn refuses_with(clone: &Clone, said: &str) {
    clone.note(said);
    for _ in 0..2 {
        let refused = clone.push("topic").expect(1);
        assert!(
            refused
                .stderr
                .contains("the hook that was here before refuses (exit 9)"),
            "{refused}"
        );
        assert!(refused.stderr.contains(said), "{refused}");
    }
}

#[test]
fn a_hook_that_asks_for_its_name_is_told_it() {
    let clone = Clone::new();
    clone.hook(BY_NAME);
    let before = clone.state();
    clone.install();
    refuses_with(&clone, "by name");
    let _ = clone.reins(&["hooks", "uninstall"]).expect(0);
    assert!(!clone.path(".git/hooks.reins").exists());
    assert_eq!(clone.state()["hooks/pre-push"], before["hooks/pre-push"]);
}

#[test]
fn a_link_to_a_dispatcher_is_told_its_name_and_leads_there() {
    let clone = Clone::new();
    clone.script(
        "../tools/dispatch",
        "#!/bin/sh\n. \"$(dirname \"$(readlink -f \"$0\")\")/lib.sh\"\n\
         case $(basename \"$0\") in pre-push) echo \"$lib\" >&2; exit 9;; esac\n",
    );
    clone.write("../tools/lib.sh", "lib='of the tools'\n");
    symlink("../../../tools/dispatch", clone.path(".git/hooks/pre-push")).unwrap();
    clone.install();
    refuses_with(&clone, "of the tools");
}

#[test]
fn a_hook_that_looks_for_its_neighbours_finds_them() {
    let clone = Clone::new();
    clone.hook(BY_PLACE);
    clone.write(".git/hooks/lib.sh", "echo of the library >&2\n");
    clone.script(".git/hooks/pre-push.d/one", "#!/bin/sh\nexit 9\n");
    clone.install();
    refuses_with(&clone, "of the library");
    // one that comes later is found too, and one that went away is gone
    clone.script(".git/hooks/later", "#!/bin/sh\n");
    let _ = clone.push("topic").expect(1);
    assert!(clone.path(".git/hooks.reins/later").exists());
    fs::remove_file(clone.path(".git/hooks/later")).unwrap();
    let _ = clone.push("topic").expect(1);
    assert!(fs::symlink_metadata(clone.path(".git/hooks.reins/later")).is_err());
}

#[test]
fn a_hook_that_climbs_to_the_top_level_gets_there() {
    let clone = Clone::new();
    clone.hook(BY_ROOT);
    clone.install();
    refuses_with(&clone, "");
}

#[test]
fn links_in_a_worktree_are_not_listed_by_git() {
    let clone = Clone::new();
    clone.script("hk/pre-push", BY_NAME);
    clone.git(&["config", "core.hooksPath", "hk"]);
    clone.install();
    clone.git(&["commit", "-q", "--allow-empty", "-m", "nothing"]);
    let _ = clone.push("topic").expect(1);
    assert!(clone.path("hk.reins/pre-push").is_symlink());
    assert_eq!(clone.git(&["status", "--porcelain"]), "?? hk/\n");
    let _ = clone.reins(&["hooks", "uninstall"]).expect(0);
    assert!(!clone.path("hk.reins").exists());
}

#[test]
fn a_script_without_a_first_line_runs_as_under_git() {
    let clone = Clone::new();
    clone.hook("echo no shebang, \"$1\" >&2\nread -r a b c d && exit 9\n");
    clone.note("one");
    let alone = clone.push("topic").expect(1);
    assert!(alone.stderr.contains("no shebang, origin"), "{alone}");
    clone.install();
    refuses_with(&clone, "no shebang, origin");
}
