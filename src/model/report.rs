//! Describes what a reviewer needs about a candidate. One answer, whatever format it is written in.

use std::fmt;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::change::Changes;
use super::day::Day;
use super::decision::{OrderEvidence, Outcome, Standing, VerdictEvidence};
use super::ids::{CommitId, OracleId};
use super::refusal::{Class, Code, Entry};
use super::trial::{
    CheckKind, Class as RunClass, Enforced, Outcome as RunOutcome, Power, Revision, RunReason,
    TrialReason, TrialVerdict,
};

/// The name of the JSON form of a [`Report`].
pub const REPORT_SCHEMA: &str = "git-reins/report/1";

/// A decision about a range, with everything that a reviewer reads beside it.
///
/// The members stand in the order in which every format shows them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// Always [`REPORT_SCHEMA`].
    #[schemars(extend("const" = REPORT_SCHEMA))]
    pub schema: &'static str,
    /// The answer.
    pub decision: Answered,
    /// The codes that refuse, sorted and unique.
    pub refusals: Vec<Code>,
    /// Everything that stands against the candidate, each with one fix; empty when it is admitted.
    pub findings: Vec<Finding>,
    /// How many properties are where.
    pub score: Score,
    /// Every row of the oracle ledger, by id.
    pub properties: Vec<Property>,
    /// The frozen properties that failed and are held.
    #[schemars(with = "Vec<String>")]
    pub held: Vec<OracleId>,
    /// Which freezes lapse when, nearest day first, and what the score becomes without them.
    pub forecast: Vec<Lapse>,
    /// What changed in the ledgers and in the policy in meaning; null where nothing can be compared.
    pub changes: Option<Changes>,
    /// The recorded trials that count for the candidate, the strictest first.
    pub trials: Vec<TrialSummary>,
    /// What decides nothing but should be known.
    pub warnings: Vec<String>,
    /// What was judged, by what, and how to compute it again.
    pub provenance: Provenance,
}

/// The answer, or that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Answered {
    /// Nothing stands against the candidate.
    Admit,
    /// A person or a later trial has to say more; not mergeable.
    Hold,
    /// A rule is broken.
    Refuse,
    /// Nothing can be decided; never to be read as an admission.
    Undecided,
}

impl Answered {
    /// The word as it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admit => "admit",
            Self::Hold => "hold",
            Self::Refuse => "refuse",
            Self::Undecided => "undecided",
        }
    }
}

impl From<Outcome> for Answered {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Admit => Self::Admit,
            Outcome::Hold => Self::Hold,
            Outcome::Refuse => Self::Refuse,
        }
    }
}

impl From<Class> for Answered {
    fn from(class: Class) -> Self {
        match class {
            Class::Refusal => Self::Refuse,
            Class::Hold => Self::Hold,
            Class::Undecided => Self::Undecided,
        }
    }
}

/// What a finding goes by: a code of the catalogue, or a word for what has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// A code.
    Code(Code),
    /// A frozen property failed: a hold without a code.
    FreezeHit,
    /// Something that is no rule of ours stands in the way of an answer.
    CannotDecide,
}

impl Rule {
    /// Every rule, the codes first.
    pub fn all() -> impl Iterator<Item = Self> {
        Code::ALL
            .iter()
            .map(|code| Self::Code(*code))
            .chain([Self::FreezeHit, Self::CannotDecide])
    }

    /// The name as it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code(code) => code.as_str(),
            Self::FreezeHit => "FREEZE_HIT",
            Self::CannotDecide => "CANNOT_DECIDE",
        }
    }

    /// What it means and how to get rid of it, as `git reins explain` says it.
    pub fn entry(self) -> Entry {
        match self {
            Self::Code(code) => code.entry(),
            Self::FreezeHit => Entry {
                class: Class::Hold,
                rule: "a frozen property that fails under its freeze row is held, neither admitted nor refused",
                reads: "the results handed in, or the recorded trial, and the freeze rows at tip",
                remedy: "fix the property or the patch until it passes, and judge again: git reins judge",
                authority: "the owner of the freeze",
            },
            Self::CannotDecide => Entry {
                class: Class::Undecided,
                rule: "an answer needs a repository, a range and objects that can be read",
                reads: "the repository, its refs and the objects of the range",
                remedy: "mend what the message names, and ask again: git reins doctor",
                authority: "nobody: without an answer nothing is admitted",
            },
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A place in the tree of the candidate that an annotation can point at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Place {
    /// The path.
    pub path: String,
    /// The line, from 1; 1 also where it is not known.
    pub line: usize,
}

/// One thing that stands against the candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// The code, or FREEZE_HIT, or CANNOT_DECIDE.
    #[schemars(with = "String")]
    pub rule: Rule,
    /// What it makes of the answer.
    pub answer: Answered,
    /// Which case of the rule.
    pub reason: String,
    /// The row, file or commit that it is about.
    pub subject: String,
    /// The file in which it was read.
    pub path: Option<String>,
    /// Where to look: at the ledger row that it is about, else in that file; always somewhere.
    pub place: Place,
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
    /// The same for the same finding of another commit, and for no other finding of this report.
    pub fingerprint: String,
}

/// How many properties are where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Score {
    /// In the complement.
    pub scored: usize,
    /// All rows.
    pub total: usize,
    /// Named by a freeze.
    pub frozen: usize,
    /// Came too late to score.
    pub late: usize,
    /// Never score.
    pub smoke: usize,
    /// Scored ones whose result is no pass.
    pub failed: usize,
}

