//! Do the commands that a finding prints help as they stand?

use std::collections::BTreeSet;

use git_reins::model::refusal::Code;
use serde_json::Value;

use super::refusals::{CASES, Case};
use super::story::{Story, in_parallel};

/// What a person writes where a remedy leaves a word open.
const OPEN: &[(&str, &str)] = &[
    ("--by NAME", "--by ada"),
    ("--epoch NEW", "--epoch epoch-9"),
    ("--epoch ID", "--epoch epoch-9"),
    ("--check ID", "--check props"),
    ("PATH#HEADING", "spec/accounts.md#no-overdraft"),
    ("--file PATH", "--file properties/balance.py"),
    ("--property ID --seed S", "--property bal-02 --seed 0x9c1e"),
    ("--property ID", "--property bal-02"),
    ("--results FILE", "--results ../results.json"),
    ("BASE..TIP", "main..topic"),
    ("--runner-image ID", "--runner-image nix:/nix/store/abc"),
];

/// The commands of a remedy: none in prose.
fn commands(fix: &str) -> Option<String> {
    let at = if fix.starts_with("git ") {
        0
    } else {
        fix.find(": git ")? + 2
    };
    let fill = |line: String, (open, word): &(&str, &str)| line.replace(open, word);
    Some(OPEN.iter().fold(fix[at..].to_owned(), fill))
}

/// The remedies of an answer that are commands, each once.
fn remedies(json: &Value) -> BTreeSet<String> {
    let details = json["details"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let fixes = details
        .iter()
        .map(|detail| &detail["fix"])
        .chain([&json["fix"]]);
    fixes
        .filter_map(Value::as_str)
        .filter_map(commands)
        .collect()
}

/// Remedies that start with what a person has to write or to choose first.
const WRITTEN_FIRST: &[(Code, &str)] = &[
    (Code::EmptyPatch, "nothing-to-admit"),
    (Code::LedgerInvalid, "unreadable"),
    (Code::NoUnfrozenProperties, "empty-complement"),
    (Code::ResultsInvalid, "unknown-property"),
    (Code::ResultsInvalid, "unreadable"),
];

/// Remedies that judge: nothing does so in a build that enforces nothing of what the policy requires.
const JUDGED: &[Code] = &[Code::VerdictMissing, Code::VerdictStale];

/// What a case's remedies lead to.
enum Outcome {
    /// Prose alone.
    NoCommand,
    Helped,
    /// What still stands against it.
    DidNot(String),
}

/// Runs every remedy of a case, and asks again on the branch that they leave checked out.
fn outcome(case: &Case) -> Outcome {
    let (story, answer) = (case.tell)();
    let remedies = remedies(&answer.json);
    if remedies.is_empty() {
        return Outcome::NoCommand;
    }
    let line = remedies.into_iter().collect::<Vec<_>>().join(" && ");
    let run = story.shell(&line);
    let about = format!("{} ({}): $ {line}\n   ", case.code, case.reason);
    if run.code != Some(0) {
        return Outcome::DidNot(format!(
            "{about}{}",
            run.to_string().replace('\n', "\n    ")
        ));
    }
    let branch = story.git(&["branch", "--show-current"]);
    let after = if JUDGED.contains(&case.code) {
        story.by_trial()
    } else {
        story.check()
    };
    match after.run.code {
        Some(0 | 3) if !line.contains("oracle commit") || has_rows(&story) => Outcome::Helped,
        _ => Outcome::DidNot(format!(
            "{about} on {}, {}",
            branch.trim_end(),
            after.brief()
        )),
    }
}

/// Whether the rows are where the remedy put them.
fn has_rows(story: &Story) -> bool {
    story
        .git(&["show", "HEAD:ledger/oracle.json"])
        .contains("\"oracle_id\"")
}

#[test]
fn printed_commands_help_as_they_stand() {
    let judges = cfg!(all(feature = "sandbox", target_os = "linux"));
    let is_tried = |case: &&Case| {
        !WRITTEN_FIRST.contains(&(case.code, case.reason))
            && (judges || !JUDGED.contains(&case.code))
    };
    let cases: Vec<_> = CASES.iter().filter(is_tried).collect();
    let (mut helped, mut faults) = (0, Vec::new());
    for outcome in in_parallel(&cases, |case| outcome(case)) {
        match outcome {
            Outcome::NoCommand => {}
            Outcome::Helped => helped += 1,
            Outcome::DidNot(fault) => faults.push(fault),
        }
    }
    assert!(helped > 20, "only {helped} remedies were tried");
    assert!(
        faults.is_empty(),
        "{} remedies fail\n{}",
        faults.len(),
        faults.join("\n")
    );
}
