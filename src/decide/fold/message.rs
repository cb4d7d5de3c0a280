//! Writes the message of a fold. Validated words, and no text of a judge.

use std::collections::BTreeMap;

use super::{Fold, Heading, Plan, Record};
use crate::model::ids::Sha256;

/// A commit message lists at most this many verdicts.
const LISTED: usize = 1000;

impl Plan {
    /// The first line of the message.
    pub fn subject(&self) -> String {
        if let [fold] = self.folds.as_slice() {
            let hash = &fold.dir.hash;
            return match &fold.record {
                Record::Verdict(Heading { tier1, tier2, .. }) => {
                    format!("[artifact] fold judge verdict {hash} (tier1 {tier1}, tier2 {tier2})")
                }
                Record::Trial(verdict) => {
                    format!("[artifact] fold judge verdict {hash} (trial {verdict})")
                }
                Record::Resolution => format!("[artifact] fold judge record {hash} (resolution)"),
            };
        }
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for fold in &self.folds {
            let kind = match &fold.record {
                Record::Verdict(heading) => format!("tier1 {}", heading.tier1),
                Record::Trial(verdict) => format!("trial {verdict}"),
                Record::Resolution => "resolution".to_owned(),
            };
            *counts.entry(kind).or_default() += 1;
        }
        let counts: Vec<_> = counts
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        format!(
            "[artifact] fold {} judge verdicts ({})",
            self.folds.len(),
            counts.join(", ")
        )
    }

    /// The whole message: the subject and a line for each verdict, all from validated words, so
    /// that no text of a judge becomes a line or a trailer of its own.
    pub fn message(&self) -> String {
        let mut text = self.subject() + "\n\n";
        for fold in self.folds.iter().take(LISTED) {
            text += &format!("{} {}\n", fold.dir, fold.words());
        }
        if self.folds.len() > LISTED {
            text += &format!("and {} more\n", self.folds.len() - LISTED);
        }
        text
    }
}

impl Fold {
    /// What the record says, in validated words.
    pub fn words(&self) -> String {
        match &self.record {
            Record::Verdict(heading) => {
                let rerun = if heading.by_rerun { " rerun pass" } else { "" };
                let task = task_word(&heading.task);
                format!(
                    "task {task} tier1 {} tier2 {}{rerun}",
                    heading.tier1, heading.tier2
                )
            }
            Record::Trial(verdict) => format!("trial {verdict}"),
            Record::Resolution => "resolution".to_owned(),
        }
    }
}

/// A task id as one plain word; one of another form by the beginning of its digest.
pub fn task_word(task: &str) -> String {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/' | b'#');
    let first = task
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphanumeric());
    match first && task.len() <= 64 && task.bytes().all(plain) {
        true => task.to_owned(),
        false => format!("sha256-{}", &task_key(task)[..16]),
    }
}

/// The SHA-256 of a task id in hex: a name for files that remember something about it.
pub fn task_key(task: &str) -> String {
    Sha256::of(task).to_string()
}
