//! Describes what replaying seeds on base showed, kept until a freeze takes it over.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ids::{CommitId, ObjectId, OracleId, Sha256};
use super::image::RunnerImage;
use super::record::{Record, RecordFault, print};
use super::serde_str;
use super::trial::{CheckRun, Epoch, Image, Outcome, Revision};

/// The name of the JSON form of a [`Replay`].
pub const REPLAY_SCHEMA: &str = "git-reins/replay/1";

const COMMIT: &str = "^([0-9a-f]{40}|[0-9a-f]{64})$";
const SHA256: &str = "^[0-9a-f]{64}$";

/// Runs of seeds on base, and on a candidate when there was one: each its own process on a fresh
/// tree. It decides nothing by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// Always [`REPLAY_SCHEMA`].
    #[schemars(extend("const" = REPLAY_SCHEMA))]
    pub schema: String,
    /// The commit that counts as base.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = COMMIT))]
    pub base_rev: CommitId,
    /// Its code tree: its tree without material.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = COMMIT))]
    pub base_tree: ObjectId,
    /// The candidate; null when base alone was asked about.
    pub candidate: Option<ReplayedCandidate>,
    /// SHA-256 of the policy's bytes.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub policy_sha256: Sha256,
    /// SHA-256 of mode and id of everything under `paths.properties`.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub properties_sha256: Sha256,
    /// The fixture epoch.
    pub epoch: Epoch,
    /// The image that ran it.
    pub image: Image,
    /// How often each seed ran on each tree.
    pub times: u64,
    /// What each seed showed.
    pub seeds: Vec<ReplayedSeed>,
    /// Every run, in order.
    pub runs: Vec<CheckRun>,
    /// SHA-256 of the canonical record with 64 zeros in this place: one that was torn or edited is
    /// none.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub sha256: Sha256,
}

/// The candidate of a replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayedCandidate {
    /// SHA-256 of the patch bytes.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub blob: Sha256,
    /// Its code tree.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = COMMIT))]
    pub tree: ObjectId,
}

/// What one seed of one property showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayedSeed {
    /// The oracle row.
    #[serde(with = "serde_str")]
    #[schemars(with = "String")]
    pub property_id: OracleId,
    /// SHA-256 of the canonical row, without `authored_commit`.
    #[serde(with = "serde_str")]
    #[schemars(with = "String", regex(pattern = SHA256))]
    pub row_sha256: Sha256,
    /// The check that ran it.
    pub check: String,
    /// The seed.
    pub seed: String,
    /// Whether a freeze row names it.
    pub frozen: bool,
    /// Whether two seeds led to the same draws, where the tool says so: then a seed means nothing.
    pub ignores_seed: bool,
    /// What the runs on base show.
    pub shows: Shows,
    /// What the runs on the candidate say; null without one.
    pub on_candidate: Option<OnCandidate>,
}

/// What runs on base show.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Shows {
    /// Some pass and some fail: evidence for a freeze.
    Unstable,
    /// None passes and at least one fails: a known defect, not a flake.
    StableFailure,
    /// All pass.
    Passes,
    /// A timeout, a kill, a missing tool, or a seed that does nothing: that says nothing of base.
    NoEvidence,
}

/// What a trial would say of the runs on the candidate.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum OnCandidate {
    /// All pass.
    Passes,
    /// It fails as it does on base, and its freeze holds that for a person.
    Held,
    /// It fails, and its freeze cannot be used.
    IllegalFreeze,
    /// It passes sometimes on base, and never on the candidate.
    FrozenRegression,
    /// It always fails on base, whatever the candidate does.
    StableFailure,
    /// It misses in a way that no freeze covers.
    Uncovered,
}

impl Replay {
    /// What [`Self::sha256`] has to be.
    pub fn digest(&self) -> Sha256 {
        let blank = Self {
            sha256: Sha256([0; 32]),
            ..self.clone()
        };
        Sha256::of(print(&blank))
    }

    /// The runs of a seed on one tree, in order.
    pub fn runs_of<'a>(
        &'a self,
        seed: &'a ReplayedSeed,
        revision: Revision,
    ) -> impl Iterator<Item = &'a CheckRun> {
        self.runs.iter().filter(move |run| {
            run.property.as_ref() == Some(&seed.property_id)
                && run.seed.as_deref() == Some(&seed.seed)
                && run.revision == revision
        })
    }

    /// How those runs ended.
    pub fn outcomes(&self, seed: &ReplayedSeed, revision: Revision) -> Vec<Outcome> {
        self.runs_of(seed, revision)
            .map(|run| run.outcome)
            .collect()
    }

    /// A seed has as many runs on each tree as the record says, and there are no others.
    fn check_runs(&self) -> Result<(), RecordFault> {
        let times = usize::try_from(self.times).unwrap_or(usize::MAX);
        let trees = if self.candidate.is_some() { 2 } else { 1 };
        for (at, seed) in self.seeds.iter().enumerate() {
            let counts =
                [Revision::Base, Revision::Candidate].map(|tree| self.runs_of(seed, tree).count());
            if counts != [times, times * (trees - 1)] || seed.on_candidate.is_some() != (trees == 2)
            {
                let observed = format!(
                    "{} runs on base and {} on a candidate",
                    counts[0], counts[1]
                );
                return Err(RecordFault::of(
                    &format!("seeds[{at}]"),
                    observed,
                    format!("{times} on each"),
                ));
            }
        }
        match self.runs.len() == self.seeds.len() * times * trees {
            true => Ok(()),
            false => Err(RecordFault::of(
                "runs",
                "runs of other seeds",
                "runs of the listed seeds",
            )),
        }
    }
}

