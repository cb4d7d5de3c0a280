//! Merges three versions of a file as text, with conflict markers.

use std::path::Path;

use super::plumbing::{Git, GitPlace, PlumbingError};

/// Merges as `git merge-file` does: the text, and whether there are conflicts in it; `None` for
/// what git does not take for text.
///
/// # Errors
/// When git cannot be run.
pub fn merge_file(
    place: &GitPlace,
    [ours, base, theirs]: [&Path; 3],
    labels: [&str; 3],
    marker_size: usize,
) -> Result<Option<(Vec<u8>, bool)>, PlumbingError> {
    let size = format!("--marker-size={marker_size}");
    let git = Git::at(place).args(["merge-file", "-p", "--quiet", &size]);
    let git = labels
        .iter()
        .fold(git, |git, label| git.args(["-L", label]));
    // the exit code counts the conflicts, up to 127
    Ok(match git.args(["--"]).args([ours, base, theirs]).ended()? {
        (text, Some(0)) => Some((text, false)),
        (text, Some(1..=127)) => Some((text, true)),
        (_, Some(_) | None) => None,
    })
}
