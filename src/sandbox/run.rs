//! Runs one job under a supervisor, within its limits, until every process of it has ended.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use super::environment::Environment;
use super::fence::Fence;
use super::interrupt::Interrupt;
use super::overlay::{JobLayer, Overlay};
use super::plan::{
    APART, FENCED, KILL_LIMIT, LAYERED, LEAK_GRACE, Limits, PATIENCE, Plan, STARTED, STOP_GRACE,
};
use crate::model::run::Ran;

/// What to do when a deadline of ours is over, and none of the job's.
pub(super) const BUSY: &str = "run it again when this machine is less busy";

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The program, looked up on the `PATH` of the job, and its arguments.
    pub argv: &'a [OsString],
    /// Where it runs.
    pub dir: &'a Path,
    /// Everything that it sees of an environment.
    pub environment: &'a Environment,
    /// What it may use.
    pub limits: Limits,
    /// What keeps it from what it may not touch.
    pub fence: Option<&'a Fence>,
}

/// Why it is not known how a job ended. It is never a pass.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No supervisor could be started.
    #[error("no job can be started in {}: {source}", .dir.display())]
    Supervisor {
        /// The working directory of the job.
        dir: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The supervisor said nothing, or nothing that can be read.
    #[error("the job is lost: its supervisor {0}")]
    Lost(String),
    /// The layer that the job was to run on is not there. The job was not begun.
    #[error("no layer: {0}")]
    NoLayer(String),
    /// The fence that was to stand around the job does not. The job was not begun.
    #[error("no fence: {0}")]
    NoFence(String),
    /// Ctrl-C or its kin; the job is ended.
    #[error("interrupted by signal {0}")]
    Interrupted(i32),
}

/// Runs jobs, each under a supervisor of its own.
#[derive(Clone, Debug)]
pub struct Runner {
    program: PathBuf,
    interrupt: Interrupt,
    patience: Duration,
}

impl Runner {
    /// A runner whose supervisor is this program, as it runs right now. From here on no job of the
    /// same user can look into this process or take hold of it, however thin its fence is: only where
    /// there is none at all, root's own jobs can.
    ///
    /// # Errors
    /// When the system does not say what is running, or does not shut this process.
    pub fn new(interrupt: Interrupt) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
        // the link of Linux still works when the file was replaced meanwhile
        let linux = Path::new("/proc/self/exe");
        let program = if cfg!(target_os = "linux") {
            linux.to_owned()
        } else {
            std::env::current_exe()?
        };
        Ok(Self::supervised_by(program, interrupt))
    }

    /// A runner whose supervisor is another build of this program.
    pub fn supervised_by(program: PathBuf, interrupt: Interrupt) -> Self {
        Self {
            program,
            interrupt,
            patience: PATIENCE,
        }
    }

    /// The same runner that waits otherwise than usual for a supervisor to begin, and to answer.
    #[must_use]
    pub fn waiting(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// What is started for each job.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// Runs a job to its end; `tick` hears about once a second for how long it has run.
    ///
    /// # Errors
    /// When it is not known how the job ended.
    pub fn run(&self, job: &Job<'_>, tick: &mut dyn FnMut(Duration)) -> Result<Ran, RunError> {
        self.run_on(None, job, tick)
    }

    /// The same, with an overlay mounted for the job; its `dir` is looked up then.
    pub(super) fn run_on(
        &self,
        overlay: Option<&Overlay>,
        job: &Job<'_>,
        tick: &mut dyn FnMut(Duration),
    ) -> Result<Ran, RunError> {
        if let Some(signal) = self.interrupt.caught() {
            return Err(RunError::Interrupted(signal));
        }
        let mut supervisor = self.start(overlay, job)?;
        let mut report = Report::of(overlay.is_some(), job.fence.is_some());
        let answer = self.listen(&mut supervisor, &mut report, job.limits.budget, tick);
        drop(supervisor.stdin.take()); // ends the job if it still runs
        if answer.is_err() {
            let _ended = read_until(
                &mut supervisor,
                Instant::now() + STOP_GRACE + KILL_LIMIT + self.patience,
            );
        }
        let _killed = supervisor.kill(); // one that has answered is gone or about to go
        let _status = supervisor.wait();
        answer
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "sandbox::run starts the supervisor"
    )]
    fn start(&self, overlay: Option<&Overlay>, job: &Job<'_>) -> Result<Child, RunError> {
        let dir = overlay.map_or(job.dir, |overlay| overlay.run.as_path());
        let fault = |source| RunError::Supervisor {
            dir: dir.to_owned(),
            source,
        };
        let layer = overlay.map(|overlay| JobLayer {
            overlay: overlay.clone(),
            dir: job.dir.to_owned(),
        });
        let plan = Plan {
            limits: job.limits,
            layer,
            fence: job.fence.cloned(),
        };
        let plan = serde_json::to_string(&plan).map_err(|error| fault(error.into()))?;
        let mut command = Command::new(&self.program);
        command.arg0("git-reins").arg("supervise");
        // one word with its value: a piece may begin with a dash
        Plan::pieces(&plan)
            .iter()
            .for_each(|piece| _ = command.arg(format!("--plan={piece}")));
        command.arg("--").args(job.argv);
        command
            .current_dir(dir)
            .env_clear()
            .envs(job.environment.variables());
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        started.map_err(fault)
    }

    /// Reads the report while the job runs.
    fn listen(
        &self,
        supervisor: &mut Child,
        report: &mut Report,
        budget: Duration,
        tick: &mut dyn FnMut(Duration),
    ) -> Result<Ran, RunError> {
        let began = Instant::now();
        let limits = STOP_GRACE + LEAK_GRACE + KILL_LIMIT + self.patience;
        let ends = self.patience.saturating_add(budget).saturating_add(limits);
        loop {
            let is_started = report.is_started();
            let allowed = if is_started { ends } else { self.patience };
            if began.elapsed() > allowed {
                let what = if is_started {
                    "did not end the job"
                } else {
                    "did not start the job"
                };
                return Err(report.fault(format!("{what} within {allowed:.0?}: {BUSY}")));
            }
            self.wait(supervisor)?;
            if let Some(signal) = self.interrupt.caught() {
                return Err(RunError::Interrupted(signal));
            }
            tick(began.elapsed());
            if read_some(supervisor, &mut report.bytes)? {
                return report.parse();
            }
        }
    }

    /// Sleeps until the supervisor says something, a signal comes, or a second is over.
    fn wait(&self, supervisor: &Child) -> Result<(), RunError> {
        let Some(stdout) = &supervisor.stdout else {
            return Ok(());
        };
        let mut fds = [
            PollFd::new(stdout, PollFlags::IN),
            PollFd::new(&self.interrupt, PollFlags::IN),
        ];
        match rustix::event::poll(
            &mut fds,
            Some(&Timespec {
                tv_sec: 1,
                tv_nsec: 0,
            }),
        ) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(RunError::Lost(errno.to_string())),
        }
    }
}

