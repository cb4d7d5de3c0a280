//! Decides which verdict directories are folded into a commit, and which faults block it.
//!
//! All or nothing: one fault among the chosen directories refuses the whole fold. A fold
//! of named directories takes those only.

mod message;

pub use message::{task_key, task_word};

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

use crate::gitreins::json::{Json, parse};
use crate::model::day::Day;
use crate::model::decision::Detail;
use crate::model::ids::Sha256;
use crate::model::path::{RepoPath, file_name};
use crate::model::refusal::Code;
use crate::model::shell::word;

/// The file that makes a directory a verdict directory.
pub const VERDICT: &str = "verdict.json";
/// A hint names at most this many directories.
const NAMED: usize = 12;

/// The name of a verdict directory: `<UTC date>/<hash>`, the hash 8 to 64 lower-case hex digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VerdictDir {
    /// The day on which it was written.
    pub day: Day,
    /// The hash that the judge gave it.
    pub hash: String,
}

impl VerdictDir {
    /// Whether a text has the form of a hash.
    pub fn is_hash(text: &str) -> bool {
        let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (8..=64).contains(&text.len()) && text.bytes().all(hex)
    }
}

impl FromStr for VerdictDir {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (day, hash) = text.split_once('/').ok_or(())?;
        let day = day.parse().map_err(|_| ())?;
        Self::is_hash(hash)
            .then(|| Self {
                day,
                hash: hash.to_owned(),
            })
            .ok_or(())
    }
}

impl fmt::Display for VerdictDir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.day, self.hash)
    }
}

/// What a verdict directory records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A graded task.
    Verdict(Heading),
    /// A trial of our own judge: admit, hold or reject.
    Trial(&'static str),
    /// A decision of GitReins' resolution gate: folded, but no verdict.
    Resolution,
}

/// What the message says about a graded task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The task, as it was written.
    pub task: String,
    /// The word for tier 1: pass, timeout, fail, ungraded.
    pub tier1: &'static str,
    /// The word for tier 2: PASS, FAIL, NO_EVIDENCE, ABSENT.
    pub tier2: &'static str,
    /// Whether it is complete although tier 1 timed out once: by running it again.
    pub by_rerun: bool,
}

/// What was found where `verdict.json` should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A record.
    Record(Record),
    /// Nothing, or the beginning of one: a judge is writing, or was killed while it did.
    Unfinished,
    /// Something that is no record.
    Unreadable(String),
}

/// Where the bytes are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// In the worktree.
    Disk,
    /// In the tree of a ref that GitReins writes.
    Ref(String),
}

/// A file that HEAD lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFact {
    /// Its path in the repository.
    pub path: RepoPath,
    /// The number of its bytes.
    pub size: u64,
    /// The digest of what was read and scanned: what is stored has to have it too.
    pub sha256: Sha256,
}

/// Something in a directory that no fold takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A name, or what stands behind it, is not safe to read or to store.
    Unsafe {
        /// What it is, in kebab case.
        reason: &'static str,
        /// Where, safe to print.
        path: String,
        /// What was found.
        observed: String,
    },
    /// A line, a name or a task id looks like a secret.
    Secret {
        /// The file, or the directory when the secret is the name of something in it.
        path: String,
        /// Where: `line 2`, `the name of a file`, `the task id`.
        place: String,
        /// The marker.
        marker: String,
    },
    /// A verdict that HEAD holds has other bytes on disk.
    Rewritten {
        /// The file.
        path: String,
    },
}

/// A verdict directory that HEAD does not hold as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its name.
    pub dir: VerdictDir,
    /// Where its bytes are.
    pub source: Source,
    /// What it records.
    pub reading: Reading,
    /// The files that HEAD lacks, without those that are left out.
    pub files: Vec<FileFact>,
    /// What stands against it.
    pub faults: Vec<Fault>,
}

/// What was found out before anything is decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The directories that were chosen, all when none was named.
    pub candidates: Vec<Candidate>,
    /// What lies in the history directory and is no verdict directory; nothing when some were named.
    pub strays: Vec<Fault>,
    /// Whether names were given.
    pub is_named: bool,
    /// How many directories HEAD holds and the disk lacks.
    pub missing: usize,
    /// Paths in the history directory that are passed over.
    pub clutter: Vec<String>,
    /// Directories that were named and that HEAD holds already.
    pub held: Vec<VerdictDir>,
    /// The history directory.
    pub history: String,
}

