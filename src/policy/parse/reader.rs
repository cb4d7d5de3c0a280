//! Reads one value of the file; a fault names its key, its line and its text.

use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Read;
use crate::model::path::{is_hidden, shown};
use crate::policy::fault::PolicyFault;
use crate::policy::placeholder;

/// The line of a byte offset, from 1.
pub fn line_of(source: &str, offset: usize) -> usize {
    source
        .bytes()
        .take(offset)
        .filter(|byte| *byte == b'\n')
        .count()
        + 1
}

/// One value, and the key that names it.
pub struct Node<'a> {
    key: String,
    source: &'a str,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Node<'a> {
    /// The file as a whole.
    pub fn root(source: &'a str, value: &'a Spanned<DeValue<'a>>) -> Self {
        Self {
            key: String::new(),
            source,
            value,
        }
    }

    /// The fault of this value, which is not what was expected.
    pub fn fault(&self, expected: impl Into<String>) -> PolicyFault {
        let observed = match self.value.get_ref() {
            DeValue::Table(_) => "a table".to_owned(),
            _ => shown(self.source.get(self.value.span()).unwrap_or_default()),
        };
        self.fault_seen(observed, expected)
    }

    fn fault_seen(&self, observed: impl Into<String>, expected: impl Into<String>) -> PolicyFault {
        PolicyFault {
            key: self.key.clone(),
            line: Some(line_of(self.source, self.value.span().start)),
            observed: observed.into(),
            expected: expected.into(),
        }
    }

    /// Any string.
    pub fn string(&self) -> Read<String> {
        self.value
            .get_ref()
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| self.fault("a string"))
    }

    /// A string with something to read in it.
    pub fn text(&self) -> Read<String> {
        self.checked(|text| {
            text.trim()
                .is_empty()
                .then_some("a string that is not blank")
        })
    }

    /// A string in which `fault` finds nothing; what it finds is what it expects instead.
    pub fn checked(&self, fault: impl Fn(&str) -> Option<&'static str>) -> Read<String> {
        let text = self.string()?;
        fault(&text).map_or(Ok(text), |expected| Err(self.fault(expected)))
    }

    /// One of some named values.
    pub fn choice<T: Copy>(&self, names: &[(&str, T)]) -> Read<T> {
        let found = names
            .iter()
            .find(|(name, _)| self.value.get_ref().as_str() == Some(*name));
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<_> = names
                .iter()
                .map(|(name, _)| format!("\"{name}\""))
                .collect();
            self.fault(format!("one of {}", names.join(", ")))
        })
    }

    /// `true` or `false`.
    pub fn boolean(&self) -> Read<bool> {
        self.value
            .get_ref()
            .as_bool()
            .ok_or_else(|| self.fault("true or false"))
    }

    /// A whole number within a range.
    pub fn whole(&self, range: RangeInclusive<u64>, expected: &str) -> Read<u64> {
        let integer = self.value.get_ref().as_integer();
        let number =
            integer.and_then(|digits| u64::from_str_radix(digits.as_str(), digits.radix()).ok());
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| self.fault(expected))
    }

    /// A number within a range, written with or without a fraction. No NaN is within any.
    pub fn number(&self, range: RangeInclusive<f64>, expected: &str) -> Read<f64> {
        let number = match self.value.get_ref() {
            DeValue::Float(digits) => digits.as_str().parse().ok(),
            DeValue::Integer(digits) => i32::from_str_radix(digits.as_str(), digits.radix())
                .ok()
                .map(f64::from),
            DeValue::String(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_)
            | DeValue::Table(_) => None,
        };
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| self.fault(expected))
    }

    /// A budget in seconds, up to a day.
    pub fn budget(&self) -> Read<u64> {
        self.whole(1..=86_400, "a whole number of seconds from 1 to 86400")
    }

    /// A measured duration in seconds, up to a day.
    pub fn duration(&self) -> Read<f64> {
        self.number(0.0..=86_400.0, "a number of seconds from 0 to 86400")
    }

    /// A share that is added to a duration.
    pub fn margin(&self) -> Read<f64> {
        self.number(0.0..=10.0, "a share from 0 to 10")
    }

    /// The elements of a list, each with a key of its own.
    pub fn elements(&self) -> Read<Vec<Self>> {
        let array = self
            .value
            .get_ref()
            .as_array()
            .ok_or_else(|| self.fault("a list"))?;
        let numbered = array.iter().enumerate();
        let element = |(at, value)| Self {
            key: format!("{}[{at}]", self.key),
            source: self.source,
            value,
        };
        Ok(numbered.map(element).collect())
    }

    /// A list.
    pub fn list<T>(&self, read: impl Fn(&Self) -> Read<T>) -> Read<Vec<T>> {
        self.elements()?.iter().map(read).collect()
    }

    /// A list in which nothing stands twice.
    pub fn distinct<T: PartialEq>(&self, read: impl Fn(&Self) -> Read<T>) -> Read<Vec<T>> {
        let mut values = Vec::new();
        for element in self.elements()? {
            let value = read(&element)?;
            if values.contains(&value) {
                return Err(element.fault_seen("there twice", "everything once"));
            }
            values.push(value);
        }
        Ok(values)
    }

    /// A command: a list that starts with a program. Its placeholders are `known`; where that is
    /// `None`, braces stand for themselves.
    pub fn command(&self, known: Option<&[&str]>) -> Read<Vec<String>> {
        let command = self.list(|word| word.template(known))?;
        match command
            .first()
            .is_some_and(|program| !program.trim().is_empty())
        {
            true => Ok(command),
            false => Err(self.fault("a list of a program and its arguments")),
        }
    }

    /// A string with placeholders that are all known.
    pub fn template(&self, known: Option<&[&str]>) -> Read<String> {
        let text = self.string()?;
        let Some(known) = known else { return Ok(text) };
        if placeholder::unknown(&text, known).is_none() {
            return Ok(text);
        }
        let names: Vec<_> = known.iter().map(|name| format!("{{{name}}}")).collect();
        Err(self.fault(format!("no placeholder other than {}", names.join(" "))))
    }

    /// The members of a table whose keys are free.
    pub fn members(&self) -> Read<Vec<(String, Self)>> {
        let table = self
            .value
            .get_ref()
            .as_table()
            .ok_or_else(|| self.fault("a table"))?;
        Ok(table
            .iter()
            .map(|(name, value)| {
                (
                    name.get_ref().to_string(),
                    self.member(name.get_ref(), value),
                )
            })
            .collect())
    }

    fn member(&self, name: &str, value: &'a Spanned<DeValue<'a>>) -> Self {
        Self {
            key: join(&self.key, name),
            source: self.source,
            value,
        }
    }

    /// A table of declared keys: any key that `read` does not ask for is a fault.
    pub fn table<T>(&self, read: impl FnOnce(&mut Table<'a>) -> Read<T>) -> Read<T> {
        let entries = self
            .value
            .get_ref()
            .as_table()
            .ok_or_else(|| self.fault("a table"))?;
        let mut table = Table {
            key: self.key.clone(),
            source: self.source,
            entries: Some(entries),
            line: Some(line_of(self.source, self.value.span().start)),
            asked: Vec::new(),
        };
        let value = read(&mut table)?;
        table.refuse_unknown()?;
        Ok(value)
    }

    /// Refuses control and bidirectional characters in every key and string below, escaped or not.
    pub fn refuse_hidden(&self) -> Read<()> {
        match self.value.get_ref() {
            DeValue::String(text) if text.chars().any(is_hidden) => {
                Err(self.fault("no control or bidirectional character"))
            }
            DeValue::Array(_) => self.elements()?.iter().try_for_each(Self::refuse_hidden),
            DeValue::Table(_) => self.members()?.iter().try_for_each(|(name, member)| {
                match name.chars().any(is_hidden) {
                    true => Err(member
                        .fault_seen("an unknown key", "no control or bidirectional character")),
                    false => member.refuse_hidden(),
                }
            }),
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_) => Ok(()),
        }
    }
}

