//! Which repository is raced in, and what has to hold in it at every moment?
#![expect(clippy::unwrap_used, reason = "a race that cannot be watched fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use crate::support::{BINARY, Repo};

const HISTORY: &str = ".gitreins/history";
const DAY: &str = "2026-11-30";

/// Stored bytes that no run of ours may change: what is staged, and what is edited.
const STAGED: &str = "a\nstaged\n";
const EDITED: &str = "b\nedited\n";

/// A repository with somebody's work in progress, in which verdict directories appear.
pub struct Ground {
    pub repo: Repo,
    verdicts: BTreeSet<String>,
    is_staged: bool,
}

/// Which moment is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A fold may have ended half way: staged additions are no harm.
    Fault,
    /// Every fold has ended well.
    Rest,
}

impl Ground {
    /// Work is staged and edited.
    pub fn new() -> Self {
        let ground = Self::unstaged();
        ground.repo.git(&["add", "a"]);
        Self {
            is_staged: true,
            ..ground
        }
    }

    /// Work is edited, and nothing staged.
    pub fn unstaged() -> Self {
        let repo = Repo::new();
        repo.write(".gitreins/reins.toml", "schema = 1\n");
        repo.write(".gitignore", &format!("{HISTORY}/\n"));
        for name in ["a", "b"] {
            repo.write(name, &format!("{name}\n"));
        }
        repo.commit("start");
        repo.git(&["config", "gc.auto", "0"]);
        repo.write("a", STAGED);
        repo.write("b", EDITED);
        fs::create_dir_all(repo.path(&format!("{HISTORY}/{DAY}"))).unwrap();
        Self {
            repo,
            verdicts: BTreeSet::new(),
            is_staged: false,
        }
    }

    /// A verdict directory appears, whole at once.
    pub fn judge(&mut self) {
        let hash = format!("{:08x}", self.verdicts.len());
        let coming = format!(".git/coming-{hash}");
        for (name, text) in files(&hash) {
            self.repo.write(&format!("{coming}/{name}"), &text);
        }
        let place = self.repo.path(&format!("{HISTORY}/{DAY}/{hash}"));
        fs::rename(self.repo.path(&coming), place).unwrap();
        self.verdicts.insert(hash);
    }

