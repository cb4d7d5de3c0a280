//! What does the fixture ledger pin?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::field::Field;

/// `ledger/fixture.json`: one named snapshot of base, fixture bytes and runner image.
///
/// The four naming members are optional here, because a missing or blank one is
/// FIXTURE_EPOCH_UNPINNED and not an unreadable file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixtureLedger {
    /// Always `git-reins/fixture/1`.
    pub schema: String,
    /// The name of the snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub epoch_id: Option<Field<String>>,
    /// The full id of the base commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub base_rev: Option<Field<String>>,
    /// SHA-256 over the lines `<hex>  <path>\n`, in byte order of path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub digest_sha256: Option<Field<String>>,
    /// The image that loads the bytes, `<basis>:<value>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub runner_image_id: Option<Field<String>>,
    /// Every file under the fixture paths, sorted by path.
    pub files: Vec<FixtureFile>,
    /// What the digests do not see: clocks, network stand-ins, unpinned indexes.
    #[serde(default)]
    pub residual_risk: Vec<String>,
}

/// One fixture file and its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixtureFile {
    /// The path from the root of the repository.
    pub path: String,
    /// SHA-256 of the bytes, 64 lower-case hex digits.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    pub sha256: String,
    /// The number of bytes.
    pub size: u64,
}

impl FixtureLedger {
    /// The name in the `schema` member.
    pub const SCHEMA: &'static str = "git-reins/fixture/1";
}
