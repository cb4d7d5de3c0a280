//! Walks the commits of a range and finds where it starts.
//!
//! Dates order the walk and never decide. A commit that a skewed clock keeps in the range is
//! only judged more; a commit leaves it only through its real descendants.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::graph::Levels;
use super::object::RawCommit;
use super::{GitError, Repo, theirs};
use crate::model::ids::CommitId;

/// How many commits are walked past the point where the dates say that nothing can change.
const SLOP: usize = 512;

/// A range of commits and its merge bases.
#[derive(Clone, Debug, Default)]
pub struct Range {
    /// The commits, parents before children.
    pub commits: Vec<(CommitId, RawCommit)>,
    /// The maximal commits that tip shares with the hidden ones, nearest first.
    pub bases: Vec<CommitId>,
}

#[derive(Debug)]
struct Seen {
    commit: RawCommit,
    is_hidden: bool,
    is_popped: bool,
}

/// A walk from several tips, newest commit first.
struct Walk<'r> {
    repo: &'r Repo,
    seen: BTreeMap<CommitId, Seen>,
    queue: BinaryHeap<(i64, CommitId)>,
    /// Queued commits that are not hidden: while there are any, the walk goes on.
    open: usize,
}

impl Repo {
    /// The ancestors of `tip` that no commit of `hidden` reaches.
    ///
    /// # Errors
    /// When an object is absent or unreadable, or when the walk meets a shallow boundary.
    pub fn range(&self, tip: CommitId, hidden: &[CommitId]) -> Result<Range, GitError> {
        let mut walk = Walk::new(self);
        for id in hidden {
            walk.push(*id, true)?;
        }
        walk.push(tip, false)?;
        if walk.open == 0 {
            return Ok(Range {
                commits: Vec::new(),
                bases: vec![tip],
            }); // tip itself is hidden
        }
        walk.run()?;
        let commits = walk.open_commits(tip);
        let bases = self.maximal(&walk, walk.boundary(tip, &commits))?;
        Ok(Range { commits, bases })
    }

    /// Whether `old` is `new` or an ancestor of it.
    ///
    /// The walk ends where every commit left is older than `old`, so a skewed clock can hide an
    /// ancestor: the answer is then no, which refuses more.
    ///
    /// # Errors
    /// When an object is absent or unreadable, or a shallow boundary leaves the question open.
    pub fn is_ancestor(&self, old: CommitId, new: CommitId) -> Result<bool, GitError> {
        if old == new {
            return Ok(true);
        }
        Ok(self
            .reached(&Walk::new(self), new, &BTreeSet::from([old]), true)?
            .contains(&old))
    }

    /// Whether `old` is `new` or an ancestor of it, whatever the dates say: the whole history of
    /// `new` is walked before the answer is no.
    ///
    /// # Errors
    /// When an object is absent or unreadable, or the history is cut off.
    pub fn contains(&self, new: CommitId, old: CommitId) -> Result<bool, GitError> {
        let found = self.reached(&Walk::new(self), new, &BTreeSet::from([old]), false)?;
        Ok(old == new || found.contains(&old))
    }

