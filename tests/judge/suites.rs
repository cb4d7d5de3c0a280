//! The five trials of the contract, with real suites: one repository for each.

use std::fs;
use std::path::Path;

use assert_fs::TempDir;
use serde_json::{Value, json};

use super::bench::{Bench, JUDGE, counter, runs};
use crate::suites::Suite;

const CANARY: &str = "\
[[check]]
id = \"lint\"
kind = \"canary\"
run = [\"test\", \"!\", \"-e\", \"src/forbidden\"]
";

/// A repository under reins whose suite keeps.
pub struct Story {
    pub bench: Bench,
    pub suite: Suite,
    /// Holds what the properties write down of themselves.
    log: TempDir,
}

impl Story {
    /// With a row for one property, and more checks.
    pub fn new(suite: fn(&Path) -> Option<Suite>, property: &str, checks: &str) -> Option<Self> {
        let log = TempDir::new().unwrap();
        let suite = suite(&log.path().join("log"))?;
        let _pipes = counter(log.path().join("log"));
        let seeds = "seeds = [\"7\", \"8\"]\nquarantine_eligible = true\n";
        let check = format!("[[check]]\nid = \"props\"\n{}{seeds}{checks}", suite.check);
        let bench = Bench::with(JUDGE, &check, "exit 0\n");
        bench.land(|bench| {
            let _ = bench.repo.reins(&["oracle", "rm", "val-01"]).expect(0);
            let files = suite.pinned.iter().chain(&suite.beside);
            files.for_each(|(path, text)| bench.repo.write(path, text));
            bench.repo.write(suite.code, suite.good);
            bench.row_of("keep-01", &suite.property(property), suite.file);
        });
        Some(Self { bench, suite, log })
    }

    /// Makes `topic` one patch over `main`: some code, and one file more.
    pub fn patch(&self, code: &str, beside: Option<&str>) {
        let repo = &self.bench.repo;
        repo.git(&["switch", "-q", "topic"]);
        repo.git(&["reset", "-q", "--hard", "main"]);
        repo.write(self.suite.code, code);
        if let Some(path) = beside {
            repo.write(path, "x\n");
        }
        repo.commit("patch");
    }

    /// The record of a trial.
    pub fn judge(&self, code: i32) -> Value {
        let run = self.bench.judge(code, &["--json"]);
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run}"))
    }

    /// How often a property wrote something down.
    fn count(&self) -> usize {
        fs::read_to_string(self.log.path().join("log"))
            .unwrap_or_default()
            .lines()
            .count()
    }

    /// Freezes a seed of a property that shakes.
    fn freeze(&self) {
        self.bench.land(|bench| {
            bench.row_of("shaky-01", &self.suite.property("shaky"), self.suite.file);
            bench.repo.commit("a row");
            let named = [
                "--property",
                "shaky-01",
                "--seed",
                "8",
                "--expires",
                "+14",
                "--owner",
                "Ada",
            ];
            let paths = ["--paths", self.suite.code];
            let _ = bench
                .repo
                .reins(&[&["freeze", "add"], &named[..], &paths].concat())
                .expect(0);
        });
    }

    /// Lets the freeze row have ended.
    fn expire(&self) {
        self.bench.land(|bench| {
            let path = "ledger/freezes.json";
            let mut ledger: Value = serde_json::from_str(&bench.repo.read(path)).unwrap();
            ledger["freezes"][0]["expires_at"] = json!("2026-01-01");
            bench.repo.write(path, &format!("{ledger:#}\n"));
        });
    }
}

