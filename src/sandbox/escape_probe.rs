//! Tries to reach what a fence keeps away and reports what worked.
#![expect(
    clippy::disallowed_methods,
    reason = "sandbox::escape_probe tries to do what is forbidden"
)]

use std::fs::{File, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::model::serde_path;

/// What to try.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// A directory that may not be written to, with the file `file` in it.
    #[serde(with = "serde_path")]
    pub fixture: PathBuf,
    /// A directory that may be written to.
    #[serde(with = "serde_path")]
    pub own: PathBuf,
    /// Where somebody outside listens.
    pub tcp: SocketAddr,
    /// Where somebody outside waits for datagrams.
    pub udp: SocketAddr,
    /// Where somebody outside listens on a path.
    #[serde(with = "serde_path")]
    pub socket: PathBuf,
    /// A process outside.
    pub outsider: i32,
}

/// What worked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is the answer to one question"
)]
pub struct Reached {
    /// The bytes or the names of a fixture.
    pub fixture: bool,
    /// The mode of a fixture.
    pub mode: bool,
    /// A directory of its own.
    pub own: bool,
    /// Somebody outside, by TCP or by a path.
    pub outside: bool,
    /// Itself, over the network.
    pub itself: bool,
    /// A process outside.
    pub outsider: bool,
    /// A supervisor that is the first process there is.
    pub first: bool,
}

/// Tries everything.
pub fn attempt(attempt: &Attempt) -> Reached {
    let _sent =
        UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).map(|socket| socket.send_to(b"out", attempt.udp));
    let is_outside = TcpStream::connect_timeout(&attempt.tcp, Duration::from_secs(1)).is_ok();
    let outsider = rustix::process::Pid::from_raw(attempt.outsider);
    Reached {
        fixture: writes(&attempt.fixture),
        mode: std::fs::set_permissions(attempt.fixture.join("file"), Permissions::from_mode(0o600))
            .is_ok(),
        own: File::create(attempt.own.join("file"))
            .and_then(|mut file| file.write_all(b"own"))
            .is_ok(),
        outside: is_outside || UnixStream::connect(&attempt.socket).is_ok(),
        itself: talks_to_itself().unwrap_or(false),
        outsider: outsider
            .is_none_or(|pid| rustix::process::test_kill_process(pid) != Err(Errno::SRCH)),
        first: std::os::unix::process::parent_id() == 1,
    }
}

fn writes(fixture: &Path) -> bool {
    let file = fixture.join("file");
    let tries = [
        OpenOptions::new()
            .write(true)
            .open(&file)
            .and_then(|mut file| file.write_all(b"changed")),
        File::create(fixture.join("new")).map(drop),
        std::fs::hard_link(&file, fixture.join("link")),
        std::fs::rename(&file, fixture.join("moved")),
        std::fs::remove_file(&file),
        std::fs::rename(fixture, fixture.with_extension("moved")),
    ];
    tries.iter().any(Result::is_ok)
}

fn talks_to_itself() -> std::io::Result<bool> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    TcpStream::connect(listener.local_addr()?)?.write_all(b"hello")?;
    let mut said = Vec::new();
    listener.accept()?.0.read_to_end(&mut said)?;
    Ok(said == b"hello")
}
