//! Which JSON Schema describes a ledger, the results, an answer, or a record?
//!
//! Made from the types, so that a schema cannot say something else than the reader. A schema is
//! for authors: it requires what a decision would refuse to miss, also where reading survives it.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::fixture::FixtureLedger;
use super::freeze::FreezeLedger;
use super::oracle::OracleLedger;
use super::results::ResultRow;
use crate::model::adjudication::Adjudicated;
use crate::model::change::Changes;
use crate::model::decision::{DECISION_SCHEMA, Decision};
use crate::model::replay::Replay;
use crate::model::report::Report;
use crate::model::reverification::Reverification;
use crate::model::trial::Trial;

/// The schemas that there are.
pub const NAMES: &[&str] = &[
    "oracle",
    "fixture",
    "freezes",
    "results",
    "decision",
    "adjudication",
    "trial",
    "reverify",
    "replay",
    "diff",
    "report",
];

/// The text of a schema, as it stands in `ledger-schema/<name>.schema.json`; `None` for a name
/// that is not in [`NAMES`].
pub fn schema(name: &str) -> Option<String> {
    let schema = match name {
        "oracle" => read::<OracleLedger>(),
        "fixture" => read::<FixtureLedger>(),
        "freezes" => read::<FreezeLedger>(),
        "results" => read::<Vec<ResultRow>>(),
        "decision" => written_decision(),
        "adjudication" => written::<Adjudicated>(),
        "trial" => written::<Trial>(),
        "reverify" => written::<Reverification>(),
        "replay" => written::<Replay>(),
        "diff" => written::<Changes>(),
        "report" => written::<Report>(),
        _ => return None,
    };
    let titled = titled(schema, name);
    serde_json::to_string_pretty(&titled).ok().map(|text| text + "\n")
}

/// The schema of what is read.
fn read<T: JsonSchema>() -> Schema {
    SchemaGenerator::new(SchemaSettings::draft2020_12()).into_root_schema_for::<T>()
}

/// The schema of what is written: each member is always there.
fn written<T: JsonSchema>() -> Schema {
    SchemaGenerator::new(SchemaSettings::draft2020_12().for_serialize()).into_root_schema_for::<T>()
}

fn written_decision() -> Schema {
    let mut schema = written::<Decision>();
    if let Some(member) = schema.pointer_mut("/properties/schema").and_then(|member| member.as_object_mut()) {
        member.insert("const".to_owned(), DECISION_SCHEMA.into());
    }
    schema
}

fn titled(mut schema: Schema, name: &str) -> Schema {
    schema.insert("$id".to_owned(), format!("urn:git-reins:{name}:1").into());
    schema.insert("title".to_owned(), format!("git-reins/{name}/1").into());
    schema
}
