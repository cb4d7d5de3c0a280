//! How is one job watched from start to end, so that nothing of it outlives it?
//!
//! The supervisor is a process of its own, this program started again for one job. It holds the
//! reading end of a pipe whose writing end only its parent has: when the parent dies, however it
//! dies, the pipe ends and so does the job. It adopts every orphan of the job, so that it knows
//! when nothing is left. Its environment and working directory are the job's.
#![expect(clippy::disallowed_methods, reason = "sandbox::supervise starts jobs and lists descriptors")]

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

use super::descendants;
use super::overlay::Overlay;
use crate::model::run::{End, Kept, Ran};

/// What the parent reads once the job runs, or has failed to: set-up is over.
pub const STARTED: &str = "started\n";

/// What the parent reads before that when the job has a layer to run on, and the layer is there.
/// Anything else is the reason why it is not.
pub const LAYERED: &str = "layered\n";

/// How long a job that is told to stop may take for it.
pub const STOP_GRACE: Duration = Duration::from_millis(500);

/// How long what a job started may outlive it: pipes are flushed, children are waited for.
pub const LEAK_GRACE: Duration = Duration::from_millis(200);

/// How long killing is tried.
pub const KILL_LIMIT: Duration = Duration::from_secs(5);

/// What a job may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long it may run.
    pub budget: Duration,
    /// How many bytes it may print on both streams together.
    pub output: u64,
}

/// An overlay to run a job on, and the directory where the job begins.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The overlay.
    pub overlay: Overlay,
    /// The working directory of the job.
    pub dir: PathBuf,
}

/// Runs the job, and prints on stdout how it ended. Nothing is printed when the parent is gone.
/// A job whose ground cannot be laid is not begun.
///
/// # Errors
/// When this process cannot be made fit to supervise.
pub fn supervise(limits: Limits, ground: Option<&Ground>, argv: &[OsString]) -> io::Result<()> {
    let _leader = rustix::process::setsid(); // no terminal, and Ctrl-C reaches only our parent
    keep_descriptors()?;
    if let Some(ground) = ground {
        // before anything that would make a thread, or hide this process from itself
        match ground.overlay.enter(&ground.dir) {
            Ok(()) => say(LAYERED)?,
            Err(error) => return say(&error.to_string()),
        }
    }
    descendants::adopt()?;
    let signals = Signals::watch()?;
    let began = Instant::now();
    let started = start(argv);
    say(STARTED)?;
    let ran = match started {
        Ok(job) => Watch::new(job, signals, limits.output).run(began, limits.budget)?,
        Err(end) => Some(Ran {
            end,
            leaked: 0,
            survivors: 0,
            stdout: Kept::default(),
            stderr: Kept::default(),
            wall_ms: 0,
            cpu_ms: None,
        }),
    };
    if let Some(ran) = ran {
        let mut report = io::stdout().lock();
        serde_json::to_writer(&mut report, &ran)?;
        report.flush()?;
    }
    Ok(())
}

/// Tells the parent at once.
fn say(words: &str) -> io::Result<()> {
    let mut report = io::stdout().lock();
    report.write_all(words.as_bytes())?;
    report.flush()
}

/// Nothing that our caller left open reaches the job, nor do our own pipes.
#[expect(unsafe_code, reason = "a descriptor that we did not open can only be named by its number")]
fn keep_descriptors() -> io::Result<()> {
    let dir = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let names: Vec<_> = std::fs::read_dir(dir)?.flatten().map(|entry| entry.file_name()).collect();
    for number in names.iter().filter_map(|name| name.to_str()?.parse::<i32>().ok()) {
        // SAFETY: only a flag of an entry in our own table is set, and the borrow ends here; the
        // number of the listing itself, closed by now, is answered with EBADF
        let fd = unsafe { BorrowedFd::borrow_raw(number) };
        match rustix::io::fcntl_setfd(fd, rustix::io::FdFlags::CLOEXEC) {
            Ok(()) | Err(Errno::BADF) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

/// A job that has begun.
struct Begun {
    pid: Pid,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

fn start(argv: &[OsString]) -> Result<Begun, End> {
    let (program, args) = argv.split_first().ok_or_else(|| End::NotStarted("the command is empty".into()))?;
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => End::Missing(error.to_string()),
        _ => End::NotStarted(error.to_string()),
    })?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a child has a number");
    let stdout = child.stdout.take().expect("the stream is piped").into();
    let stderr = child.stderr.take().expect("the stream is piped").into();
    for stream in [&stdout, &stderr] {
        rustix::fs::fcntl_setfl(stream, rustix::fs::OFlags::NONBLOCK)
            .map_err(|errno| End::NotStarted(errno.to_string()))?;
    }
    Ok(Begun { pid, stdout, stderr })
}

/// One stream of the job; closed once it has ended.
struct Stream {
    fd: Option<OwnedFd>,
    kept: Kept,
}

impl Stream {
    fn new(fd: OwnedFd) -> Self {
        Self { fd: Some(fd), kept: Kept::default() }
    }

    /// Takes what has been printed, at most so much that the other stream gets its turn.
    fn drain(&mut self) -> bool {
        let mut buffer = vec![0; 64 << 10];
        let Some(fd) = &self.fd else { return false };
        match rustix::io::read(fd, &mut buffer) {
            Ok(0) => self.fd = None,
            Ok(count) => {
                self.kept.add(&buffer[..count]);
                return true;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.fd = None,
        }
        false
    }
}

/// The signals that this process waits for.
struct Signals {
    /// Readable once one came.
    wake: UnixStream,
    /// Whether it was one that asks us to stop.
    stop: Arc<AtomicBool>,
}

impl Signals {
    fn watch() -> io::Result<Self> {
        let (wake, sender) = UnixStream::pair()?;
        let stop = Arc::new(AtomicBool::new(false));
        signal_hook::low_level::pipe::register(SIGCHLD, sender.try_clone()?)?;
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&stop))?;
            signal_hook::low_level::pipe::register(signal, sender.try_clone()?)?;
        }
        wake.set_nonblocking(true)?;
        Ok(Self { wake, stop })
    }

    fn read(&self) -> bool {
        let mut signals = [0; 64];
        while matches!((&self.wake).read(&mut signals), Ok(count) if count > 0) {}
        self.stop.load(Ordering::SeqCst)
    }
}

