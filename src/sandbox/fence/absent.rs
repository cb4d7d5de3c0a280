//! Stands in for the fence in a build without a sandbox: it refuses every means.

use super::{Fence, FenceError, Ground, Within};

const NOTHING: FenceError = FenceError::Means("this build keeps nothing away from a job");

pub fn enter(fence: &Fence) -> Result<Option<Within<'_>>, FenceError> {
    if fence.is_open() {
        Ok(Some(Within {
            fence,
            sockets: Vec::new(),
        }))
    } else {
        Err(NOTHING)
    }
}

pub fn raise(within: &Within<'_>, _: Option<&Ground>) -> Result<(), FenceError> {
    if within.fence.is_open() {
        Ok(())
    } else {
        Err(NOTHING)
    }
}
