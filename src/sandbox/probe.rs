//! Finds the means of a fence that work on this machine by trying them, never by a version.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::escape_probe::{Attempt, Reached};
use super::fence::Fence;
use super::plan::{Limits, PATIENCE};
use super::run::{BUSY, Job, RunError, Runner};
use crate::model::run::{End, Ran};
use crate::model::trial::{Enforced, FixtureGuard, KillGuard, NetworkGuard};
use crate::policy::Network;
use crate::sys::removal::remove;

/// The strongest means that work here, and why each stronger one does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    /// What a fence may be made of. Paths are traced by other means: there is none here.
    pub means: Enforced,
    /// The means that do not work, by their words in a record, and why.
    pub missing: Vec<(&'static str, String)>,
}

/// A change of the means for one that is tried, and its word in a record.
type Candidate = (&'static str, fn(&mut Enforced));

/// The means of each kind, the strongest first.
const CANDIDATES: [&[Candidate]; 3] = [
    &[
        ("bind-ro", |means| means.fixtures = FixtureGuard::BindRo),
        ("landlock", |means| means.fixtures = FixtureGuard::Landlock),
    ],
    &[
        ("netns-lo", |means| means.network = NetworkGuard::NetnsLo),
        ("seccomp", |means| means.network = NetworkGuard::Seccomp),
    ],
    &[("pidns", |means| means.kill = KillGuard::Pidns)],
];

/// Tries the means with jobs that try to write, to connect and to see processes. The strongest comes
/// first; nothing is believed that was not seen to work, and that beside the means found before it.
///
/// # Errors
/// When the try cannot be made, or somebody interrupts it.
pub fn probe(runner: &Runner, scratch: &Path) -> Result<Probed, RunError> {
    let mut best = Fence::OPEN;
    CANDIDATES.iter().for_each(|kind| kind[0].1(&mut best));
    if works(runner, scratch, best)?.is_none() {
        return Ok(Probed {
            means: best,
            missing: Vec::new(),
        });
    }
    let mut probed = Probed {
        means: Fence::OPEN,
        missing: Vec::new(),
    };
    for kind in CANDIDATES {
        for (word, change) in kind {
            let mut means = probed.means;
            change(&mut means);
            match works(runner, scratch, means)? {
                None => {
                    probed.means = means;
                    break;
                }
                Some(why) => probed.missing.push((word, why)),
            }
        }
    }
    Ok(probed)
}

/// Why a fence of these means does not do what it is for; `None` when it does.
fn works(runner: &Runner, scratch: &Path, means: Enforced) -> Result<Option<String>, RunError> {
    let fault = |source| RunError::Supervisor {
        dir: scratch.to_owned(),
        source,
    };
    let place = tempfile::Builder::new()
        .prefix("probe-")
        .tempdir_in(scratch)
        .map_err(fault)?
        .keep();
    let tried = try_out(runner, &place, means);
    let _left = remove(&place);
    match tried {
        Err(RunError::NoFence(why)) => Ok(Some(why)),
        tried => tried,
    }
}

fn try_out(runner: &Runner, place: &Path, means: Enforced) -> Result<Option<String>, RunError> {
    let fault = |source| RunError::Supervisor {
        dir: place.to_owned(),
        source,
    };
    let place = place.canonicalize().map_err(fault)?;
    let outside = Outside::listen(&place).map_err(fault)?;
    let tree = make_tree(&place).map_err(fault)?;
    let attempt = outside.attempt(&tree).map_err(fault)?;
    let attempt = serde_json::to_string(&attempt).map_err(|error| fault(error.into()))?;
    let program = runner.program().as_os_str().to_owned();
    let argv = [
        program,
        "supervise".into(),
        "--attempt".into(),
        OsString::from(attempt),
    ];
    let environment = Environment::clean(&place).map_err(fault)?;
    let fence = Fence {
        means,
        read_only: vec![tree.join("fixture")],
        writable: vec![tree.clone(), place.join("tmp"), place.join("home")],
        network: Network::Deny,
    };
    let limits = Limits {
        budget: PATIENCE,
        output: 1 << 16,
    };
    let job = Job {
        argv: &argv,
        dir: &tree,
        environment: &environment,
        limits,
        fence: Some(&fence),
    };
    let ran = runner.run(&job, &mut |_| ())?;
    let reached: Option<Reached> = serde_json::from_slice(&ran.stdout.head).ok();
    Ok(match reached.filter(|_| ran.end == End::Exit(0)) {
        None => Some(otherwise(&ran)),
        Some(reached) => broken(means, reached, outside.heard()).map(str::to_owned),
    })
}

/// How a try ended that should have exited without a fault.
pub(super) fn otherwise(ran: &Ran) -> String {
    match ran.end {
        End::Timeout => format!(
            "the try was not over within {} s: {BUSY}",
            PATIENCE.as_secs()
        ),
        End::Exit(_) | End::Signal(_) | End::OutputLimit | End::Missing(_) | End::NotStarted(_) => {
            format!(
                "the try ended with {:?}: {}",
                ran.end,
                ran.stderr.text().trim_end()
            )
        }
    }
}

/// What a job did that it should not have, or could not do what it should.
fn broken(means: Enforced, reached: Reached, is_heard: bool) -> Option<&'static str> {
    let is_fenced = match means.fixtures {
        FixtureGuard::BindRo => !reached.fixture && !reached.mode,
        FixtureGuard::Landlock => !reached.fixture,
        FixtureGuard::ModeOnly => false,
        FixtureGuard::None => true,
    };
    let is_cut_off = match means.network {
        NetworkGuard::NetnsLo => !reached.outside && !is_heard && reached.itself,
        NetworkGuard::Seccomp => !reached.outside && !is_heard,
        NetworkGuard::None => true,
    };
    let is_alone = match means.kill {
        KillGuard::Pidns => reached.first && !reached.outsider,
        KillGuard::PtraceTree => false,
        KillGuard::Pgrp => true,
    };
    match (reached.own, is_fenced, is_cut_off, is_alone) {
        (false, ..) => Some("a job could not write where it may"),
        (_, false, ..) => Some("a job could change a fixture"),
        (.., false, _) => Some("a job reached the network, or not itself"),
        (.., false) => Some("a job saw processes of others"),
        (true, true, true, true) => None,
    }
}

