//! Shows the answers of the commands in each state of a repository that a user meets.

use serde_json::{Value, json};

use super::transcript::answers;
use crate::story::{POLICY, Story};

/// What is asked in every state. A state that changes nothing comes first.
const QUESTIONS: &[&str] = &[
    "git reins check",
    "git reins check --json",
    "git reins status",
    "git reins status --json",
    "git reins diff",
    "git reins diff --json",
    "git reins admit",
    "git reins admit --json",
    "git reins report",
    "git reins report --json",
    "git reins oracle list",
    "git reins fixture verify",
    "git reins freeze list",
    "git reins hooks status",
    "git reins doctor",
];

/// What is asked about verdicts; the judge runs, and its record is folded.
const VERDICTS: &[&str] = &[
    "git reins judge",
    "git reins judge --admit",
    "git reins reconcile --dry-run",
    "git reins reconcile --dry-run --json",
    "git reins adjudicate .gitreins/history",
    "git reins adjudicate --json .gitreins/history",
    "git reins recompute .gitreins/history/*/*",
    "git reins recompute --json .gitreins/history/*/*",
];

/// The formats that a report has besides the two that every state shows.
const FORMATS: &[&str] = &[
    "git reins report --format markdown",
    "git reins report --format github",
    "git reins report --format sarif",
    "git reins report --format gitlab",
    "git reins report --format junit",
];

/// A property that holds unless the code says `bad`, and a policy that runs it on any machine.
fn start() -> Story {
    let story = Story::start();
    let judged = POLICY.replace(
        "[[check]]",
        "[judge]\nrequire = []\n[[check]]\nquarantine_eligible = true",
    );
    let run = "[\"sh\", \"{property_file}\", \"{property}\", \"{seed}\"]";
    let judged = judged.replace("[\"true\", \"{property_file}\", \"{property}\"]", run);
    story.git(&["switch", "-q", "main"]);
    story.write(".gitreins/reins.toml", &judged);
    story.write(".gitignore", ".gitreins/history\n");
    story.write("properties/balance.py", "! grep -q bad src/account.py\n");
    story.commit("a policy that can be judged here");
    story.git(&["branch", "-q", "-f", "topic"]);
    story.git(&["switch", "-q", "topic"]);
    story
}

/// Ledgers with one row, pinned on this machine and committed on `topic`.
fn ready() -> Story {
    let story = start();
    put(&story, &["bal-01"]);
    story.commit("ledgers");
    story
}

/// Writes ledgers with rows, pinned on this machine.
fn put(story: &Story, ids: &[&str]) {
    story.put(&story.ledgers(ids));
    pin(story);
}

fn pin(story: &Story) {
    story.git(&[
        "rm",
        "-q",
        "--cached",
        "--ignore-unmatch",
        "ledger/fixture.json",
    ]);
    let line =
        "rm -f ledger/fixture.json && git reins fixture pin --epoch epoch-1 --runner-image auto";
    let _pinned = story.shell(line).expect(0);
}

/// Adds a row to the oracle ledger of the worktree.
fn add_row(story: &Story, id: &str) {
    let mut oracle: Value =
        serde_json::from_str(&story.read("ledger/oracle.json")).expect("a ledger");
    let rows = oracle["oracles"].as_array_mut().expect("rows");
    rows.push(story.row(id));
    story.write("ledger/oracle.json", &format!("{oracle:#}\n"));
}

/// The state after the record of a trial was folded.
fn folded(story: &Story, code: i32) {
    let _judged = story.shell("git reins judge").expect(code);
    let _folded = story.shell("git reins reconcile").expect(0);
}

