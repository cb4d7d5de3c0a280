//! Where does a command leave room for what only a run knows?

/// The placeholders of a property check: in `run`, in values of `env` and in `result.path`.
pub const PROPERTY: &[&str] = &["property", "property_file", "seed", "tree", "fixtures", "tmp", "result"];
/// The placeholders of a canary, which is bound to no property.
pub const CANARY: &[&str] = &["seed", "tree", "fixtures", "tmp", "result"];
/// The placeholders of `judge.public_signature`.
pub const SIGNATURE: &[&str] = &["before", "after"];
/// The placeholders of `foreman.on_complete`.
pub const COMPLETE: &[&str] = &["task_id"];

/// A part of a text with placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Stands for itself.
    Text(&'a str),
    /// A placeholder, by its name without the braces.
    Hole(&'a str),
}

/// Takes a text apart. `{name}` is a placeholder when the name is made of ASCII letters, digits
/// and `_` and does not start with a digit; any other brace stands for itself.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices('{') {
        let Some(name) = name_before_brace(&text[at + 1..]) else { continue };
        pieces.push(Piece::Text(&text[start..at]));
        pieces.push(Piece::Hole(name));
        start = at + name.len() + 2;
    }
    pieces.push(Piece::Text(&text[start..]));
    pieces.retain(|piece| *piece != Piece::Text(""));
    pieces
}

fn name_before_brace(text: &str) -> Option<&str> {
    let (name, _) = text.split_once('}')?;
    let shaped = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (shaped && !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit())).then_some(name)
}

/// The first placeholder in a text that is not among the known ones.
pub fn unknown<'a>(text: &'a str, known: &[&str]) -> Option<&'a str> {
    pieces(text).into_iter().find_map(|piece| match piece {
        Piece::Hole(name) if !known.contains(&name) => Some(name),
        Piece::Hole(_) | Piece::Text(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::Piece::{Hole, Text};
    use super::*;

    #[test]
    fn names_in_braces_are_placeholders_and_other_braces_are_text() {
        assert_eq!(
            pieces("{property_file}::{property}"),
            [Hole("property_file"), Text("::"), Hole("property")]
        );
        assert_eq!(pieces("f({seed:{seed}})"), [Text("f({seed:"), Hole("seed"), Text("})")]);
        for plain in ["", "{}", "{", "}", "x{3}", "{1,2}", "{a b}", "{\"a\": 1}", "{seed", "{ä}"] {
            let expected = if plain.is_empty() { vec![] } else { vec![Text(plain)] };
            assert_eq!(pieces(plain), expected, "{plain}");
        }
    }

    #[test]
    fn an_unknown_placeholder_is_found_beside_known_ones() {
        assert_eq!(unknown("{tree}/{Seed}", PROPERTY), Some("Seed"));
        assert_eq!(unknown("{property}", CANARY), Some("property"));
        assert_eq!(unknown("{tree}{tmp}{result}", CANARY), None);
    }
}
