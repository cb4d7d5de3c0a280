//! Does the pinned configuration of a preset hold against a hostile tree, with the real tools?
//!
//! The tools are those of `.ci/tools` under `target/tools`; what is not there is skipped with a word,
//! but where CI is set.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot build its tree fails"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests run real tools in directories of their own"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use assert_fs::TempDir;
use git_reins::decide::outcome::{Results, RunFacts, RunVerdict, judge_run};
use git_reins::decide::tool_config::steering;
use git_reins::judge::command::{Expected, Invocation, Places, Source, Subject, build};
use git_reins::judge::harness::Pinned;
use git_reins::judge::result::read;
use git_reins::model::path::RepoPath;
use git_reins::model::run::End;
use git_reins::model::trial::Outcome;
use git_reins::sandbox::environment::Environment;

use suites::Suite;

#[path = "support/suites.rs"]
mod suites;

mod harness {
    mod cargo;
    mod jest;
    mod pytest;
}

/// A tree with the files of a suite, its property files pinned, and places beside it.
struct Bench {
    root: PathBuf,
    policy: String,
    suite: Suite,
    pinned: BTreeSet<RepoPath>,
    _temp: TempDir,
}

impl Bench {
    /// A suite over good code; `None` when its tools are not installed.
    fn new(suite: fn(&Path) -> Option<Suite>) -> Option<Self> {
        let temp = TempDir::new().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let suite = suite(&root.join("log"))?;
        let policy = format!("schema = 1\n[[check]]\nid = \"props\"\n{}", suite.check);
        let mut bench = Self {
            root,
            policy,
            suite,
            pinned: BTreeSet::new(),
            _temp: temp,
        };
        for (path, text) in bench.suite.pinned.clone() {
            bench.pin(path, &text);
        }
        bench
            .suite
            .beside
            .iter()
            .for_each(|(path, text)| bench.write(path, text));
        bench.write(bench.suite.code, bench.suite.good);
        Some(bench)
    }

    /// The same over bad code.
    fn bad(suite: fn(&Path) -> Option<Suite>) -> Option<Self> {
        let bench = Self::new(suite)?;
        bench.write(bench.suite.code, bench.suite.bad);
        Some(bench)
    }

    /// A file that the candidate wrote.
    fn write(&self, path: &str, text: &str) {
        let file = self.root.join("tree").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A file under `paths.properties`.
    fn pin(&mut self, path: &str, text: &str) {
        self.write(path, text);
        self.pinned.insert(path.parse().unwrap());
    }

    /// What a property of the suite shows with seed 7.
    fn judge(&self, property: &str) -> Outcome {
        outcome(&self.run(property, "7"))
    }

    fn run(&self, property: &str, seed: &str) -> RunVerdict {
        self.run_in(self.suite.file, &self.suite.property(property), seed)
    }

    fn run_in(&self, file: &str, property: &str, seed: &str) -> RunVerdict {
        let policy = git_reins::policy::parse(self.policy.as_bytes()).unwrap();
        let check = policy.check("props").unwrap();
        judge_run(
            &carry_out(&self.invocation(file, property, seed), &self.root, seed),
            &check.exit,
        )
    }

    /// The process of a run; its temporary directory is empty again.
    fn invocation(&self, file: &str, property: &str, seed: &str) -> Invocation {
        let [tree, fixtures, tmp] = ["tree", "fixtures", "tmp"].map(|name| self.root.join(name));
        let _none = fs::remove_dir_all(&tmp);
        let policy = git_reins::policy::parse(self.policy.as_bytes()).unwrap();
        let file: RepoPath = file.parse().unwrap();
        let subject = Subject {
            property: Some((property, &file)),
            seed,
        };
        let result = tmp.join("result");
        let places = Places {
            tree: &tree,
            fixtures: &fixtures,
            tmp: &tmp,
            result: &result,
        };
        let prefixes = ["properties".parse().unwrap()];
        let pinned = Pinned {
            prefixes: &prefixes,
            files: &self.pinned,
        };
        build(policy.check("props").unwrap(), subject, places, pinned).unwrap()
    }

    /// What whoever reviews a patch of these files is told of them.
    fn shown(&self, files: &[(&str, &str)]) -> Vec<String> {
        let policy = git_reins::policy::parse(self.policy.as_bytes()).unwrap();
        steering(&policy, files.iter().map(|(path, _)| *path))
    }

    /// What the properties wrote down of themselves; nothing is there afterwards.
    fn log(&self) -> Vec<String> {
        let log = self.root.join("log");
        let text = fs::read_to_string(&log).unwrap_or_default();
        let _none = fs::remove_file(log);
        text.lines()
            .filter(|line| *line != "started")
            .map(str::to_owned)
            .collect()
    }
}

/// Runs a command in the environment that the judge gives it, with what would do harm exported.
fn carry_out(invocation: &Invocation, root: &Path, seed: &str) -> RunFacts {
    let environment = Environment::clean(root).unwrap();
    for (path, bytes) in &invocation.files {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let mut command = Command::new(&invocation.argv[0]);
    command
        .args(&invocation.argv[1..])
        .current_dir(root.join("tree"));
    command
        .env_clear()
        .envs(environment.variables())
        .env("CI", "1");
    command
        .env("PYTEST_ADDOPTS", "-p evil")
        .env("PYTEST_PLUGINS", "evil");
    invocation
        .env_unset
        .iter()
        .fold(&mut command, |command, name| command.env_remove(name));
    let output = command.envs(&invocation.env).output().unwrap();
    let results = invocation
        .result
        .as_ref()
        .map_or(Results::NotExpected, |expected| {
            results(expected, &output.stdout, seed)
        });
    let end = End::Exit(output.status.code().unwrap());
    RunFacts {
        end,
        budget_s: 1,
        output_max_mib: 1,
        out_of_memory: false,
        leaked: 0,
        tampered: Vec::new(),
        results,
    }
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
        Ok(counts) => Results::Read {
            counts,
            require_executed: expected.require_executed,
        },
        Err(fault) => Results::Unreadable(fault.to_string()),
    }
}

fn outcome(ended: &RunVerdict) -> Outcome {
    assert_eq!(
        ended.note.is_empty(),
        ended.outcome == Outcome::Pass,
        "{ended:?}"
    );
    ended.outcome
}