fn all(parts: &[&[&'static str]]) -> Vec<&'static str> {
    parts.concat()
}

#[test]
fn without_policy() {
    let story = start();
    story.git(&["rm", "-q", ".gitreins/reins.toml"]);
    story.commit("no policy");
    story.land();
    story.patch("one");
    insta::assert_snapshot!(answers(&story, &all(&[QUESTIONS, VERDICTS])));
}

#[test]
fn unborn_branch() {
    let story = start();
    story.git(&["switch", "-q", "--orphan", "unborn"]);
    story.git(&["branch", "-q", "-D", "main", "topic"]);
    insta::assert_snapshot!(answers(&story, &all(&[QUESTIONS, VERDICTS])));
}

#[test]
fn empty_range() {
    let story = ready();
    story.land();
    insta::assert_snapshot!(answers(&story, &all(&[QUESTIONS, VERDICTS])));
}

#[test]
fn ledgers_without_a_patch() {
    let story = ready();
    insta::assert_snapshot!(answers(&story, &all(&[QUESTIONS, VERDICTS])));
}

#[test]
fn patch_without_a_trial() {
    let story = ready();
    story.patch("one");
    insta::assert_snapshot!(answers(&story, &all(&[QUESTIONS, VERDICTS])));
}

#[test]
fn patch_admitted() {
    let story = ready();
    story.patch("one");
    folded(&story, 0);
    insta::assert_snapshot!(answers(&story, &all(&[QUESTIONS, FORMATS, VERDICTS])));
}

#[test]
fn late_row() {
    let story = ready();
    story.patch("one");
    add_row(&story, "bal-02");
    story.commit("a row after the patch");
    insta::assert_snapshot!(answers(&story, &all(&[QUESTIONS, FORMATS, VERDICTS])));
}

#[test]
fn row_and_patch_in_one_commit() {
    let story = start();
    put(&story, &["bal-01"]);
    story.patch("and row");
    insta::assert_snapshot!(answers(&story, &all(&[QUESTIONS, VERDICTS])));
}

#[test]
fn failing_seed_is_frozen() {
    let story = start();
    let expires = story.shell("date -u -d +9days +%F").expect(0).stdout;
    let mut ledgers = story.ledgers(&["bal-01", "bal-02"]);
    ledgers.freezes = vec![story.freeze("bal-02", expires.trim())];
    story.put(&ledgers);
    pin(&story);
    story.commit("ledgers");
    story.land();
    story.patch("one");
    let results = json!([
        {"property_id": "bal-01", "status": "pass"},
        {"property_id": "bal-02", "status": "fail"},
    ]);
    story.hand_in(&results.to_string());
    let handed_in = [
        "git reins admit --results ../results.json",
        "git reins admit --results ../results.json --json",
        "git reins report --results ../results.json",
        "git reins report --results ../results.json --json",
    ];
    insta::assert_snapshot!(answers(&story, &all(&[QUESTIONS, &handed_in, VERDICTS])));
}

#[test]
fn trial_refused() {
    let story = ready();
    story.patch("bad");
    folded(&story, 1);
    insta::assert_snapshot!(answers(&story, &all(&[QUESTIONS, VERDICTS])));
}

#[test]
fn verdict_of_another_patch() {
    let story = ready();
    story.patch("one");
    folded(&story, 0);
    story.patch("two");
    insta::assert_snapshot!(answers(&story, &all(&[QUESTIONS, VERDICTS])));
}

#[test]
fn broken_ledger() {
    let story = ready();
    story.patch("one");
    story.replace(
        "ledger/oracle.json",
        "\"sees_diff\": false",
        "\"sees_diff\": 7",
    );
    story.commit("a member of the wrong type");
    insta::assert_snapshot!(answers(&story, &all(&[QUESTIONS, VERDICTS])));
}

#[test]
fn patch_to_a_path_for_people() {
    let story = ready();
    story.write("src/auth/login.py", "def login(): ...\n");
    story.commit("patch to a path for people");
    folded(&story, 0);
    insta::assert_snapshot!(answers(&story, &all(&[QUESTIONS, VERDICTS])));
}

#[test]
fn policy_that_cannot_be_read() {
    let story = ready();
    story.patch("one");
    story.git(&["switch", "-q", "main"]);
    story.write(
        ".gitreins/reins.toml",
        "schema = 1\n[verdict]\nneeded = 1\n",
    );
    story.commit("a policy with an unknown section");
    story.git(&["switch", "-q", "topic"]);
    insta::assert_snapshot!(answers(&story, &all(&[QUESTIONS, VERDICTS])));
}

#[test]
fn push_of_a_refused_branch() {
    let story = ready();
    story.land();
    story.git(&["init", "-q", "--bare", "-b", "main", "../server.git"]);
    story.git(&["remote", "add", "origin", "../server.git"]);
    story.git(&["push", "-q", "origin", "main"]);
    story.git(&["remote", "set-head", "origin", "main"]);
    add_row(&story, "bal-02");
    story.patch("and row");
    let pushes = [
        "git reins hooks install",
        "git push origin topic",
        "git push origin topic:main",
        "git push origin main:refs/heads/copy",
        "git push origin :main",
        "git reins hooks status",
        "git reins hooks status --json",
        "git reins doctor",
        "git reins doctor --json",
        "git reins hooks uninstall",
    ];
    insta::assert_snapshot!(answers(&story, &pushes));
}
