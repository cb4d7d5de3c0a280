//! Is a job ended with everything that it started, and is what it left told truly? With real
//! shells under the real supervisor.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look for processes and files by themselves"
)]

use std::ffi::OsString;
use std::fs;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use git_reins::model::run::{End, Ran};
use git_reins::model::trial::{Enforced, Trace};
use git_reins::policy::Network;
use git_reins::sandbox::environment::Environment;
use git_reins::sandbox::fence::Fence;
use git_reins::sandbox::interrupt::Interrupt;
use git_reins::sandbox::plan::Limits;
use git_reins::sandbox::run::{Job, RunError, Runner};

const BINARY: &str = env!("CARGO_BIN_EXE_git-reins");

/// A minute, for jobs that end by themselves.
const LONG: Duration = Duration::from_secs(60);

/// Makes three tests of each: nothing changes for a job when somebody watches what it opens.
macro_rules! traced_or_not {
    ($($name:ident,)*) => {
        $(mod $name {
            use git_reins::model::trial::Trace;

            #[test]
            fn plain() {
                super::$name(Trace::None);
            }

            #[test]
            #[cfg(all(feature = "sandbox", target_os = "linux"))]
            fn by_ptrace() {
                super::$name(Trace::Ptrace);
            }

            #[test]
            #[cfg(all(feature = "sandbox", target_os = "linux"))]
            fn by_notify() {
                super::$name(Trace::Notify);
            }
        })*
    };
}

traced_or_not! {
    the_end_of_a_job_is_told_as_it_was,
    a_missing_tool_is_not_a_tool_that_says_127,
    a_budget_ends_children_that_ignore_sigterm_and_hide_in_sessions,
    a_job_that_heeds_sigterm_may_say_something,
    daemons_that_are_left_behind_are_killed_and_counted,
    a_child_that_ends_within_the_grace_is_no_leak,
    endless_output_is_cut_and_counted,
    a_job_that_keeps_forking_is_ended,
    a_job_reads_nothing_and_inherits_nothing,
    what_is_not_known_is_no_end,
}

#[test]
#[cfg(not(all(feature = "sandbox", target_os = "linux")))]
fn a_build_that_sees_no_paths_says_so() {
    for trace in [Trace::Ptrace, Trace::Notify] {
        let ran = Bench::new(trace).run(&["true"]);
        assert!(
            matches!(&ran, Err(RunError::NoFence(why)) if why.contains("sees no paths")),
            "{ran:?}"
        );
    }
    let ran = Bench::new(Trace::None).sh("true");
    assert!(ran.opened.is_none() && ran.untraced.is_some());
}

struct Bench {
    temp: assert_fs::TempDir,
    limits: Limits,
    fence: Fence,
}

impl Bench {
    fn new(trace: Trace) -> Self {
        let limits = Limits {
            budget: LONG,
            output: 1 << 20,
        };
        let means = Enforced {
            trace,
            ..Fence::OPEN
        };
        let (read_only, writable) = (Vec::new(), Vec::new());
        let fence = Fence {
            means,
            read_only,
            writable,
            network: Network::Allow,
        };
        Self {
            temp: assert_fs::TempDir::new().unwrap(),
            limits,
            fence,
        }
    }

    fn within(budget_ms: u64, trace: Trace) -> Self {
        let mut bench = Self::new(trace);
        bench.limits.budget = Duration::from_millis(budget_ms);
        bench
    }

    fn run(&self, argv: &[&str]) -> Result<Ran, RunError> {
        self.run_by(
            &Runner::supervised_by(PathBuf::from(BINARY), Interrupt::watch().unwrap()),
            argv,
        )
    }

    fn run_by(&self, runner: &Runner, argv: &[&str]) -> Result<Ran, RunError> {
        let argv: Vec<OsString> = argv.iter().map(OsString::from).collect();
        // a place of the path that nobody may enter makes a missing tool one that cannot be started
        let environment = Environment::clean(self.temp.path())
            .unwrap()
            .set("PATH", "/usr/bin:/bin");
        let job = Job {
            argv: &argv,
            dir: self.temp.path(),
            environment: &environment,
            limits: self.limits,
            fence: Some(&self.fence).filter(|fence| fence.means.trace != Trace::None),
        };
        runner.run(&job, &mut |_| ())
    }

    fn sh(&self, script: &str) -> Ran {
        let ran = self.run(&["sh", "-c", script]).unwrap();
        assert_eq!(ran.survivors, 0, "{ran:?}");
        ran
    }

