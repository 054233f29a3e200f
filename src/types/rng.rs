//! A small seeded generator: the same numbers on every machine, for keys, openings and shuffles.

/// Random numbers from a 64-bit state. Not for secrets.
// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The sequence of this seed; every seed is as good as another.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The sequence of one numbered game of a run. Seed and number are both mixed first:
    /// neighbours would otherwise be one sequence, a step apart.
    pub const fn stream(seed: u64, number: u64) -> Self {
        Self(mix(mix(seed).wrapping_add(number)))
    }

    /// The next 64 bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// A number in `0..bound`; 0 if the bound is 0.
    pub const fn below(&mut self, bound: usize) -> usize {
        ((self.next() as u128 * bound as u128) >> 64) as usize
    }

    /// A number from 0 up to, but not, 1.
    pub fn unit(&mut self) -> f64 {
        // The 53 high bits are what an f64 holds exactly.
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with this probability, 0 to 1.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// 1 or -1.
    pub const fn sign(&mut self) -> f64 {
        if self.next() >> 63 == 0 { 1.0 } else { -1.0 }
    }

    /// One of these, or `None` if there is none.
    pub fn choose<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.below(items.len())).copied()
    }

    /// Puts these in random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Spreads every bit of the number over all 64.
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
    fn games_do_not_share_numbers() {
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
