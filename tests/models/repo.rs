//! How does a made-up history become a real repository? One `git fast-import` for all of it.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use git_reins::model::ids::CommitId;
use tempfile::TempDir;

/// The files of a tree, by path.
pub type Files = BTreeMap<String, String>;

/// A repository in a directory of its own, and what git was told to make in it.
pub struct Forge {
    home: TempDir,
    script: Vec<u8>,
    marks: usize,
}

impl Forge {
    /// An empty bare repository whose HEAD is `main`.
    pub fn new() -> Self {
        let forge = Self {
            home: TempDir::new().unwrap(),
            script: Vec::new(),
            marks: 0,
        };
        forge.git(&["init", "--quiet", "--bare", "-b", "main", "repo"], b"");
        forge
    }

    /// Where the repository is.
    pub fn dir(&self) -> PathBuf {
        self.home.path().join("repo")
    }

    /// Runs git without a trace of the machine it runs on.
    #[expect(
        clippy::disallowed_methods,
        reason = "the tests make their repositories with git itself"
    )]
    fn git(&self, args: &[&str], input: &[u8]) -> String {
        let mut child = Command::new("git")
            .args(args)
            .current_dir(self.home.path())
            .env_clear()
            .env("PATH", "/usr/bin:/bin:/usr/local/bin")
            .env("HOME", self.home.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {args:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Tells git to make a commit and returns its number, from 1.
    pub fn commit(&mut self, files: &Files, parents: &[usize], author: &str, time: i64) -> usize {
        self.marks += 1;
        let mut text = format!(
            "reset refs/heads/scratch\n\ncommit refs/heads/scratch\nmark :{}\n\
             author {author} <{author}@example.org> {time} +0000\n\
             committer {author} <{author}@example.org> {time} +0000\ndata 1\nx\n",
            self.marks
        );
        for (at, parent) in parents.iter().enumerate() {
            text += &format!("{} :{parent}\n", if at == 0 { "from" } else { "merge" });
        }
        text += "deleteall\n";
        for (path, bytes) in files {
            text += &format!("M 100644 inline {path}\ndata {}\n{bytes}\n", bytes.len());
        }
        self.script.extend_from_slice(text.as_bytes());
        self.script.push(b'\n');
        self.marks
    }

    /// Makes everything that was asked for since the last time; `ids[number]` is the commit.
    pub fn make(&mut self) -> BTreeMap<usize, CommitId> {
        let script = std::mem::take(&mut self.script);
        let options = [
            "--quiet",
            "--force",
            "--export-marks=../marks",
            "--import-marks-if-exists=../marks",
        ];
        let args: Vec<_> = ["-C", "repo", "fast-import"]
            .into_iter()
            .chain(options)
            .collect();
        self.git(&args, &script);
        let marks = self.read(&self.home.path().join("marks"));
        let of = |line: &str| {
            let (mark, id) = line.trim_start_matches(':').split_once(' ').unwrap();
            (mark.parse().unwrap(), id.parse().unwrap())
        };
        marks.lines().map(of).collect()
    }

    #[expect(clippy::disallowed_methods, reason = "git wrote the file")]
    fn read(&self, path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    /// Lets a branch name a commit, or no longer exist.
    #[expect(
        clippy::disallowed_methods,
        reason = "a process for each branch would take most of the time"
    )]
    pub fn branch(&self, name: &str, commit: Option<CommitId>) {
        let path = self.dir().join("refs/heads").join(name);
        match commit {
            Some(id) => std::fs::write(path, format!("{id}\n")).unwrap(),
            None => std::fs::remove_file(path).unwrap_or_default(),
        }
    }
}
