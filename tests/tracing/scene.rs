//! A directory where a traced job runs, and what of it was seen.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use git_reins::model::run::{End, Ran};
use git_reins::model::trial::{Enforced, Trace};
use git_reins::policy::Network;
use git_reins::sandbox::environment::Environment;
use git_reins::sandbox::fence::Fence;
use git_reins::sandbox::interrupt::Interrupt;
use git_reins::sandbox::layer::Tree;
use git_reins::sandbox::plan::Limits;
use git_reins::sandbox::run::{Job, RunError, Runner};

const BINARY: &str = env!("CARGO_BIN_EXE_git-reins");

/// The system's own, which everybody may run.
pub const PYTHON: &str = "/usr/bin/python3";

/// Both means.
pub const BOTH: [Trace; 2] = [Trace::Ptrace, Trace::Notify];

pub struct Scene {
    temp: assert_fs::TempDir,
    /// Where files are made and looked for, with no link on the way.
    pub dir: PathBuf,
    program: PathBuf,
}

impl Scene {
    pub fn new() -> Self {
        let temp = assert_fs::TempDir::new().unwrap();
        let dir = fs::canonicalize(temp.path()).unwrap().join("files");
        fs::create_dir(&dir).unwrap();
        Self {
            temp,
            dir,
            program: PathBuf::from(BINARY),
        }
    }

    /// The job and its supervisor belong to nobody, when we may say so.
    pub fn of_nobody() -> Self {
        let mut scene = Self::new();
        if rustix::process::getuid().is_root() {
            let open = fs::Permissions::from_mode(0o777);
            for dir in [scene.temp.path(), &scene.dir] {
                fs::set_permissions(dir, open.clone()).unwrap();
            }
            // the copy is reachable wherever the build is
            let copy = scene.temp.path().join("git-reins");
            fs::copy(BINARY, &copy).unwrap();
            let line = format!(
                "exec setpriv --reuid 65534 --regid 65534 --clear-groups '{}' \"$@\"",
                copy.display()
            );
            scene.program = scene.executable("nobody", &format!("#!/bin/sh\n{line}\n"));
        }
        scene
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub fn write_all(&self, names: &[&str]) {
        for name in names {
            self.write(name, "text");
        }
    }

    pub fn executable(&self, name: &str, text: &str) -> PathBuf {
        let path = self.write(name, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Makes a program of a C file, beside the files that are looked at.
    pub fn compiled(&self, source: &str, options: &[&str]) -> PathBuf {
        let (file, program) = (
            self.temp.path().join("program.c"),
            self.temp.path().join("program"),
        );
        fs::write(&file, source).unwrap();
        let built = Command::new("cc")
            .args(options)
            .arg("-o")
            .arg(&program)
            .arg(&file)
            .output()
            .unwrap();
        assert!(
            built.status.success(),
            "{}",
            String::from_utf8_lossy(&built.stderr)
        );
        program
    }

    /// `None` when this machine does not let us trace so, which CI does not put up with.
    pub fn try_run(&self, trace: Trace, argv: &[&str]) -> Option<Ran> {
        self.try_on(None, &self.dir, trace, argv)
    }

    /// The same on a layer.
    pub fn try_on(
        &self,
        tree: Option<&mut Tree>,
        dir: &Path,
        trace: Trace,
        argv: &[&str],
    ) -> Option<Ran> {
        let argv: Vec<OsString> = argv.iter().map(OsString::from).collect();
        let environment = Environment::clean(self.dir.parent().unwrap()).unwrap();
        let means = Enforced {
            trace,
            ..Fence::OPEN
        };
        let (read_only, writable) = (Vec::new(), Vec::new());
        let fence = Fence {
            means,
            read_only,
            writable,
            network: Network::Allow,
        };
        let limits = Limits {
            budget: Duration::from_secs(60),
            output: 1 << 20,
        };
        let job = Job {
            argv: &argv,
            dir,
            environment: &environment,
            limits,
            fence: Some(&fence),
        };
        let runner = Runner::supervised_by(self.program.clone(), Interrupt::watch().unwrap());
        let ran = match tree {
            Some(tree) => tree.run(&runner, &job, &mut |_| ()),
            None => runner.run(&job, &mut |_| ()),
        };
        match ran {
            Err(RunError::NoFence(why)) => skip(&why),
            ran => Some(ran.unwrap()),
        }
    }

    /// What a job that ends well opened here, by the path from here.
    pub fn seen(&self, trace: Trace, argv: &[&str]) -> Option<BTreeMap<PathBuf, String>> {
        let ran = self.try_run(trace, argv)?;
        assert_eq!(
            (&ran.end, ran.leaked, ran.survivors),
            (&End::Exit(0), 0, 0),
            "{}",
            ran.stderr.text()
        );
        Some(here(&ran, &self.dir))
    }

    pub fn python(&self, trace: Trace, script: &str) -> Option<BTreeMap<PathBuf, String>> {
        self.seen(trace, &[PYTHON, "-c", &(PRELUDE.to_owned() + script)])
    }
}

/// What every script has at hand. The modules are there before anything is looked at.
const PRELUDE: &str = "
import ctypes, errno, os, signal, subprocess, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
def call(*args):
    ctypes.set_errno(0)
    done = libc.syscall(*[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    return done if done >= 0 else -ctypes.get_errno()
def read(path, **how):
    with open(path, 'rb', **how) as file: return file.read()
";

/// What was opened below a directory, as letters: r, w, and d for denied.
pub fn here(ran: &Ran, dir: &Path) -> BTreeMap<PathBuf, String> {
    let opened = ran.opened.as_ref();
    let opened = opened.unwrap_or_else(|| panic!("{:?}", ran.untraced));
    assert!(ran.untraced.is_none() && opened.is_sorted_by(|one, other| one.path < other.path));
    let mut found = BTreeMap::new();
    for touch in opened {
        let letters = [('r', touch.read), ('w', touch.wrote), ('d', touch.denied)];
        let letters = letters
            .iter()
            .filter(|(_, is)| *is)
            .map(|(letter, _)| *letter)
            .collect();
        if let Ok(path) = touch.path.strip_prefix(dir) {
            found.insert(path.to_owned(), letters);
        }
    }
    found
}

/// The same, as it is expected.
pub fn list<P: AsRef<Path>>(expected: &[(P, &str)]) -> BTreeMap<PathBuf, String> {
    expected
        .iter()
        .map(|(path, letters)| (path.as_ref().to_owned(), (*letters).to_owned()))
        .collect()
}

/// Says why a test has nothing to do.
pub fn skip<T>(why: &str) -> Option<T> {
    assert!(std::env::var_os("CI").is_none(), "skipped: {why}");
    // past the capture of a test's output, which nobody sees when it passes
    std::io::stderr()
        .write_all(format!("skipped: {why}\n").as_bytes())
        .unwrap();
    None
}
