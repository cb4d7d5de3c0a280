//! What does `git reins setup` write into a clone, and is everything back when it is undone?

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use super::programs::{git_on, with_ours};
use crate::support::{BINARY, Repo, Run, add_row};

/// What git is told with, byte for byte: configuration, attributes, and everything beside them.
fn told(repo: &Repo) -> BTreeMap<String, Vec<u8>> {
    fn gather(dir: &Path, told: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.display().to_string();
            if path.is_dir() {
                told.insert(name, Vec::new());
                gather(&path, told);
            } else {
                told.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut told = BTreeMap::new();
    gather(&repo.path(".git"), &mut told);
    told
}

fn undone(repo: &Repo, options: &[&str]) {
    let before = told(repo);
    let _ = repo.reins(&[&["setup"], options].concat()).expect(0);
    assert_ne!(told(repo), before);
    let _ = repo.reins(&["setup", "--undo"]).expect(0);
    assert_eq!(told(repo), before);
}

const BOTH: [&str; 2] = ["--textconv", "--merge-driver"];

#[test]
fn it_says_what_is_set_up_and_what_it_would_do() {
    let repo = Repo::under_reins();
    assert_snapshot!(repo.refuses(0, &["setup"]), @r"
    textconv      not set up: git reins setup --textconv, and git diff, log -p and show name the row of every change
    merge-driver  not set up: git reins setup --merge-driver, and git merge, rebase and cherry-pick conflict only over the same row
    --- exit 0
    ");
    let before = told(&repo);
    let plan = repo.refuses(0, &["setup", "--merge-driver", "--dry-run"]);
    assert_eq!(told(&repo), before);
    let steps: Vec<_> = plan
        .stdout
        .lines()
        .map(|line| line.split(" '").next().unwrap())
        .collect();
    assert_eq!(
        steps,
        [
            "git config --local merge.reins.driver",
            "git config --local merge.reins.name",
            "let info/attributes say: /ledger/*.json merge=reins"
        ]
    );
    let _ = repo.reins_in("src", &["setup", "--merge-driver"]).expect(0);
    assert_snapshot!(repo.reins(&["setup", "--merge-driver"]), @r"
    unchanged
    --- exit 0
    ");
    assert_snapshot!(repo.reins(&["setup", "--json"]), @r#"
    {
      "schema": "git-reins/setup/1",
      "done": false,
      "steps": [],
      "textconv": "absent",
      "merge_driver": "set-up"
    }
    --- exit 0
    "#);
    repo.git(&["config", "--unset", "merge.reins.name"]);
    assert!(
        repo.reins(&["setup"])
            .stdout
            .contains("merge-driver  set up in part, or overruled")
    );
    let _ = repo.reins(&["setup", "--merge-driver"]).expect(0);
    assert!(
        repo.reins(&["setup"])
            .stdout
            .contains("merge-driver  set up: ")
    );
    assert_snapshot!(repo.reins(&["setup", "--undo", "--dry-run"]), @r"
    remove info/attributes, which was made for our lines
    git config --local --unset merge.reins.name
    git config --local --unset merge.reins.driver
    nothing is written: this is the plan
    --- exit 0
    ");
}

#[test]
fn everything_is_back_when_it_is_undone() {
    for options in [&BOTH[..], &BOTH[..1], &BOTH[1..]] {
        let repo = Repo::under_reins();
        undone(&repo, options);
        fs::write(repo.path(".git/info/attributes"), "*.md text\n*.c diff=cpp").unwrap();
        undone(&repo, options);
        repo.git(&["config", "diff.cpp.xfuncname", "x"]);
        undone(&repo, options);
        let _ = repo.reins(&["hooks", "install"]).expect(0);
        undone(&repo, options);
    }
}

#[test]
fn one_of_the_two_is_undone_alone() {
    let repo = Repo::under_reins();
    let _ = repo.reins(&["setup", "--textconv"]).expect(0);
    let one = told(&repo);
    let _ = repo.reins(&["setup", "--merge-driver"]).expect(0);
    let _ = repo.reins(&["setup", "--undo", "--merge-driver"]).expect(0);
    assert_eq!(told(&repo), one);
}

#[test]
fn what_others_wrote_stays() {
    let repo = Repo::under_reins();
    let attributes = repo.path(".git/info/attributes");
    fs::write(&attributes, "*.c diff=cpp").unwrap();
    let _ = repo.reins(&[&["setup"], &BOTH[..]].concat()).expect(0);
    let text = fs::read_to_string(&attributes).unwrap();
    fs::write(&attributes, text + "*.x text\n").unwrap();
    repo.git(&["config", "diff.reins.xfuncname", "mine"]);
    let _ = repo.reins(&[&["setup"], &BOTH[..]].concat()).expect(0);
    let _ = repo.reins(&["setup", "--undo"]).expect(0);
    assert_eq!(
        fs::read_to_string(&attributes).unwrap(),
        "*.c diff=cpp\n*.x text\n"
    );
    assert_eq!(
        repo.git(&["config", "--get-regexp", r"^(diff|merge)\.reins\."]),
        "diff.reins.xfuncname mine\n"
    );
    assert_snapshot!(repo.reins(&["setup", "--undo"]), @r"
    unchanged
    --- exit 0
    ");
}

/// Runs our command with more in its environment.
fn reins_with(repo: &Repo, name: &str, value: &str, args: &[&str]) -> Run {
    let mut command = repo.command(BINARY, &repo.path(""));
    repo.captured(command.env(name, value).args(args).output().unwrap())
}

#[test]
fn settings_of_somebody_else_are_not_touched() {
    let repo = Repo::under_reins();
    repo.git(&["config", "merge.reins.driver", "theirs %A"]);
    let before = told(&repo);
    let run = repo.refuses(1, &["setup", "--merge-driver"]);
    assert_eq!(told(&repo), before);
    assert_snapshot!(run, @r"
    git-reins: cannot tell git about the ledgers: merge.reins.driver is set already (local, file:.git/config), and not by us
    hint: git config --local --unset-all merge.reins.driver
    --- exit 1
    ");
    assert!(
        repo.reins(&["setup"])
            .stdout
            .contains("merge-driver  somebody else's: merge.reins.driver (file:.git/config)")
    );
    let _ = repo.reins(&["setup", "--undo"]).expect(0);
    assert_eq!(told(&repo), before);
    repo.git(&["config", "--unset", "merge.reins.driver"]);
    let included = repo.path(".git/more");
    fs::write(&included, "[diff \"reins\"]\n\ttextconv = cat\n").unwrap();
    let included = included.display().to_string();
    let global = reins_with(
        &repo,
        "GIT_CONFIG_GLOBAL",
        &included,
        &["setup", "--textconv"],
    )
    .expect(1);
    assert!(global.stderr.contains("(global, file:"), "{global}");
    let typed = reins_with(
        &repo,
        "GIT_CONFIG_PARAMETERS",
        "'diff.reins.textconv'='cat'",
        &["setup", "--textconv"],
    );
    assert!(typed.expect(1).stderr.contains("(command, command line:)"));
    repo.git(&["config", "include.path", &included]);
    let run = repo.refuses(1, &["setup", "--textconv"]);
    assert!(run.stderr.contains("file:"), "{run}");
    let _ = repo.reins(&["setup", "--merge-driver"]).expect(0);
}

#[test]
fn a_setting_that_was_edited_is_somebody_elses() {
    let repo = Repo::under_reins();
    let _ = repo.reins(&["setup", "--textconv"]).expect(0);
    repo.git(&["config", "diff.reins.textconv", "cat"]);
    let _ = repo.refuses(1, &["setup", "--textconv"]);
    let _ = repo.reins(&["setup", "--undo"]).expect(0);
    assert_eq!(
        repo.git(&["config", "--get-regexp", r"\.reins\."]),
        "diff.reins.textconv cat\n"
    );
    assert!(!repo.path(".git/info/attributes").exists());
}

#[test]
fn worktrees_share_it() {
    let repo = Repo::under_reins();
    repo.git(&["config", "extensions.worktreeConfig", "true"]);
    let before = told(&repo)
        .get(&repo.path(".git/config").display().to_string())
        .cloned();
    let linked = repo.linked("other");
    let _ = linked.reins(&[&["setup"], &BOTH[..]].concat()).expect(0);
    for said in [repo.reins(&["setup"]), linked.reins(&["setup"])] {
        assert!(
            said.stdout.contains("textconv      set up: ")
                && said.stdout.contains("merge-driver  set up: "),
            "{said}"
        );
    }
    linked.git(&["config", "--worktree", "diff.reins.textconv", "cat"]);
    assert!(
        linked
            .reins(&["setup"])
            .stdout
            .contains("textconv      somebody else's")
    );
    assert!(
        repo.reins(&["setup"])
            .stdout
            .contains("textconv      set up: ")
    );
    let _ = repo.reins(&["setup", "--undo"]).expect(0);
    assert_eq!(
        told(&repo)
            .get(&repo.path(".git/config").display().to_string())
            .cloned(),
        before
    );
    assert!(!repo.path(".git/info/attributes").exists());
}

#[test]
fn no_variable_leads_it_elsewhere() {
    let repo = Repo::under_reins();
    let elsewhere = repo.path("elsewhere").display().to_string();
    let _ = reins_with(&repo, "GIT_CONFIG", &elsewhere, &["setup", "--textconv"]).expect(0);
    assert!(!Path::new(&elsewhere).exists());
    assert!(
        repo.git(&["config", "diff.reins.textconv"])
            .contains("git-reins textconv")
    );
}

#[test]
fn a_ledger_directory_with_an_odd_name_is_meant_by_it() {
    let repo = Repo::under_reins();
    let policy = repo
        .read(".gitreins/reins.toml")
        .replace("ledger = \"ledger\"", "ledger = \"our [ledger]\"");
    repo.write(".gitreins/reins.toml", &policy);
    assert!(policy.contains("our [ledger]"));
    fs::rename(repo.path("ledger"), repo.path("our [ledger]")).unwrap();
    repo.commit("moved");
    let _ = repo.reins(&["setup", "--textconv"]).expect(0);
    let _ = add_row(&repo, "bal-01").expect(0);
    let diff = git_on(&repo, &with_ours(), &["diff"]).expect(0).stdout;
    assert!(diff.contains("+bal-01  source"), "{diff}");
    // the ledgers move again: the old line goes
    fs::rename(repo.path("our [ledger]"), repo.path("ledger")).unwrap();
    repo.write(
        ".gitreins/reins.toml",
        &policy.replace("our [ledger]", "ledger"),
    );
    let _ = repo.reins(&["setup", "--textconv"]).expect(0);
    let attributes = fs::read_to_string(repo.path(".git/info/attributes")).unwrap();
    assert_eq!(
        attributes.lines().skip(1).collect::<Vec<_>>(),
        ["/ledger/*.json diff=reins"]
    );
}

#[test]
fn where_there_is_no_policy_it_does_nothing() {
    let repo = Repo::new();
    let _ = repo.refuses(128, &["setup", "--textconv"]);
    let _ = repo.reins(&["setup", "--undo"]).expect(0);
    fs::remove_file(repo.path(".git/info/attributes")).unwrap_or_default();
    std::os::unix::fs::symlink("/nowhere", repo.path(".git/info/attributes")).unwrap();
    let _ = repo.refuses(128, &["setup", "--undo"]);
}
