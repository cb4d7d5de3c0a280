//! Runs the git binary with hostile configuration and environment switched off.
#![expect(
    clippy::disallowed_methods,
    reason = "git::plumbing is the only place that runs git"
)]

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::exit::{Explained, Explanation};
use crate::sys::process::{Answer, within};

/// Configuration that runs programs or changes answers, switched off in machine mode.
const MACHINE_CONFIG: [&str; 7] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.commitGraph=false",
    "diff.external=",
    "log.showSignature=false",
    "submodule.recurse=false",
    "color.ui=false",
];

/// What writes for good, so that a commit that was reported outlives a power cut.
const DURABLE_CONFIG: [&str; 5] = [
    "core.fsync=all",
    "pack.writeReverseIndex=false", // an index by offset, which only fetches from here would use
    "core.ignoreCase=false",
    "core.filesRefLockTimeout=2000", // milliseconds
    "i18n.commitEncoding=UTF-8",
];

/// Variables that redirect git to another repository, index or history, or reinterpret paths.
const REDIRECTIONS: [&str; 23] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIFF_OPTS",
    "GIT_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Which repository and which of its worktrees git is run in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitPlace {
    /// The git directory of this worktree, absolute.
    pub git_dir: PathBuf,
    /// The top level of the worktree, absolute; none in a bare repository.
    pub worktree: Option<PathBuf>,
}

impl GitPlace {
    /// The repository that git itself finds from `dir`, or the one that `git_dir` names.
    ///
    /// # Errors
    /// With git's own words: no repository, dubious ownership, unknown format.
    pub fn find(dir: &Path, git_dir: Option<&Path>) -> Result<Self, PlumbingError> {
        let ask = |what: &[&str]| {
            let mut command = Command::new("git");
            command
                .current_dir(dir)
                .env("LC_ALL", "C")
                .arg("rev-parse")
                .args(what)
                .stdin(Stdio::null());
            git_dir.map(|git_dir| command.env("GIT_DIR", git_dir));
            let output = command.output().map_err(PlumbingError::start)?;
            checked(output, "git rev-parse")
                .map(without_newline)
                .map_err(PlumbingError::nowhere)
        };
        let found = ask(&["--is-inside-work-tree", "--absolute-git-dir"])?;
        let unexpected = || PlumbingError::Answer {
            command: "git rev-parse".to_owned(),
        };
        let end = found
            .iter()
            .position(|byte| *byte == b'\n')
            .ok_or_else(unexpected)?;
        let git_dir = path_of(found[end + 1..].to_vec());
        let inside = found[..end] == *b"true";
        let worktree = if inside {
            Some(path_of(ask(&["--show-toplevel"])?))
        } else {
            None
        };
        Ok(Self { git_dir, worktree })
    }
}

/// Why git gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum PlumbingError {
    /// There is no git binary on PATH.
    #[error("the git binary was not found on PATH")]
    Missing,
    /// It could not be started or spoken to.
    #[error("git could not be run: {0}")]
    Start(#[source] io::Error),
    /// It ran and failed.
    #[error("{}", said(.stderr, .command, .code))]
    Failed {
        /// The command, `git commit`.
        command: String,
        /// The exit code; none when a signal ended it.
        code: Option<i32>,
        /// Its own words.
        stderr: String,
    },
    /// It finds no repository, or none that it trusts.
    #[error("{words}")]
    Nowhere {
        /// Its own words.
        words: String,
    },
    /// It said something that is not in its documented form.
    #[error("{command} answered something unexpected")]
    Answer {
        /// The command line.
        command: String,
    },
}

impl Explained for PlumbingError {
    fn explain(&self) -> Explanation {
        match self.refusal() {
            Some((message, fix)) => Explanation {
                message: Some(message),
                ..Explanation::undecided().fix(fix)
            },
            None => Explanation::undecided(),
        }
    }
}

impl PlumbingError {
    /// Why git has no repository for us, in its own words, and what helps; `None` when it is
    /// something else that failed.
    pub fn refusal(&self) -> Option<(String, String)> {
        let Self::Nowhere { words } = self else {
            return None;
        };
        let why = words.lines().next()?;
        let advised = words
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with("git config "));
        match advised {
            Some(command) if why.contains("dubious ownership") => {
                Some((why.to_owned(), command.to_owned()))
            }
            _ if why.starts_with("not a git repository") => Some((
                why.to_owned(),
                "git -C DIRECTORY reins ..., or git init".to_owned(),
            )),
            _ => None,
        }
    }

    fn start(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Start(error),
        }
    }

    /// Where a repository is looked for, a failure is the answer, and git's words are the best.
    fn nowhere(self) -> Self {
        match self {
            Self::Failed { stderr, .. } if stderr.starts_with("fatal: ") => Self::Nowhere {
                words: stderr.trim_start_matches("fatal: ").trim_end().to_owned(),
            },
            other => other,
        }
    }
}

