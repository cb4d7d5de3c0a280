//! Is the foreman's command run once for a task that running again completed?
#![expect(clippy::unwrap_used, reason = "a story that cannot be told fails")]

use git_reins::model::ids::Sha256;
use git_reins::model::record::print;
use git_reins::model::reverification::{
    Budget, BudgetSource, REVERIFY_SCHEMA, Rerun, RerunResult, Reverification,
};
use git_reins::model::trial::Outcome;
use insta::assert_snapshot;

use super::verdicts::{dir, grading, repo, rule, write};
use crate::naming::named;
use crate::support::Repo;

/// An artifact, and beside it what running tier 1 again showed.
fn artifact(repo: &Repo, hash: &str, task: &str, result: RerunResult) {
    let mut verdict = grading(task, "timeout", Some("COMPLETE"));
    verdict["commit"] = "0123456789abcdef0123456789abcdef01234567".into();
    write(repo, hash, &verdict);
    let verdict = repo.read(&format!("{}/verdict.json", dir(hash)));
    let outcome = if result == RerunResult::Pass {
        Outcome::Pass
    } else {
        Outcome::Timeout
    };
    let exit = (outcome == Outcome::Pass).then_some(0);
    let record = Reverification {
        schema: REVERIFY_SCHEMA.to_owned(),
        verdict_sha256: Sha256::of(verdict.as_bytes()),
        task_id: task.to_owned(),
        commit: "0123456789abcdef0123456789abcdef01234567".parse().unwrap(),
        tree: "0123456789abcdef0123456789abcdef01234567".parse().unwrap(),
        command: vec!["./check".to_owned()],
        budget: Budget {
            tool_budget_s: 120,
            budget_s: 488,
            source: BudgetSource::Manifest,
            raised: true,
        },
        runs: vec![Rerun {
            outcome,
            exit,
            signal: None,
            duration_ms: 390_000,
        }],
        result,
    };
    repo.write(&format!("{}/reverify.json", dir(hash)), &print(&record));
}

fn foreman(command: &str) -> Repo {
    let repo = repo();
    rule(
        &repo,
        &format!(
            "[foreman]\non_complete = [\"sh\", \"-c\", '{command}', \"foreman\", \"{{task_id}}\"]\n"
        ),
    );
    repo
}