/// One row of the oracle ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Property {
    /// Its id.
    #[schemars(with = "String")]
    pub property_id: OracleId,
    /// Where it stands.
    pub state: Standing,
    /// The result handed in or recorded; null when there is none.
    pub status: Option<String>,
    /// What shows that it can fail at all.
    pub power: Power,
    /// The freeze rows that name it.
    pub freezes: Vec<Freeze>,
    /// Where its row stands.
    pub place: Place,
}

/// A freeze row, as far as a reviewer asks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Freeze {
    /// The property that it names, as it is written.
    pub property_id: String,
    /// The seed.
    pub seed: String,
    /// The last day, as it is written.
    pub expires_at: String,
    /// Who has to remove it.
    pub owner: String,
}

impl Freeze {
    /// The row as people call it.
    pub fn name(&self) -> String {
        format!("{} seed {}", self.property_id, self.seed)
    }
}

/// What happens when a day is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Lapse {
    /// The last day on which the rows count.
    #[schemars(with = "String")]
    pub last_day: Day,
    /// Days until then; negative when it is over, and the rows refuse already.
    pub days_left: i64,
    /// The rows that lapse.
    pub freezes: Vec<Freeze>,
    /// The properties that come back to the score when these rows and all earlier ones are removed.
    #[schemars(with = "Vec<String>")]
    pub returns: Vec<OracleId>,
    /// How many properties score then.
    pub scored: usize,
    /// All rows.
    pub total: usize,
}

/// A recorded trial that counts for the candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrialSummary {
    /// Where its record lies.
    pub path: String,
    /// What the record says.
    pub verdict: TrialVerdict,
    /// Why it did not admit.
    pub reasons: Vec<TrialReason>,
    /// SHA-256 of the patch bytes.
    pub blob: Option<String>,
    /// The fixture epoch.
    pub epoch_id: String,
    /// The runner image.
    pub image: String,
    /// What was enforced while the checks ran.
    pub enforced: Enforced,
    /// The checks that ran with the network open, as the policy lets them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub online: Vec<String>,
    /// Every run, in order.
    pub checks: Vec<Check>,
}

/// One run of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// The check.
    pub id: String,
    /// The property that it ran; null for a canary.
    #[schemars(with = "Option<String>")]
    pub property: Option<OracleId>,
    /// What it is for.
    pub kind: CheckKind,
    /// The seed.
    pub seed: Option<String>,
    /// Which tree it ran on.
    pub revision: Revision,
    /// What came out.
    pub outcome: RunOutcome,
    /// What it amounts to.
    pub class: Option<RunClass>,
    /// Which case of the outcome.
    pub reason: Option<RunReason>,
}

/// What was judged, by what, and how to compute it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Provenance {
    /// Name and version of the tool.
    pub tool: String,
    /// The commit that the candidate was judged against.
    #[schemars(with = "Option<String>")]
    pub base: Option<CommitId>,
    /// Every merge base.
    #[schemars(with = "Vec<String>")]
    pub merge_bases: Vec<CommitId>,
    /// The candidate.
    #[schemars(with = "Option<String>")]
    pub head: Option<CommitId>,
    /// The commits that carry the patch, parents first.
    #[schemars(with = "Vec<String>")]
    pub patch_commits: Vec<CommitId>,
    /// SHA-256 of the judged patch bytes; null when no trial was read.
    pub blob: Option<String>,
    /// The ledgers at head and the policy that judged.
    pub files: Vec<Pinned>,
    /// What the order was proven by.
    pub order_evidence: Option<OrderEvidence>,
    /// What the scores rest on.
    pub verdict_evidence: Option<VerdictEvidence>,
    /// The day of the decision.
    #[schemars(with = "String")]
    pub today: Day,
    /// The command that computes the decision again.
    pub recompute: String,
}

/// A file that the decision rests on: `git show COMMIT:PATH | sha256sum`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pinned {
    /// Its path.
    pub path: String,
    /// The commit that it was read from.
    #[schemars(with = "String")]
    pub commit: CommitId,
    /// SHA-256 of its bytes; null when it is not there, or larger than any ledger.
    pub sha256: Option<String>,
}
