//! Splits a patch into sections and refuses a change outside of one.

use super::change::{Change, Diff};
use super::fault::{DiffFault, Problem};
use super::lines::Lines;
use super::{body, header};

/// Reads a patch: `git diff`, `git format-patch`, several of them in a row.
///
/// # Errors
/// When it changes nothing, or is not read as a whole: with the line and what is wrong there.
pub fn parse(patch: &[u8]) -> Result<Diff, DiffFault> {
    let mut lines = Lines::new(patch);
    let mut changes = Vec::new();
    while let Some(line) = lines.peek() {
        if line.starts_with(b"diff --git ") {
            let heading = header::read(&mut lines)?;
            let body = body::read(&mut lines, &heading)?;
            changes.push(Change {
                kind: heading.kind,
                before: heading.before,
                after: heading.after,
                binary: body.binary,
                added: body.added,
                removed: body.removed,
            });
        } else {
            is_talk(line).map_err(|problem| lines.fault(problem))?;
            lines.next();
        }
    }
    if changes.is_empty() {
        Err(lines.fault(Problem::NoChange))
    } else {
        Ok(Diff { changes })
    }
}

/// Whether a line outside of all sections is talk (a mail's head, its text, a signature) that
/// git passes over, too.
fn is_talk(line: &[u8]) -> Result<(), Problem> {
    let begins = |prefixes: &[&str]| {
        prefixes
            .iter()
            .any(|prefix| line.starts_with(prefix.as_bytes()))
    };
    if begins(&["diff --cc ", "diff --combined ", "@@@"]) {
        Err(Problem::Combined)
    } else if begins(&["--- ", "+++ ", "@@ ", "GIT binary patch", "Binary files "]) {
        Err(Problem::Stray)
    } else {
        Ok(())
    }
}
