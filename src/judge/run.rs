//! Runs one process of a check on one fresh tree.

use std::ffi::OsString;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use super::budgets::Budgets;
use super::command::{Invocation, Places, Subject, build};
use super::fault::TrialError;
use super::harness::Pinned;
use super::isolation::Access;
use super::opened::opened;
use super::result_file::results;
use super::tree_plan::LaidTree;
use super::unrun;
use super::workdir::{Workdir, Workdirs};
use crate::decide::outcome::{Results, RunFacts, RunVerdict, judge_run};
use crate::model::ids::OracleId;
use crate::model::path::shown;
use crate::model::run::Ran;
use crate::model::trial::{CheckRun, Opened, Revision, RunDetails, Trace};
use crate::policy::{Check, ExitMap, Network, Policy};
use crate::presets::{self, SEED_ECHO};
use crate::sandbox::environment::Environment;
use crate::sandbox::fence::Fence;
use crate::sandbox::plan::Limits;
use crate::sandbox::run::{Job, RunError, Runner};
use crate::sandbox::trace::probe::minds_ptrace;
use crate::sys::files;
use crate::sys::scratch::Scratch;
use crate::sys::{memory, out};

/// Runs what specs describe.
pub struct Executor<'a> {
    /// The policy that judges.
    pub policy: &'a Policy,
    /// How long runs may take.
    pub budgets: &'a Budgets,
    /// Where fresh trees come from.
    pub workdirs: &'a Workdirs<'a>,
    /// Starts and ends processes.
    pub runner: &'a Runner,
    /// A directory of our own.
    pub scratch: &'a Path,
}

/// One run that is to be made.
#[derive(Clone, Debug)]
pub struct RunSpec<'a> {
    /// The check.
    pub check: &'a Check,
    /// The row of the property; none for a canary.
    pub id: Option<&'a OracleId>,
    /// The property and the seed, as the command names them.
    pub subject: Subject<'a>,
    /// The revision that the tree is made of.
    pub revision: Revision,
    /// The tree, with the material that is laid over the revision.
    pub tree: Rc<LaidTree>,
    /// How long it may take, in seconds.
    pub budget_s: u64,
}

impl RunSpec<'_> {
    /// The run that came of it when no process was needed to judge it.
    pub fn judged(&self, verdict: RunVerdict) -> CheckRun {
        let seed = Some(self.subject.seed);
        unrun::run(&self.check.id, self.id, seed, self.revision, verdict)
    }

    /// What people are told is running.
    fn title(&self) -> String {
        let check = &self.check.id;
        let Some(id) = self.id else {
            return format!("canary {check}");
        };
        let tree = match self.revision {
            Revision::Base => "base",
            Revision::Candidate => "candidate",
            Revision::Witness => "its known-bad patch",
        };
        format!("{check}: {id} seed {} on {tree}", shown(self.subject.seed))
    }
}

