//! Finds the tracing mechanism that works on this machine by trying it.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::model::run::{End, Ran, Touch};
use crate::model::trial::{Enforced, KillGuard, Trace};
use crate::policy::Network;
use crate::sandbox::environment::Environment;
use crate::sandbox::fence::Fence;
use crate::sandbox::plan::{Limits, PATIENCE};
use crate::sandbox::probe::{Probed, otherwise};
use crate::sandbox::run::{Job, RunError, Runner};

/// Adds the best way that works beside the means of a fence, and why each better one does not.
///
/// # Errors
/// When it cannot be tried, or somebody interrupts.
pub fn probe(runner: &Runner, scratch: &Path, mut probed: Probed) -> Result<Probed, RunError> {
    for (word, trace) in [("ptrace", Trace::Ptrace), ("notify", Trace::Notify)] {
        let means = Enforced {
            trace,
            ..probed.means
        };
        match works(runner, scratch, means)? {
            None => {
                probed.means = means;
                break;
            }
            Some(why) => probed.missing.push((word, why)),
        }
    }
    if (probed.means.trace, probed.means.kill) == (Trace::Ptrace, KillGuard::Pgrp) {
        probed.means.kill = KillGuard::PtraceTree; // what is traced ends with its tracer
    }
    Ok(probed)
}

/// Why files are not seen by these means; `None` when they are.
fn works(runner: &Runner, scratch: &Path, means: Enforced) -> Result<Option<String>, RunError> {
    let fault = |source| RunError::Supervisor {
        dir: scratch.to_owned(),
        source,
    };
    let place = tempfile::Builder::new()
        .prefix("trace-")
        .tempdir_in(scratch)
        .map_err(fault)?;
    let dir = make_files(place.path()).map_err(fault)?;
    match run(runner, &dir, means) {
        Ok(ran) => Ok(fault_of(ran, &dir.join("file"))),
        Err(RunError::NoFence(why)) => Ok(Some(why)),
        Err(error) => Err(error),
    }
}

/// A file, and a link to it; where that really is.
#[expect(
    clippy::disallowed_methods,
    reason = "sandbox::trace looks at its own try"
)]
fn make_files(place: &Path) -> io::Result<PathBuf> {
    std::fs::write(place.join("file"), "seen\n")?;
    symlink("file", place.join("link"))?;
    std::fs::canonicalize(place)
}

/// A child of a shell reads the file by its link.
fn run(runner: &Runner, place: &Path, means: Enforced) -> Result<Ran, RunError> {
    let fault = |source| RunError::Supervisor {
        dir: place.to_owned(),
        source,
    };
    let argv = [
        "/bin/sh",
        "-c",
        "(read line <link && test \"$line\" = seen) & wait $!",
    ]
    .map(OsString::from);
    let environment = Environment::clean(place).map_err(fault)?;
    let (read_only, writable) = (Vec::new(), vec![place.to_owned()]);
    let fence = Fence {
        means,
        read_only,
        writable,
        network: Network::Deny,
    };
    let limits = Limits {
        budget: PATIENCE,
        output: 1 << 16,
    };
    let job = Job {
        argv: &argv,
        dir: place,
        environment: &environment,
        limits,
        fence: Some(&fence),
    };
    runner.run(&job, &mut |_| ())
}

fn fault_of(ran: Ran, file: &Path) -> Option<String> {
    let is_seen = |touch: &Touch| touch.path == file && touch.read;
    let ended = otherwise(&ran);
    match (ran.end, ran.opened) {
        (End::Exit(0), Some(opened)) if opened.iter().any(is_seen) => None,
        (End::Exit(0), Some(_)) => Some("a file that was opened was not seen".to_owned()),
        (End::Exit(0), None) => Some(ran.untraced.unwrap_or_default()),
        (_, _) => Some(ended),
    }
}

/// Whether a leak checker of the job gave up because somebody traced it. It may be run again by
/// [`Trace::Notify`]; what it printed then is no reason to believe that it failed.
pub fn minds_ptrace(ran: &Ran) -> bool {
    const WORDS: &str = "LeakSanitizer does not work under ptrace";
    [&ran.stdout, &ran.stderr]
        .iter()
        .any(|kept| kept.text().contains(WORDS))
}
