//! Is a suite that was out of time run again honestly, and is nothing but its record left?
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at files and processes by themselves"
)]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[expect(dead_code, reason = "other tests use the rest")]
mod support;
use support::{BINARY, Repo, Run};

const DIR: &str = ".gitreins/history/2026-11-30/47ac8b89";

/// A repository whose policy runs `sh suite.sh` with a tool budget of one second.
fn repo(suite: &str, tier1: &str) -> Repo {
    let repo = Repo::new();
    let command = "command = [\"sh\", \"suite.sh\"]\ntool_budget_s = 1\n";
    let policy =
        format!("schema = 1\n[protect]\nbase = [\"refs/heads/main\"]\n[tier1]\n{command}{tier1}");
    repo.write(".gitreins/reins.toml", &policy);
    repo.write(".gitignore", ".gitreins/history\n");
    repo.write("suite.sh", suite);
    repo.commit("a suite");
    repo
}

/// A verdict of GitReins on HEAD: out of time, criteria met.
fn verdict(repo: &Repo, dir: &str, evidence: &str) -> Vec<u8> {
    let commit = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let tests = r#"{"id": "tests", "type": "script", "passed": false, "output": "",
        "error": "Command timed out after 1s (step budget)", "data": {"timed_out": true, "timeout_s": 1}}"#;
    let criteria = r#"{"id": "tier2", "type": "ai_eval", "passed": true, "output": "", "error": "",
        "data": {"verdict": "COMPLETE", "items": [{"criterion": "c", "status": "PASS"}]}}"#;
    let text = format!(
        r#"{{"task_id": "t1", "evaluated_at": "2026-11-30T07:56:41", "commit": "{commit}", "passed": false,
        "stages": {{"tier1": {{"passed": false, "steps": [{tests}]}}, "tier2": {{"passed": true, "steps": [{criteria}]}}}},
        "evidence": {{"items": [{evidence}]}}}}"#
    );
    repo.write(&format!("{dir}/verdict.json"), &text);
    text.into_bytes()
}

fn adjudicate(repo: &Repo, args: &[&str]) -> Run {
    repo.reins(&[&["adjudicate", ".gitreins/history"], args].concat())
}

/// Runs again and asserts that nothing but the record is new, and that the verdict is as it was.
fn reverify(repo: &Repo, code: i32) -> Run {
    let before = fs::read(repo.path(&format!("{DIR}/verdict.json"))).unwrap();
    let record = repo.path(&format!("{DIR}/reverify.json"));
    let aside = repo.path("../reverify.json");
    let old = fs::read(&record).ok();
    let run = repo.unchanged(|| {
        let run = adjudicate(repo, &["--reverify"]);
        let _none = fs::rename(&record, &aside);
        if let Some(old) = &old {
            fs::write(&record, old).unwrap();
        }
        run
    });
    let _none = fs::rename(&aside, &record);
    assert_eq!(
        fs::read(repo.path(&format!("{DIR}/verdict.json"))).unwrap(),
        before
    );
    assert_eq!(run.code, Some(code), "{run}");
    run
}

fn record(repo: &Repo) -> String {
    repo.read(&format!("{DIR}/reverify.json"))
}

fn has_record(repo: &Repo) -> bool {
    fs::symlink_metadata(repo.path(&format!("{DIR}/reverify.json"))).is_ok()
}

#[test]
fn a_suite_that_only_needs_its_time_passes() {
    let repo = repo("sleep 3; echo ok\n", "suite_runtime_s = 4\n");
    verdict(&repo, DIR, "");
    let before = adjudicate(&repo, &[]).expect(3);
    assert!(before.stdout.contains("47ac8b89 ARTIFACT"), "{before}");
    assert!(!has_record(&repo));
    let run = reverify(&repo, 0);
    assert!(
        run.stderr.contains("ran again without isolation in 3."),
        "{run}"
    );
    let after = adjudicate(&repo, &["--json"]).expect(0).stdout;
    for said in [
        "\"verdict\": \"PASS\"",
        "\"complete\": true",
        "\"reverified\": \"pass\"",
        "\"budget_s\": 5",
    ] {
        assert!(after.contains(said), "{said}: {after}");
    }
    let written = record(&repo);
    assert!(
        reverify(&repo, 0).stderr.is_empty(),
        "what is final is not run again"
    );
    assert_eq!(record(&repo), written);
    // bound to the bytes of the verdict
    let path = repo.path(&format!("{DIR}/verdict.json"));
    fs::write(&path, [fs::read(&path).unwrap(), b"\n".to_vec()].concat()).unwrap();
    let other = adjudicate(&repo, &[]).expect(3);
    assert!(other.stdout.contains("ARTIFACT"), "{other}");
}

