//! How fast is the binary, measured against commands that answer the same, in turn in one run?
//!
//! `cargo bench --bench against_git -- [--repo PATH] [--scratch DIR] [--quick] [NAME...]`. Trust the
//! ratios and the processor time: wall times depend on what else the machine does.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench makes repositories, runs programs and prints what they took"
)]

mod child;
mod fold;
mod history;
mod ledgers;
mod push;
mod race;
mod traced;
mod trees;
mod trial;
mod worktrees;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use child::Job;
use git_reins::model::trial::Trace;
use git_reins::sandbox::layer::Layer;
use history::History;
use push::{Graph, To};
use race::{Bench, Limit, Race};
use trees::{Trees, Way};

/// What the caller wants.
#[derive(Debug, Default)]
struct Wanted {
    repository: Option<PathBuf>,
    scratch: Option<PathBuf>,
    is_quick: bool,
    names: Vec<String>,
}

impl Wanted {
    fn read(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut wanted = Self::default();
        while let Some(arg) = args.next() {
            let mut path = || {
                args.next()
                    .map(PathBuf::from)
                    .ok_or(format!("{arg} needs a path"))
            };
            match arg.as_str() {
                "--repo" => wanted.repository = Some(path()?),
                "--scratch" => wanted.scratch = Some(path()?),
                "--quick" => wanted.is_quick = true,
                "--bench" => {} // cargo adds it
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}"));
                }
                name => wanted.names.push(name.to_owned()),
            }
        }
        Ok(wanted)
    }

    fn wants(&self, name: &str) -> bool {
        self.names.is_empty()
            || self
                .names
                .iter()
                .any(|wanted| name.starts_with(wanted.as_str()))
    }
}

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    match args
        .split_first()
        .map(|(first, rest)| (first.as_str(), rest))
    {
        Some((trees::OPTION, rest)) => return leave(trees::make(rest)),
        Some((traced::OPTION, rest)) => return leave(traced::run(rest)),
        Some(_) | None => {}
    }
    leave(
        Wanted::read(args.into_iter())
            .map_err(io::Error::other)
            .and_then(|wanted| run(&wanted)),
    )
}

fn leave(done: io::Result<()>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("against_git: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(wanted: &Wanted) -> io::Result<()> {
    let kept = tempfile::tempdir()?; // removed at the end
    let scratch = wanted.scratch.as_deref().unwrap_or(kept.path());
    std::fs::create_dir_all(scratch)?;
    let plan = Plan { wanted, scratch };
    for (name, bench) in BENCHES.iter().filter(|(name, _)| wanted.wants(name)) {
        match bench(&plan, name) {
            Ok(bench) => println!("{}", bench.run()?),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                println!("{name:<12} skipped: {error}")
            }
            Err(error) => return Err(error),
        }
    }
    if wanted.is_quick {
        println!("quick: smaller sizes and fewer rounds, the goals are meant for the full ones");
    }
    Ok(())
}

/// Where repositories are made, and how large.
struct Plan<'a> {
    wanted: &'a Wanted,
    scratch: &'a Path,
}

type Make = fn(&Plan<'_>, &'static str) -> io::Result<Bench>;

