//! Describes what a judge's result amounts to.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::reverification::{Budget, RerunResult};

/// The name of the JSON form of an [`Adjudicated`].
pub const ADJUDICATION_SCHEMA: &str = "git-reins/adjudication/1";

/// What tier 1, the commands, showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier1 {
    /// The tests ran and passed, and no other step failed.
    Pass,
    /// A budget ran out.
    Timeout(Clock),
    /// A step saw a product failure.
    Fail,
    /// Nothing was graded.
    Ungraded(Why),
}

/// Whose budget ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clock {
    /// The budget of the judge.
    Judge,
    /// One inside the command, which left with 124.
    Inner,
}

macro_rules! whys {
    ($(#[doc = $meaning:literal] $variant:ident $reason:literal)*) => {
        /// Why nothing was graded.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Why { $(#[doc = $meaning] $variant,)* }

        impl Why {
            /// Every reason.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The reason as it is printed.
            pub fn reason(self) -> &'static str {
                match self { $(Self::$variant => concat!("tier1.ungraded.", $reason),)* }
            }

            /// What it means.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning.trim_ascii(),)* }
            }
        }
    };
}

whys! {
    /// The judge says itself that it skipped.
    Skip "skip"
    /// There were no tests.
    NoTests "no-tests"
    /// The program that runs the tests is missing.
    ToolMissing "tool-missing"
    /// A signal ended it.
    Killed "killed"
    /// The test runner did not understand its arguments.
    UsageError "usage-error"
    /// The test runner was interrupted, as it is by an error while it collects.
    Interrupted "interrupted"
    /// The test runner broke.
    InternalError "internal-error"
    /// It never started, or there is no tier 1.
    NotRun "not-run"
    /// What it says of itself does not fit together.
    Contradiction "contradiction"
    /// It has another shape than any that is known.
    Malformed "malformed"
    /// A frozen property failed and is held.
    Held "held"
    /// The draft channel failed.
    Infra "infra"
    /// There was no patch.
    EmptyBlob "empty-blob"
    /// The trial graded nothing that decides.
    Error "error"
}

impl Tier1 {
    /// The word of the contract.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Timeout(_) => "TIMEOUT",
            Self::Fail => "FAIL",
            Self::Ungraded(_) => "UNGRADED",
        }
    }

    /// The reason, which everything but a pass has.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::Pass => None,
            Self::Timeout(Clock::Judge) => Some("tier1.timeout"),
            Self::Timeout(Clock::Inner) => Some("tier1.timeout.inner"),
            Self::Fail => Some("tier1.fail"),
            Self::Ungraded(why) => Some(why.reason()),
        }
    }
}

impl Serialize for Tier1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// What tier 2, the criteria, showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Tier2 {
    /// The criteria are met.
    Met,
    /// A criterion was looked at and is not met.
    NotMet,
    /// It ran and says nothing: a provider error, an answer that cannot be read.
    NoEvidence,
    /// It did not run.
    Absent,
}

impl Tier2 {
    /// The word of the contract.
    pub fn word(self) -> &'static str {
        match self {
            Self::Met => "MET",
            Self::NotMet => "NOT_MET",
            Self::NoEvidence => "NO_EVIDENCE",
            Self::Absent => "ABSENT",
        }
    }
}

/// What both tiers amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// Nothing speaks against it.
    Pass,
    /// A product failure, or criteria that are not met.
    Fail,
    /// The clock of the tool: tier 1 has to run again before it is final.
    Artifact,
    /// Nobody knows.
    Unresolved,
    /// The raised budget ran out too; open, and never a regression.
    TimeoutConfirmed,
}

impl Verdict {
    /// Every verdict, in the order in which they are counted.
    pub const ALL: [Self; 5] = [
        Self::Pass,
        Self::Fail,
        Self::Artifact,
        Self::TimeoutConfirmed,
        Self::Unresolved,
    ];

    /// The word of the contract.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Artifact => "ARTIFACT",
            Self::Unresolved => "UNRESOLVED",
            Self::TimeoutConfirmed => "TIMEOUT_CONFIRMED",
        }
    }
}

/// A verdict and what follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the product got worse.
    pub regression: bool,
    /// Whether the task is done.
    pub complete: bool,
}

