//! The sections of the policy and their defaults.

use super::check::{Check, Kind};
use super::refname;
use crate::model::path::RepoPath;

/// The canaries that every trial runs first, in this order; no check may take their names.
pub const BUILT_IN_CANARIES: [&str; 4] = [
    "parse_diff",
    "apply_check",
    "no_secret_marker",
    "public_signature",
];

/// What a repository holds itself to. The default is what `schema = 1` alone means.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// Where things live.
    pub paths: Paths,
    /// Which refs are protected.
    pub protect: Protect,
    /// Whether a recorded trial is needed.
    pub verdict: VerdictRule,
    /// How long and how much may be frozen.
    pub freeze: FreezeRule,
    /// How a trial is judged.
    pub judge: Judge,
    /// The declared checks, in the order of the file: canaries run in it.
    pub checks: Vec<Check>,
    /// How the foreman runs the suite again.
    pub tier1: Tier1,
    /// What the foreman runs when a task is done.
    pub foreman: Foreman,
}

impl Policy {
    /// The declared check with this id.
    pub fn check(&self, id: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.id == id)
    }

    /// The checks that run properties; a row that names none means the only one.
    pub fn property_checks(&self) -> impl Iterator<Item = &Check> {
        self.checks
            .iter()
            .filter(|check| check.kind == Kind::Property)
    }

    /// The check that runs a row: the named one, else the only property check.
    pub fn check_of(&self, named: Option<&str>) -> Option<&Check> {
        let mut declared = self.property_checks();
        match named {
            Some(id) => declared.find(|check| check.id == id),
            None => declared.next().filter(|_| declared.next().is_none()),
        }
    }

    /// Whether a name is that of a canary, built in or declared: those are never frozen.
    ///
    /// Case does not matter, so that no spelling of a canary slips through.
    pub fn is_canary(&self, id: &str) -> bool {
        let declared = self
            .checks
            .iter()
            .filter(|check| check.kind == Kind::Canary);
        let names = BUILT_IN_CANARIES
            .into_iter()
            .chain(declared.map(|check| check.id.as_str()));
        names.into_iter().any(|name| name.eq_ignore_ascii_case(id))
    }

    /// Whether a push to this ref is refused, and not only warned about.
    pub fn enforces(&self, ref_name: &str) -> bool {
        self.protect
            .enforce
            .iter()
            .any(|pattern| refname::matches(pattern, ref_name))
    }
}

/// `[paths]`: path prefixes. A prefix covers itself and what lies below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Paths {
    /// The directory of the three ledgers.
    pub ledger: RepoPath,
    /// Where verdict directories are folded.
    pub history: RepoPath,
    /// Where the sources of properties and their harness live: frozen before the patch.
    pub properties: Vec<RepoPath>,
    /// Where fixtures live.
    pub fixtures: Vec<RepoPath>,
    /// Where the texts live that oracle rows cite.
    pub specs: Vec<RepoPath>,
    /// What needs no oracle. Overlaps nothing of the above and not `.gitreins`.
    pub exempt: Vec<RepoPath>,
    /// What holds a patch for a person, whatever the checks say.
    pub human_only: Vec<RepoPath>,
}

impl Default for Paths {
    fn default() -> Self {
        let constant = |text: &str| text.parse().expect("both constants are safe paths");
        Self {
            ledger: constant("ledger"),
            history: constant(".gitreins/history"),
            properties: Vec::new(),
            fixtures: Vec::new(),
            specs: Vec::new(),
            exempt: Vec::new(),
            human_only: Vec::new(),
        }
    }
}

/// `[protect]`: refs by their full names or patterns of them, `refs/...`: `*` within one component,
/// `**` any depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protect {
    /// The protected lines.
    pub base: Vec<String>,
    /// The refs on which a push is refused.
    pub enforce: Vec<String>,
}

impl Default for Protect {
    fn default() -> Self {
        let enforce = ["refs/heads/**", "refs/tags/**"];
        Self {
            base: Vec::new(),
            enforce: enforce.map(str::to_owned).to_vec(),
        }
    }
}

/// `[verdict]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictRule {
    /// Whether a push of patch commits to a protected line needs a recorded trial that admits.
    pub require: bool,
}

impl Default for VerdictRule {
    fn default() -> Self {
        Self { require: true }
    }
}