fn said(stderr: &str, command: &str, code: &Option<i32>) -> String {
    let code = code.map_or("a signal".to_owned(), |code| format!("exit {code}"));
    match stderr.trim() {
        "" => format!("{command} failed ({code})"),
        words => format!("{command} failed ({code}): {words}"),
    }
}

/// One run of git, put together like [`Command`].
#[derive(Debug)]
pub struct Git {
    command: Command,
    shown: String,
    input: Option<Vec<u8>>,
}

impl Git {
    /// Machine mode: no program that configuration names is run by what we ask for, no replace
    /// ref, graft or foreign index is read, paths are literal, nothing is asked on a terminal.
    ///
    /// Clean and smudge filters stay the person's own: without them `status` would lie.
    pub fn at(place: &GitPlace) -> Self {
        let mut git = Self::bare(place);
        for setting in MACHINE_CONFIG {
            git.command.args(["-c", setting]);
        }
        git.command.env("GIT_DIR", &place.git_dir).arg("--no-pager");
        if let Some(worktree) = &place.worktree {
            git.command.env("GIT_WORK_TREE", worktree);
        }
        let fixed = [
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_GRAFT_FILE", "/dev/null"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("LC_ALL", "C"),
        ];
        git.command.envs(fixed);
        git
    }

    /// Machine mode for what writes: every object, index and ref is on the disk before git goes on,
    /// a ref lock is waited for, and a message is what it is, UTF-8.
    pub fn durable(place: &GitPlace) -> Self {
        let mut git = Self::at(place);
        for setting in DURABLE_CONFIG {
            git.command.args(["-c", setting]);
        }
        git
    }

    /// A person's own command: hooks, signing and identity as configured, in the top level of the
    /// worktree as if typed there.
    pub fn for_person(place: &GitPlace) -> Self {
        let mut git = Self::bare(place);
        if let Some(worktree) = &place.worktree
            && std::fs::symlink_metadata(worktree.join(".git")).is_err()
        {
            git.command
                .env("GIT_DIR", &place.git_dir)
                .env("GIT_WORK_TREE", worktree);
        }
        git
    }

    /// Another program than git, in the same place: a hook file.
    pub fn program(place: &GitPlace, file: &Path) -> Self {
        Self::running(place, file.as_os_str())
    }

    fn bare(place: &GitPlace) -> Self {
        Self::running(place, OsStr::new("git"))
    }

    fn running(place: &GitPlace, program: &OsStr) -> Self {
        let mut command = Command::new(program);
        command.current_dir(place.worktree.as_ref().unwrap_or(&place.git_dir));
        for name in REDIRECTIONS {
            command.env_remove(name);
        }
        Self {
            command,
            shown: "git".to_owned(),
            input: None,
        }
    }

    /// Leaves the person's configuration and identity out: what is made is the same everywhere.
    pub fn isolated(mut self, name: &str, moment: Option<&str>) -> Self {
        let email = format!("{name}@example.invalid");
        for role in ["AUTHOR", "COMMITTER"] {
            let variable = |part: &str| format!("GIT_{role}_{part}");
            self.command
                .env(variable("NAME"), name)
                .env(variable("EMAIL"), &email)
                .env_remove(variable("DATE"));
            moment.map(|moment| self.command.env(variable("DATE"), moment));
        }
        for gone in [
            "GIT_CONFIG_COUNT",
            "GIT_CONFIG_PARAMETERS",
            "GIT_DEFAULT_HASH",
            "GIT_DEFAULT_REF_FORMAT",
            "GIT_TEMPLATE_DIR",
        ] {
            self.command.env_remove(gone);
        }
        self.command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        self
    }