#[test]
fn a_suite_that_hangs_is_confirmed_and_run_again_only_with_more_time() {
    let repo = repo("sleep 1000\n", "");
    verdict(&repo, DIR, "");
    let run = reverify(&repo, 3);
    assert!(run.stdout.contains("TIMEOUT_CONFIRMED"), "{run}");
    assert!(run.stderr.contains("out of its budget of 1 s"), "{run}");
    let json = adjudicate(&repo, &["--json"]).expect(3).stdout;
    assert!(json.contains("\"regression\": false"), "{json}");
    assert!(reverify(&repo, 3).stderr.is_empty());
    let policy = repo.read(".gitreins/reins.toml") + "suite_runtime_s = 1.5\n";
    repo.write(".gitreins/reins.toml", &policy);
    repo.commit("more time");
    let again = reverify(&repo, 3);
    assert!(again.stderr.contains("out of its budget of 2 s"), "{again}");
}

#[test]
fn a_suite_that_fails_is_a_regression() {
    let repo = repo("echo '1 failed'; exit 1\n", "");
    verdict(&repo, DIR, "");
    let run = reverify(&repo, 1);
    assert!(
        run.stdout.contains("FAIL") && run.stdout.contains("regression"),
        "{run}"
    );
    assert!(run.stderr.contains("exit 1: 1 failed"), "{run}");
}

#[test]
fn what_grades_nothing_stays_open_and_is_not_run_until_it_passes() {
    for (suite, said) in [
        ("no-such-tool\n", "exit 127"),
        ("kill -KILL $$\n", "ended by signal 9"),
        (
            "(setsid sleep 1000 >/dev/null 2>&1 &); exit 0\n",
            "1 processes left behind",
        ),
        (
            "echo '= test session starts ='; echo platform x; exit 5\n",
            "exit 5",
        ),
        ("kill -ABRT $$\n", "ended by signal 6"),
        ("sh -c 'exit 139'\n", "exit 139"),
    ] {
        let repo = repo(suite, "");
        verdict(&repo, DIR, "");
        let run = reverify(&repo, 3);
        assert!(run.stdout.contains("UNRESOLVED"), "{suite}: {run}");
        assert!(run.stderr.contains(said), "{suite}: {run}");
        repo.write("suite.sh", "exit 0\n");
        repo.commit("nothing stands against it any more");
        let twice = reverify(&repo, 3);
        assert!(
            twice.stderr.is_empty() && twice.stdout.contains("UNRESOLVED"),
            "{twice}"
        );
        assert_eq!(record(&repo).matches("\"outcome\"").count(), 1);
    }
}

#[test]
fn an_inner_timeout_is_a_timeout() {
    let repo = repo("exit 124\n", "");
    verdict(&repo, DIR, "");
    assert!(reverify(&repo, 3).stdout.contains("TIMEOUT_CONFIRMED"));
}

#[test]
fn a_need_above_the_cap_is_told_before_anything_runs() {
    let temp = assert_fs::TempDir::new().unwrap();
    let ran = temp.path().join("ran");
    let repo = repo(
        &format!("touch {}\n", ran.display()),
        "suite_runtime_s = 100\nmax_s = 60\n",
    );
    verdict(&repo, DIR, "");
    let run = reverify(&repo, 128);
    assert!(
        run.stderr.contains("tier1.suite_runtime_s") && run.stderr.contains("tier1.max_s"),
        "{run}"
    );
    assert!(!has_record(&repo) && fs::symlink_metadata(ran).is_err());
}