#[test]
fn the_command_runs_once_after_the_commit() {
    let repo = foreman(
        "echo \"$1 $(git log -1 --format=%s)\" >> .git/done; git reins reconcile 2>&1 | cat",
    );
    artifact(&repo, "0000000a", "t 1; rm", RerunResult::Pass);
    artifact(&repo, "0000000b", "t2", RerunResult::Timeout);
    write(&repo, "0000000c", &grading("t3", "pass", None));
    let _ = repo.reins(&["reconcile", "--dry-run"]).expect(0);
    assert_snapshot!(repo.reins(&["reconcile"]).expect(0).stdout, @"
    2026-11-30/0000000a task sha256-eabaee3904316f98 tier1 timeout tier2 PASS rerun pass
    2026-11-30/0000000b task t2 tier1 timeout tier2 PASS
    2026-11-30/0000000c task t3 tier1 pass tier2 ABSENT
    ");
    assert_snapshot!(repo.read(".git/done"), @"t 1; rm [artifact] fold 3 judge verdicts (1 tier1 pass, 2 tier1 timeout)");
    let _ = repo.refuses(0, &["reconcile"]);
    artifact(&repo, "0000000d", "t 1; rm", RerunResult::Pass);
    let _ = repo.reins(&["reconcile"]).expect(0);
    assert_eq!(repo.read(".git/done").lines().count(), 1);
}

#[test]
fn a_command_that_fails_is_tried_again() {
    let repo = foreman("echo \"$1\" >> .git/tried; test -e .git/ready");
    artifact(&repo, "0000000a", "t1", RerunResult::Pass);
    assert_snapshot!(named(&repo, repo.reins(&["reconcile"])), @"
    2026-11-30/0000000a task t1 tier1 timeout tier2 PASS rerun pass
    folded 1 verdict (3 files) as {[artifact] fold judge verdict 0000000a (tier1 timeout, tier2 PASS):10}
    task t1 is complete, but foreman.on_complete failed (exit 1); the next reconcile tries it again
    --- exit 3
    ");
    let _ = repo.refuses(3, &["reconcile"]);
    repo.write(".git/ready", "");
    assert_snapshot!(repo.refuses(0, &["reconcile", "--json"]), @r#"
    {
      "schema": "git-reins/reconcile/1",
      "act": "commit",
      "commit": null,
      "branch": "refs/heads/main",
      "subject": null,
      "folded": [],
      "skipped": [],
      "refusals": [],
      "details": [],
      "completed": [
        {
          "task": "t1",
          "done": true,
          "end": "exit 0"
        }
      ],
      "notes": []
    }
    --- exit 0
    "#);
    let _ = repo.refuses(0, &["reconcile"]);
    assert_eq!(repo.read(".git/tried").lines().count(), 3);
}

#[test]
fn what_ran_again_after_the_fold_completes_the_task_then() {
    let repo = foreman("echo \"$1\" >> .git/done");
    artifact(&repo, "0000000a", "t1", RerunResult::Timeout);
    let _ = repo.reins(&["reconcile"]).expect(0);
    assert!(std::fs::read(repo.path(".git/done")).is_err());
    artifact(&repo, "0000000a", "t1", RerunResult::Pass);
    let _ = repo.reins(&["reconcile"]).expect(0);
    assert_eq!(repo.read(".git/done"), "t1\n");
    let _ = repo.refuses(0, &["reconcile"]);
}

#[test]
fn a_command_that_no_protected_line_names_does_not_run() {
    let repo = repo();
    repo.git(&["switch", "-q", "-c", "topic"]);
    rule(
        &repo,
        "[foreman]\non_complete = [\"touch\", \".git/owned\"]\n",
    );
    artifact(&repo, "0000000a", "t1", RerunResult::Pass);
    let _ = repo.reins(&["reconcile"]).expect(0);
    assert!(std::fs::read(repo.path(".git/owned")).is_err());
}

#[test]
fn staged_verdicts_complete_their_task_once_they_are_committed() {
    let repo = foreman("echo \"$1\" >> .git/done");
    artifact(&repo, "0000000a", "t1", RerunResult::Pass);
    let _ = repo.reins(&["reconcile", "--stage"]).expect(0);
    assert!(std::fs::read(repo.path(".git/done")).is_err());
    repo.git(&["commit", "-q", "-m", "work"]);
    let _ = repo.refuses(0, &["reconcile"]);
    assert_eq!(repo.read(".git/done"), "t1\n");
}

#[test]
fn a_task_id_that_is_no_argument_is_said_once() {
    let long = "x".repeat(1025);
    for task in ["--force", "a\0b", &*long] {
        let repo = foreman("echo \"$1\" >> .git/done");
        artifact(&repo, "0000000a", task, RerunResult::Pass);
        let run = repo.reins(&["reconcile"]).expect(3);
        assert!(
            run.stderr
                .contains("foreman.on_complete was not run, and not tried again"),
            "{run}"
        );
        let _ = repo.refuses(0, &["reconcile"]);
        assert!(std::fs::read(repo.path(".git/done")).is_err());
    }
}

#[test]
fn a_command_that_outlives_reconcile_is_not_started_beside_itself() {
    let repo = foreman(
        "exec >/dev/null 2>&1; echo $$ >> .git/ran; test -e .git/second || kill -9 $PPID; read -r _ < .git/go",
    );
    let _ = repo
        .command("mkfifo", &repo.path(""))
        .arg(".git/go")
        .status()
        .unwrap();
    artifact(&repo, "0000000a", "t1", RerunResult::Pass);
    assert_eq!(repo.reins(&["reconcile"]).code, None);
    assert_eq!(repo.read(".git/ran").lines().count(), 1);
    let _ = repo.refuses(0, &["reconcile"]);
    assert_eq!(repo.read(".git/ran").lines().count(), 1);
    std::fs::write(repo.path(".git/go"), "go\n").unwrap();
}

#[test]
fn a_directory_that_a_person_committed_completes_its_task_when_it_is_named() {
    let repo = foreman("echo \"$1\" >> .git/done");
    artifact(&repo, "0000000a", "t1", RerunResult::Pass);
    repo.git(&["add", "-f", ".gitreins/history"]);
    repo.git(&["commit", "-q", "-m", "by hand"]);
    let _ = repo.refuses(0, &["reconcile"]);
    assert!(std::fs::read(repo.path(".git/done")).is_err());
    let _ = repo.refuses(0, &["reconcile", "0000000a"]);
    let _ = repo.refuses(0, &["reconcile", "./0000000a/"]);
    assert_eq!(repo.read(".git/done"), "t1\n");
}
