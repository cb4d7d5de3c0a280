//! Where does the story play? A repository under reins in which GitReins is installed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::support::{Repo, Run};
use crate::tools::Tools;

/// What GitReins does with a task: the exit code of the test command, or that it takes too long.
pub const PASS: &str = "exit 0\n";
pub const FAIL: &str = "exit 1\n";
pub const TIMEOUT: &str = "exec sleep 60\n";

/// A model's answer that the criteria are met.
const MET: &str = r#"{"content": "{\"verdict\": \"COMPLETE\", \"items\": [{\"criterion\": \"works\", \"status\": \"PASS\", \"detail\": \"seen\"}]}"}"#;

pub struct Scene {
    pub repo: Repo,
    tools: Tools,
}

impl Scene {
    /// GitReins by its own installer, with a configuration that asks no network.
    pub fn set(tools: Tools) -> Self {
        let scene = Self {
            repo: Repo::under_reins(),
            tools,
        };
        let _ = scene.shell("gitreins install").expect(0);
        scene.keep(1000);
        let _ = scene
            .shell("gitreins task create t1 'a task' works")
            .expect(0);
        scene.repo.write("check", PASS);
        scene.repo.git(&["add", "-A"]);
        scene
            .repo
            .git(&["commit", "-q", "--no-verify", "-m", "gitreins"]);
        scene
    }

    /// How many verdict directories GitReins leaves on the disk.
    pub fn keep(&self, verdicts: usize) {
        let guards = "{lint: false, tests: true, test_command: sh ./check, test_timeout: 1}";
        let text = format!(
            "defaults: {{check_for_updates: false}}\nguards: {guards}\nhistory: {{max_verdicts: {verdicts}}}\n"
        );
        self.repo.write(".gitreins/config.yaml", &text);
    }

    /// A command line of a person who has every tool on the path.
    pub fn shell(&self, line: &str) -> Run {
        self.tools.shell(&self.repo, line)
    }

    /// Has GitReins judge the task by a test command; hands back the commit id that it prints.
    pub fn judge(&self, check: &str) -> String {
        self.judged(check, "gitreins judge t1 --skip-tier2")
    }

    /// The same, with a model that finds every criterion met.
    pub fn judge_met(&self, check: &str) -> String {
        let line = format!(
            "GITREINS_LLM_API_KEY=none GITREINS_MOCK_LLM_RESPONSE='{MET}' gitreins judge t1"
        );
        self.judged(check, &line)
    }

    fn judged(&self, check: &str, line: &str) -> String {
        let committed = self.repo.read("check");
        self.repo.write("check", check);
        let run = self.shell(line);
        self.repo.write("check", &committed);
        let saved = run
            .stdout
            .split("Verdict saved: ")
            .nth(1)
            .and_then(|rest| rest.lines().next());
        saved
            .unwrap_or_else(|| panic!("no verdict: {run}"))
            .to_owned()
    }

    /// The verdict directories on the disk, as `<date>/<hash>`.
    pub fn on_disk(&self) -> BTreeSet<String> {
        files(&self.repo.path(".gitreins/history"))
            .keys()
            .map(|name| directory(name))
            .collect()
    }

    /// The verdict directories of a revision.
    pub fn at(&self, revision: &str) -> BTreeSet<String> {
        let listed = self.repo.git(&[
            "ls-tree",
            "-r",
            "--name-only",
            revision,
            ".gitreins/history/",
        ]);
        listed
            .lines()
            .map(|path| directory(path.strip_prefix(".gitreins/history/").unwrap()))
            .collect()
    }

    /// The directory that a commit of GitReins brought.
    pub fn brought(&self, commit: &str) -> String {
        let added = self.repo.git(&[
            "diff-tree",
            "--root",
            "-r",
            "--name-only",
            "--no-commit-id",
            commit,
        ]);
        directory(
            added
                .lines()
                .next()
                .unwrap()
                .strip_prefix(".gitreins/history/")
                .unwrap(),
        )
    }

    /// Asserts that a directory stands at HEAD as it stands in a revision.
    pub fn same_at_head(&self, directory: &str, revision: &str) {
        let at = |rev: &str| {
            self.repo
                .git(&["rev-parse", &format!("{rev}:.gitreins/history/{directory}")])
        };
        assert_eq!(at("HEAD"), at(revision), "{directory}");
    }

    /// What an adjudication says of each directory on the disk, in that order.
    pub fn verdicts(&self, code: i32) -> BTreeMap<String, String> {
        let dirs: Vec<_> = self.on_disk().into_iter().collect();
        let paths: Vec<_> = dirs
            .iter()
            .map(|dir| format!(".gitreins/history/{dir}"))
            .collect();
        let args = [
            vec!["adjudicate", "--json"],
            paths.iter().map(String::as_str).collect(),
        ]
        .concat();
        let run = self.repo.unchanged(|| self.repo.reins(&args)).expect(code);
        let told: Vec<Value> = serde_json::from_str(&run.stdout).unwrap();
        let verdicts = told
            .iter()
            .map(|one| one["verdict"].as_str().unwrap().to_owned());
        dirs.into_iter().zip(verdicts).collect()
    }

    /// What belongs to GitReins or to the person: its files, hooks, configuration and refs.
    pub fn foreign(&self) -> BTreeMap<String, Vec<u8>> {
        let mut all = files(&self.repo.path(".gitreins"));
        let hooks = files(&self.repo.path(".git/hooks"));
        all.extend(
            hooks
                .into_iter()
                .map(|(name, bytes)| (format!("hooks/{name}"), bytes)),
        );
        for file in [".git/config", ".gitignore", "check"] {
            all.insert(
                file.to_owned(),
                std::fs::read(self.repo.path(file)).unwrap(),
            );
        }
        let refs = self
            .repo
            .git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
        let others: String = refs
            .lines()
            .filter(|line| !line.starts_with("refs/heads/main "))
            .collect();
        all.insert("refs".to_owned(), others.into_bytes());
        all
    }
}

/// `<date>/<hash>` of a file in a verdict directory.
fn directory(file: &str) -> String {
    file.split('/').take(2).collect::<Vec<_>>().join("/")
}

/// Every file below a directory, by its path in there.
pub fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(
                files(&path)
                    .into_iter()
                    .map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)),
            );
        } else {
            found.insert(name, std::fs::read(&path).unwrap());
        }
    }
    found
}
