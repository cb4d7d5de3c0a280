//! Checks that a text is JSON of the narrow form that ledgers use, before anything is built from
//! it.
//!
//! One pass, no recursion, and no memory apart from the names of the open objects. What is
//! accepted here is accepted by `serde_json`; the reverse does not hold.

use std::borrow::Cow;

use crate::model::path::{is_hidden, shown};

/// How many objects and lists may be open at once.
pub const MAX_DEPTH: usize = 32;
/// How many members one object may have; far above any declared shape, and a bound for memory.
pub const MAX_MEMBERS: usize = 10_000;
/// Up to here a new member name is compared with each earlier one, beyond all names are sorted.
const FEW: usize = 16;

/// What stands at the top level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Top {
    /// `{...}`
    Object,
    /// `[...]`
    Array,
}

/// A text that passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scan<'a> {
    /// The bytes as text, so that nobody validates UTF-8 again.
    pub text: &'a str,
    /// What stands at the top level.
    pub top: Top,
    /// The elements of the longest list that is a member of the top-level object, or of the
    /// top-level list itself.
    pub rows: usize,
}

/// Where the text stops being what a ledger is made of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: read {observed}, expected {expected}")]
pub struct ScanFault {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What was read there.
    pub observed: String,
    /// What was expected instead.
    pub expected: String,
}

/// Reads `bytes` once from front to back.
///
/// # Errors
/// At the first byte that is a BOM or no UTF-8, breaks the syntax of JSON, opens level 33, ends a
/// number that is no integer of 64 bits, spells a control or bidi character or half a surrogate
/// pair, or repeats a member name.
pub fn scan(bytes: &[u8]) -> Result<Scan<'_>, ScanFault> {
    let text = text_of(bytes)?;
    let mut scanner = Scanner {
        text,
        bytes,
        at: 0,
        open: Vec::new(),
        names: Vec::new(),
        rows: 0,
    };
    match scanner.run() {
        Ok(top) => Ok(Scan {
            text,
            top,
            rows: scanner.rows,
        }),
        Err(stop) => Err(stop.located(text)),
    }
}

fn text_of(bytes: &[u8]) -> Result<&str, ScanFault> {
    if bytes.starts_with("\u{feff}".as_bytes()) {
        return Err(Stop {
            at: 0,
            observed: "a byte order mark".to_owned(),
            expected: "'{' or '['",
        }
        .located(""));
    }
    std::str::from_utf8(bytes).map_err(|fault| {
        let valid = &bytes[..fault.valid_up_to()];
        let observed = format!("the byte 0x{:02x}", bytes[valid.len()]);
        Stop {
            at: valid.len(),
            observed,
            expected: "UTF-8",
        }
        .located(&String::from_utf8_lossy(valid))
    })
}

/// A fault before its place is counted out.
struct Stop {
    at: usize,
    observed: String,
    expected: &'static str,
}

impl Stop {
    fn located(self, text: &str) -> ScanFault {
        let before = &text.as_bytes()[..self.at.min(text.len())];
        let line_start = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let is_first_byte = |byte: &&u8| (**byte & 0xc0) != 0x80;
        ScanFault {
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            column: 1 + before[line_start..].iter().filter(is_first_byte).count(),
            observed: self.observed,
            expected: self.expected.to_owned(),
        }
    }
}

enum Open {
    /// `first` is where its names start in `Scanner::names`.
    Object {
        first: usize,
    },
    Array {
        elements: usize,
    },
}

/// Ordered by name, then by place, so that sorting puts a repeated name after the first one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Name<'a> {
    text: Cow<'a, str>,
    at: usize,
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    open: Vec<Open>,
    names: Vec<Name<'a>>,
    rows: usize,
}

impl<'a> Scanner<'a> {
    fn run(&mut self) -> Result<Top, Stop> {
        self.space();
        let top = match self.peek() {
            Some(b'{') => Top::Object,
            Some(b'[') => Top::Array,
            _ => return Err(self.unexpected("'{' or '['")),
        };
        // One turn reads one value, and what follows it up to the next value.
        loop {
            let entered = self.value()?;
            if !entered && self.leave()? {
                break;
            }
        }
        match self.peek() {
            None => Ok(top),
            Some(_) => Err(self.unexpected("the end of the file")),
        }
    }