    /// The processes that the job wrote down, one a line in the file `pids`, are all gone.
    fn assert_gone(&self, count: usize) {
        let pids = fs::read_to_string(self.temp.path().join("pids")).unwrap();
        assert_eq!(pids.lines().count(), count, "{pids}");
        for pid in pids.lines() {
            assert!(
                fs::symlink_metadata(format!("/proc/{pid}")).is_err(),
                "{pid} is alive"
            );
        }
    }
}

fn the_end_of_a_job_is_told_as_it_was(trace: Trace) {
    let bench = Bench::new(trace);
    assert_eq!(bench.sh("exit 0").end, End::Exit(0));
    assert_eq!(bench.sh("exit 7").end, End::Exit(7));
    assert_eq!(bench.sh("echo PASS; kill -SEGV $$").end, End::Signal(11));
    assert_eq!(
        bench.sh("sh -c 'kill -KILL $$'; exit $?").end,
        End::Exit(137)
    );
    let said = bench.sh("echo out; echo err >&2");
    assert_eq!(
        (said.stdout.text().as_str(), said.stderr.text().as_str()),
        ("out\n", "err\n")
    );
    assert_eq!((said.leaked, said.stdout.bytes), (0, 4));
}

fn a_missing_tool_is_not_a_tool_that_says_127(trace: Trace) {
    let bench = Bench::new(trace);
    assert_eq!(bench.sh("no-such-tool-anywhere").end, End::Exit(127));
    assert!(matches!(
        bench.run(&["no-such-tool-anywhere"]).unwrap().end,
        End::Missing(_)
    ));
    fs::write(bench.temp.path().join("plain"), "echo").unwrap();
    assert!(matches!(
        bench.run(&["./plain"]).unwrap().end,
        End::NotStarted(_)
    ));
    let gone = Bench::new(trace);
    fs::remove_dir_all(gone.temp.path()).unwrap();
    let argv = [OsString::from("true")];
    let environment = Environment::clean(bench.temp.path()).unwrap();
    let job = Job {
        argv: &argv,
        dir: gone.temp.path(),
        environment: &environment,
        limits: gone.limits,
        fence: None,
    };
    let runner = Runner::supervised_by(PathBuf::from(BINARY), Interrupt::watch().unwrap());
    assert!(matches!(
        runner.run(&job, &mut |_| ()),
        Err(RunError::Supervisor { .. })
    ));
}

fn a_budget_ends_children_that_ignore_sigterm_and_hide_in_sessions(trace: Trace) {
    let bench = Bench::within(300, trace);
    let began = Instant::now();
    let ran = bench.sh("trap '' TERM; echo $$ >>pids
         setsid sh -c 'trap \"\" TERM; echo $$ >>pids; sleep 1000 & echo $! >>pids; wait' &
         (setsid sh -c 'echo $$ >>pids; exec sleep 1000' & ) &
         sleep 1000 & wait; wait; sleep 1000");
    assert_eq!((ran.end, ran.leaked), (End::Timeout, 0));
    assert!(began.elapsed() < Duration::from_secs(10) && ran.wall_ms >= 300);
    bench.assert_gone(4);
}

fn a_job_that_heeds_sigterm_may_say_something(trace: Trace) {
    let bench = Bench::within(300, trace);
    let ran = bench.sh("trap 'echo bye; exit 0' TERM; sleep 1000 & wait");
    assert_eq!(
        (ran.end, ran.stdout.text().as_str()),
        (End::Timeout, "bye\n")
    );
}

fn daemons_that_are_left_behind_are_killed_and_counted(trace: Trace) {
    let bench = Bench::new(trace);
    let daemon = "(setsid sh -c 'echo $$ >>pids; exec sleep 1000' </dev/null >/dev/null 2>&1 &)";
    let until = "while test ! -s pids; do :; done";
    let ran = bench.sh(&format!("{daemon}; {until}; exit 0"));
    assert_eq!((ran.end, ran.leaked), (End::Exit(0), 1));
    bench.assert_gone(1);
}

fn a_child_that_ends_within_the_grace_is_no_leak(trace: Trace) {
    let ran = Bench::new(trace).sh("(sleep 0.05; echo late) & echo early");
    assert_eq!(
        (ran.leaked, ran.stdout.text().as_str()),
        (0, "early\nlate\n")
    );
}

fn endless_output_is_cut_and_counted(trace: Trace) {
    let bench = Bench::new(trace);
    let began = Instant::now();
    let ran = bench.run(&["yes"]).unwrap();
    assert_eq!((ran.end, ran.survivors), (End::OutputLimit, 0));
    assert!(ran.stdout.bytes > 1 << 20 && ran.stdout.head.starts_with(b"y\ny\n"));
    assert!(ran.stdout.head.len() + ran.stdout.tail.len() <= 256 << 10);
    assert!(began.elapsed() < Duration::from_secs(10));
    let both = bench.sh("head -c 600000 /dev/zero; head -c 600000 /dev/zero >&2");
    assert_eq!(both.end, End::OutputLimit, "both streams count together");
}

fn a_job_that_keeps_forking_is_ended(trace: Trace) {
    let bench = Bench::within(200, trace);
    let ran = bench.sh("f() { (sleep 0.01; f) & (sleep 1000) & }; f; sleep 1000");
    assert_eq!(ran.end, End::Timeout);
}

fn a_job_reads_nothing_and_inherits_nothing(trace: Trace) {
    let bench = Bench::new(trace);
    let secret = fs::File::open("/etc/passwd").unwrap();
    rustix_inheritable(&secret);
    let ran =
        bench.sh("cat; readlink /proc/self/fd/0; ls /proc/self/fd | tr '\\n' ' '; env | sort");
    let text = ran.stdout.text();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("/dev/null"));
    let rest: Vec<_> = lines.collect();
    assert!(rest[0].starts_with("0 1 2 3 "), "{rest:?}"); // 3 is the listing's own
    assert!(!rest[0].contains("4"), "{rest:?}");
    for name in ["CARGO_PKG_NAME=", "CI=", "GIT_DIR="] {
        assert!(!rest.iter().any(|line| line.starts_with(name)), "{rest:?}");
    }
    let temp = bench.temp.path().display();
    assert!(
        rest.iter()
            .any(|line| line.ends_with(&format!("HOME={temp}/home"))),
        "{rest:?}"
    );
    drop(secret);
}

