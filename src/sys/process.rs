//! How does somebody else's program run on our behalf: a chained hook, a command of the foreman?
#![expect(clippy::disallowed_methods, reason = "sys::process is where programs other than git run")]

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use rustix::io::Errno;

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

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It left with this number.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
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
    let fault = |source| ProcessError { path: program.path.to_owned(), source };
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
    let status = status.map_err(fault)?;
    Ok(match (status.code(), status.signal()) {
        (Some(code), _) => End::Exit(code),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    })
}

fn spawn(mut command: Command, program: Program<'_>, stdout: &OwnedFd) -> io::Result<Child> {
    command.args(program.args).current_dir(program.dir);
    command.stdin(Stdio::piped()).stdout(stdout.try_clone()?).spawn()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &[u8]) -> End {
        let args = ["-c".into(), script.into()];
        run(Program { path: Path::new("sh"), args: &args, dir: Path::new("/"), input }).unwrap()
    }

    #[test]
    fn a_program_reads_what_it_is_given_and_says_how_it_ended() {
        assert_eq!(shell("test \"$(cat)\" = 'a b'", b"a b"), End::Exit(0));
        assert_eq!(shell("exit 7", b""), End::Exit(7));
        assert_eq!(shell("kill -9 $$", b""), End::Signal(9));
    }

    #[test]
    fn a_program_that_reads_nothing_is_no_fault() {
        assert_eq!(shell("exec 0<&-; exit 3", &vec![b'x'; 1 << 20]), End::Exit(3));
    }

    #[test]
    fn a_program_that_is_not_there_is_a_fault() {
        let missing =
            Program { path: Path::new("/no/such/program"), args: &[], dir: Path::new("/"), input: b"" };
        assert!(run(missing).unwrap_err().to_string().contains("/no/such/program"));
    }
}
