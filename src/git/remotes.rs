//! Finds the remote that is meant and the commits of its protected lines.

use std::ffi::OsStr;
use std::path::PathBuf;

use gix::bstr::BStr;
use gix::remote::Direction;

use super::plumbing::{Git, GitPlace, PlumbingError};
use super::refs::Line;
use super::{GitError, Repo};
use crate::policy::refname;

/// The names of default branches, where no remote says which one it is.
const DEFAULT_NAMES: [&str; 3] = ["main", "master", "trunk"];

/// Whose refs say where the lines stand that a candidate would land on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// A remote of this clone: its tracking refs, or the local refs where it has none.
    Remote(String),
    /// A place that is none of the remotes: the tracking refs of every remote, or the local refs
    /// where none has one.
    Elsewhere,
    /// This very repository: its own refs.
    Here,
}

/// What `git ls-remote --symref` prints about the HEAD and the branches of a remote.
///
/// # Errors
/// When the remote does not answer; nothing is asked on a terminal.
pub fn ask(place: &GitPlace, url: &OsStr) -> Result<Vec<u8>, PlumbingError> {
    let args = ["ls-remote", "--symref", "--quiet", "--"].map(OsStr::new);
    let patterns = ["HEAD", "refs/heads/*"].map(OsStr::new);
    Git::at(place)
        .args(args.into_iter().chain([url]).chain(patterns))
        .run()
}

impl Repo {
    /// The remote whose lines are protected: of the current branch, else `origin`, else the only one.
    pub fn remote(&self) -> Option<String> {
        let names = self.remotes();
        let of_branch = self.inner.head_name().ok().flatten().and_then(|name| {
            let remote = self
                .inner
                .branch_remote_name(name.shorten(), Direction::Fetch)?;
            Some(remote.as_bstr().to_string()).filter(|remote| names.contains(remote))
        });
        let origin = || {
            names
                .contains(&"origin".to_owned())
                .then(|| "origin".to_owned())
        };
        of_branch
            .or_else(origin)
            .or_else(|| names.first().filter(|_| names.len() == 1).cloned())
    }

    /// Whether permission bits on this disk say something: `core.fileMode`.
    pub fn trusts_modes(&self) -> bool {
        self.inner
            .config_snapshot()
            .boolean("core.fileMode")
            .unwrap_or(true)
    }

    /// The side whose lines are protected where nobody names one: a bare repository and one without
    /// remotes go by their own refs.
    pub fn usual_side(&self) -> Side {
        if self.is_bare() || self.remotes().is_empty() {
            return Side::Here;
        }
        self.remote().map_or(Side::Elsewhere, Side::Remote)
    }

    /// Whether this is a bare repository, with no linked worktree around it.
    fn is_bare(&self) -> bool {
        self.inner.is_bare() && self.worktree().is_none()
    }

    /// The side that a push goes to, by the two arguments of `pre-push`: the name of a remote, or
    /// what was typed instead of one, and the URL that git made of it.
    ///
    /// A URL belongs to the remote that fetches from it or pushes to it, `insteadOf` applied. One
    /// that leads back to this repository goes by its own refs, whatever the name.
    pub fn side_of(&self, remote: &[u8], url: &[u8]) -> Side {
        let place = if url.is_empty() { remote } else { url };
        if gix::url::parse(BStr::new(place)).is_ok_and(|url| self.is_here(&url)) {
            return Side::Here;
        }
        let names = self.remotes();
        if let Some(name) = names.iter().find(|name| name.as_bytes() == remote) {
            return Side::Remote(name.clone());
        }
        let meant: Vec<_> = [remote, url]
            .into_iter()
            .flat_map(|url| self.urls(url))
            .collect();
        let is_meant = |name: &&String| {
            let known = self.inner.find_remote(BStr::new(name.as_str()));
            known.is_ok_and(|known| {
                let urls = known
                    .urls(Direction::Fetch)
                    .chain(known.urls(Direction::Push));
                urls.into_iter().any(|url| meant.contains(url))
            })
        };
        names
            .iter()
            .find(is_meant)
            .cloned()
            .map_or(Side::Elsewhere, Side::Remote)
    }

    /// A URL as it is written, and as git rewrites it.
    fn urls(&self, url: &[u8]) -> Vec<gix::Url> {
        let Ok(url) = gix::url::parse(BStr::new(url)) else {
            return Vec::new();
        };
        let rewritten = self.inner.remote_at(url.clone()).ok();
        let rewritten = rewritten.iter().flat_map(|remote| {
            remote
                .urls(Direction::Fetch)
                .chain(remote.urls(Direction::Push))
                .cloned()
                .collect::<Vec<_>>()
        });
        rewritten.chain([url.clone()]).collect()
    }

