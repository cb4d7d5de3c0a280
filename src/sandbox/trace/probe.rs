//! Which way to see opened files works here? Found out by doing.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::run::{End, Ran, Touch};
use crate::model::trial::{Enforced, Trace};
use crate::policy::Network;
use crate::sandbox::environment::Environment;
use crate::sandbox::fence::Fence;
use crate::sandbox::run::{Job, RunError, Runner};
use crate::sandbox::supervise::Limits;

/// The best way that works, and why each better one does not.
///
/// # Errors
/// When it cannot be tried, or somebody interrupts.
pub fn probe(runner: &Runner, scratch: &Path) -> Result<(Trace, Vec<(Trace, String)>), RunError> {
    let fault = |source| RunError::Supervisor { dir: scratch.to_owned(), source };
    let place = tempfile::Builder::new().prefix("trace-").tempdir_in(scratch).map_err(fault)?;
    let file = lay(place.path()).map_err(fault)?;
    let mut failed = Vec::new();
    for trace in [Trace::Ptrace, Trace::Notify] {
        match run(runner, place.path(), trace) {
            Ok(ran) => match fault_of(ran, &file) {
                None => return Ok((trace, failed)),
                Some(why) => failed.push((trace, why)),
            },
            Err(RunError::NoFence(why)) => failed.push((trace, why)),
            Err(error) => return Err(error),
        }
    }
    Ok((Trace::None, failed))
}

/// A file, and a link to it; where the file really is.
#[expect(clippy::disallowed_methods, reason = "sandbox::trace looks at its own try")]
fn lay(place: &Path) -> io::Result<PathBuf> {
    std::fs::write(place.join("file"), "seen\n")?;
    symlink("file", place.join("link"))?;
    std::fs::canonicalize(place.join("file"))
}

/// A child of a shell reads the file by its link.
fn run(runner: &Runner, place: &Path, trace: Trace) -> Result<Ran, RunError> {
    let fault = |source| RunError::Supervisor { dir: place.to_owned(), source };
    let argv = ["/bin/sh", "-c", "(read line <link && test \"$line\" = seen) & wait $!"].map(OsString::from);
    let environment = Environment::clean(place).map_err(fault)?;
    let means = Enforced { trace, ..Fence::OPEN };
    let fence = Fence { means, read_only: Vec::new(), writable: Vec::new(), network: Network::Allow };
    let limits = Limits { budget: Duration::from_secs(10), output: 1 << 16 };
    let job = Job { argv: &argv, dir: place, environment: &environment, limits, fence: Some(&fence) };
    runner.run(&job, &mut |_| ())
}

fn fault_of(ran: Ran, file: &Path) -> Option<String> {
    let is_seen = |touch: &Touch| touch.path == file && touch.read;
    match (ran.end, ran.opened) {
        (End::Exit(0), Some(opened)) if opened.iter().any(is_seen) => None,
        (End::Exit(0), Some(_)) => Some("a file that was opened was not seen".to_owned()),
        (End::Exit(0), None) => Some(ran.untraced.unwrap_or_default()),
        (end, _) => Some(format!("a job ended otherwise than without: {end:?}")),
    }
}

/// Whether a leak checker of the job gave up because somebody traced it. It may be run again by
/// [`Trace::Notify`]; what it printed then is no reason to believe that it failed.
pub fn minds_ptrace(ran: &Ran) -> bool {
    const WORDS: &str = "LeakSanitizer does not work under ptrace";
    [&ran.stdout, &ran.stderr].iter().any(|kept| kept.text().contains(WORDS))
}
