//! Runs the foreman's command for each task that is complete.
//!
//! A note is written before the commit that completes a task. Once HEAD holds the verdict, the
//! command runs and a mark replaces the note. A run that fails leaves the note, and the next fold
//! tries again. A crash between the command and the mark makes it run twice: the command runs at
//! least once.

use std::ffi::OsString;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{VerdictStore, VerdictsError, grading};
use crate::decide::fold::{Plan, Reading, Record, VERDICT, VerdictDir, task_key, task_word};
use crate::model::ids::{EntryState, ObjectId};
use crate::model::path::RepoPath;
use crate::model::reverification::REVERIFY_FILE;
use crate::model::run::End;
use crate::policy::placeholder::{Piece, pieces};
use crate::sys::files::{FileError, READ_CAP, Root};
use crate::sys::process::{Program, run};
use crate::sys::untrusted_dir::EntryKind;

/// A longer id, in bytes, is not handed to a command.
const TASK_SIZE: usize = 1024;

/// A task whose command has not succeeded yet.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    task_id: String,
    /// The file that HEAD holds once the task is complete.
    verdict: String,
}

/// How the command of one task ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Completion {
    /// The task, as one plain word.
    pub task: String,
    /// Whether the command succeeded.
    pub done: bool,
    /// How it ended, in words.
    pub end: String,
}

/// Notes what a plan completes, for the tasks whose command has not run yet.
///
/// # Errors
/// When a note cannot be written: then nothing may be folded.
pub fn note(common: &Root, plan: &Plan, verdicts: &VerdictStore<'_>) -> Result<(), FileError> {
    for (fold, task) in plan.completed() {
        write(
            common,
            task,
            format!("{}/{REVERIFY_FILE}", verdicts.path(&fold.dir)),
        )?;
    }
    Ok(())
}

/// Notes what directories complete that the tree `head` holds already: a person may have committed
/// them. Only those that were named: in a clone, every task of the past would be completed anew.
///
/// # Errors
/// When the repository cannot be read, or a note not be written.
pub fn note_held(
    common: &Root,
    dirs: &[VerdictDir],
    verdicts: &VerdictStore<'_>,
    head: ObjectId,
) -> Result<(), VerdictsError> {
    let bytes = |path: &str| match verdicts.repo.entry(head, path)?.filter(EntryState::is_file) {
        Some(entry) => verdicts.repo.blob(entry.id, READ_CAP),
        None => Ok(None),
    };
    for dir in dirs {
        let path = verdicts.path(dir);
        let rerun = format!("{path}/{REVERIFY_FILE}");
        let Some(verdict) = bytes(&format!("{path}/{VERDICT}"))? else {
            continue;
        };
        if let Reading::Record(Record::Verdict(heading)) =
            grading::reading(&verdict, bytes(&rerun)?.as_deref())
            && heading.by_rerun
        {
            write(common, &heading.task, rerun)?;
        }
    }
    Ok(())
}

fn write(common: &Root, task: &str, verdict: String) -> Result<(), FileError> {
    if common.read(&mark(task))?.is_some() {
        return Ok(());
    }
    let note = Note {
        task_id: task.to_owned(),
        verdict,
    };
    let text = serde_json::to_string(&note).expect("a note is two texts");
    common.replace(&pending(task), text.as_bytes())
}

/// Runs the command for each noted task whose verdict the tree `head` holds.
///
/// # Errors
/// When notes cannot be read, or a mark cannot be written.
pub fn complete(
    common: &Root,
    command: &[String],
    verdicts: &VerdictStore<'_>,
    head: Option<ObjectId>,
) -> Result<Vec<Completion>, VerdictsError> {
    let mut ended = Vec::new();
    let notes = common.folder(&"reins/pending".parse().expect("a constant path is safe"))?;
    let (Some(notes), Some(head), [program, args @ ..]) = (notes, head, command) else {
        return Ok(ended);
    };
    for entry in notes
        .list()?
        .into_iter()
        .filter(|entry| entry.kind == EntryKind::File)
    {
        let Ok(name) =
            format!("reins/pending/{}", String::from_utf8_lossy(&entry.name)).parse::<RepoPath>()
        else {
            continue;
        };
        // whoever holds a note is running its command, perhaps this very one
        let Some(held) = common.hold_file(&name)? else {
            continue;
        };
        let Some(note) = held
            .text()
            .and_then(|text| serde_json::from_str::<Note>(&text).ok())
        else {
            continue;
        };
        if common.read(&mark(&note.task_id))?.is_some() {
            common.remove(&name)?;
            continue;
        }
        if verdicts.repo.entry(head, &note.verdict)?.is_none() {
            continue;
        }
        let (done, end) = match unfit(&note.task_id) {
            Some(why) => (false, format!("not run, and not tried again: {why}")),
            None => {
                // if we are killed, the command holds the note until it ends
                let _inherited = held.inherited();
                ran((program, args), &note.task_id, verdicts)
            }
        };
        if done || unfit(&note.task_id).is_some() {
            common.replace(&mark(&note.task_id), note.verdict.as_bytes())?;
            common.remove(&name)?;
        }
        ended.push(Completion {
            task: task_word(&note.task_id),
            done,
            end,
        });
    }
    Ok(ended)
}

/// Runs the command for one task: whether it succeeded, and how it ended.
fn ran(
    (program, args): (&String, &[String]),
    task: &str,
    verdicts: &VerdictStore<'_>,
) -> (bool, String) {
    let args: Vec<OsString> = args.iter().map(|arg| filled(arg, task).into()).collect();
    let program = Program {
        path: Path::new(program),
        args: &args,
        dir: verdicts.root.path(),
        input: b"",
    };
    match run(program) {
        Ok(End::Exit(0)) => (true, "exit 0".to_owned()),
        Ok(End::Exit(code)) => (false, format!("exit {code}")),
        Ok(End::Signal(signal)) => (false, format!("signal {signal}")),
        Ok(End::Timeout | End::OutputLimit | End::Missing(_) | End::NotStarted(_)) => {
            (false, "not run to its end".to_owned())
        }
        Err(error) => (false, error.to_string()),
    }
}

/// Why a task id is no argument of a command.
fn unfit(task: &str) -> Option<&'static str> {
    if task.contains('\0') {
        Some("the task id holds a zero byte")
    } else if task.len() > TASK_SIZE {
        Some("the task id is longer than 1 KiB")
    } else {
        task.starts_with('-')
            .then_some("the task id begins with '-' and would be an option")
    }
}

fn filled(word: &str, task: &str) -> String {
    let fill = |piece| match piece {
        Piece::Text(text) => text,
        Piece::Hole(_) => task,
    };
    pieces(word).into_iter().map(fill).collect()
}

fn mark(task: &str) -> RepoPath {
    path("completed", task)
}

fn pending(task: &str) -> RepoPath {
    path("pending", task)
}

fn path(folder: &str, task: &str) -> RepoPath {
    format!("reins/{folder}/{}", &task_key(task)[..32])
        .parse()
        .expect("digits of a digest are safe")
}
