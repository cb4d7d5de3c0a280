//! Writes new objects into the repository as one pack, durable before anything names them.

use std::collections::BTreeSet;
use std::io;

use gix::hash::Kind as Format;
use gix::objs::Kind;
use gix::odb::pack::data;
use gix::zlib::stream::deflate;
use gix::zlib::{Compression, Status};

use super::error::FoldError;
use crate::git::plumbing::{Git, GitPlace, PlumbingError, Started};
use crate::git::{GitError, chain, ours};
use crate::model::ids::ObjectId;

/// Up to this many bytes of packed objects are kept in memory; then they go to git.
const CHUNK: usize = 32 << 20;

/// Objects on their way, written as a pack and handed to git as if they had been pushed: git knows
/// about permissions, durability and the formats of its object store. Always a pack, also for few: it
/// is three times faster than loose objects that are each written through to the disk.
pub(super) struct Pack<'a> {
    place: &'a GitPlace,
    format: Format,
    reader: Option<Started>,
    sent: BTreeSet<ObjectId>,
    count: u32,
    bytes: Vec<u8>,
    compressor: deflate::Compress,
}

impl<'a> Pack<'a> {
    /// An empty one.
    pub(super) fn new(place: &'a GitPlace, format: Format) -> Result<Self, FoldError> {
        let mut pack = Self {
            place,
            format,
            reader: None,
            sent: BTreeSet::new(),
            count: 0,
            bytes: header(0).to_vec(),
            compressor: deflate::Compress::new(Compression::DEFAULT),
        };
        pack.reader = Some(pack.reader()?);
        Ok(pack)
    }

    /// Takes an object along, once, and says its name.
    pub(super) fn add(&mut self, kind: Kind, bytes: &[u8]) -> Result<ObjectId, FoldError> {
        let id = gix::objs::compute_hash(self.format, kind, bytes)
            .map(ours)
            .map_err(|error| fault(&error))?;
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
        self.deflate(bytes)
    }

    /// All with one compressor: it is large, and a new one for each object is never given back.
    fn deflate(&mut self, mut rest: &[u8]) -> io::Result<()> {
        self.compressor.reset();
        loop {
            let (taken, made) = (self.compressor.total_in(), self.compressor.total_out());
            let mut block = [0; 16 << 10];
            let status = self
                .compressor
                .compress(rest, &mut block, deflate::FlushCompress::Finish);
            let status = status.map_err(io::Error::other)?;
            rest = &rest[(self.compressor.total_in() - taken) as usize..];
            self.bytes
                .extend_from_slice(&block[..(self.compressor.total_out() - made) as usize]);
            if matches!(status, Status::StreamEnd) {
                return Ok(());
            }
        }
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
        Git::durable(self.place)
            .args(["index-pack", "--threads=1", "--stdin"])
            .start()
    }
}

fn header(count: u32) -> [u8; 12] {
    data::header::encode(data::Version::V2, count)
}

/// Bytes that are made to collide have no name.
fn fault(error: &gix::Error) -> GitError {
    GitError::Other {
        what: "an object to be stored".to_owned(),
        why: chain(error),
    }
}