const BENCHES: [(&str, Make); 33] = [
    ("version", version),
    ("ledgers", three_ledgers),
    ("order-500", |plan, name| order(plan, name, 500)),
    ("order-9000", |plan, name| order(plan, name, 9_000)),
    ("history-100x", long_history),
    ("pin-1gib", pin_one),
    ("pin-20k", pin_many),
    ("rows-100k", rows),
    ("diff-1k", |plan, name| changes(plan, name, 1_000)),
    ("diff-100k", |plan, name| changes(plan, name, 100_000)),
    ("trees-checkout", |plan, name| {
        trees(plan, name, 0.45, Way::Checkout)
    }),
    ("trees-copy", |plan, name| {
        trees(plan, name, 0.45, Way::From(Layer::Copy))
    }),
    ("trees-overlay", |plan, name| {
        trees(plan, name, 0.1, Way::From(Layer::Overlay))
    }),
    ("huge", |plan, name| {
        hostile(plan, name, worktrees::huge(plan.dir(name), 100)?)
    }),
    ("levels", |plan, name| {
        hostile(plan, name, worktrees::nested(plan.dir(name), 200_000)?)
    }),
    ("rows-10k", rows_limit),
    ("push-topic", |plan, name| {
        push::git(plan, name, To::Topic, Graph::Written).map(Bench::Race)
    }),
    ("push-topic-raw", |plan, name| {
        push::git(plan, name, To::Topic, Graph::Absent).map(Bench::Race)
    }),
    ("push-main", |plan, name| {
        push::git(plan, name, To::Main, Graph::Written).map(Bench::Race)
    }),
    ("push-main-raw", |plan, name| {
        push::git(plan, name, To::Main, Graph::Absent).map(Bench::Race)
    }),
    ("push-lefthook", |plan, name| {
        push::lefthook(plan, name).map(Bench::Race)
    }),
    ("push-pre-commit", |plan, name| {
        push::pre_commit(plan, name).map(Bench::Race)
    }),
    ("find-10k", |plan, name| find(plan, name, 10_000)),
    ("find-100k", |plan, name| find(plan, name, 100_000)),
    ("find-memory", |plan, name| {
        memory(
            name,
            dry_run(&fold::folded(plan.dir("find-100k"), plan.size(100_000))?),
        )
    }),
    ("fold-1", |plan, name| {
        folding(plan, name, (1, 21), (1.0, fold::AS_IT_IS))
    }),
    ("fold-1-durable", |plan, name| {
        folding(plan, name, (1, 21), (1.0, fold::DURABLE))
    }),
    ("fold-10k", |plan, name| {
        folding(plan, name, (10_000, 3), (0.5, fold::AS_IT_IS))
    }),
    ("fold-memory", fold_memory),
    ("trace-pytest", |plan, name| {
        trace_pytest(plan, name, Trace::Ptrace)
    }),
    ("trace-notify", |plan, name| {
        trace_pytest(plan, name, Trace::Notify)
    }),
    ("trace-cargo", trace_cargo),
    ("trial", trial),
];

impl Plan<'_> {
    fn dir(&self, name: &str) -> PathBuf {
        self.scratch.join(if self.wanted.is_quick {
            format!("{name}-quick")
        } else {
            name.to_owned()
        })
    }

    fn rounds(&self, full: usize) -> usize {
        if self.wanted.is_quick { 3 } else { full }
    }

    /// A size that a quick run makes smaller.
    fn size(&self, full: u64) -> u64 {
        if self.wanted.is_quick { full / 8 } else { full }
    }

    fn race(&self, name: &'static str, goal: f64, ours: Job, theirs: Vec<Job>) -> Bench {
        Bench::Race(Race {
            name,
            ours,
            theirs,
            goal,
            cpu: None,
            rounds: self.rounds(11),
        })
    }

    fn history(&self, name: &str, before: u64, commits: u64) -> io::Result<History> {
        match &self.wanted.repository {
            Some(given) => History::given(
                given,
                &self.dir(&format!("given-{commits}")),
                self.size(commits),
            ),
            None => History::generated(&self.dir(name), self.size(before), self.size(commits)),
        }
    }
}

fn version(plan: &Plan<'_>, name: &'static str) -> io::Result<Bench> {
    let ours = Job::new([env!("CARGO_BIN_EXE_git-reins"), "--version"]);
    let Bench::Race(race) = plan.race(name, 2.0, ours, vec![Job::new(["/bin/true"])]) else {
        unreachable!()
    };
    Ok(Bench::Race(Race {
        rounds: plan.rounds(101),
        ..race
    }))
}

fn three_ledgers(plan: &Plan<'_>, name: &'static str) -> io::Result<Bench> {
    let History { dir, .. } = plan.history("order-500", 1_000, 500)?;
    let show = |file: &str| Job::git(&dir, &["show", &format!("main:ledger/{file}.json")]);
    let theirs = ["oracle", "fixture", "freezes"].map(show).to_vec();
    Ok(plan.race(
        name,
        0.5,
        Job::reins(&dir, &["check", "main..main"]),
        theirs,
    ))
}

fn order(plan: &Plan<'_>, name: &'static str, commits: u64) -> io::Result<Bench> {
    let history = plan.history(name, 1_000, commits)?;
    let range = history.range();
    let log = |paths: &[&str]| {
        Job::git(
            &history.dir,
            &[
                &["log", "--full-history", "--format=%H", &range, "--"],
                paths,
            ]
            .concat(),
        )
    };
    let theirs = vec![log(&[".", ":(exclude)ledger"]), log(&["ledger"])];
    Ok(plan.race(
        name,
        0.7,
        Job::reins(&history.dir, &["check", &range]),
        theirs,
    ))
}