    /// Which of the wanted commits some tips reach, in one walk for all of them.
    ///
    /// A skewed clock can hide one, never add one. Where the history is cut off before all are
    /// found, none is: each has to be asked about alone.
    ///
    /// # Errors
    /// When an object is absent or unreadable.
    pub fn landed(
        &self,
        tips: &[CommitId],
        wanted: &BTreeSet<CommitId>,
    ) -> Result<BTreeSet<CommitId>, GitError> {
        let (walk, mut found) = (Walk::new(self), BTreeSet::new());
        for tip in tips {
            let left: BTreeSet<_> = wanted.difference(&found).copied().collect();
            match self.reached(&walk, *tip, &left, true) {
                Ok(reached) => found.extend(reached),
                Err(GitError::Shallow { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// The first-parent chain from a commit, itself first, at most `most` commits long.
    ///
    /// A shallow boundary or a root ends the chain.
    ///
    /// # Errors
    /// When an object is absent or unreadable.
    pub fn first_parents(
        &self,
        from: CommitId,
        most: usize,
    ) -> Result<Vec<(CommitId, RawCommit)>, GitError> {
        let mut chain = Vec::new();
        let mut next = Some(from);
        while let Some(id) = next.filter(|_| chain.len() < most) {
            let commit = self.commit(id)?;
            next = commit.parents.first().copied().filter(|_| !self.is_cut(id));
            chain.push((id, commit));
        }
        Ok(chain)
    }

    /// Whether the parents of a commit are cut off by a shallow clone.
    pub(super) fn is_cut(&self, id: CommitId) -> bool {
        self.shallow.contains(&theirs(id.0))
    }

    /// The commits among `candidates` that no other candidate reaches, newest first.
    fn maximal(
        &self,
        walk: &Walk<'_>,
        candidates: BTreeSet<CommitId>,
    ) -> Result<Vec<CommitId>, GitError> {
        let dated = candidates
            .iter()
            .map(|id| Ok((walk.commit(*id)?.time, *id)));
        let mut dated = dated.collect::<Result<Vec<_>, GitError>>()?;
        dated.sort_unstable_by(|one, other| other.cmp(one));
        let mut left = candidates;
        for (_, id) in &dated {
            if left.len() > 1 && left.contains(id) {
                let mut others = left.clone();
                others.remove(id);
                for reached in self.reached(walk, *id, &others, true)? {
                    left.remove(&reached);
                }
            }
        }
        Ok(dated
            .into_iter()
            .map(|(_, id)| id)
            .filter(|id| left.contains(id))
            .collect())
    }

    /// Which of the wanted commits `from` reaches; what a walk has read is not read again.
    /// `by_date` gives up where all that is left is older than every wanted one.
    fn reached(
        &self,
        walk: &Walk<'_>,
        from: CommitId,
        wanted: &BTreeSet<CommitId>,
        by_date: bool,
    ) -> Result<BTreeSet<CommitId>, GitError> {
        let mut oldest = i64::MAX;
        for id in wanted {
            oldest = oldest.min(walk.commit(*id)?.time);
        }
        let (mut found, mut seen, mut slop) = (BTreeSet::new(), BTreeSet::from([from]), 0);
        let mut queue = BinaryHeap::from([(walk.commit(from)?.time, from)]);
        while let Some((time, id)) = queue.pop() {
            if wanted.contains(&id) {
                found.insert(id);
            }
            slop += usize::from(by_date && time < oldest);
            if found.len() == wanted.len() || slop > SLOP {
                break;
            }
            if self.is_cut(id) {
                if !by_date || time >= oldest {
                    return Err(GitError::Shallow { id: id.0 });
                }
                continue;
            }
            for parent in &walk.commit(id)?.parents {
                if seen.insert(*parent) {
                    queue.push((walk.commit(*parent)?.time, *parent));
                }
            }
        }
        Ok(found)
    }
}

impl<'r> Walk<'r> {
    fn new(repo: &'r Repo) -> Self {
        Self {
            repo,
            seen: BTreeMap::new(),
            queue: BinaryHeap::new(),
            open: 0,
        }
    }

    /// A commit, read now unless the walk has met it.
    fn commit(&self, id: CommitId) -> Result<Cow<'_, RawCommit>, GitError> {
        match self.seen.get(&id) {
            Some(seen) => Ok(Cow::Borrowed(&seen.commit)),
            None => self.repo.commit(id).map(Cow::Owned),
        }
    }

    fn push(&mut self, id: CommitId, is_hidden: bool) -> Result<(), GitError> {
        if let Some(seen) = self.seen.get(&id) {
            if is_hidden && !seen.is_hidden {
                self.hide(id);
            }
            return Ok(());
        }
        let commit = self.repo.commit(id)?;
        self.queue.push((commit.time, id));
        self.open += usize::from(!is_hidden);
        self.seen.insert(
            id,
            Seen {
                commit,
                is_hidden,
                is_popped: false,
            },
        );
        Ok(())
    }

    /// Hides a commit and everything below it that was walked before.
    fn hide(&mut self, id: CommitId) {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let Some(seen) = self.seen.get_mut(&id).filter(|seen| !seen.is_hidden) else {
                continue;
            };
            seen.is_hidden = true;
            if seen.is_popped {
                stack.extend(&seen.commit.parents);
            } else {
                self.open -= 1;
            }
        }
    }

    fn run(&mut self) -> Result<(), GitError> {
        let (mut oldest, mut slop, mut below) = (i64::MAX, 0, None);
        while let Some((time, id)) = self.queue.pop() {
            let is_settled = self.open == 0;
            if is_settled && self.is_over(id, below.get_or_insert_with(|| self.floor())) {
                break;
            }
            slop += usize::from(is_settled && time < oldest);
            if slop > SLOP {
                break;
            }
            let seen = self.seen.get_mut(&id).expect("queued commits were seen");
            seen.is_popped = true;
            let (is_hidden, parents) = (seen.is_hidden, seen.commit.parents.clone());
            if !is_hidden {
                self.open -= 1;
                oldest = oldest.min(time);
            }
            if self.repo.is_cut(id) {
                if is_settled {
                    continue;
                }
                return Err(GitError::Shallow { id: id.0 });
            }
            for parent in parents {
                self.push(parent, is_hidden)?;
            }
        }
        Ok(())
    }

    /// The commit-graph, and the level at which none of the open commits can be met any more.
    fn floor(&self) -> (Levels, u32) {
        let levels = Levels::of(self.repo);
        let open = self.seen.iter().filter(|(_, seen)| !seen.is_hidden);
        let floor = levels.floor(open.map(|(id, _)| *id));
        (levels, floor)
    }

    /// Whether neither `id` nor anything that is queued reaches an open commit.
    fn is_over(&self, id: CommitId, (levels, floor): &(Levels, u32)) -> bool {
        let is_below = |id: CommitId| levels.level(id).is_some_and(|level| level <= *floor);
        is_below(id) && self.queue.iter().all(|(_, id)| is_below(*id))
    }

    /// The commits of the range below `tip`, parents before children.
    fn open_commits(&self, tip: CommitId) -> Vec<(CommitId, RawCommit)> {
        let is_open = |id: &CommitId| self.seen.get(id).filter(|seen| !seen.is_hidden);
        let mut sorted = Vec::new();
        let mut placed = BTreeSet::new();
        let mut stack = vec![(tip, false)];
        while let Some((id, is_done)) = stack.pop() {
            let Some(seen) = is_open(&id) else { continue };
            if is_done {
                sorted.push((id, seen.commit.clone()));
            } else if placed.insert(id) {
                stack.push((id, true));
                stack.extend(seen.commit.parents.iter().map(|parent| (*parent, false)));
            }
        }
        sorted
    }

    /// Where the range touches what is hidden: every common ancestor of tip lies at or below it.
    fn boundary(&self, tip: CommitId, commits: &[(CommitId, RawCommit)]) -> BTreeSet<CommitId> {
        if commits.is_empty() {
            return BTreeSet::from([tip]);
        }
        let is_hidden = |id: &&CommitId| self.seen.get(id).is_some_and(|seen| seen.is_hidden);
        commits
            .iter()
            .flat_map(|(_, commit)| &commit.parents)
            .filter(is_hidden)
            .copied()
            .collect()
    }
}
