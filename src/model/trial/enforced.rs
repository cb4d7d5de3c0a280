//! Describes what was enforced while the checks of a trial ran, and by which mechanism.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was enforced while the checks ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Enforced {
    /// What kept fixtures as they were.
    pub fixtures: FixtureGuard,
    /// What kept the network away.
    pub network: NetworkGuard,
    /// What ended whatever a check left behind.
    pub kill: KillGuard,
    /// What saw which paths were opened.
    pub trace: Trace,
}

words! {
    /// A mechanism that keeps fixtures as they were.
    FixtureGuard {
        /// Landlock.
        Landlock,
        /// A read-only bind mount.
        BindRo,
        /// Permission bits: detected, not prevented.
        ModeOnly,
        /// None.
        None,
    }
}

words! {
    /// A mechanism that keeps the network away.
    NetworkGuard {
        /// A network namespace of its own with a loopback device.
        NetnsLo,
        /// A filter of system calls.
        Seccomp,
        /// None.
        None,
    }
}

words! {
    /// A mechanism that ends whatever a check left behind.
    KillGuard {
        /// A process namespace.
        Pidns,
        /// Every traced process.
        PtraceTree,
        /// The process group.
        Pgrp,
    }
}

words! {
    /// A mechanism that sees which paths a check opens.
    Trace {
        /// Tracing.
        Ptrace,
        /// Notifications of a filter of system calls.
        Notify,
        /// None: what was opened is unknown.
        None,
    }
}
