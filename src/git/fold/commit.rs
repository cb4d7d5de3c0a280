//! Writes the commit object of a fold: tree, parent, identity and signature.

use gix::objs::Kind;

use super::error::FoldError;
use super::pack::Pack;
use crate::git::plumbing::{Git, GitPlace, PlumbingError};
use crate::model::ids::{CommitId, ObjectId};

/// A commit to be made.
pub(super) struct Commit<'a> {
    pub(super) tree: ObjectId,
    pub(super) parent: Option<CommitId>,
    pub(super) message: &'a str,
}

impl Commit<'_> {
    /// Stores it with everything else that `pack` holds. Git signs with the person's own program.
    pub(super) fn store(
        &self,
        place: &GitPlace,
        mut pack: Pack<'_>,
        by: &Signature,
    ) -> Result<CommitId, FoldError> {
        if !by.signs {
            let id = pack.add(Kind::Commit, &self.bytes(by))?;
            pack.send()?;
            return Ok(CommitId(id));
        }
        pack.send()?;
        let git = Git::durable(place).args(["commit-tree", "-S", &self.tree.to_string()]);
        let parent = self
            .parent
            .map(|parent| ["-p".to_owned(), parent.to_string()]);
        let id = git
            .args(parent.into_iter().flatten())
            .input(self.message.as_bytes().to_vec())
            .line()?;
        id.parse().map_err(|_| {
            PlumbingError::Answer {
                command: "git commit-tree".to_owned(),
            }
            .into()
        })
    }

    fn bytes(&self, by: &Signature) -> Vec<u8> {
        let tree = format!("tree {}\n", self.tree);
        let parent = self
            .parent
            .map(|parent| format!("parent {parent}\n"))
            .unwrap_or_default();
        let end = if self.message.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        let parts: [&[u8]; 9] = [
            tree.as_bytes(),
            parent.as_bytes(),
            b"author ",
            &by.author,
            b"\ncommitter ",
            &by.committer,
            b"\n\n",
            self.message.as_bytes(),
            end.as_bytes(),
        ];
        parts.concat()
    }
}

/// Author and committer as git knows them, with the time, and whether commits are signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    pub(super) author: Vec<u8>,
    pub(super) committer: Vec<u8>,
    pub(super) signs: bool,
}

impl Signature {
    /// The person's own, from configuration and environment.
    ///
    /// # Errors
    /// In git's own words when it does not know who that is.
    pub(super) fn of(place: &GitPlace) -> Result<Self, PlumbingError> {
        let listed = Git::at(place).args(["var", "-l"]).run()?;
        // the configuration comes first, and the last one counts
        let last = |name: &str| {
            listed
                .split(|byte| *byte == b'\n')
                .rev()
                .find_map(|line| value(line, name))
        };
        let unsure = last("user.useconfigonly").is_some_and(is_on);
        let identity = |variable: &str| match last(variable) {
            Some(known) if !unsure && !is_doubtful(known) => Ok(known.to_vec()),
            _ => Git::at(place)
                .args(["var", variable])
                .line()
                .map(String::into_bytes),
        };
        Ok(Self {
            author: identity("GIT_AUTHOR_IDENT")?,
            committer: identity("GIT_COMMITTER_IDENT")?,
            signs: last("commit.gpgsign").is_some_and(is_on),
        })
    }
}

/// The value of `name=value`; a name alone is a value too, true.
fn value<'l>(line: &'l [u8], name: &str) -> Option<&'l [u8]> {
    match line.strip_prefix(name.as_bytes())? {
        [] => Some(b"true"),
        [b'=', value @ ..] => Some(value),
        _ => None,
    }
}

/// As git reads a boolean; what it would call invalid counts as on.
fn is_on(value: &[u8]) -> bool {
    !["", "false", "no", "off", "0"]
        .iter()
        .any(|off| value.eq_ignore_ascii_case(off.as_bytes()))
}

/// `git var -l` is lenient where a commit is not: no name, no email, a host that has no domain.
fn is_doubtful(identity: &[u8]) -> bool {
    let text = String::from_utf8_lossy(identity);
    let Some((name, rest)) = text.split_once('<') else {
        return true;
    };
    let email = rest.split('>').next().unwrap_or_default();
    name.trim().is_empty() || email.is_empty() || email.ends_with(".(none)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_commit_would_refuse_is_asked_for_again() {
        for doubtful in [
            "",
            "<a@b> 1 +0000",
            " <a@b> 1 +0000",
            "A <> 1 +0000",
            "root <root@host.(none)> 1 +0000",
        ] {
            assert!(is_doubtful(doubtful.as_bytes()), "{doubtful:?}");
        }
        assert!(!is_doubtful(b"Ada <ada@example.org> 1 +0000"));
    }

    #[test]
    fn booleans_are_read_as_git_reads_them() {
        let line = |text: &'static str| value(text.as_bytes(), "commit.gpgsign").map(is_on);
        assert_eq!(line("commit.gpgsign"), Some(true));
        assert_eq!(line("commit.gpgsign=Yes"), Some(true));
        assert_eq!(line("commit.gpgsign=OFF"), Some(false));
        assert_eq!(line("commit.gpgsign="), Some(false));
        assert_eq!(line("commit.gpgsignature=true"), None);
    }
}