    /// Starts a fold in a process group of its own.
    pub fn fold(&self) -> Child {
        use std::os::unix::process::CommandExt as _;
        let mut command = self.repo.command(BINARY, &self.repo.path(""));
        command
            .args(["reconcile", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.process_group(0).spawn().unwrap()
    }

    /// A fold that has to end well.
    pub fn folds(&self) {
        let _ = self
            .repo
            .captured(self.fold().wait_with_output().unwrap())
            .expect(0);
    }

    /// The verdicts of which HEAD holds a file; it has to hold all files of each.
    pub fn folded(&self) -> BTreeSet<String> {
        let listed = self
            .repo
            .git(&["ls-tree", "-r", "--name-only", "HEAD", HISTORY]);
        let mut held: BTreeMap<&str, usize> = BTreeMap::new();
        for path in listed.lines() {
            *held.entry(path.rsplit('/').nth(1).unwrap()).or_default() += 1;
        }
        assert!(
            held.values().all(|count| *count == 2),
            "HEAD holds a part of a verdict: {listed}"
        );
        held.into_keys().map(str::to_owned).collect()
    }

    /// How many commits HEAD has.
    pub fn commits(&self) -> usize {
        self.repo
            .git(&["rev-list", "--count", "HEAD"])
            .trim()
            .parse()
            .unwrap()
    }

    /// How many verdicts there are.
    pub fn judged(&self) -> usize {
        self.verdicts.len()
    }

    /// Everything that may not be otherwise, whatever happened; the numbers are those of the
    /// invariants that the fold promises.
    pub fn check(&self, moment: Moment) {
        self.bytes_on_disk();
        assert_eq!(
            self.repo.git(&[
                "fsck",
                "--full",
                "--strict",
                "--no-dangling",
                "--no-progress"
            ]),
            "",
            "I10"
        );
        let folded = self.folded();
        assert!(
            folded.is_subset(&self.verdicts),
            "something else was folded: {folded:?}"
        );
        let differing = self.status(&[
            "diff",
            "HEAD",
            "--name-status",
            "--no-renames",
            "--",
            HISTORY,
        ]);
        assert!(
            differing.iter().all(|(how, _)| how == "A"),
            "I1: other bytes in HEAD: {differing:?}"
        );
        let staged = self.status(&["diff", "--cached", "--name-status", "--no-renames"]);
        let (of_history, others): (Vec<_>, Vec<_>) = staged
            .into_iter()
            .partition(|(_, path)| path.starts_with(HISTORY));
        let (expected, text) = if self.is_staged {
            (vec!["a"], STAGED)
        } else {
            (Vec::new(), "a\n")
        };
        assert_eq!(
            others
                .iter()
                .map(|(_, path)| path.as_str())
                .collect::<Vec<_>>(),
            expected,
            "I3"
        );
        assert_eq!(self.repo.git(&["show", ":a"]), text, "I3");
        assert!(
            of_history.iter().all(|(how, _)| how == "A"),
            "I12: {of_history:?}"
        );
        let added = self.status(&[
            "log",
            "--format=",
            "--name-status",
            "--no-renames",
            "HEAD",
            "--",
            HISTORY,
        ]);
        let once: BTreeSet<_> = added.iter().map(|(_, path)| path).collect();
        assert!(added.iter().all(|(how, _)| how == "A"), "{added:?}");
        assert_eq!(
            (added.len(), once.len()),
            (2 * folded.len(), 2 * folded.len()),
            "folded more than once"
        );
        self.moves_follow();
        if moment == Moment::Rest {
            assert_eq!(folded, self.verdicts, "I4: not everything is folded");
            assert_eq!(of_history, [], "the index is another than HEAD");
            assert_eq!(self.locks(), Vec::<String>::new());
        }
    }

    /// I1, I3: neither verdicts nor the person's files are touched.
    fn bytes_on_disk(&self) {
        for hash in &self.verdicts {
            let read = |name| {
                fs::read_to_string(self.repo.path(&format!("{HISTORY}/{DAY}/{hash}/{name}")))
            };
            for (name, text) in files(hash) {
                assert_eq!(read(name).unwrap(), text, "I1: {hash}/{name}");
            }
            let dir = self.repo.path(&format!("{HISTORY}/{DAY}/{hash}"));
            assert_eq!(fs::read_dir(dir).unwrap().count(), 2, "I1: {hash}");
        }
        assert_eq!(
            (self.repo.read("a").as_str(), self.repo.read("b").as_str()),
            (STAGED, EDITED),
            "I3"
        );
    }

    /// I6: each move of HEAD and its branch starts where the last one ended.
    fn moves_follow(&self) {
        for log in ["logs/HEAD", "logs/refs/heads/main"] {
            let text = self.repo.read(&format!(".git/{log}"));
            let moves: Vec<_> = text
                .lines()
                .map(|line| line.split(' ').take(2).collect::<Vec<_>>())
                .collect();
            for pair in moves.windows(2) {
                assert_eq!(pair[0][1], pair[1][0], "I6: {log} jumps");
            }
        }
    }

    fn status(&self, args: &[&str]) -> Vec<(String, String)> {
        let said = self.repo.git(args);
        let pair = |line: &str| {
            line.split_once('\t')
                .map(|(how, path)| (how.to_owned(), path.to_owned()))
        };
        said.lines().filter_map(pair).collect()
    }

    /// The locks of git that somebody left behind.
    pub fn locks(&self) -> Vec<String> {
        let (mut left, mut found) = (vec![self.repo.path(".git")], Vec::new());
        while let Some(dir) = left.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.ends_with("objects") {
                    left.push(path);
                } else if is_lock(&path) {
                    found.push(path.display().to_string());
                }
            }
        }
        found
    }
}

fn is_lock(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "lock")
        && !path.ends_with("reins.lock")
}

/// The files of a verdict.
fn files(hash: &str) -> [(&'static str, String); 2] {
    let step = r#"{"id": "tests", "type": "script", "passed": true, "output": "", "error": "", "data": {"exit_code": 0}}"#;
    let verdict = format!(
        r#"{{"task_id": "T-{hash}", "passed": true, "items": [], "stages": {{"tier1": {{"id": "tier1", "passed": true, "any_failed": false, "summary": "", "steps": [{step}]}}}}, "summary": "", "evaluated_at": "2026-11-30T00:00:00"}}"#
    );
    [
        ("verdict.json", verdict),
        ("summary.md", format!("# Verdict {hash}\r\n")),
    ]
}

/// Numbers that are the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }
}
