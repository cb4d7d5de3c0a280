//! Plays a story: makes its repository and runs its commands.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Parser;
use include_dir::{Dir, DirEntry, include_dir};

use super::super::{Answer, Context, Failure};
use crate::cli::Cli;
use crate::git::plumbing::{Git, GitPlace};
use crate::model::day::Day;
use crate::model::path::RepoPath;
use crate::sys::files::Root;

static EXAMPLE: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/.gitreins-example");

/// Where the example's recorded trial lies.
const HISTORY: &str = ".gitreins/history";

/// The moment of the example's first commit: with it, the commit has the id that the example's
/// fixture ledger and its recorded trial name.
const FIRST_COMMIT: &str = "2026-01-05T09:00:00Z";

/// A scratch repository made from the example project.
pub(super) struct Play {
    place: GitPlace,
    root: Root,
    results: PathBuf,
    /// The day on which the story is played.
    pub(super) today: Day,
}

impl Play {
    /// Makes the repository `till` in `dir`: one commit on main, with the policy, without ledgers.
    pub(super) fn begin(dir: &Path, today: Day) -> Result<Self, Failure> {
        let outer = Root::open(dir).map_err(file)?;
        let first = path("till/.gitignore")?;
        outer.replace(&first, b"").map_err(file)?;
        let top = dir.join("till");
        let play = Self {
            place: GitPlace {
                git_dir: top.join(".git"),
                worktree: Some(top.clone()),
            },
            root: Root::open(&top).map_err(file)?,
            results: dir.join("results.json"),
            today,
        };
        outer
            .replace(&path("results.json")?, RESULTS.as_bytes())
            .map_err(file)?;
        play.git(&[
            "init",
            "--quiet",
            "--initial-branch=main",
            "--object-format=sha1",
            ".",
        ])?;
        for (key, value) in CONFIGURATION {
            play.git(&["config", key, value])?;
        }
        play.unpack(|path| !path.starts_with("ledger") && !path.starts_with(HISTORY))?;
        play.git(&["add", "--all"])?;
        play.git_at(
            Some(FIRST_COMMIT),
            &["commit", "--quiet", "--message", "till: first version"],
        )?;
        Ok(play)
    }

    /// Writes a part of the example into the worktree.
    pub(super) fn unpack(&self, wanted: impl Fn(&Path) -> bool) -> Result<(), Failure> {
        let mut directories = vec![&EXAMPLE];
        while let Some(directory) = directories.pop() {
            for entry in directory.entries() {
                match entry {
                    DirEntry::Dir(inner) => directories.push(inner),
                    DirEntry::File(found) if wanted(found.path()) => {
                        self.write(&found.path().to_string_lossy(), found.contents())?;
                    }
                    DirEntry::File(_) => {}
                }
            }
        }
        Ok(())
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        self.root.replace(&path(name)?, bytes).map_err(file)
    }

    pub(super) fn git(&self, args: &[&str]) -> Result<(), Failure> {
        self.git_at(None, args)
    }

    fn git_at(&self, moment: Option<&str>, args: &[&str]) -> Result<(), Failure> {
        Ok(Git::for_person(&self.place)
            .isolated("till", moment)
            .args(args)
            .run()
            .map(drop)?)
    }

    /// Commits everything that has changed.
    pub(super) fn commit(&self, message: &str) -> Result<(), Failure> {
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "--message", message])
    }

    /// Runs one of our own commands, as if it had been typed in the repository.
    pub(super) fn reins(&self, args: &[&str]) -> Result<Answer, Failure> {
        let words = ["git-reins"].iter().chain(args).map(OsString::from);
        let cli = Cli::try_parse_from(words).map_err(|error| Failure::new(error.to_string()))?;
        let context = Context {
            dir: self.root.path().to_owned(),
            git_dir: None,
            today: self.today,
        };
        cli.command.run(&context)
    }

    /// Folds the trial that was recorded of the honest patch, and asks `git reins admit` by it.
    pub(super) fn admit_recorded(&self) -> Result<Answer, Failure> {
        self.unpack(|path| path.starts_with(HISTORY))?;
        self.reins(&["reconcile"])?;
        self.reins(&[
            "admit",
            "main..HEAD",
            "--today",
            &self.today.to_string(),
            "--json",
        ])
    }

    /// `git reins admit` on the branch, with results that all pass.
    pub(super) fn admit(&self, today: Day) -> Result<Answer, Failure> {
        let (results, today) = (self.results.display().to_string(), today.to_string());
        self.reins(&[
            "admit",
            "main..HEAD",
            "--results",
            &results,
            "--today",
            &today,
            "--json",
        ])
    }
}

/// Nothing of a person's own configuration plays along.
const CONFIGURATION: &[(&str, &str)] = &[
    ("user.name", "till"),
    ("user.email", "till@example.invalid"),
    ("commit.gpgSign", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.autocrlf", "false"),
    ("core.fsmonitor", "false"),
    ("core.excludesFile", "/dev/null"),
    ("core.attributesFile", "/dev/null"),
];

const RESULTS: &str = r#"[
  {"property_id": "total-nonneg-01", "status": "pass"},
  {"property_id": "total-order-01", "status": "pass"}
]
"#;

fn path(name: &str) -> Result<RepoPath, Failure> {
    name.parse()
        .map_err(|error: crate::model::path::PathError| Failure::new(error.to_string()))
}

fn file(error: crate::sys::files::FileError) -> Failure {
    Failure::new(error.to_string())
}