/// The same story for each suite.
fn tell(suite: fn(&Path) -> Option<Suite>) {
    let Some(story) = Story::new(suite, "keeps", CANARY) else {
        return;
    };
    let (good, bad) = (format!("{}\n", story.suite.good), story.suite.bad);

    // T1
    story.patch(&good, None);
    let record = story.judge(0);
    let passes = [
        "keep-01 7 candidate pass PROP_PASS",
        "keep-01 8 candidate pass PROP_PASS",
    ];
    assert_eq!(runs(&record)[7..], passes, "{record}");

    // T3
    story.patch(bad, None);
    let record = story.judge(1);
    assert_eq!(record["reasons"], json!(["uncovered_fail"]));
    let fails = [
        "keep-01 7 candidate fail PROP_FAIL",
        "keep-01 8 candidate fail PROP_FAIL",
    ];
    assert_eq!(runs(&record)[7..], fails, "{record}");

    // T5: base fails with that seed and passes with it
    story.freeze();
    story.patch(&good, None);
    let record = story.judge(3);
    assert_eq!(
        (&record["held"], &record["reasons"]),
        (&json!(["shaky-01"]), &json!(["freeze_hit"]))
    );
    let seen = runs(&record);
    for run in [
        "shaky-01 8 base fail -",
        "shaky-01 8 base pass -",
        "shaky-01 8 candidate fail FREEZE_HIT",
    ] {
        assert!(seen.contains(&run.to_owned()), "{seen:?}");
    }
    // another seed of a frozen property has to pass
    story.patch(bad, None);
    assert_eq!(
        story.judge(1)["uncovered_fail"],
        json!(["keep-01", "shaky-01"])
    );

    // T2
    let before = story.count();
    story.patch(bad, Some("src/forbidden"));
    let record = story.judge(1);
    assert_eq!(
        (&record["canary_bad"], &record["reasons"]),
        (&json!(["lint"]), &json!(["canary_bad"]))
    );
    assert_eq!(
        (&record["held"], &record["illegal_freeze"]),
        (&json!([]), &json!([]))
    );
    assert!(
        runs(&record)[5..]
            .iter()
            .all(|run| run.ends_with(" candidate not-run -")),
        "{record}"
    );

    // T4
    story.bench.repo.git(&["reset", "-q", "--hard", "main"]);
    let record = story.judge(1);
    assert_eq!(
        (&record["reasons"], &record["checks"]),
        (&json!(["empty_blob"]), &json!([]))
    );

    // T5, once the row has expired
    story.expire();
    story.patch(&good, None);
    let run = story.bench.judge(1, &[]);
    assert!(run.to_string().contains("FREEZE_EXPIRED"), "{run}");
    assert_eq!(story.count(), before);
}

#[test]
fn pytest_with_hypothesis() {
    tell(Suite::pytest);
}

#[test]
fn jest_with_fast_check() {
    tell(Suite::jest);
}

#[test]
fn cargo_nextest_with_proptest() {
    tell(Suite::cargo);
}

#[test]
fn a_build_script_that_rewrites_a_property_has_changed_pinned_bytes() {
    let Some(story) = Story::new(Suite::cargo, "keeps", "") else {
        return;
    };
    story.patch(story.suite.bad, None);
    let script = "fn main() {\n    std::fs::write(\"properties/keep.rs\", \"#[test] fn keeps() {}\").unwrap();\n}\n";
    story.bench.repo.write("build.rs", script);
    story.bench.repo.commit("with a script");
    let run = story.bench.judge(1, &[]);
    assert!(
        run.stdout
            .contains("note: the patch touches build.rs, which can change"),
        "{run}"
    );
    let record = story.bench.record();
    // where a fence keeps the script away, the build fails and so does the property
    let is_kept = matches!(
        record["enforced"]["fixtures"].as_str(),
        Some("bind-ro" | "landlock")
    );
    let (reasons, outcome) = match is_kept {
        true => (json!(["uncovered_fail"]), "error"),
        false => (json!(["uncovered_fail", "bytes_changed"]), "tamper"),
    };
    assert_eq!(record["reasons"], reasons);
    let said = runs(&record);
    assert!(
        said.contains(&format!("keep-01 7 candidate {outcome} PROP_FAIL")),
        "{said:?}"
    );
}
