//! How is an answer written as JSON?

use serde::Serialize;

use crate::model::path::is_hidden;

/// An answer as indented JSON with a newline at the end.
///
/// Hidden characters are escaped, so that no answer can move a cursor or turn a line around.
pub fn print(answer: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(answer).expect("answers have text keys and no failing parts");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped_and_read_back() {
        let text = print(&"a\u{1b}\u{202e}\u{7f}b");
        assert_eq!(text, "\"a\\u001b\\u202e\\u007fb\"\n");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), "a\u{1b}\u{202e}\u{7f}b");
    }
}
