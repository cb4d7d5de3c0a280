//! What does the record of one trial say, and how is its directory named?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::Digest;

use super::ids::{CommitId, ObjectId, OracleId, Sha256};
use super::image::RunnerImage;
use super::path::RepoPath;
use super::record::{Record, RecordFault, print};
use super::text;

/// The name of the JSON form of a [`Trial`].
pub const TRIAL_SCHEMA: &str = "git-reins/trial/1";

const COMMIT: &str = "^([0-9a-f]{40}|[0-9a-f]{64})$";
const SHA256: &str = "^[0-9a-f]{64}$";

/// One judging of one content-addressed patch, `verdict.json`.
///
/// Two judges of the same trial write equal records but for `timing`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Always [`TRIAL_SCHEMA`].
    #[schemars(extend("const" = TRIAL_SCHEMA))]
    pub schema: String,
    /// SHA-256 of the patch bytes; null when the draft channel brought none.
    #[serde(with = "text::optional")]
    #[schemars(with = "Option<String>", extend("pattern" = SHA256))]
    pub blob: Option<Sha256>,
    /// The commit that the candidate was judged against.
    #[serde(with = "text")]
    #[schemars(with = "String", regex(pattern = COMMIT))]
    pub base_rev: CommitId,
    /// The code tree of base: its tree without material.
    #[serde(with = "text")]
    #[schemars(with = "String", regex(pattern = COMMIT))]
    pub base_tree: ObjectId,
    /// The code tree of the candidate; null when there is none, because no patch was applied.
    #[serde(with = "text::optional")]
    #[schemars(with = "Option<String>", extend("pattern" = COMMIT))]
    pub candidate_tree: Option<ObjectId>,
    /// The paths that the patch touches, sorted.
    #[serde(with = "text::list")]
    #[schemars(with = "Vec<String>")]
    pub touched: Vec<RepoPath>,
    /// The seeds of each check, in the order of the policy.
    pub seeds: Vec<CheckSeeds>,
    /// SHA-256 of the canonical `seeds`.
    #[serde(with = "text")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub seeds_sha256: Sha256,
    /// SHA-256 of the policy's bytes.
    #[serde(with = "text")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub policy_sha256: Sha256,
    /// SHA-256 of the canonical rows in force.
    #[serde(with = "text")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub rows_sha256: Sha256,
    /// The fixture epoch.
    pub epoch: Epoch,
    /// The image that ran it.
    pub image: Image,
    /// What was enforced, and by which mechanism.
    pub enforced: Enforced,
    /// The checks that ran although the policy lets them reach the network, sorted: `enforced` says
    /// nothing of the network of their runs. Left out when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub online: Vec<String>,
    /// Every run, in order.
    pub checks: Vec<CheckRun>,
    /// What shows that a property can fail at all, by property.
    pub power: Vec<PropertyPower>,
    /// The passing checks that opened none of the touched paths, sorted.
    pub unwitnessed: Vec<String>,
    /// The frozen properties that failed and are held, sorted.
    pub held: Vec<String>,
    /// The canaries that missed.
    pub canary_bad: Vec<String>,
    /// The properties that failed under a freeze row that cannot be used, sorted.
    pub illegal_freeze: Vec<String>,
    /// The properties that failed and that no freeze row names, sorted.
    pub uncovered_fail: Vec<String>,
    /// What was decided.
    pub verdict: TrialVerdict,
    /// Why it was not admitted, sorted; empty for an admitted one.
    pub reasons: Vec<TrialReason>,
    /// The clock, outside the record's hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

/// The seeds of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckSeeds {
    /// The declared check.
    pub check: String,
    /// Its seeds, opaque texts.
    pub seeds: Vec<String>,
}

/// The fixture epoch of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Epoch {
    /// The name.
    pub epoch_id: String,
    /// The digest over the listed files.
    #[serde(with = "text")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub digest_sha256: Sha256,
}

/// The runner image of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// The id, `<basis>:<value>`.
    pub id: String,
    /// The measured fingerprint, whatever the id rests on.
    pub fingerprint: String,
}

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

/// Written as a word in kebab case, closed: an unknown word is a fault.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// Every word.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];
        }
    };
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

/// One run of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckRun {
    /// The check: a declared one or a canary.
    pub id: String,
    /// The property that it ran; null for a canary.
    #[serde(with = "text::optional")]
    #[schemars(with = "Option<String>")]
    pub property: Option<OracleId>,
    /// What the check is for.
    pub kind: CheckKind,
    /// The seed; null where there is none.
    pub seed: Option<String>,
    /// Which tree it ran on.
    pub revision: Revision,
    /// What came out.
    pub outcome: Outcome,
    /// What it amounts to; null for a run that decides nothing.
    pub class: Option<Class>,
    /// Which case of the outcome, where it has several.
    pub reason: Option<RunReason>,
    /// The exit code, when it exited.
    pub exit: Option<i32>,
    /// The signal, when one ended it.
    pub signal: Option<i32>,
    /// The paths that it opened, sorted; null when unknown, never an empty list for unknown.
    pub opened: Option<Vec<Opened>>,
}

