//! How is a candidate told? A protected line, ledgers, a patch, and what the gate says about them.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot tell its story fails"
)]

use std::collections::BTreeSet;
use std::ops::Deref;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{BINARY, Repo, Run};

/// The day of every decision.
pub const TODAY: &str = "2026-11-30";

/// An image that nobody has to measure.
pub const IMAGE: &str =
    "oci-digest:sha256:00000000000000000000000000000000000000000000000000000000000000aa";

/// The policy on `main`.
pub const POLICY: &str = r#"schema = 1
[paths]
ledger = "ledger"
properties = ["properties"]
fixtures = ["fixtures"]
specs = ["spec"]
exempt = ["docs"]
human_only = ["src/auth"]
[protect]
base = ["refs/heads/main"]
[[check]]
id = "props"
preset = "raw"
run = ["true", "{property_file}", "{property}"]
"#;

/// A repository with `main` under reins and the branch `topic` checked out.
pub struct Story(Repo);

impl Deref for Story {
    type Target = Repo;

    fn deref(&self) -> &Repo {
        &self.0
    }
}

/// The three ledgers as data, to be bent before they are written.
#[derive(Clone, Debug)]
pub struct Ledgers {
    pub oracles: Vec<Value>,
    pub fixture: Value,
    pub freezes: Vec<Value>,
}

impl Story {
    /// `main` holds policy, code, spec, property and fixture, and ledgers without rows.
    pub fn start() -> Self {
        Self::start_in(Repo::new())
    }

    /// The same in an empty repository of any format.
    pub fn start_in(repo: Repo) -> Self {
        let story = Self(repo);
        story.write(".gitreins/reins.toml", POLICY);
        story.write(
            "spec/accounts.md",
            "# Accounts\n\n## No overdraft\n\nA balance is never negative.\n",
        );
        story.write(
            "properties/balance.py",
            "def balance_never_negative(account): ...\n",
        );
        story.write("properties/more.py", "def more(account): ...\n");
        story.write("fixtures/accounts.json", "[{\"opening\": 10}]\n");
        story.write("src/account.py", "def balance(a, b):\n    return a - b\n");
        story.write("docs/guide.md", "# Guide\n");
        story.write(
            "ledger/oracle.json",
            "{\"schema\": \"git-reins/oracle/1\", \"oracles\": []}\n",
        );
        story.write(
            "ledger/freezes.json",
            "{\"schema\": \"git-reins/freezes/1\", \"freezes\": []}\n",
        );
        story.commit("start");
        story.git(&["switch", "-q", "-c", "topic"]);
        story
    }

    /// Ledgers with one row on `topic`, then a patch: admitted.
    pub fn honest() -> Self {
        let story = Self::ready();
        story.patch("one");
        story
    }

    /// As [`Story::honest`], pinned on this machine: it can be judged here.
    pub fn here() -> Self {
        let story = Self::start();
        story.put(&story.ledgers(&["bal-01"]));
        std::fs::remove_file(story.path("ledger/fixture.json")).unwrap();
        let _pinned = story
            .shell("git reins fixture pin --epoch epoch-1 --runner-image auto")
            .expect(0);
        story.commit("ledgers");
        story.patch("one");
        story
    }

    /// Ledgers with one row on `topic`, and no patch yet.
    pub fn ready() -> Self {
        let story = Self::start();
        story.land_ledgers(&story.ledgers(&["bal-01"]));
        story
    }

    /// Ledgers with two rows that landed on `main`; `topic` stands there.
    pub fn landed() -> Self {
        let story = Self::start();
        story.land_ledgers(&story.ledgers(&["bal-01", "bal-02"]));
        story.land();
        story
    }

    /// Moves `main` to `topic`.
    pub fn land(&self) {
        self.git(&["branch", "-q", "-f", "main", "HEAD"]);
    }

