//! Dropout: at each training position, hidden units chosen at random do not count. The others must
//! do without them, so the network cannot learn single positions by heart as easily.
// Source: N. Srivastava and others, "Dropout: A Simple Way to Prevent Neural Networks from
// Overfitting", Journal of Machine Learning Research 15, 2014

use rejoinder::types::Rng;

/// Shares of the units are multiples of one in this number.
const LEVELS: f64 = 256.0;

/// Leaves out hidden units at random.
#[derive(Clone, Debug)]
pub struct Dropout {
    /// A unit is left out if a random byte is below this.
    threshold: u8,
    rng: Rng,
    /// A random byte for each unit.
    bytes: Vec<u8>,
}

impl Dropout {
    /// Leaves out this share of the units, 0 to less than 1. The stream of the seed's random
    /// numbers decides which.
    pub fn new(share: f64, seed: u64, stream: u64) -> Self {
        Self {
            threshold: (share * LEVELS) as u8,
            rng: Rng::stream(seed, stream),
            bytes: Vec::new(),
        }
    }

    /// Sets the sums of the units that are left out to zero. Their activation is zero then, and so
    /// is its derivative.
    pub fn apply(&mut self, sums: &mut [f32]) {
        if self.threshold == 0 {
            return;
        }
        self.bytes.clear();
        while self.bytes.len() < sums.len() {
            self.bytes.extend(self.rng.next().to_le_bytes());
        }
        for (sum, byte) in sums.iter_mut().zip(&self.bytes) {
            // Without a branch, this becomes vector instructions.
            *sum = if *byte < self.threshold { 0.0 } else { *sum };
        }
    }

    /// Returns the factor for the activations of the remaining units that makes up for those left
    /// out.
    pub fn scale(&self) -> f32 {
        (1.0 / (1.0 - f64::from(self.threshold) / LEVELS)) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_units_is_left_out() {
        let mut sums = vec![1.0; 100_000];
        let mut dropout = Dropout::new(0.25, 1, 2);
        dropout.apply(&mut sums);
        let left = sums.iter().filter(|&&sum| sum > 0.0).count();
        assert!((74_000..76_000).contains(&left), "{left}");
        let total: f32 = sums.iter().map(|sum| sum * dropout.scale()).sum();
        assert!((total - 1e5).abs() < 2e3, "{total}");

        let mut again = vec![1.0; 100_000];
        Dropout::new(0.25, 1, 2).apply(&mut again);
        assert_eq!(sums, again);
        Dropout::new(0.25, 1, 3).apply(&mut again);
        assert_ne!(sums, again);
    }

    #[test]
    fn no_dropout_changes_nothing() {
        let mut sums = vec![1.0; 100];
        let mut dropout = Dropout::new(0.0, 5, 6);
        dropout.apply(&mut sums);
        assert_eq!(sums, [1.0; 100]);
        assert!((dropout.scale() - 1.0).abs() < 1e-9);
    }
}
