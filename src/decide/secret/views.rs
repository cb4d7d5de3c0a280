//! Shows the bytes of a file as a reader may see them: without zeros, colours and escapes.
//!
//! Every view keeps the line breaks of the file, so that a line is the same in all of them.

/// Output of a tool that quotes output of a tool: escapes in escapes, no deeper than this.
const DEPTH: usize = 3;
const ESCAPE: u8 = 0x1b;

/// The other views of a file: UTF-16 and UTF-32 as bytes, JSON strings as what they say, and
/// coloured text without the colours, once joined and once apart where they stood.
pub fn views(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut views = Vec::new();
    let mut last = bytes.to_vec();
    if last.contains(&0) {
        last.retain(|byte| *byte != 0);
        views.push(last.clone());
    }
    for _ in 0..DEPTH {
        let colours = colourless(&mut views, &last);
        let Some(next) = unescaped(colours.as_deref().unwrap_or(&last)) else {
            return views;
        };
        views.push(next.clone());
        last = next;
    }
    let _deepest = colourless(&mut views, &last);
    views
}

fn colourless(views: &mut Vec<Vec<u8>>, bytes: &[u8]) -> Option<Vec<u8>> {
    if !bytes.contains(&ESCAPE) {
        return None;
    }
    views.push(without_sequences(bytes, b" "));
    let joined = without_sequences(bytes, b"");
    views.push(joined.clone());
    Some(joined)
}

/// JSON escapes replaced by what they stand for; `None` when there is none. A line break that is
/// written as an escape becomes a carriage return.
fn unescaped(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len());
    let (mut at, mut is_other) = (0, false);
    while let Some(byte) = bytes.get(at) {
        let escape = if *byte == b'\\' {
            escape(&bytes[at + 1..])
        } else {
            None
        };
        let Some((c, length)) = escape else {
            out.push(*byte);
            at += 1;
            continue;
        };
        let c = if c == '\n' { '\r' } else { c };
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        at += 1 + length;
        is_other = true;
    }
    is_other.then_some(out)
}

/// What stands for a character behind a backslash, and in how many bytes. Half a pair of
/// surrogates is a character that no token has.
fn escape(rest: &[u8]) -> Option<(char, usize)> {
    let simple = match rest.first()? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' | b'f' => ' ',
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        b'x' => return number(rest.get(1..3)?).map(|c| (c, 3)),
        b'e' | b'0' if rest.starts_with(b"e[") || rest.starts_with(b"033[") => {
            return Some((char::from(ESCAPE), if rest[0] == b'e' { 1 } else { 3 }));
        }
        b'u' => return number(rest.get(1..5)?).map(|c| (c, 5)),
        _ => return None,
    };
    Some((simple, 1))
}

fn number(digits: &[u8]) -> Option<char> {
    let text = std::str::from_utf8(digits)
        .ok()
        .filter(|text| !text.starts_with('+'))?;
    let number = u32::from_str_radix(text, 16).ok()?;
    Some(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// A terminal's sequences replaced by `mark`: `ESC [ .. letter`, `ESC ] .. BEL`, `ESC` and one more.
fn without_sequences(bytes: &[u8], mark: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == ESCAPE {
            out.extend_from_slice(mark);
            at += 1 + sequence(&bytes[at + 1..]);
        } else {
            out.push(*byte);
            at += 1;
        }
    }
    out
}

/// The length of a sequence behind its ESC; one that breaks off ends before what cannot belong to it.
fn sequence(rest: &[u8]) -> usize {
    match rest.first() {
        None | Some(b'\n') => 0,
        Some(b'[') => {
            let inner = rest[1..]
                .iter()
                .take_while(|byte| (0x20..=0x3f).contains(*byte))
                .count();
            let is_ended = rest
                .get(1 + inner)
                .is_some_and(|byte| (0x40..=0x7e).contains(byte));
            1 + inner + usize::from(is_ended)
        }
        // what such a sequence carries, an address for instance, stays to be looked at
        Some(_) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(text: &[u8]) -> String {
        String::from_utf8_lossy(views(text).last().unwrap()).into_owned()
    }

    #[test]
    fn plain_text_has_one_view() {
        assert_eq!(views(b"plain\ntext C:\\dir"), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn what_is_read_is_what_is_seen() {
        for (text, seen) in [
            (&b"a\x1b[1;31mb\x1b[0m"[..], "ab"),
            (b"a\\u001b[31mb\\u001B[0m\nc", "ab\nc"),
            (b"a\\\\u001b[31mb", "ab"),
            (b"a\\u2014b\\/c\\nd", "a\u{2014}b/c\rd"),
            (b"a\\ud83dx", "a\u{fffd}x"),
            (b"a\\x1b[31mb\\033[0mc\\e[0md", "abcd"),
            (b"\xff\xfeg\0h\0\n\0", "\u{fffd}\u{fffd}gh\n"),
            (b"a\x1b[31", "a"),
        ] {
            assert_eq!(last(text), seen, "{text:?}");
        }
        assert_eq!(views(b"a\x1b[31mb"), [b"a b".to_vec(), b"ab".to_vec()]);
    }
}