    /// Honest ledgers over the files as they are in the worktree.
    pub fn ledgers(&self, ids: &[&str]) -> Ledgers {
        Ledgers {
            oracles: ids.iter().map(|id| self.row(id)).collect(),
            fixture: self.fixture("epoch-1"),
            freezes: Vec::new(),
        }
    }

    /// A row over `properties/balance.py`.
    pub fn row(&self, id: &str) -> Value {
        self.row_over(id, "properties/balance.py")
    }

    /// A row over a property file.
    pub fn row_over(&self, id: &str, file: &str) -> Value {
        json!({
            "oracle_id": id, "source": "spec/accounts.md#no-overdraft", "sees_diff": false,
            "property": "balance_never_negative",
            "property_files": [{"path": file, "sha256": self.digest(file)}],
            "inputs": "an account", "relation": "balance >= 0", "witness": "an overdraft",
        })
    }

    /// A fixture ledger over every file below `fixtures`, on the tip of `main`.
    pub fn fixture(&self, epoch: &str) -> Value {
        let listed = self.git(&["ls-files", "-co", "--exclude-standard", "-z", "fixtures"]);
        let mut paths: Vec<_> = listed.split_terminator('\0').collect();
        paths.sort_unstable();
        let mut lines = String::new();
        let mut files = Vec::new();
        for path in paths {
            let (digest, size) = (
                self.digest(path),
                std::fs::metadata(self.path(path)).unwrap().len(),
            );
            lines.push_str(&format!("{digest}  {path}\n"));
            files.push(json!({"path": path, "sha256": digest, "size": size}));
        }
        json!({
            "schema": "git-reins/fixture/1", "epoch_id": epoch, "base_rev": self.id("main"),
            "digest_sha256": hex(lines.as_bytes()), "runner_image_id": IMAGE, "files": files, "residual_risk": [],
        })
    }

    /// A freeze of one seed of a property, fit for the fixture ledger of the worktree.
    pub fn freeze(&self, property: &str, expires: &str) -> Value {
        json!({
            "property_id": property, "seed": "0x9c1e", "base_rev": self.id("main"), "fixture_epoch": "epoch-1",
            "observed_on": "base", "expires_at": expires, "owner": "queue",
            "paths": ["src"], "quarantine_eligible": true,
        })
    }

    /// Writes the ledgers into the worktree.
    pub fn put(&self, ledgers: &Ledgers) {
        let oracle = json!({"schema": "git-reins/oracle/1", "oracles": ledgers.oracles});
        let freezes = json!({"schema": "git-reins/freezes/1", "freezes": ledgers.freezes});
        self.write("ledger/oracle.json", &format!("{oracle:#}\n"));
        self.write("ledger/fixture.json", &format!("{:#}\n", ledgers.fixture));
        self.write("ledger/freezes.json", &format!("{freezes:#}\n"));
    }

    /// Writes and commits the ledgers.
    pub fn land_ledgers(&self, ledgers: &Ledgers) {
        self.put(ledgers);
        self.commit("ledgers");
    }

    /// Replaces a text in a file, which has to be there.
    pub fn replace(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{path} holds no {from:?}");
        self.write(path, &text.replace(from, to));
    }

    /// Commits a patch.
    pub fn patch(&self, tag: &str) {
        self.write(
            "src/account.py",
            &format!("def balance(a, b):\n    return a - b  # {tag}\n"),
        );
        self.commit(&format!("patch {tag}"));
    }

    /// The commit that a name means.
    pub fn id(&self, name: &str) -> String {
        self.git(&["rev-parse", "--verify", &format!("{name}^{{commit}}")])
            .trim_end()
            .to_owned()
    }

    fn digest(&self, path: &str) -> String {
        hex(&std::fs::read(self.path(path)).unwrap())
    }

    /// Hands in a pass for some properties.
    pub fn pass(&self, ids: &[&str]) -> Answer {
        let rows: Vec<_> = ids
            .iter()
            .map(|id| json!({"property_id": id, "status": "pass"}))
            .collect();
        self.admit(&json!(rows), &[])
    }

