//! Reads what a run left in its result file.

use super::command::{Invocation, Source};
use super::fault::TrialError;
use super::result;
use super::workdir::Workdir;
use crate::decide::outcome::Results;
use crate::model::run::Ran;
use crate::sys::files::{self, FileError};

/// What the result file says. It was written by the code under test: a link there leads nowhere
/// that a copy would not.
///
/// # Errors
/// When the file cannot be looked for.
pub(super) fn results(
    invocation: &Invocation,
    ran: &Ran,
    (workdir, seed): (&Workdir, &str),
) -> Result<Results, TrialError> {
    let Some(expected) = &invocation.result else {
        return Ok(Results::NotExpected);
    };
    let bytes = match &expected.source {
        Source::Stdout
            if ran.stdout.bytes as usize > ran.stdout.head.len() + ran.stdout.tail.len() =>
        {
            return Ok(Results::Unreadable(
                "more was printed than is kept".to_owned(),
            ));
        }
        Source::Stdout => [ran.stdout.head.as_slice(), &ran.stdout.tail].concat(),
        Source::File(path) => match workdir
            .left(path)?
            .map_or(Ok(None), |path| files::read(&path))
        {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(Results::Missing),
            Err(error) => return Ok(Results::Unreadable(unreadable(&error))),
        },
    };
    Ok(match result::read(expected.format, &bytes, seed) {
        Ok(counts) => Results::Read {
            counts,
            require_executed: expected.require_executed,
        },
        Err(fault) => Results::Unreadable(fault.to_string()),
    })
}

/// Without the place, which is another one in every run.
fn unreadable(error: &FileError) -> String {
    match error {
        FileError::NotRegular { kind, .. } => format!("it is {kind}"),
        FileError::TooLarge { .. } => "it is too large".to_owned(),
        FileError::Shared { .. } => "it has more than one hard link".to_owned(),
        FileError::Changed { .. } => "it was changed".to_owned(),
        FileError::Io { source, .. } => source.to_string(),
    }
}
