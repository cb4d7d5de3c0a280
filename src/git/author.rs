//! Reads the author name of a commit. The name is not verified.

use super::{GitError, Repo, chain};
use crate::model::ids::CommitId;

impl Repo {
    /// The name of the author of a commit. Anybody can write any name there.
    ///
    /// # Errors
    /// When the object is absent, unreadable, or no commit.
    pub fn author(&self, id: CommitId) -> Result<String, GitError> {
        let mut buffer = Vec::new();
        let data = self.find(id.0, &mut buffer)?;
        let fault = |why: String| GitError::Unreadable { id: id.0, why };
        if data.kind != gix::objs::Kind::Commit {
            return Err(fault(format!("it is a {}, no commit", data.kind)));
        }
        let fields = gix::objs::CommitRefIter::from_bytes(data.data, self.inner.object_hash());
        let author = fields.author().map_err(|error| fault(chain(&error)))?;
        Ok(String::from_utf8_lossy(author.name.as_ref())
            .trim()
            .to_owned())
    }
}
