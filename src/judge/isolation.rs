//! Keeps the runs of a trial from what they may not touch, as the policy requires.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::fault::TrialError;
use super::tree_plan::LaidTree;
use crate::decide::enforced::{lacks, words};
use crate::model::trial::{Enforced, KillGuard, Trace};
use crate::policy::{Mechanism, Network, Policy};
use crate::sandbox::fence::Fence;
use crate::sandbox::probe::{Probed, probe};
use crate::sandbox::run::Runner;
use crate::sandbox::trace;

/// No more places than this are fenced off in a tree. Each is a mount in every run: so many take a
/// quarter of a second, four times as many three seconds, and the paths of ten times as many are more
/// than a program can be started with.
const MOST_PLACES: usize = 2000;

/// The strongest means that were seen to work, for every run of a trial.
pub struct Isolation<'a> {
    /// Runs the jobs.
    pub runner: &'a Runner,
    /// A directory of our own.
    pub scratch: &'a Path,
    probed: Probed,
    /// What every run so far had; a run may have had less than what works.
    had: Cell<Enforced>,
}

impl<'a> Isolation<'a> {
    /// Tries which means work, with jobs below `scratch`.
    ///
    /// # Errors
    /// When the try cannot be made, or a signal interrupts it.
    pub fn probe(runner: &'a Runner, scratch: &'a Path) -> Result<Self, TrialError> {
        let probed = trace::probe::probe(runner, scratch, probe(runner, scratch)?)?;
        let had = Cell::new(probed.means);
        Ok(Self {
            runner,
            scratch,
            probed,
            had,
        })
    }

    /// What works, and is tried first.
    pub fn means(&self) -> Enforced {
        self.probed.means
    }

    /// What was enforced in every run so far, for the record.
    pub fn enforced(&self) -> Enforced {
        self.had.get()
    }

    /// Refuses to judge without what the policy requires.
    ///
    /// # Errors
    /// With each mechanism that is missing, and why.
    pub fn require(&self, policy: &Policy) -> Result<(), TrialError> {
        let missing = lacks(&self.means(), &policy.judge.require);
        if missing.is_empty() {
            return Ok(());
        }
        Err(TrialError::Unenforced(
            missing
                .into_iter()
                .map(|mechanism| (mechanism, self.why(mechanism)))
                .collect(),
        ))
    }

    /// Why a mechanism is missing: each of its means, and what happened when it was tried.
    fn why(&self, mechanism: Mechanism) -> String {
        self.tried(words(mechanism), "nothing here enforces it")
    }

    /// Why it is not seen what is opened, where it is not.
    pub(super) fn blindness(&self) -> String {
        self.tried(&["ptrace", "notify"], "nothing here sees it")
    }

    fn tried(&self, means: &[&str], otherwise: &str) -> String {
        let tried = self
            .probed
            .missing
            .iter()
            .filter(|(word, _)| means.contains(word));
        let tried: Vec<_> = tried.map(|(word, why)| format!("{word}: {why}")).collect();
        if tried.is_empty() {
            otherwise.to_owned()
        } else {
            tried.join("; ")
        }
    }

    /// The fence around one run, watched in this way.
    pub(super) fn fence(&self, access: Access, network: Network, trace: Trace) -> Fence {
        let mut means = Enforced {
            trace,
            ..self.means()
        };
        if trace != Trace::Ptrace && means.kill == KillGuard::PtraceTree {
            means.kill = KillGuard::Pgrp;
        }
        // the record of a run that is not traced says so itself
        let trace = if trace == Trace::None {
            self.enforced().trace
        } else {
            trace.max(self.enforced().trace)
        };
        self.had.set(Enforced {
            trace,
            kill: means.kill.max(self.enforced().kill),
            ..means
        });
        Fence {
            means,
            read_only: access.read_only,
            writable: access.writable,
            network,
        }
    }
}

/// Where a run may write, and where in there it may not.
#[derive(Clone, Debug, Default)]
pub(super) struct Access {
    pub writable: Vec<PathBuf>,
    pub read_only: Vec<PathBuf>,
}

impl Access {
    /// A tree, but for what is pinned in it.
    pub fn tree(&mut self, dir: &Path, laid: &LaidTree) {
        self.writable.push(dir.to_owned());
        self.read_only
            .extend(pinned(laid).iter().map(|path| dir.join(path)));
    }
}

