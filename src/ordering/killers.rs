//! Killer moves: the latest two quiet moves of each ply that failed high.
//!
//! Source: <https://www.chessprogramming.org/Killer_Heuristic>

use super::PLIES;
use crate::types::Move;

/// Number of killers of each ply.
pub const KILLERS: usize = 2;

/// The killers of one worker.
#[derive(Debug)]
pub struct Killers {
    slots: [[Move; KILLERS]; PLIES],
}

impl Killers {
    /// Creates an empty table.
    pub const fn new() -> Self {
        Self {
            slots: [[Move::NULL; KILLERS]; PLIES],
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Moves the killers `plies` plies toward the root, after that many moves of the game.
    pub fn shift(&mut self, plies: usize) {
        let plies = plies.min(PLIES);
        self.slots.copy_within(plies.., 0);
        self.slots[PLIES - plies..].fill([Move::NULL; KILLERS]);
    }

    /// Returns the killers of a ply, the latest one first, with [`Move::NULL`] where there is none.
    /// They are quiet and different from each other, but need not be legal at the node.
    #[inline(always)]
    pub fn at(&self, ply: usize) -> [Move; KILLERS] {
        self.slots[ply % PLIES]
    }

    /// Stores a quiet move that failed high at this ply.
    #[inline]
    pub fn store(&mut self, ply: usize, mv: Move) {
        debug_assert!(mv.is_quiet());
        let [first, second] = &mut self.slots[ply % PLIES];
        if *first != mv {
            *second = *first;
            *first = mv;
        }
    }
}

impl Default for Killers {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{MoveKind, Square};

    fn quiet(to: u8) -> Move {
        Move::new(Square::new(1), Square::new(to), MoveKind::Quiet)
    }

    #[test]
    fn the_latest_comes_first_and_no_move_twice() {
        let mut killers = Killers::new();
        for to in [8, 9, 9, 10, 9] {
            killers.store(3, quiet(to));
        }
        assert_eq!(killers.at(3), [quiet(9), quiet(10)]);
        assert_eq!(killers.at(4), [Move::NULL; 2]);
    }

    #[test]
    fn shifting_follows_the_game() {
        let mut killers = Killers::new();
        killers.store(2, quiet(8));
        killers.store(PLIES - 1, quiet(9));
        killers.shift(2);
        assert_eq!(killers.at(0)[0], quiet(8));
        assert_eq!(killers.at(PLIES - 3)[0], quiet(9));
        assert_eq!(killers.at(PLIES - 1)[0], Move::NULL);
        killers.shift(usize::MAX);
        assert!((0..PLIES).all(|ply| killers.at(ply) == [Move::NULL; 2]));
    }
}
