//! What does one process on one fresh tree show?

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use super::budgets::Budgets;
use super::command::{Invocation, Places, Subject, build};
use super::fault::TrialError;
use super::harness::Pinned;
use super::isolation::Land;
use super::opened::{Known, opened};
use super::result_file::results;
use super::tree_plan::Laid;
use super::workdir::{self, Fresh};
use crate::decide::outcome::{Results, RunFacts, RunVerdict, judge_run};
use crate::model::run::Ran;
use crate::model::trial::Trace;
use crate::policy::{Check, ExitMap, Network, Policy};
use crate::presets::SEED_ECHO;
use crate::sandbox::environment::Environment;
use crate::sandbox::fence::Fence;
use crate::sandbox::run::{Job, RunError, Runner};
use crate::sandbox::supervise::Limits;
use crate::sandbox::trace::minds_ptrace;
use crate::sys::files;
use crate::sys::scratch::Scratch;
use crate::sys::{memory, out};

/// Where runs take place.
pub struct Bench<'a> {
    /// The policy that judges.
    pub policy: &'a Policy,
    /// How long runs may take.
    pub budgets: &'a Budgets,
    /// Where fresh trees come from.
    pub source: &'a workdir::Source<'a>,
    /// Who starts and ends processes.
    pub runner: &'a Runner,
    /// A directory of our own.
    pub scratch: &'a Path,
}

/// One process that is to be run.
#[derive(Clone, Copy, Debug)]
pub struct Errand<'a> {
    /// The check.
    pub check: &'a Check,
    /// The property and the seed.
    pub subject: Subject<'a>,
    /// The tree.
    pub laid: &'a Laid,
    /// How long it may take, in seconds.
    pub budget_s: u64,
    /// What people are told is running.
    pub title: &'a str,
}

/// What a run showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// How it ended.
    pub ended: RunVerdict,
    /// The exit code, when it exited.
    pub exit: Option<i32>,
    /// The signal, when one ended it.
    pub signal: Option<i32>,
    /// How long it took, in milliseconds.
    pub wall_ms: u64,
    /// The state that its seed led to, where the tool says so.
    pub echo: Option<String>,
    /// The files that it opened, or why that is not known.
    pub opened: Known,
    /// What it printed.
    pub talk: String,
}

