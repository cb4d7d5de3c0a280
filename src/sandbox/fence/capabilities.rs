//! Drops every capability of a job, so that root is only the owner of files.

use rustix::io::Errno;
use rustix::thread::{self, CapabilitySet, CapabilitySets};

use super::FenceError;

const NONE: CapabilitySets = CapabilitySets {
    effective: CapabilitySet::empty(),
    permitted: CapabilitySet::empty(),
    inheritable: CapabilitySet::empty(),
};

/// Gives up every capability, and every way to get one back by starting a program.
pub fn drop_all() -> Result<(), FenceError> {
    let fault = || FenceError::when("capabilities are kept");
    thread::set_no_new_privs(true).map_err(fault())?;
    for bit in 0..u64::BITS {
        let one = CapabilitySet::from_bits_retain(1 << bit);
        match thread::remove_capability_from_bounding_set(one) {
            // who may not, has no right that he could give up
            Ok(()) | Err(Errno::PERM) => {}
            Err(Errno::INVAL) => break, // the kernel knows no more of them
            Err(errno) => return Err(fault()(errno)),
        }
    }
    thread::set_capabilities(None, NONE).map_err(fault())?;
    match thread::capabilities(None).map_err(fault())? {
        NONE => Ok(()),
        _ => Err(FenceError::Means("capabilities are kept")),
    }
}
