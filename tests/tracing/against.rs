//! Does another tracer see the same?

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use git_reins::model::run::End;
use git_reins::model::trial::{KillGuard, Trace};
use git_reins::sandbox::fence::Fence;
use git_reins::sandbox::interrupt::Interrupt;
use git_reins::sandbox::probe::Probed;
use git_reins::sandbox::run::Runner;
use git_reins::sandbox::trace;

use crate::scene::{BOTH, PYTHON, Scene, skip};

#[test]
fn strace_sees_the_same_files() {
    let scene = Scene::new();
    let log = scene.dir.with_file_name("log");
    let script = "import email.mime.text, json, sqlite3, xml.dom.minidom; open('made', 'w')";
    // one that starts nothing but itself, so that both see the same processes
    let argv = [PYTHON, "-B", "-c", script];
    let strace = Command::new("strace")
        .args([
            "-f",
            "-y",
            "-qq",
            "-e",
            "trace=open,openat,openat2,creat",
            "-o",
        ])
        .arg(&log)
        .args(argv)
        .current_dir(&scene.dir)
        .output();
    let Ok(output) = strace else {
        return skip("there is no strace").unwrap_or_default();
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let theirs = links(&std::fs::read_to_string(&log).unwrap());
    assert!(theirs.len() > 30, "{theirs:?}");
    for means in BOTH {
        std::fs::remove_file(scene.dir.join("made")).unwrap();
        let Some(ran) = scene.try_run(means, &argv) else {
            return;
        };
        let ours: BTreeSet<PathBuf> = ran
            .opened
            .unwrap()
            .into_iter()
            .map(|touch| touch.path)
            .collect();
        let unseen: Vec<_> = theirs.difference(&ours).collect();
        assert!(unseen.is_empty(), "{means:?} misses {unseen:?}");
        // the programs themselves and their loader are opened by the kernel, not by a call
        let programs = ours.difference(&theirs).count();
        assert!(
            means == Trace::Notify || programs <= 12,
            "{:?}",
            ours.difference(&theirs)
        );
    }
}

/// What descriptors lead to, as `-y` prints it behind them, when that is a file.
fn links(log: &str) -> BTreeSet<PathBuf> {
    let results = log
        .lines()
        .filter_map(|line| line.rsplit_once(" = ")?.1.split_once('<'));
    let paths = results
        .filter_map(|(_, rest)| rest.strip_suffix('>'))
        .map(PathBuf::from);
    paths
        .filter(|path| path.is_file() && !path.starts_with("/proc") && !path.starts_with("/sys"))
        .collect()
}

#[test]
fn strace_runs_inside_a_job_that_is_listened_to() {
    let scene = Scene::new();
    if Command::new("strace").arg("--version").output().is_err() {
        return skip("there is no strace").unwrap_or_default();
    }
    scene.write("file", "text");
    let argv = ["strace", "-f", "-o", "log", "cat", "file"];
    let Some(ran) = scene.try_run(Trace::Notify, &argv) else {
        return;
    };
    assert_eq!(ran.end, End::Exit(0), "{}", ran.stderr.text());
    assert!(
        std::fs::read_to_string(scene.dir.join("log"))
            .unwrap()
            .contains("\"file\"")
    );
}

/// Beside all that keeps the job in, too.
#[test]
fn the_best_way_that_works_is_found() {
    let scene = Scene::new();
    let program = PathBuf::from(env!("CARGO_BIN_EXE_git-reins"));
    let runner = Runner::supervised_by(program, Interrupt::watch().unwrap());
    let open = Probed {
        means: Fence::OPEN,
        missing: Vec::new(),
    };
    for fence in [
        open,
        git_reins::sandbox::probe::probe(&runner, &scene.dir).unwrap(),
    ] {
        let probed = trace::probe::probe(&runner, &scene.dir, fence.clone()).unwrap();
        if probed.means.trace != Trace::Ptrace {
            return skip(&format!("{probed:?}")).unwrap_or_default();
        }
        assert_eq!(probed.missing, fence.missing);
        assert_ne!(probed.means.kill, KillGuard::Pgrp);
        assert_eq!(probed.means.fixtures, fence.means.fixtures);
    }
}
