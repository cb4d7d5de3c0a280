//! `git reins schema`

use clap::Args;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};

use super::{Answer, ErrorObject, Failure, attempt, explain, freeze, hooks, recompute, reconcile};
use super::{setup, status, witness};
use crate::editing::Refused;
use crate::install;
use crate::ledger::fixture::FixtureLedger;
use crate::ledger::freeze::FreezeLedger;
use crate::ledger::oracle::OracleLedger;
use crate::ledger::results::ResultRow;
use crate::model::adjudication::Adjudicated;
use crate::model::change::Changes;
use crate::model::decision::Decision;
use crate::model::replay::Replay;
use crate::model::report::Report;
use crate::model::reverification::Reverification;
use crate::model::trial::Trial;

/// Print the JSON Schema of a file or an answer
#[derive(Debug, Args)]
pub struct Schema {
    /// The schema; a list of names when none is given
    name: Option<String>,
}

impl Schema {
    /// Prints it.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn run(&self) -> Result<Answer, Failure> {
        let names: Vec<_> = names().collect();
        let Some(name) = &self.name else {
            return Ok(Answer::done(names.join("\n") + "\n", ""));
        };
        let fix = format!("one of {}", names.join(", "));
        let text = schema(name)
            .ok_or_else(|| Refused::new(format!("there is no schema '{name}'")).fix(fix))?;
        Ok(Answer::done(text, ""))
    }
}

/// What makes a schema from a type.
type Make = fn() -> schemars::Schema;

/// Every schema with its name: made from the types, so that none says something else than the reader
/// or the writer. That of a file requires what a decision would refuse to miss, also where reading
/// survives it.
const ALL: &[(&str, Make)] = &[
    ("oracle", read::<OracleLedger>),
    ("fixture", read::<FixtureLedger>),
    ("freezes", read::<FreezeLedger>),
    ("results", read::<Vec<ResultRow>>),
    ("decision", written::<Decision>),
    ("adjudication", written::<Adjudicated>),
    ("trial", written::<Trial>),
    ("reverify", written::<Reverification>),
    ("replay", written::<Replay>),
    ("recompute", written::<Vec<recompute::Recomputed>>),
    ("reconcile", written::<reconcile::Report<'_>>),
    ("diff", written::<Changes>),
    ("report", written::<Report>),
    ("try", written::<attempt::Tried<'_>>),
    ("status", written::<status::Standing>),
    ("freeze-add", written::<freeze::Added<'_>>),
    ("oracle-witness", written::<witness::Kept<'_>>),
    ("hooks-status", written::<install::status::Status>),
    ("hooks-done", written::<hooks::Done>),
    ("doctor", written::<install::doctor::Health>),
    ("setup", written::<setup::Done>),
    ("explain", written::<explain::Explanations>),
    ("error", written::<ErrorObject<'_>>),
];

/// The names of the schemas.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _)| *name)
}

/// The text of a schema, as it stands in `ledger-schema/<name>.schema.json`; `None` for a name
/// that is not among [`names`].
pub fn schema(name: &str) -> Option<String> {
    let (_, make) = ALL.iter().find(|(known, _)| *known == name)?;
    let mut schema = make();
    schema.insert("$id".to_owned(), format!("urn:git-reins:{name}:1").into());
    schema.insert("title".to_owned(), format!("git-reins/{name}/1").into());
    serde_json::to_string_pretty(&schema)
        .ok()
        .map(|text| text + "\n")
}

/// The schema of what is read.
fn read<T: JsonSchema>() -> schemars::Schema {
    SchemaGenerator::new(SchemaSettings::draft2020_12()).into_root_schema_for::<T>()
}

/// The schema of what is written: each member is always there.
fn written<T: JsonSchema>() -> schemars::Schema {
    SchemaGenerator::new(SchemaSettings::draft2020_12().for_serialize()).into_root_schema_for::<T>()
}