/// A directory that is folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Its name.
    pub dir: VerdictDir,
    /// Where its bytes are.
    pub source: Source,
    /// What it records.
    pub record: Record,
    /// Its files that HEAD lacks.
    pub files: Vec<FileFact>,
}

/// A directory that is left alone this time, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Skip {
    /// Its name.
    pub dir: String,
    /// Why, in kebab case.
    pub reason: &'static str,
}

/// What will be done, or why nothing is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The directories, in the order of their names; empty when something refuses.
    pub folds: Vec<Fold>,
    /// What is left alone.
    pub skipped: Vec<Skip>,
    /// What stands against it.
    pub refusals: Vec<Detail>,
    /// What was named and HEAD holds already.
    pub held: Vec<VerdictDir>,
    /// Whether a directory that was named waits: what was asked for is not done.
    pub is_waiting: bool,
    /// What else is to be known, a line each.
    pub notes: Vec<String>,
}

/// Whether a file of a verdict directory stays out of the commit; `inner` is its path in there.
///
/// Bulky output of our own trials never belongs into a commit. A name that a writer gives a file
/// until it is complete is nobody's record.
pub fn is_left_out(inner: &str, is_trial: bool, compact: bool) -> bool {
    let logs = inner.starts_with("logs/") || inner == "logs";
    let bulky = logs
        || [".log", ".patch", "log.tail.txt"]
            .iter()
            .any(|end| inner.ends_with(end));
    is_temporary(inner) || is_trial && logs || compact && bulky
}

/// Whether a name is one that people's tools put into any directory, and no record of a judge.
pub fn is_clutter(name: &str) -> bool {
    matches!(name, ".DS_Store" | ".gitignore" | ".gitkeep" | "Thumbs.db")
}