/// The binary against itself, where the history below the range is short.
fn long_history(plan: &Plan<'_>, name: &'static str) -> io::Result<Bench> {
    if plan.wanted.repository.is_some() {
        return Err(unsupported("a given repository has one history"));
    }
    let short = History::generated(&plan.dir("history-1x"), plan.size(500), 500)?;
    let long = History::generated(&plan.dir(name), plan.size(50_000), 500)?;
    let check = |history: &History| Job::reins(&history.dir, &["check", &history.range()]);
    Ok(plan.race(name, 1.1, check(&long), vec![check(&short)]))
}

fn pin_one(plan: &Plan<'_>, name: &'static str) -> io::Result<Bench> {
    openssl()?;
    let dir = worktrees::one_fixture(plan.dir(name), plan.size(1024))?;
    let file = dir.join("fixtures/large.bin");
    let theirs = Job::new(["openssl", "dgst", "-sha256", &file.to_string_lossy()]);
    Ok(plan.race(name, 1.0, pin(&dir), vec![theirs]))
}

fn pin_many(plan: &Plan<'_>, name: &'static str) -> io::Result<Bench> {
    openssl()?;
    let dir = worktrees::many_fixtures(plan.dir(name), plan.size(20_000))?;
    let script = "find \"$0/fixtures\" -type f -print0 | xargs -0 openssl dgst -sha256";
    Ok(plan.race(
        name,
        0.55,
        pin(&dir),
        vec![Job::new(["sh", "-c", script, &dir.to_string_lossy()])],
    ))
}

fn pin(dir: &Path) -> Job {
    let image = ["--runner-image", ledgers::IMAGE];
    Job::reins(
        dir,
        &[
            &["fixture", "pin", "--dry-run", "--epoch", "two"],
            &image[..],
        ]
        .concat(),
    )
}

fn openssl() -> io::Result<()> {
    Job::new(["openssl", "version"])
        .run()
        .map(drop)
        .map_err(|_| unsupported("there is no openssl"))
}

fn rows(plan: &Plan<'_>, name: &'static str) -> io::Result<Bench> {
    let dir = worktrees::many_rows(plan.dir(name), plan.size(100_000))?;
    let file = dir.join("ledger/oracle.json");
    let script = "import json, sys; json.load(open(sys.argv[1]))";
    let theirs = Job::new([&python()?, "-c", script, &file.to_string_lossy()]);
    Ok(plan.race(
        name,
        0.4,
        Job::reins(&dir, &["fmt", "--check"]),
        vec![theirs],
    ))
}

/// What changed in an oracle ledger, of which every hundredth row was edited.
fn changes(plan: &Plan<'_>, name: &'static str, rows: u64) -> io::Result<Bench> {
    let dir = worktrees::edited_rows(
        plan.dir(name),
        if rows > 1_000 { plan.size(rows) } else { rows },
    )?;
    let theirs = vec![Job::git(
        &dir,
        &["diff", "--stat", "main~1", "main", "--", "ledger"],
    )];
    let Bench::Race(race) = plan.race(
        name,
        2.0,
        Job::reins(&dir, &["diff", "main~1..main"]),
        theirs,
    ) else {
        unreachable!()
    };
    Ok(Bench::Race(Race {
        cpu: Some(Duration::from_secs(1)),
        ..race
    }))
}

fn trees(plan: &Plan<'_>, name: &'static str, goal: f64, way: Way) -> io::Result<Bench> {
    let trees = Trees::of(
        plan.wanted.repository.as_deref(),
        &plan.dir("trees"),
        plan.size(4_800),
    )?;
    let ours = trees.ours(way)?;
    ours.run()
        .map_err(|_| unsupported("this machine makes no such tree"))?;
    let rounds = plan.rounds(7);
    Ok(Bench::Race(Race {
        name,
        ours,
        theirs: vec![trees.theirs()],
        goal,
        cpu: None,
        rounds,
    }))
}

