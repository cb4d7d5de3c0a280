//! The placeholders of a command, which a run fills in.

use crate::model::path::file_name;

/// The placeholders of a property check: in `run`, in values of `env` and in `result.path`.
pub const PROPERTY: &[&str] = &[
    "property",
    "property_file",
    "seed",
    "tree",
    "fixtures",
    "tmp",
    "result",
];
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
        let Some(name) = name_before_brace(&text[at + 1..]) else {
            continue;
        };
        pieces.push(Piece::Text(&text[start..at]));
        pieces.push(Piece::Hole(name));
        start = at + name.len() + 2;
    }
    pieces.push(Piece::Text(&text[start..]));
    pieces.retain(|piece| *piece != Piece::Text(""));
    pieces
}

/// What is wrong with `foreman.on_complete`: which word, and what is expected in its place.
///
/// The command runs in a worktree whose files nobody judged: a program of a relative path would be
/// the candidate's. A task id is a text from outside: in the script of a shell it would be code.
pub fn on_complete_fault(command: &[String]) -> Option<(usize, &'static str)> {
    let has_hole = |word: &String| {
        pieces(word)
            .iter()
            .any(|piece| matches!(piece, Piece::Hole(_)))
    };
    let program = command.first()?;
    if has_hole(program) || program.contains('/') && !program.starts_with('/') {
        return Some((
            0,
            "a bare name on PATH or an absolute path: a relative one is a file of the candidate",
        ));
    }
    let is_shell = |word: &String| SHELLS.contains(&file_name(word));
    let is_script_flag = |word: &String| {
        word.starts_with('-') && !word.starts_with("--") && word.contains('c')
            || word == "--command"
    };
    let shell = command.iter().position(is_shell)?;
    let flag = shell + 1 + command[shell + 1..].iter().position(is_script_flag)?;
    let rest = command.iter().enumerate().skip(flag + 1);
    let script = rest
        .clone()
        .find(|(_, word)| !word.starts_with(['-', '+']))
        .map(|(at, _)| at);
    let mut code =
        rest.filter(|(at, word)| has_hole(word) && (Some(*at) == script || *word != "{task_id}"));
    code.next().map(|(at, _)| {
        (
            at,
            "a script without {task_id}: pass it as an argument of its own, then it is $1",
        )
    })
}

const SHELLS: [&str; 9] = [
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "busybox", "fish",
];

fn name_before_brace(text: &str) -> Option<&str> {
    let (name, _) = text.split_once('}')?;
    let shaped = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (shaped && !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit()))
        .then_some(name)
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
        assert_eq!(
            pieces("f({seed:{seed}})"),
            [Text("f({seed:"), Hole("seed"), Text("})")]
        );
        for plain in [
            "",
            "{}",
            "{",
            "}",
            "x{3}",
            "{1,2}",
            "{a b}",
            "{\"a\": 1}",
            "{seed",
            "{ä}",
        ] {
            let expected = if plain.is_empty() {
                vec![]
            } else {
                vec![Text(plain)]
            };
            assert_eq!(pieces(plain), expected, "{plain}");
        }
    }

    #[test]
    fn no_task_id_is_code_and_no_program_the_candidates() {
        let at = |command: &[&str]| {
            let command: Vec<_> = command.iter().map(|word| (*word).to_owned()).collect();
            on_complete_fault(&command).map(|(at, _)| at)
        };
        for good in [
            &["complete", "{task_id}"][..],
            &["/opt/complete", "--task={task_id}"],
            &["sh", "-c", "done \"$1\"", "foreman", "{task_id}"],
            &["sh", "/opt/complete.sh", "{task_id}"],
        ] {
            assert_eq!(at(good), None, "{good:?}");
        }
        for (bad, word) in [
            (&["tools/complete", "{task_id}"][..], 0),
            (&["./complete"], 0),
            (&["{task_id}"], 0),
            (&["sh", "-c", "done {task_id}"], 2),
            (&["/bin/bash", "-ec", "{task_id}"], 2),
            (
                &["env", "X=1", "dash", "-e", "-c", "--", "done '{task_id}'"],
                6,
            ),
            (&["zsh", "-c", "eval $1", "zsh", "done {task_id}"], 4),
        ] {
            assert_eq!(at(bad), Some(word), "{bad:?}");
        }
    }

    #[test]
    fn an_unknown_placeholder_is_found_beside_known_ones() {
        assert_eq!(unknown("{tree}/{Seed}", PROPERTY), Some("Seed"));
        assert_eq!(unknown("{property}", CANARY), Some("property"));
        assert_eq!(unknown("{tree}{tmp}{result}", CANARY), None);
    }
}
