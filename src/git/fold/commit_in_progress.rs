//! Waits while a person's commit seems to be in progress, since git refuses that commit when HEAD
//! moves.
#![expect(
    clippy::disallowed_methods,
    reason = "git::fold looks at what git wrote last"
)]

use std::fs;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::error::FoldError;
use super::lock::is_there;
use crate::git::plumbing::GitPlace;

/// Who has staged something and does not commit within this time is doing something else.
const QUIET: Duration = Duration::from_secs(1);

/// So long a better moment is waited for: a person's commit takes milliseconds, but its message minutes.
const PATIENCE: Duration = Duration::from_secs(2);

/// So often is looked: the best moment is the one after a commit.
const PAUSE: Duration = Duration::from_millis(2);

/// Waits, but not for long, until nobody seems to commit, or until `still` says that HEAD moved.
///
/// `git commit` reads HEAD, writes the index, then the message, and moves HEAD at the end. So it is
/// under way, or about to begin, when index or message were written just now, and HEAD did not move
/// since. That is courtesy and no lock: a fold that is wrong about it harms nothing, but git tells
/// the person to commit again.
pub(super) fn wait(
    place: &GitPlace,
    still: impl Fn() -> Result<(), FoldError>,
) -> Result<(), FoldError> {
    let start = Instant::now();
    while !is_quiet(place) && start.elapsed() < PATIENCE {
        thread::sleep(PAUSE);
        still()?;
    }
    still()
}

fn is_quiet(place: &GitPlace) -> bool {
    let path = |name: &str| place.git_dir.join(name);
    let written = |name: &str| {
        fs::symlink_metadata(path(name))
            .and_then(|file| file.modified())
            .ok()
    };
    if is_there(&path("index.lock")) {
        return false;
    }
    let Some(begun) = written("index").max(written("COMMIT_EDITMSG")) else {
        return true;
    };
    written("logs/HEAD").is_some_and(|moved| moved >= begun) || is_old(begun)
}

/// A clock that was set back tells nothing, and is not waited for.
fn is_old(moment: SystemTime) -> bool {
    moment.elapsed().map_or(true, |age| age >= QUIET)
}