/// A table that remembers which keys it was asked for.
pub struct Table<'a> {
    key: String,
    source: &'a str,
    entries: Option<&'a DeTable<'a>>,
    line: Option<usize>,
    asked: Vec<&'static str>,
}

impl<'a> Table<'a> {
    /// The value of a key, when it is written.
    pub fn optional<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&Node<'a>) -> Read<T>,
    ) -> Read<Option<T>> {
        self.asked.push(name);
        self.node(name).map(|node| read(&node)).transpose()
    }

    /// The value of a key, or its default.
    pub fn or<T>(
        &mut self,
        name: &'static str,
        default: T,
        read: impl FnOnce(&Node<'a>) -> Read<T>,
    ) -> Read<T> {
        Ok(self.optional(name, read)?.unwrap_or(default))
    }

    /// The value of a key that has to be written.
    pub fn required<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&Node<'a>) -> Read<T>,
    ) -> Read<T> {
        self.optional(name, read)?
            .ok_or_else(|| self.fault(name, "absent", "it to be written"))
    }

    /// A table below this one; an absent one is read as an empty one.
    pub fn section<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Table<'a>) -> Read<T>,
    ) -> Read<T> {
        self.asked.push(name);
        match self.node(name) {
            Some(node) => node.table(read),
            None => read(&mut Self {
                key: join(&self.key, name),
                source: self.source,
                entries: None,
                line: None,
                asked: Vec::new(),
            }),
        }
    }

    /// Refuses a budget above the cap that stands beside it.
    pub fn within(&self, name: &'static str, budget_s: u64, max_s: u64) -> Read<()> {
        match budget_s <= max_s {
            true => Ok(()),
            false => Err(self.fault(
                name,
                budget_s.to_string(),
                format!("at most max_s, {max_s}"),
            )),
        }
    }

    /// The fault of a key of this table, written or not.
    pub fn fault(
        &self,
        name: &str,
        observed: impl Into<String>,
        expected: impl Into<String>,
    ) -> PolicyFault {
        match self.node(name) {
            Some(node) => node.fault_seen(observed, expected),
            None => PolicyFault {
                key: join(&self.key, name),
                line: self.line,
                observed: observed.into(),
                expected: expected.into(),
            },
        }
    }

    fn node(&self, name: &str) -> Option<Node<'a>> {
        let value = self.entries?.get(name)?;
        Some(Node {
            key: join(&self.key, name),
            source: self.source,
            value,
        })
    }

    fn refuse_unknown(&self) -> Read<()> {
        let mut keys = self.entries.into_iter().flat_map(|entries| entries.keys());
        match keys.find(|key| !self.asked.contains(&key.get_ref().as_ref())) {
            None => Ok(()),
            Some(key) => {
                let expected = format!("one of {}", self.asked.join(", "));
                Err(self.fault(key.get_ref(), "an unknown key", expected))
            }
        }
    }
}

/// A dotted key; a component that TOML would quote is quoted.
fn join(parent: &str, name: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let name = match !name.is_empty() && name.bytes().all(bare) {
        true => name.to_owned(),
        false => format!("\"{}\"", shown(name)),
    };
    if parent.is_empty() {
        name
    } else {
        format!("{parent}.{name}")
    }
}
