//! Plans the files that a repository needs to come under reins.

use super::ledger_worktree::LedgerWorktreeError;
use super::plan::Write;
use crate::git::plumbing::{Git, GitPlace, PlumbingError};
use crate::ledger::file::{LedgerName, print};
use crate::model::path::RepoPath;
use crate::model::shell::word;
use crate::policy::{POLICY_PATH, Policy};
use crate::sys::files::Root;

/// The line that keeps verdict directories out of `git status`; they are folded on purpose.
const IGNORED: &str = ".gitreins/history/";

/// The branch to protect, and why this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protected {
    /// The full ref name.
    pub line: String,
    /// What speaks for it, as a phrase.
    pub reason: String,
}

/// Finds the branch that changes land on: what the remote says, else a usual name, else the
/// branch that is checked out, else what git would name a first branch.
///
/// # Errors
/// When git fails.
pub fn protected_line(place: &GitPlace) -> Result<Option<Protected>, PlumbingError> {
    let found = |line: String, reason: &str| {
        Ok(Some(Protected {
            line,
            reason: reason.to_owned(),
        }))
    };
    if let Some(line) = remote_head(place)? {
        return found(line, "the remote's default branch");
    }
    for name in ["main", "master", "trunk"].map(|name| format!("refs/heads/{name}")) {
        let asked = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &name,
        ];
        if Git::at(place).args(asked).maybe_line()?.is_some() {
            return found(name, "a local branch of a usual name");
        }
    }
    if let Some(line) = Git::at(place)
        .args(["symbolic-ref", "--quiet", "HEAD"])
        .maybe_line()?
    {
        return found(line, "the branch that is checked out");
    }
    let named = Git::at(place)
        .args(["config", "--get", "init.defaultBranch"])
        .maybe_line()?;
    Ok(named.map(|name| Protected {
        line: format!("refs/heads/{name}"),
        reason: "init.defaultBranch".to_owned(),
    }))
}

/// Asks the remote which branch is its default, unless this clone knows it: `git remote set-head`.
/// A remote that cannot be asked changes nothing, and every later answer says what is missing.
///
/// # Errors
/// When git cannot be run.
pub fn learn_default(place: &GitPlace) -> Result<(), PlumbingError> {
    if let Some(remote) = remote(place)?
        && remote_head(place)?.is_none()
    {
        let asked = ["remote", "set-head", &remote, "--auto"];
        let _unanswered = Git::at(place).args(asked).ended()?;
    }
    Ok(())
}

/// The remote that changes land at: `origin`, else the only one.
fn remote(place: &GitPlace) -> Result<Option<String>, PlumbingError> {
    let remotes = String::from_utf8_lossy(&Git::at(place).args(["remote"]).run()?).into_owned();
    let names: Vec<_> = remotes.lines().collect();
    let remote = names
        .iter()
        .find(|name| **name == "origin")
        .or(names.first().filter(|_| names.len() == 1));
    Ok(remote.map(|name| (*name).to_owned()))
}

fn remote_head(place: &GitPlace) -> Result<Option<String>, PlumbingError> {
    let Some(remote) = remote(place)? else {
        return Ok(None);
    };
    let prefix = format!("refs/remotes/{remote}/");
    let head = Git::at(place)
        .args(["symbolic-ref", "--quiet", &format!("{prefix}HEAD")])
        .maybe_line()?;
    Ok(head.and_then(|head| {
        head.strip_prefix(&prefix)
            .map(|name| format!("refs/heads/{name}"))
    }))
}

/// The command that commits what begins a repository's life under reins; it works in a
/// subdirectory too.
///
/// # Errors
/// When git fails.
pub fn committed(place: &GitPlace, paths: &[&str]) -> Result<String, PlumbingError> {
    let listed: Vec<_> = paths
        .iter()
        .map(|path| word(&format!(":/{path}")))
        .collect();
    let force = if policy_is_ignored(place)? {
        " --force"
    } else {
        ""
    };
    Ok(format!(
        "git add{force} {} && git commit -m 'reins: start'",
        listed.join(" ")
    ))
}

/// Whether git ignores the policy, so that a plain `git add` would leave it out.
fn policy_is_ignored(place: &GitPlace) -> Result<bool, PlumbingError> {
    let asked = ["check-ignore", "--no-index", "--", POLICY_PATH];
    Ok(Git::at(place).args(asked).maybe_line()?.is_some())
}

/// The empty oracle and freeze ledgers that are missing. The fixture ledger is not among them:
/// an epoch without a base and an image pins nothing.
///
/// # Errors
/// When something that cannot be read stands in their place.
pub fn missing_ledgers(root: &Root, policy: &Policy) -> Result<Vec<Write>, LedgerWorktreeError> {
    let texts = [
        (LedgerName::Oracle, print(&super::oracle::empty())),
        (LedgerName::Freezes, print(&super::freeze::empty())),
    ];
    let mut writes = Vec::new();
    for (name, text) in texts {
        let path = policy.paths.ledger.join(name.file_name())?;
        if root.read(&path)?.is_none() {
            writes.push(Write {
                path,
                before: None,
                after: text.into_bytes(),
            });
        }
    }
    Ok(writes)
}

/// The write that adds the line for verdict directories; it changes nothing when the line is there.
///
/// # Errors
/// When `.gitignore` cannot be read.
pub fn ignore_history(root: &Root) -> Result<Write, LedgerWorktreeError> {
    let path: RepoPath = ".gitignore".parse()?;
    let before = root.read(&path)?;
    let after = with_line(before.as_deref().unwrap_or_default());
    Ok(Write {
        path,
        before,
        after,
    })
}

fn with_line(text: &[u8]) -> Vec<u8> {
    let mut out = text.to_vec();
    let known = [
        IGNORED,
        "/.gitreins/history/",
        "/.gitreins/history",
        ".gitreins/history",
    ]
    .map(str::as_bytes);
    if text
        .split(|byte| *byte == b'\n')
        .any(|line| known.contains(&line.trim_ascii()))
    {
        return out;
    }
    if out.last().is_some_and(|last| *last != b'\n') {
        out.push(b'\n');
    }
    out.extend_from_slice(IGNORED.as_bytes());
    out.push(b'\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ignore_line_is_appended_once() {
        for (before, after) in [
            ("", ".gitreins/history/\n"),
            ("a", "a\n.gitreins/history/\n"),
            ("a\n", "a\n.gitreins/history/\n"),
            ("/.gitreins/history/\r\nb", "/.gitreins/history/\r\nb"),
        ] {
            assert_eq!(with_line(before.as_bytes()), after.as_bytes(), "{before:?}");
            assert_eq!(with_line(after.as_bytes()), after.as_bytes(), "{after:?}");
        }
    }
}
