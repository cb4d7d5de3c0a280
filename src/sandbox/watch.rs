//! Watches a running job until none of its processes is left.

use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitStatus};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

use super::descendants;
use super::plan::{KILL_LIMIT, LEAK_GRACE, STOP_GRACE};
use super::start::StartedJob;
use super::trace::{Tracing, WAIT};
use crate::model::run::{End, Kept, Ran};

/// How many processes are heard before something else has its turn.
const TURN: usize = 256;

/// One stream of the job; closed once it has ended.
struct Stream {
    fd: Option<OwnedFd>,
    kept: Kept,
}

impl Stream {
    fn new(fd: OwnedFd) -> Self {
        Self {
            fd: Some(fd),
            kept: Kept::default(),
        }
    }

    /// Takes what has been printed, at most so much that the other stream gets its turn.
    fn drain(&mut self) -> bool {
        let mut buffer = Vec::with_capacity(64 << 10);
        let Some(fd) = &self.fd else { return false };
        match rustix::io::read(fd, spare_capacity(&mut buffer)) {
            Ok(0) => self.fd = None,
            Ok(_) => {
                self.kept.add(&buffer);
                return true;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.fd = None,
        }
        false
    }
}

/// The signals that this process waits for.
pub(super) struct Signals {
    /// Readable once one came.
    wake: UnixStream,
    /// Whether it was one that asks us to stop.
    stop: Arc<AtomicBool>,
}

impl Signals {
    /// Begins to wait for them.
    pub fn watch() -> io::Result<Self> {
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
        while matches!((&self.wake).read(&mut signals), Ok(count) if count == signals.len()) {}
        self.stop.load(Ordering::SeqCst)
    }
}

/// What is known of a job while it is watched.
pub(super) struct Watch {
    pid: Pid,
    signals: Signals,
    streams: [Stream; 2],
    cap: u64,
    tracing: Option<Tracing>,
    status: Option<WaitStatus>,
    /// No child is left, and so nothing that the job started.
    is_over: bool,
    /// Our parent is gone, or somebody told us to stop.
    is_called_off: bool,
}

impl Watch {
    pub fn new(job: StartedJob, signals: Signals, cap: u64) -> Self {
        let streams = [Stream::new(job.stdout), Stream::new(job.stderr)];
        let (pid, tracing) = (job.pid, job.tracing);
        Self {
            pid,
            signals,
            streams,
            cap,
            tracing,
            status: None,
            is_over: false,
            is_called_off: false,
        }
    }

    /// `None` when the job was called off.
    pub fn run(mut self, began: Instant, budget: Duration) -> io::Result<Option<Ran>> {
        let deadline = began.checked_add(budget);
        let ends =
            |watch: &Self| watch.status.is_some() || watch.is_called_off || watch.is_over_cap();
        self.pump(deadline, ends)?;
        let is_timeout = !ends(&self);
        let mut leaked = 0;
        if self.status.is_some() {
            self.pump(after(LEAK_GRACE), |watch| {
                watch.is_over || watch.is_over_cap()
            })?;
            leaked = if self.is_over {
                0
            } else {
                descendants::count(self.pid)
            };
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
        let told = self
            .tracing
            .map_or_else(|| Err("no tracing was wanted".to_owned()), Tracing::told);
        let (opened, untraced) =
            told.map_or_else(|why| (None, Some(why)), |opened| (Some(opened), None));
        let cpu_ms = descendants::cpu_ms();
        let ran = Ran {
            end,
            leaked,
            survivors,
            stdout,
            stderr,
            wall_ms,
            cpu_ms,
            opened,
            untraced,
        };
        Ok(Some(ran).filter(|_| !self.is_called_off))
    }

    fn is_over_cap(&self) -> bool {
        self.streams
            .iter()
            .map(|stream| stream.kept.bytes)
            .sum::<u64>()
            > self.cap
    }

    /// Kills until nothing is left: what is started meanwhile is killed in the next round. How many
    /// are left when that does not help.
    fn kill(&mut self) -> io::Result<usize> {
        let limit = Instant::now() + KILL_LIMIT;
        while !self.is_over && Instant::now() < limit {
            descendants::signal(self.pid, Signal::KILL);
            self.pump(after(Duration::from_millis(5)), |watch| watch.is_over)?;
        }
        Ok(if self.is_over {
            0
        } else {
            descendants::count(self.pid)
        })
    }

    /// Takes what is printed and waits for who ends, until `done` or the deadline.
    fn pump(&mut self, deadline: Option<Instant>, done: impl Fn(&Self) -> bool) -> io::Result<()> {
        loop {
            let is_idle = self.reap()?;
            if done(self) {
                return Ok(());
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(());
            }
            if self.wait(if is_idle { left } else { Some(Duration::ZERO) })? {
                self.streams
                    .iter_mut()
                    .for_each(|stream| _ = stream.drain());
            }
        }
    }

    /// Sleeps until something happens; whether something was printed. An event on the parent's pipe
    /// means that the parent is gone, since it never writes.
    fn wait(&mut self, left: Option<Duration>) -> io::Result<bool> {
        let stdin = io::stdin();
        let streams = self.streams.iter().filter_map(|stream| stream.fd.as_ref());
        let mut fds = vec![PollFd::new(&self.signals.wake, PollFlags::IN)];
        if !self.is_called_off {
            fds.push(PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN));
        }
        let watched = fds.len();
        let listener = self.tracing.as_ref().and_then(Tracing::listener);
        fds.extend(listener.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        let others = fds.len();
        fds.extend(streams.map(|fd| PollFd::new(fd, PollFlags::IN)));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        let mut sleep = || rustix::event::poll(&mut fds, left.as_ref());
        let woken = match &self.tracing {
            Some(tracing) => tracing.sleep(sleep),
            None => sleep(),
        };
        match woken {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let is_orphan = watched == 2 && !fds[1].revents().is_empty();
        let is_printed = fds[others..].iter().any(|fd| !fd.revents().is_empty());
        self.is_called_off |= is_orphan | self.signals.read();
        Ok(is_printed)
    }

    /// Takes what processes have to tell, but not so much that nothing else has its turn. Whether
    /// that was all.
    fn reap(&mut self) -> io::Result<bool> {
        if let Some(tracing) = &mut self.tracing {
            tracing.serve();
        }
        let mut patience = 0;
        for _ in 0..TURN {
            match rustix::process::wait(WAIT) {
                Ok(Some((pid, status))) => {
                    patience = 2;
                    self.record(pid, status);
                }
                // what was let go on will stop again in a moment, and to sleep takes longer
                Ok(None) if patience > 0 && self.tracing.is_some() => {
                    patience -= 1;
                    rustix::thread::sched_yield();
                }
                Ok(None) => return Ok(true),
                Err(Errno::CHILD) => {
                    self.is_over = true;
                    return Ok(true);
                }
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(false)
    }

    /// A process or a thread of one has stopped or ended.
    fn record(&mut self, pid: Pid, status: WaitStatus) {
        match &mut self.tracing {
            Some(tracing) if status.stopped() => return tracing.stopped(pid, status),
            Some(tracing) => tracing.ended(pid),
            None => {}
        }
        if pid == self.pid {
            self.status = Some(status);
        }
    }
}

fn after(span: Duration) -> Option<Instant> {
    Instant::now().checked_add(span)
}

fn end_of(status: WaitStatus) -> Option<End> {
    status
        .exit_status()
        .map(End::Exit)
        .or_else(|| status.terminating_signal().map(End::Signal))
}
