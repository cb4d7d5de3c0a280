//! What does a real repository do under a command? Built hermetically, so that commit ids are the
//! same everywhere and may stand in snapshots.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot build its repository fails"
)]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_fs::TempDir;

/// A captured run. Its `Display` is stdout, stderr and `--- exit N`.
#[must_use = "a run that nobody looks at proves nothing"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}--- exit {}",
            self.stdout,
            self.stderr,
            self.code.unwrap_or(-1)
        )
    }
}

impl Run {
    /// The run, which has to leave with `code`.
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }
}

/// A repository in a directory of its own, with its own home, identity and clock.
pub struct Repo {
    temp: TempDir,
    worktree: PathBuf,
    seconds: Cell<u64>,
}

impl Repo {
    /// An empty SHA-1 repository on the unborn branch `main`.
    pub fn new() -> Self {
        Self::with_format("sha1")
    }

    /// An empty repository of an object format.
    pub fn with_format(format: &str) -> Self {
        let temp = TempDir::new().unwrap();
        fs::create_dir(temp.path().join("home")).unwrap();
        let worktree = temp.path().join("repo");
        fs::create_dir(&worktree).unwrap();
        let repo = Self {
            temp,
            worktree,
            seconds: Cell::new(1_790_000_000),
        };
        repo.git(&["init", "-q", "-b", "main", "--object-format", format]);
        repo
    }

    /// A repository with one commit on `main`: policy, ledgers, a spec, a property, a fixture, code.
    pub fn under_reins() -> Self {
        let repo = Self::new();
        repo.fill();
        repo
    }

    /// Puts that commit into an empty repository.
    pub fn fill(&self) {
        self.write(
            "spec/accounts.md",
            "# Accounts\n\n## No overdraft\n\nA balance is never negative.\n",
        );
        self.write(
            "properties/balance.py",
            "def balance_never_negative(account): ...\n",
        );
        self.write("fixtures/accounts.json", "[{\"opening\": 10}]\n");
        self.write("src/account.py", "def balance(a, b):\n    return a - b\n");
        let _ = self.reins(&["init", "--preset", "pytest"]).expect(0);
        self.commit("start");
    }

    /// The top level of the worktree that commands run in.
    pub fn path(&self, inner: &str) -> PathBuf {
        self.worktree.join(inner)
    }

