//! Reads JSON of another program strictly: no repeated member, bounded memory.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::model::path::shown;

/// How many values one text may hold: hundreds of times what the largest verdict has.
pub const MAX_VALUES: usize = 500_000;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number that is an integer of 64 bits.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// `"..."`
    Text(String),
    /// `[...]`
    List(Vec<Json>),
    /// `{...}`
    Object(BTreeMap<String, Json>),
}

/// Reads a text. Python's `json` writes every text of this kind, and `NaN` beside, which is refused.
///
/// # Errors
/// When it is no JSON, repeats a member, holds more than [`MAX_VALUES`] values or nests too deep.
pub fn parse(bytes: &[u8]) -> Result<Json, serde_json::Error> {
    let left = Cell::new(MAX_VALUES);
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = Tree { left: &left }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

impl Json {
    /// The member of an object; `None` when this is none, or has no such member.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(name),
            Self::Null
            | Self::Bool(_)
            | Self::Integer(_)
            | Self::Number(_)
            | Self::Text(_)
            | Self::List(_) => None,
        }
    }

    /// Whether Python takes it for true.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Integer(value) => *value != 0,
            Self::Number(value) => *value != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(list) => !list.is_empty(),
            Self::Object(members) => !members.is_empty(),
        }
    }

    /// What it is, to complete "read ...".
    pub fn kind(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Integer(value) => value.to_string(),
            Self::Number(value) => value.to_string(),
            Self::Text(text) => format!("\"{}\"", shown(text)),
            Self::List(_) => "a list".to_owned(),
            Self::Object(_) => "an object".to_owned(),
        }
    }
}

#[derive(Clone, Copy)]
struct Tree<'a> {
    left: &'a Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        let left = self.left.get().checked_sub(1);
        self.left
            .set(left.ok_or_else(|| D::Error::custom(format!("more than {MAX_VALUES} values")))?);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(i64::try_from(value).map_or(Json::Number(value as f64), Json::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Json::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value_seed(self)?;
            if members.contains_key(&name) {
                return Err(A::Error::custom(format!(
                    "a second member \"{}\"",
                    shown(&name)
                )));
            }
            members.insert(name, value);
        }
        Ok(Json::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_are_written() {
        let read = parse(br#"{"a": [null, true, -1, 1.5, 18446744073709551615, "x\ny"], "b": {}}"#)
            .unwrap();
        let list = vec![
            Json::Null,
            Json::Bool(true),
            Json::Integer(-1),
            Json::Number(1.5),
            Json::Number(18_446_744_073_709_551_615.0),
            Json::Text("x\ny".to_owned()),
        ];
        assert_eq!(read.get("a"), Some(&Json::List(list)));
        assert_eq!(read.get("b"), Some(&Json::Object(BTreeMap::new())));
        assert!(read.get("c").is_none() && Json::Null.get("a").is_none());
    }

    #[test]
    fn bad_texts_are_refused_without_a_crash() {
        let deep = |open: &str, close: &str| open.repeat(200_000) + &close.repeat(200_000);
        let wide = format!("[{}0]", "0,".repeat(MAX_VALUES));
        for text in [
            "",
            "{",
            "{}{}",
            "\u{feff}{}",
            r#"{"a": 1, "a": 1}"#,
            r#"{"x": {"a": 1, "\u0061": 2}}"#,
            r#"{"a": NaN}"#,
            r#"{"a": 1e999}"#,
            r#"{"a": "\ud800"}"#,
            "[1,]",
            &deep("[", "]"),
            &deep("{\"a\":", "}"),
            &wide,
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{}", shown(text));
        }
        assert!(parse(b"{\"a\": \"\xff\"}").is_err());
    }

    #[test]
    fn truth_is_that_of_python() {
        for (text, truth) in [
            ("null", false),
            ("0", false),
            ("0.0", false),
            ("\"\"", false),
            ("[]", false),
            ("{}", false),
            ("false", false),
            ("\"false\"", true),
            ("1", true),
            ("[0]", true),
            ("{\"a\": 0}", true),
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap().is_truthy(), truth, "{text}");
        }
    }
}
