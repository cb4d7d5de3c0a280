//! What a build without the sandbox claims: nothing.

use git_reins::sandbox::fence::Fence;
use git_reins::sandbox::layer::Layer;
use git_reins::sandbox::run::RunError;

use super::bench::{Bench, MOUNTS, RULES};

/// A job runs with exactly the means that it was given, or not at all.
#[test]
fn means_that_are_missing_are_no_fence() {
    let bench = Bench::new(Layer::Copy);
    assert!(bench.run(&mut bench.tree(), Fence::OPEN, &["true"]).is_ok());
    for means in [MOUNTS, RULES] {
        let ran = bench.run(&mut bench.tree(), means, &["true"]);
        let is_there = ran.is_ok();
        assert!(
            is_there || matches!(ran, Err(RunError::NoFence(_))),
            "{ran:?}"
        );
        assert!(cfg!(feature = "sandbox") || !is_there, "{means:?}");
    }
}

#[cfg(not(feature = "sandbox"))]
#[test]
fn the_probe_claims_nothing() {
    let scratch = git_reins::sys::scratch::Scratch::temporary().unwrap();
    let probed = git_reins::sandbox::probe::probe(&super::bench::runner(), scratch.path()).unwrap();
    let words: Vec<_> = probed.missing.iter().map(|(word, _)| *word).collect();
    assert_eq!(probed.means, Fence::OPEN);
    assert_eq!(
        words,
        ["bind-ro", "landlock", "netns-lo", "seccomp", "pidns"]
    );
    assert!(
        probed
            .missing
            .iter()
            .all(|(_, why)| why == "this build keeps nothing away from a job"),
        "{probed:?}"
    );
}