impl Bench<'_> {
    /// Runs a check for one seed on a fresh copy of a tree, and looks whether the pinned bytes
    /// are still what they were.
    ///
    /// # Errors
    /// When it is not known how the run ended.
    pub fn run(&self, errand: &Errand<'_>) -> Result<Measured, TrialError> {
        let trace = self.source.jail().means().trace;
        let (ran, measured) = self.watched(errand, trace)?;
        if trace != Trace::Ptrace || !minds_ptrace(&ran) {
            return Ok(measured);
        }
        // a leak checker that finds itself traced says nothing about the code
        match self.watched(errand, Trace::Notify) {
            Err(TrialError::Run(RunError::NoFence(_))) => self.watched(errand, Trace::None),
            again => again,
        }
        .map(|(_, measured)| measured)
    }

    fn watched(&self, errand: &Errand<'_>, trace: Trace) -> Result<(Ran, Measured), TrialError> {
        let place = Scratch::within(self.scratch)?;
        let mut fresh = self.source.fresh(errand.laid)?;
        let tree = fresh.path().to_owned();
        let environment = Environment::clean(place.path())?;
        let mut land = Land {
            writable: vec![place.path().to_owned()],
            read_only: Vec::new(),
        };
        land.tree(&tree, errand.laid);
        let fence = self.fence(land, errand.check.network, trace);
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
            files: &errand.laid.properties,
        };
        let invocation = build(errand.check, errand.subject, places, pinned)?;
        for (path, bytes) in &invocation.files {
            place.put(path, bytes)?;
        }
        let environment = dressed(environment, &invocation);
        let job = Job {
            argv: &invocation.argv,
            dir: &tree,
            environment: &environment,
            limits: limits(errand.budget_s, errand.check.output_max_mib),
            fence: Some(&fence),
        };
        let (ran, out_of_memory) = self.launch(&mut fresh, &job, errand.title)?;
        let facts = RunFacts {
            results: results(&invocation, &ran, (&fresh, errand.subject.seed))?,
            tampered: [fresh.broken()?, self.source.broken()].concat(),
            ..facts(&ran, out_of_memory, &job)
        };
        let echo = files::read(&tmp.join(SEED_ECHO)).ok().flatten();
        let echo = echo.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let opened = opened(&ran, &[&fresh], &self.source.jail().blindness());
        let measured = Measured {
            echo,
            opened,
            ..measured(&facts, &errand.check.exit, &ran)
        };
        Ok((ran, measured))
    }

    /// Runs a command that compares two trees, from the first one: the program is base's own.
    ///
    /// # Errors
    /// When it is not known how the run ended.
    pub fn compare(
        &self,
        argv: &[String],
        trees: [&Laid; 2],
        title: &str,
    ) -> Result<Measured, TrialError> {
        let place = Scratch::within(self.scratch)?;
        let [mut before, after] = [
            self.source.standing(trees[0])?,
            self.source.standing(trees[1])?,
        ];
        let dirs = [before.path().to_owned(), after.path().to_owned()];
        let environment = Environment::clean(place.path())?;
        let words = ["before", "after"].map(|name| format!("{{{name}}}"));
        let argv: Vec<OsString> = argv
            .iter()
            .map(|text| filled(text, &words, &dirs).into())
            .collect();
        let limits = limits(Check::SIGNATURE_BUDGET_S, Check::OUTPUT_MAX_MIB);
        let mut land = Land {
            writable: vec![place.path().to_owned()],
            read_only: Vec::new(),
        };
        dirs.iter()
            .zip(trees)
            .for_each(|(dir, laid)| land.tree(dir, laid));
        let fence = self.fence(land, Network::Deny, self.source.jail().means().trace);
        let job = Job {
            argv: &argv,
            dir: &dirs[0],
            environment: &environment,
            limits,
            fence: Some(&fence),
        };
        let (ran, out_of_memory) = self.launch(&mut before, &job, title)?;
        let tampered = [before.broken()?, after.broken()?, self.source.broken()].concat();
        let facts = RunFacts {
            tampered,
            ..facts(&ran, out_of_memory, &job)
        };
        let opened = opened(&ran, &[&before, &after], &self.source.jail().blindness());
        Ok(Measured {
            opened,
            ..measured(
                &facts,
                &crate::policy::ExitMap::of(&crate::presets::RAW),
                &ran,
            )
        })
    }

    /// The fence around a run, which keeps the trees that nobody runs in too.
    fn fence(&self, mut land: Land, network: Network, trace: Trace) -> Fence {
        land.read_only.push(self.source.home().to_owned());
        self.source.jail().fence(land, network, trace)
    }

    /// Runs a job on a tree; whether the kernel killed something for memory meanwhile.
    fn launch(
        &self,
        fresh: &mut Fresh,
        job: &Job<'_>,
        title: &str,
    ) -> Result<(Ran, bool), TrialError> {
        let kills = memory::kills();
        let budget = job.limits.budget;
        let mut tick = |passed| progress(title, budget.saturating_sub(passed));
        let ran = fresh.run(self.runner, job, &mut tick);
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

fn measured(facts: &RunFacts, exit: &ExitMap, ran: &Ran) -> Measured {
    let talk = format!("{}{}", ran.stdout.text(), ran.stderr.text());
    let ended = judge_run(facts, exit);
    Measured {
        ended,
        exit: ran.end.code(),
        signal: ran.end.signal(),
        wall_ms: ran.wall_ms,
        echo: None,
        opened: Err(String::new()),
        talk,
    }
}
