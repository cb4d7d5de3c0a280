//! The door: arguments, exit codes, where the caller stands

use std::fs::File;
use std::process::Stdio;

use insta::assert_snapshot;

use crate::support::{BINARY, Repo, add_row};

#[test]
fn usage_is_129_and_help_is_0() {
    let repo = Repo::new();
    assert!(
        repo.reins(&[])
            .expect(129)
            .stderr
            .contains("Usage: git reins")
    );
    assert!(
        repo.reins(&["oracle"])
            .expect(129)
            .stderr
            .contains("Usage: git reins oracle")
    );
    let _ = repo.reins(&["nonsense"]).expect(129);
    let _ = repo.reins(&["explain", "NO_SUCH_CODE"]).expect(129);
    assert!(
        repo.reins(&["--help"])
            .expect(0)
            .stdout
            .contains("Usage: git reins")
    );
    assert!(
        repo.reins(&["--version"])
            .expect(0)
            .stdout
            .starts_with("git-reins ")
    );
    let _ = repo.reins(&["schema", "oracle"]).expect(0);
}

#[test]
fn an_answer_that_cannot_be_printed_is_none() {
    let repo = Repo::new();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut command = repo.command(BINARY, &repo.path(""));
    let output = command
        .arg("explain")
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_snapshot!(repo.captured(output), @r#"
    git-reins: cannot print the answer: No space left on device (os error 28)
    --- exit 128
    "#);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = repo.command(BINARY, &repo.path(""));
    let output = command
        .arg("explain")
        .stdout(writer)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let _ = repo.captured(output).expect(128);
}

#[test]
fn without_repository_policy_or_worktree_nothing_is_done() {
    let repo = Repo::new();
    assert_snapshot!(repo.refuses(128, &["oracle", "list"]), @r#"
    git-reins: cannot list the oracles: there is no .gitreins/reins.toml in this worktree
    hint: git reins init
    --- exit 128
    "#);
    assert_snapshot!(repo.refuses(128, &["oracle", "list", "--json"]), @r#"
    {
      "schema": "git-reins/error/1",
      "message": "there is no .gitreins/reins.toml in this worktree",
      "fix": "git reins init"
    }
    --- exit 128
    "#);
    assert_snapshot!(repo.refuses(128, &["-C", "nowhere", "oracle", "list"]), @r#"
    git-reins: cannot list the oracles: the directory cannot be entered: No such file or directory (os error 2)
    --- exit 128
    "#);
    assert!(
        repo.refuses(128, &["-C", "..", "oracle", "list"])
            .stderr
            .contains("not a git repository")
    );
    assert_snapshot!(repo.refuses(128, &["-C", ".git", "init"]), @r#"
    git-reins: cannot start: this repository has no worktree to write in
    --- exit 128
    "#);
}

#[test]
fn the_callers_place_is_found_as_git_finds_it() {
    let repo = Repo::under_reins();
    let _ = add_row(&repo, "b").expect(0);
    let _ = repo
        .reins(&["-C", "src", "-C", "..", "oracle", "list"])
        .expect(0);
    let _ = repo
        .reins(&["--git-dir", ".git", "oracle", "list"])
        .expect(0);
    let _ = repo
        .reins(&["-C", "..", "--git-dir", "none", "oracle", "list"])
        .expect(128);
    let pin = format!("!{BINARY} oracle edit b --file balance.py conftest.py");
    repo.write("properties/conftest.py", "x");
    repo.git(&["config", "alias.widen", &pin]);
    let output = repo
        .command("git", &repo.path("properties"))
        .arg("widen")
        .output()
        .unwrap();
    assert_snapshot!(repo.captured(output), @r#"
    changed oracle b; next: git reins oracle commit
    --- exit 0
    "#);
    let beside = std::path::Path::new(BINARY)
        .parent()
        .unwrap()
        .display()
        .to_string();
    let path = format!("{beside}:{}", std::env::var("PATH").unwrap());
    let mut by_git = repo.command("git", &repo.path(""));
    let by_git = by_git
        .env("PATH", path)
        .args(["-C", "properties", "reins", "oracle", "list"]);
    let _ = repo.captured(by_git.output().unwrap()).expect(0);
}

#[test]
fn a_code_is_explained() {
    let repo = Repo::new();
    assert_snapshot!(repo.reins(&["explain", "freeze-expired"]), @r#"
    FREEZE_EXPIRED: refused, exit 1
      rule      a freeze is void after its day; the day itself still counts
      read      expires_at of the freeze rows at tip, and today (UTC)
      remedy    git reins freeze prune && git reins freeze commit
      override  the owner of the freeze, with a new row in a range of its own
    --- exit 0
    "#);
    assert_snapshot!(repo.reins(&["explain", "FREEZE_EXPIRED", "--json"]), @r#"
    {
      "schema": "git-reins/explain/1",
      "codes": [
        {
          "code": "FREEZE_EXPIRED",
          "class": "refused",
          "exit": 1,
          "rule": "a freeze is void after its day; the day itself still counts",
          "reads": "expires_at of the freeze rows at tip, and today (UTC)",
          "remedy": "git reins freeze prune && git reins freeze commit",
          "authority": "the owner of the freeze, with a new row in a range of its own"
        }
      ],
      "words": []
    }
    --- exit 0
    "#);
    let table = repo.reins(&["explain"]).expect(0).stdout;
    assert!(
        table.lines().all(|line| line.chars().count() <= 80),
        "{table}"
    );
}
