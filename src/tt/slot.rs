//! One slot of the table: two words that no lock protects.
//!
//! The first word is `key ^ data`, the second `data`. If two threads write a slot at once, it may
//! end up with a word of each. Such a torn slot gives a key that matches no position, so it reads
//! as a miss. Each word is atomic; no order between the two words is required.
// Source: Hyatt and Mann, "A lock-less transposition-table implementation for parallel search",
// ICGA Journal 25(1), 2002.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A 64-bit word that is read and written atomically, without any ordering.
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

/// Reads the key and the data of a slot. A torn slot gives a key that matches no position.
#[inline(always)]
pub(super) fn read<W: AtomicWord>([check, data]: &Slot<W>) -> (u64, u64) {
    let data = data.load();
    (check.load() ^ data, data)
}

/// Replaces the content of a slot by this key and its data.
#[inline(always)]
pub(super) fn write<W: AtomicWord>([check, data]: &Slot<W>, key: u64, value: u64) {
    check.store(key ^ value);
    data.store(value);
}

/// Tests every interleaving of stores and probes, and every old value that a relaxed load may still
/// see.
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

    /// Keys and data whose exclusive ors all differ. The first two have the same key.
    const STORES: [(u64, u64); 3] = [(0x10, 0x0001), (0x10, 0x0200), (0x40, 0x8000)];

    /// Lets two stores race each other and a reader, which must see one of them whole or a key that
    /// was not stored.
    fn race(
        stores: [(u64, u64); 2],
        write: fn(&Slot<AtomicU64>, u64, u64),
        read: fn(&Slot<AtomicU64>) -> (u64, u64),
    ) {
        loom::model(move || {
            let slot: Arc<Slot<AtomicU64>> = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
            let writers = stores.map(|(key, data)| {
                let slot = Arc::clone(&slot);
                thread::spawn(move || write(&slot, key, data))
            });
            // Once during the writes and once after them.
            let during = read(&slot);
            for writer in writers {
                writer.join().expect("a writer panicked");
            }
            for (key, data) in [during, read(&slot)] {
                let known = stores.iter().any(|&(stored, _)| stored == key);
                assert!(!known || stores.contains(&(key, data)), "a torn hit");
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

    /// The model does produce torn slots: without the exclusive or, they are hits.
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
