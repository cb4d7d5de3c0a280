//! Which programs are there, and how does one end that may not take long?
#![expect(clippy::disallowed_methods, reason = "sys::programs looks at PATH and starts programs")]

use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use std::{env, thread};

use super::folder::executable;

/// As much as anybody reads of what a program said.
const SAID: u64 = 64 << 10;

/// How a program ended that had so much time and no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The number it left with; `None` when a signal ended it, or its time was over.
    pub code: Option<i32>,
    /// Whether its time was over: it and what it started were ended then.
    pub in_time: bool,
    /// The first 64 KiB of what it said on both streams.
    pub said: String,
}

/// Runs a command without input for at most `limit`.
///
/// # Errors
/// When it cannot be started or waited for.
pub fn within(mut command: Command, limit: Duration) -> io::Result<Ended> {
    let mut heard = tempfile::tempfile()?; // a file, since a pipe is held open by whatever it leaves behind
    command.stdin(Stdio::null()).stdout(heard.try_clone()?).stderr(heard.try_clone()?).process_group(0);
    let mut child = command.spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    let (done, end) = mpsc::channel();
    thread::spawn(move || done.send(child.wait()));
    let status = match end.recv_timeout(limit) {
        Ok(status) => Some(status?),
        Err(_) => {
            let kill = |group| rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            let _gone = group.map(kill);
            None
        }
    };
    let mut said = Vec::new();
    heard.rewind()?;
    heard.take(SAID).read_to_end(&mut said)?;
    let said = String::from_utf8_lossy(&said).into_owned();
    Ok(Ended { code: status.and_then(|status| status.code()), in_time: status.is_some(), said })
}

/// Runs a program by its path, without input and for at most `limit`.
///
/// # Errors
/// As [`within`].
pub fn ask(program: &Path, args: &[&str], limit: Duration) -> io::Result<Ended> {
    let mut command = Command::new(program);
    command.args(args);
    within(command, limit)
}

/// Every program of a name that PATH leads to, in its order, relative directories left out.
pub fn on_path(name: &str) -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let places = env::split_paths(&path).filter(|dir| dir.is_absolute()).map(|dir| dir.join(name));
    places.filter(|place| place.is_file() && executable(place)).collect()
}

/// The program that is running: as PATH spells it when it does, since that name outlives an
/// upgrade, else where it is.
///
/// # Errors
/// When the system does not say.
pub fn running(name: &str) -> io::Result<PathBuf> {
    let real = env::current_exe()?;
    let is_real = |place: &PathBuf| place.canonicalize().is_ok_and(|place| place == real);
    Ok(on_path(name).into_iter().find(is_real).unwrap_or(real))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Ended {
        ask(Path::new("/bin/sh"), &["-c", script], limit).unwrap()
    }

    #[test]
    fn what_ends_in_time_is_heard() {
        let ended = shell("echo a; echo b >&2; exit 3", Duration::from_secs(60));
        assert_eq!(ended, Ended { code: Some(3), in_time: true, said: "a\nb\n".to_owned() });
    }

    #[test]
    fn what_hangs_is_ended() {
        let ended = shell("echo a; sleep 600", Duration::from_millis(300));
        assert_eq!(ended, Ended { code: None, in_time: false, said: "a\n".to_owned() });
    }

    #[test]
    fn what_is_left_behind_is_not_waited_for() {
        assert!(shell("sleep 5 & exit 0", Duration::from_secs(60)).in_time);
    }

    #[test]
    fn programs_are_found_by_name() {
        assert!(on_path("sh")[0].is_absolute());
        assert!(on_path("no-such-program-anywhere").is_empty());
    }
}