/// A tree with a fixture.
#[expect(
    clippy::disallowed_methods,
    reason = "sandbox::probe makes what it tries"
)]
fn make_tree(place: &Path) -> io::Result<PathBuf> {
    let tree = place.join("tree");
    std::fs::create_dir_all(tree.join("fixture"))?;
    std::fs::create_dir(tree.join("own"))?;
    std::fs::write(tree.join("fixture/file"), "fixture")?;
    Ok(tree)
}

/// Those whom a job must not reach.
struct Outside {
    tcp: TcpListener,
    udp: UdpSocket,
    socket: PathBuf,
    _listener: Option<UnixListener>,
}

impl Outside {
    fn listen(place: &Path) -> io::Result<Self> {
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        udp.set_nonblocking(true)?;
        let socket = place.join("socket");
        let listener = match UnixListener::bind(&socket) {
            Ok(listener) => Some(listener),
            // the path is too long for a socket
            Err(error) if error.kind() == ErrorKind::InvalidInput => None,
            Err(error) => return Err(error),
        };
        Ok(Self {
            tcp,
            udp,
            socket,
            _listener: listener,
        })
    }

    fn attempt(&self, tree: &Path) -> io::Result<Attempt> {
        Ok(Attempt {
            fixture: tree.join("fixture"),
            own: tree.join("own"),
            tcp: self.tcp.local_addr()?,
            udp: self.udp.local_addr()?,
            socket: self.socket.clone(),
            outsider: i32::try_from(std::process::id()).map_err(io::Error::other)?,
        })
    }

    fn heard(&self) -> bool {
        self.udp.recv(&mut [0; 8]).is_ok()
    }
}
