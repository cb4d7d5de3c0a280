//! Tells whether what was enforced in a trial includes what a policy requires, and for which checks
//! it does not.

use std::collections::BTreeSet;

use crate::model::trial::{CheckRun, Enforced, FixtureGuard, NetworkGuard, Outcome};
use crate::policy::{Mechanism, Network, Policy};

/// The mechanisms that are required and were not enforced. What is only detected is not enforced.
pub fn lacks(enforced: &Enforced, required: &[Mechanism]) -> Vec<Mechanism> {
    let is_enforced = |mechanism: Mechanism| match mechanism {
        Mechanism::Network => match enforced.network {
            NetworkGuard::NetnsLo | NetworkGuard::Seccomp => true,
            NetworkGuard::None => false,
        },
        Mechanism::Fixtures => match enforced.fixtures {
            FixtureGuard::BindRo | FixtureGuard::Landlock => true,
            FixtureGuard::ModeOnly | FixtureGuard::None => false,
        },
    };
    required
        .iter()
        .copied()
        .filter(|mechanism| !is_enforced(*mechanism))
        .collect()
}

/// The checks that ran although the policy lets them reach the network, sorted.
pub fn online(policy: &Policy, runs: &[CheckRun]) -> Vec<String> {
    let has_run = |id: &str| {
        runs.iter()
            .any(|run| run.id == id && run.outcome != Outcome::NotRun)
    };
    let open = policy
        .checks
        .iter()
        .filter(|check| check.network == Network::Allow && has_run(&check.id));
    let ids: BTreeSet<_> = open.map(|check| check.id.clone()).collect();
    ids.into_iter().collect()
}

/// The means by which a mechanism is enforced, by their words in a record, the strongest first.
pub fn words(mechanism: Mechanism) -> &'static [&'static str] {
    match mechanism {
        Mechanism::Network => &["netns-lo", "seccomp"],
        Mechanism::Fixtures => &["bind-ro", "landlock"],
    }
}

/// The name of a mechanism in a policy.
pub fn name(wanted: Mechanism) -> &'static str {
    let named = Mechanism::NAMES
        .iter()
        .find(|(_, mechanism)| *mechanism == wanted);
    named.map_or("", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::trial::{KillGuard, Trace};

    #[test]
    fn what_is_only_detected_or_open_is_lacking() {
        let enforced = |network, fixtures| Enforced {
            fixtures,
            network,
            kill: KillGuard::Pgrp,
            trace: Trace::None,
        };
        let all = [Mechanism::Network, Mechanism::Fixtures];
        for network in NetworkGuard::ALL {
            for fixtures in FixtureGuard::ALL {
                let lacking = lacks(&enforced(*network, *fixtures), &all);
                assert_eq!(
                    lacking.contains(&Mechanism::Network),
                    *network == NetworkGuard::None
                );
                let open = matches!(fixtures, FixtureGuard::None | FixtureGuard::ModeOnly);
                assert_eq!(lacking.contains(&Mechanism::Fixtures), open);
                assert!(lacks(&enforced(*network, *fixtures), &[]).is_empty());
            }
        }
    }
}