/// Reads what is there; whether that was the end.
fn read_some(supervisor: &mut Child, report: &mut Vec<u8>) -> Result<bool, RunError> {
    let Some(stdout) = &mut supervisor.stdout else {
        return Ok(true);
    };
    let mut fds = [PollFd::new(&*stdout, PollFlags::IN)];
    let ready = rustix::event::poll(
        &mut fds,
        Some(&Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        }),
    );
    if ready.is_ok_and(|count| count == 0) {
        return Ok(false);
    }
    let mut buffer = vec![0; 64 << 10];
    match stdout.read(&mut buffer) {
        Ok(0) => Ok(true),
        Ok(count) => {
            report.extend_from_slice(&buffer[..count]);
            Ok(false)
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        Err(error) => Err(RunError::Lost(error.to_string())),
    }
}

/// Waits until the supervisor has ended.
fn read_until(supervisor: &mut Child, deadline: Instant) -> Result<(), RunError> {
    let mut ignored = Vec::new();
    while Instant::now() < deadline && !read_some(supervisor, &mut ignored)? {
        let Some(stdout) = &supervisor.stdout else {
            return Ok(());
        };
        let mut fds = [PollFd::new(stdout, PollFlags::IN)];
        let _ready = rustix::event::poll(
            &mut fds,
            Some(&Timespec {
                tv_sec: 1,
                tv_nsec: 0,
            }),
        );
    }
    Ok(())
}

/// What a supervisor has said, and the stages that it has to say first.
struct Report {
    bytes: Vec<u8>,
    stages: Vec<Stage>,
}

/// A line of the supervisor, and what is wrong when another one stands in its place.
type Stage = (&'static str, Fault);

/// What is wrong, from the reason for it.
type Fault = fn(String) -> RunError;

impl Report {
    fn of(has_layer: bool, has_fence: bool) -> Self {
        let apart: Option<Stage> = has_fence.then_some((APART, RunError::NoFence));
        let layered: Option<Stage> = has_layer.then_some((LAYERED, RunError::NoLayer));
        let fenced: Option<Stage> = has_fence.then_some((FENCED, RunError::NoFence));
        Self {
            bytes: Vec::new(),
            stages: [apart, layered, fenced].into_iter().flatten().collect(),
        }
    }

    /// What follows the stages; else the first of them that was not said, and what was.
    fn after_stages(&self) -> Result<&[u8], (&[u8], Fault)> {
        self.stages
            .iter()
            .try_fold(self.bytes.as_slice(), |said, (line, fault)| {
                said.strip_prefix(line.as_bytes()).ok_or((said, *fault))
            })
    }

    fn is_started(&self) -> bool {
        self.after_stages()
            .is_ok_and(|said| said.starts_with(STARTED.as_bytes()))
    }

    /// Nothing runs before the stages are over, so until then the job can be run otherwise.
    fn fault(&self, why: String) -> RunError {
        self.after_stages().map_or_else(
            |(_, fault)| fault(why.clone()),
            |_| RunError::Lost(why.clone()),
        )
    }

    fn parse(&self) -> Result<Ran, RunError> {
        let lost = |why: &str| RunError::Lost(why.to_owned());
        let said = self.after_stages().map_err(|(why, fault)| {
            let why = String::from_utf8_lossy(why);
            fault(if why.is_empty() {
                "the supervisor said nothing".to_owned()
            } else {
                why.into_owned()
            })
        })?;
        let json = said
            .strip_prefix(STARTED.as_bytes())
            .ok_or_else(|| lost("said nothing"))?;
        if json.is_empty() {
            return Err(lost("was ended before the job was"));
        }
        serde_json::from_slice(json).map_err(|_| lost("said something unexpected"))
    }
}
