//! How is a text written so that a shell reads it as one word?

/// The text as one word of a POSIX shell: bare when that is safe, quoted otherwise.
///
/// Commands in hints are made with it, so that an odd id or seed cannot become a second command.
pub fn word(text: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(bare) {
        text.to_owned()
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
        assert_eq!(word("it's"), "'it'\\''s'");
    }
}
