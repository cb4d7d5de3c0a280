//! What is left of a re-verification that is killed at any moment?
#![expect(clippy::unwrap_used, reason = "a kill that cannot be watched fails")]

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::ground::Dice;
use super::kills::{killed, micros};
use crate::support::{BINARY, Repo};

const DIR: &str = ".gitreins/history/2026-11-30/47ac8b89";

/// A suite with a process that hides in a session of its own, and that it ends itself.
const SUITE: &str = "setsid sh -c 'echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 &\n\
    until [ -s pid ]; do :; done\nkill -KILL \"$(cat pid)\"\nwait\nexit 0\n";

const POLICY: &str = "schema = 1\n[protect]\nbase = [\"refs/heads/main\"]\n[tier1]\n\
    command = [\"sh\", \"suite.sh\"]\ntool_budget_s = 1\nsuite_runtime_s = 30\n";

/// A repository with a verdict of GitReins that waits for the suite.
fn waiting() -> Repo {
    let repo = Repo::new();
    repo.write(".gitreins/reins.toml", POLICY);
    repo.write(".gitignore", ".gitreins/history\n");
    repo.write("suite.sh", SUITE);
    repo.commit("a suite");
    let commit = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let tests = r#"{"id": "tests", "type": "script", "passed": false, "output": "",
        "error": "Command timed out after 1s (step budget)", "data": {"timed_out": true, "timeout_s": 1}}"#;
    let criteria = r#"{"id": "tier2", "type": "ai_eval", "passed": true, "output": "", "error": "",
        "data": {"verdict": "COMPLETE", "items": [{"criterion": "c", "status": "PASS"}]}}"#;
    repo.write(&format!("{DIR}/verdict.json"), &format!(
        r#"{{"task_id": "t1", "evaluated_at": "2026-11-30T07:56:41", "commit": "{commit}", "passed": false,
        "stages": {{"tier1": {{"passed": false, "steps": [{tests}]}}, "tier2": {{"passed": true, "steps": [{criteria}]}}}},
        "evidence": {{"items": []}}}}"#
    ));
    repo
}

fn started(repo: &Repo, scratch: &Path) -> Child {
    let mut command = repo.command(BINARY, &repo.path(""));
    command
        .args(["adjudicate", ".gitreins/history", "--reverify", "--json"])
        .env("TMPDIR", scratch);
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap()
}

/// The processes that work somewhere below `dir`.
fn at_work(dir: &Path) -> Vec<String> {
    let processes = fs::read_dir("/proc")
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let below =
        |process: &Path| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(dir));
    let said = |process: &Path| fs::read_to_string(process.join("cmdline")).unwrap_or_default();
    processes
        .filter(|process| below(process))
        .map(|process| said(&process))
        .collect()
}

fn kill(times: usize) {
    let repo = waiting();
    let scratch = repo.path("../scratch");
    let (verdict, record) = (
        repo.read(&format!("{DIR}/verdict.json")),
        format!("{DIR}/reverify.json"),
    );
    let (mut dice, mut ended, mut usual) = (Dice::new(11), 0, 0);
    for at in 0..=times {
        fs::create_dir(&scratch).unwrap();
        let after = if at == 0 {
            60_000_000
        } else {
            dice.below(usual)
        };
        let began = Instant::now();
        let child = started(&repo, &scratch);
        // the first one shows how long it takes
        let output = if at == 0 {
            child.wait_with_output().unwrap()
        } else {
            killed(child, after).0
        };
        if at == 0 {
            usual = micros(began) * 6 / 5;
        }
        ended += usize::from(at > 0 && output.status.success());
        gone(&scratch, at);
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(
            said.is_empty() || said.ends_with("]\n"),
            "half an answer: {said:?}"
        );
        assert_eq!(repo.read(&format!("{DIR}/verdict.json")), verdict);
        let is_there = fs::symlink_metadata(repo.path(&record)).is_ok();
        let run = repo.reins(&["adjudicate", ".gitreins/history"]);
        assert_eq!(
            run.code,
            Some(if is_there { 0 } else { 3 }),
            "half a record: {run}"
        );
        assert_eq!(
            run.stderr
                .lines()
                .filter(|line| line.contains("reverify"))
                .count(),
            0,
            "{run}"
        );
        fs::remove_dir_all(&scratch).unwrap();
        fs::create_dir(&scratch).unwrap();
        let again = repo.captured(started(&repo, &scratch).wait_with_output().unwrap());
        assert_eq!(again.code, Some(0), "after kill {at}: {again}");
        assert!(repo.read(&record).ends_with("}\n"));
        assert_eq!(
            fs::read_dir(&scratch).unwrap().count(),
            0,
            "something is left behind"
        );
        fs::remove_dir_all(&scratch).unwrap();
        clear(&repo);
    }
    println!(
        "{times} SIGKILLs of adjudicate --reverify: 0 violations, {times} converge; {ended} ended first"
    );
}

/// Every process is gone, at the latest when its supervisor has seen that we are.
fn gone(scratch: &Path, at: usize) {
    let began = Instant::now();
    while !at_work(scratch).is_empty() {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "kill {at} leaves {:?}",
            at_work(scratch)
        );
        std::thread::yield_now();
    }
}

/// Takes the record away, and what a killed writer left beside it.
fn clear(repo: &Repo) {
    for entry in fs::read_dir(repo.path(DIR)).unwrap() {
        let path = entry.unwrap().path();
        if !path.ends_with("verdict.json") {
            fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn a_rerun_that_is_killed() {
    kill(6);
}

#[test]
#[ignore = "the full count takes minutes"]
fn a_thousand_reruns_that_are_killed() {
    kill(1_000);
}