impl CheckRun {
    /// What lists of the record call it: the property, else the check.
    pub fn subject(&self) -> &str {
        self.property.as_ref().map_or(self.id.as_str(), OracleId::as_str)
    }
}

/// A path that a run opened, with the bytes that it held.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Opened {
    /// The path in the tree.
    #[serde(with = "text")]
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// SHA-256 of its bytes.
    #[serde(with = "text")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub sha256: Sha256,
}

words! {
    /// What a check is for.
    CheckKind {
        /// Runs a property.
        Property,
        /// Must be a hard pass before any property runs.
        Canary,
    }
}

words! {
    /// Which tree a check ran on.
    Revision {
        /// The base.
        Base,
        /// The base with the patch.
        Candidate,
        /// The base with a known-bad patch.
        Witness,
    }
}

words! {
    /// The outcome of one run; only a pass is a pass.
    Outcome {
        /// It exited with a code that means pass, and nothing speaks against it.
        Pass,
        /// It passed after it had not.
        FlakyPass,
        /// It exited with a code that means fail.
        Fail,
        /// Its budget ran out.
        Timeout,
        /// A signal ended it that was not ours.
        Signal,
        /// It was killed for its memory.
        Oom,
        /// It passed and left processes behind.
        Leak,
        /// It wrote more than it may.
        OutputLimit,
        /// It changed bytes that it may not.
        Tamper,
        /// Nothing was graded: see the reason.
        Error,
        /// It did not run: see the reason.
        NotRun,
    }
}

words! {
    /// Which case of an outcome.
    RunReason {
        /// The program could not be started.
        Spawn,
        /// It ran no test.
        NoTests,
        /// Its exit code means neither pass nor fail.
        Exit,
        /// Its result file contradicts its exit code.
        ResultMismatch,
        /// It did not use the seed that it was given.
        SeedNotHonoured,
        /// A mechanism that the policy requires is missing.
        Unenforced,
        /// A canary missed before it.
        CanaryMissed,
        /// A check before it changed bytes that nobody may change.
        Tampered,
        /// The policy declares no command for it.
        NotConfigured,
    }
}

impl Outcome {
    /// Whether the product is to blame: not its clock, its machine or its tools.
    pub fn is_product_failure(self) -> bool {
        match self {
            Self::Fail | Self::FlakyPass | Self::Leak | Self::OutputLimit | Self::Tamper => true,
            Self::Pass | Self::Timeout | Self::Signal | Self::Oom | Self::Error | Self::NotRun => false,
        }
    }
}

/// What a run amounts to, as people are shown it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(missing_docs, reason = "the words of the contract")]
pub enum Class {
    BlobOk,
    Infra,
    CanaryFail,
    PropFail,
    PropPass,
    FreezeHit,
}

/// What shows that a property can fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PropertyPower {
    /// The property.
    #[serde(with = "text")]
    #[schemars(with = "String")]
    pub property_id: OracleId,
    /// The evidence.
    pub power: Power,
}

words! {
    /// The evidence that a property can fail.
    Power {
        /// It failed on base.
        BaseFail,
        /// It failed on a known-bad patch.
        Witness,
        /// Nothing but its row.
        Claimed,
    }
}

words! {
    /// What a trial decides.
    TrialVerdict {
        /// Nothing stands against it.
        Admit,
        /// A frozen property failed; not mergeable.
        Hold,
        /// Something missed.
        Reject,
    }
}

/// Why a trial did not admit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrialReason {
    /// The draft channel failed; nothing ran.
    Infra,
    /// The patch is empty; nothing ran.
    EmptyBlob,
    /// A canary missed.
    CanaryBad,
    /// A freeze row was hit that cannot be used.
    IllegalFreeze,
    /// A property failed that no freeze row names.
    UncoveredFail,
    /// A frozen seed passes sometimes on base and always fails on the candidate.
    FrozenRegression,
    /// A frozen seed always fails on base.
    FreezeStableFailure,
    /// Fixture, property or base bytes changed during the run.
    BytesChanged,
    /// No property is left that scores.
    NothingScored,
    /// A frozen property failed and is held.
    FreezeHit,
}

/// When a trial ran, and how long its runs took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// When it began, `YYYY-MM-DDThh:mm:ssZ`.
    pub started_at: String,
    /// How long the whole trial took, in milliseconds.
    pub wall_ms: u64,
    /// How long each of the `checks` took, in milliseconds, in their order.
    pub checks_ms: Vec<u64>,
}

impl Trial {
    /// The digest of the canonical record without its clock.
    pub fn digest(&self) -> Sha256 {
        let record = print(&Self { timing: None, ..self.clone() });
        Sha256(sha2::Sha256::digest(record).into())
    }

    /// The name of its directory: the first 16 hex digits of the digest.
    pub fn directory_name(&self) -> String {
        self.digest().to_string()[..16].to_owned()
    }

