//! Are the files that a job opens seen behind every fence, too?

use git_reins::model::run::{End, Touch};
use git_reins::model::trial::{Enforced, KillGuard, Trace};
use git_reins::sandbox::layer::Layer;

use super::bench::{Bench, MOUNTS, RULES, can};

#[test]
fn what_a_job_opens_is_seen_behind_every_fence() {
    let script = "(cat tests/fixtures/data & wait); (: >>tests/prop.py); mkdir src/new && echo x >src/new/file; true";
    for fence in [
        MOUNTS,
        RULES,
        Enforced {
            kill: KillGuard::PtraceTree,
            ..RULES
        },
    ] {
        for trace in [Trace::Ptrace, Trace::Notify] {
            let means = Enforced { trace, ..fence };
            if means.kill == KillGuard::PtraceTree && trace == Trace::Notify {
                continue;
            }
            for layer in [Layer::Overlay, Layer::Copy] {
                if !can(means) {
                    continue;
                }
                let bench = Bench::new(layer);
                let mut tree = bench.tree();
                let ran = bench.run(&mut tree, means, &["sh", "-c", script]).unwrap();
                assert_eq!(
                    (&ran.end, ran.leaked, &ran.untraced),
                    (&End::Exit(0), 0, &None),
                    "{means:?} {ran:?}"
                );
                let root = tree.path().canonicalize().unwrap();
                let opened = ran.opened.unwrap();
                let touch = |path: &str| opened.iter().find(|touch| touch.path == root.join(path));
                let is = |path: &str, is: fn(&Touch) -> bool| touch(path).is_some_and(is);
                assert!(
                    is("tests/fixtures/data", |touch| touch.read && !touch.denied),
                    "{means:?} {opened:?}"
                );
                // a listener hears what is asked for, and not what a mount or Landlock answers
                let is_refused = is("tests/prop.py", |touch| touch.denied && !touch.wrote);
                assert!(is_refused || trace == Trace::Notify, "{means:?} {opened:?}");
                assert!(
                    is("src/new/file", |touch| touch.wrote),
                    "{means:?} {opened:?}"
                );
            }
        }
    }
}
