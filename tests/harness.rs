//! Does the pinned configuration of a preset hold against a hostile tree, with the real tools?
//!
//! The tools are those of `.ci/tools` under `target/tools`; what is not there is skipped with a word.
#![expect(clippy::unwrap_used, reason = "a test that cannot build its tree fails")]
#![expect(clippy::disallowed_methods, reason = "the tests run real tools in directories of their own")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use assert_fs::TempDir;
use git_reins::decide::outcome::{Ended, ProcessEnd, Results, RunFacts, judge_run};
use git_reins::judge::command::{Expected, Invocation, Places, Source, Subject, build};
use git_reins::judge::harness::Pinned;
use git_reins::judge::result::read;
use git_reins::model::path::RepoPath;
use git_reins::model::trial::Outcome;

mod harness {
    mod jest;
    mod pytest;
}

/// A tool of `.ci/tools`; `None`, with a word, when it is not installed.
#[expect(clippy::print_stderr, reason = "a test that was skipped has to say so")]
fn tool(path: &str) -> Option<PathBuf> {
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("tools");
    let found = Some(tools.join(path)).filter(|tool| tool.exists());
    if found.is_none() {
        eprintln!("skipped: {path} is missing, run .ci/tools");
    }
    found
}

/// A tree with its property files pinned, and a place beside it.
struct Bench {
    temp: TempDir,
    policy: String,
    prefixes: Vec<RepoPath>,
    pinned: BTreeSet<RepoPath>,
}

impl Bench {
    fn new(prefixes: &[&str], check: &str) -> Self {
        let temp = TempDir::new().unwrap();
        fs::create_dir(temp.path().join("tree")).unwrap();
        let prefixes = prefixes.iter().map(|prefix| prefix.parse().unwrap()).collect();
        let policy = format!("schema = 1\n[[check]]\nid = \"props\"\n{check}");
        Self { temp, policy, prefixes, pinned: BTreeSet::new() }
    }

    /// A file that the candidate wrote.
    fn write(&self, path: &str, text: &str) {
        let file = self.temp.path().join("tree").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A file under `paths.properties`.
    fn pin(&mut self, path: &str, text: &str) {
        self.write(path, text);
        self.pinned.insert(path.parse().unwrap());
    }

    fn run(&self, property: &str, file: &str, seed: &str) -> Ended {
        let root = self.temp.path().canonicalize().unwrap();
        let (tree, tmp) = (root.join("tree"), root.join("tmp"));
        let _ = fs::remove_dir_all(&tmp);
        fs::create_dir(&tmp).unwrap();
        let policy = git_reins::policy::parse(self.policy.as_bytes()).unwrap();
        let check = policy.check("props").unwrap();
        let file: RepoPath = file.parse().unwrap();
        let subject = Subject { property: Some((property, &file)), seed };
        let (fixtures, result) = (root.join("fixtures"), tmp.join("result"));
        let places = Places { tree: &tree, fixtures: &fixtures, tmp: &tmp, result: &result };
        let pinned = Pinned { prefixes: &self.prefixes, files: &self.pinned };
        let invocation = build(check, subject, places, pinned).unwrap();
        judge_run(&carry_out(&invocation, &tree, seed), &check.exit)
    }
}

/// Runs a command as the judge does, with what would do harm exported.
fn carry_out(invocation: &Invocation, tree: &Path, seed: &str) -> RunFacts {
    for (path, bytes) in &invocation.files {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let mut command = Command::new(&invocation.argv[0]);
    command.args(&invocation.argv[1..]).current_dir(tree).env("CI", "1");
    command.env("PYTEST_ADDOPTS", "-p evil").env("PYTEST_PLUGINS", "evil");
    invocation.env_unset.iter().fold(&mut command, |command, name| command.env_remove(name));
    let output = command.envs(&invocation.env).output().unwrap();
    let results = invocation
        .result
        .as_ref()
        .map_or(Results::NotExpected, |expected| results(expected, &output.stdout, seed));
    let end = ProcessEnd::Exit(output.status.code().unwrap());
    RunFacts { end, out_of_memory: false, leaked: 0, tampered: Vec::new(), results }
}

fn results(expected: &Expected, stdout: &[u8], seed: &str) -> Results {
    let bytes = match &expected.source {
        Source::Stdout => stdout.to_vec(),
        Source::File(path) => match fs::read(path) {
            Ok(bytes) => bytes,
            Err(_) => return Results::Missing,
        },
    };
    match read(expected.format, &bytes, seed) {
        Ok(counts) => Results::Read { counts, require_executed: expected.require_executed },
        Err(fault) => Results::Unreadable(fault.to_string()),
    }
}

fn outcome(ended: &Ended) -> Outcome {
    assert_eq!(ended.note.is_empty(), ended.outcome == Outcome::Pass, "{ended:?}");
    ended.outcome
}