    /// Reads one value; `true` when it is a list or object that was entered up to its first value.
    fn value(&mut self) -> Result<bool, Stop> {
        match self.peek() {
            Some(b'{') => {
                return self.enter(Open::Object {
                    first: self.names.len(),
                });
            }
            Some(b'[') => return self.enter(Open::Array { elements: 0 }),
            Some(b'"') => self.string().map(drop)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true")?,
            Some(b'f') => self.word("false")?,
            Some(b'n') => self.word("null")?,
            _ => return Err(self.unexpected("a value")),
        }
        Ok(false)
    }

    fn enter(&mut self, opened: Open) -> Result<bool, Stop> {
        if self.open.len() == MAX_DEPTH {
            return Err(self.stop(self.at, "level 33".to_owned(), "at most 32 levels"));
        }
        self.open.push(opened);
        self.at += 1;
        self.space();
        match (self.open.last_mut(), self.bytes.get(self.at)) {
            (Some(Open::Object { .. }), Some(b'}')) | (Some(Open::Array { .. }), Some(b']')) => {
                self.close()?;
                return Ok(false);
            }
            (Some(Open::Array { elements }), _) => *elements = 1,
            (Some(Open::Object { .. }) | None, _) => self.member("a member name or '}'")?,
        }
        Ok(true)
    }

    /// Reads closing brackets up to the comma before the next value; `true` at the very end.
    fn leave(&mut self) -> Result<bool, Stop> {
        loop {
            self.space();
            let byte = self.peek();
            match (self.open.last_mut(), byte) {
                (None, _) => return Ok(true),
                (Some(Open::Object { .. }), Some(b'}'))
                | (Some(Open::Array { .. }), Some(b']')) => {
                    self.close()?;
                }
                (Some(Open::Object { .. }), Some(b',')) => {
                    self.at += 1;
                    self.space();
                    self.member("a member name")?;
                    return Ok(false);
                }
                (Some(Open::Array { elements }), Some(b',')) => {
                    *elements += 1;
                    self.at += 1;
                    self.space();
                    return Ok(false);
                }
                (Some(Open::Object { .. }), _) => return Err(self.unexpected("',' or '}'")),
                (Some(Open::Array { .. }), _) => return Err(self.unexpected("',' or ']'")),
            }
        }
    }

    fn close(&mut self) -> Result<(), Stop> {
        self.at += 1;
        match self.open.pop() {
            Some(Open::Object { first }) => {
                self.refuse_repeats(first)?;
                self.names.truncate(first);
            }
            Some(Open::Array { elements })
                if matches!(self.open.as_slice(), [] | [Open::Object { .. }]) =>
            {
                self.rows = self.rows.max(elements);
            }
            Some(Open::Array { .. }) | None => {}
        }
        Ok(())
    }