    /// The remotes whose lines come before those of another: `upstream`, then `origin`, by the names
    /// that everybody gives them. None that is this repository or the other under another name.
    pub fn before(&self, remote: &str) -> Vec<String> {
        let url = |name: &str| {
            let known = self.inner.find_remote(BStr::new(name)).ok()?;
            known.url(Direction::Fetch).cloned()
        };
        let there = url(remote);
        let is_other = |name: &&str| {
            let other = url(name);
            other.as_ref().is_some_and(|other| {
                Some(other) != there.as_ref()
                    && !self.is_here(other)
                    && !there
                        .as_ref()
                        .is_some_and(|there| self.is_same_place(there, other))
            })
        };
        let above = ["upstream", "origin"]
            .into_iter()
            .take_while(|name| *name != remote);
        above.filter(is_other).map(str::to_owned).collect()
    }

    /// Whether a URL leads to this very repository.
    fn is_here(&self, url: &gix::Url) -> bool {
        self.place_of(url)
            .is_some_and(|place| self.common_dir().canonicalize().ok() == Some(place))
    }

    fn is_same_place(&self, one: &gix::Url, other: &gix::Url) -> bool {
        self.place_of(one)
            .is_some_and(|place| self.place_of(other) == Some(place))
    }

    /// The repository on this machine that a URL leads to.
    fn place_of(&self, url: &gix::Url) -> Option<PathBuf> {
        if url.scheme != gix::url::Scheme::File {
            return None;
        }
        let from = self.worktree().unwrap_or_else(|| self.common_dir());
        let path = gix::path::from_bstr(BStr::new(&url.path)).ok()?;
        let there = gix::open_opts(from.join(path), gix::open::Options::isolated()).ok()?;
        there.common_dir().canonicalize().ok()
    }

    /// The remotes of this clone, `origin` first. One named `.` has no tracking refs: its URL says
    /// where it is.
    fn remotes(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .inner
            .remote_names()
            .iter()
            .map(ToString::to_string)
            .collect();
        names.retain(|name| name != ".");
        names.sort_by_key(|name| name != "origin");
        names
    }

    /// The remotes whose tracking refs speak for a side.
    fn speakers(&self, side: &Side) -> Vec<String> {
        match side {
            Side::Remote(name) => vec![name.clone()],
            Side::Elsewhere => self.all_speakers(),
            Side::Here => Vec::new(),
        }
    }

