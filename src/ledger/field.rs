//! Reads a member whose wrong type is a refusal of its own, not an unreadable file.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A member that is present: of the declared type, or any other value but a list or an object.
///
/// Decisions see [`Field::Other`] and refuse with the code of the field, so that
/// `"sees_diff": "false"` is ORACLE_NOT_INDEPENDENT. Absent and null members are `None` of an
/// `Option<Field<T>>`. Lists and objects fail the reading: kept as values they would take a hundred
/// times the memory of their text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field<T> {
    /// A value of the declared type.
    Value(T),
    /// Some other value, kept for printing it back.
    Other(Value),
}

impl<T> Field<T> {
    /// The value, when it is of the declared type.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Other(_) => None,
        }
    }
}

impl<T: Serialize> Field<T> {
    /// The JSON text, for messages.
    pub fn shown(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = deserializer.deserialize_any(Scalar)?;
        Ok(match T::deserialize(&value) {
            Ok(typed) => Self::Value(typed),
            Err(_) => Self::Other(value),
        })
    }
}

struct Scalar;

impl Visitor<'_> for Scalar {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a single value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

impl<T: Serialize> Serialize for Field<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::Other(value) => value.serialize(serializer),
        }
    }
}

/// The schema of the declared type: a schema tells authors what to write, not what is survived.
impl<T: JsonSchema> JsonSchema for Field<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Whether a character shows nothing.
fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
        // letters and symbols without a shape, and the tags behind them
        || matches!(c, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' | '\u{e0000}'..='\u{e007f}')
}

/// The text of an optional member, `""` when it is absent, null, of another type or blank.
pub fn text(field: &Option<Field<String>>) -> &str {
    match field {
        Some(Field::Value(text)) if !text.chars().all(is_blank) => text,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shows_nothing_is_blank() {
        let read = |shown: &str| text(&Some(Field::Value(shown.to_owned()))).to_owned();
        for blank in [
            "",
            " \u{a0}",
            "\u{200b}\u{ad}",
            "\u{2800}",
            "\u{3164}\u{ffa0}",
            "\u{e0041}\u{e007f}",
        ] {
            assert_eq!(read(blank), "", "{blank:?}");
        }
        assert_eq!(read("\u{200b}a"), "\u{200b}a");
    }
}
