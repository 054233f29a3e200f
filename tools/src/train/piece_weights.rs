//! How much a position counts in the loss, by its number of pieces.

use std::fmt;
use std::str::FromStr;

use rejoinder::eval::features::MAX_PIECES;
use serde::{Deserialize, Serialize};

/// Weights for some numbers of pieces, in ascending order. Between them the weight changes
/// linearly, beyond them it stays the same, and without any it is 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PieceWeights(Vec<(usize, f64)>);

impl PieceWeights {
    /// Returns the weight for each number of pieces.
    pub fn table(&self) -> [f32; MAX_PIECES + 1] {
        std::array::from_fn(|pieces| self.of(pieces) as f32)
    }

    fn of(&self, pieces: usize) -> f64 {
        let above = self.0.partition_point(|&(number, _)| number < pieces);
        let before = above.checked_sub(1).and_then(|at| self.0.get(at));
        match (before, self.0.get(above)) {
            (None, None) => 1.0,
            (Some(&(_, weight)), None) | (None, Some(&(_, weight))) => weight,
            (Some(&(from, low)), Some(&(to, high))) => {
                low + (high - low) * (pieces - from) as f64 / (to - from) as f64
            }
        }
    }
}

impl FromStr for PieceWeights {
    type Err = &'static str;

    /// Reads a list like `8:0.45,16:1`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let point = |text: &str| {
            let (pieces, weight) = text.split_once(':')?;
            let (pieces, weight) = (pieces.parse().ok()?, weight.parse().ok()?);
            ((2..=MAX_PIECES).contains(&pieces) && (0.0..=10.0).contains(&weight))
                .then_some((pieces, weight))
        };
        let points: Option<Vec<(usize, f64)>> = text.split(',').map(point).collect();
        points
            .filter(|points| points.is_sorted_by(|a, b| a.0 < b.0))
            .map(Self)
            .ok_or("must be a list of PIECES:WEIGHT, pieces ascending from 2 to 32, weights from 0 to 10")
    }
}

impl fmt::Display for PieceWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (pieces, weight)) in self.0.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{pieces}:{weight}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_linear_between_the_numbers_given() {
        let text = "8:0.45,16:1,24:1,32:0.75";
        let weights: PieceWeights = text.parse().expect("weights");
        assert_eq!(weights.to_string(), text);
        let table = weights.table();
        for (pieces, expected) in [
            (2, 0.45),
            (8, 0.45),
            (12, 0.725),
            (16, 1.0),
            (20, 1.0),
            (28, 0.875),
            (32, 0.75),
        ] {
            assert!((table[pieces] - expected).abs() < 1e-6, "{pieces}");
        }
        let ones = PieceWeights::default().table();
        assert!(ones.iter().all(|weight| (weight - 1.0).abs() < 1e-9));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "", "8", "8:x", "1:1", "33:1", "8:-1", "8:nan", "16:1,8:1", "8:1,8:1",
        ] {
            assert!(text.parse::<PieceWeights>().is_err(), "{text}");
        }
    }
}
