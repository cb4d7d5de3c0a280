//! How is a trial of a story recorded? An honest record of its candidate, to be bent before it is folded.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot record its trial fails"
)]

use git_reins::decide::evaluation::Evaluation;
use git_reins::decide::facts::Facts;
use git_reins::decide::trial_key::{self, Bound};
use git_reins::evidence::gather::gather;
use git_reins::evidence::range_context::{self, Governed, Request};
use git_reins::git::Repo;
use git_reins::ledger::field::text;
use git_reins::model::ids::Sha256;
use git_reins::model::record::print;
use git_reins::model::trial::*;

use super::story::{Answer, Story, TODAY};

/// The canaries that pass; `public_signature` has no command here.
const CANARIES: [&str; 3] = ["parse_diff", "apply_check", "no_secret_marker"];

/// How often the policy replays a frozen seed.
const REPLAYS: usize = 3;

impl Story {
    /// What the library gathers about the branch that is checked out.
    pub fn facts(&self) -> Facts {
        let repo = Repo::open(&self.path(""), None).unwrap();
        let Governed::Under(ground) = range_context::find(&repo, &Request::default()).unwrap()
        else {
            panic!("not under reins")
        };
        gather(&repo, &ground, TODAY.parse().unwrap()).unwrap()
    }

    /// The record of a trial of HEAD in which everything passed.
    pub fn trial(&self) -> Trial {
        let facts = self.facts();
        let evaluation = Evaluation::of(facts);
        let (facts, bound) = (&evaluation.facts, Bound::of(&evaluation));
        let seeds = trial_key::seeds(&facts.policy);
        let mut checks: Vec<_> = CANARIES
            .map(|id| run(id, None, None, Revision::Candidate, Outcome::Pass))
            .into();
        let signature = run(
            "public_signature",
            None,
            None,
            Revision::Candidate,
            Outcome::NotRun,
        );
        checks.push(CheckRun {
            reason: Some(RunReason::NotConfigured),
            class: None,
            ..signature
        });
        let mut power = Vec::new();
        for row in facts.tip.material.oracle_rows() {
            let id = row.oracle_id.as_str();
            let frozen = facts
                .tip
                .material
                .freeze_rows()
                .iter()
                .filter(|one| text(&one.property_id) == id);
            let frozen = frozen.map(|one| (text(&one.seed), REPLAYS));
            for (seed, times) in [("0", 1)].into_iter().chain(frozen) {
                for revision in [Revision::Base, Revision::Candidate] {
                    let one = run("props", Some(id), Some(seed), revision, Outcome::Pass);
                    checks.extend(std::iter::repeat_n(one, times));
                }
            }
            power.push(PropertyPower {
                property_id: id.parse().unwrap(),
                power: Power::Claimed,
            });
        }
        Trial {
            schema: TRIAL_SCHEMA.to_owned(),
            blob: Some(Sha256([7; 32])),
            base_rev: facts.bases[0].id,
            base_tree: bound.base_tree.unwrap(),
            candidate_tree: Some(bound.candidate_tree),
            touched: facts
                .tip
                .touched
                .iter()
                .map(|path| path.parse().unwrap())
                .collect(),
            seeds_sha256: trial_key::seeds_sha256(&seeds),
            seeds,
            policy_sha256: bound.policy_sha256,
            rows_sha256: bound.rows_sha256,
            epoch: bound.epoch.unwrap(),
            image: Image {
                id: bound.image_id,
                fingerprint: "host:sha256.00".to_owned(),
            },
            enforced: Enforced {
                fixtures: FixtureGuard::BindRo,
                network: NetworkGuard::NetnsLo,
                kill: KillGuard::Pidns,
                trace: Trace::None,
            },
            checks,
            power,
            online: Vec::new(),
            unwitnessed: Vec::new(),
            held: Vec::new(),
            canary_bad: Vec::new(),
            illegal_freeze: Vec::new(),
            uncovered_fail: Vec::new(),
            verdict: TrialVerdict::Admit,
            reasons: Vec::new(),
            timing: None,
        }
    }

    /// Folds a record where it belongs, and says where that is.
    pub fn fold(&self, trial: &Trial) -> String {
        self.fold_as(&trial.directory_name(), &print(trial))
    }

    /// Folds a text as the verdict of a directory.
    pub fn fold_as(&self, name: &str, text: &str) -> String {
        let path = format!(".gitreins/history/{TODAY}/{name}/verdict.json");
        self.write(&path, text);
        self.commit("fold");
        path
    }

    /// Asks what the recorded trials say.
    pub fn by_trial(&self) -> Answer {
        self.ask(&["admit", "--today", TODAY, "--json"])
    }
}

/// One run.
pub fn run(
    id: &str,
    property: Option<&str>,
    seed: Option<&str>,
    revision: Revision,
    outcome: Outcome,
) -> CheckRun {
    let (kind, class) = match (property, outcome) {
        (None, _) => (CheckKind::Canary, None),
        (Some(_), Outcome::Pass) => (CheckKind::Property, Some(Class::PropPass)),
        (Some(_), _) => (CheckKind::Property, Some(Class::PropFail)),
    };
    CheckRun {
        id: id.to_owned(),
        property: property.map(|id| id.parse().unwrap()),
        kind,
        seed: seed.map(str::to_owned),
        revision,
        outcome,
        class,
        reason: None,
        exit: (outcome == Outcome::Pass).then_some(0),
        signal: None,
        opened: None,
        details: RunDetails::default(),
    }
}

/// Sets the outcome of every run of a property on a revision, of one seed when one is named.
pub fn set(
    trial: &mut Trial,
    property: &str,
    seed: Option<&str>,
    revision: Revision,
    outcome: Outcome,
) {
    for one in &mut trial.checks {
        let is_mine = one
            .property
            .as_ref()
            .is_some_and(|id| id.as_str() == property);
        let is_seed = seed.is_none_or(|seed| one.seed.as_deref() == Some(seed));
        if is_mine && is_seed && one.revision == revision {
            one.outcome = outcome;
        }
    }
}

/// The same trial, rejected because a property failed.
pub fn failed(mut trial: Trial, property: &str) -> Trial {
    set(
        &mut trial,
        property,
        None,
        Revision::Candidate,
        Outcome::Fail,
    );
    trial.uncovered_fail = vec![property.to_owned()];
    trial.verdict = TrialVerdict::Reject;
    trial.reasons = vec![TrialReason::UncoveredFail];
    trial
}