/// `verdict.json.tmp-123` of GitReins, `.verdict.json.reins-123` of ours.
fn is_temporary(inner: &str) -> bool {
    let name = file_name(inner);
    let numbered = |mark: &str| {
        let number = name.rsplit_once(mark).map(|(_, number)| number);
        number.is_some_and(|number| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    numbered(".tmp-") || name.starts_with('.') && numbered(".reins-")
}

/// Whether two texts are the same verdict: GitReins writes one anew to say what superseded it.
pub fn same_verdict(one: &[u8], other: &[u8]) -> bool {
    let without_marks = |bytes: &[u8]| match parse(bytes) {
        Ok(Json::Object(mut members)) => {
            members.remove("superseded_by");
            members.remove("superseded_at");
            Some(members)
        }
        Ok(_) | Err(_) => None,
    };
    one == other || without_marks(one).is_some_and(|one| Some(one) == without_marks(other))
}

/// Decides.
pub fn plan(facts: &Facts) -> Plan {
    let mut plan = Plan {
        notes: notes(facts),
        held: facts.held.clone(),
        ..Plan::default()
    };
    let held = facts.held.iter().map(|dir| Skip {
        dir: dir.to_string(),
        reason: "folded-already",
    });
    plan.skipped.extend(held);
    plan.refusals.extend(
        facts
            .strays
            .iter()
            .map(|fault| detail(fault, "history", facts)),
    );
    for candidate in &facts.candidates {
        let subject = candidate.dir.to_string();
        let faults = candidate.faults.iter();
        match &candidate.reading {
            Reading::Unfinished if candidate.faults.is_empty() => {
                plan.skipped.push(Skip {
                    dir: subject,
                    reason: "unfinished",
                });
                plan.is_waiting |= facts.is_named;
            }
            Reading::Unfinished => plan
                .refusals
                .extend(faults.map(|fault| detail(fault, &subject, facts))),
            Reading::Unreadable(why) => plan.refusals.push(no_verdict(&subject, why, facts)),
            Reading::Record(record) => {
                plan.refusals
                    .extend(faults.map(|fault| detail(fault, &subject, facts)));
                if !candidate.files.is_empty() {
                    plan.folds.push(Fold {
                        dir: candidate.dir.clone(),
                        source: candidate.source.clone(),
                        record: record.clone(),
                        files: candidate.files.clone(),
                    });
                }
            }
        }
    }
    plan.refusals.sort();
    plan.refusals.dedup();
    if !plan.refusals.is_empty() {
        plan.folds.clear();
    }
    plan
}

fn notes(facts: &Facts) -> Vec<String> {
    let history = word(&format!(":/{}", facts.history));
    let mut notes: Vec<_> = facts
        .clutter
        .iter()
        .map(|path| format!("{path} is passed over"))
        .collect();
    if facts.missing > 0 {
        let what = if facts.missing == 1 {
            "directory"
        } else {
            "directories"
        };
        notes.push(format!(
            "the disk lacks {} verdict {what} that HEAD holds: do not git commit -a; to restore: git restore -- {history}",
            facts.missing
        ));
    }
    for it in facts
        .candidates
        .iter()
        .filter(|it| !matches!(it.source, Source::Disk))
    {
        let path = word(&format!(":/{}/{}", facts.history, it.dir));
        notes.push(format!(
            "{} comes from a ref and is not on disk; once folded: git restore -- {path}",
            it.dir
        ));
    }
    notes
}

fn no_verdict(subject: &str, why: &str, facts: &Facts) -> Detail {
    let path = format!("{}/{subject}/{VERDICT}", facts.history);
    let fix = without(facts, subject);
    Detail::new(Code::PathUnsafe, "no-verdict", subject)
        .path(path)
        .saw(why, "a verdict in JSON")
        .fix(fix)
}

fn detail(fault: &Fault, subject: &str, facts: &Facts) -> Detail {
    match fault {
        Fault::Unsafe {
            reason,
            path,
            observed,
        } => {
            let expected = "regular files with one name each, below <date>/<hash>";
            let fix = without(facts, subject);
            Detail::new(Code::PathUnsafe, reason, subject)
                .path(path)
                .saw(observed.as_str(), expected)
                .fix(fix)
        }
        Fault::Secret {
            path,
            place,
            marker,
        } => {
            let observed = format!("{marker} in {place}");
            let inner = path
                .strip_prefix(&format!("{}/{subject}/", facts.history))
                .unwrap_or(path);
            let fix = match is_left_out(inner, false, true) {
                true => {
                    format!(
                        "leave logs and patches out: git reins reconcile --compact {}",
                        word(subject)
                    )
                }
                false => Code::SecretSuspected.entry().remedy.to_owned(),
            };
            let found = Detail::new(Code::SecretSuspected, "secret-marker", subject).path(path);
            found
                .saw(observed, "no text that looks like a secret")
                .fix(fix)
        }
        Fault::Rewritten { path } => {
            let fix = format!(
                "git restore --source=HEAD --worktree -- {}",
                word(&format!(":/{path}"))
            );
            let found = Detail::new(Code::VerdictRewritten, "folded-bytes", subject).path(path);
            found
                .saw(
                    "other bytes than HEAD holds",
                    "the folded bytes, apart from superseded_by and _at",
                )
                .fix(fix)
        }
    }
}

/// How the others are folded although something stands against one: by their names. When there
/// is no other, the directory is moved away, or looked at.
fn without(facts: &Facts, subject: &str) -> String {
    let is_ready =
        |it: &&Candidate| it.faults.is_empty() && matches!(it.reading, Reading::Record(_));
    let ready: Vec<_> = facts
        .candidates
        .iter()
        .filter(is_ready)
        .map(|it| it.dir.to_string())
        .collect();
    let top = "\"$(git rev-parse --show-toplevel)\"";
    if !ready.is_empty() && ready.len() <= NAMED {
        format!("fold the others: git reins reconcile {}", ready.join(" "))
    } else if subject.parse::<VerdictDir>().is_ok() {
        let path = word(&format!("{}/{subject}", facts.history));
        format!("move it away: mv -- {top}/{path} \"${{TMPDIR:-/tmp}}/\"")
    } else {
        format!("take it away: ls -lab -- {top}/{}", word(&facts.history))
    }
}

impl Plan {
    /// The tasks that become complete by having been run again.
    pub fn completed(&self) -> impl Iterator<Item = (&Fold, &str)> {
        self.folds.iter().filter_map(|fold| match &fold.record {
            Record::Verdict(heading) if heading.by_rerun => Some((fold, heading.task.as_str())),
            Record::Verdict(_) | Record::Trial(_) | Record::Resolution => None,
        })
    }

    /// The codes of the refusals, sorted, each once.
    pub fn codes(&self) -> Vec<Code> {
        self.refusals
            .iter()
            .map(|detail| detail.code)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }
}

#[cfg(test)]
mod tests;
