//! A tree with a fixture in it, a fence around it, and jobs.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use git_reins::model::run::{End, Ran};
use git_reins::model::trial::{Enforced, FixtureGuard, KillGuard, NetworkGuard, Trace};
use git_reins::policy::Network;
use git_reins::sandbox::environment::Environment;
use git_reins::sandbox::fence::Fence;
use git_reins::sandbox::interrupt::Interrupt;
use git_reins::sandbox::layer::{Layer, Layers, Tree};
use git_reins::sandbox::plan::Limits;
use git_reins::sandbox::run::{Job, RunError, Runner};
use git_reins::sys::scratch::Scratch;

pub const BINARY: &str = env!("CARGO_BIN_EXE_git-reins");

/// Namespaces and mounts.
pub const MOUNTS: Enforced = Enforced {
    fixtures: FixtureGuard::BindRo,
    network: NetworkGuard::NetnsLo,
    kill: KillGuard::Pidns,
    trace: Trace::None,
};

/// What needs no namespace.
pub const RULES: Enforced = Enforced {
    fixtures: FixtureGuard::Landlock,
    network: NetworkGuard::Seccomp,
    kill: KillGuard::Pgrp,
    trace: Trace::None,
};

pub struct Bench {
    pub scratch: Scratch,
    pub pristine: PathBuf,
    pub layer: Layer,
    pub budget: Duration,
}

pub fn runner() -> Runner {
    Runner::supervised_by(PathBuf::from(BINARY), Interrupt::watch().unwrap())
}

impl Bench {
    pub fn new(layer: Layer) -> Self {
        let scratch = Scratch::temporary().unwrap();
        let pristine = scratch.path().join("pristine");
        for (file, text) in [
            ("tests/fixtures/data", "fixture\n"),
            ("tests/prop.py", "prop\n"),
            ("src/code", "code\n"),
        ] {
            fs::create_dir_all(pristine.join(file).parent().unwrap()).unwrap();
            fs::write(pristine.join(file), text).unwrap();
        }
        Self {
            scratch,
            pristine,
            layer,
            budget: Duration::from_secs(60),
        }
    }

    pub fn tree(&self) -> Tree {
        Layers::starting_with(self.layer, self.scratch.path())
            .fresh(&self.pristine)
            .unwrap()
    }

    /// The home and the place for temporary files are those of `Environment::clean`.
    pub fn fence(&self, tree: &Tree, means: Enforced) -> Fence {
        let tree = tree.path().to_owned();
        let kept = ["tests/fixtures", "tests/prop.py"].map(|path| tree.join(path));
        let own = ["home", "tmp"].map(|name| self.scratch.path().join(name));
        Fence {
            means,
            read_only: [&kept[..], std::slice::from_ref(&self.pristine)].concat(),
            writable: [&own[..], &[tree]].concat(),
            network: Network::Deny,
        }
    }

    pub fn environment(&self) -> Environment {
        Environment::clean(self.scratch.path()).unwrap()
    }

    pub fn run(&self, tree: &mut Tree, means: Enforced, argv: &[&str]) -> Result<Ran, RunError> {
        self.run_in(tree, means, argv, &self.environment())
    }

    pub fn run_in(
        &self,
        tree: &mut Tree,
        means: Enforced,
        argv: &[&str],
        environment: &Environment,
    ) -> Result<Ran, RunError> {
        let argv: Vec<OsString> = argv.iter().map(OsString::from).collect();
        let (dir, fence) = (tree.path().to_owned(), self.fence(tree, means));
        let limits = Limits {
            budget: self.budget,
            output: 1 << 20,
        };
        let job = Job {
            argv: &argv,
            dir: &dir,
            environment,
            limits,
            fence: Some(&fence),
        };
        tree.run(&runner(), &job, &mut |_| ())
    }

    pub fn sh(&self, means: Enforced, script: &str) -> Ran {
        self.run(&mut self.tree(), means, &["sh", "-c", script])
            .unwrap()
    }
}

/// What works here; CI is where all of it does.
pub fn can(means: Enforced) -> bool {
    let bench = Bench::new(Layer::Copy);
    let ran = bench.run(&mut bench.tree(), means, &["true"]);
    match ran {
        Ok(ran) => {
            assert_eq!(ran.end, End::Exit(0), "{ran:?}");
            true
        }
        Err(error) => {
            assert!(matches!(error, RunError::NoFence(_)), "{error}");
            assert!(
                std::env::var_os("CI").is_none(),
                "{means:?} is missing: {error}"
            );
            println!("skipped: {error}");
            false
        }
    }
}

/// Every regular file below a directory with its bytes.
pub fn contents(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut found, mut left) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}
