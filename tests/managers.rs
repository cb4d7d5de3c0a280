//! Does a push go through our hook when a hook manager runs it? Each manager from its registry, a
//! real push, its own configuration: an honest branch passes, a bad one is refused by code.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene fails")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and run programs themselves"
)]

#[path = "support/pushes.rs"]
mod pushes;
#[expect(dead_code, reason = "this story needs a part of it")]
mod support;
#[path = "support/tools.rs"]
mod tools;

use git_reins::install::Event;
use git_reins::install::managers::Manager;
use support::{Repo, Run};
use tools::Tools;

/// A repository with two branches to push, and a person who has every manager.
struct Scene {
    repo: Repo,
    tools: Tools,
}

impl Scene {
    fn set(tools: Tools) -> Self {
        let scene = Self {
            repo: Repo::under_reins(),
            tools,
        };
        pushes::lay(&scene.repo);
        scene
    }

    fn shell(&self, line: &str) -> Run {
        self.tools.shell(&self.repo, line)
    }

    /// A command line that has to go well.
    fn sets_up(&self, line: &str) {
        let _ = self.shell(line).expect(0);
    }

    fn arrived(&self, branch: &str) -> bool {
        pushes::arrived(&self.repo, branch)
    }

    /// Pushes each branch: what each manager has to do. `passed` shows that the hook was asked.
    fn pushes(&self, passed: &str) {
        let honest = self.shell("git push origin honest").expect(0);
        assert!(
            honest.to_string().contains(passed) && self.arrived("honest"),
            "{honest}"
        );
        let bad = self.shell("git push origin bad").expect(1);
        // pre-commit and prek hand on to stdout what a hook says, whatever it said it on
        assert!(
            bad.to_string().contains("ORACLE_NOT_INDEPENDENT") && !self.arrived("bad"),
            "{bad}"
        );
        // nothing to judge: a branch that goes away
        let _ = self.shell("git push origin :honest").expect(0);
        assert!(!self.arrived("honest"));
    }

    /// Pushes both at once: who hands on what git says names the bad one, though it is not the first.
    fn pushes_together(&self) {
        self.repo.git(&["branch", "a-honest", "honest"]);
        let both = self.shell("git push origin a-honest bad").expect(1);
        assert!(both.stderr.contains("ORACLE_NOT_INDEPENDENT"), "{both}");
        assert!(both.stderr.contains("refs/heads/bad"), "{both}");
        assert!(!self.arrived("a-honest") && !self.arrived("bad"), "{both}");
    }
}

/// A manager is in charge: we write nothing and print what its own configuration has to say.
fn told_by_the_product(scene: &Scene, manager: Manager) {
    let hook = || std::fs::read(scene.repo.path(".git/hooks/pre-push")).ok();
    let before = hook();
    let run = scene.repo.refuses(1, &["hooks", "install"]);
    assert_eq!(hook(), before, "{run}");
    for line in manager.snippet(Event::PrePush).lines() {
        assert!(run.to_string().contains(line.trim()), "{line}: {run}");
    }
}

#[test]
fn lefthook_hands_on_everything_that_git_says() {
    let Some(tools) = Tools::find() else { return };
    let scene = Scene::set(tools);
    scene
        .repo
        .write("lefthook.yml", &Manager::Lefthook.snippet(Event::PrePush));
    scene.sets_up("lefthook install");
    told_by_the_product(&scene, Manager::Lefthook);
    scene.pushes("VERDICT_MISSING");
    scene.pushes_together();
}

#[test]
fn husky_hands_on_everything_that_git_says() {
    let Some(tools) = Tools::find() else { return };
    let scene = Scene::set(tools);
    scene.sets_up("husky");
    scene
        .repo
        .write(".husky/pre-push", &Manager::Husky.snippet(Event::PrePush));
    told_by_the_product(&scene, Manager::Husky);
    scene.pushes("VERDICT_MISSING");
    scene.pushes_together();
}

#[test]
fn pre_commit_runs_the_hook_by_the_snippet_and_as_it_is_offered() {
    by_configuration("pre-commit", Manager::PreCommit);
}

#[test]
fn prek_runs_the_hook_by_the_snippet_and_as_it_is_offered() {
    by_configuration("prek", Manager::Prek);
}

/// Both read one kind of configuration, and show of a hook that passes that it did.
fn by_configuration(command: &str, manager: Manager) {
    let Some(tools) = Tools::find() else { return };
    let scene = Scene::set(tools);
    let configured = |text: &str| {
        scene.repo.write(".pre-commit-config.yaml", text);
        scene.repo.git(&["add", ".pre-commit-config.yaml"]);
    };
    configured(&manager.snippet(Event::PrePush));
    scene.sets_up(&format!("{command} install --hook-type pre-push"));
    told_by_the_product(&scene, manager);
    scene.pushes("Passed");
    configured(&offered(&scene));
    scene.pushes("Passed");
}

/// A configuration that takes `.pre-commit-hooks.yaml` from a repository; here, from one on this disk.
fn offered(scene: &Scene) -> String {
    scene.repo.write(
        "../ours/.pre-commit-hooks.yaml",
        include_str!("../.pre-commit-hooks.yaml"),
    );
    scene.sets_up(
        "cd ../ours && git init -q && git add . && git commit -q -m hooks && git tag v0.1.0",
    );
    let ours = scene
        .repo
        .path("../ours")
        .canonicalize()
        .unwrap()
        .display()
        .to_string();
    format!("repos:\n- repo: file://{ours}\n  rev: v0.1.0\n  hooks:\n  - id: git-reins-pre-push\n")
}
