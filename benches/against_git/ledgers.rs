//! What stands in the ledgers and the policy of the repositories?

pub use git_reins::policy::POLICY_PATH;

/// The policy, which protects `main`.
pub const POLICY: &str = r#"schema = 1
[paths]
ledger = "ledger"
properties = ["properties"]
fixtures = ["fixtures"]
specs = ["spec"]
exempt = ["docs"]
[protect]
base = ["refs/heads/main"]
"#;
/// The file that every row is made of.
pub const PROPERTY: &str = "properties/sum.py";
/// Its bytes.
pub const PROPERTY_BYTES: &str =
    "def sum_is_kept(rows):\n    return sum(rows) == sum(reversed(rows))\n";
/// The text that every row cites.
pub const SPEC: &str = "spec/sums.md";
/// Its bytes.
pub const SPEC_BYTES: &str = "# Sums\n\n## Invariants\n\nA sum does not depend on the order.\n";
/// An empty freeze ledger.
pub const FREEZES: &str = "{\n  \"schema\": \"git-reins/freezes/1\",\n  \"freezes\": []\n}\n";
/// An image.
pub const IMAGE: &str =
    "oci-digest:sha256:00000000000000000000000000000000000000000000000000000000000000aa";

/// The digest as the ledgers write it.
pub fn sha256(bytes: &[u8]) -> String {
    git_reins::model::ids::Sha256::of(bytes).to_string()
}

/// An oracle ledger in canonical form.
pub fn oracle(rows: u64) -> String {
    let mut text = OPENING.to_owned();
    (0..rows).for_each(|at| text.push_str(&row(at, at + 1 == rows)));
    text + CLOSING
}

/// What stands before the first row.
pub const OPENING: &str = "{\n  \"schema\": \"git-reins/oracle/1\",\n  \"oracles\": [\n";
/// What stands behind the last row.
pub const CLOSING: &str = "  ]\n}\n";

/// One row in canonical form.
pub fn row(at: u64, is_last: bool) -> String {
    let digest = sha256(PROPERTY_BYTES.as_bytes());
    let comma = if is_last { "" } else { "," };
    format!(
        r#"    {{
      "oracle_id": "sum-{at:07}",
      "source": "spec/sums.md#invariants",
      "sees_diff": false,
      "property": "sum_is_kept",
      "property_files": [
        {{
          "path": "{PROPERTY}",
          "sha256": "{digest}"
        }}
      ],
      "inputs": "a list of numbers",
      "relation": "the sum is the same in every order",
      "witness": "a list whose sum changes when it is reversed"
    }}{comma}
"#
    )
}

/// A fixture ledger that pins these bytes, in canonical form.
pub fn fixture(base: &str, image: &str, files: &[(&str, &[u8])]) -> String {
    let lines: String = files
        .iter()
        .map(|(path, bytes)| format!("{}  {path}\n", sha256(bytes)))
        .collect();
    let row = |(path, bytes): &(&str, &[u8])| {
        let (digest, size) = (sha256(bytes), bytes.len());
        format!(
            r#"    {{
      "path": "{path}",
      "sha256": "{digest}",
      "size": {size}
    }}"#
        )
    };
    format!(
        r#"{{
  "schema": "git-reins/fixture/1",
  "epoch_id": "one",
  "base_rev": "{base}",
  "digest_sha256": "{}",
  "runner_image_id": "{image}",
  "files": [
{}
  ],
  "residual_risk": []
}}
"#,
        sha256(lines.as_bytes()),
        files.iter().map(row).collect::<Vec<_>>().join(",\n")
    )
}
