//! The triangular PV table: each ply keeps the best line from that ply on.
// Source: https://www.chessprogramming.org/Triangular_PV-Table

use crate::types::{MAX_PLY, Move};

const ROWS: usize = MAX_PLY + 2;

/// The best lines by ply.
#[derive(Clone, Debug)]
pub struct PvTable {
    lines: Box<[[Move; ROWS]]>,
    lengths: [usize; ROWS],
}

impl PvTable {
    /// Creates a table without lines.
    pub fn new() -> Self {
        Self {
            lines: vec![[Move::NULL; ROWS]; ROWS].into_boxed_slice(),
            lengths: [0; ROWS],
        }
    }

    /// Empties the line from this ply on.
    #[inline(always)]
    pub fn clear(&mut self, ply: usize) {
        self.lengths[ply] = 0;
    }

    /// Sets the best line from `ply` on to this move followed by the best line of the next ply.
    pub fn update(&mut self, ply: usize, mv: Move) {
        let tail = self.lengths[ply + 1];
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        upper[ply][0] = mv;
        upper[ply][1..=tail].copy_from_slice(&lower[0][..tail]);
        self.lengths[ply] = tail + 1;
    }

    /// Returns the best line from this ply on.
    pub fn line(&self, ply: usize) -> &[Move] {
        &self.lines[ply][..self.lengths[ply]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_move_and_the_line_below() {
        let [a, b, c] = [1, 2, 3].map(Move::from_bits);
        let mut pv = PvTable::new();
        pv.clear(3);
        pv.update(2, c);
        pv.update(1, b);
        pv.update(0, a);
        assert_eq!(pv.line(0), [a, b, c]);
        pv.clear(1);
        pv.update(0, b);
        assert_eq!(pv.line(0), [b]);
        assert_eq!(pv.line(2), [c]);
    }
}