#[test]
fn without_a_command_nothing_runs_and_the_key_is_named() {
    let repo = repo("exit 0\n", "");
    repo.write(".gitreins/reins.toml", "schema = 1\n");
    repo.commit("no command");
    verdict(&repo, DIR, "");
    let run = reverify(&repo, 1);
    assert!(run.stderr.contains("tier1.command is not set"), "{run}");
}

#[test]
fn the_policy_of_the_candidate_does_not_count() {
    let repo = repo("exit 1\n", "");
    repo.git(&["checkout", "-q", "-b", "feature"]);
    let policy = repo
        .read(".gitreins/reins.toml")
        .replace("\"sh\", \"suite.sh\"", "\"true\"");
    repo.write(".gitreins/reins.toml", &policy);
    repo.commit("an easier suite");
    verdict(&repo, DIR, "");
    assert!(reverify(&repo, 1).stdout.contains("FAIL"));
}

#[test]
fn the_graded_tree_is_the_commit_with_the_changes_that_were_graded() {
    let repo = repo(
        "grep -q right code && ! test -e untracked && ! test -e .git\n",
        "",
    );
    repo.write("code", "wrong\n");
    repo.commit("code");
    repo.write("code", "right\n");
    let patch = repo.git(&["diff", "HEAD"]);
    repo.git(&["checkout", "-q", "--", "code"]);
    repo.write("untracked", "");
    let evidence = |bytes: usize, truncated: bool| {
        format!(
            r#"{{"name": "worktree", "file": "worktree.patch", "bytes": {bytes}, "truncated": {truncated}}}"#
        )
    };
    for (bytes, truncated, why) in [
        (patch.len(), true, "worktree.patch has not all of them"),
        (patch.len(), false, "worktree.patch is missing"),
        (patch.len() + 1, false, "worktree.patch has another size"),
    ] {
        verdict(&repo, DIR, &evidence(bytes, truncated));
        if !why.contains("missing") {
            repo.write(&format!("{DIR}/worktree.patch"), &patch);
        }
        let run = reverify(&repo, 3);
        assert!(
            run.stderr.contains(why) && run.stdout.contains("ARTIFACT"),
            "{run}"
        );
        assert!(!has_record(&repo));
        let _none = fs::remove_file(repo.path(&format!("{DIR}/worktree.patch")));
    }
    let wrong = patch.replace("-wrong", "-other");
    verdict(&repo, DIR, &evidence(wrong.len(), false));
    repo.write(&format!("{DIR}/worktree.patch"), &wrong);
    assert!(
        reverify(&repo, 3)
            .stderr
            .contains("the patch does not apply")
    );
    verdict(&repo, DIR, &evidence(patch.len(), false));
    repo.write(&format!("{DIR}/worktree.patch"), &patch);
    assert!(reverify(&repo, 0).stdout.contains("PASS"));
    // without the changes it fails
    fs::remove_file(repo.path(&format!("{DIR}/reverify.json"))).unwrap();
    verdict(&repo, DIR, "");
    assert!(reverify(&repo, 1).stdout.contains("FAIL"));
}

#[test]
fn a_commit_that_is_not_here_cannot_be_run_again() {
    let repo = repo("exit 0\n", "");
    let text = String::from_utf8(verdict(&repo, DIR, "")).unwrap();
    let head = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    repo.write(
        &format!("{DIR}/verdict.json"),
        &text.replace(&head, &"a".repeat(40)),
    );
    let run = reverify(&repo, 3);
    assert!(
        run.stderr.contains("is not in this clone") && run.stdout.contains("ARTIFACT"),
        "{run}"
    );
    repo.write(&format!("{DIR}/verdict.json"), &text.replace(&head, ""));
    assert!(reverify(&repo, 3).stderr.contains("names no commit"));
    assert!(!has_record(&repo));
}

#[test]
fn past_runs_that_passed_raise_the_budget() {
    let repo = repo("sleep 1.2\n", "max_s = 20\nsuite_runtime_s = 2\n");
    let dirs: Vec<_> = (0..5)
        .map(|at| format!(".gitreins/history/2026-11-2{at}/47ac8b8{at}"))
        .collect();
    dirs.iter().for_each(|dir| _ = verdict(&repo, dir, ""));
    let _ = adjudicate(&repo, &["--reverify"]).expect(0);
    let policy = repo
        .read(".gitreins/reins.toml")
        .replace("suite_runtime_s = 2\n", "");
    repo.write(".gitreins/reins.toml", &policy);
    repo.commit("nothing is stated any more");
    let json = adjudicate(&repo, &["--json"]).expect(0).stdout;
    assert!(
        json.contains("\"source\": \"history\"") && json.contains("\"budget_s\": 2"),
        "{json}"
    );
}