/// Makes a descriptor survive exec, as a careless caller's would.
fn rustix_inheritable(file: &fs::File) {
    rustix::io::fcntl_setfd(file, rustix::io::FdFlags::empty()).unwrap();
    assert!(file.as_raw_fd() > 2);
}

fn what_is_not_known_is_no_end(trace: Trace) {
    let bench = Bench::new(trace);
    let argv = [OsString::from("true")];
    let environment = Environment::clean(bench.temp.path()).unwrap();
    let job = Job {
        argv: &argv,
        dir: bench.temp.path(),
        environment: &environment,
        limits: bench.limits,
        fence: None,
    };
    let other = Runner::supervised_by(PathBuf::from("/bin/true"), Interrupt::watch().unwrap());
    assert!(matches!(
        other.run(&job, &mut |_| ()),
        Err(RunError::Lost(_))
    ));
    // the job kills its own supervisor
    let killed = bench.run(&["sh", "-c", "kill -KILL $PPID"]);
    assert!(matches!(killed, Err(RunError::Lost(_))), "{killed:?}");
}

#[test]
fn a_job_dies_with_the_parent_of_its_supervisor() {
    let bench = Bench::new(Trace::None);
    let job =
        "echo $$ >>pids; (setsid sh -c 'trap \"\" TERM; echo $$ >>pids; sleep 1000' &); sleep 1000";
    let plan =
        r#"{"limits":{"budget":{"secs":60,"nanos":0},"output":1000},"layer":null,"fence":null}"#;
    let mut supervisor = Command::new(BINARY)
        .args(["supervise", "--plan", plan, "--", "sh", "-c", job])
        .current_dir(bench.temp.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pids = bench.temp.path().join("pids");
    let began = Instant::now();
    while fs::read_to_string(&pids)
        .unwrap_or_default()
        .lines()
        .count()
        < 2
    {
        assert!(began.elapsed() < LONG, "the job did not start");
        std::thread::yield_now();
    }
    drop(supervisor.stdin.take());
    let output = supervisor.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "started\n");
    bench.assert_gone(2);
}

#[test]
fn a_supervisor_that_does_not_begin_is_given_up_and_told_of() {
    let bench = Bench::new(Trace::None);
    let hangs = bench.temp.path().join("hangs");
    // no descriptor of ours ever writes to it: a child of another thread could hold that
    let made =
        "printf '#!/bin/sh\\necho $$ >>pids\\nexec sleep 1000\\n' >\"$0\" && chmod +x \"$0\"";
    assert!(
        Command::new("sh")
            .args(["-c", made])
            .arg(&hangs)
            .status()
            .unwrap()
            .success()
    );
    let runner =
        Runner::supervised_by(hangs, Interrupt::watch().unwrap()).waiting(Duration::from_secs(1));
    let Err(RunError::Lost(why)) = bench.run_by(&runner, &["true"]) else {
        panic!("it was waited for")
    };
    assert_eq!(
        why,
        "did not start the job within 1s: run it again when this machine is less busy"
    );
    bench.assert_gone(1);
}
