//! What the probe finds where the system lacks something, and as somebody who is not root.

use std::fs;
use std::process::Command;

use git_reins::model::trial::Enforced;
use git_reins::sandbox::fence::Fence;
use git_reins::sandbox::probe::{Probed, probe};
use git_reins::sys::scratch::Scratch;
use rustix::thread::{CapabilitySet, CapabilitySets};
use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

use crate::nobody;
use crate::refusing::{no_landlock, no_namespaces, refuse};

use super::bench::{MOUNTS, RULES, can, runner};

/// In a thread of its own: what it gives up, its children do not have either.
fn probed(give_up: impl FnOnce() + Send + 'static) -> Probed {
    let probing = std::thread::spawn(|| {
        give_up();
        let scratch = Scratch::temporary().unwrap();
        let probed = probe(&runner(), scratch.path()).unwrap();
        assert_eq!(
            fs::read_dir(scratch.path()).unwrap().count(),
            0,
            "something is left"
        );
        probed
    });
    probing.join().unwrap()
}

fn words(probed: &Probed) -> Vec<&'static str> {
    probed.missing.iter().map(|(word, _)| *word).collect()
}

#[test]
fn the_strongest_means_are_found_where_they_work() {
    if !can(MOUNTS) {
        return;
    }
    let probed = probed(|| ());
    assert_eq!((probed.means, probed.missing), (MOUNTS, Vec::new()));
}

#[test]
fn a_container_without_namespaces_has_landlock_and_a_filter() {
    if !can(RULES) {
        return;
    }
    let probed = probed(no_namespaces);
    assert_eq!(probed.means, RULES, "{probed:?}");
    assert_eq!(words(&probed), ["bind-ro", "netns-lo", "pidns"]);
    assert!(probed.missing[0].1.contains("no namespaces"), "{probed:?}");
}

#[test]
fn a_kernel_without_landlock_has_mounts() {
    if !can(MOUNTS) {
        return;
    }
    let probed = probed(no_landlock);
    assert_eq!((probed.means, probed.missing), (MOUNTS, Vec::new()));
}

#[test]
fn where_nothing_keeps_a_fixture_nothing_is_claimed() {
    let probed = probed(|| {
        no_landlock();
        no_namespaces();
    });
    let network = RULES.network;
    assert_eq!(
        probed.means,
        Enforced {
            network,
            ..Fence::OPEN
        },
        "{probed:?}"
    );
    assert_eq!(words(&probed), ["bind-ro", "landlock", "netns-lo", "pidns"]);
    assert_eq!(
        probed.missing[1].1,
        "no Landlock, or one older than its third version"
    );
}

#[test]
fn no_network_is_claimed_only_where_it_is_seen() {
    if !can(MOUNTS) {
        return;
    }
    // no mounts that are read-only, and a namespace whose loopback device stays down
    let probed = probed(|| {
        refuse(&[(libc::SYS_mount_setattr, vec![])], libc::ENOSYS);
        let raise = SeccompCmpOp::MaskedEq(0xffff);
        let raise =
            SeccompCondition::new(1, SeccompCmpArgLen::Dword, raise, libc::SIOCSIFFLAGS).unwrap();
        refuse(
            &[(
                libc::SYS_ioctl,
                vec![SeccompRule::new(vec![raise]).unwrap()],
            )],
            libc::EPERM,
        );
    });
    let kill = MOUNTS.kill;
    assert_eq!(probed.means, Enforced { kill, ..RULES }, "{probed:?}");
    assert!(
        probed.missing[0].1.contains("no read-only mounts"),
        "{probed:?}"
    );
    assert!(
        probed.missing[1].1.contains("no loopback device"),
        "{probed:?}"
    );
}

#[test]
fn root_without_capabilities_is_fenced_in_too() {
    if !rustix::process::geteuid().is_root() || !can(MOUNTS) {
        return;
    }
    let probed = probed(|| {
        // what a container leaves to its root; it may still map itself
        let left = CapabilitySet::CHOWN | CapabilitySet::DAC_OVERRIDE | CapabilitySet::SETFCAP;
        let left = left | CapabilitySet::SETUID | CapabilitySet::SETGID;
        let sets = CapabilitySets {
            effective: left,
            permitted: left,
            inheritable: CapabilitySet::empty(),
        };
        for bit in 0..41 {
            let one = CapabilitySet::from_bits_retain(1 << bit);
            if !left.contains(one) {
                rustix::thread::remove_capability_from_bounding_set(one).unwrap();
            }
        }
        rustix::thread::set_capabilities(None, sets).unwrap();
    });
    assert_eq!((probed.means, probed.missing), (MOUNTS, Vec::new()));
}

#[test]
fn nobody_is_fenced_in_as_root_is() {
    let mut tests = Command::new(std::env::current_exe().unwrap());
    tests.args([
        "isolation::",
        "--skip",
        "nobody_is",
        "--skip",
        "root_without",
        "--test-threads=2",
    ]);
    nobody::runs(tests, " 0 failed");
}