    /// Reads a name and its colon, up to the value.
    fn member(&mut self, expected: &'static str) -> Result<(), Stop> {
        let at = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected(expected));
        }
        let has_escape = self.string()?;
        let quoted = &self.text[at..self.at];
        let text = match has_escape {
            false => Cow::Borrowed(&quoted[1..quoted.len() - 1]),
            true => Cow::Owned(
                serde_json::from_str(quoted)
                    .map_err(|_| self.stop(at, shown(quoted), "a member name"))?,
            ),
        };
        self.remember(Name { text, at })?;
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("':'"));
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    fn remember(&mut self, name: Name<'a>) -> Result<(), Stop> {
        let Some(Open::Object { first }) = self.open.last() else {
            return Ok(());
        };
        let siblings = &self.names[*first..];
        if siblings.len() < FEW && siblings.iter().any(|sibling| sibling.text == name.text) {
            return Err(self.repeated(&name));
        }
        if siblings.len() == MAX_MEMBERS {
            return Err(self.stop(
                name.at,
                "member 10,001".to_owned(),
                "at most 10,000 members",
            ));
        }
        self.names.push(name);
        Ok(())
    }

    /// Looks for repeated names among more than [`FEW`].
    fn refuse_repeats(&mut self, first: usize) -> Result<(), Stop> {
        let names = &mut self.names[first..];
        if names.len() <= FEW {
            return Ok(());
        }
        names.sort_unstable();
        match self.names[first..]
            .windows(2)
            .find(|pair| pair[0].text == pair[1].text)
        {
            Some(pair) => Err(self.repeated(&pair[1])),
            None => Ok(()),
        }
    }

    /// Reads a string with its quotes; `true` when it holds an escape.
    fn string(&mut self) -> Result<bool, Stop> {
        let mut has_escape = false;
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            self.at += rest
                .iter()
                .position(|byte| !PLAIN[usize::from(*byte)])
                .unwrap_or(rest.len());
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    has_escape = true;
                    self.escape()?;
                }
                Some(_) => self.character()?,
                None => return Err(self.unexpected("'\"'")),
            }
        }
        self.at += 1;
        Ok(has_escape)
    }

    fn character(&mut self) -> Result<(), Stop> {
        let Some(c) = self.text[self.at..].chars().next() else {
            return Ok(());
        };
        if is_hidden(c) {
            return Err(self.hidden(self.at, c));
        }
        self.at += c.len_utf8();
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Stop> {
        let at = self.at;
        self.at += 2;
        let c = match self.bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/') => return Ok(()),
            Some(b'u') => self.code_point(at)?,
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            _ => return Err(self.stop(at, self.excerpt(at, 2), "an escape of JSON")),
        };
        if is_hidden(c) {
            Err(self.hidden(at, c))
        } else {
            Ok(())
        }
    }

    /// Reads the digits of `\u`, and those of the second half of a surrogate pair.
    fn code_point(&mut self, at: usize) -> Result<char, Stop> {
        let digits = "'\\u' and four hex digits, surrogates in pairs only";
        let stop =
            |scanner: &Self, end: usize| scanner.stop(at, scanner.excerpt(at, end - at), digits);
        let first = self.hex(at + 2).ok_or_else(|| stop(self, at + 6))?;
        self.at = at + 6;
        if let Some(c) = char::from_u32(first) {
            return Ok(c);
        }
        let is_pair = first < 0xdc00 && self.bytes[self.at..].starts_with(b"\\u");
        let second = if is_pair { self.hex(at + 8) } else { None };
        let low = second
            .filter(|unit| (0xdc00..0xe000).contains(unit))
            .ok_or_else(|| stop(self, at + 6))?;
        self.at = at + 12;
        let point = 0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00);
        char::from_u32(point).ok_or_else(|| stop(self, at + 12))
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.bytes.get(at..at + 4)?;
        digits.iter().try_fold(0, |value, digit| {
            Some(value << 4 | char::from(*digit).to_digit(16)?)
        })
    }

    fn number(&mut self) -> Result<(), Stop> {
        let part = |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
        let rest = &self.bytes[self.at..];
        let len = rest
            .iter()
            .position(|byte| !part(byte))
            .unwrap_or(rest.len());
        let number = &self.text[self.at..self.at + len];
        let digits = number.strip_prefix('-').unwrap_or(number);
        let canonical =
            digits == "0" && number == digits || digits.starts_with(|c| matches!(c, '1'..='9'));
        let fits = number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
        if !canonical || !fits {
            return Err(self.stop(self.at, shown(number), "an integer of at most 64 bits"));
        }
        self.at += len;
        Ok(())
    }

    fn word(&mut self, word: &'static str) -> Result<(), Stop> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.unexpected("a value"));
        }
        self.at += word.len();
        Ok(())
    }

    fn space(&mut self) {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        let rest = &self.bytes[self.at..];
        self.at += rest
            .iter()
            .position(|byte| !is_space(byte))
            .unwrap_or(rest.len());
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn stop(&self, at: usize, observed: String, expected: &'static str) -> Stop {
        Stop {
            at,
            observed,
            expected,
        }
    }

    fn unexpected(&self, expected: &'static str) -> Stop {
        let observed = match self.peek() {
            None => "the end of the file".to_owned(),
            Some(_) => self.excerpt(self.at, 1),
        };
        self.stop(self.at, observed, expected)
    }

    fn hidden(&self, at: usize, c: char) -> Stop {
        self.stop(
            at,
            format!("the character U+{:04X}", u32::from(c)),
            "no control or bidi character",
        )
    }

    fn repeated(&self, name: &Name<'_>) -> Stop {
        self.stop(
            name.at,
            format!("a second member \"{}\"", shown(&name.text)),
            "each member once",
        )
    }

    fn excerpt(&self, at: usize, chars: usize) -> String {
        format!(
            "'{}'",
            shown(&self.text[at..].chars().take(chars).collect::<String>())
        )
    }
}

/// The bytes of a string that need no second look: printable ASCII but quote and backslash.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0x20;
    while byte < 0x7f {
        plain[byte] = byte != b'"' as usize && byte != b'\\' as usize;
        byte += 1;
    }
    plain
};

#[cfg(test)]
mod tests;