/// A word of an adjudication, for somebody who meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Word {
    /// As it is printed.
    pub word: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What to do about it.
    pub next: &'static str,
}

impl Word {
    /// Every word but the reasons of what graded nothing, which [`Why`] has.
    const NAMED: [(&'static str, &'static str, &'static str); 17] = [
        ("PASS", "nothing speaks against it", NOTHING),
        (
            "FAIL",
            "a failure of the product, or criteria that are not met",
            MEND,
        ),
        (
            "ARTIFACT",
            "only the clock of the tool speaks against it: the criteria are met",
            AGAIN,
        ),
        (
            "TIMEOUT_CONFIRMED",
            "the raised budget ran out too: open, and never a regression",
            RAISE,
        ),
        (
            "UNRESOLVED",
            "nobody knows: tier 1 graded nothing, or ran out of time without criteria",
            JUDGE,
        ),
        ("TIMEOUT", "tier 1 ran out of time", AGAIN),
        (
            "UNGRADED",
            "tier 1 graded nothing; the reason beside it says why",
            JUDGE,
        ),
        ("MET", "tier 2: the criteria are met", NOTHING),
        (
            "NOT_MET",
            "tier 2: a criterion was looked at and is not met",
            MEND,
        ),
        (
            "NO_EVIDENCE",
            "tier 2 ran and says nothing: a provider error, an unreadable answer",
            JUDGE,
        ),
        ("ABSENT", "tier 2 did not run", NOTHING),
        ("tier1.timeout", "the budget of the judge ran out", AGAIN),
        (
            "tier1.timeout.inner",
            "a budget inside the command ran out: it left with 124",
            AGAIN,
        ),
        (
            "tier1.fail",
            "a step of the verdict saw a failure of the product",
            MEND,
        ),
        (
            "regression",
            "tier 1 saw a failure, or ran out of time while the criteria failed",
            MEND,
        ),
        (
            "complete",
            "the task is done: it passed, with criteria that are met or without any",
            NOTHING,
        ),
        (
            "superseded",
            "another verdict that was read replaces it: it is shown and decides nothing",
            NOTHING,
        ),
    ];

    /// Every word.
    pub fn all() -> impl Iterator<Item = Self> {
        let whys = Why::ALL
            .iter()
            .map(|why| (why.reason(), why.meaning(), JUDGE));
        Self::NAMED
            .into_iter()
            .chain(whys)
            .map(|(word, meaning, next)| Self {
                word,
                meaning,
                next,
            })
    }

    /// The word that somebody wrote, in any case.
    pub fn of(text: &str) -> Option<Self> {
        Self::all().find(|word| word.word.eq_ignore_ascii_case(text))
    }
}

const NOTHING: &str = "nothing";
const MEND: &str = "mend the patch, then judge the task again";
const AGAIN: &str =
    "git reins adjudicate --reverify PATH, which runs tier1.command with the raised budget";
const RAISE: &str =
    "raise tier1.suite_runtime_s on the protected line, then git reins adjudicate --reverify PATH";
const JUDGE: &str = "put right what kept it from grading, then judge the task again";

/// One element of the answer of `git reins adjudicate --json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Adjudicated {
    /// Always [`ADJUDICATION_SCHEMA`].
    #[schemars(extend("const" = ADJUDICATION_SCHEMA))]
    pub schema: &'static str,
    /// The name of the verdict's directory.
    pub id: String,
    /// The task, or null for a trial of our own.
    pub task_id: Option<String>,
    /// The file that was read.
    pub path: String,
    /// What tier 1 showed.
    #[schemars(with = "String", extend("enum" = ["PASS", "TIMEOUT", "FAIL", "UNGRADED"]))]
    pub tier1: Tier1,
    /// Why; null for a pass.
    pub reason: Option<&'static str>,
    /// What tier 2 showed.
    pub tier2: Tier2,
    /// What both amount to.
    pub verdict: Verdict,
    /// Whether the product got worse.
    pub regression: bool,
    /// Whether the task is done.
    pub complete: bool,
    /// What running tier 1 again showed; null when it did not run again.
    pub reverified: Option<RerunResult>,
    /// The record that replaced it, where the judge says so; the verdict stands all the same.
    pub superseded_by: Option<String>,
    /// How long tier 1 may take when it runs again.
    pub budget: Budget,
}