/// The pinned files of a tree; when they are too many, the directories that hold them, as far down as
/// those are few enough.
fn pinned(laid: &LaidTree) -> BTreeSet<PathBuf> {
    let paths = || laid.sealed.iter().map(|(path, _)| Path::new(path.as_str()));
    let down_to = |depth| {
        paths()
            .map(|path| path.iter().take(depth).collect())
            .collect::<BTreeSet<PathBuf>>()
    };
    let deepest = paths().map(|path| path.iter().count()).max().unwrap_or(0);
    let places = (2..=deepest)
        .rev()
        .map(down_to)
        .find(|places| places.len() <= MOST_PLACES);
    places.unwrap_or_else(|| down_to(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ids::Sha256;
    use crate::sandbox::interrupt::Interrupt;

    #[test]
    fn what_is_required_and_missing_is_told_with_what_was_tried() {
        let runner = Runner::supervised_by(PathBuf::new(), Interrupt::watch().unwrap());
        let missing = vec![
            ("netns-lo", "no namespaces: not permitted".to_owned()),
            ("seccomp", "no filter".to_owned()),
            ("pidns", "no".to_owned()),
        ];
        let probed = Probed {
            means: Fence::OPEN,
            missing,
        };
        let had = Cell::new(probed.means);
        let isolation = Isolation {
            runner: &runner,
            scratch: Path::new("/"),
            probed,
            had,
        };
        let mut policy = crate::policy::parse(b"schema = 1\n").unwrap();
        let said = isolation.require(&policy).unwrap_err().to_string();
        let tried = "network (netns-lo: no namespaces: not permitted; seccomp: no filter)";
        assert!(
            said.contains(tried) && said.contains("fixtures (nothing here enforces it)"),
            "{said}"
        );
        policy.judge.require = Vec::new();
        assert!(isolation.require(&policy).is_ok());
    }

    #[test]
    fn what_one_run_did_not_have_is_not_said_of_all() {
        let runner = Runner::supervised_by(PathBuf::new(), Interrupt::watch().unwrap());
        let said = |kill: KillGuard, traces: &[Trace]| {
            let means = Enforced {
                kill,
                trace: Trace::Ptrace,
                ..Fence::OPEN
            };
            let (probed, had) = (
                Probed {
                    means,
                    missing: Vec::new(),
                },
                Cell::new(means),
            );
            let isolation = Isolation {
                runner: &runner,
                scratch: Path::new("/"),
                probed,
                had,
            };
            for trace in traces {
                let _fence = isolation.fence(Access::default(), Network::Deny, *trace);
            }
            (isolation.enforced().kill, isolation.enforced().trace)
        };
        use {KillGuard::*, Trace::*};
        assert_eq!(said(PtraceTree, &[Ptrace, Ptrace]), (PtraceTree, Ptrace));
        assert_eq!(said(PtraceTree, &[Ptrace, Notify, Ptrace]), (Pgrp, Notify));
        assert_eq!(said(PtraceTree, &[Ptrace, Trace::None]), (Pgrp, Ptrace));
        assert_eq!(said(Pidns, &[Notify, Ptrace]), (Pidns, Notify));
    }

    #[test]
    fn too_many_pinned_files_are_fenced_off_by_the_deepest_directories() {
        let fenced = |paths: &mut dyn Iterator<Item = String>| {
            let sealed = paths
                .map(|path| (path.parse().unwrap(), Sha256::of(b"")))
                .collect();
            let tree = "0".repeat(40).parse().unwrap();
            let mut access = Access::default();
            access.tree(
                Path::new("/t"),
                &LaidTree {
                    tree,
                    properties: BTreeSet::default(),
                    sealed,
                },
            );
            assert_eq!(access.writable, ["/t"].map(PathBuf::from));
            access
                .read_only
                .iter()
                .map(|path| path.display().to_string())
                .collect::<Vec<_>>()
        };
        let data = |count: usize| (0..count).map(|at| format!("tests/data/{:02}/{at}", at % 100));
        let one = || ["tests/keep.py".to_owned(), "keep.py".to_owned()].into_iter();
        assert!(fenced(&mut std::iter::empty()).is_empty());
        assert_eq!(fenced(&mut one()), ["/t/keep.py", "/t/tests/keep.py"]);
        let files = fenced(&mut data(MOST_PLACES));
        assert!(
            files.len() == MOST_PLACES && files[0] == "/t/tests/data/00/0",
            "{files:?}"
        );
        let dirs = fenced(&mut data(MOST_PLACES + 1).chain(one()));
        assert_eq!(
            (dirs.len(), &*dirs[1], &*dirs[101]),
            (102, "/t/tests/data/00", "/t/tests/keep.py")
        );
        let apart = |at: usize| format!("tests/data/{at}/one");
        let many = fenced(&mut (0..=MOST_PLACES).map(apart).chain(one()));
        assert_eq!(many, ["/t/keep.py", "/t/tests/data", "/t/tests/keep.py"]);
        let root = fenced(&mut (0..=MOST_PLACES).map(|at| format!("a{at}/b")));
        assert_eq!((root.len(), &*root[0]), (MOST_PLACES + 1, "/t/a0"));
    }
}
