//! `git reins replay`, and `freeze add --from-replay`: what seeds show on base, and what a freeze
//! may rest on.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::bench::{Bench, CHECK, JUDGE, SHAKY};
use super::pytest;
use crate::support::Run;

const SEED: [&str; 4] = ["--property", "val-01", "--seed", "8"];
const BY_ADA: [&str; 6] = ["--expires", "+14", "--owner", "Ada", "--paths", "src"];

/// Two rows on `main`; `val-01` is the one that a property of shell treats in its own way.
fn bench(check: &str, property: &str) -> Bench {
    let bench = Bench::with(JUDGE, check, property);
    bench.land(|bench| {
        let _ = bench.repo.reins(&["oracle", "rm", "val-01"]).expect(0);
        bench.row("val-01", "shaky");
        bench.row("val-02", "keeps");
    });
    bench
}

fn shaky() -> Bench {
    bench(CHECK, SHAKY)
}

/// Replays; refs, index and worktree have to stay.
fn replay(bench: &Bench, code: i32, args: &[&str]) -> Run {
    bench
        .repo
        .refuses(code, &[["replay"].as_slice(), args].concat())
}

fn add<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [
        ["freeze", "add"].as_slice(),
        &SEED,
        &BY_ADA,
        &["--from-replay"],
        args,
    ]
    .concat()
}

/// Asserts that no freeze is written, and hands back why not.
fn no_freeze(bench: &Bench, args: &[&str]) -> String {
    bench.repo.refuses(1, &add(args)).stderr
}

/// The record of a replay.
fn record(bench: &Bench, code: i32, args: &[&str]) -> Value {
    serde_json::from_str(&replay(bench, code, &[args, &["--json"]].concat()).stdout).unwrap()
}

/// What a record says of its only seed, on base and on the candidate.
fn words(record: &Value) -> [Value; 2] {
    let [seed] = record["seeds"].as_array().unwrap().as_slice() else {
        panic!("one seed in {record}")
    };
    [seed["shows"].clone(), seed["on_candidate"].clone()]
}

/// The text without the commit.
fn bare(run: &Run) -> String {
    let text = run.to_string();
    let base = text
        .split("\n  base ")
        .nth(1)
        .and_then(|rest| rest.get(..10))
        .unwrap_or("-");
    text.replace(base, "COMMIT")
}

/// Freezes the seed from its replay, on `main`.
fn freeze(bench: &Bench) {
    let _ = replay(bench, 0, &SEED);
    bench.land(|bench| drop(bench.repo.reins(&add(&[])).expect(0)));
}

