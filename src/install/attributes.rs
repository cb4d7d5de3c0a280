//! Adds our lines to `info/attributes` and removes them again.
//!
//! Our lines follow a comment, which also records what an undo has to restore beside them.

use crate::model::path::RepoPath;

/// How the comment above our lines begins.
const MARK: &str = "# git-reins setup";
/// What it says when there was no file.
const MADE: &str = ", in a file made for it";
/// What it says when the line above had no end.
const ENDED: &str = ", behind a line that had no end";
/// How it ends.
const UNDO: &str = " (undo: git reins setup --undo)";

/// The bytes around our lines, and our lines.
struct Parts<'b> {
    before: &'b [u8],
    mark: Option<&'b [u8]>,
    lines: Vec<String>,
    after: &'b [u8],
}

/// The line that gives the ledgers in a directory an attribute, `diff=reins` say.
pub fn line(ledgers: &RepoPath, attribute: &str) -> String {
    let escaped: String = ledgers
        .as_str()
        .chars()
        .flat_map(|c| {
            let is_glob = matches!(c, '*' | '?' | '[');
            is_glob.then_some('\\').into_iter().chain([c])
        })
        .collect();
    let pattern = format!("/{escaped}/*.json");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./*".contains(c);
    if pattern.chars().all(is_plain) {
        return format!("{pattern} {attribute}");
    }
    format!(
        "\"{}\" {attribute}",
        pattern.replace('\\', "\\\\").replace('"', "\\\"")
    )
}

/// Our lines in a file.
pub fn ours(file: &[u8]) -> Vec<String> {
    Parts::of(file).lines
}

/// The file with these lines of ours and no others; `None` when there is none.
pub fn with(file: Option<&[u8]>, lines: &[String]) -> Option<Vec<u8>> {
    let parts = Parts::of(file.unwrap_or_default());
    let says = |what: &str| {
        parts
            .mark
            .is_some_and(|mark| String::from_utf8_lossy(mark).contains(what))
    };
    let is_made = says(MADE) || file.is_none();
    let is_ended = says(ENDED)
        || parts.mark.is_none() && parts.before.last().is_some_and(|last| *last != b'\n');
    if lines.is_empty() {
        // the line above stands at the end again
        let cut = usize::from(is_ended && parts.after.is_empty() && parts.before.ends_with(b"\n"));
        let rest = [&parts.before[..parts.before.len() - cut], parts.after].concat();
        return Some(rest).filter(|rest| !(is_made && rest.is_empty()));
    }
    let note = match (is_made, is_ended) {
        (true, _) => MADE,
        (false, true) => ENDED,
        (false, false) => "",
    };
    let end = if is_ended && !parts.before.ends_with(b"\n") {
        "\n"
    } else {
        ""
    };
    let block = format!("{end}{MARK}{note}{UNDO}\n{}\n", lines.join("\n"));
    Some([parts.before, block.as_bytes(), parts.after].concat())
}

impl<'b> Parts<'b> {
    fn of(file: &'b [u8]) -> Self {
        let mut at = 0;
        for line in file.split_inclusive(|byte| *byte == b'\n') {
            if line.starts_with(MARK.as_bytes()) {
                let (lines, len) = block(&file[at + line.len()..]);
                let after = &file[at + line.len() + len..];
                return Self {
                    before: &file[..at],
                    mark: Some(line),
                    lines,
                    after,
                };
            }
            at += line.len();
        }
        Self {
            before: file,
            mark: None,
            lines: Vec::new(),
            after: b"",
        }
    }
}

/// The lines behind the comment that are ours, and how long they are.
fn block(rest: &[u8]) -> (Vec<String>, usize) {
    let ours = |line: &[u8]| {
        let line = std::str::from_utf8(line).ok()?.trim_end();
        (line.ends_with(" diff=reins") || line.ends_with(" merge=reins")).then(|| line.to_owned())
    };
    let (mut lines, mut len) = (Vec::new(), 0);
    for line in rest.split_inclusive(|byte| *byte == b'\n') {
        let Some(own) = ours(line) else { break };
        lines.push(own);
        len += line.len();
    }
    (lines, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_comes_back_byte_for_byte() {
        let (one, two) = (
            ["/a/*.json diff=reins".to_owned()],
            ["/a/*.json merge=reins".to_owned()],
        );
        let both = [one[0].clone(), two[0].clone()];
        for before in [
            None,
            Some(""),
            Some("*.c diff=cpp\n"),
            Some("*.c diff=cpp"),
            Some("a\r\nb"),
            Some("\n\n"),
        ] {
            let before = before.map(str::as_bytes);
            let first = with(before, &one).unwrap();
            let second = with(Some(&first), &both).unwrap();
            assert_eq!(ours(&second), both);
            assert_eq!(with(Some(&second), &both), Some(second.clone()));
            assert_eq!(with(Some(&second), &one), Some(first.clone()));
            assert_eq!(with(Some(&first), &[]).as_deref(), before);
            assert_eq!(with(Some(&second), &[]).as_deref(), before);
            let added = [second.as_slice(), b"*.x text\n"].concat();
            let kept = with(Some(&added), &[]).unwrap();
            assert!(kept.ends_with(b"*.x text\n") && kept.starts_with(before.unwrap_or_default()));
            assert_eq!(
                kept.split(|byte| *byte == b'\n')
                    .filter(|line| !line.is_empty())
                    .count(),
                before
                    .unwrap_or_default()
                    .split(|byte| *byte == b'\n')
                    .filter(|line| !line.is_empty())
                    .count()
                    + 1
            );
        }
    }

    #[test]
    fn odd_directories_are_quoted() {
        let line = |path: &str| line(&path.parse().unwrap(), "diff=reins");
        assert_eq!(line("ledger"), "/ledger/*.json diff=reins");
        assert_eq!(line("a b/[x]"), "\"/a b/\\\\[x]/*.json\" diff=reins");
        assert_eq!(line("#\"q"), "\"/#\\\"q/*.json\" diff=reins");
    }
}