    /// Adds arguments; the first one is the command.
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        for arg in args {
            if self.shown == "git" {
                self.shown = format!("git {}", arg.as_ref().to_string_lossy());
            }
            self.command.arg(arg);
        }
        self
    }

    /// Hands `bytes` to its standard input.
    pub fn input(mut self, bytes: Vec<u8>) -> Self {
        self.input = Some(bytes);
        self
    }

    /// Hands a list of paths to a command that takes pathspecs.
    pub fn paths<'a>(self, paths: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let list = paths
            .into_iter()
            .flat_map(|path| [path, b"\0"])
            .flatten()
            .copied()
            .collect();
        self.literal()
            .args(["--pathspec-from-file=-", "--pathspec-file-nul"])
            .input(list)
    }

    /// Ends the options and adds path prefixes, which are few, as arguments.
    pub fn prefixes<'a>(self, prefixes: impl IntoIterator<Item = &'a str>) -> Self {
        self.literal().args(["--"]).args(prefixes)
    }

    fn literal(mut self) -> Self {
        self.command.env("GIT_LITERAL_PATHSPECS", "1");
        self
    }

    /// Runs it and hands back what it printed.
    ///
    /// # Errors
    /// When it cannot be run or leaves with anything but 0.
    pub fn run(self) -> Result<Vec<u8>, PlumbingError> {
        let shown = self.shown.clone();
        checked(self.output()?, &shown)
    }

    /// Runs it and hands back its one line of text.
    ///
    /// # Errors
    /// As [`Git::run`], and when the line is no UTF-8.
    pub fn line(self) -> Result<String, PlumbingError> {
        let command = self.shown.clone();
        String::from_utf8(without_newline(self.run()?))
            .map_err(|_| PlumbingError::Answer { command })
    }

    /// Runs a query that says no with exit 1, as `rev-parse --verify --quiet` does.
    ///
    /// # Errors
    /// As [`Git::line`], for any other exit code.
    pub fn maybe_line(self) -> Result<Option<String>, PlumbingError> {
        match self.line() {
            Ok(line) => Ok(Some(line)),
            Err(PlumbingError::Failed { code: Some(1), .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Runs a command that tells more by its exit code than whether it failed, and hands back what it
    /// printed with that code; none when a signal ended it.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn ended(self) -> Result<(Vec<u8>, Option<i32>), PlumbingError> {
        let output = self.output()?;
        Ok((output.stdout, output.status.code()))
    }

    /// Runs it and hands back what it said on stderr.
    ///
    /// # Errors
    /// As [`Git::run`].
    pub fn words(self) -> Result<String, PlumbingError> {
        let shown = self.shown.clone();
        let output = self.output()?;
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        checked(output, &shown).map(|_| words)
    }

    /// Runs it with the person's terminal for an editor; what it prints goes to stderr.
    ///
    /// # Errors
    /// When it cannot be run or leaves with anything but 0.
    pub fn interactive(mut self) -> Result<(), PlumbingError> {
        let stderr = io::stderr()
            .as_fd()
            .try_clone_to_owned()
            .map_err(PlumbingError::Start)?;
        let status = self
            .command
            .stdout(stderr)
            .status()
            .map_err(PlumbingError::start)?;
        let output = Output {
            status,
            stdout: Vec::new(),
            stderr: b"see above".to_vec(),
        };
        checked(output, &self.shown).map(drop)
    }

    /// Starts it before its input is known, so that its start-up costs no time of its own. Dropped
    /// unfinished it reads an empty input.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(mut self) -> Result<Started, PlumbingError> {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = self.command.spawn().map_err(PlumbingError::start)?;
        Ok(Started {
            child,
            shown: self.shown,
        })
    }

    /// Sets a variable for it and for what it runs.
    pub fn env(mut self, variable: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(variable, value);
        self
    }

    /// Runs it without input and ends it, with what it started, when the time is over.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn within(self, limit: Duration) -> Result<Answer, PlumbingError> {
        within(self.command, limit).map_err(PlumbingError::start)
    }

    fn output(mut self) -> Result<Output, PlumbingError> {
        let stdin = if self.input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        self.command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        fed(
            self.command.spawn().map_err(PlumbingError::start)?,
            self.input,
        )
    }
}

/// A git that runs and waits for its input.
#[derive(Debug)]
pub struct Started {
    child: Child,
    shown: String,
}

impl Started {
    /// Hands it all of its input and hands back what it printed.
    ///
    /// # Errors
    /// As [`Git::run`].
    pub fn finish(self, input: Vec<u8>) -> Result<Vec<u8>, PlumbingError> {
        checked(fed(self.child, Some(input))?, &self.shown)
    }
}

fn fed(mut child: Child, input: Option<Vec<u8>>) -> Result<Output, PlumbingError> {
    // A thread of its own, since git may answer before it has read everything. A git that
    // stops reading says why with its exit code; but one that was not handed everything took the
    // rest for all there is.
    let feeder = child.stdin.take().zip(input);
    let feeder = feeder.map(|(mut stdin, bytes)| thread::spawn(move || stdin.write_all(&bytes)));
    let output = child.wait_with_output().map_err(PlumbingError::Start)?;
    match feeder.map(thread::JoinHandle::join) {
        Some(Ok(Err(error)))
            if output.status.success() && error.kind() != io::ErrorKind::BrokenPipe =>
        {
            Err(PlumbingError::Start(error))
        }
        _ => Ok(output),
    }
}

fn checked(output: Output, command: &str) -> Result<Vec<u8>, PlumbingError> {
    match output.status.success() {
        true => Ok(output.stdout),
        false => {
            let mut words = String::from_utf8_lossy(&output.stderr).into_owned();
            words.push_str(&String::from_utf8_lossy(&output.stdout));
            Err(PlumbingError::Failed {
                command: command.to_owned(),
                code: output.status.code(),
                stderr: words,
            })
        }
    }
}

fn without_newline(mut line: Vec<u8>) -> Vec<u8> {
    line.pop_if(|last| *last == b'\n');
    line
}

fn path_of(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}

/// The parts of output that git ends with NUL each.
pub fn split_nul(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
}

/// A path as git prints it: bytes, which need not be text.
pub fn shown_path(path: &[u8]) -> String {
    crate::model::path::shown(&OsStr::from_bytes(path).to_string_lossy())
}
