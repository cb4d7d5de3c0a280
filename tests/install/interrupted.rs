//! An install that is cut short after any of its steps: no hook is lost, and running it again ends well.

use git_reins::git::plumbing::GitPlace;
use git_reins::install::carry_out;
use git_reins::install::plan::{self, Install, Step};
use git_reins::install::site::Site;

use super::clone::Clone;

fn site(clone: &Clone) -> Site {
    Site::look(&GitPlace::find(&clone.path("."), None).unwrap()).unwrap()
}

fn to_install(clone: &Clone) -> Vec<Step> {
    let program = std::path::Path::new(crate::support::BINARY);
    match plan::install(&site(clone), program, false).unwrap() {
        Install::Steps(steps) => steps,
        Install::Snippet { why, .. } => panic!("{why}"),
    }
}

fn holds(clone: &Clone, text: &str) -> bool {
    ["pre-push", "pre-push.reins-orig"].iter().any(|name| {
        std::fs::read_to_string(clone.path(&format!(".git/hooks/{name}")))
            .is_ok_and(|held| held == text)
    })
}

#[test]
fn after_every_step_a_second_run_ends_well() {
    let hook = "#!/bin/sh\nexit 0\n";
    for steps in 0.. {
        let clone = Clone::new();
        clone.hook(hook);
        let before = clone.state();
        let all = to_install(&clone);
        carry_out::carry_out(&site(&clone), &all[..steps.min(all.len())]).unwrap();
        assert!(holds(&clone, hook), "{steps}");
        // it can be taken back from here
        if steps % 2 == 1 {
            let _ = clone.reins(&["hooks", "uninstall"]).expect(0);
            assert_eq!(clone.state(), before, "{steps}");
        }
        clone.install();
        assert_eq!(clone.read(".git/hooks/pre-push.reins-orig"), hook);
        let back = plan::uninstall(&site(&clone)).unwrap().unwrap();
        carry_out::carry_out(&site(&clone), &back[..steps.min(back.len())]).unwrap();
        assert!(holds(&clone, hook), "{steps}");
        let _ = clone.reins(&["hooks", "uninstall"]).expect(0);
        assert_eq!(clone.state(), before, "{steps}");
        if steps >= all.len().max(back.len()) {
            assert!(steps > 4);
            break;
        }
    }
}

#[test]
fn two_at_once_are_told_that_something_changed() {
    let clone = Clone::new();
    let (early, steps) = (site(&clone), to_install(&clone));
    clone.hook("#!/bin/sh\nexit 0\n");
    assert!(
        carry_out::carry_out(&early, &steps)
            .unwrap_err()
            .to_string()
            .contains("changed meanwhile")
    );
    assert_eq!(clone.read(".git/hooks/pre-push"), "#!/bin/sh\nexit 0\n");
}