    /// The remotes that are other repositories, and who else has tracking refs: a refspec may put
    /// them below another name.
    fn all_speakers(&self) -> Vec<String> {
        let is_self = |name: &&String| {
            let known = self.inner.find_remote(BStr::new(name.as_str()));
            known.is_ok_and(|known| {
                known
                    .url(Direction::Fetch)
                    .is_some_and(|url| self.is_here(url))
            })
        };
        let (own, mut speakers): (Vec<_>, Vec<_>) =
            self.remotes().into_iter().partition(|name| is_self(&name));
        for name in self.tracking("").unwrap_or_default() {
            let behind = name.strip_prefix("refs/remotes/").unwrap_or(&name);
            let is_of = |remote: &String| {
                behind
                    .strip_prefix(remote.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
            };
            if !own.iter().chain(&speakers).any(is_of) {
                speakers.extend(behind.split_once('/').map(|(first, _)| first.to_owned()));
            }
        }
        speakers
    }

    /// The names of the tracking refs below a remote; of all, when none is named.
    fn tracking(&self, remote: &str) -> Result<Vec<String>, GitError> {
        match remote {
            "" => self.names_below("refs/remotes/"),
            _ => self.names_below(&format!("refs/remotes/{remote}/")),
        }
    }

    /// The full names of the refs below a prefix.
    fn names_below(&self, prefix: &str) -> Result<Vec<String>, GitError> {
        let other = |error: gix::Error| GitError::Other {
            what: prefix.to_owned(),
            why: super::chain(&error),
        };
        let platform = self.inner.references().map_err(other)?;
        let found = platform.prefixed(prefix).map_err(other)?;
        Ok(found
            .flatten()
            .map(|found| found.name().as_bstr().to_string())
            .collect())
    }

    /// The lines that the tracking refs of a side show.
    ///
    /// # Errors
    /// When a ref cannot be read.
    pub fn tracked_lines(&self, side: &Side) -> Result<Vec<Line>, GitError> {
        let mut lines = Vec::new();
        for remote in self.speakers(side) {
            for name in self.tracking(&remote)? {
                lines.extend(self.line(&name)?);
            }
        }
        Ok(lines)
    }

    /// The tracking refs that a side has for some branches, and for those that a default branch
    /// may be.
    ///
    /// # Errors
    /// When a ref cannot be read.
    pub fn tracked_named(&self, side: &Side, names: &[String]) -> Result<Vec<Line>, GitError> {
        let mut lines = Vec::new();
        let branches = || {
            names
                .iter()
                .filter_map(|name| name.strip_prefix("refs/heads/"))
        };
        for remote in self.speakers(side) {
            for branch in DEFAULT_NAMES.into_iter().chain(branches()) {
                lines.extend(self.line(&format!("refs/remotes/{remote}/{branch}"))?);
            }
        }
        Ok(lines)
    }

    /// The name that a line has on its own side: a tracking ref speaks for a branch.
    pub fn name_there(&self, side: &Side, line: &Line) -> String {
        let branch = |remote: String| {
            let behind = line.name.strip_prefix(&format!("refs/remotes/{remote}/"))?;
            Some(format!("refs/heads/{behind}"))
        };
        self.speakers(side)
            .into_iter()
            .find_map(branch)
            .unwrap_or_else(|| line.name.clone())
    }

    /// Whether this clone has seen any ref of a side.
    ///
    /// # Errors
    /// When the refs cannot be read.
    pub fn has_seen(&self, side: &Side) -> Result<bool, GitError> {
        for remote in self.speakers(side) {
            if !self.tracking(&remote)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(*side == Side::Here)
    }

    /// The default branch of the side whose lines are protected where nobody names one.
    ///
    /// # Errors
    /// When a ref cannot be read.
    pub fn default_branch(&self) -> Result<Option<Line>, GitError> {
        self.default_of(&self.usual_side())
    }

    /// The default branch of a side. Of a remote it is what the tracking HEAD says as a symbolic ref:
    /// a ref of that name which holds a commit is a branch that somebody called HEAD. A bare
    /// repository has its own HEAD. Elsewhere it is the only one of main, master and trunk.
    ///
    /// # Errors
    /// When a ref cannot be read.
    pub fn default_of(&self, side: &Side) -> Result<Option<Line>, GitError> {
        match side {
            Side::Remote(remote) => {
                let branches = format!("refs/remotes/{remote}/");
                self.symbolic_line(&format!("{branches}HEAD"), &branches)
            }
            Side::Elsewhere => Ok(None),
            Side::Here if self.is_bare() => self.symbolic_line("HEAD", "refs/heads/"),
            Side::Here => {
                let mut lines = Vec::new();
                for name in DEFAULT_NAMES {
                    lines.extend(self.line(&format!("refs/heads/{name}"))?);
                }
                Ok(lines.pop().filter(|_| lines.is_empty()))
            }
        }
    }

    /// The lines of a side that a name or a pattern of the policy means, each with the name that it
    /// has on its own side.
    ///
    /// # Errors
    /// When a ref cannot be read.
    pub fn lines_of(&self, side: &Side, pattern: &str) -> Result<Vec<Line>, GitError> {
        let prefix = match side {
            Side::Remote(remote) => format!("refs/remotes/{remote}/"),
            Side::Elsewhere => return Ok(Vec::new()),
            Side::Here => "refs/heads/".to_owned(),
        };
        let mut lines = Vec::new();
        for name in self.names_of(&prefix, pattern)? {
            let behind = &name["refs/heads/".len()..];
            let line = self.line(&format!("{prefix}{behind}"))?;
            lines.extend(line.map(|line| Line { name, ..line }));
        }
        Ok(lines)
    }

    /// The branches below a prefix of refs that a pattern matches, by their names on their own side.
    fn names_of(&self, prefix: &str, pattern: &str) -> Result<Vec<String>, GitError> {
        if !pattern.contains('*') {
            let is_branch = pattern.starts_with("refs/heads/");
            return Ok(Vec::from_iter(is_branch.then(|| pattern.to_owned())));
        }
        let branch = |name: &String| format!("refs/heads/{}", &name[prefix.len()..]);
        let names = self.names_below(prefix)?;
        Ok(names
            .iter()
            .map(branch)
            .filter(|name| name != "refs/heads/HEAD" && refname::matches(pattern, name))
            .collect())
    }

    /// Where a line stands, as far as this clone knows: by the tracking refs of the side, else by
    /// the ref itself. Several remotes may say several things about a place that is none of them.
    ///
    /// # Errors
    /// When a ref cannot be read.
    pub fn lines(&self, side: &Side, name: &str) -> Result<Vec<Line>, GitError> {
        let mut lines = Vec::new();
        if let Some(branch) = name.strip_prefix("refs/heads/") {
            for remote in self.speakers(side) {
                lines.extend(self.line(&format!("refs/remotes/{remote}/{branch}"))?);
            }
        }
        if lines.is_empty() {
            lines.extend(self.line(name)?);
        }
        Ok(lines)
    }
}
