//! What does the decision of pre-push take on a long history, and what do others take to decide nothing?

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::child::Job;
use crate::history::History;
use crate::race::Race;
use crate::{Plan, unsupported};

/// What the decision may take of the processor.
const CPU: Duration = Duration::from_millis(50);
/// The pushed branch, where the range of a generated history ends.
const TIP: &str = "refs/heads/candidate";
/// The remote; nothing is ever sent to it.
const URL: &str = "/nonexistent/upstream.git";

/// The ref that the commits are pushed to, and what the answer is.
#[derive(Clone, Copy, Debug)]
pub enum To {
    /// A branch of its own: passes.
    Topic,
    /// The protected line: refused, since no trial is recorded.
    Main,
}

/// Whether the commit-graph is there, as `git gc` leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Graph {
    /// It is.
    Written,
    /// There is none.
    Absent,
}

/// Against git's own walk over the same range.
pub fn git(plan: &Plan<'_>, name: &'static str, to: To, graph: Graph) -> io::Result<Race> {
    let history = history(plan, graph)?;
    let log = ["log", "--full-history", "--format=%H", &history.range()];
    let theirs = Job::git(&history.dir, &log);
    Ok(race(plan, name, ours(&history, to)?, theirs))
}

/// Against lefthook with one command that does nothing, in a repository that holds nothing else.
pub fn lefthook(plan: &Plan<'_>, name: &'static str) -> io::Result<Race> {
    let program = tool("node/node_modules/lefthook-linux-x64/bin/lefthook")?;
    let job = manager(
        plan,
        "lefthook.yml",
        "pre-push:\n  commands:\n    nothing:\n      run: 'true'\n",
    )?;
    let theirs = job([&program, "run", "pre-push"].as_slice());
    Ok(race(
        plan,
        name,
        ours(&history(plan, Graph::Written)?, To::Topic)?,
        theirs,
    ))
}

/// Against pre-commit with one command that does nothing, in a repository that holds nothing else.
pub fn pre_commit(plan: &Plan<'_>, name: &'static str) -> io::Result<Race> {
    let program = tool("python/bin/pre-commit")?;
    let hook = "{id: nothing, name: nothing, entry: 'true', language: system, always_run: true, \
                pass_filenames: false, stages: [pre-push]}";
    let config = format!("repos: [{{repo: local, hooks: [{hook}]}}]\n");
    let job = manager(plan, ".pre-commit-config.yaml", &config)?;
    let theirs = job([&program, "run", "--hook-stage", "pre-push"].as_slice());
    Ok(race(
        plan,
        name,
        ours(&history(plan, Graph::Written)?, To::Topic)?,
        theirs,
    ))
}

fn race(plan: &Plan<'_>, name: &'static str, ours: Job, theirs: Job) -> Race {
    Race {
        name,
        ours,
        theirs: vec![theirs],
        goal: 1.0,
        cpu: Some(CPU),
        rounds: plan.rounds(31),
    }
}

/// The decision on 20 pushed commits.
fn ours(history: &History, to: To) -> io::Result<Job> {
    let id = |name: &str| crate::history::answer(&history.dir, &["rev-parse", name]);
    let (tip, base) = (id(TIP)?, id(history.base)?);
    let job = Job::reins(&history.dir, &["hook", "run", "pre-push", "origin", URL]);
    let (line, exit) = match to {
        To::Topic => (format!("{TIP} {tip} {TIP} {}\n", "0".repeat(tip.len())), 0),
        To::Main => (format!("{TIP} {tip} refs/heads/main {base}\n"), 1),
    };
    let lines = history.dir.join(format!("pushed-{to:?}"));
    fs::write(&lines, line)?;
    Ok(job.reads(lines).leaves(exit))
}

/// 80,000 commits on the protected line of a remote, and 20 commits above them.
fn history(plan: &Plan<'_>, graph: Graph) -> io::Result<History> {
    let history = plan.history("push", 80_000, 20)?;
    remote(&history)?;
    if graph == Graph::Written {
        return Ok(history);
    }
    let dir = history.dir.with_extension("no-graph");
    if !dir.try_exists()? {
        let (from, to) = (history.dir.to_string_lossy(), dir.to_string_lossy());
        Job::new(["cp", "-al", &from, &to]).run()?;
        fs::remove_file(dir.join("objects/info/commit-graph"))?;
    }
    Ok(History { dir, ..history })
}

fn remote(history: &History) -> io::Result<()> {
    let run = |args: &[&str]| Job::git(&history.dir, args).run().map(drop);
    run(&["config", "remote.origin.url", URL])?;
    run(&[
        "config",
        "remote.origin.fetch",
        "+refs/heads/*:refs/remotes/origin/*",
    ])?;
    run(&["update-ref", "refs/remotes/origin/main", history.base])?;
    run(&[
        "symbolic-ref",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/main",
    ])
}

/// A small repository with the configuration of a manager, and how the manager is run there.
fn manager(plan: &Plan<'_>, file: &str, config: &str) -> io::Result<impl Fn(&[&str]) -> Job> {
    let dir = plan.dir("managers");
    let place = dir.to_string_lossy().into_owned();
    Job::new(["git", "init", "-q", "-b", "main", &place]).run()?;
    Job::git(&dir, &["commit", "-q", "--allow-empty", "-m", "begin"]).run()?;
    fs::write(dir.join(file), config)?;
    let home = format!(
        "PRE_COMMIT_HOME={}",
        plan.dir("managers-home").to_string_lossy()
    );
    Ok(move |argv: &[&str]| Job::new([&["env", "-C", &place, &home], argv].concat()))
}

/// A program that `.ci/tools` installs.
fn tool(path: &str) -> io::Result<String> {
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .map(|target| target.join("tools"));
    let found: Option<PathBuf> = tools
        .map(|tools| tools.join(path))
        .filter(|tool| tool.is_file());
    let found = found.ok_or_else(|| unsupported(&format!("{path} is missing, run .ci/tools")))?;
    Ok(found.to_string_lossy().into_owned())
}
