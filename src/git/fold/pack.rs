//! How do new objects get into the repository, all of them durable before anything names them?

use std::collections::BTreeSet;
use std::io::{self, Write};

use gix::hash::Kind as Format;
use gix::objs::Kind;
use gix::odb::pack::data;
use gix::zlib::{Compression, stream::deflate};

use super::FoldError;
use crate::git::plumbing::{Git, GitPlace, PlumbingError, Started};
use crate::git::{GitError, chain, ours};
use crate::model::ids::ObjectId;

/// Up to this many bytes of packed objects are kept in memory; then they go to git.
const CHUNK: usize = 32 << 20;

/// A fold of so few files leaves loose objects, as `git commit` would; one of more leaves a pack.
/// A pack for each verdict would make git repack the repository every fifty of them.
const FEW: usize = 30;

/// Objects on their way, written as a pack and handed to git as if they had been pushed: git knows
/// about permissions, durability and the formats of its object store.
pub(super) struct Pack<'a> {
    place: &'a GitPlace,
    format: Format,
    files: usize,
    reader: Option<Started>,
    sent: BTreeSet<ObjectId>,
    count: u32,
    bytes: Vec<u8>,
}

impl<'a> Pack<'a> {
    /// An empty one that is going to hold about `files` files.
    pub(super) fn new(place: &'a GitPlace, format: Format, files: usize) -> Result<Self, FoldError> {
        let mut pack = Self {
            place,
            format,
            files,
            reader: None,
            sent: BTreeSet::new(),
            count: 0,
            bytes: header(0).to_vec(),
        };
        pack.reader = Some(pack.reader()?);
        Ok(pack)
    }

    /// Takes an object along, once, and says its name.
    pub(super) fn add(&mut self, kind: Kind, bytes: &[u8]) -> Result<ObjectId, FoldError> {
        let id =
            gix::objs::compute_hash(self.format, kind, bytes).map(ours).map_err(|error| fault(&error))?;
        if self.sent.insert(id) {
            self.write(kind, bytes).map_err(PlumbingError::Start)?;
            self.count += 1;
        }
        if self.bytes.len() >= CHUNK {
            self.send()?;
        }
        Ok(id)
    }

    fn write(&mut self, kind: Kind, bytes: &[u8]) -> io::Result<()> {
        let entry = match kind {
            Kind::Blob => data::entry::Header::Blob,
            Kind::Tree => data::entry::Header::Tree,
            Kind::Commit => data::entry::Header::Commit,
            Kind::Tag => data::entry::Header::Tag,
        };
        entry.write_to(bytes.len() as u64, &mut self.bytes)?;
        let mut packed = deflate::Write::new(&mut self.bytes, Compression::default());
        packed.write_all(bytes)?;
        packed.flush()
    }

    /// Hands the objects to git; they are on the disk when this returns.
    pub(super) fn send(&mut self) -> Result<(), FoldError> {
        let mut bytes = std::mem::replace(&mut self.bytes, header(0).to_vec());
        let count = std::mem::take(&mut self.count);
        if count == 0 {
            return Ok(());
        }
        bytes[..12].copy_from_slice(&header(count));
        let mut hasher = gix::hash::hasher(self.format);
        hasher.update(&bytes);
        let sum = hasher.try_finalize().map_err(|error| fault(&error))?;
        bytes.extend_from_slice(sum.as_slice());
        let reader = self.reader.take().map_or_else(|| self.reader(), Ok)?;
        reader.finish(bytes)?;
        Ok(())
    }

    fn reader(&self) -> Result<Started, PlumbingError> {
        let git = Git::durable(self.place);
        match self.files <= FEW {
            true => git.args(["unpack-objects", "-q"]).start(),
            false => git.args(["index-pack", "--stdin"]).start(),
        }
    }
}

fn header(count: u32) -> [u8; 12] {
    data::header::encode(data::Version::V2, count)
}

/// Bytes that are made to collide have no name.
fn fault(error: &gix::Error) -> GitError {
    GitError::Other { what: "an object to be stored".to_owned(), why: chain(error) }
}
