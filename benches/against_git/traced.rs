//! What does it cost a job that somebody sees every file it opens?
//!
//! Both sides are the same job under the same supervisor, run by this program started again.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use git_reins::model::run::End;
use git_reins::model::trial::{Enforced, Trace};
use git_reins::policy::Network;
use git_reins::sandbox::environment::Environment;
use git_reins::sandbox::fence::Fence;
use git_reins::sandbox::interrupt::Interrupt;
use git_reins::sandbox::plan::Limits;
use git_reins::sandbox::run::{Job as Run, Runner};

use crate::child::Job;

/// The argument that starts this program for one job.
pub const OPTION: &str = "--traced";

/// The same job with and without; what is left of a run is removed before the next.
pub fn sides(trace: Trace, dir: &Path, argv: &[&str], leftover: &str) -> io::Result<(Job, Job)> {
    let program = std::env::current_exe()?.to_string_lossy().into_owned();
    let (place, leftover) = (dir.to_string_lossy(), dir.join(leftover));
    let side = |trace: Trace| {
        let front = [program.as_str(), OPTION, word(trace), &*place];
        let clean = Job::new(["rm", "-rf", &leftover.to_string_lossy()]);
        Job::new(front.iter().chain(argv)).after(clean)
    };
    Ok((side(trace), side(Trace::None)))
}

fn word(trace: Trace) -> &'static str {
    match trace {
        Trace::Ptrace => "ptrace",
        Trace::Notify => "notify",
        Trace::None => "none",
    }
}

/// Runs one job: the word for the way, where it runs, and its command line.
pub fn run(args: &[String]) -> io::Result<()> {
    let [wanted, dir, argv @ ..] = args else {
        return Err(io::Error::other("more arguments are needed"));
    };
    let trace = Trace::ALL.iter().find(|trace| word(**trace) == wanted);
    let trace = *trace.ok_or_else(|| io::Error::other("unknown way"))?;
    let scratch = tempfile::tempdir()?;
    let fence = Fence {
        means: Enforced {
            trace,
            ..Fence::OPEN
        },
        read_only: Vec::new(),
        writable: Vec::new(),
        network: Network::Allow,
    };
    let argv: Vec<_> = argv.iter().map(OsString::from).collect();
    let environment = Environment::clean(scratch.path())?;
    let limits = Limits {
        budget: Duration::from_secs(600),
        output: 1 << 24,
    };
    let dir = Path::new(dir);
    let job = Run {
        argv: &argv,
        dir,
        environment: &environment,
        limits,
        fence: Some(&fence),
    };
    let runner = Runner::supervised_by(
        PathBuf::from(env!("CARGO_BIN_EXE_git-reins")),
        Interrupt::watch()?,
    );
    let ran = runner.run(&job, &mut |_| ()).map_err(io::Error::other)?;
    let is_told = ran.opened.is_some() == (trace != Trace::None);
    match ran.end {
        End::Exit(0) if is_told => Ok(()),
        end => Err(io::Error::other(format!(
            "{end:?}, {:?}: {}",
            ran.untraced,
            ran.stderr.text()
        ))),
    }
}

/// The interpreter with pytest that `.ci/tools` put there.
pub fn python() -> io::Result<String> {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/python/bin/python");
    if !python.try_exists()? {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "there is no pytest, .ci/tools installs it",
        ));
    }
    Ok(python.to_string_lossy().into_owned())
}

/// A suite of property tests, and the interpreter that runs it.
pub fn suite(dir: &Path, files: u64) -> io::Result<String> {
    let python = python()?;
    std::fs::create_dir_all(dir)?;
    for number in 0..files {
        std::fs::write(dir.join(format!("test_{number}.py")), SUITE)?;
    }
    Ok(python)
}

const SUITE: &str = "
import json
from hypothesis import HealthCheck, given, settings, strategies as st

settings.register_profile(
    'bench', max_examples=60, derandomize=True, database=None, deadline=None,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile('bench')

@given(st.lists(st.integers()))
def test_sorted(found):
    assert sorted(sorted(found)) == sorted(found)

@given(st.dictionaries(st.text(), st.integers()))
def test_json(found):
    assert json.loads(json.dumps(found)) == found

def test_files(tmp_path):
    for number in range(50):
        path = tmp_path / str(number)
        path.write_text('text')
        assert path.read_text() == 'text'
";

/// A variable for where a tool keeps its things: the person's own, which a job under test does not
/// see.
pub fn home(name: &str, below: &str) -> String {
    let usual = || format!("{}/{below}", std::env::var("HOME").unwrap_or_default());
    format!("{name}={}", std::env::var(name).unwrap_or_else(|_| usual()))
}

/// A small crate with dependencies that are among ours, so that nothing is fetched.
pub fn package(dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir.join("src"))?;
    let manifest = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n\
                    [dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\n\
                    serde_json = \"1\"\nthiserror = \"2\"\n";
    std::fs::write(dir.join("Cargo.toml"), manifest)?;
    std::fs::write(dir.join("src/main.rs"), "fn main() {}\n")?;
    std::fs::copy(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock"),
        dir.join("Cargo.lock"),
    )?;
    Ok(())
}
