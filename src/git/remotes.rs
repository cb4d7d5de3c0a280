//! Finds the remote that is meant and the commits of its protected lines.

use std::path::PathBuf;

use gix::bstr::BStr;
use gix::remote::Direction;

use super::refs::Line;
use super::{GitError, Repo};

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

    /// The side whose lines are protected where nobody names one.
    pub fn usual_side(&self) -> Side {
        self.remote().map_or(Side::Here, Side::Remote)
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
        let other = |error: gix::Error| GitError::Other {
            what: "refs/remotes".to_owned(),
            why: super::chain(&error),
        };
        let prefix = if remote.is_empty() {
            "refs/remotes/".to_owned()
        } else {
            format!("refs/remotes/{remote}/")
        };
        let platform = self.inner.references().map_err(other)?;
        let found = platform.prefixed(prefix.as_str()).map_err(other)?;
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
        Ok(self.default_lines(&self.usual_side())?.into_iter().next())
    }

    /// The default branch of a side: the remote's, as its tracking HEAD says, else local main,
    /// master or trunk. Every remote has one of a place that is none of them.
    ///
    /// # Errors
    /// When a ref cannot be read.
    pub fn default_lines(&self, side: &Side) -> Result<Vec<Line>, GitError> {
        let mut lines = self.tracked_defaults(side)?;
        if lines.is_empty() {
            lines.extend(self.local_default()?);
        }
        Ok(lines)
    }

    /// The default branches of a side by its tracking refs alone.
    ///
    /// # Errors
    /// When a ref cannot be read.
    pub fn tracked_defaults(&self, side: &Side) -> Result<Vec<Line>, GitError> {
        let mut lines = Vec::new();
        for remote in self.speakers(side) {
            let names = ["HEAD"].into_iter().chain(DEFAULT_NAMES);
            lines.extend(
                self.first_line(names.map(|name| format!("refs/remotes/{remote}/{name}")))?,
            );
        }
        Ok(lines)
    }

    /// The local main, master or trunk.
    ///
    /// # Errors
    /// When a ref cannot be read.
    pub fn local_default(&self) -> Result<Option<Line>, GitError> {
        self.first_line(DEFAULT_NAMES.map(|name| format!("refs/heads/{name}")))
    }

    fn first_line(
        &self,
        names: impl IntoIterator<Item = String>,
    ) -> Result<Option<Line>, GitError> {
        for name in names {
            if let Some(line) = self.line(&name)? {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }

    /// A protected line by the name that the policy gives it, on the side whose lines are
    /// protected where nobody names one.
    ///
    /// # Errors
    /// When a ref cannot be read.
    pub fn protected_line(&self, name: &str) -> Result<Option<Line>, GitError> {
        Ok(self.lines(&self.usual_side(), name)?.into_iter().next())
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
