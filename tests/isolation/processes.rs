//! Every way to outlive the end, tried by a job.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use git_reins::model::run::{End, Ran};
use git_reins::model::trial::{Enforced, KillGuard};
use git_reins::sandbox::fence::Fence;
use git_reins::sandbox::interrupt::Interrupt;
use git_reins::sandbox::layer::Layer;
use git_reins::sandbox::plan::Limits;
use git_reins::sandbox::plan::Plan;
use git_reins::sandbox::run::Runner;

use super::bench::{BINARY, Bench, MOUNTS, RULES, can};

/// Whether a process has this word among its arguments.
fn lives(word: &str) -> bool {
    let pids = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .map(|entry| entry.path());
    pids.filter_map(|dir| fs::read(dir.join("cmdline")).ok())
        .any(|line| {
            line.split(|byte| *byte == 0)
                .any(|argument| argument == word.as_bytes())
        })
}

/// Runs a script whose sleepers are told by a number of their own; none may be left.
fn run(means: Enforced, budget_ms: u64, script: &str) -> Ran {
    let mut bench = Bench::new(Layer::Copy);
    bench.budget = Duration::from_millis(budget_ms);
    static NUMBER: AtomicU32 = AtomicU32::new(1000);
    let word = format!(
        "{}.5{}",
        NUMBER.fetch_add(1, Ordering::Relaxed),
        std::process::id()
    );
    let ran = bench.sh(means, &script.replace("LONG", &word));
    assert_eq!(ran.survivors, 0, "{ran:?}");
    assert!(!lives(&word), "{script}");
    ran
}

fn each(test: impl Fn(Enforced)) {
    [MOUNTS, RULES, Fence::OPEN]
        .into_iter()
        .filter(|means| can(*means))
        .for_each(test);
}

#[test]
fn nothing_outlives_a_budget() {
    each(|means| {
        let ran = run(
            means,
            400,
            "trap '' TERM
             setsid sh -c 'trap \"\" TERM; sleep LONG & wait; sleep LONG' &
             (setsid sh -c 'exec sleep LONG' & ) &
             sleep LONG & wait; wait; sleep LONG",
        );
        assert_eq!((ran.end, ran.leaked), (End::Timeout, 0), "{means:?}");
    });
}

#[test]
fn daemons_are_counted_and_ended() {
    each(|means| {
        let started = "while test ! -s src/up; do :; done";
        let daemon =
            "(setsid sh -c 'echo up >src/up; exec sleep LONG' </dev/null >/dev/null 2>&1 &)";
        let ran = run(means, 60_000, &format!("{daemon}; {started}; exit 0"));
        assert_eq!((ran.end, ran.leaked), (End::Exit(0), 1), "{means:?}");
        let twice =
            "(( setsid sh -c 'echo up >src/up; exec sleep LONG' </dev/null >/dev/null 2>&1 & ) & )";
        let ran = run(means, 60_000, &format!("{twice}; {started}; exit 0"));
        assert_eq!((ran.end, ran.leaked), (End::Exit(0), 1), "{means:?}");
    });
}

#[test]
fn the_end_is_told_as_it_was() {
    each(|means| {
        let end = |script| run(means, 60_000, script).end;
        assert_eq!(end("exit 7"), End::Exit(7));
        assert_eq!(end("echo PASS; kill -SEGV $$"), End::Signal(11));
        assert_eq!(end("echo PASS; kill -KILL $$"), End::Signal(9));
        assert_eq!(end("echo PASS; kill -ABRT $$"), End::Signal(6));
        assert_eq!(end("sh -c 'kill -SEGV $$'; exit $?"), End::Exit(139));
        assert_eq!(end("no-such-tool-anywhere"), End::Exit(127));
        assert_eq!(end("yes"), End::OutputLimit);
        let bench = Bench::new(Layer::Copy);
        let missing = bench
            .run(&mut bench.tree(), means, &["no-such-tool-anywhere"])
            .unwrap();
        // a directory of the PATH that nobody may enter is another answer
        assert!(
            matches!(missing.end, End::Missing(_) | End::NotStarted(_)),
            "{missing:?}"
        );
    });
}

#[test]
fn a_job_sees_and_ends_nobody_else() {
    if !can(MOUNTS) {
        return;
    }
    let script = format!(
        "kill -0 {} && exit 3; kill -KILL $PPID; kill -STOP 1; ls -d /proc/[0-9]* | wc -l; test $PPID = 1",
        std::process::id()
    );
    let ran = run(MOUNTS, 60_000, &script);
    assert_eq!(ran.end, End::Exit(0), "{ran:?}");
    let seen: usize = ran.stdout.text().trim().parse().unwrap();
    assert!(seen <= 5, "{ran:?}");
}

/// A fence that keeps nobody from looking at others.
const THIN: Enforced = Enforced {
    network: RULES.network,
    ..Fence::OPEN
};

#[test]
#[ignore = "a process of the other tests"]
fn a_process_that_judges() {
    let bench = Bench::new(Layer::Copy);
    let can = |file: &str| bench.sh(THIN, &format!("exec 3{file}")).end == End::Exit(0);
    let [environ, memory] = ["</proc/PID/environ", "<>/proc/PID/mem"]
        .map(|file| file.replace("PID", &std::process::id().to_string()));
    // root has rights that his jobs have not
    assert!(
        rustix::process::geteuid().is_root() || can(&environ),
        "the attempt is none"
    );
    let _judge = Runner::new(Interrupt::watch().unwrap()).unwrap();
    assert!(!can(&environ) && !can(&memory));
}

#[test]
fn no_job_looks_into_who_judges() {
    if !can(THIN) {
        return;
    }
    let test = "isolation::processes::a_process_that_judges";
    let mut judge = Command::new(std::env::current_exe().unwrap());
    let ran = judge
        .args([test, "--exact", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(
        ran.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

#[test]
fn everything_ends_with_a_supervisor_that_is_killed() {
    let means = Enforced {
        kill: KillGuard::Pidns,
        ..Fence::OPEN
    };
    if !can(means) {
        return;
    }
    let bench = Bench::new(Layer::Copy);
    let tree = bench.tree();
    let limits = Limits {
        budget: Duration::from_secs(60),
        output: 1000,
    };
    let plan = Plan {
        limits,
        layer: None,
        fence: Some(bench.fence(&tree, means)),
    };
    let _made = bench.environment();
    let word = format!("1000.25{}", std::process::id());
    let job = format!("(setsid sh -c 'trap \"\" TERM; sleep {word}' &); sleep {word}");
    let mut supervisor = Command::new(BINARY)
        .args([
            "supervise",
            "--plan",
            &serde_json::to_string(&plan).unwrap(),
            "--",
            "sh",
            "-c",
            &job,
        ])
        .current_dir(tree.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while !lives(&word) {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "the job did not start"
        );
        std::thread::yield_now();
    }
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    let mut said = String::new();
    // whoever is left holds this pipe: its end is the end of all of them
    supervisor
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    // the job is there a moment before that is said
    assert!(
        ["apart\nfenced\n", "apart\nfenced\nstarted\n"].contains(&said.as_str()),
        "{said}"
    );
    while lives(&word) {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "the job lives on"
        );
        std::thread::yield_now();
    }
}
