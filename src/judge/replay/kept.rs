//! Keeps replays in the common git directory until a freeze rests on them.

use std::path::Path;

use crate::model::ids::Sha256;
use crate::model::path::RepoPath;
use crate::model::record::{self, RecordFault};
use crate::model::replay::Replay;
use crate::sys::files::{FileError, Root};

/// Keeps a replay in the common git directory, once for each of its seeds, in the place of an older
/// one of the same seed.
///
/// # Errors
/// When the disk says no.
pub fn keep(common: &Path, replay: &Replay) -> Result<(), FileError> {
    let (root, text) = (Root::open(common)?, record::print(replay));
    let mut places = replay
        .seeds
        .iter()
        .map(|seed| place(seed.property_id.as_str(), &seed.seed));
    places.try_for_each(|place| root.replace(&place, text.as_bytes()))
}

/// The latest replay of a seed that was kept; `None` when there is none.
///
/// # Errors
/// When it cannot be read; the inner fault is that of a file that is no record.
pub fn kept(
    common: &Path,
    property: &str,
    seed: &str,
) -> Result<Option<Result<Replay, RecordFault>>, FileError> {
    let bytes = Root::open(common)?.read(&place(property, seed))?;
    Ok(bytes.map(|bytes| record::parse(&bytes)))
}

fn place(property: &str, seed: &str) -> RepoPath {
    let key = Sha256::of(format!("{property}\n{seed}").as_bytes()).to_string();
    format!("reins/replays/{key}.json")
        .parse()
        .expect("hex digits make a safe path")
}
