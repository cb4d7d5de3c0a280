//! Describes an answer: the decision, its details, and the states of properties. The decision, its
//! details, and the states of properties.

use schemars::JsonSchema;
use serde::Serialize;

use super::day::Day;
use super::ids::{CommitId, OracleId};
use super::refusal::{Class, Code};
use super::trial::Power;

/// The name of the JSON form of a [`Decision`].
pub const DECISION_SCHEMA: &str = "git-reins/decision/1";

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Nothing stands against the candidate.
    Admit,
    /// Nothing refuses, but a person or a later trial has to say more; not mergeable.
    Hold,
    /// At least one rule is broken.
    Refuse,
}

/// Which rules were applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Rules {
    /// The whole contract.
    Full,
    /// The source articles' rules alone, on bare ledgers without a repository.
    Article,
}

/// What the order of commits was proven by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OrderEvidence {
    /// The commit graph alone: a reorder before anybody saw the commits is not visible.
    Topology,
}

/// What the word of the scores rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VerdictEvidence {
    /// Whoever handed the results in, or committed the trial.
    #[serde(rename = "self")]
    Itself,
    /// This process ran the trial just now.
    Rerun,
}

/// Where a property stands with respect to the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// In the complement: it decides.
    Scored,
    /// Named by a freeze row: it left the score.
    Frozen,
    /// Came later than, or beside, a patch commit: it left the score.
    Late,
    /// Names too little, or says so itself: it never scores.
    Smoke,
}

/// One finding: what was read, what was expected, and what fixes it.
///
/// Ordered by code first, so that sorted details read like the list of refusals.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Detail {
    /// The code of the broken rule.
    pub code: Code,
    /// Which case of the rule, a word in kebab case.
    pub reason: &'static str,
    /// The row, file or commit that the finding is about, as a person would name it.
    pub subject: String,
    /// The file in which it was read.
    pub path: Option<String>,
    /// The commit at which it was read, or that broke the rule.
    #[schemars(with = "Option<String>")]
    pub commit: Option<CommitId>,
    /// The field of the row, when one is to blame.
    pub field: Option<String>,
    /// What was read.
    pub observed: String,
    /// What was expected.
    pub expected: String,
    /// One command or edit that fixes it.
    pub fix: String,
}

impl Detail {
    /// A finding about `subject`; the other parts are added with the methods below.
    pub fn new(code: Code, reason: &'static str, subject: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            subject: subject.into(),
            path: None,
            commit: None,
            field: None,
            observed: String::new(),
            expected: String::new(),
            fix: code.entry().remedy.to_owned(),
        }
    }

    /// Names the file.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Names the commit.
    pub fn commit(mut self, commit: CommitId) -> Self {
        self.commit = Some(commit);
        self
    }

    /// Names the field.
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Says what was read and what was expected instead.
    pub fn saw(mut self, observed: impl Into<String>, expected: impl Into<String>) -> Self {
        self.observed = observed.into();
        self.expected = expected.into();
        self
    }

    /// Replaces the catalogue's remedy by one for this very case.
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = fix.into();
        self
    }
}

/// One property and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PropertyStanding {
    /// The oracle row.
    #[schemars(with = "String")]
    pub property_id: OracleId,
    /// Where it stands.
    pub state: Standing,
    /// The result handed in or recorded; null when there is none.
    pub status: Option<String>,
    /// What shows that the property can fail at all: `claimed` when nothing does.
    pub power: Power,
}

/// The answer of `check` and `admit`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Decision {
    /// Always [`DECISION_SCHEMA`].
    #[schemars(extend("const" = DECISION_SCHEMA))]
    pub schema: &'static str,
    /// What was decided.
    pub decision: Outcome,
    /// The codes that refuse, sorted and unique; always present.
    pub refusals: Vec<Code>,
    /// Every finding, refusals and holds alike, sorted.
    pub details: Vec<Detail>,
    /// How many properties are in the complement.
    pub scored: usize,
    /// How many scored rows a freeze names.
    pub frozen: usize,
    /// How many rows are smoke.
    pub smoke: usize,
    /// How many rows came too late to score.
    pub late: usize,
    /// Every row, by id.
    pub properties: Vec<PropertyStanding>,
    /// The frozen properties that failed and are held.
    #[schemars(with = "Vec<String>")]
    pub held: Vec<OracleId>,
    /// What a reader should know although it decides nothing.
    pub warnings: Vec<String>,
    /// Which rules were applied.
    pub rules: Rules,
    /// The commit that the candidate was judged against; null when there is none.
    #[schemars(with = "Option<String>")]
    pub base: Option<CommitId>,
    /// Every merge base when the lines were merged crosswise: each rule holds against each.
    #[schemars(with = "Vec<String>")]
    pub merge_bases: Vec<CommitId>,
    /// The candidate.
    #[schemars(with = "Option<String>")]
    pub tip: Option<CommitId>,
    /// The commits that carry the patch, parents first.
    #[schemars(with = "Vec<String>")]
    pub patch_commits: Vec<CommitId>,
    /// SHA-256 of the judged patch bytes; null when no trial was read.
    pub blob: Option<String>,
    /// What the order was proven by; null when no order was looked at.
    pub order_evidence: Option<OrderEvidence>,
    /// What the scores rest on; null when there are none.
    pub verdict_evidence: Option<VerdictEvidence>,
    /// The day of the decision.
    #[schemars(with = "String")]
    pub today: Day,
}

impl Decision {
    /// An answer about no range: nothing is counted, listed or proven yet.
    pub fn without_range(decision: Outcome, rules: Rules, today: Day) -> Self {
        Self {
            schema: DECISION_SCHEMA,
            decision,
            refusals: Vec::new(),
            details: Vec::new(),
            scored: 0,
            frozen: 0,
            smoke: 0,
            late: 0,
            properties: Vec::new(),
            held: Vec::new(),
            warnings: Vec::new(),
            rules,
            base: None,
            merge_bases: Vec::new(),
            tip: None,
            patch_commits: Vec::new(),
            blob: None,
            order_evidence: None,
            verdict_evidence: None,
            today,
        }
    }

    /// What a list of findings and held properties amounts to.
    pub fn outcome_of(details: &[Detail], held: &[OracleId]) -> Outcome {
        let refused = details
            .iter()
            .any(|detail| detail.code.entry().class != Class::Hold);
        match (refused, details.is_empty() && held.is_empty()) {
            (true, _) => Outcome::Refuse,
            (false, false) => Outcome::Hold,
            (false, true) => Outcome::Admit,
        }
    }

    /// The codes among the findings that refuse, sorted and unique.
    pub fn refusals_of(details: &[Detail]) -> Vec<Code> {
        let refusing = details.iter().map(|detail| detail.code);
        let mut codes: Vec<_> = refusing
            .filter(|code| code.entry().class != Class::Hold)
            .collect();
        codes.sort();
        codes.dedup();
        codes
    }
}
