//! A small seeded random number generator that gives the same numbers on every machine.

/// A random number generator with 64 bits of state. It is not fit for cryptography.
// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Starts the sequence of a seed. All seeds are equally good.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Starts one of many independent sequences of a seed, for example one for each game of a run.
    /// Seed and number are both mixed, because neighboring states would otherwise give the same
    /// sequence one step apart.
    pub const fn stream(seed: u64, number: u64) -> Self {
        Self(mix(mix(seed).wrapping_add(number)))
    }

    /// Returns the next 64 random bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// Returns a number in `0..bound`, or 0 if the bound is 0.
    pub const fn below(&mut self, bound: usize) -> usize {
        ((self.next() as u128 * bound as u128) >> 64) as usize
    }

    /// Returns a number in `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        // An f64 holds 53 bits exactly.
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns true with this probability, 0 to 1.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns 1 or -1 with equal probability.
    pub const fn sign(&mut self) -> f64 {
        if self.next() >> 63 == 0 { 1.0 } else { -1.0 }
    }

    /// Returns one of the items, or `None` if there are none.
    pub fn choose<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.below(items.len())).copied()
    }

    /// Puts the items in random order (Fisher-Yates shuffle).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Mixes the bits so that each bit of the number affects all 64 bits of the result.
const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut rng = Rng::new(1234567);
        let expected = [
            6457827717110365317,
            3203168211198807973,
            9817491932198370423,
        ];
        assert_eq!(expected.map(|_| rng.next()), expected);
    }

    #[test]
    fn streams_do_not_share_numbers() {
        let mut seen = HashSet::new();
        for seed in 0..20 {
            for number in 0..20 {
                let mut rng = Rng::stream(seed, number);
                assert!((0..20).all(|_| seen.insert(rng.next())), "{seed} {number}");
            }
        }
    }

    #[test]
    fn numbers_are_spread_evenly() {
        let mut rng = Rng::new(1);
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[rng.below(6)] += 1;
        }
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)));
        assert_eq!(rng.below(0), 0);

        let hits = (0..10_000).filter(|_| rng.chance(0.15)).count();
        assert!((1_350..1_650).contains(&hits), "{hits}");
        assert!(!rng.chance(0.0) && rng.chance(1.0));
    }

    #[test]
    fn a_shuffle_keeps_everything_and_moves_most() {
        let mut items: Vec<usize> = (0..1000).collect();
        Rng::new(9).shuffle(&mut items);
        assert!(
            items
                .iter()
                .enumerate()
                .filter(|(at, item)| at == *item)
                .count()
                < 10
        );
        items.sort_unstable();
        assert!(items.iter().enumerate().all(|(at, item)| at == *item));
        assert_eq!(Rng::new(9).choose::<u8>(&[]), None);
    }
}
