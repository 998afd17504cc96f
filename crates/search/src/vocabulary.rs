//! Terms by numbers, in the order in which they were first met.
//! A table of its own, since most of the time of an index goes into looking terms up: texts lie in one piece, and a slot
//! is eight bytes.

/// Numbers for terms.
#[derive(Default)]
pub struct Vocabulary {
    text: String,
    /// Where the text of each term ends.
    ends: Vec<u32>,
    /// As many as a power of two, and at most half of them taken; a term is in the first free one from where its hash
    /// points.
    slots: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    id: u32,
}

const FREE: Slot = Slot {
    hash: 0,
    id: u32::MAX,
};

impl Vocabulary {
    /// The number of `term`, which is that of all terms before if it is new.
    pub fn id(&mut self, term: &str) -> usize {
        if 2 * self.ends.len() >= self.slots.len() {
            self.grow();
        }
        let hash = hash(term.as_bytes());
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.id == FREE.id {
                break;
            }
            if slot.hash == hash && self.term(slot.id as usize) == term {
                return slot.id as usize;
            }
            at = (at + 1) & mask;
        }
        let id = self.ends.len();
        self.text.push_str(term);
        self.ends.push(self.text.len() as u32);
        let id_in_slot = id as u32;
        self.slots[at] = Slot {
            hash,
            id: id_in_slot,
        };
        id
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// All terms in the order of their numbers.
    pub fn terms(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|id| self.term(id))
    }

    fn term(&self, id: usize) -> &str {
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.text[start as usize..self.ends[id] as usize]
    }

    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(8192);
        let taken = std::mem::replace(&mut self.slots, vec![FREE; size]);
        for slot in taken.into_iter().filter(|slot| slot.id != FREE.id) {
            let mut at = slot.hash as usize & (size - 1);
            while self.slots[at].id != FREE.id {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = slot;
        }
    }
}

/// Words of eight bytes, folded by multiplication; the last one overlaps the one before.
fn hash(bytes: &[u8]) -> u32 {
    let fold = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15;
        product as u64 ^ (product >> 64) as u64
    };
    let (words, _) = bytes.as_chunks::<8>();
    let all = words.iter().fold(bytes.len() as u64, |hash, word| {
        fold(hash, u64::from_le_bytes(*word))
    });
    let last = match (bytes.last_chunk(), bytes.first_chunk(), bytes.last_chunk()) {
        (Some(last), ..) => u64::from_le_bytes(*last),
        (None, Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        _ => bytes
            .iter()
            .fold(0, |all, byte| all << 8 | u64::from(*byte)),
    };
    let hash = fold(fold(all, last), 0x2545_f491_4f6c_dd1d);
    hash as u32
}
