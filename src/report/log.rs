//! Writes a text into the log of a CI system so that the runner does not obey it.
//!
//! Runners read what a step prints, on stdout and on stderr: `::error::` and its like at the
//! beginning of a line, behind any spaces, and `##[error]` and its like anywhere in it.

use std::borrow::Cow;

/// How such a command begins: GitHub's old form and Azure's short one, Azure's, `TeamCity`'s.
const COMMANDS: [&str; 3] = ["##[", "##vso[", "##teamcity["];

/// A line of prose that no runner obeys, with a character of the command as its `\u{..}` escape.
pub fn prose(line: &str) -> Cow<'_, str> {
    let line = broken(line, "#\\u{23}");
    let text = line.trim_start();
    if !text.starts_with("::") {
        return line;
    }
    let indent = &line[..line.len() - text.len()];
    Cow::Owned(format!("{indent}\\u{{3a}}{}", &text[1..]))
}

/// A command for a shell that no runner obeys and that the shell reads as before, within single
/// quotes and without.
pub fn command(line: &str) -> Cow<'_, str> {
    broken(line, "#''#")
}

/// Lines of prose that no runner obeys.
pub fn lines(text: &str) -> Cow<'_, str> {
    if !text.contains("::") && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_inclusive('\n').map(prose).collect())
}

fn broken<'l>(line: &'l str, marks: &str) -> Cow<'l, str> {
    if !COMMANDS.iter().any(|command| line.contains(command)) {
        return Cow::Borrowed(line);
    }
    Cow::Owned(line.replace("##", marks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_a_command() {
        assert_eq!(prose("    ::error::x"), "    \\u{3a}:error::x");
        assert_eq!(prose("owner ##[add-mask]x"), "owner #\\u{23}[add-mask]x");
        assert_eq!(prose("a ###vso[task]x"), "a #\\u{23}#vso[task]x");
        assert_eq!(prose("Rust::path, issue ##12"), "Rust::path, issue ##12");
        assert_eq!(
            lines("note: a\n::stop-commands::b\n"),
            "note: a\n\\u{3a}:stop-commands::b\n"
        );
    }
}
