//! What keeps the runs of a trial from what they may not touch, and is that what the policy wants?

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::fault::TrialError;
use super::lay::Laid;
use crate::decide::enforced::{lacks, words};
use crate::model::trial::{Enforced, KillGuard, Trace};
use crate::policy::{Mechanism, Network, Policy};
use crate::sandbox::fence::Fence;
use crate::sandbox::probe::{Probed, probe};
use crate::sandbox::run::Runner;
use crate::sandbox::trace;

/// More pinned files than this are fenced off by their directories: the orders of a supervisor are
/// one argument, and the kernel takes no long one.
const MOST_FILES: usize = 200;

/// The strongest means that were seen to work, for every run of a trial.
pub struct Jail<'a> {
    /// Who runs the jobs.
    pub runner: &'a Runner,
    /// A directory of our own.
    pub scratch: &'a Path,
    probed: Probed,
    /// What every run so far had; a run may have had less than what works.
    had: Cell<Enforced>,
}

impl<'a> Jail<'a> {
    /// Tries which means work, with jobs below `scratch`.
    ///
    /// # Errors
    /// When the try cannot be made, or somebody interrupts it.
    pub fn probe(runner: &'a Runner, scratch: &'a Path) -> Result<Self, TrialError> {
        let probed = trace::probe(runner, scratch, probe(runner, scratch)?)?;
        let had = Cell::new(probed.means);
        Ok(Self { runner, scratch, probed, had })
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
            missing.into_iter().map(|mechanism| (mechanism, self.why(mechanism))).collect(),
        ))
    }

    /// Why a mechanism is missing: each of its means, and what happened when it was tried.
    fn why(&self, mechanism: Mechanism) -> String {
        self.tried(words(mechanism), "nothing here enforces it")
    }

    /// Why nobody sees what is opened, where nobody does.
    pub(super) fn blindness(&self) -> String {
        self.tried(&["ptrace", "notify"], "nothing here sees it")
    }

    fn tried(&self, means: &[&str], otherwise: &str) -> String {
        let tried = self.probed.missing.iter().filter(|(word, _)| means.contains(word));
        let tried: Vec<_> = tried.map(|(word, why)| format!("{word}: {why}")).collect();
        if tried.is_empty() { otherwise.to_owned() } else { tried.join("; ") }
    }

    /// The fence around one run, watched in this way.
    pub(super) fn fence(&self, land: Land, network: Network, trace: Trace) -> Fence {
        let mut means = Enforced { trace, ..self.means() };
        if trace != Trace::Ptrace && means.kill == KillGuard::PtraceTree {
            means.kill = KillGuard::Pgrp;
        }
        // a run that nobody watches says so itself
        let trace =
            if trace == Trace::None { self.enforced().trace } else { trace.max(self.enforced().trace) };
        self.had.set(Enforced { trace, kill: means.kill.max(self.enforced().kill), ..means });
        Fence { means, read_only: land.read_only, writable: land.writable, network }
    }
}

/// Where a run may write, and where in there it may not.
#[derive(Clone, Debug, Default)]
pub(super) struct Land {
    pub writable: Vec<PathBuf>,
    pub read_only: Vec<PathBuf>,
}

impl Land {
    /// A tree, but for what is pinned in it.
    pub fn tree(&mut self, dir: &Path, laid: &Laid) {
        self.writable.push(dir.to_owned());
        self.read_only.extend(pinned(laid).iter().map(|path| dir.join(path)));
    }
}

/// The pinned files of a tree; the directories at its root that hold them when they are too many.
fn pinned(laid: &Laid) -> BTreeSet<&str> {
    let paths = laid.sealed.iter().map(|(path, _)| path.as_str());
    if laid.sealed.len() <= MOST_FILES {
        return paths.collect();
    }
    paths.map(|path| path.split('/').next().unwrap_or(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::interrupt::Interrupt;

    #[test]
    fn what_is_required_and_missing_is_told_with_what_was_tried() {
        let runner = Runner::supervised_by(PathBuf::new(), Interrupt::watch().unwrap());
        let missing = vec![
            ("netns-lo", "no namespaces: not permitted".to_owned()),
            ("seccomp", "no filter".to_owned()),
            ("pidns", "no".to_owned()),
        ];
        let probed = Probed { means: Fence::OPEN, missing };
        let had = Cell::new(probed.means);
        let jail = Jail { runner: &runner, scratch: Path::new("/"), probed, had };
        let mut policy = crate::policy::parse(b"schema = 1\n").unwrap();
        let said = jail.require(&policy).unwrap_err().to_string();
        let tried = "network (netns-lo: no namespaces: not permitted; seccomp: no filter)";
        assert!(said.contains(tried) && said.contains("fixtures (nothing here enforces it)"), "{said}");
        policy.judge.require = Vec::new();
        assert!(jail.require(&policy).is_ok());
    }

    #[test]
    fn what_one_run_did_not_have_is_not_said_of_all() {
        let runner = Runner::supervised_by(PathBuf::new(), Interrupt::watch().unwrap());
        let said = |kill: KillGuard, traces: &[Trace]| {
            let means = Enforced { kill, trace: Trace::Ptrace, ..Fence::OPEN };
            let (probed, had) = (Probed { means, missing: Vec::new() }, Cell::new(means));
            let jail = Jail { runner: &runner, scratch: Path::new("/"), probed, had };
            for trace in traces {
                let _fence = jail.fence(Land::default(), Network::Deny, *trace);
            }
            (jail.enforced().kill, jail.enforced().trace)
        };
        use {KillGuard::*, Trace::*};
        assert_eq!(said(PtraceTree, &[Ptrace, Ptrace]), (PtraceTree, Ptrace));
        assert_eq!(said(PtraceTree, &[Ptrace, Notify, Ptrace]), (Pgrp, Notify));
        assert_eq!(said(PtraceTree, &[Ptrace, Trace::None]), (Pgrp, Ptrace));
        assert_eq!(said(Pidns, &[Notify, Ptrace]), (Pidns, Notify));
    }

    #[test]
    fn many_pinned_files_are_fenced_off_by_their_directories() {
        let laid = |count: usize| {
            let path = |at: usize| (format!("fixtures/f{at}").parse().unwrap(), crate::sys::hash::bytes(b""));
            let tree = "0".repeat(40).parse().unwrap();
            Laid { tree, properties: BTreeSet::default(), sealed: (0..count).map(path).collect() }
        };
        let mut land = Land::default();
        land.tree(Path::new("/t"), &laid(2));
        assert_eq!(land.read_only, ["/t/fixtures/f0", "/t/fixtures/f1"].map(PathBuf::from));
        let mut land = Land::default();
        land.tree(Path::new("/t"), &laid(MOST_FILES + 1));
        assert_eq!((land.read_only, land.writable), (vec!["/t/fixtures".into()], vec!["/t".into()]));
    }
}
