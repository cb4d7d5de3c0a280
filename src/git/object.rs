//! Reads raw objects: commits, tags, blobs and trees.

use super::{GitError, Repo, chain, ours, theirs};
use crate::model::ids::{CommitId, ObjectId};

/// A commit as its raw bytes have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawCommit {
    /// Its tree.
    pub tree: ObjectId,
    /// Its parents, in order.
    pub parents: Vec<CommitId>,
    /// Committer time in seconds. It orders walks and never decides.
    pub time: i64,
}

/// What stands behind an object id when every tag is taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peeled {
    /// A commit.
    Commit(CommitId),
    /// Something without history, in the words of git.
    Other(&'static str),
}

impl Repo {
    /// Reads the raw parents and tree of a commit.
    ///
    /// # Errors
    /// When the object is absent, unreadable, or no commit.
    pub fn commit(&self, id: CommitId) -> Result<RawCommit, GitError> {
        let mut buffer = Vec::new();
        let data = self.find(id.0, &mut buffer)?;
        let fault = |why: String| GitError::Unreadable { id: id.0, why };
        if data.kind != gix::objs::Kind::Commit {
            return Err(fault(format!("it is a {}, no commit", data.kind)));
        }
        let mut fields = gix::objs::CommitRefIter::from_bytes(data.data, self.inner.object_hash());
        let tree = fields
            .tree_id()
            .map(ours)
            .map_err(|error| fault(chain(&error)))?;
        let parents = fields
            .parent_ids()
            .map(|parent| CommitId(ours(parent)))
            .collect();
        let time = fields
            .committer()
            .map_err(|error| fault(chain(&error)))?
            .seconds();
        Ok(RawCommit {
            tree,
            parents,
            time,
        })
    }

    /// What an object leads to when every tag is taken off.
    ///
    /// # Errors
    /// When an object is absent or unreadable.
    pub fn peeled(&self, id: ObjectId) -> Result<Peeled, GitError> {
        let (mut id, mut buffer) = (id, Vec::new());
        loop {
            let data = self.find(id, &mut buffer)?;
            match data.kind {
                gix::objs::Kind::Commit => return Ok(Peeled::Commit(CommitId(id))),
                gix::objs::Kind::Tree => return Ok(Peeled::Other("tree")),
                gix::objs::Kind::Blob => return Ok(Peeled::Other("blob")),
                gix::objs::Kind::Tag => {}
            }
            let tag = gix::objs::TagRefIter::from_bytes(data.data, self.inner.object_hash());
            let target = tag.target_id().map(ours);
            id = target.map_err(|error| GitError::Unreadable {
                id,
                why: chain(&error),
            })?;
        }
    }

    /// The bytes of a blob; `None` when it is larger than `cap` bytes.
    ///
    /// The size is read from the object's header first, so that a huge blob is never unpacked.
    ///
    /// # Errors
    /// When the object is absent, unreadable, or no blob.
    pub fn blob(&self, id: ObjectId, cap: u64) -> Result<Option<Vec<u8>>, GitError> {
        if self.blob_size(id)? > cap {
            return Ok(None);
        }
        let mut buffer = Vec::new();
        self.find(id, &mut buffer)?;
        Ok(Some(buffer))
    }

    /// The size of a blob in bytes, from its header.
    ///
    /// # Errors
    /// When the object is absent, unreadable, or no blob.
    pub fn blob_size(&self, id: ObjectId) -> Result<u64, GitError> {
        let unreadable = |why: String| GitError::Unreadable { id, why };
        let header = self
            .inner
            .try_find_header(theirs(id))
            .map_err(|error| unreadable(chain(&error)))?;
        let header = header.ok_or_else(|| self.absent(id))?;
        if header.kind() == gix::objs::Kind::Blob {
            Ok(header.size())
        } else {
            Err(unreadable(format!("it is a {}, no blob", header.kind())))
        }
    }

    /// The raw bytes of a tree.
    pub(super) fn tree_bytes(&self, id: ObjectId) -> Result<Vec<u8>, GitError> {
        let mut buffer = Vec::new();
        if theirs(id).is_empty_tree() {
            return Ok(buffer);
        }
        let kind = self.find(id, &mut buffer)?.kind;
        if kind == gix::objs::Kind::Tree {
            Ok(buffer)
        } else {
            Err(GitError::Unreadable {
                id,
                why: format!("it is a {kind}, no tree"),
            })
        }
    }

    pub(super) fn find<'b>(
        &self,
        id: ObjectId,
        buffer: &'b mut Vec<u8>,
    ) -> Result<gix::objs::Data<'b>, GitError> {
        use gix::objs::Find as _;
        match self.inner.objects.try_find(&theirs(id), buffer) {
            Ok(Some(data)) => Ok(data),
            Ok(None) => Err(self.absent(id)),
            Err(error) => Err(GitError::Unreadable {
                id,
                why: chain(&error),
            }),
        }
    }

    pub(super) fn absent(&self, id: ObjectId) -> GitError {
        GitError::Absent {
            id,
            is_partial: self.is_partial(),
        }
    }
}
