//! What does one child process take: wall time, processor time, memory?
//!
//! The figures are those of `wait4`, which counts the child and every child that it waited for.
//! No safe wrapper of it stands among the dependencies, and what `/proc` says about a child that has
//! ended is rounded to 10 ms and knows no memory. The parent has to stay small: what it holds while
//! it forks counts as memory of the child.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One command line, and the exit code that it has to leave with.
#[derive(Clone, Debug)]
pub struct Job {
    argv: Vec<String>,
    input: Option<PathBuf>,
    exit: i32,
    before: Option<Box<Job>>,
}

/// What one run took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Taken {
    /// From start to end.
    pub wall: Duration,
    /// Of the processor, in the program and in the kernel.
    pub cpu: Duration,
    /// The most memory that was in use at once, in KiB.
    pub memory: u64,
}

impl Taken {
    /// Two runs one after the other.
    pub fn then(self, next: Self) -> Self {
        Self {
            wall: self.wall + next.wall,
            cpu: self.cpu + next.cpu,
            memory: self.memory.max(next.memory),
        }
    }
}

impl Job {
    /// A command that leaves with 0.
    pub fn new<S: AsRef<str>>(argv: impl IntoIterator<Item = S>) -> Self {
        let argv = argv
            .into_iter()
            .map(|arg| arg.as_ref().to_owned())
            .collect();
        Self {
            argv,
            input: None,
            exit: 0,
            before: None,
        }
    }

    /// The binary under test in a repository.
    pub fn reins(dir: &Path, args: &[&str]) -> Self {
        let front = [
            env!("CARGO_BIN_EXE_git-reins"),
            "-C",
            &dir.to_string_lossy(),
        ]
        .map(str::to_owned);
        Self::new(
            front
                .into_iter()
                .chain(args.iter().map(|arg| (*arg).to_owned())),
        )
    }

    /// Git in a repository.
    pub fn git(dir: &Path, args: &[&str]) -> Self {
        let front = ["git", "-C", &dir.to_string_lossy()].map(str::to_owned);
        Self::new(
            front
                .into_iter()
                .chain(args.iter().map(|arg| (*arg).to_owned())),
        )
    }

    /// Names another exit code.
    pub fn leaves(self, exit: i32) -> Self {
        Self { exit, ..self }
    }

    /// Names a file that it reads on standard input.
    pub fn reads(self, input: PathBuf) -> Self {
        Self {
            input: Some(input),
            ..self
        }
    }

    /// The same, with another one before it each time, which is not measured.
    pub fn after(self, before: Self) -> Self {
        Self {
            before: Some(Box::new(before)),
            ..self
        }
    }

    /// The command, without anything of the caller's own git configuration.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.argv[0]);
        command
            .args(&self.argv[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_"))
        {
            command.env_remove(name);
        }
        let fixed = [
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("HOME", "/nonexistent"),
        ];
        command.envs(fixed).env("LC_ALL", "C");
        for who in ["GIT_AUTHOR", "GIT_COMMITTER"] {
            command
                .env(format!("{who}_NAME"), "bench")
                .env(format!("{who}_EMAIL"), "bench@example.invalid");
            command.env(format!("{who}_DATE"), "1795000000 +0000");
        }
        command
    }

    /// Runs it once; what it prints is thrown away.
    pub fn run(&self) -> io::Result<Taken> {
        self.before
            .as_deref()
            .map_or(Ok(()), |before| before.run().map(drop))?;
        let mut command = self.command();
        command.stderr(File::create("/dev/null")?).process_group(0);
        if let Some(input) = &self.input {
            command.stdin(File::open(input)?);
        }
        let started = Instant::now();
        let child = command.spawn()?;
        let (status, usage) = wait(child.id())?;
        let taken = Taken {
            wall: started.elapsed(),
            cpu: usage.cpu(),
            memory: usage.memory(),
        };
        match status {
            _ if status & 0x7f == 0 && (status >> 8) & 0xff == self.exit => Ok(taken),
            _ => Err(io::Error::other(format!(
                "{} left with status {status:#x}",
                self.argv.join(" ")
            ))),
        }
    }
}

/// `struct rusage` of a 64-bit system; the part that nobody reads here is left as it is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    user: [i64; 2],
    system: [i64; 2],
    max_rss: i64,
    rest: [i64; 13],
}

impl Usage {
    fn cpu(&self) -> Duration {
        let part = |[seconds, micros]: [i64; 2]| {
            Duration::from_secs(seconds.unsigned_abs())
                + Duration::from_micros(micros.unsigned_abs())
        };
        part(self.user) + part(self.system)
    }

    fn memory(&self) -> u64 {
        self.max_rss.unsigned_abs()
    }
}

#[expect(unsafe_code, reason = "the only way to ask what one child has used")]
fn wait(pid: u32) -> io::Result<(i32, Usage)> {
    unsafe extern "C" {
        fn wait4(pid: i32, status: *mut i32, options: i32, usage: *mut Usage) -> i32;
    }
    let (mut status, mut usage) = (0, Usage::default());
    let pid = i32::try_from(pid).map_err(io::Error::other)?;
    // SAFETY: both pointers are valid for the call, and `Usage` has the layout of `struct rusage`.
    match unsafe { wait4(pid, &raw mut status, 0, &raw mut usage) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok((status, usage)),
    }
}
