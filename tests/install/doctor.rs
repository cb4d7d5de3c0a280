//! Each fault that keeps a push from being judged is found, and its remedy works.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use super::clone::Clone;
use crate::support::BINARY;

fn json(clone: &Clone, code: i32) -> Value {
    serde_json::from_str(&clone.reins(&["doctor", "--json"]).expect(code).stdout).unwrap()
}

/// The names of the faults; the missing manual is a note.
fn faults(clone: &Clone) -> Vec<String> {
    let run = clone.reins(&["doctor", "--json"]);
    let health: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run}"));
    let findings = health["findings"].as_array().unwrap();
    let faults = findings
        .iter()
        .filter(|finding| finding["weight"] == "fault");
    let names: Vec<_> = faults
        .map(|finding| finding["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(run.code, Some(i32::from(!names.is_empty())), "{run}");
    names
}

fn fix(clone: &Clone, name: &str) -> String {
    let health = json(clone, 1);
    let findings = health["findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["name"] == name);
    finding.unwrap_or_else(|| panic!("{health}"))["fix"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Runs what a finding advises, and `git reins` is ours.
fn mend(clone: &Clone, name: &str) {
    let temp = clone.path("..").canonicalize().unwrap();
    let fix = fix(clone, name).replace("TEMP", temp.to_str().unwrap());
    let path = std::path::Path::new(BINARY)
        .parent()
        .unwrap()
        .display()
        .to_string();
    let mut command = clone.command("sh", &clone.path("."));
    command
        .args(["-c", &fix])
        .env("PATH", format!("{path}:{}", std::env::var("PATH").unwrap()));
    let _ = clone.captured(command.output().unwrap()).expect(0);
}

fn installed() -> Clone {
    let clone = Clone::new();
    clone.install();
    assert_eq!(faults(&clone), [""; 0]);
    clone
}

#[test]
fn a_healthy_clone_is_healthy_and_nothing_changes_by_looking() {
    let clone = installed();
    let before = clone.state();
    let health = json(&clone, 0);
    assert_eq!(
        (&health["schema"], &health["healthy"]),
        (&"git-reins/doctor/1".into(), &true.into())
    );
    let run = clone.reins(&["doctor"]).expect(0);
    assert!(
        run.stdout
            .ends_with("healthy: git runs the hook, and git-reins answers\n"),
        "{run}"
    );
    assert_eq!(clone.state(), before);
}

#[test]
fn no_hook() {
    let clone = Clone::new();
    assert_eq!(faults(&clone), ["hook-missing"]);
    mend(&clone, "hook-missing");
    assert_eq!(faults(&clone), [""; 0]);
}

#[test]
fn a_hook_that_git_skips_or_cannot_run() {
    /// The fault to mend, all that are found, and how it comes about.
    type Case = (&'static str, &'static [&'static str], fn(&Clone));
    let cases: [Case; 5] = [
        (
            "hook-not-executable",
            &["hook-not-executable", "hook-silent"],
            |clone| {
                clone.hook_file(&fs::read(clone.path(".git/hooks/pre-push")).unwrap(), 0o644);
            },
        ),
        (
            "hook-crlf",
            &["hook-crlf", "hook-silent", "hook-edited"],
            |clone| {
                clone.hook_file(
                    clone
                        .read(".git/hooks/pre-push")
                        .replace('\n', "\r\n")
                        .as_bytes(),
                    0o755,
                );
            },
        ),
        ("hook-bom", &["hook-bom", "hook-edited"], |clone| {
            clone.hook_file(
                format!("\u{feff}{}", clone.read(".git/hooks/pre-push")).as_bytes(),
                0o755,
            );
        }),
        ("hook-no-file", &["hook-no-file", "hook-silent"], |clone| {
            fs::remove_file(clone.path(".git/hooks/pre-push")).unwrap();
            fs::create_dir(clone.path(".git/hooks/pre-push")).unwrap();
        }),
        (
            "hook-dangling",
            &["hook-dangling", "hook-silent", "hook-taken-over"],
            |clone| {
                fs::remove_file(clone.path(".git/hooks/pre-push")).unwrap();
                symlink("/no/such/hook", clone.path(".git/hooks/pre-push")).unwrap();
            },
        ),
    ];
    for (name, expected, spoil) in cases {
        let clone = installed();
        spoil(&clone);
        assert_eq!(faults(&clone), expected);
        mend(&clone, name);
        let left = faults(&clone);
        assert!(!left.contains(&name.to_owned()), "{name}: {left:?}");
        if !left.is_empty() {
            mend(&clone, &left[0]);
            assert_eq!(faults(&clone), [""; 0], "{name}");
        }
    }
}

#[test]
fn an_interpreter_that_is_not_there() {
    let clone = installed();
    let text = clone
        .read(".git/hooks/pre-push")
        .replace("#!/bin/sh", "#!/no/such/sh");
    clone.write(".git/hooks/pre-push", &text);
    assert_eq!(
        faults(&clone),
        ["hook-interpreter", "hook-silent", "hook-edited"]
    );
    mend(&clone, "hook-edited");
    assert_eq!(faults(&clone), [""; 0]);
}

#[test]
fn a_hook_where_git_does_not_look() {
    let clone = installed();
    fs::create_dir(clone.path(".git/other")).unwrap();
    clone.git(&["config", "core.hooksPath", ".git/other"]);
    assert_eq!(faults(&clone), ["hook-shadowed", "hook-missing"]);
    mend(&clone, "hook-shadowed");
    assert_eq!(faults(&clone), [""; 0]);
}

#[test]
fn a_global_setting_that_shadows_ours() {
    let clone = installed();
    clone.write("../home/.gitconfig", "[core]\n\thooksPath = /dev/null\n");
    let look = |expect: i32| {
        let mut command = clone.command(BINARY, &clone.path("."));
        command
            .args(["doctor", "--json"])
            .env("GIT_CONFIG_GLOBAL", clone.path("../home/.gitconfig"));
        clone.captured(command.output().unwrap()).expect(expect)
    };
    assert!(look(1).stdout.contains("\"hook-shadowed\""));
    clone.git(&["config", "core.hooksPath", ".git/hooks"]);
    let _ = look(0);
}

#[test]
fn a_program_that_is_gone_or_of_another_version() {
    let clone = installed();
    fs::remove_file(clone.path(".git/reins/bin")).unwrap();
    assert_eq!(faults(&clone), ["program-gone", "hook-silent"]);
    symlink("/no/such/git-reins", clone.path(".git/reins/bin")).unwrap();
    assert_eq!(faults(&clone), ["program-gone", "hook-silent"]);
    mend(&clone, "program-gone");
    clone.script(
        ".git/other",
        &format!(
            "#!/bin/sh\n[ \"$1\" != --version ] || exec echo git-reins 9.9\nexec {BINARY} \"$@\"\n"
        ),
    );
    fs::remove_file(clone.path(".git/reins/bin")).unwrap();
    symlink("../other", clone.path(".git/reins/bin")).unwrap();
    assert_eq!(faults(&clone), ["version-skew"]);
}

#[test]
fn a_chained_hook_that_changed_or_is_gone_or_does_not_run() {
    let clone = Clone::new();
    clone.hook("#!/bin/sh\nexit 0\n");
    clone.install();
    assert_eq!(faults(&clone), [""; 0]);
    clone.script(".git/hooks/pre-push.reins-orig", "#!/bin/sh\n\nexit 0\n");
    assert_eq!(faults(&clone), ["chained-changed"]);
    mend(&clone, "chained-changed");
    assert_eq!(faults(&clone), [""; 0]);
    clone.script(
        ".git/hooks/pre-push.reins-orig",
        "#!/bin/sh\necho no >&2\nexit 3\n",
    );
    assert_eq!(faults(&clone), ["chained-changed", "hook-refuses"]);
    fs::remove_file(clone.path(".git/hooks/pre-push.reins-orig")).unwrap();
    assert_eq!(faults(&clone), ["chained-missing", "hook-refuses"]);

    let clone = Clone::new();
    clone.hook_file(b"#!/bin/sh\nexit 1\n", 0o644);
    clone.install();
    assert_eq!(faults(&clone), [""; 0]);
    assert!(
        json(&clone, 0)
            .to_string()
            .contains("chained-not-executable")
    );
}

#[test]
fn hooks_that_configuration_switches_off() {
    let clone = installed();
    clone.git(&["config", "hook.pre-push.enabled", "no"]);
    clone.git(&["config", "hook.somebody.enabled", "false"]);
    assert_eq!(faults(&clone), ["hook-disabled"]);
    mend(&clone, "hook-disabled");
    assert_eq!(faults(&clone), [""; 0]);
}

#[test]
fn a_history_that_is_cut_off() {
    let clone = Clone::new();
    clone.note("one");
    clone.git(&["push", "-q", "origin", "main"]);
    let url = format!("file://{}", clone.path("../server.git").display());
    clone.git(&["clone", "-q", "--depth=1", &url, "../shallow"]);
    let _ = clone
        .reins_in("../shallow", &["hooks", "install"])
        .expect(0);
    let found = clone.reins_in("../shallow", &["doctor"]).expect(1);
    assert!(found.stdout.contains("fault: shallow: "), "{found}");
    assert!(
        found.stdout.contains("fix: git fetch --unshallow\n"),
        "{found}"
    );
    clone.git(&["-C", "../shallow", "fetch", "-q", "--unshallow"]);
    let _ = clone.reins_in("../shallow", &["doctor"]).expect(0);
}

#[test]
fn a_chained_hook_that_cannot_be_run() {
    let clone = Clone::new();
    clone.hook("#!/bin/sh\r\nexit 0\r\n");
    clone.install();
    assert_eq!(faults(&clone), ["hook-crlf", "hook-refuses"]);
    assert_eq!(fix(&clone, "hook-crlf"), fix(&clone, "hook-refuses"));
    mend(&clone, "hook-refuses");
    assert_eq!(faults(&clone), ["chained-changed"]);
    mend(&clone, "chained-changed");
    assert_eq!(faults(&clone), [""; 0]);
    clone.script(".git/hooks/pre-push.reins-orig", "#!/bin/sh\nexit 1\n");
    clone.install();
    assert_eq!(
        fix(&clone, "hook-refuses"),
        "${EDITOR:-vi} TEMP/repo/.git/hooks/pre-push.reins-orig"
    );
    fs::remove_file(clone.path(".git/hooks/pre-push.reins-orig")).unwrap();
    mend(&clone, "chained-missing");
    assert_eq!(faults(&clone), [""; 0]);
}

#[test]
fn a_protected_line_that_nobody_knows_and_tools_that_are_not_there() {
    let clone = installed();
    let policy = clone.read(".gitreins/reins.toml");
    let spoiled = policy.replace(
        "base = [\"refs/heads/main\"]",
        "base = [\"refs/heads/main\", \"refs/heads/next\"]",
    );
    assert_ne!(spoiled, policy);
    let canary = "\n[[check]]\nid = \"lint\"\nkind = \"canary\"\nrun = [\"no-such-lint\", \"x\"]\n\
        [[check]]\nid = \"own\"\nkind = \"canary\"\nrun = [\"tools/lint\"]\n";
    clone.write(".gitreins/reins.toml", &(spoiled + canary));
    clone.commit("policy");
    clone.git(&["push", "-q", "--no-verify", "origin", "main"]);
    let tools = faults(&clone);
    assert_eq!(tools, ["protected-unknown", "tool-missing", "tool-missing"]);
    clone.git(&["-C", "../server.git", "branch", "next", "main"]);
    clone.script("tools/lint", "#!/bin/sh\n");
    mend(&clone, "protected-unknown");
    assert_eq!(faults(&clone), ["tool-missing"]);
}

#[test]
fn no_policy_and_one_that_cannot_be_read() {
    let clone = installed();
    clone.write(
        ".gitreins/reins.toml",
        "schema = 1\n[paths]\nledgers = \"x\"\n",
    );
    clone.commit("policy");
    clone.git(&["push", "-q", "--no-verify", "origin", "main"]);
    assert_eq!(faults(&clone)[0], "policy-invalid");
    clone.git(&["rm", "-q", ".gitreins/reins.toml"]);
    clone.git(&["commit", "-q", "-m", "none"]);
    clone.git(&["push", "-q", "--no-verify", "origin", "main"]);
    assert_eq!(faults(&clone), ["no-policy"]);
}

#[test]
fn a_hook_of_somebody_else_that_runs_us_is_healthy() {
    let clone = Clone::new();
    clone.hook(&format!(
        "#!/bin/sh\n{BINARY} hook run pre-push \"$@\" || exit $?\n"
    ));
    assert_eq!(faults(&clone), [""; 0]);
    clone.hook("#!/bin/sh\nexit 0\n");
    assert_eq!(faults(&clone), ["hook-silent"]);
}

#[test]
fn a_record_that_cannot_be_read_says_nothing() {
    let clone = installed();
    clone.write(".git/reins/hooks.json", "{}");
    for command in [
        &["doctor"][..],
        &["hooks", "install"],
        &["hooks", "uninstall"],
        &["hooks", "status"],
    ] {
        let run = clone.reins(command).expect(128);
        assert!(
            run.stderr.contains("is no record of installed hooks"),
            "{run}"
        );
        assert!(run.stderr.contains("hint: mv "), "{run}");
    }
}
