//! One slot of the table: two words that no lock protects.
//!
//! The first word is `key ^ data`, the second `data`. Two threads may write a slot at once and leave it with a word of each.
//! The two no longer give back a key that anyone stored, so that such a slot reads as a miss.
//! Each word is atomic, which is all that is asked of the processor: no order between the two.
// Source: Hyatt and Mann, "A lock-less transposition-table implementation for parallel search", ICGA Journal 25(1), 2002.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// 64 bits that are read and written whole, in no order with any others.
pub(super) trait AtomicWord {
    fn load(&self) -> u64;
    fn store(&self, word: u64);
}

impl AtomicWord for AtomicU64 {
    #[inline(always)]
    fn load(&self) -> u64 {
        self.load(Relaxed)
    }

    #[inline(always)]
    fn store(&self, word: u64) {
        self.store(word, Relaxed);
    }
}

/// `key ^ data` and `data`.
pub(super) type Slot<W = AtomicU64> = [W; 2];

/// The key and the data that the slot holds. A torn slot gives a key of nobody.
#[inline(always)]
pub(super) fn read<W: AtomicWord>([check, data]: &Slot<W>) -> (u64, u64) {
    let data = data.load();
    (check.load() ^ data, data)
}

/// Puts the data of this key into the slot, whatever was there.
#[inline(always)]
pub(super) fn write<W: AtomicWord>([check, data]: &Slot<W>, key: u64, value: u64) {
    check.store(key ^ value);
    data.store(value);
}

/// Every interleaving of stores and probes, and every old value a relaxed load may still see.
#[cfg(test)]
mod model {
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicU64;
    use loom::thread;

    use super::{AtomicWord, Relaxed, Slot, read, write};

    impl AtomicWord for AtomicU64 {
        fn load(&self) -> u64 {
            self.load(Relaxed)
        }

        fn store(&self, word: u64) {
            self.store(word, Relaxed);
        }
    }

    /// Keys and data with all their sums apart. Two are stores of the same key.
    const STORES: [(u64, u64); 3] = [(0x10, 0x0001), (0x10, 0x0200), (0x40, 0x8000)];

    /// Two of the stores race each other and a reader, who must see one of them whole, or nobody's key.
    fn race(
        histories: [(u64, u64); 2],
        write: fn(&Slot<AtomicU64>, u64, u64),
        read: fn(&Slot<AtomicU64>) -> (u64, u64),
    ) {
        loom::model(move || {
            let slot: Arc<Slot<AtomicU64>> = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
            let writers = histories.map(|(key, data)| {
                let slot = Arc::clone(&slot);
                thread::spawn(move || write(&slot, key, data))
            });
            // Once during the writes and once after them.
            let during = read(&slot);
            for writer in writers {
                writer.join().expect("a writer ends");
            }
            for (key, data) in [during, read(&slot)] {
                let known = histories.iter().any(|&(stored, _)| stored == key);
                assert!(!known || histories.contains(&(key, data)), "a torn hit");
            }
        });
    }

    #[test]
    fn a_hit_is_whole() {
        let [first, again, other] = STORES;
        race([first, other], write, read);
        race([first, again], write, read);
    }

    #[test]
    fn a_store_is_found_again() {
        loom::model(|| {
            let slot: Slot<AtomicU64> = [AtomicU64::new(0), AtomicU64::new(0)];
            write(&slot, 0x10, 0x0001);
            assert_eq!(read(&slot), (0x10, 0x0001));
        });
    }

    /// The model does see torn slots: without the exclusive or, they are hits.
    #[test]
    #[should_panic(expected = "a torn hit")]
    fn a_bare_key_would_be_torn() {
        let [first, _, other] = STORES;
        race(
            [first, other],
            |[check, data], key, value| {
                AtomicWord::store(check, key);
                AtomicWord::store(data, value);
            },
            |[check, data]| (AtomicWord::load(check), AtomicWord::load(data)),
        );
    }
}