    /// Hands in results, with more arguments.
    pub fn admit(&self, results: &Value, more: &[&str]) -> Answer {
        let path = self.hand_in(&results.to_string());
        self.ask(
            &[
                &["admit", "--results", &path, "--today", TODAY, "--json"],
                more,
            ]
            .concat(),
        )
    }

    /// Writes a results file beside the worktree and says where it is.
    pub fn hand_in(&self, results: &str) -> String {
        let path = self.path("../results.json");
        std::fs::write(&path, results).unwrap();
        path.display().to_string()
    }

    /// Asks whether the ledgers agree.
    pub fn check(&self) -> Answer {
        self.ask(&["check", "--json"])
    }

    /// Asks anything that is answered in JSON, and leaves everything as it is.
    pub fn ask(&self, args: &[&str]) -> Answer {
        Answer::of(self.unchanged(|| self.reins(args)))
    }

    /// Runs a command line of a person who has our command on the path.
    pub fn shell(&self, line: &str) -> Run {
        let beside = Path::new(BINARY).parent().unwrap().display();
        let path = format!("{beside}:{}", std::env::var("PATH").unwrap());
        let editor = "sh -c 'echo landed >\"$1\"' -";
        let mut command = self.command("sh", &self.path(""));
        let command = command
            .env("PATH", path)
            .env("GIT_EDITOR", editor)
            .args(["-c", line]);
        self.captured(command.output().unwrap())
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// What the gate answered.
#[derive(Clone, Debug)]
pub struct Answer {
    pub run: Run,
    pub json: Value,
}

impl Answer {
    /// An answer in JSON.
    pub fn of(run: Run) -> Self {
        let json = serde_json::from_str(&run.stdout).unwrap_or(Value::Null);
        assert!(json.is_object() || run.code == Some(129), "no JSON: {run}");
        Self { run, json }
    }

    /// The codes that refuse, as they are listed.
    pub fn refusals(&self) -> Vec<&str> {
        let listed = self.json["refusals"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        listed.iter().filter_map(Value::as_str).collect()
    }

    /// Every finding.
    pub fn details(&self) -> &[Value] {
        self.json["details"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Every finding as `CODE reason`.
    pub fn findings(&self) -> BTreeSet<String> {
        let text = |detail: &Value, key: &str| detail[key].as_str().unwrap_or_default().to_owned();
        self.details()
            .iter()
            .map(|one| format!("{} {}", text(one, "code"), text(one, "reason")))
            .collect()
    }

    /// Exit code, findings and message on one line.
    pub fn brief(&self) -> String {
        let told: Vec<_> = self.findings().into_iter().collect();
        let message = self.json["message"].as_str().unwrap_or_default();
        format!(
            "exit {}: {}{message}",
            self.run.code.unwrap_or(-1),
            told.join(", ")
        )
    }

    /// Asserts the exit code and the findings.
    #[track_caller]
    pub fn says(&self, code: i32, findings: &[&str]) {
        let expected: BTreeSet<String> = findings.iter().map(|one| (*one).to_owned()).collect();
        assert_eq!(
            (self.run.code, self.findings()),
            (Some(code), expected),
            "{}",
            self.run
        );
    }

    /// Asserts that nothing stands against the candidate.
    #[track_caller]
    pub fn admits(&self) {
        self.says(0, &[]);
    }
}

/// Does something with each case, on as many threads as the machine has; answers in order.
pub fn in_parallel<C: Sync, R: Send>(cases: &[C], act: impl Fn(&C) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let size = cases.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let act = &act;
        let parts = cases
            .chunks(size)
            .map(|part| scope.spawn(move || part.iter().map(act).collect::<Vec<_>>()));
        let parts: Vec<_> = parts.collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap())
            .collect()
    })
}
