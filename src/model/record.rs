//! Reads the records that this program writes, strictly, and prints them canonically.
//!
//! A record is written by a program, so there is one way to write it: what does not print back to
//! the very bytes that were read (another order, a repeated or unknown member, a list in the place
//! of an object, other spaces) is no record of ours.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::path::{is_hidden, shown};

/// A record with a schema of its own.
pub trait Record: Serialize + DeserializeOwned {
    /// The text of its `schema` member.
    const SCHEMA: &'static str;

    /// The text that was read as its `schema` member.
    fn schema_member(&self) -> &str;

    /// Looks at everything that the types leave open.
    ///
    /// # Errors
    /// With the first fault.
    fn check(&self) -> Result<(), RecordFault>;
}

/// The first thing that is wrong with a record; the caller knows the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}read {observed}, expected {expected}", self.place())]
pub struct RecordFault {
    /// The member, from the top down: `checks[0].outcome`.
    pub field: Option<String>,
    /// What was read, safe to print.
    pub observed: String,
    /// What was expected instead.
    pub expected: String,
}

impl RecordFault {
    /// A fault without a place.
    pub fn new(observed: impl AsRef<str>, expected: impl Into<String>) -> Self {
        Self {
            field: None,
            observed: shown(observed.as_ref()),
            expected: expected.into(),
        }
    }

    /// The fault of a member.
    pub fn of(field: &str, observed: impl AsRef<str>, expected: impl Into<String>) -> Self {
        Self {
            field: Some(shown(field)),
            ..Self::new(observed, expected)
        }
    }

    fn place(&self) -> String {
        self.field
            .as_ref()
            .map(|field| format!("field {field}: "))
            .unwrap_or_default()
    }
}

/// Reads a record strictly.
///
/// # Errors
/// With the first fault of its shape, its schema, [`Record::check`] or its canonical form.
pub fn parse<R: Record>(bytes: &[u8]) -> Result<R, RecordFault> {
    let record = parse_shape::<R>(bytes)?;
    record.check()?;
    if print(&record).as_bytes() != bytes {
        return Err(RecordFault::new(
            "another spelling of it",
            "the canonical form, as it was written",
        ));
    }
    Ok(record)
}

/// Reads what has the shape and the schema of a record, even when it contradicts itself: only to
/// say where.
///
/// # Errors
/// With the first fault of its shape or its schema.
pub fn parse_shape<R: Record>(bytes: &[u8]) -> Result<R, RecordFault> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let record: R = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let fault = RecordFault::new(error.inner().to_string(), "the declared shape");
        RecordFault {
            field: (path != ".").then(|| shown(&path)),
            ..fault
        }
    })?;
    if record.schema_member() != R::SCHEMA {
        return Err(RecordFault::of("schema", record.schema_member(), R::SCHEMA));
    }
    Ok(record)
}

/// A word of a closed list, as records spell it.
pub fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// Indented JSON with a newline at the end; hidden characters are escaped, so that no text can move
/// a cursor or turn a line around.
pub fn print(value: &impl Serialize) -> String {
    let text =
        serde_json::to_string_pretty(value).expect("answers have text keys and no failing parts");
    let mut safe = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        if c != '\n' && is_hidden(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            safe.push(c);
        }
    }
    safe.push('\n');
    safe
}