    /// The runs on the candidate.
    pub fn candidate_runs(&self) -> impl Iterator<Item = &CheckRun> {
        self.checks.iter().filter(|run| run.revision == Revision::Candidate)
    }

    fn misses(&self) -> bool {
        [&self.canary_bad, &self.illegal_freeze, &self.uncovered_fail].iter().any(|list| !list.is_empty())
    }
}

impl Record for Trial {
    const SCHEMA: &'static str = TRIAL_SCHEMA;

    fn schema_member(&self) -> &str {
        &self.schema
    }

    fn check(&self) -> Result<(), RecordFault> {
        let id = &self.image.id;
        id.parse::<RunnerImage>().map_err(|error| RecordFault::of("image.id", id, error.fault))?;
        sorted("touched", &self.touched)?;
        sorted("reasons", &self.reasons)?;
        let lists = [
            ("online", &self.online),
            ("unwitnessed", &self.unwitnessed),
            ("held", &self.held),
            ("illegal_freeze", &self.illegal_freeze),
            ("uncovered_fail", &self.uncovered_fail),
        ];
        lists.into_iter().try_for_each(|(field, list)| sorted(field, list))?;
        for (at, run) in self.checks.iter().enumerate() {
            let field = format!("checks[{at}].opened");
            run.opened.as_ref().map_or(Ok(()), |opened| sorted(&field, opened))?;
            if run.signal.is_some() && (run.exit.is_some() || run.outcome == Outcome::Pass) {
                let ended = format!("{:?}, exit {:?}, signal {:?}", run.outcome, run.exit, run.signal);
                return Err(RecordFault::of(
                    &format!("checks[{at}]"),
                    ended,
                    "one end, and a signal of no pass",
                ));
            }
        }
        self.check_verdict()
    }
}

impl Trial {
    /// Refuses a verdict that its own lists contradict.
    fn check_verdict(&self) -> Result<(), RecordFault> {
        let refuse = |observed, expected: &str| Err(RecordFault::of("verdict", observed, expected));
        let has = |reason| self.reasons.contains(&reason);
        let ran_nothing = has(TrialReason::Infra) || has(TrialReason::EmptyBlob);
        let reasons = [
            (TrialReason::CanaryBad, &self.canary_bad),
            (TrialReason::IllegalFreeze, &self.illegal_freeze),
            (TrialReason::UncoveredFail, &self.uncovered_fail),
        ];
        for (reason, list) in reasons {
            if has(reason) == list.is_empty() {
                return Err(RecordFault::of(
                    "reasons",
                    format!("{reason:?}"),
                    "the reasons of its own lists",
                ));
            }
        }
        match self.verdict {
            TrialVerdict::Reject if self.reasons.iter().all(|reason| *reason == TrialReason::FreezeHit) => {
                refuse("reject", "a reason for it")
            }
            TrialVerdict::Reject if ran_nothing && !self.checks.is_empty() => {
                refuse("reject", "no run after a fault of the draft channel")
            }
            TrialVerdict::Reject => Ok(()),
            TrialVerdict::Hold if self.held.is_empty() || self.reasons != [TrialReason::FreezeHit] => {
                refuse("hold", "a held property and no other reason")
            }
            TrialVerdict::Admit if !self.reasons.is_empty() || !self.held.is_empty() => {
                refuse("admit", "no reason and nothing held")
            }
            TrialVerdict::Hold | TrialVerdict::Admit if self.misses() || self.missed_canary() => {
                refuse("no reject", "reject, since something missed")
            }
            TrialVerdict::Hold | TrialVerdict::Admit if self.blob.is_none() => {
                refuse("no reject", "reject, since there is no patch")
            }
            TrialVerdict::Hold => Ok(()),
            TrialVerdict::Admit => self.check_pass(),
        }
    }

    /// Nothing is admitted without a property that passed on the candidate.
    fn check_pass(&self) -> Result<(), RecordFault> {
        let passed = |run: &CheckRun| run.kind == CheckKind::Property && run.outcome == Outcome::Pass;
        match self.candidate_tree.is_some() && self.candidate_runs().any(passed) {
            true => Ok(()),
            false => Err(RecordFault::of("verdict", "admit", "a property that passed on the candidate")),
        }
    }

    /// A canary that is anything but a pass; one without a command is shown and counts nothing.
    fn missed_canary(&self) -> bool {
        self.candidate_runs().any(|run| {
            run.kind == CheckKind::Canary
                && run.outcome != Outcome::Pass
                && (run.outcome, run.reason) != (Outcome::NotRun, Some(RunReason::NotConfigured))
        })
    }
}

fn sorted<T: Ord>(field: &str, list: &[T]) -> Result<(), RecordFault> {
    match list.is_sorted_by(|a, b| a < b) {
        true => Ok(()),
        false => Err(RecordFault::of(field, "another order", "each element once, in order")),
    }
}

#[cfg(test)]
mod tests;
