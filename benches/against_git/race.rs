//! Which of two ways to the same answer is faster, when both run in turn?

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use crate::child::{Job, Taken};

/// The binary against something else.
#[derive(Clone, Debug)]
pub struct Race {
    /// Its name, to run it alone.
    pub name: &'static str,
    /// What the binary runs.
    pub ours: Job,
    /// What answers the same otherwise, one after the other.
    pub theirs: Vec<Job>,
    /// The ratio of wall times that is to be reached.
    pub goal: f64,
    /// The processor time that the binary may take.
    pub cpu: Option<Duration>,
    /// How often each side runs.
    pub rounds: usize,
}

/// A job that has to stay below fixed limits.
#[derive(Clone, Debug)]
pub struct Limit {
    /// Its name.
    pub name: &'static str,
    /// The job.
    pub job: Job,
    /// The wall time that it may take.
    pub seconds: Option<f64>,
    /// The memory that it may take, in MiB.
    pub mebibytes: u64,
}

/// What is measured.
#[derive(Clone, Debug)]
pub enum Bench {
    /// Against something else.
    Race(Race),
    /// Against limits.
    Limit(Limit),
}

impl Bench {
    /// Measures and says in one line what came out.
    pub fn run(&self) -> io::Result<String> {
        match self {
            Self::Race(race) => race.run(),
            Self::Limit(limit) => limit.run(),
        }
    }
}

impl Race {
    fn run(&self) -> io::Result<String> {
        let theirs = |jobs: &[Job]| -> io::Result<Taken> {
            jobs.iter()
                .try_fold(Taken::default(), |sum, job| Ok(sum.then(job.run()?)))
        };
        self.ours.run()?;
        theirs(&self.theirs)?; // warm caches
        let (mut our, mut their) = (Vec::new(), Vec::new());
        for round in 0..self.rounds {
            // who goes first alternates, so that neither always finds the other's caches
            if round % 2 == 0 {
                our.push(self.ours.run()?);
                their.push(theirs(&self.theirs)?);
            } else {
                their.push(theirs(&self.theirs)?);
                our.push(self.ours.run()?);
            }
        }
        let (our, their) = (Figures::of(&our), Figures::of(&their));
        let ratio =
            |of: fn(&Figures) -> Duration| of(&our).as_secs_f64() / of(&their).as_secs_f64();
        let wall = ratio(|figures| figures.wall);
        let mut line = format!("{:<12} ours {our} theirs {their}", self.name);
        let _infallible = write!(
            line,
            " wall {wall:.2}x min {:.2}x cpu {:.2}x goal <= {:.2}x {} n={}",
            ratio(|figures| figures.least),
            ratio(|figures| figures.cpu),
            self.goal,
            met(wall <= self.goal),
            self.rounds
        );
        if let Some(limit) = self.cpu {
            let _infallible = write!(
                line,
                " cpu < {} ms {}",
                limit.as_millis(),
                met(our.cpu < limit)
            );
        }
        Ok(line)
    }
}

impl Limit {
    fn run(&self) -> io::Result<String> {
        const ROUNDS: usize = 3;
        let runs = (0..ROUNDS)
            .map(|_| self.job.run())
            .collect::<io::Result<Vec<_>>>()?;
        let figures = Figures::of(&runs);
        let in_time = self
            .seconds
            .is_none_or(|limit| figures.wall.as_secs_f64() < limit);
        let is_small = figures.memory < self.mebibytes << 10;
        let time = self
            .seconds
            .map(|limit| format!("< {limit} s, "))
            .unwrap_or_default();
        let met = met(in_time && is_small);
        Ok(format!(
            "{:<12} ours {figures} goal {time}< {} MiB {met} n={ROUNDS}",
            self.name, self.mebibytes
        ))
    }
}

fn met(is_met: bool) -> &'static str {
    if is_met { "met" } else { "MISSED" }
}

/// Medians, the least wall time, and the most memory of several runs.
struct Figures {
    wall: Duration,
    least: Duration,
    cpu: Duration,
    memory: u64,
}

impl Figures {
    fn of(runs: &[Taken]) -> Self {
        let median = |of: fn(&Taken) -> Duration| {
            let mut all: Vec<_> = runs.iter().map(of).collect();
            all.sort_unstable();
            all[all.len() / 2]
        };
        Self {
            wall: median(|taken| taken.wall),
            least: runs
                .iter()
                .map(|taken| taken.wall)
                .min()
                .unwrap_or_default(),
            cpu: median(|taken| taken.cpu),
            memory: runs
                .iter()
                .map(|taken| taken.memory)
                .max()
                .unwrap_or_default(),
        }
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let (wall, least, cpu) = (ms(self.wall), ms(self.least), ms(self.cpu));
        write!(
            f,
            "{wall:.1} ms (min {least:.1}, cpu {cpu:.1}, {} MiB)",
            self.memory >> 10
        )
    }
}
