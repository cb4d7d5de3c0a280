//! Finds the line of each row in a ledger file.

use std::collections::BTreeMap;

use serde::Deserialize;

/// How deep the rows of every ledger lie: the file, its list, the row.
const ROW_DEPTH: usize = 3;

/// The members that rows go by, one ledger or another.
#[derive(Deserialize)]
struct Key {
    oracle_id: Option<String>,
    property_id: Option<String>,
    seed: Option<String>,
    path: Option<String>,
}

impl Key {
    /// The row as findings call it.
    fn name(self) -> Option<String> {
        match self {
            Self {
                oracle_id: Some(id),
                ..
            } => Some(id),
            Self {
                property_id: Some(property),
                seed,
                ..
            } => Some(frozen(&property, &seed.unwrap_or_default())),
            Self { path, .. } => path,
        }
    }
}

/// The name of a freeze row in findings.
pub fn frozen(property: &str, seed: &str) -> String {
    let named = |text: &str| {
        if text.trim().is_empty() {
            "(none)".to_owned()
        } else {
            text.to_owned()
        }
    };
    format!("{} seed {}", named(property), named(seed))
}

/// The first line of each row, from 1, by its name: `oracle_id`, `PROPERTY seed SEED`, or path.
///
/// Made for text that was read as a ledger; of anything else it finds less, never something wrong.
pub fn lines(text: &str) -> BTreeMap<String, usize> {
    let (mut found, mut walk) = (
        BTreeMap::new(),
        Walk {
            depth: 0,
            line: 1,
            is_quoted: false,
            is_escaped: false,
        },
    );
    let mut start = None;
    for (at, byte) in text.bytes().enumerate() {
        let (before, line) = (walk.depth, walk.line);
        walk.step(byte);
        if before < walk.depth && walk.depth == ROW_DEPTH {
            start = Some((at, line));
        }
        if before == ROW_DEPTH
            && walk.depth < before
            && let Some((from, line)) = start.take()
            && let Some(name) = serde_json::from_str(&text[from..=at])
                .ok()
                .and_then(Key::name)
        {
            found.entry(name).or_insert(line);
        }
    }
    found
}

/// Where a walk over JSON stands.
struct Walk {
    depth: usize,
    line: usize,
    is_quoted: bool,
    is_escaped: bool,
}

impl Walk {
    fn step(&mut self, byte: u8) {
        self.line += usize::from(byte == b'\n');
        if self.is_quoted {
            self.is_quoted = self.is_escaped || byte != b'"';
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            return;
        }
        match byte {
            b'"' => self.is_quoted = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_in_any_order_and_spacing() {
        let text = "{\"schema\": \"x\", \"oracles\": [\n  {\"oracle_id\": \"b\", \"x\": [{\"path\": \"no\"}]},\n{\n\"relation\": \"\\\"}]{\",\n \"oracle_id\": \"a\"}]}";
        assert_eq!(
            lines(text),
            BTreeMap::from([("a".to_owned(), 3), ("b".to_owned(), 2)])
        );
        let text = "{\"freezes\": [{\"property_id\": \"a\",\n\"seed\": \"1\"},\n {\"property_id\": \"a\", \"seed\": \"2\"}]}";
        assert_eq!(
            lines(text),
            BTreeMap::from([("a seed 1".to_owned(), 1), ("a seed 2".to_owned(), 3)])
        );
        let text = "{\"files\": [\n{\"path\": \"fixtures/a\"}]}";
        assert_eq!(lines(text), BTreeMap::from([("fixtures/a".to_owned(), 2)]));
    }

    #[test]
    fn what_is_no_ledger_has_no_rows() {
        for text in [
            "",
            "]]]",
            "{\"a\": [{",
            "[[[\"",
            "{\"a\": [{\"oracle_id\": 7}]}",
        ] {
            assert!(lines(text).is_empty(), "{text}");
        }
    }
}
