//! Writes a text from outside into Markdown without any effect.

use crate::model::path::visible;

/// Breaks what forges look for in rendered text: mentions, references, shortcodes, links.
const BREAK: &str = "&#8203;";

/// A text for any place in Markdown, on one line, that reads as itself and does nothing: no markup,
/// no HTML, no cell or block of its own, no mention, reference, shortcode or link.
///
/// Hidden characters and newlines become `\u{..}`. Forges look for mentions in what was rendered,
/// where an escaped `@` is one again, so that an invisible space stands behind such characters.
pub fn escaped(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len() + 16);
    let mut before: [char; 3] = ['\n'; 3];
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        let is_first = before[2] == '\n';
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '$' => out.push_str("&#36;"), // between two of them is mathematics
            ' ' if is_first || next == ' ' => out.push_str("&#32;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '#' | '!' | '|' | '~'
            | '^' => {
                out.push('\\');
                out.push(c);
            }
            '-' | '+' | '=' if is_first => {
                out.push('\\');
                out.push(c);
            }
            '.' if before[2].is_ascii_digit() && next == ' ' => out.push_str("\\."),
            '.' if before.iter().all(|c| c.eq_ignore_ascii_case(&'w')) => out.extend([BREAK, "."]),
            '-' if before[1..] == ['G', 'H'] => out.extend([BREAK, "-"]),
            c => out.push(c),
        }
        if is_read_by_forges(c) && !next.is_whitespace() {
            out.push_str(BREAK);
        }
        before = [before[1], before[2], c];
    }
    out
}

/// The characters that begin something in a comment: users, issues, labels, snippets, shortcodes.
fn is_read_by_forges(c: char) -> bool {
    matches!(c, '@' | '#' | '!' | '~' | '%' | '$' | '&' | '^' | ':')
}

/// A name or a path as code, in a table too; escaped where code cannot hold it.
pub fn code(text: &str) -> String {
    let is_plain = |c: char| {
        !matches!(c, '`' | '|' | '\\') && visible(c.encode_utf8(&mut [0; 4])).len() == c.len_utf8()
    };
    // a comment in HTML is one for whoever looks for it in the text of a comment on a forge
    match !text.is_empty()
        && text.trim() == text
        && text.chars().all(is_plain)
        && !text.contains("<!--")
    {
        true => format!("`{text}`"),
        false => escaped(text),
    }
}

/// A command as a block of its own, to be copied as it stands.
pub fn block(text: &str) -> String {
    let text = visible(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}sh\n{text}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_reads_as_itself() {
        assert_eq!(escaped("a|b `c` <b>&"), "a\\|b \\`c\\` &lt;b&gt;&amp;");
        assert_eq!(
            escaped("@ada #12 GH-12"),
            "@&#8203;ada \\#&#8203;12 GH&#8203;-12"
        );
        assert_eq!(escaped("http://www.x.y"), "http:&#8203;//www&#8203;.x.y");
        assert_eq!(escaped("a\nb\u{202e}"), "a\\\\u\\{a\\}b\\\\u\\{202e\\}");
        assert_eq!(escaped("- one"), "\\- one");
        assert_eq!(escaped("1. one"), "1\\. one");
        assert_eq!(escaped("    one"), "&#32;&#32;&#32; one");
        assert_eq!(escaped("bal-01: is 50% of 2.5"), "bal-01: is 50% of 2.5");
    }

    #[test]
    fn code_holds_names_and_nothing_that_ends_it() {
        assert_eq!(code("bal-01"), "`bal-01`");
        assert_eq!(code("@ada"), "`@ada`");
        assert_eq!(code("a`b|c"), "a\\`b\\|c");
        assert_eq!(code("a\nb"), escaped("a\nb"));
        assert_eq!(
            code("<!-- git-reins:v1 -->"),
            "&lt;\\!&#8203;-- git-reins:&#8203;v1 --&gt;"
        );
        assert_eq!(block("git x ```"), "````sh\ngit x ```\n````\n");
    }
}
