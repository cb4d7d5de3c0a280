//! Resolves revisions and refs to commits.

use super::{GitError, Repo, chain, ours};
use crate::model::ids::CommitId;

/// A ref that leads through more refs than this is a circle: git itself stops there.
const MAX_HOPS: usize = 5;

/// A protected line as this clone knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The ref that was read: a remote-tracking ref where there is one.
    pub name: String,
    /// The commit.
    pub tip: CommitId,
}

impl Line {
    /// Whether it is what a remote said; a local branch can hold anything.
    pub fn is_tracking(&self) -> bool {
        self.name.starts_with("refs/remotes/")
    }
}

impl Repo {
    /// The commit that a revision names, as git resolves it.
    ///
    /// # Errors
    /// When it names nothing, several things, or no commit.
    pub fn resolve(&self, name: &str) -> Result<CommitId, GitError> {
        let fault = |why: String| GitError::Name {
            name: crate::model::path::shown(name),
            why,
        };
        if name.is_empty() || name.starts_with('-') && self.exact_ref(name)?.is_none() {
            return Err(fault("it is no revision".to_owned()));
        }
        let spellings = ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"]
            .map(|prefix| format!("{prefix}{name}"));
        let mut meant = Vec::new();
        for full in &spellings {
            meant.extend(self.line(full).ok().flatten());
        }
        if let [one, other, ..] = meant.as_slice()
            && meant.iter().any(|line| line.tip != one.tip)
        {
            return Err(fault(format!("it may be {} or {}", one.name, other.name)));
        }
        let spec = self.inner.rev_parse(name).map_err(|error| {
            // the words of the parser help with what looks like an expression only
            let is_plain = name
                .chars()
                .all(|c| c.is_alphanumeric() || "/_-.".contains(c));
            fault(if is_plain {
                "no branch, tag or object has that name".to_owned()
            } else {
                chain(&error)
            })
        })?;
        // a range, however it is spelled, is no commit: to take REV^! for REV would judge another one
        let gix::revision::plumbing::Spec::Include(id) = spec.detach() else {
            return Err(fault(
                "it names several commits, or a side of a range".to_owned(),
            ));
        };
        let object = self
            .inner
            .find_object(id)
            .map_err(|error| fault(chain(&error)))?;
        let commit = object
            .peel_to_commit()
            .map_err(|error| fault(chain(&error)))?;
        Ok(CommitId(ours(commit.id)))
    }

    /// The commit that HEAD names; `None` on an unborn branch.
    ///
    /// # Errors
    /// When HEAD cannot be read.
    pub fn head(&self) -> Result<Option<CommitId>, GitError> {
        let other = |error: gix::Error| GitError::Other {
            what: "HEAD".to_owned(),
            why: chain(&error),
        };
        let mut head = self.inner.head().map_err(other)?;
        Ok(head
            .try_peel_to_id()
            .map_err(other)?
            .map(|id| CommitId(ours(id.detach()))))
    }

    /// A ref by its full name, followed to a commit; the name of the line is the ref that it ends at.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn line(&self, name: &str) -> Result<Option<Line>, GitError> {
        let other = |error: gix::Error| GitError::Other {
            what: name.to_owned(),
            why: chain(&error),
        };
        let Some(mut reference) = self.exact_ref(name)? else {
            return Ok(None);
        };
        let mut hops = 0;
        while let Some(next) = reference.follow() {
            hops += 1;
            match next {
                Ok(_) if hops > MAX_HOPS => {
                    let why = format!("it leads through more than {MAX_HOPS} refs");
                    return Err(GitError::Other {
                        what: name.to_owned(),
                        why,
                    });
                }
                Ok(next) => reference = next,
                Err(_) => return Ok(None), // a tracking HEAD that points nowhere
            }
        }
        let name = reference.name().as_bstr().to_string();
        let commit = reference.peel_to_commit().map_err(other)?;
        Ok(Some(Line {
            name,
            tip: CommitId(ours(commit.id)),
        }))
    }

    /// The line that a symbolic ref names, when that is below a prefix; `None` when it holds a commit
    /// itself, or leads nowhere.
    pub(super) fn symbolic_line(&self, name: &str, prefix: &str) -> Result<Option<Line>, GitError> {
        let other = |error: gix::Error| GitError::Other {
            what: name.to_owned(),
            why: chain(&error),
        };
        let found = self.inner.try_find_reference(name).map_err(other)?;
        let target = found.and_then(|found| Some(found.target().try_name()?.as_bstr().to_string()));
        match target {
            Some(target) if target.starts_with(prefix) => self.line(&target),
            Some(_) | None => Ok(None),
        }
    }

    fn exact_ref(&self, name: &str) -> Result<Option<gix::Reference<'_>>, GitError> {
        if !name.starts_with("refs/") {
            return Ok(None);
        }
        let other = |error: gix::Error| GitError::Other {
            what: name.to_owned(),
            why: chain(&error),
        };
        self.inner.try_find_reference(name).map_err(other)
    }
}
