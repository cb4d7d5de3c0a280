//! What is left of a fold that is killed at any moment, and does the next one finish it?
#![expect(clippy::unwrap_used, reason = "a kill that cannot be watched fails")]

use std::process::{Child, Output};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::ground::{Dice, Ground, Moment};

/// Kills so many folds with everything that they started.
fn kill(times: usize) {
    let mut dice = Dice::new(7);
    let (mut ended, mut stale, mut ground) = (0, 0, Ground::new());
    let mut usual = usual(&mut ground);
    for at in 0..times {
        if at % 40 == 39 {
            ground = Ground::new();
        }
        (0..=dice.below(3)).for_each(|_| ground.judge());
        let (output, took) = killed(ground.fold(), dice.below(usual));
        if output.status.success() {
            ended += 1;
            usual = (usual * 7 + took) / 8; // others are at work on this machine too
        }
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(
            said.is_empty() || said.ends_with("}\n"),
            "I9: half an answer: {said:?}"
        );
        ground.check(Moment::Fault);
        for lock in ground.locks() {
            stale += 1;
            std::fs::remove_file(lock).unwrap();
        }
        ground.folds();
        ground.check(Moment::Rest);
    }
    println!(
        "{times} SIGKILLs of reconcile: 0 violations, {times} converge; {stale} stale locks, {ended} ended first"
    );
    assert!(
        ended * 2 <= times,
        "most folds had ended before they were killed"
    );
}

/// How long a fold takes here, in microseconds, with some to spare.
fn usual(ground: &mut Ground) -> u64 {
    let took = (0..5).map(|_| {
        ground.judge();
        let started = Instant::now();
        ground.folds();
        micros(started)
    });
    let mut took: Vec<_> = took.collect();
    took.sort_unstable();
    took[2] * 6 / 5
}

/// Kills a process group after a while; that the moment is a random one is the point.
pub fn killed(child: Child, after: u64) -> (Output, u64) {
    let started = Instant::now();
    let group = Pid::from_child(&child);
    let killer = thread::spawn(move || {
        thread::sleep(Duration::from_micros(after));
        rustix::process::kill_process_group(group, Signal::KILL)
    });
    let output = child.wait_with_output().unwrap();
    let took = micros(started);
    let _gone_already = killer.join().unwrap();
    (output, took)
}

pub fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap()
}

#[test]
fn a_fold_that_is_killed() {
    kill(12);
}

#[test]
#[ignore = "the full count takes minutes"]
fn a_thousand_folds_that_are_killed() {
    kill(1_000);
}
