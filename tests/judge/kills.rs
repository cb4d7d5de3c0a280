//! What does a judge leave that is killed at any moment? Nothing that reads as a verdict, and
//! nothing that the next one does not clear away.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::bench::{Bench, CHECK, JUDGE};
use crate::support::BINARY;

/// How many judges are killed; a thousand of them take an hour.
fn kills() -> u64 {
    std::env::var("REINS_TEST_KILLS").map_or(25, |count| count.parse().unwrap())
}

/// Two candidates, of which one is admitted and one rejected.
const RANGES: [(&str, i32); 2] = [("main..good", 0), ("main..bad", 1)];

/// Numbers that nobody could call random, but that hit every moment.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below.max(1)
    }
}

/// What lies in a history directory: the record without its clock, and the names beside it.
type Earned = BTreeMap<String, (Value, Vec<String>)>;

struct Yard {
    bench: Bench,
    before: String,
}

impl Yard {
    fn new() -> Self {
        let bench = Bench::with(
            JUDGE,
            CHECK,
            "echo run; sleep 0.02 & wait; grep -q good src/value\n",
        );
        for (branch, value) in [("good", "good\n\n"), ("bad", "bad\n")] {
            bench.repo.git(&["switch", "-q", "-c", branch, "main"]);
            bench.patch(value);
        }
        fs::create_dir(bench.repo.path("../temp")).unwrap();
        let mut yard = Self {
            bench,
            before: String::new(),
        };
        yard.before = yard.state();
        yard
    }

    /// All of the repository that is the user's.
    fn state(&self) -> String {
        let repo = &self.bench.repo;
        let asked: [&[&str]; 5] = [
            &["status", "--porcelain"],
            &["for-each-ref"],
            &["rev-parse", "HEAD"],
            &["ls-files", "--stage"],
            &["fsck", "--strict", "--no-progress", "--no-dangling"],
        ];
        asked
            .iter()
            .map(|args| repo.git(args))
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn judge(&self, range: &str) -> std::process::Command {
        let repo = &self.bench.repo;
        let mut command = repo.command(BINARY, &repo.path(""));
        command
            .args(["judge", range])
            .env("TMPDIR", repo.path("../temp"));
        command
            .stdout(Stdio::null())
            .stderr(fs::File::create(self.said()).unwrap());
        command
    }

    /// What the last judge had to say.
    fn said(&self) -> PathBuf {
        self.bench.repo.path("../said")
    }

    fn told(&self) -> String {
        fs::read_to_string(self.said()).unwrap()
    }

    fn earned(&self) -> Earned {
        let mut earned = Earned::new();
        for (dir, mut record) in self.bench.records() {
            record.as_object_mut().unwrap().remove("timing").unwrap();
            let beside = fs::read_dir(&dir)
                .unwrap()
                .map(|entry| entry.unwrap().file_name());
            let mut beside: Vec<_> = beside.map(|name| name.into_string().unwrap()).collect();
            beside.sort();
            earned.insert(dir.rsplit('/').next().unwrap().to_owned(), (record, beside));
        }
        earned
    }

    /// Whoever still runs for a judge that is dead.
    fn survivors(&self) -> Vec<String> {
        let place = self
            .bench
            .repo
            .path("../temp")
            .canonicalize()
            .unwrap()
            .display()
            .to_string();
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).into_owned();
            let dir = fs::read_link(entry.path().join("cwd"))
                .unwrap_or_default()
                .display()
                .to_string();
            found.extend((line.contains(&place) || dir.starts_with(&place)).then_some(line));
        }
        found
    }

    fn await_no_survivor(&self) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !self.survivors().is_empty() {
            assert!(
                Instant::now() < deadline,
                "still alive: {:?}",
                self.survivors()
            );
            std::thread::yield_now();
        }
    }

    /// Judges both to the end; what they left is all there is, and nothing of the dead.
    fn converge(&self) -> Earned {
        for (range, code) in RANGES {
            let done = self.judge(range).status().unwrap();
            assert_eq!(done.code(), Some(code), "{range}: {}", self.told());
        }
        assert_eq!(
            fs::read_dir(self.bench.repo.path("../temp"))
                .unwrap()
                .count(),
            0
        );
        let history = fs::read_dir(self.bench.repo.path(".gitreins/history")).unwrap();
        let names: Vec<_> = history.map(|entry| entry.unwrap().file_name()).collect();
        assert!(
            names
                .iter()
                .all(|name| !name.to_string_lossy().starts_with('.')),
            "{names:?}"
        );
        self.earned()
    }

    fn names(&self) -> Vec<(String, Vec<String>)> {
        self.earned()
            .into_iter()
            .map(|(name, (_, beside))| (name, beside))
            .collect()
    }

    fn forget(&self, round: u64) {
        fs::remove_dir_all(self.bench.repo.path(".gitreins/history")).unwrap();
        if round.is_multiple_of(2) {
            fs::remove_dir_all(self.bench.repo.path(".git/reins")).unwrap();
        }
    }
}

#[test]
fn a_judge_that_is_killed_leaves_no_verdict_no_process_and_no_change() {
    let yard = Yard::new();
    let began = Instant::now();
    let all = yard.converge();
    let whole = u64::try_from(began.elapsed().as_micros()).unwrap() / 2;
    let (mut moments, mut killed, mut kept) = (Moments(kills()), 0, 0);
    for round in 0..kills() {
        if round.is_multiple_of(5) {
            assert!(yard.converge() == all, "round {round}: {:?}", yard.names());
            yard.forget(round / 5);
        }
        let (range, code) = RANGES[usize::try_from(round % 2).unwrap()];
        let mut child = yard.judge(range).spawn().unwrap();
        let moment = Duration::from_micros(moments.next(whole));
        std::thread::sleep(moment); // the moment is the point
        child.kill().unwrap();
        let status = child.wait().unwrap();
        killed += u64::from(status.code().is_none());
        let is_so = status.code().is_none_or(|ended| ended == code);
        assert!(is_so, "round {round}: {status}: {}", yard.told());
        yard.await_no_survivor();
        let earned = yard.earned();
        kept += earned.len();
        let is_whole = |(name, what): (&String, &(Value, Vec<String>))| all.get(name) == Some(what);
        assert!(
            earned.iter().all(is_whole),
            "round {round}, after {moment:?}: {:?}",
            yard.names()
        );
        assert_eq!(yard.state(), yard.before, "round {round}, after {moment:?}");
    }
    assert!(yard.converge() == all, "{:?}", yard.names());
    println!(
        "{killed} of {} judges were killed; {kept} times a whole record lay there",
        kills()
    );
    assert!(killed > 0);
}
