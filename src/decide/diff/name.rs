//! Reads the file names of a patch: quotes, escapes and prefixes.

use super::fault::Problem;
use crate::model::path::RepoPath;

/// What stands before the path of the two sides: git's own prefixes, also the mnemonic ones.
const PREFIXES: &[&str] = &["a/", "b/", "c/", "i/", "o/", "w/"];

/// The name after `--- ` or `+++ `; `None` for `/dev/null`.
pub(super) fn side(text: &[u8]) -> Result<Option<RepoPath>, Problem> {
    // git ends a name that has a space in it with a tab
    let text = text.strip_suffix(b"\t").unwrap_or(text);
    if text == b"/dev/null" {
        return Ok(None);
    }
    prefixed(&plain(text)?).map(Some)
}

/// The name after `rename from ` and its like, without a prefix.
pub(super) fn bare(text: &[u8]) -> Result<RepoPath, Problem> {
    path(&plain(text)?)
}

/// The one path that both names after `diff --git ` mean; `None` when they differ.
pub(super) fn both(text: &[u8]) -> Result<Option<RepoPath>, Problem> {
    let (before, after) = if text.contains(&b'"') {
        split_quoted(text)?
    } else {
        split_plain(text)?
    };
    let (before, after) = (prefixed(&before), prefixed(&after));
    match (before, after) {
        (Ok(before), Ok(after)) => Ok((before == after).then_some(after)),
        (Err(problem), _) | (_, Err(problem)) => Err(problem),
    }
}

/// Two unquoted names of the same path are equally long, so they part in the middle.
fn split_plain(text: &[u8]) -> Result<(Vec<u8>, Vec<u8>), Problem> {
    let middle = text.len() / 2;
    match text.get(middle) {
        Some(b' ') => Ok((text[..middle].to_vec(), text[middle + 1..].to_vec())),
        _ => Err(Problem::Name("two names that are not the same path")),
    }
}

fn split_quoted(text: &[u8]) -> Result<(Vec<u8>, Vec<u8>), Problem> {
    let apart = Problem::Name("names that cannot be told apart");
    if text.starts_with(b"\"") {
        let (first, rest) = unquote(text)?;
        let rest = rest.strip_prefix(b" ").ok_or(apart)?;
        return Ok((first, plain(rest)?));
    }
    let at = text
        .windows(2)
        .position(|pair| pair == b" \"")
        .ok_or(apart)?;
    Ok((text[..at].to_vec(), plain(&text[at + 1..])?))
}

/// A name that is quoted, or stands for itself.
fn plain(text: &[u8]) -> Result<Vec<u8>, Problem> {
    if !text.starts_with(b"\"") {
        return Ok(text.to_vec());
    }
    match unquote(text)? {
        (name, b"") => Ok(name),
        _ => Err(Problem::Name("something after a quoted name")),
    }
}

/// Takes a name in quotes apart from what follows it: escapes as in C, bytes in octal.
fn unquote(text: &[u8]) -> Result<(Vec<u8>, &[u8]), Problem> {
    let mut name = Vec::new();
    let mut rest = text
        .strip_prefix(b"\"")
        .ok_or(Problem::Name("no quoted name"))?;
    loop {
        let (byte, after) = match rest {
            [b'"', after @ ..] => return Ok((name, after)),
            [
                b'\\',
                a @ b'0'..=b'3',
                b @ b'0'..=b'7',
                c @ b'0'..=b'7',
                after @ ..,
            ] => ((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'), after),
            [b'\\', letter, after @ ..] => (escaped(*letter)?, after),
            [byte, after @ ..] => (*byte, after),
            [] => return Err(Problem::Name("a quoted name without an end")),
        };
        name.push(byte);
        rest = after;
    }
}

fn escaped(letter: u8) -> Result<u8, Problem> {
    Ok(match letter {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        b'"' | b'\\' => letter,
        _ => return Err(Problem::Name("an unknown escape in a name")),
    })
}

fn prefixed(name: &[u8]) -> Result<RepoPath, Problem> {
    let rest = PREFIXES
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix.as_bytes()));
    path(rest.ok_or(Problem::Name("a name without git's prefix a/ or b/"))?)
}

fn path(name: &[u8]) -> Result<RepoPath, Problem> {
    let name = std::str::from_utf8(name).map_err(|_| Problem::Name("a path that is not UTF-8"))?;
    Ok(name.parse::<RepoPath>()?)
}
