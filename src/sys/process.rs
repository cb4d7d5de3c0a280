//! Runs other programs, to their end or within a limit, and finds them on `PATH`.
#![expect(
    clippy::disallowed_methods,
    reason = "sys::process is where programs other than git run"
)]

use std::env;
use std::ffi::OsString;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::io::Errno;

use super::folder::executable;
use crate::model::run::End;

/// A program with everything it is given. It inherits the environment.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The file that is run; a bare name is looked up on PATH.
    pub path: &'a Path,
    /// Its arguments.
    pub args: &'a [OsString],
    /// Where it runs.
    pub dir: &'a Path,
    /// What it reads on standard input; it need not read it.
    pub input: &'a [u8],
}

/// A program that could not be run.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be run: {source}", .path.display())]
pub struct ProcessError {
    path: PathBuf,
    source: io::Error,
}

/// Runs a program to its end. What it prints goes to our stderr: stdout is for our own answer. A file
/// that the system cannot execute is a script of `sh`, as it is to git.
///
/// # Errors
/// When it cannot be started or waited for.
pub fn run(program: Program<'_>) -> Result<End, ProcessError> {
    let fault = |source| ProcessError {
        path: program.path.to_owned(),
        source,
    };
    let stdout = io::stderr().as_fd().try_clone_to_owned().map_err(fault)?;
    let mut child = match spawn(Command::new(program.path), program, &stdout) {
        Err(error) if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) => {
            let mut shell = Command::new("/bin/sh");
            shell.arg(program.path);
            spawn(shell, program, &stdout)
        }
        started => started,
    }
    .map_err(fault)?;
    let stdin = child.stdin.take();
    // A thread of its own, since a program may print before it has read everything, or never read.
    let status = thread::scope(|scope| {
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(program.input)));
        child.wait()
    });
    Ok(end_of(status.map_err(fault)?))
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exit(code),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    }
}

fn spawn(mut command: Command, program: Program<'_>, stdout: &OwnedFd) -> io::Result<Child> {
    command.args(program.args).current_dir(program.dir);
    command
        .stdin(Stdio::piped())
        .stdout(stdout.try_clone()?)
        .spawn()
}

/// As much as anybody reads of what a program said.
const SAID: u64 = 64 << 10;

/// A program that was run within a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How it ended. After a timeout it and what it started were killed.
    pub end: End,
    /// The first 64 KiB of what it printed on both streams.
    pub said: String,
}

/// Runs a command without input for at most `limit`.
///
/// # Errors
/// When it cannot be started or waited for.
pub fn within(mut command: Command, limit: Duration) -> io::Result<Answer> {
    let mut heard = tempfile::tempfile()?; // a file, since a pipe is held open by whatever it leaves behind
    command
        .stdin(Stdio::null())
        .stdout(heard.try_clone()?)
        .stderr(heard.try_clone()?)
        .process_group(0);
    let mut child = command.spawn()?;
    let group = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    let (done, end) = mpsc::channel();
    thread::spawn(move || done.send(child.wait()));
    let end = match end.recv_timeout(limit) {
        Ok(status) => end_of(status?),
        Err(_) => {
            let kill =
                |group| rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            let _gone = group.map(kill);
            End::Timeout
        }
    };
    let mut said = Vec::new();
    heard.rewind()?;
    heard.take(SAID).read_to_end(&mut said)?;
    let said = String::from_utf8_lossy(&said).into_owned();
    Ok(Answer { end, said })
}

/// Runs a program by its path, without input and for at most `limit`.
///
/// # Errors
/// As [`within`].
pub fn ask(program: &Path, args: &[&str], limit: Duration) -> io::Result<Answer> {
    let mut command = Command::new(program);
    command.args(args);
    within(command, limit)
}

/// Every program of a name that PATH leads to, in its order, relative directories left out.
pub fn on_path(name: &str) -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let places = env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(name));
    places
        .filter(|place| place.is_file() && executable(place))
        .collect()
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

    fn shell(script: &str, input: &[u8]) -> End {
        let args = ["-c".into(), script.into()];
        run(Program {
            path: Path::new("sh"),
            args: &args,
            dir: Path::new("/"),
            input,
        })
        .unwrap()
    }

    #[test]
    fn a_program_reads_what_it_is_given_and_says_how_it_ended() {
        assert_eq!(shell("test \"$(cat)\" = 'a b'", b"a b"), End::Exit(0));
        assert_eq!(shell("exit 7", b""), End::Exit(7));
        assert_eq!(shell("kill -9 $$", b""), End::Signal(9));
    }

    #[test]
    fn a_program_that_reads_nothing_is_no_fault() {
        assert_eq!(
            shell("exec 0<&-; exit 3", &vec![b'x'; 1 << 20]),
            End::Exit(3)
        );
    }

    #[test]
    fn a_program_that_is_not_there_is_a_fault() {
        let missing = Program {
            path: Path::new("/no/such/program"),
            args: &[],
            dir: Path::new("/"),
            input: b"",
        };
        assert!(
            run(missing)
                .unwrap_err()
                .to_string()
                .contains("/no/such/program")
        );
    }

    fn shell_within(script: &str, limit: Duration) -> Answer {
        ask(Path::new("/bin/sh"), &["-c", script], limit).unwrap()
    }

    #[test]
    fn what_ends_in_time_is_heard() {
        let ended = shell_within("echo a; echo b >&2; exit 3", Duration::from_secs(60));
        assert_eq!(
            ended,
            Answer {
                end: End::Exit(3),
                said: "a\nb\n".to_owned()
            }
        );
    }

    #[test]
    fn what_hangs_is_ended() {
        let ended = shell_within("echo a; sleep 600", Duration::from_millis(300));
        assert_eq!(
            ended,
            Answer {
                end: End::Timeout,
                said: "a\n".to_owned()
            }
        );
    }

    #[test]
    fn what_is_left_behind_is_not_waited_for() {
        let answer = shell_within("sleep 5 & exit 0", Duration::from_secs(60));
        assert_eq!(answer.end, End::Exit(0));
    }

    #[test]
    fn programs_are_found_by_name() {
        assert!(on_path("sh")[0].is_absolute());
        assert!(on_path("no-such-program-anywhere").is_empty());
    }
}