    /// The same repository, with commands running in another of its worktrees.
    pub fn linked(&self, branch: &str) -> Linked<'_> {
        let path = self.temp.path().join("linked");
        self.git(&[
            "worktree",
            "add",
            "-q",
            "-b",
            branch,
            path.to_str().unwrap(),
        ]);
        Linked { repo: self, path }
    }

    /// Writes a file.
    pub fn write(&self, inner: &str, text: &str) {
        let path = self.path(inner);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes an executable file.
    pub fn script(&self, inner: &str, text: &str) {
        self.write(inner, text);
        fs::set_permissions(self.path(inner), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Reads a file.
    pub fn read(&self, inner: &str) -> String {
        fs::read_to_string(self.path(inner)).unwrap()
    }

    /// Stages everything and commits it.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// Runs git, which has to succeed, and hands back what it printed.
    pub fn git(&self, args: &[&str]) -> String {
        let run = self.run("git", &self.worktree, args);
        assert_eq!(run.code, Some(0), "git {args:?}: {run}");
        run.stdout
    }

    /// Runs our command at the top level.
    pub fn reins(&self, args: &[&str]) -> Run {
        self.run(BINARY, &self.worktree, args)
    }

    /// Runs our command in a directory below the top level.
    pub fn reins_in(&self, inner: &str, args: &[&str]) -> Run {
        self.run(BINARY, &self.path(inner), args)
    }

    /// Runs our command, which must leave with `code` and leave everything as it was.
    pub fn refuses(&self, code: i32, args: &[&str]) -> Run {
        self.unchanged(|| self.reins(args)).expect(code)
    }

    /// Asserts that `act` changes no ref, no byte of the index and no byte of the worktree.
    pub fn unchanged(&self, act: impl FnOnce() -> Run) -> Run {
        let before = self.state();
        let run = act();
        let after = self.state();
        let differs = |name: &&String| before.get(*name) != after.get(*name);
        let changed: Vec<_> = before.keys().chain(after.keys()).filter(differs).collect();
        assert!(changed.is_empty(), "changed {changed:?} by {run}");
        run
    }

    fn state(&self) -> BTreeMap<String, Vec<u8>> {
        let mut state = BTreeMap::new();
        let refs = self.git(&["for-each-ref"])
            + &self
                .run("git", &self.worktree, &["rev-parse", "HEAD"])
                .stdout;
        state.insert("refs".to_owned(), refs.into_bytes());
        let index = self.git(&["rev-parse", "--git-path", "index"]);
        let index = self.worktree.join(index.trim_end());
        state.insert("index".to_owned(), fs::read(index).unwrap_or_default());
        gather(&self.worktree, &mut state);
        state
    }

    fn run(&self, program: &str, dir: &Path, args: &[&str]) -> Run {
        let output = self.command(program, dir).args(args).output().unwrap();
        self.captured(output)
    }

    /// A command in the hermetic environment; each one starts a second later than the last.
    pub fn command(&self, program: &str, dir: &Path) -> Command {
        self.seconds.set(self.seconds.get() + 1);
        let date = format!("{} +0000", self.seconds.get());
        let mut command = Command::new(program);
        command.current_dir(dir).env_clear().envs([
            ("PATH", std::env::var("PATH").unwrap()),
            ("HOME", self.temp.path().join("home").display().to_string()),
            ("LC_ALL", "C.UTF-8".to_owned()),
            ("TZ", "UTC".to_owned()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".to_owned()),
            ("GIT_AUTHOR_NAME", "Ada".to_owned()),
            ("GIT_AUTHOR_EMAIL", "ada@example.org".to_owned()),
            ("GIT_COMMITTER_NAME", "Ada".to_owned()),
            ("GIT_COMMITTER_EMAIL", "ada@example.org".to_owned()),
            ("GIT_AUTHOR_DATE", date.clone()),
            ("GIT_COMMITTER_DATE", date),
        ]);
        command
    }

    /// What a command said, with the place of the repository left out.
    pub fn captured(&self, output: Output) -> Run {
        let temp = self
            .temp
            .path()
            .canonicalize()
            .unwrap()
            .display()
            .to_string();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&temp, "TEMP");
        Run {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            code: output.status.code(),
        }
    }
}

/// A second worktree of a repository.
pub struct Linked<'a> {
    repo: &'a Repo,
    path: PathBuf,
}

impl Linked<'_> {
    /// Runs our command there.
    pub fn reins(&self, args: &[&str]) -> Run {
        self.repo.run(BINARY, &self.path, args)
    }

    /// Runs git there.
    pub fn git(&self, args: &[&str]) -> String {
        self.repo.run("git", &self.path, args).expect(0).stdout
    }
}

/// Our command.
pub const BINARY: &str = env!("CARGO_BIN_EXE_git-reins");

fn gather(dir: &Path, state: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display().to_string();
        if path.file_name().is_some_and(|name| name == ".git") {
            continue;
        }
        let kind = fs::symlink_metadata(&path).unwrap();
        if kind.is_dir() {
            gather(&path, state);
        } else if kind.is_symlink() {
            state.insert(
                name,
                fs::read_link(&path)
                    .unwrap()
                    .display()
                    .to_string()
                    .into_bytes(),
            );
        } else if kind.is_file() {
            state.insert(name, fs::read(&path).unwrap_or_default());
        } else {
            state.insert(name, b"a pipe, a socket or a device".to_vec());
        }
    }
}

/// Adds the usual row.
pub fn add_row(repo: &Repo, id: &str) -> Run {
    let row = [
        "--source",
        "spec/accounts.md#no-overdraft",
        "--property",
        "balance_never_negative",
    ];
    let named = [
        "--inputs",
        "an account",
        "--relation",
        "balance >= 0",
        "--witness",
        "an overdraft",
    ];
    let file = ["--file", "properties/balance.py"];
    repo.reins(&[["oracle", "add", id].as_slice(), &row, &named, &file].concat())
}
