//! GitReins installs hooks and so do we: in either order, and what uninstalling leaves

use std::collections::BTreeMap;

use super::scene::{Scene, files};
use crate::pushes;
use crate::support::Run;
use crate::tools::Tools;

impl Scene {
    /// Takes GitReins' hooks away by hand: it has no command for that.
    fn without_hooks(self) -> Self {
        for hook in ["pre-commit", "pre-push"] {
            std::fs::remove_file(self.repo.path(&format!(".git/hooks/{hook}"))).unwrap();
        }
        self
    }

    /// Every hook file and the configuration.
    fn hooks(&self) -> BTreeMap<String, Vec<u8>> {
        let mut all = files(&self.repo.path(".git/hooks"));
        all.insert(
            "config".to_owned(),
            std::fs::read(self.repo.path(".git/config")).unwrap(),
        );
        all
    }

    /// Pushes a branch that both allow, one that only we refuse and one that only GitReins refuses.
    fn both_answer(&self) {
        let passed = self.shell("git push origin honest").expect(0);
        assert!(
            passed.to_string().contains(CLEAN) && pushes::arrived(&self.repo, "honest"),
            "{passed}"
        );
        let ours = self.shell("git push origin bad").expect(1);
        assert!(
            ours.to_string().contains(CLEAN) && ours.stderr.contains("ORACLE_NOT_INDEPENDENT"),
            "{ours}"
        );
        let theirs = self.push_a_secret();
        assert!(
            theirs.code == Some(1) && theirs.to_string().contains("PUSH REFUSED"),
            "{theirs}"
        );
        assert!(!pushes::arrived(&self.repo, "bad") && !pushes::arrived(&self.repo, "secret"));
    }

    /// Pushes a branch without a patch, so that we have nothing against it.
    fn push_a_secret(&self) -> Run {
        self.repo.git(&["switch", "-q", "-c", "secret", "main"]);
        self.repo.write(
            "spec/token.md",
            &format!("# Token\n\nghp_{}\n", "x".repeat(36)),
        );
        self.repo.git(&["add", "spec"]);
        self.repo
            .git(&["commit", "-q", "--no-verify", "-m", "spec"]);
        self.repo.git(&["switch", "-q", "main"]);
        let run = self.shell("git push origin secret");
        self.repo.git(&["branch", "-q", "-D", "secret"]);
        run
    }
}

/// What GitReins' hook says of a push that it allows.
const CLEAN: &str = "PUSH SECRET CHECK: clean";

#[test]
fn ours_after_theirs_runs_both_and_leaves_theirs_as_it_was() {
    let Some(tools) = Tools::find() else { return };
    let scene = Scene::set(tools);
    pushes::lay(&scene.repo);
    let theirs = scene.hooks();
    let _ = scene.repo.reins(&["hooks", "install"]).expect(0);
    assert_eq!(scene.hooks()["pre-commit"], theirs["pre-commit"]);
    scene.both_answer();
    let _ = scene.repo.reins(&["hooks", "uninstall"]).expect(0);
    assert_eq!(scene.hooks(), theirs);
}

#[test]
fn theirs_after_ours_is_found_and_chained_when_ours_is_installed_again() {
    let Some(tools) = Tools::find() else { return };
    let scene = Scene::set(tools).without_hooks();
    pushes::lay(&scene.repo);
    let none = scene.hooks();
    let _ = scene.repo.reins(&["hooks", "install"]).expect(0);
    let _ = scene.shell("gitreins install").expect(0);
    let theirs = scene.hooks();
    assert_ne!(theirs, none);
    let sick = scene.repo.refuses(1, &["doctor"]);
    assert!(sick.to_string().contains("another installer"), "{sick}");
    // what is not ours is not taken away
    let _ = scene.repo.reins(&["hooks", "uninstall"]);
    assert_eq!(scene.hooks(), theirs);

    let _ = scene.repo.reins(&["hooks", "install"]).expect(0);
    scene.both_answer();
    let _ = scene.repo.reins(&["hooks", "uninstall"]).expect(0);
    assert_eq!(scene.hooks(), theirs);
    assert_eq!(scene.without_hooks().hooks(), none);
}

#[test]
fn theirs_over_ours_and_its_chain_loses_no_hook_of_the_person() {
    let Some(tools) = Tools::find() else { return };
    let scene = Scene::set(tools).without_hooks();
    scene
        .repo
        .script(".git/hooks/pre-push", "#!/bin/sh\necho mine >&2\n");
    let mine = scene.repo.read(".git/hooks/pre-push");
    let _ = scene.repo.reins(&["hooks", "install"]).expect(0);
    let _ = scene.shell("gitreins install").expect(0);
    let before = scene.hooks();
    let again = scene.repo.reins(&["hooks", "install"]);
    let kept = scene.hooks().values().any(|bytes| bytes == mine.as_bytes());
    assert!(kept, "the person's hook is gone: {again}");
    if again.code != Some(0) {
        assert_eq!(
            scene.hooks(),
            before,
            "refused, and yet something changed: {again}"
        );
    }
}