/// The interpreter itself, since `python3` may be a script that looks for it.
fn python() -> io::Result<String> {
    let asked = Job::new(["python3", "-c", "import sys; print(sys.executable)"]);
    let output = asked
        .command()
        .stdout(std::process::Stdio::piped())
        .output();
    let output = output.map_err(|_| unsupported("there is no python3"))?;
    Ok(String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned())
}

fn hostile(_: &Plan<'_>, name: &'static str, dir: PathBuf) -> io::Result<Bench> {
    let job = Job::reins(&dir, &["check", "main..candidate"]).leaves(1);
    Ok(Bench::Limit(Limit {
        name,
        job,
        seconds: Some(1.0),
        mebibytes: 64,
    }))
}

fn rows_limit(plan: &Plan<'_>, name: &'static str) -> io::Result<Bench> {
    let dir = worktrees::many_rows(plan.dir(name), 10_000)?;
    let job = Job::reins(&dir, &["check", "main..candidate"]);
    Ok(Bench::Limit(Limit {
        name,
        job,
        seconds: None,
        mebibytes: 256,
    }))
}

/// Which of many verdicts are not folded; git says which files of the history it does not hold.
fn find(plan: &Plan<'_>, name: &'static str, verdicts: u64) -> io::Result<Bench> {
    let dir = fold::folded(plan.dir(name), plan.size(verdicts))?;
    Ok(plan.race(name, 0.3, dry_run(&dir), vec![fold::status(&dir)]))
}

fn dry_run(dir: &Path) -> Job {
    Job::reins(dir, &["reconcile", "--dry-run"])
}

/// Both sides begin with a fresh copy each time: objects that are there already cost nothing.
fn folding(
    plan: &Plan<'_>,
    name: &'static str,
    (verdicts, rounds): (u64, usize),
    (goal, settings): (f64, &[&str]),
) -> io::Result<Bench> {
    let size = if verdicts > 1 {
        plan.size(verdicts)
    } else {
        verdicts
    };
    let (dir, before) = fold::copy(&fold::unfolded(plan.dir(name), size)?);
    let ours = Job::reins(&dir, &["reconcile"]).after(before.clone());
    let theirs = fold::by_git(&dir, &before, settings);
    Ok(Bench::Race(Race {
        name,
        ours,
        theirs,
        goal,
        cpu: None,
        rounds: plan.rounds(rounds),
    }))
}

fn fold_memory(plan: &Plan<'_>, name: &'static str) -> io::Result<Bench> {
    let (dir, before) = fold::copy(&fold::unfolded(plan.dir("fold-10k"), plan.size(10_000))?);
    memory(name, Job::reins(&dir, &["reconcile"]).after(before))
}

fn memory(name: &'static str, job: Job) -> io::Result<Bench> {
    Ok(Bench::Limit(Limit {
        name,
        job,
        seconds: None,
        mebibytes: 256,
    }))
}

/// The same suite, seen and unseen.
fn trace_pytest(plan: &Plan<'_>, name: &'static str, trace: Trace) -> io::Result<Bench> {
    let dir = plan.dir(name);
    let python = traced::suite(&dir, plan.size(16))?;
    let argv = [&*python, "-m", "pytest", "-q", "-p", "no:cacheprovider"];
    let (ours, theirs) = traced::sides(trace, &dir, &argv, ".hypothesis")?;
    Ok(plan.race(name, 1.1, ours, vec![theirs]))
}

fn trace_cargo(plan: &Plan<'_>, name: &'static str) -> io::Result<Bench> {
    let dir = plan.dir(name);
    traced::package(&dir)?;
    let homes = [
        traced::home("CARGO_HOME", ".cargo"),
        traced::home("RUSTUP_HOME", ".rustup"),
    ];
    let argv = [
        "env",
        &homes[0],
        &homes[1],
        "cargo",
        "check",
        "--offline",
        "-q",
    ];
    let (ours, theirs) = traced::sides(Trace::Ptrace, &dir, &argv, "target")?;
    let rounds = plan.rounds(5);
    Ok(Bench::Race(Race {
        name,
        ours,
        theirs: vec![theirs],
        goal: 1.25,
        cpu: None,
        rounds,
    }))
}

fn trial(plan: &Plan<'_>, name: &'static str) -> io::Result<Bench> {
    let (ours, theirs) = trial::sides(&plan.dir(name), plan.size(10).max(3))?;
    Ok(plan.race(name, 1.25, ours, vec![theirs]))
}

fn unsupported(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, why)
}
