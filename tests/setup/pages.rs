//! Do completions and manual pages say what the command can do, and nothing that is hidden?

use std::fs;
use std::process::Command;

use git_reins::model::report::Rule;

use crate::support::{Repo, Run};

/// Commands that only git and we ourselves run.
const HIDDEN: [&str; 3] = ["supervise", "textconv ", "merge-driver "];

fn tool(repo: &Repo, program: &str, args: &[&str]) -> Option<Run> {
    let is_there = Command::new(program).arg("--version").output().is_ok();
    is_there.then(|| {
        repo.captured(
            repo.command(program, &repo.path(""))
                .args(args)
                .output()
                .unwrap(),
        )
    })
}

#[test]
fn bash_reads_its_completions_and_completes_with_them() {
    let repo = Repo::new();
    let script = repo.reins(&["completions", "bash"]).expect(0).stdout;
    repo.write("c.bash", &script);
    let Some(checked) = tool(&repo, "bash", &["-n", "c.bash"]) else {
        return;
    };
    let _ = checked.expect(0);
    let complete = |line: &str| {
        tool(
            &repo,
            "bash",
            &[
                "-ec",
                &format!(". ./c.bash; {line}; echo \"${{COMPREPLY[*]}}\""),
            ],
        )
    };
    // as bash calls it for git-reins, and as git's own completions call it for git reins
    let own = "COMP_WORDS=(git-reins ex); COMP_CWORD=1; _git__reins git-reins ex git-reins";
    assert_eq!(complete(own).unwrap().expect(0).stdout, "explain\n");
    let git =
        "words=(git -C . reins oracle a); cword=5; cur=a; prev=oracle; __git_cmd_idx=3; _git_reins";
    assert_eq!(complete(git).unwrap().expect(0).stdout, "add\n");
    let first = "words=(git reins ''); cword=2; cur=''; prev=reins; __git_cmd_idx=1; _git_reins";
    let all = complete(first).unwrap().expect(0).stdout;
    assert!(all.contains(" admit ") && all.contains("setup"), "{all}");
    assert!(HIDDEN.iter().all(|hidden| !all.contains(hidden)), "{all}");
}

#[test]
fn every_shell_has_completions_without_what_is_hidden() {
    let repo = Repo::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = repo.reins(&["completions", shell]).expect(0).stdout;
        assert!(
            script.contains("git-reins") && script.contains("explain"),
            "{shell}"
        );
        for hidden in ["supervise", "merge-driver\n", "Merge a ledger by row"] {
            assert!(!script.contains(hidden), "{shell}: {hidden}");
        }
    }
    let _ = repo.reins(&["completions", "tcsh"]).expect(129);
}

#[test]
fn every_code_is_explained() {
    let repo = Repo::new();
    let list = repo.reins(&["explain"]).expect(0).stdout;
    for code in Rule::all() {
        let said = repo.reins(&["explain", code.as_str()]).expect(0).stdout;
        let parts: Vec<_> = ["rule", "read", "remedy", "override"]
            .iter()
            .map(|part| format!("  {part:9} "))
            .collect();
        assert!(
            parts.iter().all(|part| said
                .lines()
                .any(|line| line.len() > 12 && line.starts_with(part.as_str()))),
            "{said}"
        );
        assert!(
            list.lines()
                .any(|line| line.starts_with(&format!("{code} "))),
            "{code}: {list}"
        );
    }
}

#[test]
fn a_code_is_found_however_it_is_spelled_and_a_near_one_is_named() {
    let repo = Repo::new();
    let said = repo.reins(&["explain", "FREEZE_EXPIRED"]).expect(0).stdout;
    assert_eq!(
        repo.reins(&["explain", "freeze-expired"]).expect(0).stdout,
        said
    );
    let near = repo
        .reins(&["explain", "freeze_expierd"])
        .expect(129)
        .stderr;
    assert!(
        near.contains("'freeze_expierd' is not a refusal code; FREEZE_EXPIRED is one"),
        "{near}"
    );
    let far = repo.reins(&["explain", "artefact"]).expect(129).stderr;
    assert!(far.contains("for all of them: git reins explain"), "{far}");
}

#[test]
fn every_command_has_a_page_that_man_can_show() {
    let repo = Repo::new();
    fs::create_dir(repo.path("man1")).unwrap();
    let written = repo.reins(&["man", "--dir", "man1"]).expect(0);
    let mut pages: Vec<_> = fs::read_dir(repo.path("man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    pages.sort();
    assert!(
        written
            .stderr
            .contains(&format!("wrote {} pages", pages.len())),
        "{written}"
    );
    for page in [
        "git-reins.1",
        "git-reins-admit.1",
        "git-reins-hooks-install.1",
    ] {
        assert!(pages.iter().any(|there| there == page), "{page}: {pages:?}");
    }
    for hidden in ["supervise", "textconv", "merge-driver"] {
        assert!(!pages.contains(&format!("git-reins-{hidden}.1")));
        assert!(
            !repo
                .read("man1/git-reins.1")
                .contains(&format!("reins\\-{}", hidden.replace('-', "\\-")))
        );
    }
    assert_eq!(
        repo.reins(&["man"]).expect(0).stdout,
        repo.read("man1/git-reins.1")
    );
    let _ = repo.reins(&["man", "--dir", "nowhere"]).expect(128);
    for page in pages {
        let Some(shown) = tool(
            &repo,
            "groff",
            &["-man", "-Tutf8", "-ww", &format!("man1/{page}")],
        ) else {
            return;
        };
        let shown = shown.expect(0);
        assert_eq!(shown.stderr, "", "{page}");
        assert!(
            shown.stdout.contains("git reins - ")
                || shown.stdout.contains(page.trim_end_matches(".1")),
            "{shown}"
        );
    }
}