/// What is known of a job while it is watched.
struct Watch {
    pid: Pid,
    signals: Signals,
    streams: [Stream; 2],
    cap: u64,
    status: Option<WaitStatus>,
    /// No child is left, and so nothing that the job started.
    is_over: bool,
    /// Our parent is gone, or somebody told us to stop.
    is_called_off: bool,
}

impl Watch {
    fn new(job: Begun, signals: Signals, cap: u64) -> Self {
        let streams = [Stream::new(job.stdout), Stream::new(job.stderr)];
        Self { pid: job.pid, signals, streams, cap, status: None, is_over: false, is_called_off: false }
    }

    /// `None` when the job was called off.
    fn run(mut self, began: Instant, budget: Duration) -> io::Result<Option<Ran>> {
        let deadline = began.checked_add(budget);
        let ends = |watch: &Self| watch.status.is_some() || watch.is_called_off || watch.is_over_cap();
        self.pump(deadline, ends)?;
        let is_timeout = !ends(&self);
        let mut leaked = 0;
        if self.status.is_some() {
            self.pump(after(LEAK_GRACE), |watch| watch.is_over || watch.is_over_cap())?;
            leaked = if self.is_over { 0 } else { descendants::count(self.pid) };
        } else {
            descendants::signal(self.pid, Signal::TERM);
            self.pump(after(STOP_GRACE), |watch| watch.is_over)?;
        }
        let survivors = self.kill()?;
        while self.streams.iter_mut().any(Stream::drain) {}
        self.streams.iter_mut().for_each(|stream| stream.kept.cut());
        let end = match self.status.and_then(end_of) {
            _ if self.is_over_cap() => End::OutputLimit,
            _ if is_timeout => End::Timeout,
            Some(end) => end,
            None => End::NotStarted("its end was not seen".to_owned()),
        };
        let wall_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let [stdout, stderr] = self.streams.map(|stream| stream.kept);
        let ran = Ran { end, leaked, survivors, stdout, stderr, wall_ms, cpu_ms: descendants::cpu_ms() };
        Ok(Some(ran).filter(|_| !self.is_called_off))
    }

    fn is_over_cap(&self) -> bool {
        self.streams.iter().map(|stream| stream.kept.bytes).sum::<u64>() > self.cap
    }

    /// Kills until nothing is left: what is started meanwhile is killed in the next round. How many
    /// are left when that does not help.
    fn kill(&mut self) -> io::Result<usize> {
        let limit = Instant::now() + KILL_LIMIT;
        while !self.is_over && Instant::now() < limit {
            descendants::signal(self.pid, Signal::KILL);
            self.pump(after(Duration::from_millis(5)), |watch| watch.is_over)?;
        }
        Ok(if self.is_over { 0 } else { descendants::count(self.pid) })
    }

    /// Takes what is printed and waits for who ends, until `done` or the deadline.
    fn pump(&mut self, deadline: Option<Instant>, done: impl Fn(&Self) -> bool) -> io::Result<()> {
        loop {
            self.reap()?;
            if done(self) {
                return Ok(());
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(());
            }
            self.wait(left)?;
            self.streams.iter_mut().for_each(|stream| _ = stream.drain());
        }
    }

    /// Sleeps until something happens. An event on the parent's pipe means that the parent is gone,
    /// since it never writes.
    fn wait(&mut self, left: Option<Duration>) -> io::Result<()> {
        let stdin = io::stdin();
        let streams = self.streams.iter().filter_map(|stream| stream.fd.as_ref());
        let mut fds = vec![PollFd::new(&self.signals.wake, PollFlags::IN)];
        if !self.is_called_off {
            fds.push(PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN));
        }
        let watched = fds.len();
        fds.extend(streams.map(|fd| PollFd::new(fd, PollFlags::IN)));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        match rustix::event::poll(&mut fds, left.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let is_orphan = watched == 2 && !fds[1].revents().is_empty();
        self.is_called_off |= is_orphan | self.signals.read();
        Ok(())
    }

    fn reap(&mut self) -> io::Result<()> {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.pid => self.status = Some(status),
                Ok(Some(_)) => {}
                Ok(None) => return Ok(()),
                Err(Errno::CHILD) => {
                    self.is_over = true;
                    return Ok(());
                }
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }
}

fn after(span: Duration) -> Option<Instant> {
    Instant::now().checked_add(span)
}

fn end_of(status: WaitStatus) -> Option<End> {
    status.exit_status().map(End::Exit).or_else(|| status.terminating_signal().map(End::Signal))
}