impl Executor<'_> {
    /// Runs a check for one seed on a fresh copy of a tree, and looks whether the pinned bytes
    /// are still what they were.
    ///
    /// # Errors
    /// When it is not known how the run ended.
    pub fn run(&self, spec: &RunSpec<'_>) -> Result<CheckRun, TrialError> {
        let trace = self.workdirs.isolation().means().trace;
        let (ran, run) = self.watched(spec, trace)?;
        if trace != Trace::Ptrace || !minds_ptrace(&ran) {
            return Ok(run);
        }
        // a leak checker that finds itself traced says nothing about the code
        match self.watched(spec, Trace::Notify) {
            Err(TrialError::Run(RunError::NoFence(_))) => self.watched(spec, Trace::None),
            again => again,
        }
        .map(|(_, run)| run)
    }

    fn watched(&self, spec: &RunSpec<'_>, trace: Trace) -> Result<(Ran, CheckRun), TrialError> {
        let place = Scratch::within(self.scratch)?;
        let mut workdir = self.workdirs.fresh(&spec.tree)?;
        let tree = workdir.path().to_owned();
        let environment = Environment::clean(place.path())?;
        let mut access = Access {
            writable: vec![place.path().to_owned()],
            read_only: Vec::new(),
        };
        access.tree(&tree, &spec.tree);
        let fence = self.fence(access, spec.check.network, trace);
        let (tmp, result) = (place.path().join("tmp"), place.path().join("result"));
        let fixtures = self.policy.paths.fixtures.first();
        let fixtures = fixtures.map_or_else(|| tree.clone(), |path| tree.join(path.as_str()));
        let places = Places {
            tree: &tree,
            fixtures: &fixtures,
            tmp: &tmp,
            result: &result,
        };
        let pinned = Pinned {
            prefixes: &self.policy.paths.properties,
            files: &spec.tree.properties,
        };
        let invocation = build(spec.check, spec.subject, places, pinned)?;
        for (path, bytes) in &invocation.files {
            place.put(path, bytes)?;
        }
        let environment = dressed(environment, &invocation);
        let job = Job {
            argv: &invocation.argv,
            dir: &tree,
            environment: &environment,
            limits: limits(spec.budget_s, spec.check.output_max_mib),
            fence: Some(&fence),
        };
        let (ran, out_of_memory) = self.launch(&mut workdir, &job, &spec.title())?;
        let facts = RunFacts {
            results: results(&invocation, &ran, (&workdir, spec.subject.seed))?,
            tampered: [workdir.broken()?, self.workdirs.broken()].concat(),
            ..facts(&ran, out_of_memory, &job)
        };
        let echo = files::read(&tmp.join(SEED_ECHO)).ok().flatten();
        let echo = echo.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let opened = opened(&ran, &[&workdir], &self.workdirs.isolation().blindness());
        let mut run = finished(
            spec.judged(judge_run(&facts, &spec.check.exit)),
            &ran,
            opened,
        );
        run.details.echo = echo;
        Ok((ran, run))
    }

    /// Runs a command that compares two trees, from the first one: the program is base's own.
    ///
    /// # Errors
    /// When it is not known how the run ended.
    pub fn compare(
        &self,
        argv: &[String],
        trees: [&LaidTree; 2],
        canary: &str,
    ) -> Result<CheckRun, TrialError> {
        let place = Scratch::within(self.scratch)?;
        let [mut before, after] = [
            self.workdirs.standing(trees[0])?,
            self.workdirs.standing(trees[1])?,
        ];
        let dirs = [before.path().to_owned(), after.path().to_owned()];
        let environment = Environment::clean(place.path())?;
        let words = ["before", "after"].map(|name| format!("{{{name}}}"));
        let argv: Vec<OsString> = argv
            .iter()
            .map(|text| filled(text, &words, &dirs).into())
            .collect();
        let limits = limits(Check::SIGNATURE_BUDGET_S, Check::OUTPUT_MAX_MIB);
        let mut access = Access {
            writable: vec![place.path().to_owned()],
            read_only: Vec::new(),
        };
        dirs.iter()
            .zip(trees)
            .for_each(|(dir, laid)| access.tree(dir, laid));
        let fence = self.fence(
            access,
            Network::Deny,
            self.workdirs.isolation().means().trace,
        );
        let job = Job {
            argv: &argv,
            dir: &dirs[0],
            environment: &environment,
            limits,
            fence: Some(&fence),
        };
        let (ran, out_of_memory) = self.launch(&mut before, &job, canary)?;
        let tampered = [before.broken()?, after.broken()?, self.workdirs.broken()].concat();
        let facts = RunFacts {
            tampered,
            ..facts(&ran, out_of_memory, &job)
        };
        let opened = opened(
            &ran,
            &[&before, &after],
            &self.workdirs.isolation().blindness(),
        );
        let verdict = judge_run(&facts, &ExitMap::of(&presets::RAW));
        Ok(finished(unrun::canary(canary, verdict), &ran, opened))
    }

    /// The fence around a run. It protects the pristine trees, too.
    fn fence(&self, mut access: Access, network: Network, trace: Trace) -> Fence {
        access.read_only.push(self.workdirs.home().to_owned());
        self.workdirs.isolation().fence(access, network, trace)
    }

    /// Runs a job on a tree; whether the kernel killed something for memory meanwhile.
    fn launch(
        &self,
        workdir: &mut Workdir,
        job: &Job<'_>,
        title: &str,
    ) -> Result<(Ran, bool), TrialError> {
        let kills = memory::kills();
        let budget = job.limits.budget;
        let mut tick = |passed| progress(title, budget.saturating_sub(passed));
        let ran = workdir.run(self.runner, job, &mut tick);
        if out::is_watched() {
            out::say("\r\x1b[K");
        }
        Ok((
            ran?,
            kills
                .zip(memory::kills())
                .is_some_and(|(before, after)| after > before),
        ))
    }
}

fn progress(title: &str, left: Duration) {
    if out::is_watched() {
        out::say(&format!("\r\x1b[K{title}: {} s left", left.as_secs()));
    }
}

fn limits(budget_s: u64, output_max_mib: u64) -> Limits {
    Limits {
        budget: Duration::from_secs(budget_s),
        output: output_max_mib.saturating_mul(1 << 20),
    }
}

fn dressed(environment: Environment, invocation: &Invocation) -> Environment {
    let bare = invocation
        .env_unset
        .iter()
        .fold(environment, |environment, name| environment.unset(name));
    invocation
        .env
        .iter()
        .fold(bare, |environment, (name, value)| {
            environment.set(name, value)
        })
}

fn filled(text: &str, words: &[String; 2], dirs: &[std::path::PathBuf; 2]) -> String {
    let with = |text: String, at: usize| text.replace(&words[at], &dirs[at].to_string_lossy());
    with(with(text.to_owned(), 0), 1)
}

/// What the process itself shows.
fn facts(ran: &Ran, out_of_memory: bool, job: &Job<'_>) -> RunFacts {
    let leaked = (ran.leaked + ran.survivors) as u64;
    RunFacts {
        end: ran.end.clone(),
        budget_s: job.limits.budget.as_secs(),
        output_max_mib: job.limits.output >> 20,
        out_of_memory,
        leaked,
        tampered: Vec::new(),
        results: Results::NotExpected,
    }
}

/// A run with what its process left.
fn finished(run: CheckRun, ran: &Ran, opened: Result<Vec<Opened>, String>) -> CheckRun {
    let (opened, untraced) = match opened {
        Ok(opened) => (Some(opened), String::new()),
        Err(why) => (None, why),
    };
    CheckRun {
        exit: ran.end.code(),
        signal: ran.end.signal(),
        opened,
        details: RunDetails {
            output: format!("{}{}", ran.stdout.text(), ran.stderr.text()),
            wall_ms: ran.wall_ms,
            untraced,
            ..run.details
        },
        ..run
    }
}
