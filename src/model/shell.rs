//! Writes a text so that a shell reads it as one word.

use super::path::is_hidden;

/// The text as one word of a POSIX shell: bare when that is safe, quoted otherwise.
///
/// Commands in hints are made with it, so that an odd id or seed cannot become a second command.
pub fn word(text: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(bare) {
        text.to_owned()
    } else if text.chars().any(is_hidden) {
        // bytes, so that no such character is printed: the quoting of bash, zsh and POSIX 2024
        let byte = |byte: u8| match byte {
            b'\'' | b'\\' => format!("\\{}", char::from(byte)),
            b' '..=b'~' => char::from(byte).to_string(),
            byte => format!("\\{byte:03o}"),
        };
        format!("$'{}'", text.bytes().map(byte).collect::<String>())
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_one_word() {
        assert_eq!(word("0x9c1e"), "0x9c1e");
        assert_eq!(word(""), "''");
        assert_eq!(word("a b; rm"), "'a b; rm'");
        assert_eq!(word("a\nb'\u{202e}"), "$'a\\012b\\'\\342\\200\\256'");
        assert_eq!(word("it's"), "'it'\\''s'");
    }
}
