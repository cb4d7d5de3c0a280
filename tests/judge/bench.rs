//! A repository with a policy, one property of shell, and a branch for the patch.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{BINARY, Repo, Run};

/// The property passes when `src/value` says so: `good` always, `flaky` for seed 7 alone.
pub const KEEPS: &str = "\
echo \"$1 seed $2 in $PWD\"
case $(cat src/value) in
good) exit 0 ;;
flaky) test \"$2\" = 7 ;;
*) exit 1 ;;
esac
";

/// Property `shaky` fails with seed 8 every other time, from the first time on; the others keep.
/// Every run is counted in a file outside of all trees.
pub const SHAKY: &str = "\
echo \"$1 $2\" >>COUNT
case $(cat src/value) in
good) test \"$1 $2\" != 'shaky 8' || test $(($(grep -c 'shaky 8' COUNT) % 2)) = 0 ;;
*) exit 1 ;;
esac
";

/// What a policy says of the judge when nothing is enforced, and of a check of shell.
pub const JUDGE: &str = "[judge]\nrequire = []\n";
pub const CHECK: &str = "\
[[check]]
id = \"props\"
preset = \"raw\"
run = [\"sh\", \"{property_file}\", \"{property}\", \"{seed}\"]
seeds = [\"7\", \"8\"]
quarantine_eligible = true
";

/// The property with what it appends to COUNT handed to a thread of ours.
fn noted(repo: &Repo, property: &str) -> String {
    let [note, done] = counter(repo.path("../count"));
    format!(
        "note() {{ cat >{note}; read _ <{done}; }}\n{}",
        property.replace(">>COUNT", "| note")
    )
}

/// Two pipes: what is written to the first is counted once something can be read from the second.
/// A check may write to nothing but its tree and its temporary directory, and a pipe is no file.
pub fn counter(count: PathBuf) -> [String; 2] {
    let [note, done] =
        ["note", "done"].map(|end| PathBuf::from(format!("{}.{end}", count.display())));
    for pipe in [&note, &done] {
        assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    }
    let names = [note.display().to_string(), done.display().to_string()];
    std::thread::spawn(move || {
        while let Ok(said) = fs::read(&note) {
            let mut file = fs::File::options()
                .append(true)
                .create(true)
                .open(&count)
                .unwrap();
            file.write_all(&said).unwrap();
            if fs::write(&done, "\n").is_err() {
                return;
            }
        }
    });
    names
}

/// The processes whose command line holds a text.
pub fn alive(text: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines
        .filter(|line| String::from_utf8_lossy(line).contains(text))
        .count()
}

/// A repository with everything landed on `main`, and `topic` checked out.
pub struct Bench {
    pub repo: Repo,
}

impl Bench {
    pub fn new() -> Self {
        Self::with(JUDGE, CHECK, KEEPS)
    }

    /// With other sections of the policy, and another property.
    pub fn with(judge: &str, check: &str, property: &str) -> Self {
        let repo = Repo::new();
        let count = repo.path("../count").display().to_string();
        let property = &match property.contains(">>COUNT") {
            true => noted(&repo, property),
            false => property.to_owned(),
        };
        let property = &property.replace("COUNT", &count);
        let paths =
            "properties = [\"properties\"]\nfixtures = [\"fixtures\"]\nspecs = [\"spec\"]\n";
        let protect = "[protect]\nbase = [\"refs/heads/main\"]\n";
        repo.write(
            ".gitreins/reins.toml",
            &format!("schema = 1\n[paths]\n{paths}{protect}{judge}{check}"),
        );
        repo.write(".gitignore", ".gitreins/history\n");
        repo.write(
            "spec/values.md",
            "# Values\n\n## Good\n\nThe value is good.\n",
        );
        repo.write("properties/keep.sh", property);
        repo.write("fixtures/sample", "a fixture\n");
        repo.write("src/value", "good\n");
        let _ = repo.reins(&["init"]).expect(0);
        let bench = Self { repo };
        bench.row("val-01", "keeps");
        bench.repo.commit("start");
        bench.pin("e1");
        bench.repo.commit("pin");
        bench.repo.git(&["switch", "-q", "-c", "topic"]);
        bench
    }

    /// Adds a row for a property of the usual file.
    pub fn row(&self, id: &str, property: &str) {
        self.row_of(id, property, "properties/keep.sh");
    }

    /// Adds a row for a property of a file.
    pub fn row_of(&self, id: &str, property: &str, file: &str) {
        let row = [
            "--source",
            "spec/values.md#good",
            "--property",
            property,
            "--file",
            file,
        ];
        let named = [
            "--inputs",
            "a value",
            "--relation",
            "it is good",
            "--witness",
            "a bad value",
        ];
        let _ = self
            .repo
            .reins(&[["oracle", "add", id].as_slice(), &row, &named].concat())
            .expect(0);
    }

    /// Pins the fixtures on this machine.
    pub fn pin(&self, epoch: &str) {
        let pin = ["fixture", "pin", "--epoch", epoch, "--runner-image", "auto"];
        let _ = self.repo.reins(&pin).expect(0);
    }

    /// Commits a patch.
    pub fn patch(&self, value: &str) {
        self.repo.write("src/value", value);
        self.repo.commit("patch");
    }

    /// Lands something on `main` and brings `topic` onto it.
    pub fn land(&self, change: impl FnOnce(&Self)) {
        self.repo.git(&["switch", "-q", "main"]);
        change(self);
        self.repo.commit("landed");
        self.repo.git(&["switch", "-q", "topic"]);
        self.repo.git(&["merge", "-q", "--no-edit", "main"]);
    }

    /// Freezes seed 8 of `val-01`, on `main`.
    pub fn freeze(&self, paths: &str) {
        self.land(|bench| {
            let named = [
                "--property",
                "val-01",
                "--seed",
                "8",
                "--expires",
                "+14",
                "--owner",
                "Ada",
            ];
            let add = [["freeze", "add"].as_slice(), &named, &["--paths", paths]].concat();
            let _ = bench.repo.reins(&add).expect(0);
        });
    }

    /// How often a property said so in a file outside of every tree.
    pub fn count(&self) -> usize {
        fs::read_to_string(self.repo.path("../count"))
            .unwrap_or_default()
            .lines()
            .count()
    }

    /// Runs what judges, and interrupts it once a property has said in COUNT that it runs. No process
    /// with the mark and no tree may be left.
    pub fn interrupted(&self, args: &[&str], mark: &str) -> Run {
        let temp = self.repo.path("../temp");
        fs::create_dir(&temp).unwrap();
        let mut command = self.repo.command(BINARY, &self.repo.path(""));
        command
            .args(args)
            .env("TMPDIR", &temp)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.count() == 0 {
            assert!(Instant::now() < deadline, "the property never ran");
            std::thread::yield_now();
        }
        let kill = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap();
        assert!(kill.success());
        let run = self
            .repo
            .captured(child.wait_with_output().unwrap())
            .expect(130);
        assert!(run.stderr.contains("nothing is recorded"), "{run}");
        assert_eq!(alive(mark), 0);
        assert_eq!(fs::read_dir(&temp).unwrap().count(), 0);
        run
    }

    /// Judges; refs, index and worktree have to stay, but for what is ignored history.
    pub fn judge(&self, code: i32, args: &[&str]) -> Run {
        let history = self.repo.path(".gitreins/history");
        let aside = self.repo.path("../history");
        let _none = fs::rename(&history, &aside);
        let run = self.repo.unchanged(|| {
            if aside.exists() {
                fs::rename(&aside, &history).unwrap();
            }
            let run = self.repo.reins(&[&["judge"], args].concat());
            let _none = fs::rename(&history, &aside);
            run
        });
        if aside.exists() {
            fs::rename(&aside, &history).unwrap();
        }
        if run.code != Some(code) {
            self.print_logs();
        }
        run.expect(code)
    }

    /// What the runs printed, for whoever reads why a test failed.
    #[expect(clippy::print_stdout, reason = "a test that failed says what it saw")]
    fn print_logs(&self) {
        for (dir, _) in self.records() {
            for log in fs::read_dir(format!("{dir}/logs")).into_iter().flatten() {
                let log = log.unwrap().path();
                println!(
                    "{}:\n{}",
                    log.display(),
                    fs::read_to_string(&log).unwrap_or_default()
                );
            }
        }
    }

    /// Runs our command where nothing keeps a fixture as it is, whatever this machine can do.
    pub fn unfenced(&self, args: &[&str]) -> Run {
        let mut command = self.repo.command(BINARY, &self.repo.path(""));
        command.args(args);
        let started = std::thread::spawn(move || {
            #[cfg(all(target_os = "linux", feature = "sandbox"))]
            {
                crate::refusing::no_landlock();
                crate::refusing::no_namespaces();
            }
            command.output().unwrap()
        });
        self.repo.captured(started.join().unwrap())
    }

    /// Judges where there are no more namespaces to be had, as in many containers; `None` where
    /// nobody can make such a place.
    pub fn judge_in_container(&self) -> Option<Run> {
        let limits = "cd /proc/sys/user && for kind in user mnt pid net; do echo 0 >max_${kind}_namespaces; done";
        let script = format!("({limits}) && exec \"$0\" judge");
        let mut command = self.repo.command("unshare", &self.repo.path(""));
        command.args([
            "--user",
            "--map-current-user",
            "--keep-caps",
            "sh",
            "-c",
            &script,
            BINARY,
        ]);
        let output = command.output().ok()?;
        let can = Command::new("unshare")
            .args(["--user", "--map-current-user", "--keep-caps", "true"])
            .status();
        if !can.is_ok_and(|status| status.success()) {
            assert!(
                std::env::var_os("CI").is_none(),
                "skipped: no user namespaces"
            );
            return None;
        }
        Some(self.repo.captured(output))
    }

    /// The records, by directory.
    pub fn records(&self) -> Vec<(String, Value)> {
        let history = self.repo.path(".gitreins/history");
        let mut found = Vec::new();
        for day in fs::read_dir(&history).into_iter().flatten() {
            let day = day.unwrap();
            if day.file_name().to_string_lossy().starts_with('.') {
                continue; // a record that is not whole yet
            }
            for dir in fs::read_dir(day.path()).unwrap() {
                let dir = dir.unwrap().path();
                let text = fs::read_to_string(dir.join("verdict.json")).unwrap();
                found.push((
                    dir.display().to_string(),
                    serde_json::from_str(&text).unwrap(),
                ));
            }
        }
        found.sort_by(|one, other| one.0.cmp(&other.0));
        found
    }

    /// The only record.
    pub fn record(&self) -> Value {
        let mut records = self.records();
        assert_eq!(records.len(), 1, "{records:?}");
        records.remove(0).1
    }
}

/// The runs of a record as words: check or property, seed, tree, outcome, class.
pub fn runs(record: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let one = |run: &Value| {
        let subject = if run["property"].is_null() {
            &run["id"]
        } else {
            &run["property"]
        };
        let words = [
            subject,
            &run["seed"],
            &run["revision"],
            &run["outcome"],
            &run["class"],
        ];
        words.map(word).join(" ")
    };
    record["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(one)
        .collect()
}

/// A text without what differs from trial to trial and from machine to machine.
pub fn plain(run: &Run) -> String {
    let is_hex =
        |word: &&str| word.len() >= 10 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let text = run.to_string();
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_hexdigit()) {
        let end = rest[at..]
            .find(|c: char| !c.is_ascii_hexdigit())
            .map_or(rest.len(), |end| at + end);
        out.push_str(&rest[..at]);
        out.push_str(
            Some(&rest[at..end])
                .filter(|word| !is_hex(word))
                .map_or("HEX", |word| word),
        );
        rest = &rest[end..];
    }
    out.push_str(rest);
    let day = out
        .split("history/")
        .nth(1)
        .and_then(|rest| rest.get(..10))
        .unwrap_or("-")
        .to_owned();
    let means = |line: &str| {
        line.split_once("enforced: ")
            .map(|(indent, _)| format!("{indent}enforced: MEANS"))
    };
    let lines = out
        .lines()
        .map(|line| means(line).unwrap_or_else(|| line.to_owned()) + "\n");
    lines.collect::<String>().replace(&day, "DAY")
}
