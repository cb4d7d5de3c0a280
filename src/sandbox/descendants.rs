//! Finds, signals and counts the processes that descend from this one.
//!
//! On Linux a process that adopts orphans (`PR_SET_CHILD_SUBREAPER`) sees everything that its
//! children start, whatever sessions and double forks they hide behind: when it has no child left,
//! nothing is left. Elsewhere only the process group of the program is known.
#![cfg_attr(
    target_os = "linux",
    expect(clippy::disallowed_methods, reason = "/proc says who lives")
)]

use rustix::process::{Pid, Signal};

#[cfg(target_os = "linux")]
mod tree {
    use std::collections::BTreeMap;

    use rustix::fd::OwnedFd;
    use rustix::io::Errno;
    use rustix::process::{self, DumpableBehavior, Pid, PidfdFlags, Signal};

    /// Adopts every orphan among our descendants, and lets none of them look into this process.
    pub fn adopt() -> rustix::io::Result<()> {
        process::set_child_subreaper(Some(process::getpid()))?;
        process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
    }

    /// A process as the kernel shows it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Seen {
        pid: Pid,
        parent: i32,
        started: u64,
        is_zombie: bool,
    }

    /// Sends a signal to every living descendant; their number.
    pub fn signal(_group: Pid, signal: Signal) -> usize {
        let living = living();
        living.iter().for_each(|seen| send(seen, signal));
        living.len()
    }

    /// How many descendants are alive.
    pub fn count(_group: Pid) -> usize {
        living().len()
    }

    fn living() -> Vec<Seen> {
        let mut by_parent: BTreeMap<i32, Vec<Seen>> = BTreeMap::new();
        for seen in every_process() {
            by_parent.entry(seen.parent).or_default().push(seen);
        }
        let (mut found, mut left) = (Vec::new(), vec![process::getpid().as_raw_pid()]);
        while let Some(parent) = left.pop() {
            for seen in by_parent.remove(&parent).unwrap_or_default() {
                left.push(seen.pid.as_raw_pid());
                found.push(seen);
            }
        }
        found.retain(|seen| !seen.is_zombie);
        found
    }

    fn every_process() -> impl Iterator<Item = Seen> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| see(entry.file_name().to_str()?.parse().ok()?))
    }

    fn see(pid: i32) -> Option<Seen> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // the name stands in parentheses and may hold anything, more parentheses too
        let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let is_zombie = matches!(*fields.first()?, "Z" | "X");
        let (parent, started) = (fields.get(1)?.parse().ok()?, fields.get(19)?.parse().ok()?);
        Some(Seen {
            pid: Pid::from_raw(pid)?,
            parent,
            started,
            is_zombie,
        })
    }

    /// Signals exactly the process that was seen: its number may have gone to another one since.
    fn send(seen: &Seen, signal: Signal) {
        let held: Result<OwnedFd, Errno> = process::pidfd_open(seen.pid, PidfdFlags::empty());
        let same = see(seen.pid.as_raw_pid()).is_some_and(|now| now.started == seen.started);
        let _gone = match held {
            _ if !same => Ok(()),
            Ok(held) => process::pidfd_send_signal(held, signal),
            Err(Errno::SRCH) => Ok(()),
            Err(_) => process::kill_process(seen.pid, signal), // a kernel without pidfds
        };
    }

    /// Processor time of everything that was waited for, in milliseconds.
    pub fn cpu_ms() -> Option<u64> {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks: u64 = fields
            .get(13..15)?
            .iter()
            .filter_map(|field| field.parse::<u64>().ok())
            .sum();
        Some(ticks * 10) // the kernel shows hundredths of a second on every common machine
    }
}

#[cfg(not(target_os = "linux"))]
mod tree {
    use rustix::process::{self, Pid, Signal};

    pub fn adopt() -> rustix::io::Result<()> {
        Ok(())
    }

    pub fn signal(group: Pid, signal: Signal) -> usize {
        process::kill_process_group(group, signal).map_or(0, |()| 1)
    }

    pub fn count(group: Pid) -> usize {
        process::test_kill_process_group(group).map_or(0, |()| 1)
    }

    pub fn cpu_ms() -> Option<u64> {
        None
    }
}

/// Makes this process the one that adopts every orphan among its descendants.
pub fn adopt() -> rustix::io::Result<()> {
    tree::adopt()
}

/// Sends a signal to every living descendant; how many there were.
pub fn signal(group: Pid, signal: Signal) -> usize {
    tree::signal(group, signal)
}

/// How many descendants are alive.
pub fn count(group: Pid) -> usize {
    tree::count(group)
}

/// Processor time of everything that has ended, in milliseconds.
pub fn cpu_ms() -> Option<u64> {
    tree::cpu_ms()
}
