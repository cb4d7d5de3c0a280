//! What is a machine like that has less than this one?
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// Refuses calls to this thread and to whatever it starts, for ever: what a container does to those in it.
pub fn refuse(calls: &[(i64, Vec<SeccompRule>)], errno: i32) {
    let rules: BTreeMap<_, _> = calls.iter().cloned().collect();
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let errno = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, errno, arch).unwrap();
    seccompiler::apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
}

/// Where there are no namespaces to be had.
pub fn no_namespaces() {
    let user = SeccompCmpOp::MaskedEq(libc::CLONE_NEWUSER as u64);
    let user = SeccompCondition::new(0, SeccompCmpArgLen::Qword, user, libc::CLONE_NEWUSER as u64)
        .unwrap();
    refuse(
        &[
            (libc::SYS_unshare, vec![]),
            (libc::SYS_mount, vec![]),
            (libc::SYS_setns, vec![]),
            (libc::SYS_clone, vec![SeccompRule::new(vec![user]).unwrap()]),
        ],
        libc::EPERM,
    );
}

/// Where Landlock is unknown.
pub fn no_landlock() {
    refuse(&[(libc::SYS_landlock_create_ruleset, vec![])], libc::ENOSYS);
}
