//! Caches recently unpacked objects, so that objects stored as deltas of them unpack quickly.

use gix::objs::Kind;
use gix::odb::pack::cache::DecodeEntry;

/// A walk comes back to the neighbours of the last few dozen objects.
const SLOTS: usize = 256;
/// Larger objects are not kept, so that the cache stays below 16 MiB.
const LARGEST: usize = 64 << 10;

/// Recently unpacked objects, each in the one slot that its place in the pack gives it.
///
/// Without it every object of a pack is unpacked through its whole chain of differences, up to
/// fifty objects long.
#[derive(Default)]
pub(super) struct Bases {
    slots: Vec<Slot>,
}

#[derive(Clone, Default)]
struct Slot {
    place: Option<(u32, u64)>,
    kind: Option<Kind>,
    packed_size: usize,
    data: Vec<u8>,
}

/// Fibonacci hashing: neighbours in a pack get slots that are far apart.
fn slot_of(pack: u32, offset: u64) -> usize {
    let mixed = (offset ^ u64::from(pack)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (64 - SLOTS.trailing_zeros())) as usize
}

impl DecodeEntry for Bases {
    fn put(&mut self, pack: u32, offset: u64, data: &[u8], kind: Kind, packed_size: usize) {
        if data.len() > LARGEST {
            return;
        }
        self.slots.resize(SLOTS, Slot::default());
        let slot = &mut self.slots[slot_of(pack, offset)];
        slot.data.clear();
        slot.data.extend_from_slice(data);
        (slot.place, slot.kind, slot.packed_size) = (Some((pack, offset)), Some(kind), packed_size);
    }

    fn get(&mut self, pack: u32, offset: u64, out: &mut Vec<u8>) -> Option<(Kind, usize)> {
        let slot = self.slots.get(slot_of(pack, offset))?;
        let kind = slot.kind.filter(|_| slot.place == Some((pack, offset)))?;
        out.clear();
        out.extend_from_slice(&slot.data);
        Some((kind, slot.packed_size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_answers_only_for_the_object_that_it_holds() {
        let (mut bases, mut out) = (Bases::default(), Vec::new());
        assert_eq!(bases.get(1, 12, &mut out), None);
        bases.put(1, 12, b"one", Kind::Tree, 9);
        bases.put(1, 12 + LARGEST as u64, &vec![0; LARGEST + 1], Kind::Blob, 9);
        assert_eq!(bases.get(1, 12, &mut out), Some((Kind::Tree, 9)));
        assert_eq!(out, b"one");
        let rival = (13..)
            .find(|offset| slot_of(1, *offset) == slot_of(1, 12))
            .unwrap();
        assert_eq!(bases.get(1, rival, &mut out), None);
        bases.put(1, rival, b"two", Kind::Blob, 3);
        assert_eq!(bases.get(1, 12, &mut out), None);
        assert_eq!(bases.get(1, rival, &mut out), Some((Kind::Blob, 3)));
        assert_eq!(out, b"two");
    }
}