/// Starts a re-verification whose suite has written down its processes.
fn started(repo: &Repo, pids: &PathBuf, scratch: &str) -> Child {
    let mut command = repo.command(BINARY, &repo.path(""));
    command
        .args(["adjudicate", ".gitreins/history", "--reverify"])
        .env("TMPDIR", repo.path(scratch));
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while fs::read_to_string(pids).unwrap_or_default().lines().count() < 2 {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "the suite did not start"
        );
        std::thread::yield_now();
    }
    child
}

/// A suite that hides from everybody.
fn hiding(pids: &str) -> String {
    format!(
        "trap '' TERM INT; echo $$ >>{pids}\n\
         (setsid sh -c 'trap \"\" TERM; echo $$ >>{pids}; sleep 1000' >/dev/null 2>&1 &)\nsleep 1000\n"
    )
}

fn gone(pids: &PathBuf) {
    for pid in fs::read_to_string(pids).unwrap().lines() {
        assert!(
            fs::symlink_metadata(format!("/proc/{pid}")).is_err(),
            "{pid} is alive"
        );
    }
}

#[test]
fn ctrl_c_and_sigterm_leave_nothing() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let temp = assert_fs::TempDir::new().unwrap();
        let pids = temp.path().join("pids");
        let repo = repo(&hiding(pids.to_str().unwrap()), "suite_runtime_s = 100\n");
        verdict(&repo, DIR, "");
        fs::create_dir(repo.path("../scratch")).unwrap();
        let child = started(&repo, &pids, "../scratch");
        assert!(
            Command::new("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let run = repo.captured(child.wait_with_output().unwrap());
        assert_eq!(run.code, Some(code), "{run}");
        assert!(
            run.stdout.is_empty() && run.stderr.contains("interrupted"),
            "{run}"
        );
        gone(&pids);
        assert!(!has_record(&repo));
        assert_eq!(
            fs::read_dir(repo.path("../scratch")).unwrap().count(),
            0,
            "the tree is removed"
        );
    }
}

#[test]
fn kill_9_leaves_no_process_and_no_record() {
    let temp = assert_fs::TempDir::new().unwrap();
    let pids = temp.path().join("pids");
    let repo = repo(&hiding(pids.to_str().unwrap()), "suite_runtime_s = 100\n");
    verdict(&repo, DIR, "");
    fs::create_dir(repo.path("../scratch")).unwrap();
    let mut child = started(&repo, &pids, "../scratch");
    child.kill().unwrap();
    // the supervisor has our stderr and closes it when it has killed the last one
    let _ended = child.wait_with_output().unwrap();
    gone(&pids);
    assert!(!has_record(&repo));
}

#[test]
fn pytest_passes_when_it_gets_its_time() {
    let has_pytest = Command::new("python3")
        .args(["-m", "pytest", "--version"])
        .output();
    if !has_pytest.is_ok_and(|output| output.status.success()) {
        assert!(
            std::env::var("CI").as_deref() != Ok("true"),
            "CI has to have pytest"
        );
        eprintln!("skipped: there is no pytest");
        return;
    }
    let repo = repo("", "suite_runtime_s = 20\n");
    let policy = repo.read(".gitreins/reins.toml");
    let command = "\"python3\", \"-m\", \"pytest\", \"-q\", \"test_slow.py\"";
    repo.write(
        ".gitreins/reins.toml",
        &policy.replace("\"sh\", \"suite.sh\"", command),
    );
    repo.write(
        "test_slow.py",
        "import time\n\ndef test_slow():\n    time.sleep(3)\n",
    );
    repo.commit("a slow test");
    verdict(&repo, DIR, "");
    let run = reverify(&repo, 0);
    assert!(
        run.stdout.contains("PASS") && run.stderr.contains("1 passed"),
        "{run}"
    );
}