/// `[freeze]`.
#[derive(Clone, Debug, PartialEq)]
pub struct FreezeRule {
    /// How far in the future a freeze may end, in days; at most 36,500.
    pub max_days: u64,
    /// How much of the scored properties may be frozen at once, from 0 to 1.
    pub max_share: f64,
}

impl Default for FreezeRule {
    fn default() -> Self {
        Self {
            max_days: 30,
            max_share: 0.5,
        }
    }
}

/// A compiled pattern of `judge.secret_markers` takes at most this much memory, in bytes.
pub const MARKER_SIZE: usize = 1 << 20;

/// `[judge]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judge {
    /// How often a frozen seed is replayed, 1 to 100.
    pub replays: u64,
    /// The mechanisms without which there is no verdict.
    pub require: Vec<Mechanism>,
    /// What a row has to show for itself to score.
    pub power: Power,
    /// Further patterns that mark a secret on an added line, as they are written.
    pub secret_markers: Vec<String>,
    /// Texts that are no secret although they look like one.
    pub secret_allow: Vec<String>,
    /// The command that compares public signatures, with `{before}` and `{after}`; `None` when
    /// the repository has none.
    pub public_signature: Option<Vec<String>>,
}

impl Default for Judge {
    fn default() -> Self {
        Self {
            replays: 3,
            require: vec![Mechanism::Network, Mechanism::Fixtures],
            power: Power::Claimed,
            secret_markers: Vec::new(),
            secret_allow: Vec::new(),
            public_signature: None,
        }
    }
}

/// Something that the judge can be required to enforce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mechanism {
    /// A check reaches no network.
    Network,
    /// A check cannot write a fixture.
    Fixtures,
}

impl Mechanism {
    /// Every mechanism and its name.
    pub const NAMES: &[(&str, Self)] = &[("network", Self::Network), ("fixtures", Self::Fixtures)];
}

/// What shows that a property can fail at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Power {
    /// The row says so.
    Claimed,
    /// A witness patch was killed, or base failed; a row that only claims is smoke.
    Witness,
}

impl Power {
    /// Every power and its name.
    pub const NAMES: &[(&str, Self)] = &[("claimed", Self::Claimed), ("witness", Self::Witness)];
}

/// `[tier1]`: the suite, run again by the foreman.
#[derive(Clone, Debug, PartialEq)]
pub struct Tier1 {
    /// The command; empty when none is declared.
    pub command: Vec<String>,
    /// The budget that the grading tool gives, in seconds; at most `max_s`.
    pub tool_budget_s: u64,
    /// How long the suite is known to take, in seconds.
    pub suite_runtime_s: Option<f64>,
    /// The share added to a known runtime.
    pub margin: f64,
    /// The longest budget, in seconds.
    pub max_s: u64,
}

impl Default for Tier1 {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            tool_budget_s: 120,
            suite_runtime_s: None,
            margin: 0.25,
            max_s: 1200,
        }
    }
}

/// `[foreman]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Foreman {
    /// What runs once a task is complete, with `{task_id}`; empty when nothing does.
    pub on_complete: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::parse;

    #[test]
    fn canaries_are_known_in_any_case() {
        let text = "schema = 1\n[[check]]\nid = \"lint\"\nkind = \"canary\"\nrun = [\"lint\"]\n\
                    [[check]]\nid = \"props\"\nrun = [\"props\"]\n";
        let policy = parse(text.as_bytes()).unwrap();
        for canary in [
            "parse_diff",
            "Apply_Check",
            "no_secret_marker",
            "public_signature",
            "lint",
            "LINT",
        ] {
            assert!(policy.is_canary(canary), "{canary}");
        }
        assert!(!policy.is_canary("props") && !policy.is_canary("lin") && !policy.is_canary(""));
        let ids: Vec<_> = policy
            .property_checks()
            .map(|check| check.id.as_str())
            .collect();
        assert_eq!(ids, ["props"]);
        assert!(policy.check("lint").is_some() && policy.check("Lint").is_none());
    }

    #[test]
    fn branches_and_tags_are_enforced_by_default() {
        let policy = Policy::default();
        assert!(policy.enforces("refs/heads/main") && policy.enforces("refs/tags/v1/rc"));
        assert!(!policy.enforces("refs/notes/x") && !policy.enforces("refs/reins/receipts"));
    }
}