impl Record for Replay {
    const SCHEMA: &'static str = REPLAY_SCHEMA;

    fn schema_member(&self) -> &str {
        &self.schema
    }

    fn check(&self) -> Result<(), RecordFault> {
        let id = &self.image.id;
        id.parse::<RunnerImage>()
            .map_err(|error| RecordFault::of("image.id", id, error.fault))?;
        if self.times == 0 {
            return Err(RecordFault::of("times", "0", "at least one run"));
        }
        self.check_runs()?;
        match self.sha256 == self.digest() {
            true => Ok(()),
            false => Err(RecordFault::of(
                "sha256",
                self.sha256.to_string(),
                "the digest of the record",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::parse;
    use crate::model::trial::{CheckKind, RunDetails};

    fn run(revision: Revision) -> CheckRun {
        CheckRun {
            id: "props".to_owned(),
            property: "a".parse().ok(),
            kind: CheckKind::Property,
            seed: Some("7".to_owned()),
            revision,
            outcome: Outcome::Pass,
            class: None,
            reason: None,
            exit: Some(0),
            signal: None,
            opened: None,
            details: RunDetails::default(),
        }
    }

    fn replay() -> Replay {
        let zeros = Sha256([0; 32]);
        let seed = ReplayedSeed {
            property_id: "a".parse().unwrap(),
            row_sha256: zeros,
            check: "props".to_owned(),
            seed: "7".to_owned(),
            frozen: false,
            ignores_seed: false,
            shows: Shows::Passes,
            on_candidate: None,
        };
        Replay {
            schema: REPLAY_SCHEMA.to_owned(),
            base_rev: "0123456789abcdef0123456789abcdef01234567".parse().unwrap(),
            base_tree: "0123456789abcdef0123456789abcdef01234567".parse().unwrap(),
            candidate: None,
            policy_sha256: zeros,
            properties_sha256: zeros,
            epoch: Epoch {
                epoch_id: "e1".to_owned(),
                digest_sha256: zeros,
            },
            image: Image {
                id: "gha:ubuntu24-1".to_owned(),
                fingerprint: "host:x".to_owned(),
            },
            times: 2,
            seeds: vec![seed],
            runs: vec![run(Revision::Base), run(Revision::Base)],
            sha256: zeros,
        }
    }

    /// What reading the record says after a change that was signed again.
    fn signed(change: impl FnOnce(&mut Replay)) -> Result<Replay, RecordFault> {
        let mut replay = replay();
        change(&mut replay);
        replay.sha256 = replay.digest();
        parse(print(&replay).as_bytes())
    }

    #[test]
    fn a_record_reads_back_and_an_edited_one_does_not() {
        let good = signed(|_| {}).unwrap();
        assert_eq!(
            good.outcomes(&good.seeds[0], Revision::Base),
            [Outcome::Pass; 2]
        );
        let text = print(&good);
        for (old, new) in [
            ("\"pass\"", "\"fail\""),
            ("\"e1\"", "\"e2\""),
            ("\"times\": 2", "\"times\": 1"),
        ] {
            assert!(
                parse::<Replay>(text.replacen(old, new, 1).as_bytes()).is_err(),
                "{old}"
            );
        }
        assert_eq!(
            parse::<Replay>(print(&replay()).as_bytes())
                .unwrap_err()
                .field
                .as_deref(),
            Some("sha256")
        );
    }

    #[test]
    fn the_runs_are_those_of_the_seeds() {
        let candidate = || {
            let zeros = Sha256([0; 32]);
            Some(ReplayedCandidate {
                blob: zeros,
                tree: replay().base_tree,
            })
        };
        assert!(signed(|replay| drop(replay.runs.pop())).is_err());
        assert!(signed(|replay| replay.runs.push(run(Revision::Witness))).is_err());
        assert!(signed(|replay| replay.runs[0].seed = None).is_err());
        assert!(signed(|replay| replay.times = 0).is_err());
        assert!(signed(|replay| replay.seeds[0].on_candidate = Some(OnCandidate::Passes)).is_err());
        assert!(signed(|replay| replay.image.id = "docker".to_owned()).is_err());
        assert!(signed(|replay| replay.candidate = candidate()).is_err());
        let full = |replay: &mut Replay| {
            replay.candidate = candidate();
            replay.seeds[0].on_candidate = Some(OnCandidate::Passes);
            replay
                .runs
                .extend([run(Revision::Candidate), run(Revision::Candidate)]);
        };
        assert!(signed(full).is_ok());
    }
}
