//! Defines the fixture ledger and its digest.

use std::fmt::Display;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::Digest;

use super::fault::{COMMIT_PATTERN, LedgerFault, SHA256_PATTERN, safe_path, sha256_shape};
use super::field::Field;
use super::file::{Ledger, LedgerName};
use super::object;
use crate::model::ids::Sha256;

/// `ledger/fixture.json`: one named snapshot of base, fixture bytes and runner image.
// The four naming members are optional here, because a missing or blank one is
// FIXTURE_EPOCH_UNPINNED and not an unreadable file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("required" = ["schema", "epoch_id", "base_rev", "digest_sha256", "runner_image_id", "files"]))]
pub struct FixtureLedger {
    /// Always `git-reins/fixture/1`.
    #[schemars(extend("const" = FixtureLedger::SCHEMA))]
    pub schema: String,
    /// The name of the snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = r"\S"))]
    pub epoch_id: Option<Field<String>>,
    /// The full id of the base commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = COMMIT_PATTERN))]
    pub base_rev: Option<Field<String>>,
    /// SHA-256 over the lines `<hex>  <path>\n`, in byte order of path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = SHA256_PATTERN))]
    pub digest_sha256: Option<Field<String>>,
    /// The image that loads the bytes, `<basis>:<value>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = r"^[^:]*\S[^:]*:.*\S"))]
    pub runner_image_id: Option<Field<String>>,
    /// Every file under the fixture paths, sorted by path.
    #[serde(deserialize_with = "object::list")]
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
    #[schemars(regex(pattern = SHA256_PATTERN))]
    pub sha256: String,
    /// The number of bytes.
    pub size: u64,
}

impl FixtureLedger {
    /// The name in the `schema` member.
    pub const SCHEMA: &'static str = "git-reins/fixture/1";

    /// SHA-256 over the lines `<hex>  <path>\n` of the listed files in byte order of path, as hex.
    pub fn listed_digest(&self) -> String {
        let mut files: Vec<_> = self.files.iter().collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        listing_digest(files.into_iter().map(|file| (&file.path, &file.sha256))).to_string()
    }
}

/// SHA-256 over the lines `<hex>  <path>\n`, as `sha256sum` prints them; the caller gives the
/// files in byte order of path.
pub fn listing_digest(files: impl Iterator<Item = (impl Display, impl Display)>) -> Sha256 {
    let mut hasher = sha2::Sha256::new();
    for (path, digest) in files {
        hasher.update(format!("{digest}  {path}\n"));
    }
    Sha256(hasher.finalize().into())
}

impl Ledger for FixtureLedger {
    const NAME: LedgerName = LedgerName::Fixture;
    const SCHEMA: &str = Self::SCHEMA;

    fn schema_member(&self) -> &str {
        &self.schema
    }

    fn sort(&mut self) {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
    }

    fn is_sorted(&self) -> bool {
        self.files.is_sorted_by(|a, b| a.path <= b.path)
    }

    fn check(&self) -> Result<(), LedgerFault> {
        for file in &self.files {
            let checked =
                safe_path("path", &file.path).and_then(|()| sha256_shape("sha256", &file.sha256));
            checked.map_err(|fault| fault.in_row(&file.path))?;
        }
        let mut paths: Vec<_> = self.files.iter().map(|file| file.path.as_str()).collect();
        paths.sort_unstable();
        match paths.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => {
                Err(LedgerFault::member("path", pair[0], "each file once").in_row(pair[0]))
            }
        }
    }
}
