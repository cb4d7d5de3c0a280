//! Makes the tree that the known-bad patch of a row makes of base.

use std::collections::BTreeMap;

use super::fault::TrialError;
use super::pin::TrialInputs;
use super::properties::Property;
use crate::git::Repo;
use crate::git::apply::{ApplyError, ScratchRepo};
use crate::ledger::file::HARD_CAP;
use crate::ledger::oracle::PinnedFile;
use crate::model::ids::{EntryState, ObjectId, OracleId, Sha256};

/// The whole trees that the known-bad patches of the rows that score make of base.
///
/// # Errors
/// When a patch is not there, is not the pinned one, or does not apply.
pub fn roots(
    repo: &Repo,
    scratch_repo: &ScratchRepo,
    inputs: &TrialInputs,
    properties: &[Property<'_>],
) -> Result<BTreeMap<OracleId, ObjectId>, TrialError> {
    let mut roots = BTreeMap::new();
    let tip = repo.commit(inputs.context.tip)?.tree;
    for property in properties.iter().filter(|property| property.scores) {
        let Some(file) = &property.row.witness_patch else {
            continue;
        };
        let fault = |why: String| TrialError::Witness {
            id: property.id.clone(),
            path: crate::model::path::shown(&file.path),
            why,
        };
        let bytes = bytes(repo, tip, file)?.map_err(fault)?;
        let root = match scratch_repo.apply(inputs.base_root, &bytes) {
            Err(ApplyError::Refused(words)) => {
                return Err(fault(format!(
                    "does not apply to base {}: {words}",
                    inputs.base.short()
                )));
            }
            root => root?,
        };
        roots.insert(property.id.clone(), root);
    }
    Ok(roots)
}

/// The bytes of a patch as its row pins them; the inner error completes "the known-bad patch".
fn bytes(
    repo: &Repo,
    tip: ObjectId,
    file: &PinnedFile,
) -> Result<Result<Vec<u8>, String>, TrialError> {
    let entry = repo
        .entry(tip, &file.path)?
        .filter(EntryState::is_usual_file);
    let Some(entry) = entry else {
        return Ok(Err("is no regular file in the commit".to_owned()));
    };
    let Some(bytes) = repo.blob(entry.id, HARD_CAP)? else {
        return Ok(Err(format!("has more than {HARD_CAP} bytes")));
    };
    let digest = Sha256::of(&bytes).to_string();
    Ok(if digest == file.sha256 {
        Ok(bytes)
    } else {
        Err(format!("has sha256 {digest}, not the pinned one"))
    })
}
