//! Which commit is meant by an id in what a command said?

use std::fmt::Display;

use crate::support::Repo;

/// A text with commits named by their subjects, `{start}` for a whole id and `{start:10}` for ten
/// digits of it: words that `init` drafts would change every id.
pub fn named(repo: &Repo, text: impl Display) -> String {
    let commits = repo.git(&["log", "--all", "--format=%H %s"]);
    commits
        .lines()
        .filter_map(|line| line.split_once(' '))
        .fold(text.to_string(), |text, (id, subject)| {
            let text = text.replace(id, &format!("{{{subject}}}"));
            let short = |text: String, digits: usize| {
                text.replace(&id[..digits], &format!("{{{subject}:{digits}}}"))
            };
            [10, 7].into_iter().fold(text, short)
        })
}
