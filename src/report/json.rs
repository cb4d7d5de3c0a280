//! Writes an answer as JSON.

pub use crate::model::record::print;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped_and_read_back() {
        let text = print(&"a\u{1b}\u{202e}\u{7f}b");
        assert_eq!(text, "\"a\\u001b\\u202e\\u007fb\"\n");
        assert_eq!(
            serde_json::from_str::<String>(&text).unwrap(),
            "a\u{1b}\u{202e}\u{7f}b"
        );
    }
}