#[test]
fn what_is_unstable_on_base_is_frozen_from_its_replay_and_then_held() {
    let bench = shaky();
    assert_snapshot!(bare(&replay(&bench, 0, &SEED)), @"
    replay: nothing stands against it; 1 of 1 unstable on base
      base COMMIT, 3 runs of each seed on base

    val-01 seed 8
      base       fail, pass, fail
      why        exit code 1
      means      unstable on base: that is evidence for a freeze
      next       git reins freeze add --from-replay --property val-01 --seed 8 --owner NAME --expires +14 --paths PATH
    --- exit 0
    ");
    bench.repo.git(&["switch", "-q", "main"]);
    let plan = bench.repo.refuses(0, &add(&["--dry-run"]));
    assert!(plan.stdout.contains("+      \"evidence\": {"), "{plan}");
    let plan = bench.repo.refuses(0, &add(&["--dry-run", "--json"]));
    let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
    assert_eq!(
        (&plan["schema"], &plan["written"]),
        (&json!("git-reins/freeze-add/1"), &json!(false))
    );
    let added = bench.repo.reins(&add(&[])).expect(0);
    assert!(
        added
            .stderr
            .starts_with("froze seed 8 of val-01; next: git reins freeze commit\n"),
        "{added}"
    );
    let _ = bench.repo.reins(&["freeze", "commit"]).expect(0);
    let _ = bench.repo.reins(&["check"]).expect(0);
    let ledger: Value = serde_json::from_str(&bench.repo.read("ledger/freezes.json")).unwrap();
    let row = &ledger["freezes"][0];
    assert_eq!(row, &plan["row"]);
    let evidence = &row["evidence"];
    assert_eq!(
        (&evidence["runs"], &evidence["outcomes"]),
        (&json!(3), &json!(["fail", "pass", "fail"]))
    );
    let fixture: Value = serde_json::from_str(&bench.repo.read("ledger/fixture.json")).unwrap();
    assert_eq!(
        (&row["base_rev"], &row["fixture_epoch"]),
        (&fixture["base_rev"], &json!("e1"))
    );
    bench.repo.git(&["switch", "-q", "topic"]);
    bench.repo.git(&["merge", "-q", "--no-edit", "main"]);
    bench.repo.write("src/other", "new\n");
    bench.repo.commit("patch");
    let judged = bench.judge(3, &[]);
    assert!(
        judged.stdout.starts_with("hold: a frozen seed fails"),
        "{judged}"
    );
    let replayed = replay(&bench, 0, &[]);
    assert!(
        replayed.stdout.contains("\nval-01 seed 8, frozen\n"),
        "{replayed}"
    );
    assert!(
        replayed.stdout.contains("that confirms the freeze"),
        "{replayed}"
    );
    assert!(no_freeze(&bench, &[]).contains("this seed is frozen already"));
}

#[test]
fn a_candidate_is_told_as_a_trial_would_judge_it() {
    let bench = shaky();
    freeze(&bench);
    bench.repo.write("src/value", "good\n\n");
    bench.repo.commit("harmless");
    let diff = bench.repo.git(&["diff", "main...topic", "--", "src"]);
    bench.repo.write("../harmless.diff", &diff);
    for candidate in ["main..topic", "../harmless.diff"] {
        let held = record(&bench, 3, &[candidate]);
        assert_eq!(words(&held), [json!("unstable"), json!("held")], "{held}");
    }
    bench.patch("bad\n");
    assert_snapshot!(bare(&replay(&bench, 1, &["main..topic"])), @"
    replay: FROZEN_REGRESSION
      base COMMIT, 3 runs of each seed on base and candidate

    val-01 seed 8, frozen
      base       pass, fail, pass
      candidate  fail, fail, fail
      why        exit code 1
      means      unstable on base: that confirms the freeze
      means      FROZEN_REGRESSION: passes sometimes on base, never on the candidate
    --- exit 1
    ");
    let open = record(
        &bench,
        1,
        &[
            "topic",
            "--property",
            "val-02",
            "--seed",
            "0x9c1e",
            "--times",
            "2",
        ],
    );
    assert_eq!(
        words(&open),
        [json!("passes"), json!("uncovered")],
        "{open}"
    );
    assert_eq!(
        (&open["times"], open["runs"].as_array().unwrap().len()),
        (&json!(2), 4)
    );
    bench.repo.git(&["reset", "-q", "--hard", "main"]);
    let nothing = replay(&bench, 1, &["topic"]);
    assert!(nothing.stderr.contains("EMPTY_PATCH"), "{nothing}");
    bench
        .repo
        .write("../broken.diff", &diff.replace("good", "other"));
    let broken = replay(&bench, 1, &["../broken.diff"]);
    assert!(
        broken.stderr.contains("apply_check") && broken.stderr.contains("CANARY_FAILED"),
        "{broken}"
    );
}

#[test]
fn a_known_defect_is_no_flake() {
    let bench = bench(CHECK, "test \"$1 $2\" != 'shaky 8'\n");
    assert_snapshot!(bare(&replay(&bench, 1, &SEED)), @"
    replay: FREEZE_STABLE_FAILURE
      base COMMIT, 3 runs of each seed on base

    val-01 seed 8
      base       fail, fail, fail
      why        exit code 1
      means      FREEZE_STABLE_FAILURE: never passes on base: a known defect, not a
                 flake, and no freeze covers it
      next       git reins try val-01
    --- exit 1
    ");
    assert_snapshot!(no_freeze(&bench, &[]), @"
    git-reins: cannot add the freeze: it never passes on base (fail, fail, fail): a known defect, not a flake (FREEZE_STABLE_FAILURE)
    hint: mend base or the property

    ");
    bench.freeze("src");
    let frozen = replay(&bench, 1, &[]);
    assert!(
        frozen
            .stdout
            .contains("next       git reins freeze rm --property val-01 --seed 8"),
        "{frozen}"
    );
}

#[test]
fn what_always_passes_is_unconfirmed() {
    let bench = bench(CHECK, "exit 0\n");
    let all = record(&bench, 0, &["--property", "val-01"]);
    let seeds = all["seeds"].as_array().unwrap();
    assert_eq!(
        seeds.iter().map(|seed| &seed["seed"]).collect::<Vec<_>>(),
        [&json!("7"), &json!("8")]
    );
    assert!(
        seeds
            .iter()
            .all(|seed| seed["shows"] == "passes" && seed["frozen"] == json!(false)),
        "{all}"
    );
    assert_snapshot!(no_freeze(&bench, &[]), @"
    git-reins: cannot add the freeze: it always passes on base (pass, pass, pass): there is nothing to freeze
    hint: git reins replay --property val-01 --seed 8 --times 20

    ");
    bench.freeze("src");
    let frozen = replay(&bench, 0, &[]);
    assert!(
        frozen
            .stdout
            .contains("means      unconfirmed: always passes on base"),
        "{frozen}"
    );
}

#[test]
fn a_timeout_a_kill_and_a_missing_tool_are_no_evidence() {
    let slow = format!("{CHECK}timeout = {{ budget_s = 1 }}\n");
    let once = "echo x >>COUNT; test $(wc -l <COUNT) != 1 || ";
    for (check, property, why) in [
        (
            slow.as_str(),
            format!("{once} exec sleep 1000; exit 1\n"),
            "timeout",
        ),
        (&slow, "exec sleep 1000\n".to_owned(), "timeout"),
        (CHECK, "kill -9 $$\n".to_owned(), "signal"),
        (CHECK, format!("{once} exit 3\n"), "error"),
        (
            &CHECK.replace("\"sh\"", "\"no-such-tool\""),
            String::new(),
            "error",
        ),
    ] {
        let bench = bench(check, &property);
        let replayed = replay(&bench, 1, &[&SEED[..], &["--times", "2"]].concat());
        let is_failure = property.contains("exit 1");
        assert_eq!(
            replayed.stdout.starts_with("replay: no evidence"),
            !is_failure,
            "{why}: {replayed}"
        );
        let refused = no_freeze(&bench, &[]);
        let expected = if is_failure {
            "it never passes on base"
        } else {
            "no evidence"
        };
        assert!(
            refused.contains(expected) && refused.contains(why),
            "{why}: {refused}"
        );
    }
}

#[test]
fn a_record_that_was_edited_or_is_of_something_else_carries_nothing() {
    let bench = shaky();
    assert!(no_freeze(&bench, &[]).contains("no replay of seed 8 of val-01 is kept"));
    assert!(no_freeze(&bench, &["../none.json"]).contains("there is no file ../none.json"));
    let text = replay(&bench, 0, &[&SEED[..], &["--json"]].concat()).stdout;
    bench.repo.write("../replay.json", &text);
    let _ = bench
        .repo
        .refuses(0, &add(&["../replay.json", "--dry-run"]));
    for (old, new) in [
        ("\"fail\"", "\"pass\""),
        ("\"e1\"", "\"e2\""),
        ("\"frozen\": false", "\"frozen\": true"),
    ] {
        bench.repo.write("../edited.json", &text.replace(old, new));
        let refused = no_freeze(&bench, &["../edited.json"]);
        assert!(
            refused.contains("../edited.json is no record of a replay: field sha256"),
            "{refused}"
        );
    }
    bench.repo.write(
        "../other.json",
        &replay(&bench, 0, &["--property", "val-02", "--json"]).stdout,
    );
    assert!(
        no_freeze(&bench, &["../other.json"]).contains("the replay has no run of seed 8 of val-01")
    );
    std::os::unix::fs::symlink("replay.json", bench.repo.path("../link.json")).unwrap();
    let _ = bench.repo.refuses(128, &add(&["../link.json"]));
    let kept = fs::read_dir(bench.repo.path(".git/reins/replays")).unwrap();
    kept.for_each(|file| fs::write(file.unwrap().path(), "{}").unwrap());
    assert!(no_freeze(&bench, &[]).contains("is no record of a replay"));
    let pathless = [
        ["freeze", "add"].as_slice(),
        &SEED,
        &BY_ADA[..4],
        &["--from-replay", "../replay.json"],
    ];
    let pathless = bench.repo.reins(&pathless.concat());
    let is_unknown = pathless
        .stderr
        .contains("which paths the runs opened is unknown");
    assert_eq!(pathless.code, Some(i32::from(is_unknown)), "{pathless}");
}

#[test]
fn a_replay_of_another_state_carries_nothing() {
    let bench = shaky();
    let _ = replay(&bench, 0, &SEED);
    let refused = |change: &dyn Fn(&Bench), why: &str| {
        bench.repo.git(&["switch", "-q", "-C", "try", "main"]);
        bench.repo.git(&["branch", "-q", "-f", "before", "main"]);
        change(&bench);
        bench.repo.git(&["add", "-A"]);
        bench.repo.git(&["commit", "-q", "-m", "landed"]);
        bench.repo.git(&["branch", "-q", "-f", "main", "try"]);
        let said = no_freeze(&bench, &[]);
        assert!(said.contains(why), "{why}: {said}");
        bench.repo.git(&["branch", "-q", "-f", "main", "before"]);
    };
    let policy = bench.repo.read(".gitreins/reins.toml");
    refused(
        &|bench| {
            bench
                .repo
                .write(".gitreins/reins.toml", &format!("{policy}# \n"))
        },
        "the policy",
    );
    refused(
        &|bench| bench.repo.write("properties/more", "x"),
        "a file under paths.properties",
    );
    refused(
        &|bench| {
            drop(
                bench
                    .repo
                    .reins(&["oracle", "edit", "val-01", "--witness", "another"])
                    .expect(0),
            )
        },
        "the oracle row",
    );
    refused(
        &|bench| bench.pin("e2"),
        "epoch e1, and the fixture ledger pins e2",
    );
    let image = [
        "fixture",
        "pin",
        "--epoch",
        "e3",
        "--runner-image",
        "nix:/nix/store/x",
    ];
    refused(
        &|bench| drop(bench.repo.reins(&image).expect(0)),
        "the fixture ledger pins nix:/nix/store/x",
    );
    bench.land(|bench| bench.repo.write("src/landed", "code\n"));
    let _carries_still = bench.repo.refuses(0, &add(&["--dry-run"]));
    let _ = replay(&bench, 0, &SEED);
    let refused = no_freeze(&bench, &[]);
    assert!(refused.contains("FREEZE_REPLAY_NOT_ON_BASE"), "{refused}");
}

#[test]
fn a_check_that_holds_nothing_is_not_frozen() {
    let bench = bench(
        &CHECK.replace("quarantine_eligible = true", "quarantine_eligible = false"),
        SHAKY,
    );
    let _ = replay(&bench, 0, &SEED);
    assert!(no_freeze(&bench, &[]).contains("the check props is not quarantine_eligible"));
}

#[test]
fn what_cannot_be_replayed_is_said() {
    let bench = shaky();
    let nothing = replay(&bench, 0, &[]);
    assert!(
        nothing
            .stdout
            .starts_with("replay: nothing is frozen; name a seed"),
        "{nothing}"
    );
    let unknown = replay(&bench, 1, &["--property", "val-09"]);
    assert!(
        unknown
            .stderr
            .contains("no oracle row val-09 is committed there"),
        "{unknown}"
    );
    let _ = replay(&bench, 129, &["--seed", "8"]);
    let _ = replay(&bench, 129, &[&SEED[..], &["--times", "1"]].concat());
    let _ = replay(&bench, 129, &["main..topic", "--base", "main"]);
    let image = replay(
        &bench,
        1,
        &[&SEED[..], &["--runner-image", "nix:/nix/store/x"]].concat(),
    );
    assert!(image.stderr.contains("FIXTURE_EPOCH_UNPINNED"), "{image}");
    bench.row("val-03", "keeps");
    bench.patch("good\n\n");
    let checked = replay(&bench, 1, &SEED);
    assert!(
        checked.stdout.starts_with("refuse: ORACLE_NOT_INDEPENDENT"),
        "{checked}"
    );
    assert_eq!(bench.count(), 0);
    let strict = bench_without(JUDGE);
    let unenforced = strict
        .unfenced(&[&["replay"], &SEED[..]].concat())
        .expect(128);
    let words = "judge.require asks for what is not enforced here: ";
    assert!(unenforced.stderr.contains(words), "{unenforced}");
}

fn bench_without(section: &str) -> Bench {
    Bench::with(&JUDGE.replace(section, ""), CHECK, SHAKY)
}

#[test]
fn ctrl_c_leaves_no_process_no_tree_and_no_record() {
    let mark = format!("1001.{}", std::process::id());
    let bench = bench(CHECK, &format!("echo run >>COUNT; exec sleep {mark}\n"));
    let _ = bench.interrupted(&[&["replay"], &SEED[..]].concat(), &mark);
    assert!(!bench.repo.path(".git/reins/replays").exists());
}

#[test]
fn pytest_and_hypothesis_are_replayed() {
    let named = ["--property", "keep-01", "--seed", "7", "--times", "2"];
    let Some(bench) = pytest::bench("test_flips", "[\"7\", \"8\"]") else {
        return;
    };
    let flips = record(&bench, 0, &named);
    assert_eq!(words(&flips), [json!("unstable"), json!(null)], "{flips}");
    let Some(bench) = pytest::bench("test_always_the_same", "[\"7\"]") else {
        return;
    };
    let idle = replay(&bench, 1, &named);
    assert!(
        idle.stdout.contains("no evidence: two seeds drew the same"),
        "{idle}"
    );
}
